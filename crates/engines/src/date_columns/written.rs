//! How a question may write what its plan computes, with the casts that it has.

use datafusion::common::Column;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::utils::grouping_set_to_exprlist;
use datafusion::logical_expr::{Aggregate, Distinct, Expr, LogicalPlan, Projection, Window};
use datafusion::sql::unparser::Unparser;
use datafusion::sql::unparser::dialect::Dialect;

/// SQL whose names have quotes only where they need them.
struct Plain;

impl Dialect for Plain {
    fn identifier_quote_style(&self, identifier: &str) -> Option<char> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        (!identifier.chars().all(is_plain)).then_some('"')
    }
}

/// Writes an expression of a node of a plan; `...` for one that has no SQL.
pub fn written(expr: &Expr, node: &LogicalPlan) -> String {
    let sql = Unparser::new(&Plain).expr_to_sql(&spelled(expr, node));
    sql.map_or_else(|_| "...".to_owned(), |sql| sql.to_string())
}

/// Returns an expression of a node with what its columns stand for, so that a question may write it at that place.
fn spelled(expr: &Expr, node: &LogicalPlan) -> Expr {
    let inputs = node.inputs();
    let spelled = expr.clone().transform_up(|expr| {
        Ok(match expr {
            Expr::Column(column) => Transformed::yes(spelled_column(column, &inputs)),
            expr => Transformed::no(expr),
        })
    });
    spelled.map_or_else(|_| expr.clone(), |spelled| spelled.data)
}

fn spelled_column(column: Column, inputs: &[&LogicalPlan]) -> Expr {
    let computed = inputs.iter().find_map(|input| computed(input, &column));
    if let Some((expr, node)) = computed {
        return spelled(expr, node);
    }
    let namesakes =
        { inputs.iter() }.map(|input| input.schema().fields_with_unqualified_name(&column.name));
    if namesakes.flatten().count() > 1 {
        Expr::Column(column)
    } else {
        Expr::Column(Column::new_unqualified(column.name))
    }
}

/// Returns what a node below computes as a column to which the question gives no name, and the node that does.
fn computed<'a>(plan: &'a LogicalPlan, column: &Column) -> Option<(&'a Expr, &'a LogicalPlan)> {
    let place = plan.schema().maybe_index_of_column(column)?;
    let below = || computed(plan.inputs().into_iter().next()?, column);
    let expr = match plan {
        LogicalPlan::Filter(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Distinct(Distinct::All(_)) => return below(),
        LogicalPlan::Projection(Projection { expr, .. }) => match expr.get(place)? {
            Expr::Alias(_) => return None,
            expr => expr,
        },
        LogicalPlan::Aggregate(Aggregate {
            group_expr,
            aggr_expr,
            schema,
            ..
        }) => {
            let before = schema.fields().len().checked_sub(aggr_expr.len())?;
            match place.checked_sub(before) {
                Some(place) => aggr_expr.get(place)?,
                None => grouping_set_to_exprlist(group_expr)
                    .ok()?
                    .into_iter()
                    .nth(place)?,
            }
        }
        LogicalPlan::Window(Window {
            input, window_expr, ..
        }) => match place.checked_sub(input.schema().fields().len()) {
            Some(place) => window_expr.get(place)?,
            None => return below(),
        },
        _ => return None,
    };
    Some((expr, plan))
}
