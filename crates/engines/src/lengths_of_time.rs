//! Lengths of time, such as `max(t) - min(t)`, that a question compares with an interval of days or months. DataFusion
//! compares the months of two lengths first, then their days, and then the rest. The difference of two times has the
//! rest alone, so that it is never as long as a day. Other engines take a day for 24 hours.

use arrow::datatypes::DataType;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::expr::{InSubquery, SetComparison};
use datafusion::logical_expr::{
    BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlan, Subquery, TryCast,
};

use crate::expressions::{self, any_expression};

/// Functions that compare their arguments with each other.
const COMPARING: [&str; 3] = ["greatest", "least", "nullif"];
/// What is wrong with such a question, and what to write.
const COMPLAINT: &str = "it compares a length of time with an interval that has days or months, or may have them: \
                             DataFusion compares their parts, so that no difference of two times is as long as a \
                             day, and other engines compare how long they are; write hours where they are compared, \
                             such as INTERVAL '24 hours' instead of INTERVAL '1 day'";

/// Returns what is wrong with a question that compares a length of time with days or months.
pub fn complaint(plan: &LogicalPlan) -> Option<String> {
    any_expression(plan, compares_days).then(|| COMPLAINT.to_owned())
}

/// Returns whether an expression itself, and not what is in it, compares an interval that may have days or months.
/// Whatever is compared with an interval is a length of time.
fn compares_days(expr: &Expr, schema: &DFSchema) -> bool {
    let with_subquery = match expr {
        Expr::InSubquery(InSubquery { subquery, .. })
        | Expr::SetComparison(SetComparison { subquery, .. }) => has_intervals(subquery),
        _ => false,
    };
    let mut values = compared(expr).into_iter();
    with_subquery || values.any(|value| !is_of_hours(value, schema))
}

/// Returns the values that an expression itself compares with each other, or with those of a subquery.
fn compared(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::InSubquery(InSubquery { expr, .. })
        | Expr::SetComparison(SetComparison { expr, .. }) => vec![expr.as_ref()],
        Expr::ScalarFunction(function) if COMPARING.contains(&function.func.name()) => {
            function.args.iter().collect()
        }
        _ => expressions::compared(expr),
    }
}

/// Returns whether a subquery gives intervals.
fn has_intervals(subquery: &Subquery) -> bool {
    let fields = subquery.subquery.schema().fields();
    let first = fields.first();
    first.is_some_and(|field| is_interval(field.data_type()))
}

/// Returns whether a value is no interval, or one that is certain to have neither months nor days.
fn is_of_hours(value: &Expr, schema: &DFSchema) -> bool {
    let kind = value.get_type(schema);
    if !kind.is_ok_and(|kind| is_interval(&kind)) {
        return true;
    }
    match value {
        Expr::Literal(interval, _) => has_hours(interval),
        Expr::Negative(inner) => is_of_hours(inner, schema),
        Expr::BinaryExpr(BinaryExpr { left, right, .. }) => {
            is_of_hours(left, schema) && is_of_hours(right, schema)
        }
        Expr::Cast(Cast { expr, field }) | Expr::TryCast(TryCast { expr, field }) => {
            match expr.as_ref() {
                Expr::Literal(text, _) => {
                    let interval = text.cast_to(field.data_type());
                    interval.is_ok_and(|interval| has_hours(&interval))
                }
                inner => {
                    let kind = inner.get_type(schema);
                    matches!(kind, Ok(DataType::Duration(_)))
                }
            }
        }
        _ => false,
    }
}

/// Returns whether an interval has neither months nor days.
fn has_hours(interval: &ScalarValue) -> bool {
    match interval {
        ScalarValue::IntervalYearMonth(Some(months)) => *months == 0,
        ScalarValue::IntervalDayTime(Some(parts)) => parts.days == 0,
        ScalarValue::IntervalMonthDayNano(Some(parts)) => parts.months == 0 && parts.days == 0,
        other => other.is_null(),
    }
}

