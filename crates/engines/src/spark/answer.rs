//! Answers of Spark: from Arrow's stream format to batches as other engines have them.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray};
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType, Field, Schema, TimeUnit, TimestampMicrosecondType};
use arrow::error::ArrowError;
use arrow::ipc::reader::StreamDecoder;
use arrow::record_batch::RecordBatch;
use bakeoff_driver::{Answer, DesignError, IncomingAnswer};

use crate::arrow_stream::next_batch;

/// An answer whose bytes are still coming, of which no more rows are held than of one of any other engine.
#[derive(Default)]
pub struct Reading {
    decoder: StreamDecoder,
    answer: IncomingAnswer,
}

impl Reading {
    /// Adds the next bytes.
    ///
    /// # Errors
    /// Fails for bytes that are no stream, and as [`IncomingAnswer::add`] does.
    pub fn add(&mut self, part: Vec<u8>) -> Result<(), DesignError> {
        let mut bytes = Buffer::from(part);
        // There is none where the bytes end before the next batch does.
        while let Some(batch) = next_batch(&mut self.decoder, &mut bytes).map_err(unreadable)? {
            let batch = without_zones(&batch).map_err(unreadable)?;
            self.answer.add(batch).map_err(DesignError)?;
        }
        Ok(())
    }

    /// Returns the answer when all bytes have come.
    ///
    /// # Errors
    /// Fails for bytes that are no whole stream.
    pub fn complete(mut self) -> Result<Answer, DesignError> {
        self.decoder.finish().map_err(unreadable)?;
        if self.decoder.schema().is_none() {
            return Err(unreadable(ArrowError::IpcError("no schema".to_owned())));
        }
        Ok(self.answer.complete())
    }
}

fn unreadable(error: ArrowError) -> DesignError {
    DesignError(format!("Spark's answer cannot be read as Arrow: {error}"))
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
    use arrow::array::{Int64Array, StringArray, TimestampMicrosecondArray};
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

    fn read(stream: Vec<u8>) -> Result<Answer, DesignError> {
        read_in(stream.len().max(1), &stream)
    }

    /// Reads a stream that comes in parts of a length.
    fn read_in(length: usize, stream: &[u8]) -> Result<Answer, DesignError> {
        let mut reading = Reading::default();
        for part in stream.chunks(length) {
            reading.add(part.to_vec())?;
        }
        reading.complete()
    }

    #[test]
    fn parts_may_end_anywhere() {
        let batches = [batch(vec![1; 1000]), batch(vec![2; 3])];
        let stream = stream(&batches);
        let whole = read(stream.clone()).unwrap();
        for length in [1, 7, 64, 1000] {
            let answer = read_in(length, &stream).unwrap();
            assert_eq!(answer.batches, whole.batches, "{length}");
        }
        assert_eq!(whole.rows(), 1003);
    }

    #[test]
    fn of_a_large_answer_a_digest_is_kept() {
        let text = "x".repeat(1 << 20);
        let texts: ArrayRef = Arc::new(StringArray::from(vec![text.as_str(); 12]));
        let rows = RecordBatch::try_from_iter([("text", texts)]).unwrap();
        let stream = stream(&[rows.clone(), rows.clone(), rows]);
        let answer = read_in(1 << 16, &stream).unwrap();
        assert!(answer.batches.is_empty() && answer.digest.is_some());
        assert_eq!(answer.rows(), 36);
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
