//! Aggregations that look at the first row of each partition key only.
//!
//! In a table whose newest rows come first `PER PARTITION LIMIT 1` reads the newest row of each key,
//! which Cassandra finds without reading any other. A table with buckets yields one for each bucket,
//! one of series one for each day.

use std::sync::Arc;

use bakeoff_columnar::sql::{Replacement, RowOrder, Rule, below, with_early_rules, with_scan};
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::prelude::SessionContext;

use super::readable::{CqlKind, ReadTable};

/// A scan that may know how to read first rows only.
pub trait KnowsFirstRows: ExecutionPlan + Sized {
    type Statement;

    /// How first rows are read, where that is known.
    fn first_rows(&self) -> Option<&FirstRows<Self::Statement>>;

    /// The same scan by another statement, which takes the same values.
    fn by(&self, statement: &Self::Statement) -> Self;
}

/// Which row of each partition key is the first one, and how it is read.
#[derive(Debug)]
pub struct FirstRows<S> {
    pub order: RowOrder,
    /// Numbers of the table's columns that a scan yields.
    pub projection: Vec<usize>,
    /// Reads no others.
    pub statement: S,
}

/// The same session, in which such aggregations over scans of a kind read first rows only.
pub fn session<S: KnowsFirstRows>(session: &SessionContext) -> SessionContext {
    let rule = Rule {
        name: "cassandra_first_rows",
        replacement: rewritten::<S>,
    };
    let state = SessionStateBuilder::new_from_existing(session.state());
    SessionContext::new_with_state(with_early_rules(state, [rule]).build())
}

fn rewritten<S: KnowsFirstRows>(node: &Arc<dyn ExecutionPlan>) -> Result<Replacement> {
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
        let scan = below.scan.by(&first_rows.statement);
        with_scan(Arc::clone(node), Arc::new(scan)).map(Some)
    } else {
        Ok(None)
    }
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
