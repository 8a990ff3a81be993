//! Tests of workload files, data files, price lists, and the rows that they make.

// Tests fail by unwrapping, also in the functions that they share.
#![allow(clippy::unwrap_used)]

mod arrow_files;
mod columns_file;
mod cql_file;
mod csv;
mod data_files;
mod date_columns;
mod decide;
mod design_id;
mod first_rows;
mod float_columns;
mod folders;
mod hostile;
mod json_files;
mod loaded_rows;
mod local_files;
mod messy_files;
mod mix_file;
mod parameters;
mod price_list;
mod published_models;
mod raw_files;
mod repeated_keys;
mod scaled_columns;
mod scaled_sample;
mod set;
mod shipped_mixes;
mod shipped_time_outs;
mod shipped_workloads;
mod small_tables;
mod split_times;
mod text_form_file;
mod tsbs_file;
mod typed_columns;
mod uuid_columns;
mod windows;
mod workload_file;
mod workload_questions;
mod zip_files;
