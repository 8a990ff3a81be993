//! Sessions that know columnar tables.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;

use super::aggregate::by_codes::GROUPS_FROM_CODES;
use super::aggregate::newest_rows::NEWEST_ROWS;
use super::aggregate::whole_chunks::AGGREGATE_FROM_CHUNKS;
use super::provider::ColumnarTable;
use super::rules::optimizer::{with_early_rules, with_rule_after};
use crate::table::Table;

/// The rule of DataFusion after which groups come from codes. It marks a first step for which a few
/// groups are enough, and such a step stays DataFusion's own.
const BEFORE_CODES: &str = "LimitedDistinctAggregation";

/// The highest number of bytes that a DataFusion partition reads ahead where partitions that are in
/// order are merged. DataFusion's default would read a whole partition into memory that is never
/// spilled.
pub const ORDERED_READ_AHEAD_BYTES: usize = 4 << 20;

/// Returns the same session with the rules for columnar tables.
pub fn session(session: &SessionContext) -> SessionContext {
    let state = SessionStateBuilder::new_from_existing(session.state());
    SessionContext::new_with_state(with_rules(state).build())
}

/// Adds the rules for columnar tables to a session that is being made, and limits what is read ahead
/// of a merge to [`ORDERED_READ_AHEAD_BYTES`].
pub fn with_rules(mut builder: SessionStateBuilder) -> SessionStateBuilder {
    let config = builder.config().get_or_insert_default();
    let ahead = &mut config.options_mut().execution.sort_pushdown_buffer_capacity;
    *ahead = (*ahead).min(ORDERED_READ_AHEAD_BYTES);
    let builder = with_early_rules(builder, [NEWEST_ROWS, AGGREGATE_FROM_CHUNKS]);
    with_rule_after(builder, GROUPS_FROM_CODES, BEFORE_CODES)
}

/// Registers a table with a session under a name. Queries read no more than they need if the session
/// has the rules that [`session`] adds.
///
/// # Errors
/// Fails if the name is not a valid table name, or its schema cannot be found.
pub fn register(session: &SessionContext, name: &str, table: Arc<Table>) -> Result<()> {
    session.register_table(name, Arc::new(ColumnarTable::new(table, name)))?;
    Ok(())
}
