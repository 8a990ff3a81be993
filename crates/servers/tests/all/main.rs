//! Real servers from start to end.

// Tests fail by unwrapping, also in the functions that they share.
#![allow(clippy::unwrap_used)]

mod cassandra_load;
mod cassandra_nodes;
mod cassandra_server;
mod cassandra_settings;
mod postgres;
mod postgres_standbys;
mod support;
