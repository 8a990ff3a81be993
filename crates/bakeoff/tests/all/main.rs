//! The program from outside: command lines, files, servers, and what is written and said.

// Tests fail by unwrapping, also in the functions that they share.
#![allow(clippy::unwrap_used)]

mod acceptance;
mod adbc;
mod before;
mod between;
mod between_loads;
mod cassandra;
mod cassandra_4;
mod cassandra_added_node;
mod cassandra_drive;
mod cassandra_faults;
mod cassandra_nodes;
mod console;
mod decide;
mod decide_from;
mod decide_mistakes;
mod diagnose;
mod dialects;
mod doctor;
mod documents;
mod drive;
mod drive_beside;
mod duckdb;
mod earlier_runs;
mod faults;
mod files;
mod follow;
mod forecast;
mod forecast_factors;
mod forecast_records;
mod ingest;
mod inherited;
mod init;
mod init_cassandra;
mod init_measured;
#[cfg(feature = "postgres")]
mod init_postgres;
mod init_questions;
mod init_statements;
mod large_answers;
mod mistakes;
mod misuse;
mod names;
mod node_figures;
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_drive;
mod postgres_figures;
mod postgres_standbys;
mod preview;
mod profile;
mod progress;
mod promises;
mod propose;
mod raw_files;
mod report_stored;
mod report_together;
mod run;
mod scan;
mod server_per_design;
mod settings_of;
mod shell;
mod small_tables;
mod spark;
mod spark_cluster;
mod sql;
mod study;
mod study_estimate;
mod support;
mod sweep;
mod sweep_shards;
mod trace;
mod user_keyspace;
mod wheel;
