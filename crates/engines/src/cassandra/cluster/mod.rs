//! The cluster itself: connections, start and end, the keyspace of a run, settling and footprints.

pub mod at_once;
pub mod built;
pub mod connect;
pub mod consistency;
mod datacenter;
pub mod deployment;
mod design_servers;
pub mod failures;
pub mod footprint;
pub mod keyspace;
pub mod on_nodes;
pub mod one_node;
pub mod partition_bytes;
pub mod relations;
pub mod replication;
pub mod sample;
pub mod server;
pub mod settle;
pub mod shared;
pub mod stored;
pub mod table_statistics;
