//! Splitting of one partition by ranges of its order key, so that a large one is read by several
//! requests at the same time.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Int32Type, Int64Type, TimeUnit, TimestampMillisecondType};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::Operator;
use scylla::client::session::Session;
use scylla::statement::prepared::PreparedStatement;
use scylla::value::{CqlValue, Row};

use super::failures::explained;
use super::key_value::KeyValue;
use super::pushdown::Pushdown;
use super::readable::{CqlKind, ReadTable};
use super::request::Request;

/// Number of ranges of a partition for each request that is sent at the same time, which evens out
/// their sizes.
const RANGES_PER_REQUEST: usize = 4;

/// The order key of a table whose partitions can be split: one column of whole numbers or times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderKey {
    pub column: String,
    kind: CqlKind,
    /// Whether the greatest values come first.
    pub descending: bool,
    /// Number of values that the conditions of a query bind, behind the partition key.
    conditions: usize,
}

impl OrderKey {
    /// Returns the order key of a table, unless its partitions cannot be split or a query wants one
    /// value of it only.
    pub fn new(table: &ReadTable, pushdown: &Pushdown) -> Option<OrderKey> {
        let [column] = table.clustering_key.as_slice() else {
            return None;
        };
        let kind = table.column(column)?.kind;
        let is_whole = matches!(kind, CqlKind::Int | CqlKind::Bigint | CqlKind::Timestamp);
        let wants_one = |(name, operator, _): &(String, Operator, KeyValue)| {
            name == column && *operator == Operator::Eq
        };
        if !is_whole || pushdown.conditions.iter().any(wants_one) {
            return None;
        }
        Some(OrderKey {
            column: column.clone(),
            kind,
            descending: table.descending?,
            conditions: pushdown.conditions.len(),
        })
    }

    /// Restricts a query to a range of the order key, whose ends a request binds last.
    pub fn restrict(&self, pushdown: &Pushdown) -> Pushdown {
        let mut restricted = pushdown.clone();
        // CQL accepts only one bound on each side, and the ranges lie within the query's own.
        restricted
            .conditions
            .retain(|(name, ..)| *name != self.column);
        for operator in [Operator::GtEq, Operator::LtEq] {
            let bound = (self.column.clone(), operator, self.value(0));
            restricted.conditions.push(bound);
        }
        restricted
    }

    /// Makes the requests for a range of a partition, both of whose ends are included, from the one
    /// for the partition. `at_once` of them are to be sent at the same time.
    pub fn requests(
        &self,
        request: &Request,
        (low, high): (i64, i64),
        at_once: usize,
    ) -> Vec<Request> {
        let key = request.0.len() - self.conditions;
        let ranges = ranges(low, high, RANGES_PER_REQUEST * at_once);
        let requests = ranges.into_iter().map(|(low, high)| {
            let mut values = request.0[..key].to_vec();
            values.extend([self.value(low), self.value(high)]);
            Request(values)
        });
        requests.collect()
    }

    fn value(&self, value: i64) -> KeyValue {
        match (self.kind, i32::try_from(value)) {
            (CqlKind::Int, Ok(value)) => KeyValue::Int(value),
            _ => KeyValue::Bigint(value),
        }
    }
}

/// Divides whole numbers into at most `n` ranges, both of whose ends are included.
fn ranges(low: i64, high: i64, n: usize) -> Vec<(i64, i64)> {
    let (low, high) = (i128::from(low), i128::from(high));
    let count = (high - low + 1).max(0);
    let n = (n as i128).clamp(1, count.max(1));
    let start = |i: i128| low + count * i / n;
    (0..n)
        .map(|i| (start(i) as i64, (start(i + 1) - 1) as i64))
        .filter(|(low, high)| low <= high)
        .collect()
}

/// Returns the last value of an order key in a batch.
pub fn last_value(batch: &RecordBatch, column: usize) -> Option<i64> {
    let column = batch.column(column);
    let last = column.len().checked_sub(1)?;
    if column.is_null(last) {
        return None;
    }
    match column.data_type() {
        DataType::Int32 => Some(column.as_primitive::<Int32Type>().value(last).into()),
        DataType::Int64 => Some(column.as_primitive::<Int64Type>().value(last)),
        DataType::Timestamp(TimeUnit::Millisecond, None) => Some(
            column
                .as_primitive::<TimestampMillisecondType>()
                .value(last),
        ),
        _ => None,
    }
}

/// Reads one end of a partition: the order key of the one row that a statement returns, if there is
/// one.
///
/// # Errors
/// The errors of the driver.
pub async fn end(
    session: &Session,
    statement: &PreparedStatement,
    request: &Request,
) -> Result<Option<i64>> {
    let result = session.execute_unpaged(statement, request).await;
    let result = result.map_err(|error| failed(explained(&error)))?;
    let rows = result.into_rows_result();
    let rows = rows.map_err(failed)?;
    let row = rows.maybe_first_row::<Row>();
    let row = row.map_err(failed)?;
    Ok(row.and_then(|row| match row.columns.into_iter().next()?? {
        CqlValue::Int(value) => Some(value.into()),
        CqlValue::BigInt(value) => Some(value),
        CqlValue::Timestamp(value) => Some(value.0),
        _ => None,
    }))
}

fn failed(error: impl std::fmt::Display) -> DataFusionError {
    let message = format!("reading the last row of a partition failed: {error}");
    DataFusionError::External(message.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_every_number_once() {
        for (low, high) in [
            (0, 0),
            (0, 9),
            (-5, 5),
            (i64::MIN, i64::MAX),
            (i64::MAX - 1, i64::MAX),
        ] {
            for n in [1, 2, 3, 7, 64] {
                let ranges = ranges(low, high, n);
                assert_eq!(ranges.first().unwrap().0, low);
                assert_eq!(ranges.last().unwrap().1, high);
                assert!(ranges.iter().all(|(low, high)| low <= high), "{ranges:?}");
                assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0));
                assert!(ranges.len() <= n);
            }
        }
        assert!(ranges(1, 0, 4).is_empty(), "nothing is left");
    }

    #[test]
    fn ranges_are_of_equal_width() {
        assert_eq!(ranges(1, 10, 4), [(1, 2), (3, 5), (6, 7), (8, 10)]);
    }
}
