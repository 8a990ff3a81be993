//! Columnar tables for time series and events, kept in Apache Cassandra, in a directory or in memory.
//!
//! A [`Table`] keeps its rows in *chunks*: up to 32,768 rows, sorted by key, with each column encoded
//! by itself and statistics for every column. A query reads the columns and chunks it needs, and often
//! only the statistics. Single rows can be inserted, replaced and deleted at any time; all readers see
//! them immediately.
//!
//! - A [`Definition`] has the columns, the **partition key** (whose rows belong together, such as a
//!   host) and the **order key** (usually a time). Both together identify a row.
//! - A [`Store`] keeps chunks and rows: [`DirectoryStore`], [`MemoryStore`], or `CassandraStore` with the
//!   feature `cassandra`.
//! - [`Table::ingest`] loads many rows, [`Table::insert`] and [`Table::delete`] write single ones, and
//!   [`Table::seal`] turns those into chunks.
//! - [`Table::rows`] reads rows by key. With the feature `sql`, the module `sql` gives tables to
//!   DataFusion.
//! - [`shares`] divides the parts of a query among processes, which read one snapshot together.
//!
//! # Example
//!
//! A table in a directory is created, filled and queried. The query reads the statistics of its only
//! chunk and nothing else.
#![cfg_attr(feature = "sql", doc = "```")]
#![cfg_attr(not(feature = "sql"), doc = "```ignore")]
//! use std::sync::Arc;
//!
//! use arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray, TimestampMillisecondArray};
//! use bakeoff_columnar::{Column, Definition, DirectoryStore, Kind, Table, sql};
//! use datafusion::prelude::SessionContext;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let columns = vec![
//!     Column::new("host", Kind::Text),
//!     Column::new("time", Kind::Timestamp),
//!     Column::new("load", Kind::Double),
//! ];
//! let definition = Definition::new(columns, &["host"], &["time"]);
//! let folder = tempfile::tempdir()?;
//! let store = DirectoryStore::create(&folder.path().join("loads"), definition)?;
//! // Up to 64 MiB of encoded columns are cached in memory.
//! let table = Table::new(Arc::new(store), 64 << 20);
//!
//! let values: [(&str, ArrayRef); 3] = [
//!     ("host", Arc::new(StringArray::from(vec!["a", "a", "b"]))),
//!     ("time", Arc::new(TimestampMillisecondArray::from(vec![1_000, 2_000, 1_000]))),
//!     ("load", Arc::new(Float64Array::from(vec![0.5, 1.5, 4.0]))),
//! ];
//! let mut ingest = table.ingest();
//! ingest.write(&RecordBatch::try_from_iter(values)?).await?;
//! // Now all rows are durable, and all readers see them.
//! ingest.finish().await?;
//!
//! let session = sql::session(&SessionContext::new());
//! sql::register(&session, "loads", Arc::clone(&table))?;
//! let query = "SELECT count(*) AS rows, max(load) AS highest FROM loads";
//! let answer = session.sql(query).await?.collect().await?;
//! let shown = arrow::util::pretty::pretty_format_batches(&answer)?.to_string();
//! let expected = "\
//! +------+---------+
//! | rows | highest |
//! +------+---------+
//! | 3    | 4.0     |
//! +------+---------+";
//! assert_eq!(shown, expected);
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! The library without features is the format, the encoder, and tables in a directory or in memory.
//!
//! | feature | adds |
//! |---|---|
//! | `cassandra` | the module `cassandra`: tables in Apache Cassandra, through the driver `scylla` |
//! | `sql` | the module `sql`: tables of DataFusion |
//! | `failpoints` | points at which tests of this library kill the process, hold a thread or let a call fail, and clocks of their own |

#[cfg(feature = "cassandra")]
mod checked;
mod clock;
mod definition;
mod encoding;
mod error;
mod failpoint;
#[cfg(test)]
mod hostile;
mod id;
mod key;
mod kind;
mod machine;
mod meta;
mod row;
mod share;
#[cfg(feature = "sql")]
pub mod sql;
mod store;
mod table;
mod varint;

pub use crate::definition::{CHUNK_ROWS, CHUNK_ROWS_AT_MOST, Column, Definition, Profile};
pub use crate::error::{Error, Result};
pub use crate::id::{ChunkId, Place};
pub use crate::kind::Kind;
pub use crate::meta::{BlobMeta, ChunkMeta, ColumnStats, Key, Scalar};
pub use crate::share::{Share, shares};
#[cfg(feature = "cassandra")]
pub use crate::store::cassandra;
pub use crate::store::check::{Check, Damage};
pub use crate::store::directory::DirectoryStore;
pub use crate::store::memory::MemoryStore;
pub use crate::store::{Change, Chunk, FreshRow, Frozen, GRACE, KeyRange, Snapshot, Store, Swept};
pub use crate::table::{CacheStatistics, Ingest, Ingested, Part, Sealed, Selection, Table, View};

/// The encoding of single columns, and limits of it.
///
/// The tests and the benchmark of this library need them, and nothing else should: they may change with
/// any version.
#[doc(hidden)]
pub mod internals {
    pub use crate::encoding::{Codec, DecodeError, ENCODINGS, coded_field, crc};
    #[cfg(feature = "failpoints")]
    pub use crate::failpoint::Pause;
    #[cfg(feature = "failpoints")]
    pub use crate::machine::{Machine, on, replace};
    pub use crate::meta::LONGEST_BOUND;
    #[cfg(all(feature = "cassandra", feature = "failpoints"))]
    pub use crate::store::cassandra::protocol;
    #[cfg(feature = "failpoints")]
    pub use crate::store::directory::recording::{Failure, Operation, Recording};
    pub use crate::table::COLUMN_BYTES;
}

/// The example of the README, which is tested like those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
