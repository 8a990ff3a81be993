//! Defines options that several commands have.

pub mod adbc;
pub mod all_designs;
pub mod cells;
pub mod choice;
pub mod cluster;
pub mod confirm;
pub mod data;
pub mod hosts;
pub mod metrics;
pub mod no_workload;
pub mod nodes;
pub mod nodetool;
pub mod postgres;
pub mod prices;
pub mod profile;
pub mod rate_limit;
pub mod settings_of;
pub mod spark;
pub mod table_file;
#[cfg(test)]
pub mod testing;
pub mod unused;
pub mod wanted;
