//! What differs from one engine to the other in what is done to any server on record.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::process::ProcessId;
use crate::{cassandra, postgres};

/// What a server is a server of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Cassandra,
    Postgres,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Cassandra => "Cassandra",
            Engine::Postgres => "PostgreSQL",
        })
    }
}

/// What is on record of a server beside what all have in common.
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

    /// Where it answers clients.
    pub(crate) fn address(&self) -> SocketAddr {
        match self {
            Details::Cassandra(details) => (details.node.address(), details.ports.native).into(),
            Details::Postgres(details) => (Ipv4Addr::LOCALHOST, details.port).into(),
        }
    }

    /// All ports that it takes on that address.
    pub(crate) fn ports_at(&self, address: Ipv4Addr) -> Vec<u16> {
        match self {
            Details::Cassandra(details) => details.ports.at(details.node, address),
            Details::Postgres(details) if address == Ipv4Addr::LOCALHOST => vec![details.port],
            Details::Postgres(_) => Vec::new(),
        }
    }

    /// The log of a server with that folder.
    pub(crate) fn log(&self, dir: &Path) -> PathBuf {
        match self {
            Details::Cassandra(_) => cassandra::log(dir),
            Details::Postgres(_) => postgres::log(dir),
        }
    }

    /// Ends the server with all its processes, in order if it lets us.
    ///
    /// # Errors
    /// `Unstoppable`.
    pub(crate) async fn stop(&self, server: ProcessId) -> Result<()> {
        match self {
            Details::Cassandra(details) => details.stop(server).await,
            Details::Postgres(details) => details.stop(server).await,
        }
    }

    /// Gives back what a server that has ended still holds of the system.
    pub(crate) fn release(&self) {
        match self {
            Details::Cassandra(details) => details.release(),
            Details::Postgres(_) => {}
        }
    }
}
