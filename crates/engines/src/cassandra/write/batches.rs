//! Loading of a slice of rows, in single-partition batches where partitions have many rows and in
//! single inserts where each row is its own partition.

use std::collections::HashMap;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::compute::{filter_record_batch, is_not_null};
use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;
use arrow::row::{RowConverter, SortField};
use bakeoff_driver::DesignError;
use bakeoff_driver::drive::Failure;
use bakeoff_stats::FailureKind;
use futures::TryStreamExt;
use scylla::client::session::Session;
use scylla::statement::batch::{Batch, BatchType};
use scylla::statement::prepared::PreparedStatement;

use super::encode::{Row, Rows};
use crate::cassandra::cluster::failures::failure;
use crate::cassandra::rows::layout::{Shape, TableLayout};
use crate::integers::integers;
use crate::rate_limit::Pace;

/// Maximum number of requests in flight.
pub const IN_FLIGHT: usize = 128;
/// Maximum number of rows of a batch: 300 was the measured optimum for short rows.
pub const BATCH_ROWS: usize = 300;
/// Bytes that Cassandra counts for a row and for a cell, beside their values, when it compares a batch of several
/// partitions with `batch_size_fail_threshold` (50 KiB): keys, times and deletion times, rounded up. Batches of one
/// partition have no such limit.
const ROW_OVERHEAD: usize = 64;
const CELL_OVERHEAD: usize = 32;

/// Describes how rows are written, for reports.
pub fn settings(layout: &TableLayout) -> Vec<(String, String)> {
    let requests = match layout.shape {
        Shape::Narrow => "single inserts".to_owned(),
        Shape::Wide | Shape::Blob | Shape::Compact => format!(
            "unlogged single-partition batches of up to {BATCH_ROWS} rows and {} KiB",
            layout.batch_bytes >> 10
        ),
    };
    vec![(
        "writes".to_owned(),
        format!("{requests}, {IN_FLIGHT} in flight"),
    )]
}

/// Writes all rows, and returns when every one is acknowledged.
pub async fn write(
    session: &Session,
    insert: &PreparedStatement,
    layout: &TableLayout,
    batch: &RecordBatch,
    pace: Pace<'_>,
) -> Result<(), DesignError> {
    let written = insert_all(session, insert, layout, batch, pace).await;
    written.map_err(|failure| DesignError(failure.message))
}

/// Writes all rows like [`write`], and returns the kind of a failure with its message.
pub async fn insert_all(
    session: &Session,
    insert: &PreparedStatement,
    layout: &TableLayout,
    batch: &RecordBatch,
    pace: Pace<'_>,
) -> Result<(), Failure> {
    let rejected = |e: DesignError| Failure::new(FailureKind::Rejected, e.0);
    let batch = &with_partition_key(layout, batch).map_err(rejected)?;
    let rows = Rows::new(layout, batch);
    let requests = requests(layout, batch, &rows);
    let requests = requests.map_err(rejected)?;
    let rows = &rows;
    futures::stream::iter(requests.into_iter().map(Ok))
        .try_for_each_concurrent(IN_FLIGHT, |members| async move {
            pace.wait(members.len()).await;
            send(session, insert, rows, members).await
        })
        .await
}

/// Leaves out the rows that a copy of a table does not have: those with a null or nothing in its partition key,
/// which Cassandra refuses there.
fn with_partition_key(
    layout: &TableLayout,
    batch: &RecordBatch,
) -> Result<RecordBatch, DesignError> {
    let failed = |e: arrow::error::ArrowError| DesignError(format!("choosing rows failed: {e}"));
    let column = layout.copied_by.as_deref();
    let Some(array) = column.and_then(|name| batch.column_by_name(name)) else {
        return Ok(batch.clone());
    };
    let has_key: BooleanArray = match array.data_type() {
        DataType::Utf8 => {
            let texts = array.as_string::<i32>().iter();
            texts
                .map(|text| Some(text.is_some_and(|text| !text.is_empty())))
                .collect()
        }
        DataType::Binary => {
            let blobs = array.as_binary::<i32>().iter();
            blobs
                .map(|blob| Some(blob.is_some_and(|blob| !blob.is_empty())))
                .collect()
        }
        _ => is_not_null(array).map_err(failed)?,
    };
    filter_record_batch(batch, &has_key).map_err(failed)
}

/// Writes all rows in their order, in unlogged batches of rows of any partitions, each as large as its bytes allow.
/// The coordinator of a batch sends each row on to the nodes that hold it.
pub async fn insert_over_any(
    session: &Session,
    insert: &PreparedStatement,
    layout: &TableLayout,
    batch: &RecordBatch,
) -> Result<(), Failure> {
    let rejected = |e: DesignError| Failure::new(FailureKind::Rejected, e.0);
    let batch = &with_partition_key(layout, batch).map_err(rejected)?;
    let rows = Rows::new(layout, batch);
    let last = last_per_key(layout, batch).map_err(rejected)?;
    let overhead = ROW_OVERHEAD + CELL_OVERHEAD * layout.table.columns.len();
    let limits = Limits {
        rows: usize::MAX,
        bytes: layout.batch_bytes,
        overhead,
    };
    for members in into_batches(&rows, &last, limits) {
        send(session, insert, &rows, members).await?;
    }
    Ok(())
}

