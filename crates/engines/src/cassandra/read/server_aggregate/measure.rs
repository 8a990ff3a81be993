//! The aggregates that CQL can compute, and the state of each that DataFusion merges.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::functions_aggregate::average::avg_udaf;
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_aggregate::min_max::{max_udaf, min_udaf};
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column, Literal};
use scylla::value::CqlValue;

use crate::cassandra::names::quoted;
use crate::cassandra::read::readable::{CqlKind, ReadColumn};

/// An aggregate that CQL computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// The number of all rows.
    Rows,
    /// The number of values that are not null.
    Values(ReadColumn),
    Sum(ReadColumn),
    Average(ReadColumn),
    Least(ReadColumn),
    Greatest(ReadColumn),
}

impl Measure {
    /// Recognizes an aggregate of these columns of a scan, if CQL computes it as DataFusion does and
    /// DataFusion keeps its state in the form that is expected here.
    pub fn new(
        columns: &[ReadColumn],
        aggregate: &AggregateFunctionExpr,
        argument: &Arc<dyn PhysicalExpr>,
    ) -> Option<Measure> {
        if aggregate.is_distinct() || !aggregate.order_bys().is_empty() {
            return None;
        }
        let measure = recognized(columns, aggregate, argument)?;
        let fields = aggregate.state_fields().ok()?;
        let state: Vec<DataType> = fields.iter().map(|f| f.data_type().clone()).collect();
        (state == measure.state_types()).then_some(measure)
    }

    fn state_types(&self) -> Vec<DataType> {
        match self {
            Measure::Rows | Measure::Values(_) => vec![DataType::Int64],
            Measure::Sum(column) if is_whole(column.kind) => vec![DataType::Int64],
            Measure::Sum(_) => vec![DataType::Float64],
            Measure::Average(_) => vec![DataType::UInt64, DataType::Float64],
            Measure::Least(column) | Measure::Greatest(column) => vec![column.kind.data_type()],
        }
    }

    /// Returns what to select in CQL, where the sum of no values is 0.
    pub fn selected(&self) -> Vec<String> {
        let name = |column: &ReadColumn| quoted(&column.name);
        let sum_and_count = |column: &ReadColumn, kind: Option<&str>| {
            let name = name(column);
            let summed = match kind {
                Some(kind) => format!("sum(cast({name} as {kind}))"),
                None => format!("sum({name})"),
            };
            vec![summed, format!("count({name})")]
        };
        match self {
            Measure::Rows => vec!["count(*)".to_owned()],
            Measure::Values(column) => vec![format!("count({})", name(column))],
            // CQL sums ints in 32 bits.
            Measure::Sum(column) if column.kind == CqlKind::Int => {
                sum_and_count(column, Some("bigint"))
            }
            Measure::Average(column) if is_whole(column.kind) => {
                sum_and_count(column, Some("double"))
            }
            Measure::Sum(column) | Measure::Average(column) => sum_and_count(column, None),
            Measure::Least(column) => vec![format!("min({})", name(column))],
            Measure::Greatest(column) => vec![format!("max({})", name(column))],
        }
    }

    /// Takes the values of [`Measure::selected`] from a row, and returns the state that they are.
    ///
    /// # Errors
    /// Fails if a value has another type than CQL gives it.
    pub fn state(
        &self,
        row: &mut dyn Iterator<Item = Option<CqlValue>>,
    ) -> Result<Vec<ScalarValue>, String> {
        let mut next = || row.next().ok_or("the answer has too few values");
        Ok(match self {
            Measure::Rows | Measure::Values(_) => {
                vec![ScalarValue::Int64(Some(whole(next()?)?))]
            }
            Measure::Sum(column) => {
                let (sum, values) = (next()?, whole(next()?)?);
                let sum = sum.filter(|_| values > 0);
                let kind = if is_whole(column.kind) {
                    CqlKind::Bigint
                } else {
                    CqlKind::Double
                };
                vec![scalar(kind, sum)?]
            }
            Measure::Average(_) => {
                let (sum, values) = (next()?, whole(next()?)?);
                let sum = sum.filter(|_| values > 0);
                vec![
                    ScalarValue::UInt64(u64::try_from(values).ok()),
                    scalar(CqlKind::Double, sum)?,
                ]
            }
            Measure::Least(column) | Measure::Greatest(column) => {
                vec![scalar(column.kind, next()?)?]
            }
        })
    }
}

