//! What the checks of a question look for in the expressions of its plan.

use datafusion::common::DFSchema;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Between, BinaryExpr, Case, Expr, LogicalPlan, Operator};

/// Returns whether a plan, with its subqueries, has an expression of some kind. The function gets each expression with
/// the schema of what it reads.
pub fn any_expression(plan: &LogicalPlan, is_wanted: impl Fn(&Expr, &DFSchema) -> bool) -> bool {
    let mut is_found = false;
    let walked = plan.apply_with_subqueries(|node| {
        let schema = merge_schema(&node.inputs());
        node.apply_expressions(|whole| {
            whole.apply(|expr| {
                is_found |= is_wanted(expr, &schema);
                Ok(if is_found {
                    TreeNodeRecursion::Stop
                } else {
                    TreeNodeRecursion::Continue
                })
            })
        })
    });
    walked.is_ok() && is_found
}

/// Returns whether an operator compares two values for equality or by their order.
pub fn is_comparison(op: Operator) -> bool {
    matches!(
        op,
        Operator::Eq
            | Operator::NotEq
            | Operator::Lt
            | Operator::LtEq
            | Operator::Gt
            | Operator::GtEq
            | Operator::IsDistinctFrom
            | Operator::IsNotDistinctFrom
    )
}

/// Returns the values that an expression itself, and not what is in it, compares: the first one with each of the others.
pub fn compared(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(*op) => {
            vec![left.as_ref(), right.as_ref()]
        }
        Expr::Between(Between {
            expr, low, high, ..
        }) => vec![expr.as_ref(), low.as_ref(), high.as_ref()],
        Expr::InList(InList { expr, list, .. }) => {
            std::iter::once(expr.as_ref()).chain(list).collect()
        }
        Expr::Case(Case {
            expr: Some(value),
            when_then_expr,
            ..
        }) => {
            let whens = when_then_expr.iter().map(|(when, _)| when.as_ref());
            std::iter::once(value.as_ref()).chain(whens).collect()
        }
        _ => Vec::new(),
    }
}
