//! How many rows of a table queries select by their WHERE clauses, and how many values its columns have.

use arrow::array::AsArray;
use arrow::datatypes::{DataType, Int64Type, UInt64Type};
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{Column, TableReference};
use datafusion::error::DataFusionError;
use datafusion::functions_aggregate::expr_fn::{approx_distinct, count as count_of};
use datafusion::logical_expr::{Expr, LogicalPlan, cast};
use datafusion::prelude::{SessionContext, lit, when};

/// Counts the rows of a table that satisfy the WHERE clause of each query, in one pass over the rows.
/// `None` is for a query that has none, or whose clause is not about this table alone.
pub async fn count(
    session: &SessionContext,
    table: &str,
    queries: &[String],
) -> Result<Vec<Option<u64>>, DataFusionError> {
    let mut conditions = Vec::new();
    let mut place_of = Vec::with_capacity(queries.len());
    for sql in queries {
        let plan = session.state().create_logical_plan(sql).await?;
        let found = condition(&plan);
        place_of.push(found.map(|_| conditions.len()));
        conditions.extend(found.cloned());
    }
    let counts = count_each(session, table, conditions).await?;
    let of_place = |place: usize| counts.get(place).copied().flatten();
    let counted = { place_of.into_iter() }.map(|place| place.and_then(of_place));
    Ok(counted.collect())
}

/// Counts the rows of a table that satisfy each of these conditions, in one pass over the rows.
pub async fn count_each(
    session: &SessionContext,
    table: &str,
    conditions: Vec<Expr>,
) -> Result<Vec<Option<u64>>, DataFusionError> {
    if conditions.is_empty() {
        return Ok(Vec::new());
    }
    let mut counts = Vec::with_capacity(conditions.len());
    for (place, condition) in conditions.into_iter().enumerate() {
        let satisfied = when(condition, lit(1_i64)).end()?;
        counts.push(count_of(satisfied).alias(format!("c{place}")));
    }
    let number = counts.len();
    let rows = session.table(TableReference::bare(table)).await?;
    let answer = rows.aggregate(Vec::new(), counts)?.collect().await?;
    let of_place = |place: usize| {
        let batch = answer.iter().find(|batch| batch.num_rows() > 0)?;
        let counted = batch.column(place).as_primitive_opt::<Int64Type>()?;
        u64::try_from(counted.value(0)).ok()
    };
    Ok((0..number).map(of_place).collect())
}

/// Counts about how many different values each of these columns has, in one pass over the rows and within little
/// memory (by HyperLogLog).
pub async fn distinct(
    session: &SessionContext,
    table: &str,
    columns: &[String],
) -> Result<Vec<Option<u64>>, DataFusionError> {
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let rows = session.table(TableReference::bare(table)).await?;
    let mut counts = Vec::with_capacity(columns.len());
    for (place, name) in columns.iter().enumerate() {
        let field = rows.schema().field_with_unqualified_name(name)?;
        let column = Expr::Column(Column::from_name(name));
        // It counts no floating-point numbers, but their texts, which differ where the numbers do.
        let column = match field.data_type() {
            DataType::Float32 | DataType::Float64 => cast(column, DataType::Utf8),
            _ => column,
        };
        counts.push(approx_distinct(column).alias(format!("d{place}")));
    }
    let answer = rows.aggregate(Vec::new(), counts)?.collect().await?;
    let of_place = |place: usize| {
        let batch = answer.iter().find(|batch| batch.num_rows() > 0)?;
        let counted = batch.column(place).as_primitive_opt::<UInt64Type>()?;
        Some(counted.value(0))
    };
    Ok((0..columns.len()).map(of_place).collect())
}

/// Returns the WHERE clause of a query of one table, if it names the table and no other, and no rows are left
/// out elsewhere before they are grouped.
pub fn condition(plan: &LogicalPlan) -> Option<&Expr> {
    if let LogicalPlan::Filter(filter) = plan {
        match filter.input.as_ref() {
            LogicalPlan::TableScan(_) => {
                let asks_another = filter.predicate.exists(|expr| Ok(is_subquery(expr)));
                return (!asks_another.unwrap_or(true)).then_some(&filter.predicate);
            }
            // This is HAVING: the WHERE clause is below it.
            LogicalPlan::Aggregate(_) => {}
            _ => return None,
        }
    }
    let inputs = plan.inputs();
    let [input] = inputs.as_slice() else {
        return None;
    };
    condition(input)
}