fn is_interval(kind: &DataType) -> bool {
    matches!(kind, DataType::Interval(_))
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::SessionContext;

    use super::*;

    async fn session() -> SessionContext {
        let session = SessionContext::new();
        let made = "CREATE TABLE t AS SELECT arrow_cast('2026-05-01', 'Timestamp(Millisecond, None)') AS time, \
                    TIMESTAMP '2026-05-03' AS later, 'a' AS host, 1 AS n";
        session.sql(made).await.unwrap();
        session
    }

    #[tokio::test]
    async fn lengths_are_not_compared_with_days_or_months() {
        let session = session().await;
        for sql in [
            "SELECT n FROM t WHERE later - time > INTERVAL '1 day'",
            "SELECT n FROM t WHERE time - TIMESTAMP '2026-05-01' <= INTERVAL '1 month'",
            "SELECT n FROM t WHERE INTERVAL '1 day 2 hours' = (later - time)",
            "SELECT n FROM t WHERE later - time IS DISTINCT FROM INTERVAL '1' YEAR",
            "SELECT host FROM t GROUP BY host HAVING max(time) - min(time) > INTERVAL '1 week'",
            "SELECT s.length > INTERVAL '2 days' AS long FROM (SELECT later - time AS length FROM t) AS s",
            "SELECT n FROM t WHERE later - time BETWEEN INTERVAL '1 hour' AND INTERVAL '1 day'",
            "SELECT n FROM t WHERE later - time IN (INTERVAL '24 hours', INTERVAL '1 day')",
            "SELECT n FROM t WHERE later - time > INTERVAL '1 hour' + INTERVAL '1 day'",
            "SELECT n FROM t WHERE later - time - INTERVAL '1 day' > INTERVAL '1 hour'",
            "SELECT n FROM t WHERE later - time > '1 day'::interval",
            "SELECT n FROM t WHERE later - time > (SELECT INTERVAL '1 day')",
            "SELECT n FROM t WHERE later - time IN (SELECT INTERVAL '1 day')",
            "SELECT sum(CASE WHEN later - time < INTERVAL '1 day' THEN 1 ELSE 0 END) AS n FROM t",
            "SELECT CASE later - time WHEN INTERVAL '1 day' THEN 1 END AS n FROM t",
            "SELECT greatest(later - time, INTERVAL '1 day') AS length FROM t",
            "SELECT least(INTERVAL '1 hour', INTERVAL '2 days') AS length FROM t",
            "SELECT nullif(later - time, INTERVAL '1 day') AS length FROM t",
            "SELECT t.n FROM t JOIN t AS u ON u.later - t.time < INTERVAL '1 day' AND t.n = u.n",
            "SELECT n FROM t WHERE n IN (SELECT s.n FROM t AS s WHERE s.later - s.time > INTERVAL '1 day')",
            "SELECT s.d > INTERVAL '1 hour' AS long FROM (SELECT INTERVAL '1 day' AS d FROM t) AS s",
        ] {
            let plan = session.state().create_logical_plan(sql).await.expect(sql);
            let complaint = complaint(&plan).unwrap_or_default();
            assert!(complaint.contains("INTERVAL '24 hours'"), "{sql}");
        }
    }

    #[tokio::test]
    async fn lengths_are_compared_with_hours_and_times_with_times() {
        let session = session().await;
        for sql in [
            "SELECT n FROM t WHERE later - time > INTERVAL '24 hours'",
            "SELECT n FROM t WHERE later - time BETWEEN INTERVAL '30 minutes' AND INTERVAL '720 hours'",
            "SELECT n FROM t WHERE later - time IN (INTERVAL '24 hours', INTERVAL '1 hour 30 minutes')",
            "SELECT n FROM t WHERE later - time > INTERVAL '1 hour' + INTERVAL '0 days'",
            "SELECT n FROM t WHERE later - time > '36 hours'::interval",
            "SELECT host FROM t GROUP BY host HAVING max(time) - min(time) >= INTERVAL '48 hours'",
            "SELECT n FROM t WHERE later - time > TIMESTAMP '2026-05-02' - TIMESTAMP '2026-05-01'",
            "SELECT n FROM t WHERE later - time > NULL",
            "SELECT n FROM t WHERE time > now() - INTERVAL '1 day'",
            "SELECT n FROM t WHERE later >= time + INTERVAL '1 month'",
            "SELECT n FROM t WHERE later BETWEEN time AND time + INTERVAL '1 day'",
            "SELECT n FROM t WHERE time + INTERVAL '1 day' IN (later, later - INTERVAL '1 week')",
            "SELECT n FROM t WHERE later > (SELECT max(time) - INTERVAL '7 days' FROM t)",
            "SELECT date_bin(INTERVAL '1 day', time) AS day, time + INTERVAL '1 month' AS next FROM t",
            "SELECT later - time AS length, INTERVAL '1 day' AS day FROM t ORDER BY length",
            "SELECT greatest(later, time + INTERVAL '1 day') AS last, least(n, 2) AS least FROM t",
            "SELECT nullif(later, time + INTERVAL '1 day') AS other, nullif(host, 'a') AS host FROM t",
        ] {
            let plan = session.state().create_logical_plan(sql).await.expect(sql);
            assert_eq!(complaint(&plan), None, "{sql}");
        }
    }
}
