//! Starts and stops a real Apache Cassandra on this machine, for measuring.
//!
//! The jars come from Maven once and are kept in Bakeoff's [`Home`]. A [`Server`] listens on
//! loopback only, runs in a process group of its own and is on record before it is waited for, so
//! that one whose owner was killed is found and stopped by [`stop_orphans`] at the next start. No
//! process is ever signalled that is not on record with its process id *and* its start time.
//!
//! ```no_run
//! # async fn example() -> bakeoff_cassandra_server::Result<()> {
//! use bakeoff_cassandra_server::{Home, Server, ServerOptions, stop_orphans};
//!
//! let home = Home::from_env()?;
//! stop_orphans(&home).await?;
//! let server = Server::start(ServerOptions::new(home, "/tmp/cassandra")?).await?;
//! server.nodetool(&["flush"]).await?;
//! server.stop().await
//! # }
//! ```

mod config;
mod control;
mod error;
mod files;
mod flags;
mod gc_log;
mod hierarchy;
mod home;
mod jars;
mod java;
mod launch;
mod log;
mod machine;
mod memory;
mod nodetool;
mod options;
mod pinned;
mod ports;
mod probe;
mod process;
mod record;
mod server;
mod usage;

pub use error::{Error, Result};
pub use home::Home;
pub use jars::{find_maven, resolve_jars};
pub use java::{Java, find_java};
pub use options::{DiskAccess, Owner, ServerOptions};
pub use pinned::{PinnedCassandra, pinned};
pub use ports::Ports;
pub use record::{Listed, list, stop, stop_orphans};
pub use server::Server;
pub use usage::Usage;
