//! The engines: one folder each, and [`registry`], the only list of them.

mod absent;
mod adbc;
mod adbc_engine;
mod adoption;
pub mod advice;
mod arrow_stream;
mod bytes;
mod candidates;
mod cassandra;
mod check;
mod checked_arithmetic;
mod columnar;
mod columns_read;
mod complaint;
mod context;
mod date_columns;
mod deadlines;
mod death;
mod dialect;
mod drive;
mod drive_request;
mod dry;
mod duckdb;
mod engine;
mod error;
mod explained;
mod expressions;
mod float_joins;
mod folder;
mod integers;
mod key_values;
mod leftovers;
mod lengths_of_time;
pub mod live;
mod local;
mod made;
mod memory;
mod newest_groups;
mod nulls;
mod option_group;
mod oracle;
mod owner;
mod parquet;
mod plain_sql;
#[cfg(feature = "postgres")]
mod postgres;
pub mod propose;
mod questions_file;
mod range_check;
mod ranges;
mod rate_limit;
pub mod registry;
mod right_answer;
mod row_blob;
mod run_plan;
mod running;
mod selected;
mod settings;
mod shared_tables;
mod source_table;
mod spark;
mod sql;
mod sql_check;
mod sql_pieces;
mod statements;
mod stored_columns;
pub mod tables;
mod text_constants;
mod text_numbers;
mod text_of_time;
mod ties;
mod tls;
mod translate;
mod unaliased;
mod unimplemented;
mod unknown_function;
mod uuid_constants;
mod value_folders;
mod whole_sums;

pub use absent::Absent;
pub use adbc::{AdbcOptions, DriverFile, HostProgram, serve_driver};
pub use adoption::{
    AdoptedRows, Adoption, Loading, PROGRAM_IN_SHELL, QUESTIONS_FILE, ROWS_IN_SHELL, SchemaFile,
    in_shell,
};
pub use bakeoff_servers as servers;
pub use candidates::{DesignCandidates, DesignInstances, TargetCandidates};
pub use cassandra::live::read as sample_cassandra;
pub use cassandra::made::MadeOnCassandra;
pub use cassandra::trace::{
    TraceError, TraceRequest, Traceable, TracedQuestion, TracedRead, TracedSelect, trace,
};
pub use cassandra::{
    CassandraOptions, Cluster, Replication, TableSettings, diagnose, nodes, settings_not_applied,
    table_copy,
};
pub use check::{
    check_designs, check_queries, check_question, require, settings_without_effect, share_tables,
};
pub use context::{Context, EngineOptions};
pub use drive_request::DriveRequest;
pub use engine::{Engine, Layout, NewTable, Running, TargetOptions};
pub use error::EngineError;
pub use leftovers::clear_leftovers;
pub use made::{Made, MadeKind, MadeState, Maker};
pub use memory::MemoryOptions;
pub use option_group::OptionGroup;
pub use oracle::SqlOracle;
pub use owner::new_token;
#[cfg(feature = "postgres")]
pub use postgres::live::read as sample_postgres;
#[cfg(feature = "postgres")]
pub use postgres::made::MadeOnPostgres;
#[cfg(feature = "postgres")]
pub use postgres::{
    LoadConnections, PostgresOptions, PostgresServer, Standbys, WaitFor,
    figures as postgres_figures,
};
pub use questions_file::{OneOfSeveral, QuestionsFile, several_statements};
pub use range_check::check_ranges;
pub use ranges::Ranges;
pub use rate_limit::RateLimit;
pub use running::Engines;
pub use shared_tables::SharedTables;
pub use spark::SparkOptions;
pub use statements::{
    AskedTable, Candidate, Language, LogKind, LoggedMix, QueryLog, StatementsFile,
    columns_with_values, named_columns, with_drawn_values,
};
pub use ties::tie_notes;
pub use translate::{lacking, plain_queries, plain_query, translate_queries, translate_query};
pub use uuid_constants::with_usual_uuids;
pub use value_folders::ValueFolders;
