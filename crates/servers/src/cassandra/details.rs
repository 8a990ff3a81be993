//! Record of a Cassandra as far as it differs from other engines.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::config::Chosen;
use super::disk_access::DiskAccess;
use super::group::Group;
use super::limits::Limits;
use super::node::Node;
use super::ports::Ports;
use super::release::Release;
use super::runs_as::RunsAs;
use super::tuning::Tuning;
use crate::error::Result;
use crate::process::ProcessId;

/// Longest time that a server may take to end by itself.
const STOP_PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Details {
    pub(super) java: PathBuf,
    pub(super) java_version: String,
    pub(super) heap_mib: u64,
    #[serde(flatten)]
    pub(super) limits: Limits,
    #[serde(default)]
    pub(super) disk_access: DiskAccess,
    #[serde(default)]
    pub(super) functions: bool,
    #[serde(default)]
    pub(super) syncs_writes: bool,
    #[serde(default)]
    pub(super) tuning: Tuning,
    pub(crate) ports: Ports,
    #[serde(default)]
    pub(crate) node: Node,
    #[serde(default)]
    pub(super) runs_as: RunsAs,
}

impl Details {
    /// Returns the settings that were chosen when it was started, of that release.
    pub(super) fn chosen(&self, release: Release) -> Chosen {
        Chosen {
            release,
            functions: self.functions,
            syncs_writes: self.syncs_writes,
            joins: false,
            tuning: self.tuning.clone(),
        }
    }

    pub(crate) async fn stop(&self, server: ProcessId) -> Result<()> {
        server.stop_group(STOP_PATIENCE).await
    }

    /// Removes the control groups of a server that has ended.
    pub(crate) fn release(&self) {
        self.limits.groups().for_each(Group::remove);
    }
}
