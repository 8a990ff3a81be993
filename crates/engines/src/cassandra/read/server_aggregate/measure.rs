//! The aggregates that CQL computes as DataFusion does, and the state of each that DataFusion merges.

use std::sync::Arc;

use bakeoff_columnar::sql::{Function, PlainAggregate};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use scylla::value::CqlValue;

use crate::cassandra::names::quoted;
use crate::cassandra::read::java::{JavaAggregate, JavaFunctions, Number};
use crate::cassandra::read::readable::{CqlKind, ReadColumn};

/// An aggregate that CQL computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    function: Function,
    /// The column; `None` for the number of all rows.
    column: Option<ReadColumn>,
    /// Quoted name of the user-defined aggregate that computes it; `None` for Cassandra's own.
    java: Option<String>,
}

impl Measure {
    /// Recognizes an aggregate of these columns of a scan, if CQL computes it as DataFusion does.
    pub fn new(
        columns: &[ReadColumn],
        aggregate: &AggregateFunctionExpr,
        argument: &Arc<dyn PhysicalExpr>,
        java: Option<&JavaFunctions>,
    ) -> Option<Measure> {
        let types = |column: usize| Some(columns.get(column)?.kind.data_type());
        let PlainAggregate { function, column } = PlainAggregate::new(aggregate, argument, types)?;
        let column = match column {
            Some(column) => Some(columns.get(column)?.clone()),
            None => None,
        };
        let is_alike = column.as_ref().is_none_or(|c| is_alike(function, c.kind));
        let java = match (java, &column) {
            (Some(functions), Some(column)) => Some(in_java(functions, function, column.kind)?),
            // CQL's count of all rows takes no argument, so that no aggregate of users replaces it.
            (_, None) | (None, _) => None,
        };
        is_alike.then_some(Measure {
            function,
            column,
            java,
        })
    }

    /// Returns what to select in CQL, where the sum of no values is 0.
    pub fn selected(&self) -> Vec<String> {
        let Some(column) = &self.column else {
            return vec!["count(*)".to_owned()];
        };
        let name = quoted(&column.name);
        if let Some(java) = &self.java {
            return vec![format!("{java}({name})")];
        }
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
        let summed = match kind {
            CqlKind::Int => CqlKind::Bigint,
            kind => kind,
        };
        Ok(match self.function {
            Function::Rows | Function::Values => {
                vec![ScalarValue::Int64(Some(whole(next()?)?))]
            }
            Function::Sum if self.java.is_some() => vec![scalar(summed, next()?)?],
            Function::Average if self.java.is_some() => count_and_sum(next()?)?,
            Function::Sum => {
                let (sum, values) = (next()?, whole(next()?)?);
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

/// Returns the quoted name of the user-defined aggregate for a column of that kind, if it has numbers.
fn in_java(functions: &JavaFunctions, function: Function, kind: CqlKind) -> Option<String> {
    let number = match kind {
        CqlKind::Int => Number::Int,
        CqlKind::Bigint => Number::Bigint,
        CqlKind::Double => Number::Double,
        _ => return None,
    };
    let aggregate = match function {
        Function::Rows | Function::Values => JavaAggregate::Count,
        Function::Sum => JavaAggregate::Sum,
        Function::Average if functions.averages_lists => JavaAggregate::AverageOfList,
        Function::Average => JavaAggregate::Average,
        Function::Least => JavaAggregate::Least,
        Function::Greatest => JavaAggregate::Greatest,
    };
    let (keyspace, name) = (quoted(&functions.keyspace), aggregate.name(number));
    Some(format!("{keyspace}.{}", quoted(&name)))
}

/// Returns the state of an average from the number of values and their sum.
fn count_and_sum(value: Option<CqlValue>) -> Result<Vec<ScalarValue>, String> {
    let fields = match value {
        Some(CqlValue::Tuple(fields)) => fields,
        other => return Err(format!("an average is {other:?}")),
    };
    let Ok([count, sum]) = <[Option<CqlValue>; 2]>::try_from(fields) else {
        return Err("an average has not two parts".to_owned());
    };
    let values = whole(count)?;
    let sum = scalar(CqlKind::Double, sum.filter(|_| values > 0))?;
    Ok(vec![ScalarValue::UInt64(u64::try_from(values).ok()), sum])
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

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(function: Function, kind: CqlKind, averages_lists: bool) -> Option<Measure> {
        let functions = JavaFunctions {
            keyspace: "ks".to_owned(),
            averages_lists,
        };
        let java = Some(in_java(&functions, function, kind)?);
        let column = Some(ReadColumn {
            name: "value".to_owned(),
            kind,
        });
        Some(Measure {
            function,
            column,
            java,
        })
    }

    fn state(measure: &Measure, value: Option<CqlValue>) -> Result<Vec<ScalarValue>, String> {
        measure.state(&mut [value].into_iter())
    }

    #[test]
    fn user_defined_aggregates_are_selected_by_their_type() {
        for (function, kind, of_list, selected) in [
            (Function::Sum, CqlKind::Int, false, "sum_int"),
            (Function::Values, CqlKind::Bigint, false, "count_bigint"),
            (Function::Average, CqlKind::Double, false, "average_double"),
            (Function::Average, CqlKind::Int, true, "average_of_list_int"),
            (Function::Greatest, CqlKind::Double, true, "greatest_double"),
        ] {
            let measure = measure(function, kind, of_list).unwrap();
            let expected = format!("\"ks\".\"bakeoff_{selected}\"(\"value\")");
            assert_eq!(measure.selected(), [expected]);
        }
        assert_eq!(measure(Function::Least, CqlKind::Text, false), None);
        assert_eq!(measure(Function::Least, CqlKind::Timestamp, false), None);
    }

    #[test]
    fn an_average_in_java_is_a_number_of_values_and_their_sum() {
        let average = measure(Function::Average, CqlKind::Double, false).unwrap();
        let tuple = |count, sum| {
            Some(CqlValue::Tuple(vec![
                Some(CqlValue::BigInt(count)),
                Some(CqlValue::Double(sum)),
            ]))
        };
        let [two, none] = [tuple(2, 3.5), tuple(0, 0.0)].map(|value| state(&average, value));
        let sum = ScalarValue::Float64(Some(3.5));
        assert_eq!(two.unwrap(), [ScalarValue::UInt64(Some(2)), sum]);
        let null = ScalarValue::Float64(None);
        assert_eq!(none.unwrap(), [ScalarValue::UInt64(Some(0)), null]);
        let wrong = state(&average, Some(CqlValue::Double(1.0))).unwrap_err();
        assert!(wrong.contains("an average is"), "{wrong}");
    }

    #[test]
    fn a_sum_in_java_is_null_without_values_and_long_for_ints() {
        let sum = measure(Function::Sum, CqlKind::Int, false).unwrap();
        let of_ints = state(&sum, Some(CqlValue::BigInt(1 << 40))).unwrap();
        assert_eq!(of_ints, [ScalarValue::Int64(Some(1 << 40))]);
        assert_eq!(state(&sum, None).unwrap(), [ScalarValue::Int64(None)]);
    }
}
