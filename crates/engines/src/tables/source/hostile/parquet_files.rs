//! Parquet files.

use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};

use super::*;

/// The memory for a Parquet file of at most 128 KiB. Pages say how many bytes they have unpacked, which the library
/// reserves before it unpacks them: 2 GiB together at most.
const PARQUET_BYTES: u64 = (2 << 30) + 256 * MIB;

/// Returns a file whose texts have this encoding where they are not in a dictionary. Its numbers have another one than
/// their bytes there in version 2.
fn parquet(
    compression: Compression,
    dictionaries: bool,
    version: WriterVersion,
    texts: Encoding,
) -> Vec<u8> {
    let mut columns = columns();
    columns.retain(|(name, _)| *name != "nothing");
    let batch = batch(columns);
    let mut properties = WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(dictionaries)
        .set_writer_version(version)
        .set_data_page_row_count_limit(16)
        .set_write_batch_size(8);
    for column in ["series", "bytes", "text", "view"] {
        properties = properties.set_column_encoding(column.into(), texts);
    }
    let mut bytes = Vec::new();
    let schema = batch.schema();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn parquet_is_read_or_refused() {
    let parser = Parser {
        name: "parquet files to ingest",
        most_bytes: PARQUET_BYTES,
        cases: times(200, 400_000),
    };
    let mut corpus = Corpus::default();
    let (first, second) = (WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0);
    let zstd = Compression::ZSTD(ZstdLevel::default());
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, zstd] {
        corpus.add(parquet(compression, true, first, Encoding::PLAIN));
    }
    for texts in [
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
        Encoding::DELTA_BYTE_ARRAY,
    ] {
        corpus.add(parquet(Compression::UNCOMPRESSED, false, first, texts));
        corpus.add(parquet(Compression::SNAPPY, false, second, texts));
    }
    let files = Files::new("x.parquet");
    parser.feed(&corpus, |bytes| files.are_readable(bytes));
}

#[test]
fn a_dictionary_that_says_that_it_has_billions_of_values_takes_little_memory() {
    let bytes = include_bytes!("../../../../tests/corpus/parquet/huge-dictionary.parquet");
    let files = Files::new("x.parquet");
    let taken = bytes_taken(|| assert!(!files.are_readable(bytes)));
    assert!(taken < TEXT_BYTES, "{taken}");
}
