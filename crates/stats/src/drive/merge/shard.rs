//! Reads a folder that is to be joined.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::SECOND_NS;
use crate::drive::{
    DriveHeader, DriveRecord, DriveRun, SecondCounts, ServerSample, TrialEnd, TrialStart,
};

/// One folder of several that are joined.
pub struct Shard {
    pub run: DriveRun,
    /// Trials in the order in which they were driven.
    pub trials: Vec<ShardTrial>,
}

pub struct ShardTrial {
    pub start: TrialStart,
    pub end: Option<TrialEnd>,
    pub seconds: BTreeMap<u32, SecondCounts>,
}

impl Shard {
    pub fn new(run: DriveRun) -> Shard {
        let mut trials: Vec<ShardTrial> = Vec::new();
        for record in run.records() {
            match record {
                DriveRecord::TrialStarted(start) => trials.push(ShardTrial {
                    start: start.clone(),
                    end: None,
                    seconds: BTreeMap::new(),
                }),
                DriveRecord::Second(counts) => {
                    let own = trials.iter_mut().find(|t| t.start.trial == counts.trial);
                    if let Some(trial) = own {
                        trial.seconds.insert(counts.second, counts.clone());
                    }
                }
                DriveRecord::TrialEnded(end) => {
                    if let Some(trial) = trials.iter_mut().find(|t| t.start.trial == end.trial) {
                        trial.end = Some(end.clone());
                    }
                }
                _ => {}
            }
        }
        Shard { run, trials }
    }

    pub fn header(&self) -> &DriveHeader {
        self.run.header()
    }

    pub fn dir(&self) -> PathBuf {
        self.run.dir().to_owned()
    }

    pub fn name(&self) -> String {
        let (index, of) = self.header().shard;
        format!("shard {}/{of}", index + 1)
    }

    pub fn trial(&self, design: &str, round: u32) -> Option<&ShardTrial> {
        let mut trials = self.trials.iter();
        trials.find(|t| t.start.design == design && t.start.round == round)
    }
}

impl ShardTrial {
    /// Returns the end of the last second on record, in nanoseconds since 1970.
    pub fn ends_at_ns(&self) -> u64 {
        let seconds = self.seconds.keys().last().map_or(0, |s| u64::from(*s) + 1);
        self.start.started_at_ns + seconds * SECOND_NS
    }

    /// Returns the number of the server's values that the shard saw.
    pub fn seen(&self) -> usize {
        self.seconds.values().map(|s| known_values(&s.server)).sum()
    }
}

fn known_values(sample: &ServerSample) -> usize {
    usize::from(sample.cpu_seconds.is_some())
        + usize::from(sample.disk_read_bytes.is_some())
        + usize::from(sample.gc_count.is_some())
        + usize::from(sample.pending_compactions.is_some())
        + usize::from(sample.read_p99_micros.is_some())
        + usize::from(sample.database.is_some())
}
