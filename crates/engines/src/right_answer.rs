//! Right answers: their rows, the order that counts, and whether their values are only read.

use std::sync::Arc;

use arrow::compute::concat_batches;
use bakeoff_driver::{Expected, too_large};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Expr, FetchType, LogicalPlan, SortExpr};
use datafusion::prelude::{SessionContext, lit};

use crate::run_plan::execute;
use crate::unaliased::unaliased;
use crate::whole_sums;

/// Runs SQL and returns its answer with what is known of it.
///
/// # Errors
/// Fails with DataFusion's message, for an answer that is too large to be compared, and for a sum of whole numbers
/// beyond 64 bits, which DataFusion would let wrap around.
pub async fn expected(session: &SessionContext, sql: &str) -> Result<Expected, DataFusionError> {
    let session = &whole_sums::session(session);
    let plan = session.state().create_logical_plan(sql).await?;
    let order_by = ordering(&plan);
    let LogicalPlan::Limit(mut limit) = plan else {
        let only_reads = only_reads(&plan);
        let query = session.execute_logical_plan(plan).await?;
        let answer = execute(session, query).await?;
        if answer.digest.is_some() && !only_reads {
            return Err(DataFusionError::External(too_large().into()));
        }
        return Ok(Expected {
            batches: answer.batches,
            digest: answer.digest,
            only_reads,
            order_by,
            beyond: None,
        });
    };
    let FetchType::Literal(Some(most)) = limit.get_fetch_type()? else {
        return Err(DataFusionError::Plan("LIMIT is not a plain number".into()));
    };
    // One row more shows whether rows tie across the limit: if so, any of them may be in the answer.
    limit.fetch = Some(Box::new(lit(most as i64 + 1)));
    let query = session
        .execute_logical_plan(LogicalPlan::Limit(limit))
        .await?;
    let schema = Arc::new(query.schema().as_arrow().clone());
    let answer = execute(session, query).await?;
    if answer.digest.is_some() {
        return Err(DataFusionError::External(too_large().into()));
    }
    let rows = concat_batches(&schema, &answer.batches)?;
    let is_cut = most > 0 && rows.num_rows() > most;
    Ok(Expected {
        batches: vec![rows.slice(0, rows.num_rows().min(most))],
        order_by,
        beyond: is_cut.then(|| rows.slice(most, 1)),
        ..Expected::default()
    })
}

/// Returns whether all values that a plan returns are values of a table as they are. With a LIMIT that cuts
/// through rows that tie, several answers are right.
fn only_reads(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::TableScan(_) => true,
        LogicalPlan::Projection(projection) => {
            let mut exprs = projection.expr.iter();
            exprs.all(|expr| matches!(unaliased(expr), Expr::Column(_)))
                && only_reads(&projection.input)
        }
        LogicalPlan::Filter(filter) => only_reads(&filter.input),
        LogicalPlan::Sort(sort) => sort.fetch.is_none() && only_reads(&sort.input),
        LogicalPlan::SubqueryAlias(alias) => only_reads(&alias.input),
        _ => false,
    }
}

