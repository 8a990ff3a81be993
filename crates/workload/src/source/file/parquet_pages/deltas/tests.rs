use std::io::BufReader;
use std::iter;
use std::os::unix::fs::FileExt;

use arrow::array::{
    ArrayRef, FixedSizeBinaryArray, Int64Array, ListBuilder, StringArray, StringBuilder,
};
use arrow::compute::concat_batches;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use bakeoff_testing::hostile::bytes_taken;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};

use super::super::Head;
use super::super::tests::checked;
use super::*;

const ROWS: usize = 2_000;
const VERSIONS: [WriterVersion; 2] = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
const OF_TEXTS: [Encoding; 2] = [
    Encoding::DELTA_LENGTH_BYTE_ARRAY,
    Encoding::DELTA_BYTE_ARRAY,
];

/// Returns texts of different lengths, some of which begin alike.
fn names() -> impl Iterator<Item = String> {
    (0..ROWS).map(|i| format!("{:03} {}", i / 7, "x".repeat(i * i % 300)))
}

/// Returns how many texts the list of a row has. Every fourth one is null, and has none.
fn of_list(row: usize) -> usize {
    if row % 4 == 1 { 0 } else { row % 3 }
}

/// Returns four columns of texts: all are there, some are missing, all are missing, and lists of them.
fn texts() -> RecordBatch {
    let all: ArrayRef = Arc::new(StringArray::from_iter_values(names()));
    let some = names().enumerate();
    let some = some.map(|(i, name)| (i % 5 != 2).then_some(name));
    let some: ArrayRef = Arc::new(StringArray::from_iter(some));
    let none: ArrayRef = Arc::new(StringArray::new_null(ROWS));
    let mut lists = ListBuilder::new(StringBuilder::new());
    for (i, name) in names().enumerate() {
        for _ in 0..of_list(i) {
            lists.values().append_value(&name);
        }
        lists.append(i % 4 != 1);
    }
    let lists: ArrayRef = Arc::new(lists.finish());
    let columns = [
        ("all", all),
        ("some", some),
        ("none", none),
        ("lists", lists),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn write(batch: &RecordBatch, properties: WriterProperties) -> File {
    let file = tempfile::tempfile().unwrap();
    let copy = file.try_clone().unwrap();
    let mut writer = ArrowWriter::try_new(copy, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    file
}

fn read(file: &File) -> Result<Vec<RecordBatch>, ArrowError> {
    let copy = file.try_clone().unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(copy).unwrap();
    reader.build().unwrap().collect()
}

/// Checks that all columns of a file pass, and that they have the values of this batch.
fn assert_has(file: &File, batch: &RecordBatch) {
    let columns: Vec<usize> = (0..batch.num_columns()).collect();
    assert_eq!(checked(file, &columns), Ok(()));
    let batches = read(file).unwrap();
    let read = concat_batches(&batches[0].schema(), &batches).unwrap();
    assert_eq!(read.columns(), batch.columns());
}

/// Returns the bytes that a column of the first row group takes further.
fn further(file: &File, column: usize) -> u64 {
    let metadata = ArrowReaderMetadata::load(file, Default::default()).unwrap();
    let column = metadata.metadata().row_group(0).column(column);
    further_bytes(file, column, u64::MAX).unwrap()
}

#[test]
fn files_of_writers_are_read() {
    let batch = texts();
    for version in VERSIONS {
        for encoding in OF_TEXTS {
            for compression in [
                Compression::UNCOMPRESSED,
                Compression::SNAPPY,
                Compression::ZSTD(ZstdLevel::default()),
            ] {
                let properties = WriterProperties::builder()
                    .set_writer_version(version)
                    .set_dictionary_enabled(false)
                    .set_encoding(encoding)
                    .set_compression(compression)
                    .set_data_page_row_count_limit(300)
                    .set_write_batch_size(100)
                    .set_max_row_group_row_count(Some(1_000))
                    .build();
                assert_has(&write(&batch, properties), &batch);
            }
        }
    }
}

#[test]
fn lengths_and_texts_of_a_page_are_counted() {
    let batch = texts();
    let counted = |times: &dyn Fn(usize) -> usize| {
        let names = names().enumerate();
        names.fold((0_usize, 0_usize), |(values, bytes), (row, name)| {
            (values + times(row), bytes + times(row) * name.len())
        })
    };
    let expected = [
        counted(&|_| 1),
        counted(&|row| usize::from(row % 5 != 2)),
        (0, 0),
        counted(&of_list),
    ];
    assert_eq!(expected.map(|(values, _)| values), [2_000, 1_600, 0, 1_498]);
    for version in VERSIONS {
        for encoding in OF_TEXTS {
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_dictionary_enabled(false)
                .set_encoding(encoding)
                .build();
            let file = write(&batch, properties);
            for (column, (values, bytes)) in expected.into_iter().enumerate() {
                let expected = if encoding == Encoding::DELTA_BYTE_ARRAY {
                    8 * values + 2 * bytes
                } else {
                    4 * values
                };
                assert_eq!(
                    further(&file, column),
                    expected as u64,
                    "{encoding} {column}"
                );
            }
        }
    }
}

/// Writers of version 2 store texts so, and bytes of a fixed length, where they have no dictionary.
#[test]
fn only_columns_with_texts_by_differences_are_unpacked() {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    let bytes = (0..ROWS as u64).map(u64::to_be_bytes);
    let bytes: ArrayRef = Arc::new(FixedSizeBinaryArray::try_from_iter(bytes).unwrap());
    let names: ArrayRef = Arc::new(StringArray::from_iter_values(names()));
    let columns = [("number", numbers), ("bytes", bytes), ("name", names)];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let expected = [[false, false, false], [false, true, true]];
    for (has_deltas, expected) in [false, true].into_iter().zip(expected) {
        let properties = WriterProperties::builder()
            .set_writer_version(WriterVersion::PARQUET_2_0)
            .set_dictionary_enabled(!has_deltas)
            .build();
        let file = write(&batch, properties);
        assert_has(&file, &batch);
        let metadata = ArrowReaderMetadata::load(&file, Default::default()).unwrap();
        let columns = metadata.metadata().row_group(0).columns().iter();
        let found: Vec<bool> = columns
            .map(|column| super::super::largest(&file, column, 0).unwrap().has_deltas)
            .collect();
        assert_eq!(found, expected);
    }
}

fn number(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Returns what is in front of a list.
fn head(block: u64, values: u64) -> Vec<u8> {
    [number(block), number(4), number(values), number(0)].concat()
}

/// Returns a list of so many lengths, all of which are alike but the first.
fn list(first: i32, others: i32, values: usize) -> Vec<u8> {
    let signed = (first << 1) ^ (first >> 31);
    let mut bytes = [number(128), number(4), number(values as u64)].concat();
    bytes.extend(number(u64::from(signed as u32)));
    for block in 0..values.saturating_sub(1).div_ceil(128) {
        let is_first = block == 0;
        bytes.extend([0, if is_first { 32 } else { 0 }, 0, 0, 0]);
        if is_first {
            bytes.extend(others.wrapping_sub(first).to_le_bytes());
            bytes.extend([0; 31 * 4]);
        }
    }
    bytes
}

/// Returns a page of texts of so many bytes, each of which repeats the one before it.
fn repeated(length: usize, values: usize) -> Vec<u8> {
    let prefixes = list(0, length as i32, values);
    let suffixes = list(length as i32, 0, values);
    [prefixes, suffixes, vec![b'a'; length]].concat()
}

/// Returns a file with a column of so many texts, whose only page has these bytes in this encoding.
fn with_page(values: usize, encoding: Encoding, page: &[u8]) -> File {
    // The page that is written has more bytes: the length of each text in front of it.
    let texts = iter::once("x".repeat(page.len()));
    let texts = texts.chain(iter::repeat_n(String::new(), values - 1));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    let batch = RecordBatch::try_from_iter([("text", texts)]).unwrap();
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .build();
    let file = write(&batch, properties);
    let at = first_page(&file);
    let end = Head::read(&mut BufReader::new(&file), at).unwrap().end;
    let mut bytes = vec![0; (end - at) as usize];
    file.read_exact_at(&mut bytes, at).unwrap();
    // The encodings of the values and of levels, of which there are none.
    let plain = [0x15_u8, 0, 0x15, 6, 0x15, 6];
    let place = bytes.windows(plain.len()).position(|six| six == plain);
    let place = at + place.unwrap() as u64 + 1;
    file.write_all_at(&[2 * encoding as u8], place).unwrap();
    file.write_all_at(page, end).unwrap();
    file
}

/// Returns where the first page of a file begins.
fn first_page(file: &File) -> u64 {
    let metadata = ArrowReaderMetadata::load(file, Default::default()).unwrap();
    metadata.metadata().row_group(0).column(0).byte_range().0
}

#[track_caller]
fn assert_refused(file: &File, expected: &str) {
    let why = checked(file, &[0]).unwrap_err();
    assert!(why.contains(expected), "{why}");
    assert!(!why.contains("  "), "{why}");
}

#[test]
fn a_page_that_says_that_it_has_billions_of_texts_is_refused() {
    let billions = head(128, 1 << 31);
    let expected = "a page of column `text` says in front of its values that they are 2147483648, and in its head that \
                    they are 100; it is damaged";
    for encoding in OF_TEXTS {
        assert_refused(&with_page(100, encoding, &billions), expected);
    }
    let suffixes = [list(0, 0, 100), billions].concat();
    let file = with_page(100, Encoding::DELTA_BYTE_ARRAY, &suffixes);
    assert_refused(&file, expected);
}

#[test]
fn a_page_with_blocks_that_nobody_writes_is_refused() {
    for block in [0, 1 << 31, u64::MAX] {
        let expected = format!("says that a block of it has {block} lengths, which is not from 1");
        for encoding in OF_TEXTS {
            assert_refused(&with_page(100, encoding, &head(block, 100)), &expected);
        }
    }
    // The library says itself what is wrong with these.
    let of_parts = |parts: u8| vec![0x80, 1, parts, 100, 0];
    let parts = [0, 5, 8].map(of_parts);
    let others = [head(100, 100), vec![0xff; 30], vec![]];
    for page in parts.into_iter().chain(others) {
        for encoding in OF_TEXTS {
            let lengths = bytes_of_lengths(&page, 100);
            assert_eq!((lengths, bytes_of_prefixes(&page, 100, 1)), (Ok(0), Ok(0)));
            if !page.is_empty() {
                let file = with_page(100, encoding, &page);
                assert_eq!(checked(&file, &[0]), Ok(()));
            }
        }
    }
}

#[test]
fn texts_that_repeat_the_one_before_them_count_each() {
    let page = repeated(5_000, 300);
    let file = with_page(300, Encoding::DELTA_BYTE_ARRAY, &page);
    let texts = iter::repeat_n("a".repeat(5_000), 300);
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    assert_has(
        &file,
        &RecordBatch::try_from_iter([("text", texts)]).unwrap(),
    );
    assert_eq!(further(&file, 0), 8 * 300 + 2 * 300 * 5_000);
    // A file of 240 KB with texts of 1 GiB.
    let page = repeated(220_000, 5_000);
    let file = with_page(5_000, Encoding::DELTA_BYTE_ARRAY, &page);
    let taken = bytes_taken(|| {
        assert_refused(&file, "what is read of it at the same time takes 2");
        assert_refused(&file, " MiB of memory, and 2048 MiB are allowed: write it");
    });
    assert!(taken < 4 << 20, "{taken}");
}

#[test]
fn lists_alone_may_be_too_much() {
    let most = i32::MAX as u32;
    let page = head(128, u64::from(most));
    assert_eq!(bytes_of_lengths(&page, most), Ok(4 * u64::from(most)));
    assert_eq!(bytes_of_prefixes(&page, most, 1), Ok(4 * u64::from(most)));
    // Lists of different lengths are refused by the library when it has made both.
    let page = [list(0, 0, 100), list(0, 0, 99)].concat();
    assert_eq!(bytes_of_prefixes(&page, 100, u64::MAX), Ok(199 * 4));
}

#[test]
fn a_length_below_zero_is_refused() {
    for page in [
        [list(0, -5, 100), list(10, 0, 100)].concat(),
        [list(0, 0, 100), list(-5, 0, 100)].concat(),
    ] {
        let file = with_page(100, Encoding::DELTA_BYTE_ARRAY, &page);
        assert_refused(&file, "has a value whose length is -5; it is damaged");
    }
}

#[test]
fn a_list_that_is_cut_off_ends_there() {
    let whole = repeated(70_000, 500);
    let lists = whole.len() - 70_000;
    for length in 0..lists {
        let most = 8 * 500 + 2 * 70_000 * 500;
        let bytes = bytes_of_prefixes(&whole[..length], 500, u64::MAX).unwrap();
        assert!(bytes <= most, "{length}: {bytes}");
    }
    let read: Vec<i32> = Differences::begin(&list(7, 3, 500), 500)
        .unwrap()
        .unwrap()
        .collect();
    assert_eq!(read[..3], [7, 3, 3]);
    assert_eq!(read.len(), 500);
    let cut = list(7, 3, 500);
    let cut = Differences::begin(&cut[..50], 500).unwrap().unwrap();
    assert!(cut.count() < 500);
}

#[test]
#[allow(deprecated)]
fn levels_of_either_encoding_are_skipped() {
    let bytes = [3, 0, 0, 0, 1, 2, 3];
    assert_eq!(level_bytes(&bytes, 1, Encoding::RLE, 9), Some(7));
    assert_eq!(level_bytes(&bytes[..3], 1, Encoding::RLE, 9), None);
    assert_eq!(level_bytes(&[], 1, Encoding::BIT_PACKED, 9), Some(2));
    assert_eq!(level_bytes(&[], 3, Encoding::BIT_PACKED, 9), Some(3));
    assert_eq!(level_bytes(&bytes, 1, Encoding::PLAIN, 9), None);
}

/// This is why their pages are not unpacked.
#[test]
fn numbers_that_say_that_they_are_billions_take_little_memory() {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values((0..2_000).map(|i| i * i)));
    let batch = RecordBatch::try_from_iter([("number", numbers)]).unwrap();
    for version in VERSIONS {
        let properties = WriterProperties::builder()
            .set_writer_version(version)
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::DELTA_BINARY_PACKED)
            .build();
        let file = write(&batch, properties);
        assert_has(&file, &batch);
        let at = first_page(&file);
        let end = Head::read(&mut BufReader::new(&file), at).unwrap().end;
        file.write_all_at(&head(128, 1 << 40), end).unwrap();
        let taken = bytes_taken(|| {
            assert_eq!(checked(&file, &[0]), Ok(()));
            let _ = read(&file);
        });
        assert!(taken < 4 << 20, "{version:?}: {taken}");
    }
}
