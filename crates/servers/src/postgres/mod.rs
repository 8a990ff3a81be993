//! PostgreSQL, with TimescaleDB if it is installed. The server's programs are those of the system or
//! of a wheel; the data is in a folder that Bakeoff creates. A server may have standbys ([`Servers`]).
//!
//! ```no_run
//! # async fn example() -> bakeoff_servers::Result<()> {
//! use bakeoff_servers::postgres::{Server, ServerOptions};
//! use bakeoff_servers::{Home, stop_orphans};
//!
//! let home = Home::from_env()?;
//! stop_orphans(&home).await?;
//! let server = Server::start(ServerOptions::new(home, "/var/tmp/example")).await?;
//! println!("{} as {}", server.address(), server.user());
//! let dir = server.dir().to_owned();
//! server.stop().await?;
//! Server::remove_files(&dir)
//! # }
//! ```

mod basebackup;
mod children;
mod config;
mod details;
mod folder;
#[cfg(test)]
mod hostile;
mod initdb;
mod installation;
mod launch;
mod log;
mod options;
mod primary;
mod program_folders;
mod ready;
mod server;
mod servers;
mod tool;
mod usage;

use crate::secret;
pub(crate) use basebackup::program as find_basebackup;
pub(crate) use details::Details;
pub(crate) use folder::log;
pub use installation::{Installation, find_postgres, find_timescale};
pub(crate) use installation::{found_postgres, found_timescale, search_postgres, search_timescale};
pub use options::ServerOptions;
pub use primary::{Primary, STANDBY_ROLE};
pub use secret::random_password;
pub use server::Server;
pub use servers::Servers;
pub use usage::Usage;
