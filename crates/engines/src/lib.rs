//! The engines: one folder each, and [`registry`], the only list of them.

mod bytes;
mod candidates;
mod cassandra;
mod check;
mod columnar;
mod complaint;
mod death;
mod dry;
mod engine;
mod integers;
mod leftovers;
mod local;
mod memory;
mod newest_groups;
mod oracle;
mod owner;
mod parquet;
mod postgres;
mod range_check;
pub mod registry;
mod running;
mod settings;
mod source_table;
mod sql;
pub mod tables;
mod tls;

pub use bakeoff_servers as servers;
pub use candidates::{DesignCandidates, TargetCandidates};
pub use cassandra::{Cluster, Replication, limits_not_applied};
pub use check::check_queries;
pub use engine::{Context, Engine, EngineError, Layout, Running, TargetOptions};
pub use leftovers::clear_leftovers;
pub use oracle::SqlOracle;
pub use postgres::{PostgresServer, Ranges};
pub use range_check::check_ranges;
pub use running::Engines;
