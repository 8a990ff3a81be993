//! Bounds on the memory and the disk of one server.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::disk_limit::DiskLimit;
use super::group::Group;
use super::memory::MemoryLimit;
use crate::error::Result;

/// The bounds that a server was started with, each with its control group.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Limits {
    #[serde(default, rename = "memory_limit")]
    pub(super) memory: Option<MemoryLimit>,
    #[serde(default, rename = "disk_limit")]
    pub(super) disk: Option<DiskLimit>,
}

impl Limits {
    /// Creates the control groups of this name that bound a server with this folder to so many bytes of
    /// memory, and of its disk in a second.
    ///
    /// # Errors
    /// Fails with `NoMemoryLimit` or `NoDiskLimit` if the system does not permit them.
    pub(super) fn create(
        name: &str,
        folder: &Path,
        memory_bytes: Option<u64>,
        disk_read_bytes_per_second: Option<u64>,
    ) -> Result<Limits> {
        let memory = memory_bytes
            .map(|bytes| MemoryLimit::create(name, bytes))
            .transpose()?;
        let mut limits = Limits { memory, disk: None };
        if let Some(bytes) = disk_read_bytes_per_second {
            let disk = DiskLimit::create(name, bytes, folder, limits.memory.as_ref());
            limits.disk = Some(disk.inspect_err(|_| limits.groups().for_each(Group::remove))?);
        }
        Ok(limits)
    }

    pub(super) fn groups(&self) -> impl Iterator<Item = &Group> {
        let memory = self.memory.iter().map(|limit| &limit.group);
        memory.chain(self.disk.iter().map(|limit| &limit.group))
    }
}
