//! Joins the folders of processes that swept one table together.

mod joined;
mod shard;

use std::path::{Path, PathBuf};

use super::{Cell, SharedSweep, SweepHeader, SweepLog, SweepPart, SweepRecord, SweepRun};
use crate::shards::{End, SharedRecord, finished, warnings_of};
use crate::{During, JournalError, ServerWindow};
use joined::{Joined, settings};
use shard::Shard;

/// Reason why folders cannot be joined.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error("name at least two folders: one for each shard of a sweep")]
    TooFew,
    #[error(
        "{} holds the sweep of a single process, which is whole: join only folders of \
         `bakeoff sweep --shard`",
        dir.display()
    )]
    Whole { dir: PathBuf },
    #[error("{} is joined already: name the folders of its shards instead", dir.display())]
    Joined { dir: PathBuf },
    #[error(
        "{} and {} differ in {what}: only processes that were started with the same workload, \
         options and number of shards made one sweep",
        first.display(), second.display()
    )]
    Different {
        what: String,
        first: PathBuf,
        second: PathBuf,
    },
    #[error(
        "{} and {} are both of shard {}: it would be counted twice; name each folder once",
        first.display(), second.display(), shard + 1
    )]
    SameShard {
        shard: u32,
        first: PathBuf,
        second: PathBuf,
    },
    #[error(
        "shard {}/{of} is missing: without its rows no rate is that of all workers; name its folder, too",
        shard + 1
    )]
    Missing { shard: u32, of: u32 },
    #[error(
        "in every setting that all processes measured, {} was over before {} began: they did not insert at the \
         same time; set the clocks of their machines by NTP, and sweep again",
        first.display(), second.display()
    )]
    Apart { first: PathBuf, second: PathBuf },
    #[error(
        "the inserts of {setting} in {} cannot be read ({reason}); restore the file, or sweep again",
        dir.display()
    )]
    Damaged {
        dir: PathBuf,
        setting: String,
        reason: String,
    },
    #[error(transparent)]
    Log(#[from] JournalError),
}

/// Joins sweeps of different shards into a folder that reports read like any other.
///
/// In each setting workers, rows and failures are added, also second by second, and times are those of one histogram.
/// The rows of the table are counted by the first shard, for all. A setting that not all shards have measured, or
/// not at the same time, has no figures, and says why.
///
/// # Errors
/// The folders are not those of all shards of one sweep, or cannot be read, or `out` is in use.
pub fn merge(dirs: &[PathBuf], out: &Path) -> Result<(), MergeError> {
    let mut shards = { dirs.iter() }
        .map(|dir| Shard::new(SweepRun::open(dir)?))
        .collect::<Result<Vec<_>, MergeError>>()?;
    shards.sort_by_key(Shard::index);
    check(&shards)?;
    // All is read before anything is written, so that a damaged folder leaves no incomplete result behind.
    let settings = settings(&shards)?;
    let mut log = SweepLog::create(out, &joined_header(&shards))?;
    for record in engines_and_failures(&shards) {
        log.append(&record)?;
    }
    for message in warnings(&shards, &settings) {
        log.append(&SweepRecord::Warning { message })?;
    }
    for Joined { part, cell, .. } in settings {
        if let Some(part) = part {
            log.append(&SweepRecord::Part(part))?;
        }
        if let Some(window) = server_of(&shards, &cell) {
            log.append(&SweepRecord::Server(window))?;
        }
        log.append(&SweepRecord::Cell(cell))?;
    }
    if let Some(end) = finished(shards.iter().map(|shard| shard.run.records())) {
        log.append(&end)?;
    }
    Ok(())
}

fn check(shards: &[Shard]) -> Result<(), MergeError> {
    let [first, others @ ..] = shards else {
        return Err(MergeError::TooFew);
    };
    if others.is_empty() {
        return Err(MergeError::TooFew);
    }
    if let Some(joined) = shards.iter().find(|shard| shard.shared.is_joined()) {
        return Err(MergeError::Joined { dir: joined.dir() });
    }
    for other in others {
        if let Some(what) = first.header().difference(other.header()) {
            return Err(MergeError::Different {
                what,
                first: first.dir(),
                second: other.dir(),
            });
        }
    }
    for pair in shards.windows(2) {
        if pair[0].index() == pair[1].index() {
            return Err(MergeError::SameShard {
                shard: pair[0].index(),
                first: pair[0].dir(),
                second: pair[1].dir(),
            });
        }
    }
    let of = first.shared.shard.1;
    let is_there = |index: &u32| shards.iter().any(|shard| shard.index() == *index);
    match (0..of).find(|index| !is_there(index)) {
        Some(shard) => Err(MergeError::Missing { shard, of }),
        None => Ok(()),
    }
}

