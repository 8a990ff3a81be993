//! Questions for the newest rows that join the table with the highest time of each group of its rows.

use datafusion::common::{Column, JoinType};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Join, LogicalPlan, Operator};

use crate::unaliased::unaliased;

/// Returns whether a join takes the rows whose order column has the highest value of their group.
pub fn is_joined(join: &Join, order: &str) -> bool {
    let of_filter = join.filter.iter().flat_map(split_conjunction);
    let on = join.on.iter().map(|(left, right)| (left, right));
    let mut pairs = on.chain(of_filter.filter_map(equal));
    let is_order = |expr: &Expr| matches!(expr, Expr::Column(column) if column.name == order);
    let is_highest = |expr: &Expr| {
        let Expr::Column(column) = expr else {
            return false;
        };
        has_highest(&join.left, column, order) || has_highest(&join.right, column, order)
    };
    let is_pair = |(one, other): (&Expr, &Expr)| is_order(one) && is_highest(other);
    join.join_type == JoinType::Inner
        && pairs.any(|(one, other)| is_pair((one, other)) || is_pair((other, one)))
}

/// Returns both sides of an equation.
fn equal(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match expr {
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Eq,
            right,
        }) => Some((left.as_ref(), right.as_ref())),
        _ => None,
    }
}

/// Returns whether a column of a plan is the highest value of the order column in groups of rows.
fn has_highest(plan: &LogicalPlan, column: &Column, order: &str) -> bool {
    let at = plan.schema().maybe_index_of_column(column);
    at.is_some_and(|at| has_highest_at(plan, at, order))
}

fn has_highest_at(plan: &LogicalPlan, at: usize, order: &str) -> bool {
    match plan {
        LogicalPlan::SubqueryAlias(alias) => has_highest_at(&alias.input, at, order),
        LogicalPlan::Projection(projection) => match projection.expr.get(at).map(unaliased) {
            Some(Expr::Column(column)) => has_highest(&projection.input, column, order),
            _ => false,
        },
        LogicalPlan::Aggregate(aggregate) => {
            let values = &aggregate.aggr_expr;
            let groups = aggregate.schema.fields().len().checked_sub(values.len());
            let of_value = groups.and_then(|groups| at.checked_sub(groups));
            let value = of_value.and_then(|at| values.get(at));
            !aggregate.group_expr.is_empty() && value.is_some_and(|value| is_max(value, order))
        }
        _ => false,
    }
}

fn is_max(expr: &Expr, order: &str) -> bool {
    let Expr::AggregateFunction(function) = unaliased(expr) else {
        return false;
    };
    let is_order =
        matches!(&function.params.args[..], [Expr::Column(column)] if column.name == order);
    is_order && function.func.name() == "max" && function.params.filter.is_none()
}
