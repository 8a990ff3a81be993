//! Figures of every node of a cluster, which needs no program on its machines.
//!
//! ```no_run
//! # async fn example(cluster: bakeoff_engines::Cluster) -> Result<(), bakeoff_engines::EngineError> {
//! use bakeoff_engines::nodes::{Reader, TableName};
//!
//! let tables: Vec<TableName> = vec!["shop.orders".parse()?];
//! let reader = Reader::connect(&cluster).await?;
//! for node in reader.read(&tables).await {
//!     println!("{}: {:?} bytes", node.address, node.tables[0].disk_usage_bytes);
//!     for missing in &node.missing {
//!         println!("  {} is not available: {}", missing.figure, missing.reason);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Reader`] asks each node by a connection of its own for the views in `system_views`, one query at a time and each
//! with a time limit. It only reads. Whatever cannot be had is `None` in [`NodeFigures`] and is in
//! [`NodeFigures::missing`] with the reason: a version without the view, no right to read it, a node that does not
//! answer. Reading never fails as a whole, so that nobody's measurement ends because of it.
//!
//! [`Nodetool`] adds what only nodetool prints, by a command that reaches each host, and [`Metrics`] what exporters of
//! the JVM and of the machine expose.

mod exposed;
mod figures;
mod latency;
mod metrics;
mod nodetool;
mod printed;
mod read;
mod ring;
mod view;

pub use exposed::{Exposed, Rates};
pub(super) use figures::shared_hosts;
pub use figures::{
    Cache, Latency, Missing, NodeFigures, Spread, SstableTask, TableFigures, TableName, ThreadPool,
    all_bytes, to_json,
};
pub use latency::micros;
pub(super) use metrics::{Exporters, Told};
pub use metrics::{Looks, Metrics};
pub use nodetool::Nodetool;
pub(super) use nodetool::read_repairs;
pub use printed::{
    GcStatistics, Histograms, NodeInfo, Percentiles, Printed, PrintedStatistics, PrintedTable,
    ReadRepairs,
};
pub use read::{Reader, read, read_sizes};
pub(super) use ring::joined;
