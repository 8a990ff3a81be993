//! Whole numbers that a query compares with floats of 32 bits. Both would be such floats, and from 16,777,217 on not
//! every whole number is one: it would be compared as another one.

use arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::expr::{InList, InSubquery};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Between, BinaryExpr, Case, Expr, ExprSchemable, LogicalPlan, cast};

use crate::expressions::is_comparison;

/// Takes whole numbers as doubles where a plan, whose types are not coerced yet, compares floats with them, unless they
/// are written in it and some float is that number.
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

/// Takes whole numbers as doubles where an expression over columns of this schema compares floats with them, as in a
/// plan.
pub fn as_written(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>, DataFusionError> {
    expr.transform_up(|expr| Ok(compared(expr, schema)))
}

fn compared(mut expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let mut changes = false;
    let all: Vec<&mut Expr> = match &mut expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(*op) => {
            vec![left.as_mut(), right.as_mut()]
        }
        Expr::Between(Between {
            expr: value,
            low,
            high,
            ..
        }) => vec![value.as_mut(), low.as_mut(), high.as_mut()],
        Expr::InList(InList {
            expr: value, list, ..
        }) => list.iter_mut().chain([value.as_mut()]).collect(),
        Expr::Case(Case {
            expr: Some(value),
            when_then_expr,
            ..
        }) => {
            let whens = when_then_expr.iter_mut().map(|(when, _)| when.as_mut());
            whens.chain([value.as_mut()]).collect()
        }
        Expr::InSubquery(asked) if is_mixed(asked, schema) => {
            // The rows of the subquery become doubles as well.
            make_double(&mut asked.expr);
            changes = true;
            Vec::new()
        }
        _ => Vec::new(),
    };
    let is_of_float = |one: &Expr| kind(one, schema).is_some_and(|kind| is_float(&kind));
    if all.iter().any(|one| is_of_float(one)) {
        for one in all {
            changes |= widen(one, schema);
        }
    }
    Transformed::new_transformed(expr, changes)
}

/// Returns whether a float is looked for among whole numbers of a subquery, or the other way round.
fn is_mixed(asked: &InSubquery, schema: &DFSchema) -> bool {
    let column = asked.subquery.subquery.schema().fields().first();
    match (kind(&asked.expr, schema), column) {
        (Some(value), Some(column)) => {
            let found = column.data_type();
            is_float(&value) && is_whole(found) || is_whole(&value) && is_float(found)
        }
        _ => false,
    }
}

fn kind(expr: &Expr, schema: &DFSchema) -> Option<DataType> {
    expr.get_type(schema).ok()
}

fn is_float(kind: &DataType) -> bool {
    *kind == DataType::Float32
}

/// Returns whether these are whole numbers of which not each one is a float of 32 bits.
fn is_whole(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Int32 | DataType::Int64 | DataType::UInt32 | DataType::UInt64
    )
}

/// Makes a double of a whole number, unless it is written as one that some float of 32 bits is; returns whether it did.
fn widen(number: &mut Expr, schema: &DFSchema) -> bool {
    let double = match number {
        Expr::Literal(ScalarValue::Int64(Some(whole)), _) => *whole as f64,
        Expr::Literal(ScalarValue::UInt64(Some(whole)), _) => *whole as f64,
        _ => {
            let is_whole = kind(number, schema).is_some_and(|kind| is_whole(&kind));
            if is_whole {
                make_double(number);
            }
            return is_whole;
        }
    };
    if f64::from(double as f32) == double {
        return false;
    }
    *number = Expr::Literal(ScalarValue::Float64(Some(double)), None);
    true
}

fn make_double(number: &mut Expr) {
    *number = cast(std::mem::take(number), DataType::Float64);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, AsArray, Float32Array, Int64Array};
    use arrow::datatypes::Int64Type;
    use arrow::record_batch::RecordBatch;
    use datafusion::prelude::SessionContext;

    use super::*;

    #[tokio::test]
    async fn whole_numbers_that_are_no_floats_are_compared_as_they_are_written() {
        let heat = Float32Array::from(vec![16_777_216.0, 16_777_218.0]);
        let visits = Int64Array::from(vec![16_777_217, 16_777_218]);
        let columns = [
            ("heat", Arc::new(heat) as ArrayRef),
            ("visits", Arc::new(visits) as ArrayRef),
        ];
        let rows = RecordBatch::try_from_iter(columns).unwrap();
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
            ("heat = visits", 1),
            ("heat = CAST(visits AS INT)", 1),
            ("visits > heat", 1),
            ("visits BETWEEN heat AND 16777216", 0),
            ("visits IN (heat, 5)", 1),
            ("heat IN (SELECT visits FROM t)", 1),
            ("visits IN (SELECT heat FROM t)", 1),
            ("heat = (SELECT min(visits) FROM t)", 0),
            ("CASE heat WHEN 16777217 THEN true ELSE false END", 0),
            ("CASE heat WHEN visits THEN true ELSE false END", 1),
            ("CASE visits WHEN heat THEN true ELSE false END", 1),
            // Who asks for the nearest float gets it.
            ("heat = CAST(16777217 AS REAL)", 1),
            ("heat = CAST(visits AS REAL)", 2),
        ] {
            assert_eq!(counted(condition).await, rows, "{condition}");
        }
    }
}
