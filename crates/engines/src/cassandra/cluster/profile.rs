//! Recordings of the methods that nodes run, where Bakeoff started them and somebody asked for it.

use bakeoff_driver::DesignError;
use bakeoff_stats::Stacks;

use super::deployment::Deployment;

impl Deployment {
    /// Begins to record which methods the nodes run; returns `false` where nobody asked for it.
    pub async fn begin_profile(&self) -> Result<bool, DesignError> {
        let Some(nodes) = self.server.as_ref().filter(|_| self.records_profiles) else {
            return Ok(false);
        };
        let begun = nodes.begin_recording().await;
        begun.map_err(|error| DesignError::new(error.to_string()))?;
        Ok(true)
    }

    /// Ends a recording, and returns the stacks of all nodes together.
    pub async fn end_profile(&self) -> Result<Stacks, DesignError> {
        let Some(nodes) = &self.server else {
            return Ok(Stacks::default());
        };
        let stacks = nodes.end_recording().await;
        let stacks = stacks.map_err(|error| DesignError::new(error.to_string()))?;
        Ok(stacks.into())
    }
}
