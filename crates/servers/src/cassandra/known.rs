//! The login of a server that another command started.

use std::net::SocketAddr;

use super::credentials::Login;
use super::folder::Folder;
use crate::engine::Engine;
use crate::home::Home;
use crate::record::list;

/// Returns the login of the Cassandra on record that answers at this address; `None` if there is none,
/// or if another user started it.
pub fn login_at(home: &Home, address: SocketAddr) -> Option<Login> {
    let servers = list(home).ok()?;
    let server = servers.into_iter().find(|server| {
        server.engine == Engine::Cassandra && server.alive && server.address == address
    })?;
    Folder::existing(server.dir).login().ok()
}