/// Describes these batches, of at most so many bytes, for reports.
pub fn setting_over_any(batch_bytes: usize) -> (String, String) {
    let batches = format!(
        "unlogged batches of rows of any partitions, up to {} KiB each, one after the other",
        batch_bytes >> 10
    );
    ("writes".to_owned(), batches)
}

/// Groups row numbers into requests.
fn requests(
    layout: &TableLayout,
    batch: &RecordBatch,
    rows: &Rows,
) -> Result<Vec<Vec<usize>>, DesignError> {
    // Requests overtake each other, and writes of one batch have one timestamp: which row of a key
    // wins is certain only if it is the only one.
    let last = last_per_key(layout, batch)?;
    Ok(match layout.shape {
        Shape::Narrow => last.into_iter().map(|row| vec![row]).collect(),
        Shape::Wide | Shape::Blob | Shape::Compact => {
            let groups = partitions(layout, batch, last)?;
            let limits = Limits {
                rows: BATCH_ROWS,
                bytes: layout.batch_bytes,
                overhead: 0,
            };
            let batches = groups.iter();
            let batches = batches.flat_map(|group| into_batches(rows, group, limits));
            batches.collect()
        }
    })
}

async fn send(
    session: &Session,
    insert: &PreparedStatement,
    rows: &Rows,
    members: Vec<usize>,
) -> Result<(), Failure> {
    let done = match members.as_slice() {
        [row] => session.execute_unpaged(insert, rows.row(*row)).await,
        _ => {
            let statements = vec![insert.clone().into(); members.len()];
            let batch = Batch::new_with_statements(BatchType::Unlogged, statements);
            let values: Vec<Row<'_>> = members.iter().map(|row| rows.row(*row)).collect();
            session.batch(&batch, values).await
        }
    };
    done.map(drop)
        .map_err(|e| failure("writing to Cassandra failed", &e))
}

/// What a batch may have at most.
#[derive(Debug, Clone, Copy)]
struct Limits {
    rows: usize,
    bytes: usize,
    /// Bytes that each row counts for beside its values.
    overhead: usize,
}

/// Cuts rows into batches within these limits; a row that is too large is a batch of its own.
fn into_batches(rows: &Rows, mut group: &[usize], limits: Limits) -> Vec<Vec<usize>> {
    let mut batches = Vec::new();
    while !group.is_empty() {
        let mut bytes = 0;
        let fitting = group.iter().take(limits.rows).take_while(|row| {
            bytes += rows.bytes(**row) + limits.overhead;
            bytes <= limits.bytes
        });
        let (batch, rest) = group.split_at(fitting.count().max(1));
        batches.push(batch.to_vec());
        group = rest;
    }
    batches
}

/// Returns the rows that no later row of the batch overwrites, in order.
fn last_per_key(layout: &TableLayout, batch: &RecordBatch) -> Result<Vec<usize>, DesignError> {
    let keys = keys(batch, layout.table.key())?;
    let last: HashMap<_, _> = keys
        .iter()
        .enumerate()
        .map(|(row, key)| (key, row))
        .collect();
    Ok((0..batch.num_rows())
        .filter(|row| last.get(&keys.row(*row)) == Some(row))
        .collect())
}

