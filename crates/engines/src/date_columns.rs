//! Dates with which a question computes. Engines do that in different ways: the difference of two days is a number or a
//! length of time, the month of a day is a day or a time, and so is a day with an interval behind it. Of times all of
//! them compute the same, so that a question has to say that it means midnights.

use arrow::datatypes::DataType;
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    BinaryExpr, Cast, Expr, ExprSchemable, Like, LogicalPlan, Operator, TryCast,
};

/// Functions that count values, or return one of their arguments as it is.
const KEEPING: [&str; 21] = [
    "any_value",
    "approx_distinct",
    "arg_max",
    "arg_min",
    "coalesce",
    "count",
    "first",
    "first_value",
    "greatest",
    "lag",
    "last",
    "last_value",
    "lead",
    "least",
    "max",
    "max_by",
    "min",
    "min_by",
    "mode",
    "nth_value",
    "nullif",
];

/// Returns what is wrong with a question of a table with dates if it computes with one.
pub fn complaint(plan: &LogicalPlan) -> Option<String> {
    let mut found = None;
    let walked = plan.apply_with_subqueries(|node| {
        let schema = merge_schema(&node.inputs());
        node.apply_expressions(|whole| {
            whole.apply(|expr| {
                found = found.take().or_else(|| computed_with(expr, &schema));
                Ok(if found.is_some() {
                    TreeNodeRecursion::Stop
                } else {
                    TreeNodeRecursion::Continue
                })
            })
        })
    });
    let date = found.filter(|_| walked.is_ok())?;
    Some(format!(
        "it computes with the date `{date}`, which engines do in different ways: a date is compared, grouped and \
         ordered by, counted and returned, also as min(...) and max(...); to compute with the midnight (UTC) that it \
         begins with, write CAST({date} AS TIMESTAMP)"
    ))
}

/// Returns the date with which an expression itself, and not what is in it, computes.
fn computed_with(expr: &Expr, schema: &DFSchema) -> Option<String> {
    let first = |operands: &[Expr]| operands.iter().find_map(|operand| date(operand, schema));
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if computes(*op) => {
            date(left, schema).or_else(|| date(right, schema))
        }
        Expr::Like(Like { expr, .. }) | Expr::SimilarTo(Like { expr, .. }) => date(expr, schema),
        Expr::Cast(Cast { expr, field }) | Expr::TryCast(TryCast { expr, field })
            if !is_castable(field.data_type()) =>
        {
            date(expr, schema)
        }
        Expr::ScalarFunction(function) if !is_keeping(function.func.name()) => {
            first(&function.args)
        }
        Expr::AggregateFunction(function) if !is_keeping(function.func.name()) => {
            first(&function.params.args)
        }
        Expr::WindowFunction(function) if !is_keeping(function.fun.name()) => {
            first(&function.params.args)
        }
        _ => None,
    }
}

fn is_keeping(function: &str) -> bool {
    KEEPING.contains(&function)
}

/// Returns whether an operator neither compares values nor joins conditions.
fn computes(op: Operator) -> bool {
    let compares = matches!(
        op,
        Operator::Eq
            | Operator::NotEq
            | Operator::Lt
            | Operator::LtEq
            | Operator::Gt
            | Operator::GtEq
            | Operator::IsDistinctFrom
            | Operator::IsNotDistinctFrom
    );
    !compares && !matches!(op, Operator::And | Operator::Or)
}

/// Returns whether all engines make the same of a date that is cast to a type.
fn is_castable(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Date32
            | DataType::Timestamp(_, _)
            | DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
    )
}

/// Returns the name of the column of an expression that is a date, unless it is a constant.
fn date(expr: &Expr, schema: &DFSchema) -> Option<String> {
    if !matches!(expr.get_type(schema), Ok(DataType::Date32)) {
        return None;
    }
    let columns = expr.column_refs();
    let name = columns.into_iter().map(|column| column.name.as_str()).min();
    name.or_else(|| elsewhere(expr)).map(str::to_owned)
}

/// Returns the name of a column that is not one of the query itself: of the query around it, or of one within it.
fn elsewhere(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::OuterReferenceColumn(_, column) => Some(&column.name),
        Expr::ScalarSubquery(query) => {
            let fields = query.subquery.schema().fields();
            fields.first().map(|field| field.name().as_str())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::SessionContext;

    use super::*;

    async fn complaint_of(sql: &str) -> Option<String> {
        let session = SessionContext::new();
        let made = "CREATE TABLE t AS SELECT TIMESTAMP '2026-05-01' AS time, DATE '2026-05-01' AS day, 'a' AS host";
        session.sql(made).await.unwrap();
        complaint(&session.state().create_logical_plan(sql).await.unwrap())
    }

    #[tokio::test]
    async fn what_computes_with_a_date_is_refused_with_what_to_write() {
        for sql in [
            "SELECT day + INTERVAL '1 day' AS next FROM t",
            "SELECT max(day) - min(day) AS days FROM t",
            "SELECT day - DATE '2026-01-01' AS days FROM t",
            "SELECT date_trunc('month', day) AS month, count(*) AS n FROM t GROUP BY month",
            "SELECT extract(year FROM day) AS year FROM t",
            "SELECT host FROM t WHERE date_part('month', day) = 5",
            "SELECT s.d - INTERVAL '1 day' AS d FROM (SELECT max(day) AS d FROM t) AS s",
            "SELECT CAST(day AS INT) AS number FROM t",
            "SELECT host FROM t WHERE host IN (SELECT s.host FROM t AS s WHERE s.day - s.day IS NULL)",
            "SELECT host FROM t WHERE day > (SELECT max(day) FROM t) - INTERVAL '7 days'",
            "SELECT host FROM t WHERE EXISTS (SELECT s.host FROM t AS s WHERE s.time > t.day + INTERVAL '1 day')",
        ] {
            let complaint = complaint_of(sql).await.unwrap_or_default();
            assert!(complaint.contains(" AS TIMESTAMP)"), "{sql}: {complaint}");
        }
        let complaint = complaint_of("SELECT day + INTERVAL '1 day' AS next FROM t").await;
        assert!(complaint.unwrap().ends_with("write CAST(day AS TIMESTAMP)"));
    }

    #[tokio::test]
    async fn dates_are_compared_grouped_ordered_counted_and_picked() {
        for sql in [
            "SELECT day, count(*) AS n, count(DISTINCT day) AS m FROM t GROUP BY day ORDER BY day DESC",
            "SELECT host FROM t WHERE day >= '2026-05-01' AND day < DATE '2026-06-01' OR day IN ('2026-07-01')",
            "SELECT host, min(day) AS first, max(day) AS last FROM t GROUP BY host HAVING max(day) > '2026-05-01'",
            "SELECT host FROM t WHERE day BETWEEN '2026-05-01' AND '2026-05-02' AND day <> CAST(time AS DATE)",
            "SELECT lag(day) OVER (ORDER BY day) AS before, coalesce(day, DATE '2026-05-01') AS d FROM t",
            "SELECT date_trunc('month', CAST(day AS TIMESTAMP)) AS month FROM t",
            "SELECT CAST(day AS VARCHAR) AS written FROM t WHERE day IS NOT NULL AND day < time",
            "SELECT date_trunc('day', time) AS d, time - INTERVAL '1 day' AS before FROM t",
            "SELECT host FROM t WHERE day = (SELECT max(day) FROM t) AND time > DATE '2026-05-01' + INTERVAL '1 day'",
        ] {
            assert_eq!(complaint_of(sql).await, None, "{sql}");
        }
    }
}
