//! Record of a PostgreSQL as far as it differs from other engines.

use std::time::Duration;

use rustix::process::Signal;
use serde::{Deserialize, Serialize};

use super::children::kill_children;
use crate::error::Result;
use crate::process::ProcessId;

/// Longest time that a server may take to end its sessions and write its buffers.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest time of that for a server that is dropped, before it is aborted and recovers at its next
/// start.
const DROP_PATIENCE: Duration = Duration::from_secs(5);
const ABORT_PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Details {
    pub(crate) port: u16,
    /// A random name that is in the titles of all its processes but the first.
    pub(super) cluster: String,
}

impl Details {
    pub(crate) async fn stop(&self, server: ProcessId) -> Result<()> {
        let cluster = self.cluster.clone();
        tokio::task::spawn_blocking(move || stop_within(PATIENCE, server, &cluster))
            .await
            .unwrap_or_else(|_| server.check_ended())
    }

    pub(super) fn stop_soon(&self, server: ProcessId) -> Result<()> {
        stop_within(DROP_PATIENCE, server, &self.cluster)
    }
}

fn stop_within(patience: Duration, server: ProcessId, cluster: &str) -> Result<()> {
    server.end_group_blocking(&[(Signal::INT, patience), (Signal::QUIT, ABORT_PATIENCE)])?;
    kill_children(cluster)
}
