//! Notes that a reader needs in addition to the figures.

use bakeoff_stats::sweep::{Cell, Check, Inserted, OVER_ANY, SweepSetting, SweepSummary};

use super::{FEWEST_ROUNDS, MUCH_WAITING, ROUNDS_TO_ASK_FOR, setting};
use crate::rows_from::rows_from;
use crate::{sample_notes, units};

pub fn facts(summary: &SweepSummary) -> String {
    let header = &summary.header;
    let count = |n: usize, one, many| units::plural(n as u64, one, many);
    let often = match header.rounds {
        1 => String::new(),
        rounds => format!(" in each of {rounds} rounds"),
    };
    let processes = match header
        .shared
        .as_ref()
        .map_or(0, |shared| shared.parts.len())
    {
        0 => String::new(),
        processes => format!("{processes} processes, "),
    };
    format!(
        "{} × {}, each for {}{often} after a warm-up of {}; rows of {}; {processes}{} with {}, shared by client and \
         server where that runs here",
        count(header.batches.len(), "batch size", "batch sizes"),
        count(
            header.workers.len(),
            "number of workers",
            "numbers of workers"
        ),
        units::trimmed(&units::duration(header.seconds)),
        units::trimmed(&units::duration(header.warm_up_seconds)),
        rows_from(&header.data),
        header.machine.cpu,
        units::plural(u64::from(header.machine.cores), "core", "cores"),
    )
}

/// Says how far a sweep came that goes on: `12 of up to 40 settings`.
pub fn so_far(summary: &SweepSummary) -> String {
    let (measured, all) = measured_of_all(summary);
    format!("{measured} of up to {all} settings")
}

/// Returns the number of settings that are measured, each round's counted, and that of all.
fn measured_of_all(summary: &SweepSummary) -> (usize, usize) {
    let header = &summary.header;
    let of_round = header.designs.len() * header.batches.len() * header.workers.len();
    let measured = summary.settings().map(|s| s.rounds.len()).sum();
    (measured, of_round * header.rounds as usize)
}

pub fn of(summary: &SweepSummary) -> Vec<String> {
    let mut notes: Vec<String> = [
        shards,
        unfinished,
        waiting,
        rows_ran_out,
        too_few_rows,
        few_inserts,
        few_rounds,
    ]
    .iter()
    .filter_map(|note| note(summary))
    .collect();
    notes.extend(over_any(summary));
    notes.extend(uncounted(summary));
    notes.extend(sample_notes::unread_in(&summary.server));
    notes.extend(summary.warnings.iter().cloned());
    notes
}

fn shards(summary: &SweepSummary) -> Option<String> {
    let shared = summary.header.shared.as_ref()?;
    let (index, of) = shared.shard;
    Some(if shared.is_joined() {
        format!(
            "Numbers of workers are those of all {of} processes, and so are rows and times: one of them alone inserts \
             less."
        )
    } else {
        format!(
            "This is shard {} of {of}: its workers and rates are its own; `bakeoff merge` joins the shards.",
            index.saturating_add(1)
        )
    })
}

/// Says of a sweep without an end how far it came.
pub fn unfinished(summary: &SweepSummary) -> Option<String> {
    let how = match (summary.finished, summary.interrupted) {
        (true, _) => return None,
        (false, true) => "was interrupted",
        (false, false) => "is not finished",
    };
    let (measured, all) = measured_of_all(summary);
    Some(format!(
        "The sweep {how}: {measured} of up to {all} settings are measured{}.",
        match summary.header.rounds {
            1 => "",
            _ => ", each round's counted",
        }
    ))
}

fn waiting(summary: &SweepSummary) -> Option<String> {
    let settings = inserted_where(summary, |i| i.waited_share > MUCH_WAITING);
    (settings > 0).then(|| {
        format!(
            "In {} workers waited for rows to be made for more than {:.0}% of their time: these \
             rates may be those at which this machine makes rows.",
            units::plural(settings, "setting", "settings"),
            MUCH_WAITING * 100.0
        )
    })
}

fn rows_ran_out(summary: &SweepSummary) -> Option<String> {
    let settings = inserted_where(summary, |i| i.rows_ran_out);
    (settings > 0).then(|| {
        format!(
            "In {} all rows were inserted before the time was over: such a setting is the best one \
             only where there is no other. {}",
            units::plural(settings, "setting", "settings"),
            MORE_ROWS
        )
    })
}