fn recognized(
    columns: &[ReadColumn],
    aggregate: &AggregateFunctionExpr,
    argument: &Arc<dyn PhysicalExpr>,
) -> Option<Measure> {
    let function = aggregate.fun();
    let is_constant = || {
        let literal = argument.downcast_ref::<Literal>();
        literal.is_some_and(|literal| !literal.value().is_null())
    };
    if function == count_udaf().as_ref() && is_constant() {
        return Some(Measure::Rows);
    }
    let column = |expr: &Arc<dyn PhysicalExpr>| {
        let index = expr.downcast_ref::<Column>()?.index();
        columns.get(index).cloned()
    };
    // DataFusion sums integers in 64 bits and averages as doubles, by casts of the argument.
    let widened = |to: DataType| match argument.downcast_ref::<CastExpr>() {
        Some(cast) if *cast.cast_type() == to => column(cast.expr()),
        Some(_) => None,
        None => column(argument).filter(|c| c.kind.data_type() == to),
    };
    let number = |column: &ReadColumn| is_whole(column.kind) || column.kind == CqlKind::Double;
    if function == count_udaf().as_ref() {
        column(argument).map(Measure::Values)
    } else if function == sum_udaf().as_ref() {
        let whole = widened(DataType::Int64).filter(|c| is_whole(c.kind));
        let double = || widened(DataType::Float64).filter(|c| c.kind == CqlKind::Double);
        whole.or_else(double).map(Measure::Sum)
    } else if function == avg_udaf().as_ref() {
        widened(DataType::Float64)
            .filter(number)
            .map(Measure::Average)
    } else if function == min_udaf().as_ref() {
        column(argument)
            .filter(|c| has_sql_order(c.kind))
            .map(Measure::Least)
    } else if function == max_udaf().as_ref() {
        column(argument)
            .filter(|c| has_sql_order(c.kind))
            .map(Measure::Greatest)
    } else {
        None
    }
}

fn is_whole(kind: CqlKind) -> bool {
    matches!(kind, CqlKind::Int | CqlKind::Bigint)
}

/// Returns whether Cassandra and DataFusion find the same least and greatest values of a kind.
fn has_sql_order(kind: CqlKind) -> bool {
    matches!(
        kind,
        CqlKind::Int | CqlKind::Bigint | CqlKind::Double | CqlKind::Timestamp | CqlKind::Text
    )
}

fn whole(value: Option<CqlValue>) -> Result<i64, String> {
    match value {
        Some(CqlValue::BigInt(number)) => Ok(number),
        other => Err(format!("a count is {other:?}")),
    }
}

fn scalar(kind: CqlKind, value: Option<CqlValue>) -> Result<ScalarValue, String> {
    Ok(match (kind, value) {
        (kind, None) => {
            ScalarValue::try_from(kind.data_type()).map_err(|error| error.to_string())?
        }
        (CqlKind::Int, Some(CqlValue::Int(v))) => ScalarValue::Int32(Some(v)),
        (CqlKind::Bigint, Some(CqlValue::BigInt(v))) => ScalarValue::Int64(Some(v)),
        (CqlKind::Double, Some(CqlValue::Double(v))) => ScalarValue::Float64(Some(v)),
        (CqlKind::Text, Some(CqlValue::Text(v))) => ScalarValue::Utf8(Some(v)),
        (CqlKind::Timestamp, Some(CqlValue::Timestamp(v))) => {
            ScalarValue::TimestampMillisecond(Some(v.0), None)
        }
        (kind, Some(value)) => return Err(format!("a {kind:?} is {value:?}")),
    })
}
