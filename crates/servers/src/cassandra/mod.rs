//! Apache Cassandra. The jars are those of a wheel, or come from Maven once and are kept in
//! Bakeoff's home.
//!
//! ```no_run
//! # async fn example() -> bakeoff_servers::Result<()> {
//! use bakeoff_servers::cassandra::{Server, ServerOptions};
//! use bakeoff_servers::{Home, stop_orphans};
//!
//! let home = Home::from_env()?;
//! stop_orphans(&home).await?;
//! let server = Server::start(ServerOptions::new(home, "/tmp/cassandra")?).await?;
//! server.nodetool(&["flush"]).await?;
//! server.stop().await
//! # }
//! ```

mod added;
pub(crate) mod checksums;
mod chosen_ports;
mod clock;
mod compactions;
mod compiler;
mod config;
mod control;
mod cql;
mod credentials;
mod datacenter;
mod defaults;
mod details;
mod disk_access;
mod disk_limit;
mod flags;
mod folder;
mod gc_log;
mod group;
mod heap;
mod hierarchy;
#[cfg(test)]
mod hostile;
mod internode;
pub(crate) mod jar_files;
mod jars;
mod java;
mod java_program;
mod known;
mod launch;
mod limits;
mod log;
pub(crate) mod maven;
mod memory;
mod naming;
mod node;
mod nodes;
mod nodetool;
mod options;
mod pinned;
mod ports;
mod probe;
mod quick;
mod recording;
mod release;
mod roles;
mod runs_as;
mod server;
mod stored;
mod tuning;
mod usage;

pub use credentials::Login;
pub(crate) use details::Details;
pub use disk_access::DiskAccess;
pub(crate) use heap::default_heap_mib;
pub use jars::{Jars, find_jars, resolve_jars};
pub(crate) use jars::{found_jars, search_jars};
pub use java::{Java, find_java};
pub(crate) use java::{found as found_java, search_java};
pub use known::login_at;
pub(crate) use log::log;
pub use node::Node;
pub use nodes::Nodes;
pub use options::ServerOptions;
pub use pinned::{PinnedCassandra, pinned, pinned_of};
pub use ports::Ports;
pub use recording::{StackSamples, check_recorder};
pub use release::Release;
pub use server::Server;
pub use tuning::{Collector, Tuning};
pub use usage::Usage;
