//! The aggregates that statistics can answer, and the state of each that DataFusion merges.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::functions_aggregate::average::avg_udaf;
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_aggregate::min_max::{max_udaf, min_udaf};
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column, Literal};

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    /// The number of all rows.
    Rows,
    /// The number of values that are not null.
    Values,
    Sum,
    Average,
    Least,
    Greatest,
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
        if aggregate.is_distinct() || !aggregate.order_bys().is_empty() {
            return None;
        }
        let measure = recognized(definition, projection, aggregate, argument)?;
        let fields = aggregate.state_fields().ok()?;
        let state: Vec<DataType> = fields.iter().map(|f| f.data_type().clone()).collect();
        (state == measure.state_types()).then_some(measure)
    }

    fn state_types(&self) -> Vec<DataType> {
        match self.function {
            Function::Rows | Function::Values => vec![DataType::Int64],
            Function::Sum if is_whole(self.kind) => vec![DataType::Int64],
            Function::Sum => vec![DataType::Float64],
            Function::Average => vec![DataType::UInt64, DataType::Float64],
            Function::Least | Function::Greatest => vec![self.kind.data_type()],
        }
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

fn recognized(
    definition: &Definition,
    projection: &[usize],
    aggregate: &AggregateFunctionExpr,
    argument: &Arc<dyn PhysicalExpr>,
) -> Option<Measure> {
    let function = aggregate.fun();
    if function == count_udaf().as_ref()
        && argument
            .downcast_ref::<Literal>()
            .is_some_and(|literal| !literal.value().is_null())
    {
        let function = Function::Rows;
        return Some(Measure {
            function,
            column: 0,
            kind: definition.columns.first()?.kind,
        });
    }
    let column = |expr: &Arc<dyn PhysicalExpr>| {
        let column = *projection.get(expr.downcast_ref::<Column>()?.index())?;
        Some((column, definition.columns.get(column)?.kind))
    };
    let plain = || column(argument);
    // DataFusion sums integers in 64 bits and all else as doubles, by casts of the argument.
    let widened = |to: DataType| match argument.downcast_ref::<CastExpr>() {
        Some(cast) if *cast.cast_type() == to => column(cast.expr()),
        Some(_) => None,
        None => plain().filter(|(_, kind)| kind.data_type() == to),
    };
    let (function, (column, kind)) = if function == count_udaf().as_ref() {
        (Function::Values, plain()?)
    } else if function == min_udaf().as_ref() {
        (Function::Least, plain()?)
    } else if function == max_udaf().as_ref() {
        (Function::Greatest, plain()?)
    } else if function == sum_udaf().as_ref() {
        let whole = widened(DataType::Int64).filter(|(_, kind)| is_whole(*kind));
        let double = || widened(DataType::Float64).filter(|(_, kind)| is_float(*kind));
        (Function::Sum, whole.or_else(double)?)
    } else if function == avg_udaf().as_ref() {
        let number = widened(DataType::Float64);
        (
            Function::Average,
            number.filter(|(_, kind)| is_whole(*kind) || is_float(*kind))?,
        )
    } else {
        return None;
    };
    Some(Measure {
        function,
        column,
        kind,
    })
}

fn is_whole(kind: Kind) -> bool {
    matches!(kind, Kind::Int | Kind::Bigint)
}

fn is_float(kind: Kind) -> bool {
    matches!(kind, Kind::Float | Kind::Double)
}

fn number(stats: &ColumnStats) -> Option<f64> {
    match stats.sum.as_ref()? {
        Scalar::Int(sum) => Some(*sum as f64),
        Scalar::Double(sum) => Some(*sum),
        Scalar::Bytes(_) => None,
    }
}
