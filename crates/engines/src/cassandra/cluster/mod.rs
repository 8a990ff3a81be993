//! The cluster itself: connections to it, its start and end, the keyspace of a run, and what is asked
//! of the server about its tables.

pub mod connect;
pub mod consistency;
pub mod deployment;
pub mod failures;
pub mod footprint;
pub mod keyspace;
pub mod relations;
pub mod replication;
pub mod settle;
pub mod shared;