/// Returns the output columns that a plan orders by.
pub fn ordering(plan: &LogicalPlan) -> Vec<usize> {
    match plan {
        LogicalPlan::Limit(limit) => ordering(&limit.input),
        LogicalPlan::Projection(projection) => {
            let names: Vec<_> = projection.input.schema().columns();
            let output = |column: usize| {
                projection.expr.iter().position(
                    |e| matches!(unaliased(e), Expr::Column(c) if names.get(column) == Some(c)),
                )
            };
            ordering(&projection.input)
                .into_iter()
                .map_while(output)
                .collect()
        }
        LogicalPlan::SubqueryAlias(alias) => ordering(&alias.input),
        LogicalPlan::Sort(sort) => {
            let columns = sort.input.schema().columns();
            let position = |key: &SortExpr| match &key.expr {
                Expr::Column(column) => columns.iter().position(|c| c == column),
                _ => None,
            };
            sort.expr.iter().map_while(position).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray};
    use arrow::record_batch::RecordBatch;
    use bakeoff_driver::{Comparison, Leeway, compare_answer};
    use datafusion::datasource::MemTable;

    use super::*;
    use crate::sql::session_with;

    /// Rows whose texts alone are more than an answer that is held.
    const ROWS: i64 = 60_000;
    const TEXT_BYTES: usize = 600;

    /// Makes a session with such a table, one value of which is given.
    fn session(last_value: f64) -> SessionContext {
        let part = |rows: std::ops::Range<i64>| {
            let value = |n: i64| {
                if n == ROWS - 1 {
                    last_value
                } else {
                    n as f64 / 3.0
                }
            };
            let text = |n: i64| format!("{n:0width$}", width = TEXT_BYTES);
            let columns: [(&str, ArrayRef); 3] = [
                ("n", Arc::new(Int64Array::from_iter_values(rows.clone()))),
                (
                    "text",
                    Arc::new(StringArray::from_iter_values(rows.clone().map(text))),
                ),
                (
                    "value",
                    Arc::new(Float64Array::from_iter_values(rows.map(value))),
                ),
            ];
            RecordBatch::try_from_iter(columns).unwrap()
        };
        let parts = vec![vec![part(0..20_000)], vec![part(20_000..ROWS)]];
        let table = MemTable::try_new(parts[0][0].schema(), parts).unwrap();
        session_with(2, "t", Arc::new(table)).unwrap()
    }

    #[tokio::test]
    async fn large_answers_of_values_that_are_only_read_are_compared() {
        let (session, other) = (session(0.25), session(0.5));
        for sql in [
            "SELECT * FROM t",
            "SELECT u.text AS name, value FROM (SELECT * FROM t) AS u WHERE n >= 0",
            "SELECT * FROM t ORDER BY n DESC",
        ] {
            let right = expected(&session, sql).await.unwrap();
            assert!(right.batches.is_empty() && right.only_reads, "{sql}");
            assert_eq!(right.rows(), ROWS as u64);
            let ask = async |session: &SessionContext| {
                let query = session.sql(sql).await.unwrap();
                let answer = execute(session, query).await.unwrap();
                compare_answer(&right, &answer, &Leeway::default()).unwrap()
            };
            let same = Comparison::Same { rows: ROWS as u64 };
            assert_eq!(ask(&session).await, same, "{sql}");
            let Comparison::Different(why) = ask(&other).await else {
                panic!("another value went unnoticed: {sql}");
            };
            assert!(why.contains("column `value` have other values"), "{why}");
        }
    }

    #[tokio::test]
    async fn large_answers_with_other_values_are_refused() {
        let session = session(0.25);
        for sql in [
            "SELECT text, value * 2 AS value FROM t",
            "SELECT text, sum(value) AS sum FROM t GROUP BY text",
            "SELECT * FROM t LIMIT 59999",
        ] {
            let error = expected(&session, sql).await.unwrap_err().to_string();
            assert!(error.contains("too large to be compared"), "{sql}: {error}");
        }
    }

    #[tokio::test]
    async fn small_answers_say_whether_they_are_only_read() {
        let session = session(0.25);
        for (sql, is_only_read) in [
            ("SELECT n, value FROM t WHERE n < 3", true),
            ("SELECT n FROM (SELECT value AS n FROM t WHERE n < 3)", true),
            ("SELECT count(*) AS n FROM t", false),
            ("SELECT n + 1 AS n FROM t WHERE n < 3", false),
            (
                "SELECT n FROM (SELECT n + 1 AS n FROM t WHERE n < 3)",
                false,
            ),
            ("SELECT n FROM t ORDER BY n LIMIT 3", false),
        ] {
            let right = expected(&session, sql).await.unwrap();
            assert_eq!(right.only_reads, is_only_read, "{sql}");
            assert!(right.digest.is_none());
        }
    }
}
