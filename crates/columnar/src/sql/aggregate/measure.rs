//! The aggregates that statistics can answer, and the state of each that DataFusion merges.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;

use super::plain::{Function, PlainAggregate, state_types};
use crate::definition::Definition;
use crate::kind::Kind;
use crate::meta::{ChunkMeta, ColumnStats, Scalar};
use crate::sql::plan::totals::{bounds, sum};

/// An aggregate over a column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    function: Function,
    /// The number of the column.
    column: usize,
    kind: Kind,
}

impl Measure {
    /// Recognizes an aggregate whose argument is over these columns of the table, if statistics can
    /// answer it and DataFusion keeps its state in the form that is expected here.
    pub fn new(
        definition: &Definition,
        projection: &[usize],
        aggregate: &AggregateFunctionExpr,
        argument: &Arc<dyn PhysicalExpr>,
    ) -> Option<Measure> {
        let column = |at: usize| {
            let column = *projection.get(at)?;
            Some((column, definition.columns.get(column)?.kind))
        };
        let plain = PlainAggregate::new(aggregate, argument, |at| Some(column(at)?.1.data_type()))?;
        let (column, kind) = match plain.column {
            Some(at) => column(at)?,
            // Statistics of any column tell the number of rows.
            None => (0, definition.columns.first()?.kind),
        };
        Some(Measure {
            function: plain.function,
            column,
            kind,
        })
    }

    fn state_types(&self) -> Vec<DataType> {
        state_types(self.function, &self.kind.data_type())
    }

    /// Returns whether the statistics of a chunk have what the aggregate needs.
    pub fn is_known(&self, chunk: &ChunkMeta) -> bool {
        let Some(stats) = chunk.stats.get(self.column) else {
            return false;
        };
        let all_null = stats.nulls == chunk.live_rows();
        match self.function {
            Function::Rows | Function::Values => true,
            Function::Sum | Function::Average => all_null || number(stats).is_some(),
            Function::Least | Function::Greatest => all_null || stats.bounds.is_some(),
        }
    }

    /// Returns the state after all rows of the chunks, or `None` if a chunk lacks what the
    /// aggregate needs.
    pub fn state(&self, chunks: &[&Arc<ChunkMeta>]) -> Option<Vec<ScalarValue>> {
        let rows: u64 = chunks.iter().map(|c| u64::from(c.live_rows())).sum();
        let stats = || chunks.iter().map(|c| c.stats.get(self.column));
        let nulls: u64 = stats()
            .map(|s| Some(u64::from(s?.nulls)))
            .sum::<Option<u64>>()?;
        let values = rows.checked_sub(nulls)?;
        let or_typed_null = |value: Option<ScalarValue>| match value {
            Some(value) => Some(value),
            None if values == 0 => ScalarValue::try_from(self.state_types().pop()?).ok(),
            None => None,
        };
        Some(match self.function {
            Function::Rows => vec![ScalarValue::Int64(Some(rows as i64))],
            Function::Values => vec![ScalarValue::Int64(Some(values as i64))],
            Function::Sum => vec![or_typed_null(sum(self.kind, self.column, chunks))?],
            Function::Average => {
                let not_null = chunks.iter().filter(|c| self.has_values(c));
                let numbers = not_null.map(|c| number(c.stats.get(self.column)?));
                let sum = numbers.sum::<Option<f64>>()?;
                let sum = (values > 0).then_some(sum);
                vec![ScalarValue::UInt64(Some(values)), ScalarValue::Float64(sum)]
            }
            Function::Least => {
                let bounds = bounds(self.kind, self.column, chunks);
                vec![or_typed_null(bounds.map(|(least, _)| least))?]
            }
            Function::Greatest => {
                let bounds = bounds(self.kind, self.column, chunks);
                vec![or_typed_null(bounds.map(|(_, greatest)| greatest))?]
            }
        })
    }

    fn has_values(&self, chunk: &ChunkMeta) -> bool {
        let nulls = chunk.stats.get(self.column).map_or(0, |stats| stats.nulls);
        nulls < chunk.live_rows()
    }
}

fn number(stats: &ColumnStats) -> Option<f64> {
    match stats.sum.as_ref()? {
        Scalar::Int(sum) => Some(*sum as f64),
        Scalar::Double(sum) => Some(*sum),
        Scalar::Bytes(_) => None,
    }
}
