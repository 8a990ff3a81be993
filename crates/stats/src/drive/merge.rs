//! Joins the folders of processes that drove one table together.

mod joined;
mod shard;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{DriveHeader, DriveLog, DriveRecord, DriveRun, Part, Populated};
use crate::JournalError;
use crate::counts::add;
use crate::shards::{End, SharedRecord, finished, warnings_of};
use joined::{Joined, trials};
use shard::Shard;

const SECOND_NS: u64 = 1_000_000_000;

/// Reason why folders cannot be joined.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error("name at least two folders: one for each shard of a load")]
    TooFew,
    #[error(
        "{} and {} differ in {what}: only processes that were started with the same workload, \
         options and number of shards drove one load",
        first.display(), second.display()
    )]
    Different {
        what: &'static str,
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
        "{} holds a search for the highest rate: each process chose other rates, which cannot \
         be joined; drive the shards at one --rate",
        dir.display()
    )]
    Search { dir: PathBuf },
    #[error(
        "trial {trial} ({design}) of {} was over before that of {} began: the processes did not \
         drive at the same time; start them with the same --start-at",
        first.display(), second.display()
    )]
    Apart {
        trial: u32,
        design: String,
        first: PathBuf,
        second: PathBuf,
    },
    #[error(transparent)]
    Log(#[from] JournalError),
}

/// Joins loads of different shards into a folder that reports read like any other.
///
/// Seconds are aligned by the moments when trials began, histograms are added, and rates summed. A
/// trial ends when the first shard reaches its end; operations that the others did later count as
/// late. The server's figures are those that one shard saw, since all shards look at the same
/// server. A problem that leaves a usable result, such as a missing shard or clocks that differ, is
/// a warning in the joined folder.
///
/// # Errors
/// The folders are not those of one load, or cannot be read, or `out` is in use.
pub fn merge(dirs: &[PathBuf], out: &Path) -> Result<(), MergeError> {
    let mut shards = dirs
        .iter()
        .map(|dir| Ok(Shard::new(DriveRun::open(dir)?)))
        .collect::<Result<Vec<_>, JournalError>>()?;
    shards.sort_by_key(|s| s.header().shard.0);
    check(&shards)?;
    let trials = trials(&shards)?;
    let mut log = DriveLog::create(out, &joined_header(&shards))?;
    for record in tables(&shards) {
        log.append(&record)?;
    }
    for message in warnings(&shards, &trials) {
        log.append(&DriveRecord::Warning { message })?;
    }
    for trial in &trials {
        trial.write(&shards, &mut log)?;
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
    if let Some(search) = shards.iter().find(|s| s.header().objective.is_some()) {
        return Err(MergeError::Search { dir: search.dir() });
    }
    for other in others {
        if let Some(what) = difference(first.header(), other.header()) {
            return Err(MergeError::Different {
                what,
                first: first.dir(),
                second: other.dir(),
            });
        }
    }
    for pair in shards.windows(2) {
        let shard = pair[0].header().shard.0;
        if shard == pair[1].header().shard.0 {
            return Err(MergeError::SameShard {
                shard,
                first: pair[0].dir(),
                second: pair[1].dir(),
            });
        }
    }
    Ok(())
}

fn difference(a: &DriveHeader, b: &DriveHeader) -> Option<&'static str> {
    let ids = |h: &DriveHeader| -> Vec<String> { h.designs.iter().map(|d| d.id.clone()).collect() };
    [
        ("their workload", a.workload_text != b.workload_text),
        ("their seed", a.seed != b.seed),
        ("their number of rows", a.rows != b.rows),
        ("their operations", a.operations != b.operations),
        ("their designs", ids(a) != ids(b)),
        ("their schedule", a.schedule != b.schedule),
        ("how long they drove", a.seconds != b.seconds),
        ("the cluster that they drove", a.cluster != b.cluster),
        ("their keyspace", a.keyspace != b.keyspace),
        ("their --retries", a.retries != b.retries),
        ("their --time-out", a.time_out_seconds != b.time_out_seconds),
        ("their number of shards", a.shard.1 != b.shard.1),
    ]
    .into_iter()
    .find_map(|(what, differs)| differs.then_some(what))
}

fn joined_header(shards: &[Shard]) -> DriveHeader {
    let headers: Vec<&DriveHeader> = shards.iter().map(Shard::header).collect();
    let started_at = headers.iter().map(|h| &h.started_at).min();
    DriveHeader {
        started_at: started_at.cloned().unwrap_or_default(),
        threads: headers
            .iter()
            .map(|h| h.threads)
            .fold(0, u32::saturating_add),
        in_flight: headers
            .iter()
            .map(|h| h.in_flight)
            .fold(0, u32::saturating_add),
        shard: (0, 1),
        parts: headers.iter().map(|h| part(h)).collect(),
        ..headers[0].clone()
    }
}

/// Describes one process for the header of the joined load.
fn part(header: &DriveHeader) -> Part {
    Part {
        shard: header.shard.0,
        command: header.command.clone(),
        machine: header.machine.clone(),
        threads: header.threads,
        in_flight: header.in_flight,
    }
}

/// Joins the records of engines and tables, and of designs that failed.
fn tables(shards: &[Shard]) -> Vec<DriveRecord> {
    let mut records: Vec<DriveRecord> = Vec::new();
    let mut populated: BTreeMap<String, Populated> = BTreeMap::new();
    for shard in shards {
        for record in shard.run.records() {
            match record {
                DriveRecord::Engine(engine) => {
                    let same = |r: &DriveRecord| matches!(r, DriveRecord::Engine(e) if e.engine == engine.engine);
                    if !records.iter().any(same) {
                        records.push(record.clone());
                    }
                }
                DriveRecord::Footprint(_) => records.push(record.clone()),
                DriveRecord::Populated(own) => {
                    let whole = populated.entry(own.design.clone()).or_insert(Populated {
                        design: own.design.clone(),
                        rows: 0,
                        seconds: 0.0,
                    });
                    add(&mut whole.rows, own.rows);
                    whole.seconds = whole.seconds.max(own.seconds);
                }
                DriveRecord::Failed { design, reason } => records.push(DriveRecord::Failed {
                    design: design.clone(),
                    reason: format!("{}: {reason}", shard.name()),
                }),
                _ => {}
            }
        }
    }
    records.extend(populated.into_values().map(DriveRecord::Populated));
    records
}

fn warnings(shards: &[Shard], trials: &[Joined]) -> Vec<String> {
    let mut warnings = Vec::new();
    let expected = shards[0].header().shard.1;
    let there: BTreeSet<u32> = shards.iter().map(|s| s.header().shard.0).collect();
    for missing in (0..expected).filter(|index| !there.contains(index)) {
        warnings.push(format!(
            "shard {}/{expected} is missing: rates are those of the others only",
            missing + 1
        ));
    }
    for shard in shards {
        warnings.extend(warnings_of(&shard.name(), shard.run.records()));
    }
    warnings.extend(trials.iter().flat_map(|t| t.warnings(shards)));
    warnings
}

impl SharedRecord for DriveRecord {
    fn warning(&self) -> Option<&str> {
        match self {
            DriveRecord::Warning { message } => Some(message),
            _ => None,
        }
    }

    fn end(&self) -> Option<End> {
        match self {
            DriveRecord::Finished {
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
