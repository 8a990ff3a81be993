//! The aggregates that CQL computes as DataFusion does, and the state of each that DataFusion merges.

use std::sync::Arc;

use bakeoff_columnar::sql::{Function, PlainAggregate};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use scylla::value::CqlValue;

use crate::cassandra::names::quoted;
use crate::cassandra::read::readable::{CqlKind, ReadColumn};

/// An aggregate that CQL computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    function: Function,
    /// The column; `None` for the number of all rows.
    column: Option<ReadColumn>,
}

impl Measure {
    /// Recognizes an aggregate of these columns of a scan, if CQL computes it as DataFusion does.
    pub fn new(
        columns: &[ReadColumn],
        aggregate: &AggregateFunctionExpr,
        argument: &Arc<dyn PhysicalExpr>,
    ) -> Option<Measure> {
        let types = |column: usize| Some(columns.get(column)?.kind.data_type());
        let PlainAggregate { function, column } = PlainAggregate::new(aggregate, argument, types)?;
        let column = match column {
            Some(column) => Some(columns.get(column)?.clone()),
            None => None,
        };
        let is_alike = column.as_ref().is_none_or(|c| is_alike(function, c.kind));
        is_alike.then_some(Measure { function, column })
    }

    /// Returns what to select in CQL, where the sum of no values is 0.
    pub fn selected(&self) -> Vec<String> {
        let Some(column) = &self.column else {
            return vec!["count(*)".to_owned()];
        };
        let name = quoted(&column.name);
        let summed = match (self.function, column.kind) {
            // CQL sums ints in 32 bits, and averages whole numbers as such.
            (Function::Sum, CqlKind::Int) => format!("cast({name} as bigint)"),
            (Function::Average, CqlKind::Int | CqlKind::Bigint) => {
                format!("cast({name} as double)")
            }
            _ => name.clone(),
        };
        match self.function {
            Function::Rows => vec!["count(*)".to_owned()],
            Function::Values => vec![format!("count({name})")],
            Function::Sum | Function::Average => {
                vec![format!("sum({summed})"), format!("count({name})")]
            }
            Function::Least => vec![format!("min({name})")],
            Function::Greatest => vec![format!("max({name})")],
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
        let kind = self.column.as_ref().map_or(CqlKind::Bigint, |c| c.kind);
        Ok(match self.function {
            Function::Rows | Function::Values => {
                vec![ScalarValue::Int64(Some(whole(next()?)?))]
            }
            Function::Sum => {
                let (sum, values) = (next()?, whole(next()?)?);
                let summed = match kind {
                    CqlKind::Int => CqlKind::Bigint,
                    kind => kind,
                };
                vec![scalar(summed, sum.filter(|_| values > 0))?]
            }
            Function::Average => {
                let (sum, values) = (next()?, whole(next()?)?);
                let sum = scalar(CqlKind::Double, sum.filter(|_| values > 0))?;
                vec![ScalarValue::UInt64(u64::try_from(values).ok()), sum]
            }
            Function::Least | Function::Greatest => vec![scalar(kind, next()?)?],
        })
    }
}

/// Returns whether CQL and DataFusion compute the same of a column of that kind.
fn is_alike(function: Function, kind: CqlKind) -> bool {
    match function {
        Function::Rows | Function::Values => true,
        // CQL sums floats in 32 bits.
        Function::Sum | Function::Average => {
            matches!(kind, CqlKind::Int | CqlKind::Bigint | CqlKind::Double)
        }
        Function::Least | Function::Greatest => matches!(
            kind,
            CqlKind::Int | CqlKind::Bigint | CqlKind::Double | CqlKind::Timestamp | CqlKind::Text
        ),
    }
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
