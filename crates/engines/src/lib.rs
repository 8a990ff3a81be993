//! The engines: one folder each, and [`registry`], the only list of them.

mod bytes;
mod cassandra;
mod check;
mod columnar;
mod complaint;
mod death;
mod dry;
mod engine;
mod integers;
mod local;
mod memory;
mod newest_groups;
mod oracle;
mod owner;
mod parquet;
mod postgres;
mod range_check;
pub mod registry;
mod settings;
mod source_table;
mod sql;
pub mod tables;
mod tls;

pub use bakeoff_servers as servers;
pub use cassandra::{CassandraOptions, Cluster, Replication, limits_not_applied};
pub use check::{check_designs, check_queries};
pub use engine::{Context, Engine, EngineError, EngineOptions, Layout, Running, TargetOptions};
pub use memory::MemoryOptions;
pub use oracle::SqlOracle;
pub use postgres::{PostgresOptions, PostgresServer, Ranges};
pub use range_check::check_ranges;
