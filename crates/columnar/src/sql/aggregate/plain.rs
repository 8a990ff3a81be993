//! Plain aggregates of one column, and the state in which DataFusion merges each.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::functions_aggregate::average::avg_udaf;
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_aggregate::min_max::{max_udaf, min_udaf};
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column, Literal};

/// What an aggregate computes of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// The number of all rows.
    Rows,
    /// The number of values that are not null.
    Values,
    Sum,
    Average,
    Least,
    Greatest,
}

/// An aggregate of a column without `DISTINCT` or an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainAggregate {
    pub function: Function,
    /// The number of the column; `None` for [`Function::Rows`].
    pub column: Option<usize>,
}

impl PlainAggregate {
    /// Recognizes an aggregate whose argument is over columns of these types, if DataFusion keeps its
    /// state in the form of [`state_types`].
    pub fn new(
        aggregate: &AggregateFunctionExpr,
        argument: &Arc<dyn PhysicalExpr>,
        types: impl Fn(usize) -> Option<DataType>,
    ) -> Option<PlainAggregate> {
        if aggregate.is_distinct() || !aggregate.order_bys().is_empty() {
            return None;
        }
        let plain = recognized(aggregate, argument, &types)?;
        let fields = aggregate.state_fields().ok()?;
        let state: Vec<DataType> = fields.iter().map(|f| f.data_type().clone()).collect();
        let column = match plain.column {
            Some(column) => types(column)?,
            None => DataType::Null,
        };
        (state == state_types(plain.function, &column)).then_some(plain)
    }
}

/// Returns the types of an aggregate's state over a column of that type.
pub fn state_types(function: Function, column: &DataType) -> Vec<DataType> {
    match function {
        Function::Rows | Function::Values => vec![DataType::Int64],
        Function::Sum if is_whole(column) => vec![DataType::Int64],
        Function::Sum => vec![DataType::Float64],
        Function::Average => vec![DataType::UInt64, DataType::Float64],
        Function::Least | Function::Greatest => vec![column.clone()],
    }
}

fn recognized(
    aggregate: &AggregateFunctionExpr,
    argument: &Arc<dyn PhysicalExpr>,
    types: &impl Fn(usize) -> Option<DataType>,
) -> Option<PlainAggregate> {
    let name = aggregate.fun();
    let of = |function, column| {
        let column = Some(column);
        Some(PlainAggregate { function, column })
    };
    let is_constant = argument
        .downcast_ref::<Literal>()
        .is_some_and(|literal| !literal.value().is_null());
    if name == count_udaf().as_ref() && is_constant {
        return Some(PlainAggregate {
            function: Function::Rows,
            column: None,
        });
    }
    let column = |expr: &Arc<dyn PhysicalExpr>| Some(expr.downcast_ref::<Column>()?.index());
    // DataFusion sums integers in 64 bits and all else as doubles, by casts of the argument.
    let widened = |to: DataType| match argument.downcast_ref::<CastExpr>() {
        Some(cast) if *cast.cast_type() == to => column(cast.expr()),
        Some(_) => None,
        None => column(argument).filter(|column| types(*column).as_ref() == Some(&to)),
    };
    let has =
        |column: &usize, fits: fn(&DataType) -> bool| types(*column).is_some_and(|t| fits(&t));
    if name == count_udaf().as_ref() {
        of(Function::Values, column(argument)?)
    } else if name == min_udaf().as_ref() {
        of(Function::Least, column(argument)?)
    } else if name == max_udaf().as_ref() {
        of(Function::Greatest, column(argument)?)
    } else if name == sum_udaf().as_ref() {
        let whole = widened(DataType::Int64).filter(|column| has(column, is_whole));
        let double = || widened(DataType::Float64).filter(|column| has(column, is_float));
        of(Function::Sum, whole.or_else(double)?)
    } else if name == avg_udaf().as_ref() {
        let number = |t: &DataType| is_whole(t) || is_float(t);
        let column = widened(DataType::Float64).filter(|column| has(column, number));
        of(Function::Average, column?)
    } else {
        None
    }
}

/// Returns whether a type is one of whole numbers that tables have.
fn is_whole(kind: &DataType) -> bool {
    matches!(kind, DataType::Int32 | DataType::Int64)
}

fn is_float(kind: &DataType) -> bool {
    matches!(kind, DataType::Float32 | DataType::Float64)
}