fn joined_header(shards: &[Shard]) -> SweepHeader {
    let first = &shards[0];
    let headers = || shards.iter().map(Shard::header);
    let started_at = headers().map(|header| &header.started_at).min();
    let processes = first.shared.shard.1;
    let workers = first.header().workers.iter();
    SweepHeader {
        started_at: started_at.cloned().unwrap_or_default(),
        threads: headers().map(|h| h.threads).fold(0, u32::saturating_add),
        workers: workers.map(|own| own.saturating_mul(processes)).collect(),
        shared: Some(SharedSweep {
            parts: shards.iter().map(part).collect(),
            ..first.shared.clone()
        }),
        ..first.header().clone()
    }
}

/// Describes one process for the header of the joined sweep.
fn part(shard: &Shard) -> SweepPart {
    let header = shard.header();
    SweepPart {
        shard: shard.index(),
        command: header.command.clone(),
        machine: header.machine.clone(),
        threads: header.threads,
        workers: header.workers.clone(),
    }
}

/// Joins the records of engines, and of designs that failed.
fn engines_and_failures(shards: &[Shard]) -> Vec<SweepRecord> {
    let mut records: Vec<SweepRecord> = Vec::new();
    for shard in shards {
        for record in shard.run.records() {
            match record {
                SweepRecord::Engine(engine) => {
                    let same = |r: &SweepRecord| matches!(r, SweepRecord::Engine(e) if e.engine == engine.engine);
                    if !records.iter().any(same) {
                        records.push(record.clone());
                    }
                }
                SweepRecord::Failed { design, reason } => records.push(SweepRecord::Failed {
                    design: design.clone(),
                    reason: format!("{}: {reason}", shard.name()),
                }),
                _ => {}
            }
        }
    }
    records
}

/// Returns the figures of the server in a joined setting, which one shard has, with the workers and rows of all.
fn server_of(shards: &[Shard], joined: &Cell) -> Option<ServerWindow> {
    let processes = u32::try_from(shards.len()).unwrap_or(u32::MAX);
    let all_rows = joined.inserted.as_ref().map_or(0, |inserted| inserted.rows);
    let of_all = |window: &ServerWindow| {
        let During::Setting {
            batch_rows,
            workers,
            round,
            ..
        } = window.during
        else {
            return None;
        };
        let workers = workers.saturating_mul(processes);
        let is_it = window.design == joined.design
            && (batch_rows, workers, round) == (joined.batch_rows, joined.workers, joined.round);
        is_it.then(|| ServerWindow {
            during: During::Setting {
                batch_rows,
                workers,
                round,
                rows: all_rows,
            },
            ..window.clone()
        })
    };
    let records = shards.iter().flat_map(|shard| shard.run.records());
    let mut windows = records.filter_map(|record| match record {
        SweepRecord::Server(window) => of_all(window),
        _ => None,
    });
    windows.next()
}

fn warnings(shards: &[Shard], settings: &[Joined]) -> Vec<String> {
    let mut warnings = Vec::new();
    for shard in shards {
        warnings.extend(warnings_of(&shard.name(), shard.run.records()));
    }
    warnings.extend(joined::late(shards, settings));
    warnings
}

impl SharedRecord for SweepRecord {
    fn warning(&self) -> Option<&str> {
        match self {
            SweepRecord::Warning { message } => Some(message),
            _ => None,
        }
    }

    fn end(&self) -> Option<End> {
        match self {
            SweepRecord::Finished {
                at,
                seconds,
                peak_memory_bytes,
            } => Some(End {
                at: at.clone(),
                seconds: *seconds,
                peak_memory_bytes: *peak_memory_bytes,
            }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
