//! Whole numbers that a query compares with floats of 32 bits. Both would be such floats, and from 16,777,217 on not
//! every whole number is one: it would be compared as another one.

use arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Between, BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator};

/// Takes whole numbers as doubles where a plan, whose types are not coerced yet, compares floats with them and no float
/// is that number.
pub fn as_written_in_plan(plan: LogicalPlan) -> Result<LogicalPlan, DataFusionError> {
    let rewritten = plan.transform_up_with_subqueries(|node| {
        let schema = merge_schema(&node.inputs());
        let names = NamePreserver::new(&node);
        node.map_expressions(|expr| {
            let name = names.save(&expr);
            let rewritten = as_written(expr, &schema)?;
            Ok(rewritten.update_data(|expr| name.restore(expr)))
        })
    })?;
    Ok(rewritten.data)
}

/// Takes whole numbers as doubles where an expression over columns of this schema compares floats with them and no
/// float is that number.
pub fn as_written(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>, DataFusionError> {
    expr.transform_up(|expr| Ok(compared(expr, schema)))
}

fn compared(mut expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let mut changes = false;
    match &mut expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            if is_comparison(*op) && is_float(left, schema) {
                changes = widen(right);
            } else if is_comparison(*op) && is_float(right, schema) {
                changes = widen(left);
            }
        }
        Expr::Between(Between {
            expr: value,
            low,
            high,
            ..
        }) if is_float(value, schema) => {
            let is_low = widen(low);
            changes = widen(high) || is_low;
        }
        Expr::InList(InList {
            expr: value, list, ..
        }) if is_float(value, schema) => {
            for number in list {
                changes |= widen(number);
            }
        }
        _ => {}
    }
    Transformed::new_transformed(expr, changes)
}

fn is_comparison(op: Operator) -> bool {
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

fn is_float(expr: &Expr, schema: &DFSchema) -> bool {
    matches!(expr.get_type(schema), Ok(DataType::Float32))
}

/// Makes a double of a whole number that no float of 32 bits is, and returns whether it did.
fn widen(number: &mut Expr) -> bool {
    let double = match number {
        Expr::Literal(ScalarValue::Int64(Some(whole)), _) => *whole as f64,
        Expr::Literal(ScalarValue::UInt64(Some(whole)), _) => *whole as f64,
        _ => return false,
    };
    if f64::from(double as f32) == double {
        return false;
    }
    *number = Expr::Literal(ScalarValue::Float64(Some(double)), None);
    true
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, AsArray, Float32Array};
    use arrow::datatypes::Int64Type;
    use arrow::record_batch::RecordBatch;
    use datafusion::prelude::SessionContext;

    use super::*;

    #[tokio::test]
    async fn whole_numbers_that_are_no_floats_are_compared_as_they_are_written() {
        let heat = Float32Array::from(vec![16_777_216.0, 16_777_218.0]);
        let rows = RecordBatch::try_from_iter([("heat", Arc::new(heat) as ArrayRef)]).unwrap();
        let session = SessionContext::new();
        session.register_batch("t", rows).unwrap();
        let counted = async |condition: &str| {
            let sql = format!("SELECT count(*) FROM t WHERE {condition}");
            let plan = session.state().create_logical_plan(&sql).await.unwrap();
            let plan = as_written_in_plan(plan).unwrap();
            let answer = session.execute_logical_plan(plan).await.unwrap();
            let answer = answer.collect().await.unwrap();
            answer[0].column(0).as_primitive::<Int64Type>().value(0)
        };
        for (condition, rows) in [
            ("heat = 16777216", 1),
            ("heat = 16777217", 0),
            ("heat <> 16777217", 2),
            ("heat < 16777217", 1),
            ("16777217 < heat", 1),
            ("-heat > -16777217", 1),
            ("heat BETWEEN 16777217 AND 16777218", 1),
            ("heat IN (16777217, 3)", 0),
            ("heat IN (16777217, 16777218)", 1),
            ("heat IN (SELECT heat FROM t WHERE heat = 16777217)", 0),
            // Who asks for the nearest float gets it.
            ("heat = CAST(16777217 AS REAL)", 1),
        ] {
            assert_eq!(counted(condition).await, rows, "{condition}");
        }
    }
}
