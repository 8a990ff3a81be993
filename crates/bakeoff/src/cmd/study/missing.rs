//! Says which designs of a step cannot be measured on this machine, and what to install for them.

use std::collections::BTreeMap;

use anyhow::Result;
use bakeoff_engines::registry::engine;
use bakeoff_workload::DesignId;
use tokio::runtime::Runtime;

use crate::cmd::small_runtime;

/// What layouts need and this machine does not have. Each layout is looked at once for all steps.
pub struct Missing {
    runtime: Runtime,
    /// The first need that is not met, by engine and layout; `None` if there is none.
    known: BTreeMap<(String, Option<String>), Option<String>>,
}

impl Missing {
    /// Begins without any layout.
    ///
    /// # Errors
    /// Fails if the system gives no threads.
    pub fn new() -> Result<Missing> {
        Ok(Missing {
            runtime: small_runtime()?,
            known: BTreeMap::new(),
        })
    }

    /// Returns a line for each thing that is missing for designs, with what to install and the designs. Nothing is
    /// started.
    ///
    /// # Errors
    /// Fails for a design on an engine that does not exist.
    pub fn for_designs(&mut self, designs: &[DesignId]) -> Result<Vec<String>> {
        let mut of_reason: Vec<(String, Vec<String>)> = Vec::new();
        for id in designs {
            let Some(reason) = self.for_design(id)? else {
                continue;
            };
            match of_reason.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, ids)) => ids.push(id.to_string()),
                None => of_reason.push((reason, vec![id.to_string()])),
            }
        }
        let lines = of_reason.into_iter();
        Ok(lines
            .map(|(reason, ids)| format!("cannot be measured here: {}: {reason}", ids.join(", ")))
            .collect())
    }

    fn for_design(&mut self, id: &DesignId) -> Result<Option<String>> {
        let layout = (id.engine.clone(), id.layout.clone());
        if let Some(known) = self.known.get(&layout) {
            return Ok(known.clone());
        }
        let survey = self.runtime.block_on(engine(id)?.survey_design(id));
        let reason = survey.verdict().err().map(str::to_owned);
        self.known.insert(layout, reason.clone());
        Ok(reason)
    }
}