fn too_few_rows(summary: &SweepSummary) -> Option<String> {
    let known = summary.header.rows?;
    let needs_more = |s: &&SweepSetting| 2 * s.cell.batch_rows * u64::from(s.cell.workers) > known;
    let settings = summary.settings().filter(needs_more).count() as u64;
    (settings > 0).then(|| {
        format!(
            "{} not measured: {} rows are less than two batches for each worker. {MORE_ROWS}",
            units::plural(settings, "setting was", "settings were"),
            units::count(known)
        )
    })
}

fn few_inserts(summary: &SweepSummary) -> Option<String> {
    let settings = inserted_where(summary, |i| i.p99.is_none());
    (settings > 0).then(|| {
        format!(
            "In {} fewer than 100 inserts were acknowledged: too few for a p99.",
            units::plural(settings, "setting", "settings")
        )
    })
}

const MORE_ROWS: &str = "A generator with an option for time has more rows with, for example, \
                         --set days=30.";

fn few_rounds(summary: &SweepSummary) -> Option<String> {
    let often = match summary.rounds {
        1 => "once".to_owned(),
        rounds => format!("{rounds} times"),
    };
    (summary.rounds < FEWEST_ROUNDS).then(|| {
        format!(
            "Each setting was measured {often}. Below {FEWEST_ROUNDS} rounds nothing is called a \
             difference: --rounds {ROUNDS_TO_ASK_FOR} can show one."
        )
    })
}

/// Says of each design that was measured with both kinds of batches what rows of any partitions in a batch cost.
fn over_any(summary: &SweepSummary) -> impl Iterator<Item = String> {
    let rate = move |id: &str| -> Option<f64> {
        let design = summary.designs.iter().find(|design| design.info.id == id)?;
        design.best_setting()?.rows_per_second()
    };
    let ids = summary.designs.iter().map(|design| design.info.id.as_str());
    ids.filter_map(move |id| {
        let of_one = id.strip_suffix(OVER_ANY)?;
        let (any, one) = (rate(id)?, rate(of_one)?);
        Some(format!(
            "{of_one}: with rows of any partitions in a batch the most rows a second are {}, with rows of one \
             partition {}: {:.2}×.",
            units::rate(any),
            units::rate(one),
            any / one
        ))
    })
}

/// Settings whose rows were counted otherwise than acknowledged, or not at all.
fn uncounted(summary: &SweepSummary) -> impl Iterator<Item = String> {
    let mut said = Vec::new();
    for SweepSetting { cell, .. } in summary.settings() {
        match &cell.check {
            Some(Check::NotDone { why }) if !said.contains(&(&cell.design, why)) => {
                said.push((&cell.design, why));
            }
            _ => {}
        }
    }
    let tell = |(design, why)| format!("{design}: rows are not counted after inserting: {why}.");
    said.into_iter().map(tell)
}

/// Lists what went wrong where: wrong counts first, then settings without a figure, then errors.
pub fn failures(summary: &SweepSummary) -> Vec<(String, String)> {
    let designs = summary.designs.iter();
    let out = designs.flat_map(|d| {
        let id = &d.info.id;
        d.failures.iter().map(move |f| (id.clone(), f.clone()))
    });
    let cells = summary.settings().flat_map(|setting| &setting.rounds);
    let cells = cells.filter_map(|cell| {
        let round = match summary.rounds {
            1 => String::new(),
            _ => format!(", round {}", cell.round),
        };
        let place = format!(
            "{}, {}{round}",
            cell.design,
            setting(cell.batch_rows, cell.workers)
        );
        Some((place, failure(cell)?))
    });
    out.chain(cells).collect()
}

fn failure(cell: &Cell) -> Option<String> {
    let failed = cell.failures.count();
    let wrong = match &cell.check {
        Some(Check::Wrong {
            counted,
            acknowledged,
        }) => Some(format!(
            "{} rows were acknowledged, {} are there",
            units::count(*acknowledged),
            units::count(*counted)
        )),
        Some(Check::Failed { why }) => Some(format!("counting the rows failed: {why}")),
        _ => None,
    };
    let errors = (failed > 0).then(|| {
        format!(
            "{}: {}",
            super::errors(cell),
            cell.failures.messages.join("; ")
        )
    });
    // A reason that tells an error has its words already.
    let reason = cell.reason.clone().or(errors);
    let parts: Vec<String> = wrong.into_iter().chain(reason).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn inserted_where(summary: &SweepSummary, is_so: impl Fn(&Inserted) -> bool) -> u64 {
    let inserted = summary.settings().filter_map(|s| s.cell.inserted.as_ref());
    inserted.filter(|i| is_so(i)).count() as u64
}
