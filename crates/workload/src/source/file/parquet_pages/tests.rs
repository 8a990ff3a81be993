use std::io::Cursor;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use arrow::array::{ArrayRef, FixedSizeBinaryArray, Int64Array, StringArray};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::ZstdLevel;
use parquet::file::properties::WriterProperties;

use super::*;

/// Returns the bytes of a number below 16,384 with its sign, two of them.
fn two_bytes(number: u16) -> [u8; 2] {
    let number = number << 1;
    [(number & 0x7f) as u8 | 0x80, (number >> 7) as u8]
}

/// Returns the head of a page of 300 bytes that unpacks to 5,000, with all that a head may have.
fn head() -> Vec<u8> {
    let mut head = vec![0x15, 0];
    head.push(0x15);
    head.extend(two_bytes(5_000));
    head.push(0x15);
    head.extend(two_bytes(300));
    // A checksum, then a head of data of version 2 with statistics and a flag.
    head.extend([0x15, 0x07]);
    head.extend([0x4c, 0x15, 0x02, 0x61, 0x1c]);
    head.extend([0x18, 3, b'a', b'b', b'c', 0x18, 0, 0x00, 0x00]);
    // What later versions may add: a list of numbers, one of flags, a map, a float and a structure.
    head.extend([0x19, 0x25, 0x02, 0x04, 0x19, 0xf1, 0xff, 0x7f]);
    head.extend([0x1b, 1, 0x58, 0x06, 1, b'x', 0x17]);
    head.extend([0; 8]);
    head.extend([0x1c, 0x00, 0x00]);
    head
}

#[test]
fn lengths_are_found_among_all_that_a_head_may_have() {
    let bytes = [&[9, 9][..], &head(), &[7]].concat();
    let read = Head::read(&mut Cursor::new(&bytes), 2).unwrap();
    let expected = Head {
        kind: Some(0),
        unpacked: Some(5_000),
        packed: Some(300),
        values: None,
        has_deltas: false,
        end: bytes.len() as u64 - 1,
    };
    assert_eq!(read, expected);
    assert_eq!(read.lengths(read.end + 300), Some((300, 5_000)));
    assert_eq!(read.lengths(read.end + 299), None);
}

#[test]
fn a_head_that_is_cut_off_or_nested_without_end_is_none() {
    let whole = head();
    for length in 0..whole.len() {
        let read = Head::read(&mut Cursor::new(&whole[..length]), 0);
        assert!(read.is_err(), "{length}");
    }
    let nested = [vec![0x5c], vec![0x1c; 1_000]].concat();
    assert!(Head::read(&mut Cursor::new(&nested), 0).is_err());
    // Numbers of fields that go on beyond those that there are.
    let far = [vec![0x05, 0xfe, 0xff, 0x03, 0], vec![0xf5, 0]].concat();
    assert!(Head::read(&mut Cursor::new(&far), 0).is_err());
    // Billions of values, of which the file has none.
    for kind in [0x07, 0x08, 0x0b, 0x0c, 0x0d] {
        let values = [0x09, 0x30, 0xf0 | kind, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0];
        assert!(Head::read(&mut Cursor::new(&values), 0).is_err(), "{kind}");
    }
    let negative = Head {
        unpacked: Some(-1),
        packed: Some(1),
        ..Head::default()
    };
    assert_eq!(negative.lengths(10), None);
}

#[test]
fn a_dictionary_says_how_many_values_it_has() {
    let bytes = [
        0x15, 4, 0x15, 20, 0x15, 20, 0x4c, 0x15, 10, 0x15, 0, 0x12, 0, 0,
    ];
    let head = Head::read(&mut Cursor::new(&bytes), 0).unwrap();
    assert_eq!((head.kind, head.values), (Some(DICTIONARY), Some(5)));
    assert_eq!(head.end, bytes.len() as u64);
}

/// The library takes numbers of data and dictionaries for numbers, even if they say that they are texts: bytes that such
/// a text would have are further fields to it.
#[test]
fn what_a_head_says_is_found_where_the_library_finds_it() {
    for (data, further) in [(0x5c_u8, 3), (0x8c, 5), (0x7c, 1)] {
        // Its first field says that it is a text of ten bytes.
        let mut bytes = vec![data, 0x18, 10];
        for _ in 0..further {
            bytes.extend([0x15, 0]);
        }
        bytes.push(0);
        // The type of the page, and that it unpacks to 5,000 from 300 bytes.
        bytes.extend([0x05, 2, 0]);
        for number in [5_000, 300] {
            bytes.push(0x15);
            bytes.extend(two_bytes(number));
        }
        bytes.push(0);
        let head = Head::read(&mut Cursor::new(&bytes), 0).unwrap();
        let lengths = (head.unpacked, head.packed);
        assert_eq!(lengths, (Some(5_000), Some(300)), "{data:x}");
        assert_eq!(head.end, bytes.len() as u64, "{data:x}");
    }
}

#[test]
fn a_large_file_may_have_large_pages() {
    assert_eq!(most_bytes(1 << 20), MOST_BYTES);
    assert_eq!(most_bytes(1 << 30), 8 << 30);
}

