//! Checks and describes a sweep that several processes make together.

use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Result, bail};
use bakeoff_driver::sweep::Together;
use bakeoff_engines::registry::engine;
use bakeoff_stats::sweep::{SharedSweep, SweepHeader};
use bakeoff_workload::DesignId;

use super::Sweep;

/// Time between two settings unless another one is asked for.
const PAUSE: Duration = Duration::from_secs(10);

impl Sweep {
    /// Checks that several processes will find the same tables, and begin together.
    ///
    /// # Errors
    /// Fails for options that do not fit together, or a start in the past.
    pub fn check_sharing(&self, designs: &[DesignId]) -> Result<()> {
        if self.shard.is_whole() {
            if self.start_at.is_some() || self.pause.is_some() {
                bail!(
                    "--start-at and --pause are for a sweep that several processes make together: give each of \
                     them its --shard, for example 1/2"
                );
            }
            return Ok(());
        }
        for design in designs {
            if !engine(design)?.shares_tables() {
                bail!(
                    "--shard {}: several processes cannot fill one table of {design}: name other designs with \
                     --designs, for example cassandra/wide",
                    self.shard
                );
            }
        }
        if self.keyspace.is_none() {
            bail!(
                "--shard {}: all shards have to find the same tables; name the cluster with --cassandra and a \
                 keyspace with --keyspace",
                self.shard
            );
        }
        match self.start_at {
            None => bail!(
                "--shard {}: give all shards the same start with --start-at; they also recognise by it the tables \
                 that shard 1 makes for them",
                self.shard
            ),
            Some(start) => match start.elapsed() {
                Ok(late) => bail!(
                    "--start-at was {} s ago: choose a time that leaves all shards enough to connect",
                    late.as_secs()
                ),
                Err(_) => Ok(()),
            },
        }
    }

    /// Returns the place of this process among those that sweep together; `None` if it sweeps alone.
    pub fn shared(&self) -> Option<SharedSweep> {
        let start_at = self.start_at.filter(|_| !self.shard.is_whole())?;
        let since_1970 = start_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(SharedSweep {
            shard: (self.shard.index, self.shard.of),
            start_at_ms: u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX),
            pause_seconds: self.pause.unwrap_or(PAUSE).as_secs_f64(),
            cluster: self.cluster.cassandra.clone(),
            keyspace: self.keyspace.clone(),
            consistency: self.consistency.map(|level| level.to_string()),
            parts: Vec::new(),
        })
    }

    /// Returns what all processes of the sweep have in common; `None` if this one sweeps alone.
    pub fn together(&self, header: &SweepHeader) -> Option<Together> {
        let start_at = self.start_at.filter(|_| !self.shard.is_whole())?;
        Some(Together {
            start_at,
            pause: self.pause.unwrap_or(PAUSE),
            header: header.clone(),
        })
    }

    /// Says which part of the sweep this process has, as the end of a sentence.
    pub fn part_in_words(&self) -> String {
        if self.shard.is_whole() {
            return String::new();
        }
        format!(
            ", together with {} at the same moments; this is shard {}",
            match self.shard.of - 1 {
                1 => "another process".to_owned(),
                others => format!("{others} other processes"),
            },
            self.shard
        )
    }
}
