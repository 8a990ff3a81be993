//! Engines and their designs, most of them on real servers.

// Tests fail by unwrapping, also in the functions that they share.
#![allow(clippy::unwrap_used)]

mod adbc_drivers;
mod adbc_host;
#[cfg(feature = "postgres")]
mod adbc_postgresql;
mod cassandra;
mod cassandra_4;
mod cassandra_adopted;
mod cassandra_arrays;
mod cassandra_consistency;
mod cassandra_copies;
mod cassandra_diagnose;
mod cassandra_drive;
mod cassandra_fourth_address;
mod cassandra_indexes;
mod cassandra_java;
mod cassandra_node_figures;
mod cassandra_parts;
mod cassandra_rate_limit;
mod cassandra_replicas;
mod cassandra_series;
mod cassandra_settings;
mod cassandra_summary;
mod cassandra_table_copy;
mod cassandra_table_options;
mod cassandra_time_outs;
mod cassandra_workloads;
mod columns;
mod duckdb;
mod names;
mod parquet;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_workloads;
mod query_plans;
mod spark;
mod spark_cluster;
mod support;
mod timeseries;
