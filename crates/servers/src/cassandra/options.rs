//! Options of a server to be started.

use std::path::PathBuf;

use super::credentials::Login;
use super::disk_access::DiskAccess;
use super::folder::Folder;
use super::node::Node;
use super::pinned::pinned_of;
use super::ports::Ports;
use super::release::Release;
use super::tuning::Tuning;
use crate::error::Result;
use crate::home::Home;
use crate::record::Owner;

pub(crate) const DEFAULT_HEAP_MIB: u64 = 2048;

/// Options of a server to be started.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    pub home: Home,
    /// The server's folder, which is created, or whose data it is started with.
    pub dir: PathBuf,
    /// The heap in MiB; at most a quarter of the memory is taken.
    pub heap_mib: u64,
    /// The most bytes that heap, off-heap memory and page cache may take together; swap is not
    /// used. Such a limit needs a control group.
    pub memory_limit_bytes: Option<u64>,
    /// The most bytes that it may read from the disk in a second. Such a limit needs a control group.
    pub disk_read_bytes_per_second: Option<u64>,
    /// Method of reading files; `None` means as shipped, or `Standard` with a limit of memory or the disk.
    pub disk_access: Option<DiskAccess>,
    /// Whether CQL may make functions, whose code runs in the server.
    pub functions: bool,
    /// Whether a write is acknowledged only once the commit log that has it is on the disk. Otherwise
    /// a server that is killed may lose what it has acknowledged just before.
    pub syncs_writes: bool,
    /// Settings of Cassandra and of its JVM in place of Bakeoff's own.
    pub tuning: Tuning,
    /// The ports, with 0 for any free port. `None` means free ports, but for a server that is to be
    /// kept those of its last start if they are free. A node other than the first uses all of them
    /// but JMX.
    pub ports: Option<Ports>,
    /// The server's position in its cluster; see [`super::Nodes`] for starting several.
    pub node: Node,
    pub owner: Owner,
    /// The server's name in lists and messages.
    pub name: String,
    /// The version of Cassandra.
    pub version: String,
    /// Number of nodes that are to be added to the cluster later, for which memory is left; see [`super::Nodes::add`].
    pub later_nodes: u8,
    /// Whether it joins a cluster that has data, of which it gets its share before it answers.
    pub(crate) joins: bool,
    /// The login of the cluster that it is a node of; `None` means that of its last start or a new one.
    pub(crate) login: Option<Login>,
}

impl ServerOptions {
    /// Makes options for the pinned version of 5.0 with a heap of 2 GiB and no limits, owned by this
    /// process.
    ///
    /// # Errors
    /// The errors of [`ServerOptions::of`].
    pub fn new(home: Home, dir: impl Into<PathBuf>) -> Result<ServerOptions> {
        ServerOptions::of(Release::Five, home, dir)
    }

    /// Makes the same options for the pinned version of a release.
    ///
    /// # Errors
    /// Fails with `Refused` when `engines.toml`, which is part of the program, is malformed.
    pub fn of(release: Release, home: Home, dir: impl Into<PathBuf>) -> Result<ServerOptions> {
        Ok(ServerOptions {
            home,
            dir: dir.into(),
            heap_mib: DEFAULT_HEAP_MIB,
            memory_limit_bytes: None,
            disk_read_bytes_per_second: None,
            disk_access: None,
            functions: false,
            syncs_writes: false,
            tuning: Tuning::default(),
            ports: None,
            node: Node::default(),
            owner: Owner::ThisProcess,
            name: "cassandra".into(),
            version: pinned_of(release)?.version,
            later_nodes: 0,
            joins: false,
            login: None,
        })
    }

    /// Returns the release of its version.
    pub fn release(&self) -> Release {
        Release::of(&self.version)
    }

    /// Returns the port for clients of the last run in this folder.
    pub fn earlier_port(&self) -> Option<u16> {
        let ports = Folder::existing(self.dir.clone()).earlier_ports();
        ports.map(|ports| ports.native)
    }

    pub(crate) fn chosen_disk_access(&self) -> DiskAccess {
        self.disk_access.unwrap_or(if self.is_limited() {
            DiskAccess::Standard
        } else {
            DiskAccess::default()
        })
    }

    /// Returns whether memory or the disk is bounded, so that what the system caches matters.
    pub(crate) fn is_limited(&self) -> bool {
        self.memory_limit_bytes.is_some() || self.disk_read_bytes_per_second.is_some()
    }
}
