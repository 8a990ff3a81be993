//! Options of a server to be started.

use std::path::PathBuf;

use super::primary::Primary;
use crate::home::Home;
use crate::record::Owner;

const MAX_CONNECTIONS: u32 = 100;

/// Options of a server to be started.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    pub home: Home,
    /// The server's folder, which is created, or whose data it is started with.
    pub dir: PathBuf,
    /// The folder of the server's programs; `None` leaves the search to [`super::find_postgres`],
    /// or to [`super::find_timescale`] if TimescaleDB is wanted.
    pub bin_dir: Option<PathBuf>,
    /// Whether TimescaleDB is loaded, so that `CREATE EXTENSION timescaledb` works.
    pub timescale: bool,
    pub max_connections: u32,
    /// The port on 127.0.0.1; `None` means any free port.
    pub port: Option<u16>,
    /// The number of standbys that a primary is to have or, of a standby, that its primary has: all of them share
    /// the machine's memory and disk.
    pub standbys: u8,
    /// The primary that the server is a standby of; `None` for a primary, and for a server without standbys.
    pub primary: Option<Primary>,
    /// Names and values of further settings, which come after Bakeoff's own and so take precedence.
    pub settings: Vec<(String, String)>,
    pub owner: Owner,
    /// The server's name in lists and messages.
    pub name: String,
}

impl ServerOptions {
    /// Makes options for a server without TimescaleDB for 100 connections, owned by this process.
    pub fn new(home: Home, dir: impl Into<PathBuf>) -> ServerOptions {
        ServerOptions {
            home,
            dir: dir.into(),
            bin_dir: None,
            timescale: false,
            max_connections: MAX_CONNECTIONS,
            port: None,
            standbys: 0,
            primary: None,
            settings: Vec::new(),
            owner: Owner::ThisProcess,
            name: "postgres".into(),
        }
    }
}
