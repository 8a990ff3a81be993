//! What kind of server to start.

use std::path::PathBuf;

use crate::home::Home;
use crate::record::Owner;

const MAX_CONNECTIONS: u32 = 100;

/// What kind of server to start.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    pub home: Home,
    /// The server's folder: made when it is not there, else started with the data that it holds.
    pub dir: PathBuf,
    /// The folder of the server's programs; none is where [`super::find_postgres`] finds them, or
    /// [`super::find_timescale`] where TimescaleDB is wanted.
    pub bin_dir: Option<PathBuf>,
    /// Whether TimescaleDB is loaded, so that `CREATE EXTENSION timescaledb` can follow.
    pub timescale: bool,
    pub max_connections: u32,
    /// The port on 127.0.0.1; none is any that is free.
    pub port: Option<u16>,
    /// Further settings by name, which come after Bakeoff's own and so prevail.
    pub settings: Vec<(String, String)>,
    pub owner: Owner,
    /// What the server is called in lists and messages.
    pub name: String,
}

impl ServerOptions {
    /// A server without TimescaleDB for 100 connections, owned by this process.
    pub fn new(home: Home, dir: impl Into<PathBuf>) -> ServerOptions {
        ServerOptions {
            home,
            dir: dir.into(),
            bin_dir: None,
            timescale: false,
            max_connections: MAX_CONNECTIONS,
            port: None,
            settings: Vec::new(),
            owner: Owner::ThisProcess,
            name: "postgres".into(),
        }
    }
}
