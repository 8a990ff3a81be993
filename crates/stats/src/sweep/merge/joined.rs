//! Joins one setting of several shards.

use std::time::Duration;

use super::MergeError;
use super::shard::{Own, Shard};
use crate::sweep::setting::joined_failures;
use crate::sweep::{Cell, CellPart, InsertTally, Inserted};

/// Time from which on a later begin is reported.
const LATE: Duration = Duration::from_millis(500);

/// One setting of all shards.
#[derive(Debug)]
pub struct Joined {
    /// Inserts of all shards; absent unless all measured the setting at the same time.
    pub part: Option<CellPart>,
    pub cell: Cell,
    /// Time by which each shard began after the first one; empty without figures.
    late: Vec<Duration>,
}

/// Joins all settings, in the order in which the first shard measured them.
pub fn settings(shards: &[Shard]) -> Result<Vec<Joined>, MergeError> {
    let mut cells: Vec<&Cell> = Vec::new();
    for own in shards.iter().flat_map(|shard| &shard.settings) {
        let is_it = |cell: &&Cell| {
            let of = |cell: &Cell| (cell.batch_rows, cell.workers, cell.round);
            cell.design == own.cell.design && of(cell) == of(&own.cell)
        };
        if !cells.iter().any(is_it) {
            cells.push(&own.cell);
        }
    }
    let (mut settings, mut apart) = (Vec::new(), None);
    for cell in cells {
        let of_shards: Vec<Option<&Own>> = shards.iter().map(|shard| shard.find(cell)).collect();
        match measured_at_once(shards, &of_shards) {
            Ok(parts) => settings.push(with_figures(shards, &of_shards, &parts, cell)?),
            Err(Without { reason, is_apart }) => {
                apart = apart.or(is_apart);
                settings.push(without_figures(&of_shards, cell, reason));
            }
        }
    }
    match apart {
        Some((first, second)) if settings.iter().all(|joined| joined.part.is_none()) => {
            let [first, second] = [first, second].map(|shard: usize| shards[shard].dir());
            Err(MergeError::Apart { first, second })
        }
        _ => Ok(settings),
    }
}

/// Says which shards began settings later than the first one did.
pub fn late<'a>(shards: &'a [Shard], settings: &'a [Joined]) -> impl Iterator<Item = String> + 'a {
    shards.iter().enumerate().filter_map(move |(index, shard)| {
        let of_shard = settings.iter().filter_map(|joined| joined.late.get(index));
        let late: Vec<Duration> = of_shard.filter(|late| **late >= LATE).copied().collect();
        let most = late.iter().max()?;
        Some(format!(
            "{} began {} of {} settings up to {:.1} s after the first shard: until then the rate is not that of \
             all workers",
            shard.name(),
            late.len(),
            settings.len(),
            most.as_secs_f64()
        ))
    })
}

/// Why a setting has no figures.
struct Without {
    reason: String,
    /// Indices of two shards of which the first was over before the second began.
    is_apart: Option<(usize, usize)>,
}

/// Returns the inserts of all shards if all have some and inserted at the same time.
fn measured_at_once<'a>(
    shards: &[Shard],
    of_shards: &[Option<&'a Own>],
) -> Result<Vec<&'a CellPart>, Without> {
    let (mut parts, mut missing) = (Vec::new(), Vec::new());
    for (shard, own) in shards.iter().zip(of_shards) {
        match own.and_then(Own::measured) {
            Some(part) => parts.push(part),
            None => {
                let reason = own.and_then(|own| own.cell.reason.as_deref());
                let reason = reason.unwrap_or("it has no figures of this setting");
                missing.push(format!("{}: {reason}", shard.name()));
            }
        }
    }
    if !missing.is_empty() {
        return Err(Without {
            reason: format!("not measured by all shards: {}", missing.join("; ")),
            is_apart: None,
        });
    }
    let begins = parts.iter().map(|part| part.began_at_ns);
    let ends = parts.iter().map(|part| part.ends_at_ns());
    let last = begins.enumerate().max_by_key(|(_, begin)| *begin);
    let first = ends.enumerate().min_by_key(|(_, end)| *end);
    match (first, last) {
        (Some((first, end)), Some((last, begin))) if first != last && end <= begin => {
            Err(Without {
                reason: format!(
                    "not measured by all shards at the same time: {} was over before {} began",
                    shards[first].name(),
                    shards[last].name()
                ),
                is_apart: Some((first, last)),
            })
        }
        _ => Ok(parts),
    }
}

fn with_figures(
    shards: &[Shard],
    of_shards: &[Option<&Own>],
    parts: &[&CellPart],
    like: &Cell,
) -> Result<Joined, MergeError> {
    let begins = parts.iter().map(|part| part.began_at_ns);
    let earliest = begins.min().unwrap_or_default();
    let late = parts.iter().map(|part| part.began_at_ns - earliest);
    let late: Vec<Duration> = late.map(Duration::from_nanos).collect();
    let mut all = InsertTally::default();
    for ((shard, part), late) in shards.iter().zip(parts).zip(&late) {
        let damaged = |reason| MergeError::Damaged {
            dir: shard.dir(),
            setting: format!(
                "{}, batches of {}, {} workers",
                part.design, part.batch_rows, part.workers
            ),
            reason,
        };
        all += &InsertTally::from_saved(&part.inserts, *late).map_err(damaged)?;
    }
    let cell = without_inserts(of_shards, like);
    let has_worked = |i: &Inserted| !i.rows_ran_out || i.inserts >= u64::from(cell.workers);
    let inserted = all.inserted(cell.workers).filter(has_worked);
    let mut there = of_shards.iter().flatten();
    let cell = Cell {
        inserted,
        reason: there.find_map(|own| own.cell.reason.clone()),
        ..cell
    };
    let saved = all.saved().map_err(|reason| MergeError::Damaged {
        dir: shards[0].dir(),
        setting: like.design.clone(),
        reason,
    })?;
    let part = CellPart {
        design: cell.design.clone(),
        batch_rows: cell.batch_rows,
        workers: cell.workers,
        round: cell.round,
        began_at_ns: earliest,
        inserts: saved,
    };
    Ok(Joined {
        part: Some(part),
        cell,
        late,
    })
}

fn without_figures(of_shards: &[Option<&Own>], like: &Cell, reason: String) -> Joined {
    Joined {
        part: None,
        cell: Cell {
            reason: Some(reason),
            ..without_inserts(of_shards, like)
        },
        late: Vec::new(),
    }
}

/// Joins everything but the inserts: workers and failures are added, and the check is that of the first shard, which
/// counts the rows of all.
fn without_inserts(of_shards: &[Option<&Own>], like: &Cell) -> Cell {
    let processes = u32::try_from(of_shards.len()).unwrap_or(u32::MAX);
    let there = || of_shards.iter().flatten();
    let first = of_shards.first().copied().flatten();
    Cell {
        design: like.design.clone(),
        batch_rows: like.batch_rows,
        workers: like.workers.saturating_mul(processes),
        round: like.round,
        inserted: None,
        failures: joined_failures(there().map(|own| &own.cell.failures)),
        check: first.and_then(|own| own.cell.check.clone()),
        reason: None,
    }
}
