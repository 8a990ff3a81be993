//! The conditions of a question, by columns.

use arrow::datatypes::DataType;
use bakeoff_workload::{ColumnType, ParameterValues, Query, Table};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Between, BinaryExpr, Expr, LogicalPlan, Operator};

use crate::advice::{Filter, FilterKind};
use crate::selected::condition;

/// Returns the conditions that all have to hold for a row, each with the expression that says so. There are none for a
/// question of several tables, or whose conditions are about more than a column each.
pub fn of_plan<'p>(plan: &'p LogicalPlan, table: &Table) -> Vec<(Filter, &'p Expr)> {
    let Some(condition) = condition(plan) else {
        return Vec::new();
    };
    let parts = split_conjunction(condition).into_iter();
    parts
        .filter_map(|expr| Some((filter(expr, table)?, expr)))
        .collect()
}

/// Adds to conditions what the parameters of their question say: how many values, and how long a window.
pub fn with_parameters(filters: &mut [Filter], query: &Query) {
    for filter in filters {
        for parameter in &query.parameters {
            match (&parameter.values, &mut filter.kind) {
                (ParameterValues::Distinct { column, count }, FilterKind::Equals { values })
                    if *column == filter.column =>
                {
                    *values = *count;
                }
                (
                    ParameterValues::Window {
                        column,
                        milliseconds,
                    },
                    FilterKind::Range { width },
                ) if *column == filter.column => {
                    *width = i64::try_from(*milliseconds).ok();
                }
                _ => {}
            }
        }
    }
}

/// Returns what an expression says of a column; `None` if it is about none, or about several.
fn filter(expr: &Expr, table: &Table) -> Option<Filter> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let kind = match op {
                Operator::Eq => FilterKind::Equals { values: 1 },
                Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq => {
                    FilterKind::Range { width: None }
                }
                _ => FilterKind::Other,
            };
            let (column, value) = match column_name(left, table) {
                Some(_) => (left, right),
                None => (right, left),
            };
            let is_value = value.column_refs().is_empty();
            if is_value {
                of(column, table, kind)
            } else {
                None
            }
        }
        Expr::Between(Between { expr, negated, .. }) if !negated => {
            of(expr, table, FilterKind::Range { width: None })
        }
        Expr::InList(list) if !list.negated => {
            let values = u32::try_from(list.list.len()).unwrap_or(u32::MAX);
            of(&list.expr, table, FilterKind::Equals { values })
        }
        other => {
            let columns = other.column_refs();
            let mut columns = columns.into_iter();
            match (columns.next(), columns.next()) {
                (Some(column), None) => Some(Filter {
                    column: column.name.clone(),
                    kind: FilterKind::Other,
                    share: None,
                }),
                _ => None,
            }
        }
    }
}

/// Makes the condition on a column; `None` if the expression is none.
fn of(column: &Expr, table: &Table, kind: FilterKind) -> Option<Filter> {
    Some(Filter {
        column: column_name(column, table)?,
        kind,
        share: None,
    })
}

/// Returns the name of a column that an expression is. A column of floats may be cast to doubles, as it is where
/// questions compare it.
fn column_name(expr: &Expr, table: &Table) -> Option<String> {
    let (column, is_widened) = match expr {
        Expr::Cast(cast) if *cast.field.data_type() == DataType::Float64 => {
            (cast.expr.as_ref(), true)
        }
        expr => (expr, false),
    };
    let Expr::Column(column) = column else {
        return None;
    };
    let is_float = || {
        let known = table.column(&column.name);
        known.is_some_and(|column| column.kind == ColumnType::Float)
    };
    (!is_widened || is_float()).then(|| column.name.clone())
}
