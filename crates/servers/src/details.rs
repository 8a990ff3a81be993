//! Differences between engines in the operations on a server on record.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::Result;
use crate::process::ProcessId;
use crate::{cassandra, postgres};

/// Record of a server as far as it depends on the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "engine", rename_all = "snake_case")]
pub(crate) enum Details {
    Cassandra(cassandra::Details),
    Postgres(postgres::Details),
}

impl Details {
    pub(crate) fn engine(&self) -> Engine {
        match self {
            Details::Cassandra(_) => Engine::Cassandra,
            Details::Postgres(_) => Engine::Postgres,
        }
    }

    /// Returns the address at which the server answers clients.
    pub(crate) fn address(&self) -> SocketAddr {
        match self {
            Details::Cassandra(details) => (details.node.address(), details.ports.native).into(),
            Details::Postgres(details) => (Ipv4Addr::LOCALHOST, details.port).into(),
        }
    }

    /// Returns all ports of that address that the server listens on.
    pub(crate) fn ports_at(&self, address: Ipv4Addr) -> Vec<u16> {
        match self {
            Details::Cassandra(details) => details.ports.at(details.node, address),
            Details::Postgres(details) if address == Ipv4Addr::LOCALHOST => vec![details.port],
            Details::Postgres(_) => Vec::new(),
        }
    }

    /// Returns the log of a server with that folder.
    pub(crate) fn log(&self, dir: &Path) -> PathBuf {
        match self {
            Details::Cassandra(_) => cassandra::log(dir),
            Details::Postgres(_) => postgres::log(dir),
        }
    }

    /// Stops the server with all its processes, in an orderly way if possible.
    ///
    /// # Errors
    /// Fails with `Unstoppable`.
    pub(crate) async fn stop(&self, server: ProcessId) -> Result<()> {
        match self {
            Details::Cassandra(details) => details.stop(server).await,
            Details::Postgres(details) => details.stop(server).await,
        }
    }

    /// Releases the system's resources that a server still holds after its end.
    pub(crate) fn release(&self) {
        match self {
            Details::Cassandra(details) => details.release(),
            Details::Postgres(_) => {}
        }
    }
}
