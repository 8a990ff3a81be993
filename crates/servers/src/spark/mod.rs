//! Spark in a process of its own, which a Python program ([`driver.py`](driver.py)) starts and asks, or one elsewhere
//! that this program asks ([`SparkCluster`]). Requests and answers go through its standard input and output, so that
//! there is no port and no password for them, and no record of it: when its input ends, as it does when Bakeoff is
//! killed, it removes its tables from a Spark that keeps them, and kills its process group.
//!
//! ```no_run
//! # async fn example() -> bakeoff_servers::Result<()> {
//! use bakeoff_servers::spark::{Source, Spark, SparkOptions};
//!
//! let spark = Spark::start(SparkOptions::new("/var/tmp/example", 2)).await?;
//! let file = Source::parquet("/var/tmp/readings.parquet");
//! spark.open("session", "readings", &file, false).await?;
//! let mut answer = spark.query("session", "SELECT count(*) FROM readings").await?;
//! while let Some(part) = answer.next().await? {
//!     println!("{} bytes of Arrow", part.len());
//! }
//! spark.stop().await
//! # }
//! ```

mod cluster;
mod configuration;
#[cfg(test)]
mod driver_tests;
mod exchange;
mod jars;
mod launch;
mod log;
mod options;
mod pinned;
mod process;
mod python;
mod reach;
mod reply;
mod source;

pub use cluster::{Access, SparkCluster};
pub use jars::{check_connector, resolve_connector};
pub(crate) use launch::{default_heap_mib, find_java_for_spark};
pub use options::SparkOptions;
pub use process::{Spark, SparkAnswer};
pub use python::{SparkPython, find_python};
pub(crate) use python::{found_python, search_python};
pub use source::{CassandraTable, Source};
