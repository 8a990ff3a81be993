//! The columnar format and its tables: in folders, in Cassandra and as tables of DataFusion.

// Tests fail by unwrapping, also in the functions that they share.
#![allow(clippy::unwrap_used)]

mod cassandra;
mod directory;
mod encoding;
mod hostile;
mod kills;
mod protocol;
mod simulation;
mod sql;
mod table;
mod three_nodes;
mod two_datacenters;
