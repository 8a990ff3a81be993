//! Checks of options, designs and rows before a drive begins.

use anyhow::{Result, bail};
use bakeoff_engines::DriveRequest;
use bakeoff_engines::registry::engine;
use bakeoff_stats::Role;
use bakeoff_workload::{DesignId, Keys, Mix, RowValues, Workload};

use super::{Drive, Load};
use crate::cmd::options::choice;

impl Drive {
    /// Returns the designs that the command line names, or else those of the workload that can be driven at all; if
    /// none can, all of them, of which the first is then refused.
    pub fn chosen_designs(&self, workload: &Workload) -> Result<Vec<DesignId>> {
        let all = choice::designs(workload, &self.designs)?;
        let can_be = |id: &DesignId| engine(id).is_ok_and(|of| of.check_operations(id).is_ok());
        let driven: Vec<DesignId> = all.iter().filter(|id| can_be(id)).cloned().collect();
        let is_default = self.designs.is_empty() && !driven.is_empty();
        Ok(if is_default { driven } else { all })
    }

    /// Says which designs of the workload are left out, since they are never driven and the command line names none.
    pub fn left_out(&self, workload: &Workload, driven: &[DesignId]) -> Option<String> {
        let left_out = { workload.designs.iter() }.filter(|id| !driven.contains(id));
        let left_out: Vec<String> = left_out.map(DesignId::to_string).collect();
        let is_told = self.designs.is_empty() && !left_out.is_empty();
        is_told.then(|| {
            format!(
                "designs that take no single operations are not driven: {}",
                left_out.join(", ")
            )
        })
    }

    /// Refuses to drive a cluster that others may depend on as fast as it goes.
    pub fn check_rate(&self) -> Result<()> {
        if self.rate.is_some() || self.dry_run || self.limit()?.is_none() {
            return Ok(());
        }
        bail!(
            "without --rate the server is driven as fast as it goes, and others may depend on it: give a \
             --rate that it can spare or, if nobody does, say --rate-limit none"
        )
    }

    /// Checks that the engines can drive these designs with this mix and the options that not all of them take, before
    /// anything is made.
    pub fn check_operations(
        &self,
        workload: &Workload,
        mix: &Mix,
        designs: &[DesignId],
        keys_repeat: bool,
    ) -> Result<()> {
        let options = self.options_beyond_loads();
        let request = DriveRequest {
            keys_repeat,
            retries: self.retries,
            threads: u32::from(self.threads),
            options: &options,
            ..DriveRequest::plain(workload, mix)
        };
        for id in designs {
            let engine = engine(id)?;
            engine.check_operations(id)?;
            engine.check_drive(id, &request)?;
        }
        Ok(())
    }

    /// Returns the options that are given by which a drive does more than to fill a table and offer loads to it.
    fn options_beyond_loads(&self) -> Vec<&'static str> {
        let all = [
            ("--shard", !self.shard.is_whole()),
            ("--passes", !self.passes.is_empty()),
            ("--beside", self.beside.is_given()),
            ("--add-node-after", self.added_node.after().is_some()),
            ("--nodetool", self.hosts.nodetool.is_given()),
            ("--metrics", self.hosts.metrics.is_given()),
            ("--keyspace", self.keyspace.is_some()),
        ];
        let given = all.into_iter().filter(|(_, is_given)| *is_given);
        given.map(|(option, _)| option).collect()
    }

    /// Refuses passes of a part of the rows, which would be none through all, and shards of so many operations or
    /// with questions beside.
    pub fn check_whole(&self, load: &Load) -> Result<()> {
        if load.passes.is_some() && !self.shard.is_whole() {
            bail!(
                "--shard {}: a pass goes through all rows: leave --shard out, and give it more --threads",
                self.shard
            );
        }
        if self.operations.is_some() && !self.shard.is_whole() {
            bail!(
                "--shard {}: they would end at different times: give all the same --for, not --operations",
                self.shard
            );
        }
        if self.beside.is_given() && !self.shard.is_whole() {
            bail!(
                "--shard {}: questions beside a load are asked by one process: leave --shard out, and give it more \
                 --threads",
                self.shard
            );
        }
        Ok(())
    }

    /// Refuses a start in the past: rows take time to load, and a late load would be refused anyway.
    pub fn check_start(&self) -> Result<()> {
        let late = self.start_at.and_then(|at| at.elapsed().ok());
        match late {
            Some(late) => bail!(
                "--start-at was {} s ago: choose a time that leaves enough to load the rows",
                late.as_secs()
            ),
            None => Ok(()),
        }
    }

    /// Checks that several processes that drive one table will find the same one.
    pub fn check_sharing(&self, designs: &[DesignId]) -> Result<()> {
        let holds_rows = |d: &&DesignId| engine(d).is_ok_and(|e| e.role() != Role::Sink);
        match designs.iter().find(holds_rows) {
            Some(design) if !self.shard.is_whole() && self.keyspace.is_none() => bail!(
                "--shard {}: all shards have to find the table of {design}; name the cluster with \
                 --cassandra and a keyspace with --keyspace",
                self.shard
            ),
            _ if self.shard.is_whole() => Ok(()),
            _ if designs.len() > 1 || self.rounds() > 1 || self.within.is_some() => bail!(
                "--shard {}: all shards have to drive the same load at the same time: name one \
                 design with --design, for one round and without --within",
                self.shard
            ),
            Some(_) if !self.no_load && self.start_at.is_none() => bail!(
                "--shard {}: give all shards the same start with --start-at; they also recognise \
                 by it the table that shard 1 makes for them",
                self.shard
            ),
            _ => Ok(()),
        }
    }
}

/// Checks that there are rows left to insert: a data file can replace a generator that never ends.
pub fn check_new_rows(mix: &Mix, values: &dyn RowValues, loaded: u64) -> Result<()> {
    let inserts = mix.operations.iter().find(|o| o.keys == Keys::New);
    match (inserts, values.rows()) {
        (Some(operation), Some(rows)) if rows <= loaded => bail!(
            "operation {} inserts new rows, but the data has only {rows} rows, all of them \
             loaded: leave --data out, or choose other keys for it",
            operation.name
        ),
        _ => Ok(()),
    }
}

/// Returns whether two rows that are loaded or inserted may have the same key, whichever of them is stored in the end.
pub fn keys_repeat(mix: &Mix, values: &dyn RowValues, loaded: u64) -> bool {
    let inserts_new = mix.operations.iter().any(|o| o.keys == Keys::New);
    let rows = if inserts_new { u64::MAX } else { loaded };
    values.keys_repeat(rows, false)
}
