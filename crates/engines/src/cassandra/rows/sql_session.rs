//! The session of SQL that reads the table of a layout.

use std::sync::Arc;

use scylla::client::session::Session;

use super::layout::TableLayout;
use crate::EngineError;
use crate::cassandra::read;
use crate::cassandra::read::from_summary::FromSummary;
use crate::cassandra::read::table::CassandraTable;
use crate::sql;

/// Makes a session with the table of a layout and its copies, which reads from its summary table what that answers.
///
/// # Errors
/// Fails if DataFusion does not take the table.
pub fn rows_session(
    session: &Arc<Session>,
    layout: &TableLayout,
    keyspace: &str,
    threads: usize,
) -> Result<sql::Session, EngineError> {
    let table = Arc::new(CassandraTable::of_layout(session, layout, keyspace));
    let sql = sql::session_with(threads, &layout.table.name, table);
    let sql = sql.map_err(|e| EngineError(e.to_string()))?;
    let sql = read::session(&sql);
    if let (Some(summary), Some(table)) = (&layout.summary, layout.summary_table()) {
        let provider = CassandraTable::of_layout(session, &table, keyspace);
        let provider = Arc::new(provider);
        let rule = FromSummary::new(summary, &layout.table, &table.name, provider);
        sql.add_optimizer_rule(Arc::new(rule));
    }
    Ok(sql.into())
}
