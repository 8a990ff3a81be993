//! Aggregations that need only the first row of each partition key.
//!
//! In a table whose newest rows come first, `PER PARTITION LIMIT 1` reads the newest row of each key,
//! which Cassandra finds without reading any other. A table with buckets yields a row for each
//! bucket, and a table of series one for each day.

use std::sync::Arc;

use bakeoff_columnar::sql::{Replacement, RowOrder, Rule, below, with_early_rules, with_scan};
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::prelude::SessionContext;

use super::readable::{CqlKind, ReadTable};

/// A scan that may have a statement for first rows.
pub trait HasFirstRows: ExecutionPlan + Sized {
    type Statement;

    /// Returns the statement for first rows and their order, if there is one.
    fn first_rows(&self) -> Option<&FirstRows<Self::Statement>>;

    /// Returns the same scan with another statement, which binds the same values.
    fn with_statement(&self, statement: &Self::Statement) -> Self;
}

/// The order that makes a row of a partition key its first one, and the statement for first rows.
#[derive(Debug)]
pub struct FirstRows<S> {
    pub order: RowOrder,
    /// Numbers of the table's columns that the scan yields.
    pub projection: Vec<usize>,
    /// Statement that reads only first rows.
    pub statement: S,
}

/// Extends a session by the rule that makes such aggregations read only first rows.
pub fn session<S: HasFirstRows>(session: &SessionContext) -> SessionContext {
    let rule = Rule {
        name: "cassandra_first_rows",
        replacement: rewritten::<S>,
    };
    let state = SessionStateBuilder::new_from_existing(session.state());
    SessionContext::new_with_state(with_early_rules(state, [rule]).build())
}

fn rewritten<S: HasFirstRows>(node: &Arc<dyn ExecutionPlan>) -> Result<Replacement> {
    let Some(aggregation) = node.downcast_ref::<AggregateExec>() else {
        return Ok(None);
    };
    let Some(below) = below::<S>(aggregation.input()) else {
        return Ok(None);
    };
    let Some(first_rows) = below.scan.first_rows() else {
        return Ok(None);
    };
    let column = |expr: &_| {
        let at = below.column(expr)?;
        Ok(at.and_then(|at| first_rows.projection.get(at).copied()))
    };
    if first_rows
        .order
        .first_rows_are_enough(aggregation, column)?
    {
        let scan = below.scan.with_statement(&first_rows.statement);
        with_scan(Arc::clone(node), Arc::new(scan)).map(Some)
    } else {
        Ok(None)
    }
}

/// Returns the order of a table's rows; `None` if it is unknown or differs from SQL's order.
pub fn row_order(table: &ReadTable) -> Option<RowOrder> {
    let order_key = column_numbers(table, &table.clustering_key)?;
    let has_sql_order = |number: &usize| has_sql_order(table.columns[*number].kind);
    if order_key.is_empty() || !order_key.iter().all(has_sql_order) {
        return None;
    }
    Some(RowOrder {
        partition_key: column_numbers(table, &table.partition_key)?
            .into_iter()
            .collect(),
        order_key,
        descending: table.descending?,
    })
}

fn column_numbers(table: &ReadTable, names: &[String]) -> Option<Vec<usize>> {
    let number = |name: &String| table.columns.iter().position(|c| &c.name == name);
    names.iter().map(number).collect()
}

/// Returns whether Cassandra and DataFusion order values of a kind alike.
fn has_sql_order(kind: CqlKind) -> bool {
    // They differ on NaN, and on types that are read as text.
    matches!(
        kind,
        CqlKind::Int | CqlKind::Bigint | CqlKind::Timestamp | CqlKind::Text | CqlKind::Blob
    )
}
