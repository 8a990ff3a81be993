//! The program from outside: command lines, files, servers, and what is written and said.

// Tests fail by unwrapping, also in the functions that they share.
#![allow(clippy::unwrap_used)]

mod cassandra;
mod cassandra_drive;
mod cassandra_faults;
mod cassandra_nodes;
mod documents;
mod drive;
mod faults;
mod files;
mod ingest;
mod mistakes;
mod postgres;
mod run;
mod sql;
mod support;
mod sweep;
