//! Sessions that know of columnar tables.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::prelude::SessionContext;

use super::aggregate::AggregateFromChunks;
use super::lastpoint::NewestRows;
use super::provider::ColumnarTable;
use crate::table::Table;

/// DataFusion's rule after which ours come.
const AFTER: &str = "aggregate_statistics";

/// The same session with the rules for columnar tables.
pub fn session(session: &SessionContext) -> SessionContext {
    let state = SessionStateBuilder::new_from_existing(session.state());
    SessionContext::new_with_state(with_rules(state).build())
}

/// Adds the rules for columnar tables to a session that is being made.
pub fn with_rules(mut builder: SessionStateBuilder) -> SessionStateBuilder {
    let optimizer = builder.physical_optimizers().take().unwrap_or_default();
    let PhysicalOptimizer { mut rules } = optimizer;
    let ours: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> =
        vec![Arc::new(NewestRows), Arc::new(AggregateFromChunks)];
    for rule in ours {
        if rules.iter().all(|r| r.name() != rule.name()) {
            let after = rules.iter().position(|r| r.name() == AFTER);
            rules.insert(after.map_or(0, |i| i + 1), rule);
        }
    }
    builder.with_physical_optimizer_rules(rules)
}

/// Makes a table known to a session by a name. Of the rules, see [`session`].
pub fn register(session: &SessionContext, name: &str, table: Arc<Table>) -> Result<()> {
    session.register_table(name, Arc::new(ColumnarTable::new(table, name)))?;
    Ok(())
}
