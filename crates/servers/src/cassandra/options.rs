//! What kind of server to start.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::config::Folder;
use super::node::Node;
use super::pinned::pinned;
use super::ports::Ports;
use crate::error::Result;
use crate::home::Home;
use crate::record::Owner;

pub(crate) const DEFAULT_HEAP_MIB: u64 = 2048;

/// How the files of a table are read (`disk_access_mode`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiskAccess {
    /// Indexes are mapped into memory, data are read: as Cassandra is shipped. A page of an index
    /// that is not cached makes the kernel read around it as far as the device reads ahead.
    #[default]
    MmapIndexOnly,
    /// Everything is read, so that a miss fetches little more than the pages that are asked for.
    Standard,
    /// Everything is mapped.
    Mmap,
}

impl fmt::Display for DiskAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DiskAccess::MmapIndexOnly => "mmap_index_only",
            DiskAccess::Standard => "standard",
            DiskAccess::Mmap => "mmap",
        })
    }
}

/// What kind of server to start.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    pub home: Home,
    /// The server's folder: made when it is not there, else started with the data that it holds.
    pub dir: PathBuf,
    /// The heap in MiB; no more than a quarter of the memory is taken.
    pub heap_mib: u64,
    /// The most that heap, off-heap memory and page cache may take together, in bytes; swap is not
    /// used. It needs a control group of our own.
    pub memory_limit_bytes: Option<u64>,
    /// How files are read; none is as shipped, or `Standard` with a memory limit.
    pub disk_access: Option<DiskAccess>,
    /// The ports, 0 for any that is free. None is any that are free, for a server that is to stay those
    /// of its last start if they are. A node beside the first takes them but for JMX.
    pub ports: Option<Ports>,
    /// Which node it is; see [`super::Nodes`] for starting several.
    pub node: Node,
    pub owner: Owner,
    /// What the server is called in lists and messages.
    pub name: String,
    /// The version of Cassandra.
    pub version: String,
}

impl ServerOptions {
    /// The pinned version with a heap of 2 GiB and no memory limit, owned by this process.
    ///
    /// # Errors
    /// `Refused` when `engines.toml`, which is part of the program, is malformed.
    pub fn new(home: Home, dir: impl Into<PathBuf>) -> Result<ServerOptions> {
        Ok(ServerOptions {
            home,
            dir: dir.into(),
            heap_mib: DEFAULT_HEAP_MIB,
            memory_limit_bytes: None,
            disk_access: None,
            ports: None,
            node: Node::default(),
            owner: Owner::ThisProcess,
            name: "cassandra".into(),
            version: pinned()?.version,
        })
    }

    /// The port for clients when the server of this folder ran the last time.
    pub fn earlier_port(&self) -> Option<u16> {
        let ports = Folder::existing(self.dir.clone()).earlier_ports();
        ports.map(|ports| ports.native)
    }

    pub(crate) fn chosen_disk_access(&self) -> DiskAccess {
        self.disk_access.unwrap_or(match self.memory_limit_bytes {
            Some(_) => DiskAccess::Standard,
            None => DiskAccess::default(),
        })
    }
}
