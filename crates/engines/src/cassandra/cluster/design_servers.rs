//! What nodes are asked for any design: the CPU time of those that Bakeoff started, recordings of the methods that they
//! run, where somebody asked for it, and read repairs.

use async_trait::async_trait;
use bakeoff_driver::{DesignError, DesignServers, NodeCounts};
use bakeoff_stats::Stacks;

use super::deployment::Deployment;
use super::on_nodes::OnNodes;

#[async_trait]
impl DesignServers for Deployment {
    fn cpu_seconds(&self) -> Option<f64> {
        self.server.as_ref()?.cpu_seconds().ok()
    }

    /// Counts the read repairs of each of several nodes since it started; `None` of one node, and where nodetool cannot
    /// be called or fails.
    async fn read_repairs(&self) -> Option<NodeCounts> {
        if Deployment::nodes(self) < 2 {
            return None;
        }
        OnNodes::of(self)?.read_repairs().await.ok()
    }

    /// Begins to record which methods the nodes run; returns `false` where nobody asked for it.
    async fn begin_profile(&self) -> Result<bool, DesignError> {
        let Some(nodes) = self.server.as_ref().filter(|_| self.records_profiles) else {
            return Ok(false);
        };
        let begun = nodes.begin_recording().await;
        begun.map_err(|error| DesignError::new(error.to_string()))?;
        Ok(true)
    }

    /// Ends a recording, and returns the stacks of all nodes together.
    async fn end_profile(&self) -> Result<Stacks, DesignError> {
        let Some(nodes) = &self.server else {
            return Ok(Stacks::default());
        };
        let stacks = nodes.end_recording().await;
        let stacks = stacks.map_err(|error| DesignError::new(error.to_string()))?;
        Ok(stacks.into())
    }

    fn nodes(&self) -> u32 {
        Deployment::nodes(self)
    }

    fn dead(&self) -> Option<String> {
        Deployment::dead(self)
    }
}
