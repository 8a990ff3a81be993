//! The way from CQL tables to Arrow: the DataFusion table, the conditions that go into CQL, the
//! requests of a scan, and the decoding of their pages.

use datafusion::prelude::SessionContext;

use scan::CassandraScan;

mod aggregation;
pub mod any_table;
pub mod decode;
mod failures;
pub mod first_rows;
pub mod from_summary;
pub mod java;
pub mod key_value;
pub mod metadata;
mod owners;
mod partition_key;
pub mod pushdown;
pub mod ranges;
pub mod readable;
pub mod reader;
pub mod reading;
mod replicas;
pub mod request;
mod rows_by_key;
pub mod scan;
pub mod server_aggregate;
mod split;
pub mod statements;
pub mod table;
mod token_requests;

/// Extends a session by the rules that read less than all rows of tables of rows.
pub fn session(session: &SessionContext) -> SessionContext {
    server_aggregate::session(&first_rows::session::<CassandraScan>(session))
}
