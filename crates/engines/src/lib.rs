//! The engines: one folder each, and [`registry`], the only list of them.

mod bytes;
mod cassandra;
mod check;
mod columnar;
mod complaint;
mod dry;
mod engine;
mod local;
mod memory;
mod oracle;
mod parquet;
pub mod registry;
mod settings;
mod source_table;
mod sql;
pub mod tables;

pub use bakeoff_servers as servers;
pub use cassandra::{Cluster, limits_not_applied};
pub use check::check_queries;
pub use engine::{Context, Engine, EngineError, Layout, Running, TargetOptions};
pub use oracle::SqlOracle;
