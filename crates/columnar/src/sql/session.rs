//! Sessions that know of columnar tables.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::prelude::SessionContext;

use super::aggregate::AGGREGATE_FROM_CHUNKS;
use super::codes::GROUPS_FROM_CODES;
use super::lastpoint::NEWEST_ROWS;
use super::provider::ColumnarTable;
use super::rule::Rule;
use crate::table::Table;

/// DataFusion's rule before which ours come: it answers from statistics without a trace in plans.
const BEFORE: &str = "aggregate_statistics";

/// DataFusion's rule after which groups come from codes: it tells a first step that a few groups are
/// enough, which then stays DataFusion's own.
const AFTER: &str = "LimitedDistinctAggregation";

/// What a DataFusion partition reads ahead of a merge of partitions that are in order, in bytes.
/// DataFusion's default would read all of a partition into memory that nothing spills.
pub const ORDERED_READ_AHEAD_BYTES: usize = 4 << 20;

/// The same session with the rules for columnar tables.
pub fn session(session: &SessionContext) -> SessionContext {
    let state = SessionStateBuilder::new_from_existing(session.state());
    SessionContext::new_with_state(with_rules(state).build())
}

/// Adds the rules for columnar tables to a session that is being made, and bounds what is read ahead
/// of a merge.
pub fn with_rules(mut builder: SessionStateBuilder) -> SessionStateBuilder {
    let config = builder.config().get_or_insert_default();
    let ahead = &mut config.options_mut().execution.sort_pushdown_buffer_capacity;
    *ahead = (*ahead).min(ORDERED_READ_AHEAD_BYTES);
    let mut builder = with_early_rules(builder, [NEWEST_ROWS, AGGREGATE_FROM_CHUNKS]);
    let PhysicalOptimizer { mut rules } = builder.physical_optimizers().take().unwrap_or_default();
    if place(&rules, GROUPS_FROM_CODES.name).is_none() {
        let after = place(&rules, AFTER).map_or(0, |at| at + 1);
        rules.insert(after, Arc::new(GROUPS_FROM_CODES));
    }
    builder.with_physical_optimizer_rules(rules)
}

/// Adds rules to a session that is being made, which see plans before DataFusion's own rules have
/// put anything between an aggregation and its scan.
pub fn with_early_rules(
    mut builder: SessionStateBuilder,
    early: impl IntoIterator<Item = Rule>,
) -> SessionStateBuilder {
    let PhysicalOptimizer { mut rules } = builder.physical_optimizers().take().unwrap_or_default();
    for rule in early {
        if place(&rules, rule.name).is_none() {
            let before = place(&rules, BEFORE).unwrap_or(0);
            rules.insert(before, Arc::new(rule));
        }
    }
    builder.with_physical_optimizer_rules(rules)
}

fn place(rules: &[Arc<dyn PhysicalOptimizerRule + Send + Sync>], name: &str) -> Option<usize> {
    rules.iter().position(|rule| rule.name() == name)
}

/// Makes a table known to a session by a name. Of the rules, see [`session`].
pub fn register(session: &SessionContext, name: &str, table: Arc<Table>) -> Result<()> {
    session.register_table(name, Arc::new(ColumnarTable::new(table, name)))?;
    Ok(())
}
