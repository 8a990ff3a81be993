//! Computes how long loads last, as far as that is known before they begin.

use std::time::Duration;

use anyhow::Result;
use bakeoff_workload::Workload;

use super::{Drive, Load};
use crate::cmd::options::choice;

impl Drive {
    /// Returns how long the loads of all designs and rounds last together; `None` for a search and for passes, whose
    /// length is not known.
    ///
    /// # Errors
    /// Fails for options that the command would refuse.
    pub fn time_of_loads(&self, workload: &Workload) -> Result<Option<Duration>> {
        let Some(mix) = &workload.mix else {
            return Ok(None);
        };
        let load = Load::new(self, mix)?;
        let designs = choice::designs(workload, &self.designs)?.len() as u32;
        let all = load.duration.saturating_mul(designs * self.rounds);
        let is_known = load.objective.is_none() && load.passes.is_none();
        Ok(is_known.then_some(all))
    }
}
