//! Streams that no process should send: batches or an error, never a panic, an endless loop or more memory than is said
//! here.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int64Array, StringArray, TimestampMicrosecondArray};
use arrow::ipc::writer::StreamWriter;
use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;

use super::*;

/// The memory for a stream of at most 128 KiB. A byte of Zstandard may say that it unpacks to 32 KiB, which the library
/// reserves before it unpacks them.
const STREAM_BYTES: u64 = (4 << 30) + (256 << 20);

/// Returns a stream of two batches.
fn stream(rows: i64) -> Vec<u8> {
    let numbers = Int64Array::from_iter((0..rows).map(|n| (n % 7 != 3).then_some(n)));
    let texts = StringArray::from_iter_values((0..rows).map(|n| format!("series {}", n / 8)));
    let times = TimestampMicrosecondArray::from_iter_values(0..rows).with_timezone("UTC");
    let columns: [(&str, ArrayRef); 3] = [
        ("n", Arc::new(numbers)),
        ("text", Arc::new(texts)),
        ("time", Arc::new(times)),
    ];
    let columns = columns.map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.write(&batch.slice(1, 1)).unwrap();
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

/// Reads all batches of a stream that comes in parts, and returns their number.
fn read_all(parts: &[&[u8]]) -> Result<usize, ArrowError> {
    let mut decoder = StreamDecoder::new();
    let mut batches = 0;
    for part in parts {
        let mut bytes = Buffer::from(part.to_vec());
        while let Some(batch) = next_batch(&mut decoder, &mut bytes)? {
            batches += 1;
            for column in batch.columns() {
                column.to_data().validate_full().unwrap();
            }
        }
    }
    decoder.finish()?;
    Ok(batches)
}

#[test]
fn streams_are_read_or_refused() {
    let parser = Parser {
        name: "arrow streams of other processes",
        most_bytes: STREAM_BYTES,
        cases: times(800, 40_000),
    };
    let mut corpus = Corpus::default();
    corpus.add(stream(40));
    corpus.add(stream(3));
    corpus.add(*b"Segmentation fault (core dumped)");
    parser.feed(&corpus, |bytes| {
        // Its bytes come in parts.
        let (begin, end) = bytes.split_at(bytes.len() / 3);
        let divided = read_all(&[begin, end]).is_ok_and(|batches| batches > 0);
        let whole = read_all(&[bytes]).is_ok_and(|batches| batches > 0);
        divided || whole
    });
}
