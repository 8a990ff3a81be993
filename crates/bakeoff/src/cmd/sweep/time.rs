//! Says which designs are swept, with which options, and how long that lasts, as far as it is known before they are.

use std::time::Duration;

use anyhow::Result;
use bakeoff_driver::sweep::Grid;
use bakeoff_engines::{Context, OptionGroup};
use bakeoff_workload::{DesignId, RowSource, Workload};

use super::{Sweep, check};
use crate::cmd::measure::preview::{Preview, row_bytes};
use crate::cmd::options::nodes::given;
use crate::progress;

impl Sweep {
    /// Returns the designs that are swept.
    ///
    /// # Errors
    /// Fails with a misuse for designs that the command would refuse.
    pub fn designs(&self, workload: &Workload) -> Result<Vec<DesignId>> {
        Ok(check::designs(workload, &self.designs)?.0)
    }

    /// Checks that each option is for at least one of the designs.
    ///
    /// # Errors
    /// Fails with a misuse for one that would be ignored.
    pub fn check_use(&self, designs: &[DesignId]) -> Result<()> {
        let mut given = given(&self.cluster, &self.nodes, self.consistency);
        self.postgres.add_given(&mut given);
        given.check(designs)
    }

    /// Returns how long all settings of all designs and rounds insert and warm up together.
    ///
    /// # Errors
    /// Fails for designs that the command would refuse.
    pub fn time_of_settings(&self, workload: &Workload) -> Result<Option<Duration>> {
        let designs = self.designs(workload)?;
        let settings = Grid::new(&self.batches, &self.workers).settings().len();
        let all = (designs.len() * settings) as u32 * self.rounds;
        Ok(Some((self.length + self.warm_up).saturating_mul(all)))
    }

    /// Says how much a server of the user's would get.
    ///
    /// # Errors
    /// Fails if rows cannot be read, and for designs that the command would refuse.
    pub fn preview(
        &self,
        workload: &Workload,
        designs: &[DesignId],
        source: &dyn RowSource,
        context: &Context,
    ) -> Result<Vec<String>> {
        let servers = vec![
            (self.cluster.option(), OptionGroup::Cassandra),
            (self.postgres.option(), OptionGroup::Postgres),
        ];
        let time = self.time_of_settings(workload)?.unwrap_or_default();
        let preview = Preview {
            row_bytes: row_bytes(&servers, source, workload.table.columns.len())?,
            servers,
            designs,
            rows: None,
            work: 1.0,
            context,
            then: vec![("time", format!("{} for all settings", progress::time(time)))],
        };
        Ok(preview.lines())
    }
}
