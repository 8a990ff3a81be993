//! Columnar tables kept in Cassandra or in a directory.

pub mod codec;
pub mod definition;
pub mod encoding;
pub mod error;
pub mod failpoint;
pub mod key;
pub mod meta;
pub mod row;
#[cfg(feature = "sql")]
pub mod sql;
pub mod stats;
pub mod store;
pub mod table;

pub use definition::{Column, Definition, Kind, Place, Profile};
pub use error::{Error, Result};
pub use table::Table;
