//! Queries of the workload file as operations of a load.
//!
//! They are asked through DataFusion as in a comparison, but their answers are only counted: rows
//! change while a query runs, so that the right answer is not known.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::DataType;
use bakeoff_driver::drive::{Call, Done, Failure};
use bakeoff_stats::FailureKind;
use bakeoff_workload::literal::text;
use bakeoff_workload::{Value, Workload};
use tokio::runtime::Handle;

use crate::drive::query_texts::QueryTexts;
use crate::drive::rows::Rows;
use crate::sql::Session;

/// The queries of a workload on one worker's connections.
pub struct Queries {
    texts: QueryTexts,
    sql: Session,
    order_key: Option<String>,
    /// Runtime that DataFusion computes in, since on the worker's thread it would delay other
    /// operations.
    runtime: Handle,
}

/// The size of a query's answer.
pub struct Counted {
    rows: u64,
    bytes: u64,
}

impl Queries {
    pub fn new(
        engine: &str,
        workload: &Workload,
        sql: Session,
        order_key: Option<String>,
        runtime: Handle,
    ) -> Arc<Self> {
        Arc::new(Queries {
            texts: QueryTexts::new(engine, workload, literal),
            sql,
            order_key,
            runtime,
        })
    }

    /// Returns the SQL of a query for an operation.
    pub fn sql(&self, query: usize, call: &Call, rows: &Rows) -> String {
        self.texts.sql(query, call, rows)
    }

    /// Asks a query, and counts the rows and bytes of its answer.
    pub async fn ask(&self, name: &str, sql: &str) -> Result<Counted, Failure> {
        let rejected = |why: &dyn std::fmt::Display| {
            Failure::new(FailureKind::Rejected, format!("{name}: `{sql}`: {why}"))
        };
        let order_key = self.order_key.as_deref();
        let answer = self.sql.answer_on(&self.runtime, sql, order_key).await;
        let answer = answer.map_err(|e| rejected(&e))?;
        let mut counted = Counted { rows: 0, bytes: 0 };
        for batch in &answer.batches {
            let bytes: usize = batch.columns().iter().map(value_bytes).sum();
            counted.rows += batch.num_rows() as u64;
            counted.bytes += bytes as u64;
        }
        Ok(counted)
    }
}

impl Counted {
    pub fn done(&self) -> Done {
        Done {
            rows: self.rows,
            bytes: self.bytes,
            not_applied: false,
        }
    }
}

/// Returns the bytes of a column's values, without nulls, offsets and spare capacity.
fn value_bytes(column: &ArrayRef) -> usize {
    let count = column.len() - column.null_count();
    macro_rules! lengths {
        ($array:expr) => {
            $array.iter().flatten().map(|value| value.len()).sum()
        };
    }
    match column.data_type() {
        DataType::Utf8 => lengths!(column.as_string::<i32>()),
        DataType::LargeUtf8 => lengths!(column.as_string::<i64>()),
        DataType::Utf8View => lengths!(column.as_string_view()),
        DataType::Binary => lengths!(column.as_binary::<i32>()),
        DataType::LargeBinary => lengths!(column.as_binary::<i64>()),
        DataType::BinaryView => lengths!(column.as_binary_view()),
        DataType::Boolean => count,
        // Nested types are counted with their offsets.
        other => other.primitive_width().map_or_else(
            || column.to_data().get_slice_memory_size().unwrap_or(0),
            |width| width * count,
        ),
    }
}

/// Formats a value as a literal of DataFusion's SQL.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Boolean(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Bigint(v) => v.to_string(),
        // The same number as a double, since queries compare a float as one.
        Value::Float(v) => literal(&Value::Double(f64::from(*v))),
        Value::Double(v) if v.is_finite() => format!("{v:?}"),
        Value::Double(v) => format!("CAST('{v}' AS DOUBLE)"),
        Value::Text(v) => text(v),
        Value::Uuid(v) => text(&v.to_string()),
        Value::Timestamp(v) => format!("to_timestamp_millis({v})"),
        Value::Blob(v) => {
            let hex: String = v.iter().map(|b| format!("{b:02x}")).collect();
            format!("X'{hex}'")
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{BinaryViewArray, StringViewArray};
    use arrow::array::{BooleanArray, Int32Array, Int64Array, ListArray, StringArray};
    use arrow::datatypes::Int32Type;

    use super::*;

    #[test]
    fn bytes_are_those_of_the_values_alone() {
        let mut capacious = arrow::array::StringBuilder::with_capacity(1000, 1 << 20);
        capacious.append_value("abcd");
        let columns: [(ArrayRef, usize); 7] = [
            (Arc::new(capacious.finish()), 4),
            (Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])), 16),
            (Arc::new(BooleanArray::from(vec![Some(true), None])), 1),
            (
                Arc::new(StringArray::from(vec![Some("äb"), None, Some("")])),
                3,
            ),
            (
                Arc::new(StringViewArray::from(vec![
                    "ab",
                    "longer than twelve bytes",
                ])),
                26,
            ),
            (Arc::new(BinaryViewArray::from(vec![&b"abc"[..]])), 3),
            (
                Arc::new(Int32Array::from_iter_values(0..1000).slice(10, 5)),
                20,
            ),
        ];
        for (column, bytes) in columns {
            assert_eq!(value_bytes(&column), bytes, "{column:?}");
        }
        let lists = [Some(vec![Some(1), Some(2)])];
        let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists));
        assert!((8..32).contains(&value_bytes(&list)));
    }
}
