//! Filters in a form that keys and statistics can decide.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{
    BinaryExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, Literal,
};

/// A filter in a form that a column's bounds can decide. Columns are numbers in the schema of the
/// expression; values are not null and have the column's type.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    Compare(usize, Operator, ScalarValue),
    In(usize, Vec<ScalarValue>),
    IsNull(usize),
    IsNotNull(usize),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    /// A filter of any other form.
    Unknown,
}

impl Condition {
    /// Translates an expression, as far as it has one of these forms.
    pub fn new(expr: &Arc<dyn PhysicalExpr>) -> Condition {
        if let Some(binary) = expr.downcast_ref::<BinaryExpr>() {
            return from_binary(binary);
        }
        if let Some(list) = expr.downcast_ref::<InListExpr>() {
            return from_list(list).unwrap_or(Condition::Unknown);
        }
        if let Some(null) = expr.downcast_ref::<IsNullExpr>() {
            return column(null.arg()).map_or(Condition::Unknown, Condition::IsNull);
        }
        if let Some(null) = expr.downcast_ref::<IsNotNullExpr>() {
            return column(null.arg()).map_or(Condition::Unknown, Condition::IsNotNull);
        }
        Condition::Unknown
    }

    /// Returns a column and its possible values if the condition restricts exactly one column to some
    /// values.
    pub fn values(&self) -> Option<(usize, Vec<ScalarValue>)> {
        match self {
            Condition::Compare(column, Operator::Eq, value) => Some((*column, vec![value.clone()])),
            Condition::In(column, values) => Some((*column, values.clone())),
            Condition::Any(conditions) => {
                let mut all = conditions.iter().map(Condition::values);
                let (column, mut values) = all.next()??;
                for other in all {
                    let (other, more) = other?;
                    if other != column {
                        return None;
                    }
                    values.extend(more);
                }
                Some((column, values))
            }
            _ => None,
        }
    }
}

fn from_binary(binary: &BinaryExpr) -> Condition {
    match binary.op() {
        Operator::And => Condition::All(flat(binary, Operator::And)),
        Operator::Or => Condition::Any(flat(binary, Operator::Or)),
        op => compare(binary, *op).unwrap_or(Condition::Unknown),
    }
}

/// Flattens a chain of the same operator into one list.
fn flat(binary: &BinaryExpr, op: Operator) -> Vec<Condition> {
    let side = |expr| match (op, Condition::new(expr)) {
        (Operator::And, Condition::All(conditions)) => conditions,
        (Operator::Or, Condition::Any(conditions)) => conditions,
        (_, condition) => vec![condition],
    };
    [binary.left(), binary.right()]
        .into_iter()
        .flat_map(side)
        .collect()
}

fn compare(binary: &BinaryExpr, op: Operator) -> Option<Condition> {
    let comparison = Operator::Eq == op || Operator::NotEq == op || range(op);
    if !comparison {
        return None;
    }
    let (column, op, value) = match column(binary.left()) {
        Some(column) => (column, op, literal(binary.right())?),
        None => (column(binary.right())?, op.swap()?, literal(binary.left())?),
    };
    Some(Condition::Compare(column, op, value))
}

fn range(op: Operator) -> bool {
    matches!(
        op,
        Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq
    )
}

fn from_list(list: &InListExpr) -> Option<Condition> {
    let column = column(list.expr()).filter(|_| !list.negated())?;
    // A null in the list matches no row.
    let values = list.list().iter().filter(|e| !is_null(e)).map(literal);
    Some(Condition::In(column, values.collect::<Option<_>>()?))
}

fn column(expr: &Arc<dyn PhysicalExpr>) -> Option<usize> {
    Some(expr.downcast_ref::<Column>()?.index())
}

fn literal(expr: &Arc<dyn PhysicalExpr>) -> Option<ScalarValue> {
    let value = expr.downcast_ref::<Literal>()?.value();
    (!value.is_null()).then(|| value.clone())
}

fn is_null(expr: &Arc<dyn PhysicalExpr>) -> bool {
    expr.downcast_ref::<Literal>()
        .is_some_and(|literal| literal.value().is_null())
}
