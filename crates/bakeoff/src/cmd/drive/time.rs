//! Says which designs are loaded, with which options, and how long that lasts, as far as it is known before they are.

use std::time::Duration;

use anyhow::Result;
use bakeoff_engines::{Context, OptionGroup};
use bakeoff_workload::{DesignId, Mix, RowSource, Workload};

use super::{Drive, Load};
use crate::cmd::measure::preview::{Preview, row_bytes};
use crate::cmd::options::nodes::given;
use crate::cmd::run::Servers;
use crate::exit::Misuse;
use crate::progress;

impl Drive {
    /// Returns the same loads for a decision, on servers of the user's.
    pub fn for_decision(mut self, servers: Servers) -> Drive {
        self.is_for_decision = true;
        self.cluster = servers.cluster;
        self.postgres.servers = servers.postgres;
        self.rate_limit = servers.rate_limit;
        self
    }

    /// Returns the option that names a server of the user's, if there is one.
    pub fn server(&self) -> Option<&'static str> {
        let postgres = self.postgres.servers.option();
        self.cluster.option().or(postgres)
    }

    /// Returns the designs that are loaded, those that answer questions beside the loads included.
    ///
    /// # Errors
    /// Fails with a misuse if there are none.
    pub fn designs(&self, workload: &Workload) -> Result<Vec<DesignId>> {
        let mut designs = self.chosen_designs(workload)?;
        let answering = self.beside.designs(workload, &designs);
        designs.extend(answering.map_err(Misuse::new)?);
        Ok(designs)
    }

    /// Checks that each option is for at least one of the designs.
    ///
    /// # Errors
    /// Fails with a misuse for one that would be ignored.
    pub fn check_use(&self, designs: &[DesignId]) -> Result<()> {
        let mut given = given(&self.cluster, &self.nodes, self.consistency);
        self.profile.add_given(&mut given);
        self.postgres.add_given(&mut given);
        given.check(designs)
    }

    /// Returns how long the loads of all designs and rounds last together; `None` for a search, for passes and for
    /// a number of operations, whose length is not known.
    ///
    /// # Errors
    /// Fails for options that the command would refuse.
    pub fn time_of_loads(&self, workload: &Workload) -> Result<Option<Duration>> {
        let Some(mix) = &workload.mix else {
            return Ok(None);
        };
        let load = Load::new(self, mix)?;
        let designs = self.chosen_designs(workload)?;
        let others = self.beside.designs(workload, &designs);
        let others = others.map_err(Misuse::new)?.len();
        let loads_of_a_round = self.beside.loads_of_a_round(others);
        let loads = designs.len() as u32 * self.rounds() * loads_of_a_round;
        let all = load.duration.saturating_mul(loads);
        let is_known =
            load.objective.is_none() && load.passes.is_none() && !load.schedule.ends_by_itself();
        Ok(is_known.then_some(all))
    }

    /// Says how much a server of the user's would get, of the rows that are loaded and of the load.
    ///
    /// # Errors
    /// Fails if rows cannot be read, and for options that the command would refuse.
    pub fn preview(
        &self,
        workload: &Workload,
        (designs, rows): (&[DesignId], u64),
        source: &dyn RowSource,
        context: &Context,
    ) -> Result<Vec<String>> {
        let servers = vec![
            (self.cluster.option(), OptionGroup::Cassandra),
            (self.postgres.servers.option(), OptionGroup::Postgres),
        ];
        let time = self.time_of_loads(workload)?;
        let mut then: Vec<(&'static str, String)> = Vec::new();
        if let (Some(rate), Some(time), Some(mix)) = (&self.rate, time, &workload.mix) {
            let text = format!(
                "{rate} operations/s (--rate), {:.0}% of them writes, for {} in all",
                100.0 * share_of_writes(mix),
                progress::time(time)
            );
            then.push(("load", text));
        } else {
            let text = "operations as fast as the server takes them, which need --rate-limit none";
            then.push(("load", text.to_owned()));
        }
        let loaded = if self.no_load { 0 } else { rows };
        let preview = Preview {
            row_bytes: row_bytes(&servers, source, workload.table.columns.len())?,
            servers,
            designs,
            rows: Some(loaded),
            work: 1.0 / f64::from(self.shard.of.max(1)),
            context,
            then,
        };
        Ok(preview.lines())
    }
}

/// Returns the share of the operations of a mix that write, from 0 to 1.
fn share_of_writes(mix: &Mix) -> f64 {
    let all: f64 = mix
        .operations
        .iter()
        .map(|operation| operation.weight)
        .sum();
    let writes = mix.operations.iter().filter(|o| o.action.writes());
    writes.map(|operation| operation.weight).sum::<f64>() / all
}