/// Groups row numbers by partition, in order of arrival.
fn partitions(
    layout: &TableLayout,
    batch: &RecordBatch,
    rows: Vec<usize>,
) -> Result<Vec<Vec<usize>>, DesignError> {
    let keys = keys(batch, layout.partition_key().into_iter())?;
    let buckets = buckets(layout, batch);
    let mut numbers = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for row in rows {
        let bucket = buckets.as_ref().map(|b| b[row]);
        let number = *numbers.entry((keys.row(row), bucket)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[number].push(row);
    }
    Ok(groups)
}

/// Returns the bucket number of each row, if the layout has buckets.
fn buckets(layout: &TableLayout, batch: &RecordBatch) -> Option<Vec<i64>> {
    let bucket = layout.bucket.as_ref()?;
    let order_key = integers(batch.column_by_name(&bucket.column)?);
    let numbers = order_key.into_iter().map(|v| v.div_euclid(bucket.width));
    Some(numbers.collect())
}

/// Converts columns to a form that can be compared and hashed.
fn keys<'a>(
    batch: &RecordBatch,
    columns: impl Iterator<Item = &'a str>,
) -> Result<arrow::row::Rows, DesignError> {
    let failed = |e: arrow::error::ArrowError| DesignError(format!("grouping rows failed: {e}"));
    let columns: Vec<ArrayRef> = columns
        .filter_map(|name| batch.column_by_name(name).cloned())
        .collect();
    let fields = columns
        .iter()
        .map(|array| SortField::new(array.data_type().clone()))
        .collect();
    let converter = RowConverter::new(fields).map_err(failed)?;
    converter.convert_columns(&columns).map_err(failed)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{BinaryArray, Int32Array, Int64Array, StringArray};
    use bakeoff_workload::{Column, ColumnType, Table};

    use super::*;
    use crate::cassandra::rows::layout::BATCH_BYTES;

    fn layout(id: &str) -> TableLayout {
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        let table = Table {
            name: "t".to_owned(),
            columns: vec![
                column("p", ColumnType::Int),
                column("o", ColumnType::Bigint),
            ],
            partition_key: vec!["p".to_owned()],
            order_key: vec!["o".to_owned()],
        };
        let id = id.parse().unwrap();
        TableLayout::new(&id, Shape::from_id(&id).unwrap(), &table, false).unwrap()
    }

    fn batch(rows: &[(i32, i64)]) -> RecordBatch {
        let p: ArrayRef = Arc::new(rows.iter().map(|r| Some(r.0)).collect::<Int32Array>());
        let o: ArrayRef = Arc::new(rows.iter().map(|r| Some(r.1)).collect::<Int64Array>());
        RecordBatch::try_from_iter([("p", p), ("o", o)]).unwrap()
    }

    #[test]
    fn only_the_last_row_of_a_key_is_sent() {
        let rows = batch(&[(1, 1), (1, 2), (1, 1), (2, 1)]);
        assert_eq!(
            last_per_key(&layout("cassandra/wide"), &rows).unwrap(),
            [1, 2, 3]
        );
    }

    #[test]
    fn a_copy_gets_no_row_without_its_partition_key() {
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(0), None, Some(7)]));
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), None, Some("")]));
        let blobs: ArrayRef = Arc::new(BinaryArray::from_opt_vec(vec![
            None,
            Some(&b""[..]),
            Some(&b"x"[..]),
        ]));
        for (values, kept) in [(numbers, 2), (texts, 1), (blobs, 1)] {
            let rows = RecordBatch::try_from_iter([("o", values)]).unwrap();
            let mut layout = layout("cassandra/wide");
            let all = with_partition_key(&layout, &rows).unwrap();
            assert_eq!(all.num_rows(), 3, "a table that is no copy");
            layout.copied_by = Some("o".to_owned());
            let some = with_partition_key(&layout, &rows).unwrap();
            assert_eq!(some.num_rows(), kept, "{rows:?}");
        }
    }

    #[test]
    fn rows_are_grouped_by_partition_and_bucket() {
        let rows = batch(&[(1, 1), (2, 1), (1, 15), (1, 2), (1, -1)]);
        let all = || (0..5).collect::<Vec<_>>();
        let wide = partitions(&layout("cassandra/wide"), &rows, all()).unwrap();
        assert_eq!(wide, [vec![0, 2, 3, 4], vec![1]]);
        let bucketed = partitions(&layout("cassandra/wide?bucket=10"), &rows, all()).unwrap();
        assert_eq!(bucketed, [vec![0, 3], vec![1], vec![2], vec![4]]);
    }

    #[test]
    fn batches_stay_within_their_limits_and_drop_no_row() {
        let values: Vec<(i32, i64)> = (0..1000).map(|i| (1, i)).collect();
        let layout = layout("cassandra/wide");
        let rows = Rows::new(&layout, &batch(&values));
        let group: Vec<usize> = (0..1000).collect();
        let limits = Limits {
            rows: BATCH_ROWS,
            bytes: BATCH_BYTES,
            overhead: 0,
        };
        let batches = into_batches(&rows, &group, limits);
        assert!(batches.iter().all(|b| b.len() <= BATCH_ROWS));
        assert_eq!(batches.concat(), group);
        // Those of any partitions are as large as their bytes allow.
        let any = Limits {
            rows: usize::MAX,
            ..limits
        };
        let large = into_batches(&rows, &group, any);
        assert!(large.len() < batches.len());
        assert_eq!(large.concat(), group);
        let bytes = |batch: &[usize]| batch.iter().map(|row| rows.bytes(*row)).sum::<usize>();
        assert!(large.iter().all(|batch| bytes(batch) <= BATCH_BYTES));
        // What Cassandra adds to each row counts, too.
        let overhead = Limits {
            overhead: 1 << 10,
            ..any
        };
        let small = into_batches(&rows, &group, overhead);
        assert!(small.iter().all(|batch| batch.len() < 40));
        assert_eq!(small.concat(), group);
    }

    #[test]
    fn a_design_s_largest_batch_cuts_what_is_loaded() {
        let rows = batch(&(0..1000).map(|i| (1, i)).collect::<Vec<_>>());
        let sizes = |id: &str| -> Vec<usize> {
            let layout = layout(id);
            let requests = requests(&layout, &rows, &Rows::new(&layout, &rows)).unwrap();
            requests.iter().map(Vec::len).collect()
        };
        assert_eq!(sizes("cassandra/wide").first(), Some(&BATCH_ROWS));
        let small = sizes("cassandra/wide?batch=1KiB");
        assert!(
            small[0] < BATCH_ROWS && small.iter().sum::<usize>() == 1000,
            "{small:?}"
        );
        let said = settings(&layout("cassandra/wide?batch=1KiB"));
        assert!(said[0].1.contains("and 1 KiB, 128 in flight"), "{said:?}");
    }
}
