//! What nodes are asked around a load: recordings of the methods that they run, where Bakeoff started them and somebody
//! asked for it, and read repairs.

use bakeoff_driver::{DesignError, NodeCounts};
use bakeoff_stats::Stacks;

use super::deployment::Deployment;
use super::on_nodes::OnNodes;

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

    /// Counts the read repairs of each of several nodes since it started; `None` of one node, and where nodetool cannot
    /// be called or fails.
    pub async fn read_repairs(&self) -> Option<NodeCounts> {
        if self.nodes() < 2 {
            return None;
        }
        OnNodes::of(self)?.read_repairs().await.ok()
    }
}
