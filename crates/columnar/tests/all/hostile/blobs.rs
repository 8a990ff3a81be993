//! Encoded columns.

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::DataType;
use bakeoff_columnar::internals::Codec;
use bakeoff_columnar::{CHUNK_ROWS_AT_MOST, Kind, Profile};
use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;
use bytes::Bytes;

use crate::encoding::columns::column;

/// The memory for a blob of at most 128 KiB. One text in all rows may take as much as Arrow's offsets
/// reach, 2 GiB, and is copied once.
const BLOB_BYTES: u64 = 5 << 30;

/// Returns a blob of each kind and shape.
fn corpus() -> Corpus {
    let shapes: [fn(u64) -> Option<u64>; 6] = [
        |i| Some(i * 7 % 50),
        |i| (i % 5 != 0).then_some(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        |i| Some(3_000 * i + u64::from(i % 90 == 0)),
        |i| (i % 60 == 0).then_some(i),
        |_| Some(9),
        |_| None,
    ];
    let mut corpus = Corpus::default();
    for kind in Kind::ALL {
        for (number, shape) in shapes.into_iter().enumerate() {
            let rows = [150, 1, 1_100][number % 3];
            let seeds: Vec<Option<u64>> = (0..rows).map(shape).collect();
            let profile = Profile::ALL[number % 2];
            let blob = Codec::shared().encode(profile, kind, &column(kind, &seeds));
            corpus.add(blob.unwrap());
        }
    }
    corpus
}

/// Returns the kind and the number of rows that the header has, so that it is not refused for these.
fn claimed(blob: &[u8]) -> Option<(Kind, usize)> {
    let [_, _, kind, _, a, b, c, d] = *blob.first_chunk()?;
    let kind = *Kind::ALL.get(usize::from(kind).checked_sub(1)?)?;
    let rows = u32::from_le_bytes([a, b, c, d]);
    (rows <= CHUNK_ROWS_AT_MOST).then_some((kind, rows as usize))
}

/// Arrow reads texts unchecked, so that they have to be UTF-8 whatever the blob holds.
fn is_sound(array: &ArrayRef) {
    // This check is wrong for arrays whose bits begin within a byte.
    if *array.data_type() != DataType::Boolean {
        array.to_data().validate_full().unwrap();
    }
}

#[test]
fn blobs_are_decoded_or_refused() {
    let parser = Parser {
        name: "blobs",
        most_bytes: BLOB_BYTES,
        cases: times(3_000, 950_000),
    };
    let codec = Codec::shared();
    parser.feed(&corpus(), |bytes| {
        let blob = Bytes::copy_from_slice(bytes);
        let (kind, rows) = claimed(bytes).unwrap_or((Kind::Text, 10));
        let half = rows / 2..rows;
        for array in [
            codec.decode_coded(&blob, kind, rows, half.clone()),
            codec.decode_views(&blob, kind, rows, half.clone()),
            codec.decode_range(&blob, kind, rows, half),
        ] {
            array.iter().for_each(is_sound);
        }
        let whole = codec.decode(&blob, kind, rows);
        if let Ok(array) = &whole {
            assert_eq!(array.len(), rows);
            is_sound(array);
        }
        whole.is_ok()
    });
}