#[test]
fn texts_of_a_dictionary_take_their_bytes_twice_and_a_view_each() {
    let file = written(Compression::UNCOMPRESSED);
    let metadata = ArrowReaderMetadata::load(&file, Default::default()).unwrap();
    let column = metadata.metadata().row_group(0).column(1);
    let (at, _) = column.byte_range();
    let head = Head::read(&mut BufReader::new(&file), at).unwrap();
    assert_eq!((head.kind, head.values), (Some(DICTIONARY), Some(1_000)));
    let taken = largest(&file, column, 1_000).unwrap().bytes;
    let of_dictionary = 2 * head.packed.unwrap() as u64 + 16_000;
    // A page of data has about 500 of its places, of 10 bits each at most, and counts twice.
    assert!(taken > of_dictionary + 1_000, "{taken}");
    assert!(taken < of_dictionary + 2_000, "{taken}");
}

#[test]
fn values_of_a_fixed_length_take_memory_for_a_whole_batch() {
    let bytes: ArrayRef = Arc::new(FixedSizeBinaryArray::try_from(vec![&[7_u8; 16]]).unwrap());
    let batch = RecordBatch::try_from_iter([("bytes", bytes)]).unwrap();
    let file = tempfile::tempfile().unwrap();
    let copy = file.try_clone().unwrap();
    let mut writer = ArrowWriter::try_new(copy, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert_eq!(checked(&file, &[0]), Ok(()));
    let metadata = ArrowReaderMetadata::load(&file, Default::default()).unwrap();
    let column = metadata.metadata().row_group(0).column(0);
    let of = |rows: u64| largest(&file, column, rows).unwrap().bytes;
    assert_eq!(of(8_192) - of(0), 8_192 * 16);
}

/// A Parquet file with two columns.
fn written(compression: Compression) -> File {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values((0..2_000).map(|i| i * i)));
    let texts = (0..2_000).map(|i| format!("text {}", i % 1_000));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    let batch = RecordBatch::try_from_iter([("number", numbers), ("text", texts)]).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_data_page_row_count_limit(500)
        .set_write_batch_size(100)
        .build();
    let file = tempfile::tempfile().unwrap();
    let copy = file.try_clone().unwrap();
    let mut writer = ArrowWriter::try_new(copy, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    file
}

pub(super) fn checked(file: &File, columns: &[usize]) -> Result<(), String> {
    let metadata = ArrowReaderMetadata::load(file, Default::default()).unwrap();
    check(file, metadata.metadata(), columns)
}

/// Lets the first page of a column say that it unpacks to as much as the bytes of that number can say.
fn lengthen(file: &File, column: usize) {
    let metadata = ArrowReaderMetadata::load(file, Default::default()).unwrap();
    let (at, _) = metadata.metadata().row_group(0).column(column).byte_range();
    let head = Head::read(&mut BufReader::new(file), at).unwrap();
    let unpacked = head.unpacked.unwrap() as u64;
    // Behind the type of the page, its value, and the type of this number.
    let bytes = if unpacked < 64 {
        1
    } else if unpacked < 8_192 {
        2
    } else {
        3
    };
    let longest = [0xfe, 0xff, 0xff];
    let mut number = longest[..bytes].to_vec();
    number[bytes - 1] &= 0x7f;
    file.write_all_at(&number, at + 3).unwrap();
    let longer = Head::read(&mut BufReader::new(file), at).unwrap();
    assert!(longer.unpacked > head.unpacked && longer.packed == head.packed);
}

#[test]
fn a_page_that_says_more_than_its_bytes_can_unpack_to_is_refused() {
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        assert_eq!(checked(&written(compression), &[0, 1]), Ok(()));
    }
    // The dictionary of the texts has some KiB, of which a length of three bytes may make a MiB.
    let file = written(Compression::SNAPPY);
    lengthen(&file, 1);
    let why = checked(&file, &[0, 1]).unwrap_err();
    assert!(
        why.starts_with("a page of column `text` says that its "),
        "{why}"
    );
    assert!(
        why.contains(" bytes unpack to 1048575, which they cannot; "),
        "{why}"
    );
    // It is nothing to those who do not read it.
    assert_eq!(checked(&file, &[0]), Ok(()));
}

#[test]
fn a_dictionary_that_says_that_it_has_more_values_than_bytes_for_them_is_refused() {
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
        let file = written(compression);
        let metadata = ArrowReaderMetadata::load(&file, Default::default()).unwrap();
        let (at, _) = metadata.metadata().row_group(0).column(0).byte_range();
        let head = Head::read(&mut BufReader::new(&file), at).unwrap();
        assert_eq!(head.values, Some(2_000));
        // Two thousand numbers of 8 bytes. The head ends with their number, their encoding, that they are not sorted, and
        // the ends of both heads.
        let mut bytes = vec![0; (head.end - at) as usize];
        file.read_exact_at(&mut bytes, at).unwrap();
        let place = bytes.windows(2).rposition(|pair| pair == two_bytes(2_000));
        let place = at + place.unwrap() as u64;
        file.write_all_at(&two_bytes(2_001), place).unwrap();
        let why = checked(&file, &[0, 1]).unwrap_err();
        let expected = "a page of column `number` says that its 16000 bytes are 2001 values, for which they are too few";
        assert!(why.starts_with(expected), "{why}");
        assert_eq!(checked(&file, &[1]), Ok(()));
    }
}
