//! Aggregations that look at the first row of each partition only: `PER PARTITION LIMIT 1`.
//!
//! In a table whose newest rows come first these are the newest rows of all keys, which Cassandra
//! finds without reading any other. A table with buckets yields one for each bucket.

use std::sync::Arc;

use bakeoff_columnar::sql::{Replacement, RowOrder, Rule, below, with_early_rules, with_scan};
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::prelude::SessionContext;

use super::readable::{CqlKind, ReadTable};
use super::scan::CassandraScan;

/// The same session, in which such aggregations read first rows only.
pub fn session(session: &SessionContext) -> SessionContext {
    let state = SessionStateBuilder::new_from_existing(session.state());
    SessionContext::new_with_state(with_early_rules(state, [FIRST_ROWS]).build())
}

const FIRST_ROWS: Rule = Rule {
    name: "cassandra_first_rows",
    replacement: rewritten,
};

fn rewritten(node: &Arc<dyn ExecutionPlan>) -> Result<Replacement> {
    let Some(aggregation) = node.downcast_ref::<AggregateExec>() else {
        return Ok(None);
    };
    let Some(below) = below::<CassandraScan>(aggregation.input()) else {
        return Ok(None);
    };
    let Some(first_rows) = below.scan.first_rows() else {
        return Ok(None);
    };
    let column = |expr: &_| {
        let at = below.column(expr)?;
        Ok(at.and_then(|at| first_rows.projection.get(at).copied()))
    };
    match first_rows
        .order
        .first_rows_are_enough(aggregation, column)?
    {
        true => {
            let first_rows = below.scan.by(first_rows.cql.clone());
            with_scan(Arc::clone(node), Arc::new(first_rows)).map(Some)
        }
        false => Ok(None),
    }
}

/// How the first row of each partition is read.
#[derive(Debug)]
pub struct FirstRows {
    pub order: RowOrder,
    /// Numbers of the table's columns that a scan yields.
    pub projection: Vec<usize>,
    pub cql: String,
}

/// How rows of a table are ordered, where it is known and as in SQL.
pub fn row_order(table: &ReadTable) -> Option<RowOrder> {
    let number = |name: &String| table.columns.iter().position(|c| &c.name == name);
    let order_key: Option<Vec<usize>> = table.clustering_key.iter().map(number).collect();
    let alike = |number: &usize| {
        // Cassandra has other opinions on NaN, and on text that stands for something else.
        let kind = table.columns[*number].kind;
        matches!(
            kind,
            CqlKind::Int | CqlKind::Bigint | CqlKind::Timestamp | CqlKind::Text | CqlKind::Blob
        )
    };
    Some(RowOrder {
        partition_key: table
            .partition_key
            .iter()
            .map(number)
            .collect::<Option<_>>()?,
        order_key: order_key.filter(|key| key.iter().all(alike) && !key.is_empty())?,
        descending: table.descending?,
    })
}
