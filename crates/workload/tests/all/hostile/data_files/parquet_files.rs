//! Parquet files.

use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};

use super::*;

/// The memory for a Parquet file of at most 128 KiB. Pages say how many bytes they have unpacked, which the library
/// reserves before it unpacks them: 2 GiB together at most.
const PARQUET_BYTES: u64 = (2 << 10) * MIB + 256 * MIB;

/// Returns a file, whose texts have this encoding, and its numbers another one than their bytes in version 2.
fn parquet(
    others: bool,
    compression: Compression,
    version: WriterVersion,
    texts: Encoding,
) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns(others)).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_writer_version(version)
        .set_column_encoding("series".into(), texts)
        .set_column_encoding("bytes".into(), texts)
        .set_dictionary_enabled(!others)
        .set_data_page_row_count_limit(16)
        .set_write_batch_size(8)
        .set_max_row_group_row_count(Some(30))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn parquet_is_read_or_refused() {
    let parser = Parser {
        name: "parquet files",
        most_bytes: PARQUET_BYTES,
        cases: times(1_500, 600_000),
    };
    let mut corpus = Corpus::default();
    let (plain, snappy) = (Compression::UNCOMPRESSED, Compression::SNAPPY);
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let (first, second) = (WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0);
    corpus.add(parquet(false, plain, first, Encoding::PLAIN));
    corpus.add(parquet(true, plain, first, Encoding::PLAIN));
    corpus.add(parquet(false, snappy, first, Encoding::PLAIN));
    corpus.add(parquet(true, zstd, first, Encoding::PLAIN));
    for texts in [
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
        Encoding::DELTA_BYTE_ARRAY,
    ] {
        corpus.add(parquet(true, plain, first, texts));
        corpus.add(parquet(true, snappy, second, texts));
    }
    let files = Files::new();
    parser.feed(&corpus, |bytes| files.is_readable("x.parquet", bytes));
}

#[test]
fn a_dictionary_that_says_that_it_has_billions_of_values_takes_little_memory() {
    let bytes = include_bytes!("../../../corpus/parquet/huge-dictionary.parquet");
    let files = Files::new();
    let taken = bytes_taken(|| assert!(!files.is_readable("x.parquet", bytes)));
    assert!(taken < TEXT_BYTES, "{taken}");
}

#[test]
fn a_file_that_says_that_it_has_less_than_no_rows_is_refused() {
    let bytes = include_bytes!("../../../corpus/parquet/negative-rows.parquet");
    let files = Files::new();
    assert!(!files.is_readable("x.parquet", bytes));
    let path = files.folder.path().join("x.parquet");
    let Err(error) = source::open(&files.workload, Some(path)) else {
        panic!("it was opened");
    };
    assert!(error.to_string().contains("less than no rows"), "{error}");
}
