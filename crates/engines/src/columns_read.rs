//! How many columns of a table queries read.

use std::collections::BTreeSet;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{LogicalPlan, TableScan};
use datafusion::prelude::SessionContext;

/// Counts the columns of a table that each query reads, in all of its parts together: those that its optimised plan
/// asks of the table, for conditions, too. `None` is for a query that does not read the table.
pub async fn count(
    session: &SessionContext,
    table: &str,
    queries: &[String],
) -> Result<Vec<Option<u32>>, DataFusionError> {
    let mut counts = Vec::with_capacity(queries.len());
    for sql in queries {
        let state = session.state();
        let plan = state.optimize(&state.create_logical_plan(sql).await?)?;
        let mut read: Option<BTreeSet<usize>> = None;
        plan.apply_with_subqueries(|node| {
            if let LogicalPlan::TableScan(scan) = node
                && scan.table_name.table() == table
            {
                read.get_or_insert_default().extend(columns_of(scan));
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        counts.push(read.and_then(|read| u32::try_from(read.len()).ok()));
    }
    Ok(counts)
}

/// Returns the columns that a scan reads, by their places in the table.
fn columns_of(scan: &TableScan) -> BTreeSet<usize> {
    let schema = scan.source.schema();
    let mut columns: BTreeSet<usize> = match &scan.projection {
        Some(projection) => projection.iter().copied().collect(),
        None => (0..schema.fields().len()).collect(),
    };
    let filters = scan.filters.iter().flat_map(|filter| filter.column_refs());
    columns.extend(filters.filter_map(|column| schema.index_of(&column.name).ok()));
    columns
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::datatypes::{DataType, Field, Schema};
    use arrow::record_batch::RecordBatch;
    use datafusion::datasource::MemTable;

    use super::*;
    use crate::sql::session_with;

    #[tokio::test]
    async fn columns_are_counted_once_wherever_a_query_reads_them() {
        let field = |name: &str| Field::new(name, DataType::Int64, true);
        let schema = Arc::new(Schema::new(vec![field("a"), field("b"), field("c")]));
        let empty = vec![vec![RecordBatch::new_empty(schema.clone())]];
        let table = MemTable::try_new(schema, empty).unwrap();
        let session = session_with(2, "t", Arc::new(table)).unwrap();
        let cases = [
            ("SELECT count(a) FROM t", Some(1)),
            ("SELECT count(a), max(a), min(b) FROM t", Some(2)),
            ("SELECT * FROM t", Some(3)),
            ("SELECT count(a) FROM t WHERE c > 3", Some(2)),
            ("SELECT a FROM t ORDER BY b", Some(2)),
            ("SELECT a FROM t WHERE a > (SELECT avg(b) FROM t)", Some(2)),
            ("SELECT count(x.a) FROM t x JOIN t y ON x.b = y.c", Some(3)),
            ("SELECT 1", None),
        ];
        let queries = cases.map(|(sql, _)| sql.to_owned());
        let counted = count(&session, "t", &queries).await.unwrap();
        for ((sql, expected), counted) in cases.into_iter().zip(counted) {
            assert_eq!(counted, expected, "{sql}");
        }
    }
}
