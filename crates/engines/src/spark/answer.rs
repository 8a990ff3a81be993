//! Answers of Spark: from Arrow's stream format to batches as other engines have them.

use std::io::Cursor;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::{DataType, Field, Schema, TimeUnit, TimestampMicrosecondType};
use arrow::error::ArrowError;
use arrow::ipc::reader::StreamReader;
use arrow::record_batch::RecordBatch;
use bakeoff_driver::{Answer, DesignError, IncomingAnswer};

/// Reads a stream to its last row.
///
/// # Errors
/// Fails for bytes that are no stream, and as [`IncomingAnswer::add`] does.
pub fn read(stream: Vec<u8>) -> Result<Answer, DesignError> {
    let unreadable =
        |e: ArrowError| DesignError(format!("Spark's answer cannot be read as Arrow: {e}"));
    let mut answer = IncomingAnswer::default();
    for batch in StreamReader::try_new(Cursor::new(stream), None).map_err(unreadable)? {
        let batch = without_zones(&batch.map_err(unreadable)?).map_err(unreadable)?;
        answer.add(batch).map_err(DesignError)?;
    }
    Ok(answer.complete())
}

/// Takes the time zone from times. It is UTC for all of them, and some of Spark's functions add it.
fn without_zones(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let columns: Vec<ArrayRef> = batch.columns().iter().map(without_zone).collect();
    let schema = batch.schema();
    let fields = schema.fields().iter().zip(&columns);
    let fields: Vec<Field> = fields
        .map(|(field, column)| Field::new(field.name(), column.data_type().clone(), true))
        .collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

fn without_zone(column: &ArrayRef) -> ArrayRef {
    match column.data_type() {
        DataType::Timestamp(TimeUnit::Microsecond, Some(_)) => {
            let times = column.as_primitive::<TimestampMicrosecondType>().clone();
            Arc::new(times.with_timezone_opt(None::<Arc<str>>))
        }
        _ => Arc::clone(column),
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int64Array, TimestampMicrosecondArray};
    use arrow::ipc::writer::StreamWriter;

    use super::*;

    fn stream(batches: &[RecordBatch]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::try_new(&mut bytes, &batches[0].schema()).unwrap();
        for batch in batches {
            writer.write(batch).unwrap();
        }
        writer.finish().unwrap();
        drop(writer);
        bytes
    }

    fn batch(times: Vec<i64>) -> RecordBatch {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..times.len() as i64));
        let times = TimestampMicrosecondArray::from(times).with_timezone("UTC");
        let times: ArrayRef = Arc::new(times);
        RecordBatch::try_from_iter([("n", numbers), ("time", times)]).unwrap()
    }

    #[test]
    fn all_rows_are_read_and_times_lose_their_zone() {
        let answer = read(stream(&[batch(vec![-1, 5]), batch(vec![7])])).unwrap();
        assert_eq!(answer.rows(), 3);
        let last = answer.batches[1].column(1);
        let without = DataType::Timestamp(TimeUnit::Microsecond, None);
        assert_eq!(last.data_type(), &without);
        let times = last.as_primitive::<TimestampMicrosecondType>();
        assert_eq!(times.values()[..], [7]);
    }

    #[test]
    fn an_answer_may_have_no_rows_and_is_not_cut_off() {
        assert_eq!(read(stream(&[batch(Vec::new())])).unwrap().rows(), 0);
        let whole = stream(&[batch(vec![1; 1000])]);
        for length in [0, 1, 7, whole.len() / 2] {
            let error = read(whole[..length].to_vec()).unwrap_err().to_string();
            assert!(
                error.starts_with("Spark's answer cannot be read"),
                "{error}"
            );
        }
    }
}
