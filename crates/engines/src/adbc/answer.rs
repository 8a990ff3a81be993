//! The rows of an answer, read from the parts of an Arrow IPC stream as they come.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray};
use arrow::buffer::Buffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use arrow::error::ArrowError;
use arrow::ipc::reader::StreamDecoder;
use arrow::record_batch::RecordBatch;
use bakeoff_driver::{Answer, IncomingAnswer};

use crate::arrow_stream::next_batch;

/// What is done to the rows of an answer as they come.
pub type Conversion = Arc<dyn Fn(RecordBatch) -> Result<RecordBatch, String> + Send + Sync>;

/// An answer whose rows are still coming.
#[derive(Default)]
pub struct StreamedAnswer {
    decoder: StreamDecoder,
    answer: IncomingAnswer,
    conversion: Option<Conversion>,
}

impl StreamedAnswer {
    /// Begins an answer whose rows are converted, if there is a conversion.
    pub fn converted(conversion: Option<Conversion>) -> Self {
        StreamedAnswer {
            conversion,
            ..StreamedAnswer::default()
        }
    }

    /// Reads the next part of the stream.
    ///
    /// # Errors
    /// These are no rows, or all together are too large to be held and cannot be digested.
    pub fn add(&mut self, part: Vec<u8>) -> Result<(), String> {
        let mut part = Buffer::from_vec(part);
        while !part.is_empty() {
            let decoded = next_batch(&mut self.decoder, &mut part);
            if let Some(batch) = decoded.map_err(|e| format!("its rows cannot be read: {e}"))? {
                let mut batch = without_time_zones(&batch).map_err(|e| e.to_string())?;
                if let Some(conversion) = &self.conversion {
                    batch = conversion(batch)?;
                }
                self.answer.add(batch)?;
            }
        }
        Ok(())
    }

    /// Returns the answer when its last row has come.
    ///
    /// # Errors
    /// The stream has not ended.
    pub fn complete(mut self) -> Result<Answer, String> {
        self.decoder
            .finish()
            .map_err(|e| format!("its rows end too early: {e}"))?;
        Ok(self.answer.complete())
    }
}

/// Returns the whole numbers in the first row of an answer.
pub fn first_numbers(answer: &Answer) -> Option<Vec<i64>> {
    let rows = answer.batches.iter().find(|batch| batch.num_rows() > 0)?;
    let columns = rows.columns().iter();
    columns
        .map(|column| {
            let numbers = cast(column, &DataType::Int64).ok()?;
            numbers.as_primitive::<Int64Type>().iter().next()?
        })
        .collect()
}

/// Returns the text in the first row and column of an answer.
pub fn first_text(answer: &Answer) -> Option<String> {
    let rows = answer.batches.iter().find(|batch| batch.num_rows() > 0)?;
    let texts = cast(rows.columns().first()?, &DataType::Utf8).ok()?;
    let text = texts.as_string::<i32>().iter().next()?;
    text.map(str::to_owned)
}

/// Makes times with a zone those of UTC without one, which is the same moment and what all other engines
/// return.
fn without_time_zones(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let has_zone = |field: &Field| matches!(field.data_type(), DataType::Timestamp(_, Some(_)));
    if !schema.fields().iter().any(|field| has_zone(field)) {
        return Ok(batch.clone());
    }
    let (mut fields, mut columns) = (Vec::new(), Vec::<ArrayRef>::new());
    for (field, column) in schema.fields().iter().zip(batch.columns()) {
        match field.data_type() {
            DataType::Timestamp(unit, Some(_)) => {
                let plain = DataType::Timestamp(*unit, None);
                // By way of its number, since a cast from one to the other may convert to local time.
                let column = cast(column, &DataType::Int64)?;
                columns.push(cast(&column, &plain)?);
                fields.push(Field::new(field.name(), plain, field.is_nullable()));
            }
            _ => {
                columns.push(Arc::clone(column));
                fields.push(field.as_ref().clone());
            }
        }
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int32Array, TimestampMicrosecondArray};
    use arrow::datatypes::TimestampMicrosecondType;
    use arrow::ipc::writer::StreamWriter;

    use super::*;

    fn stream() -> Vec<u8> {
        let times = TimestampMicrosecondArray::from(vec![Some(-1), None]);
        let columns: [(&str, ArrayRef); 2] = [
            ("n", Arc::new(Int32Array::from(vec![Some(7), None]))),
            (
                "time",
                Arc::new(times.with_timezone("Europe/Berlin".to_owned())),
            ),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.write(&batch.slice(1, 1)).unwrap();
        writer.finish().unwrap();
        writer.into_inner().unwrap()
    }

    #[test]
    fn rows_are_the_same_wherever_the_stream_is_divided() {
        let stream = stream();
        for length in [1, 2, 7, 64, 200, stream.len()] {
            let mut incoming = StreamedAnswer::default();
            for part in stream.chunks(length) {
                incoming.add(part.to_vec()).unwrap();
            }
            let answer = incoming.complete().unwrap();
            assert_eq!(answer.rows(), 3);
            let batch = &answer.batches[0];
            assert_eq!(
                batch.schema().field(1).data_type(),
                &DataType::Timestamp(arrow::datatypes::TimeUnit::Microsecond, None)
            );
            let times = batch.column(1).as_primitive::<TimestampMicrosecondType>();
            assert_eq!(times.iter().collect::<Vec<_>>(), [Some(-1), None]);
        }
    }

    #[test]
    fn a_stream_that_is_torn_or_none_at_all_is_an_error() {
        let stream = stream();
        let mut torn = StreamedAnswer::default();
        torn.add(stream[..stream.len() / 2].to_vec()).unwrap();
        let error = torn.complete().unwrap_err();
        assert!(error.starts_with("its rows end too early"), "{error}");
        let mut other = StreamedAnswer::default();
        let read = other.add(b"Segmentation fault".repeat(100));
        let read = read.and_then(|()| other.complete().map(|answer| answer.rows()));
        assert!(read.is_err(), "{read:?}");
    }
}
