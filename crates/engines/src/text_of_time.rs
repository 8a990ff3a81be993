//! Times that a question makes texts of without a format. Engines write them in their own ways: with a `T` or a space
//! in the middle, with or without parts of a second.

use arrow::datatypes::DataType;
use datafusion::common::DFSchema;
use datafusion::logical_expr::{
    BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlan, Operator, TryCast,
};

use crate::expressions::any_expression;

/// Functions that make one text of their arguments.
const JOINING: [&str; 2] = ["concat", "concat_ws"];
/// What is wrong with such a question, and what to write.
const COMPLAINT: &str = "it makes a text of a time without a format, which engines do in different ways: return the \
                         time, or date_trunc('day', t), or write to_char(t, '%Y-%m-%d'), for which PostgreSQL and \
                         Spark need a separate text";

/// Returns what is wrong with a question that makes a text of a time.
pub fn complaint(plan: &LogicalPlan) -> Option<String> {
    any_expression(plan, makes_text).then(|| COMPLAINT.to_owned())
}

/// Returns whether an expression itself, and not what is in it, makes a text of a time.
fn makes_text(expr: &Expr, schema: &DFSchema) -> bool {
    match expr {
        Expr::Cast(Cast { expr, field }) | Expr::TryCast(TryCast { expr, field }) => {
            let is_text = matches!(
                field.data_type(),
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
            );
            is_text && is_time(expr, schema)
        }
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::StringConcat,
            right,
        }) => is_time(left, schema) || is_time(right, schema),
        Expr::ScalarFunction(function) => {
            let mut arguments = function.args.iter();
            JOINING.contains(&function.func.name())
                && arguments.any(|argument| is_time(argument, schema))
        }
        _ => false,
    }
}

fn is_time(expr: &Expr, schema: &DFSchema) -> bool {
    matches!(expr.get_type(schema), Ok(DataType::Timestamp(_, _)))
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::SessionContext;

    use super::*;

    async fn complaint_of(sql: &str) -> Option<String> {
        let session = SessionContext::new();
        let made = "CREATE TABLE t AS SELECT TIMESTAMP '2026-05-01' AS time, 'a' AS host, 1 AS n";
        session.sql(made).await.unwrap();
        complaint(&session.state().create_logical_plan(sql).await.unwrap())
    }

    #[tokio::test]
    async fn texts_of_times_are_refused() {
        for sql in [
            "SELECT time::text AS seen FROM t",
            "SELECT CAST(max(time) AS VARCHAR) AS seen FROM t",
            "SELECT host || ' ' || time AS seen FROM t",
            "SELECT concat(host, date_trunc('day', time)) AS seen FROM t",
            "SELECT host FROM t WHERE CAST(time AS TEXT) LIKE '2026-05%'",
            "SELECT host FROM t WHERE n IN (SELECT s.n FROM t AS s WHERE s.time::text = '2026')",
            "SELECT s.seen FROM (SELECT time AS seen FROM t) AS s JOIN t ON s.seen::text = t.host",
        ] {
            let complaint = complaint_of(sql).await.unwrap_or_default();
            assert!(complaint.contains("date_trunc('day', t)"), "{sql}");
        }
    }

    #[tokio::test]
    async fn other_texts_and_times_are_taken() {
        for sql in [
            "SELECT n::text AS n, host || 'a' AS h, concat(host, n) AS c FROM t",
            "SELECT time, to_char(time, '%Y') AS year FROM t WHERE time > '2026-05-01' ORDER BY time",
            "SELECT CAST(time AS DATE) AS day, count(*) AS n FROM t GROUP BY CAST(time AS DATE)",
        ] {
            assert_eq!(complaint_of(sql).await, None, "{sql}");
        }
    }
}