fn is_subquery(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_) | Expr::SetComparison(_)
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Float64Array, Int64Array, StringArray};
    use arrow::datatypes::{Field, Schema};
    use arrow::record_batch::RecordBatch;
    use datafusion::datasource::MemTable;

    use super::*;
    use crate::sql::session_with;

    /// Numbers 0 to 9 in two batches, with a text for the even ones and a half of each third number.
    fn session() -> SessionContext {
        let fields = vec![
            Field::new("n", DataType::Int64, false),
            Field::new("text", DataType::Utf8, true),
            Field::new("half", DataType::Float64, true),
        ];
        let schema = Arc::new(Schema::new(fields));
        let part = |numbers: std::ops::Range<i64>| {
            let text = |n: i64| (n % 2 == 0).then(|| format!("t{n}"));
            let texts: StringArray = numbers.clone().map(text).collect();
            let half = |n: i64| (n % 3 == 0).then(|| n as f64 / 2.0);
            let halves: Float64Array = numbers.clone().map(half).collect();
            let numbers = Int64Array::from_iter_values(numbers);
            let columns: Vec<arrow::array::ArrayRef> =
                vec![Arc::new(numbers), Arc::new(texts), Arc::new(halves)];
            RecordBatch::try_new(schema.clone(), columns).unwrap()
        };
        let parts = vec![vec![part(0..4)], vec![part(4..10)]];
        let table = MemTable::try_new(schema.clone(), parts).unwrap();
        session_with(2, "t", Arc::new(table)).unwrap()
    }

    #[tokio::test]
    async fn rows_of_each_where_clause_are_counted_whatever_is_made_of_them() {
        let cases = [
            ("SELECT * FROM t WHERE n < 3", Some(3)),
            ("SELECT count(*) FROM t WHERE text = 't4'", Some(1)),
            ("SELECT max(n) FROM t WHERE text IS NULL", Some(5)),
            (
                "SELECT n FROM t WHERE text <> 't4' ORDER BY n LIMIT 1",
                Some(4),
            ),
            (
                "SELECT n % 3 AS m, count(*) FROM t WHERE n > 4 GROUP BY m HAVING count(*) > 1",
                Some(5),
            ),
            ("SELECT n FROM t WHERE n > 100", Some(0)),
            ("SELECT n FROM t WHERE n >= 0", Some(10)),
            (
                "SELECT count(*) FROM (SELECT n FROM t WHERE n < 6 LIMIT 2)",
                Some(6),
            ),
            ("SELECT n FROM t", None),
            (
                "SELECT n % 3 AS m, count(*) FROM t GROUP BY m HAVING count(*) > 1",
                None,
            ),
            (
                "SELECT n FROM (SELECT n FROM t WHERE n < 6) WHERE n > 2",
                None,
            ),
            (
                "SELECT a.n FROM t a JOIN t b ON a.n = b.n WHERE a.n < 3",
                None,
            ),
            ("SELECT n FROM t WHERE n > (SELECT min(n) FROM t)", None),
            (
                "SELECT n FROM t WHERE n IN (SELECT n FROM t WHERE n < 3)",
                None,
            ),
            (
                "SELECT n FROM t WHERE n < 3 UNION ALL SELECT n FROM t",
                None,
            ),
        ];
        let queries = cases.map(|(sql, _)| sql.to_owned());
        let counted = count(&session(), "t", &queries).await.unwrap();
        for ((sql, expected), counted) in cases.into_iter().zip(counted) {
            assert_eq!(counted, expected, "{sql}");
        }
    }

    #[tokio::test]
    async fn different_values_of_columns_are_counted() {
        let columns = ["n", "text", "half"].map(str::to_owned);
        let counted = distinct(&session(), "t", &columns).await.unwrap();
        // So few are told apart exactly; a null is no value.
        assert_eq!(counted, [Some(10), Some(5), Some(4)]);
        assert!(distinct(&session(), "t", &[]).await.unwrap().is_empty());
        assert!(distinct(&session(), "t", &["x".to_owned()]).await.is_err());
    }

    #[tokio::test]
    async fn without_a_where_clause_no_row_is_read() {
        let queries = ["SELECT n FROM t".to_owned()];
        let counted = count(&session(), "t", &queries).await;
        assert_eq!(counted.unwrap(), [None]);
        let none = count(&session(), "t", &[]).await;
        assert!(none.unwrap().is_empty());
    }
}
