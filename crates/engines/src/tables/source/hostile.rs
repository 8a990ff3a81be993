//! Files to ingest that nobody meant anyone to read: their rows or an error, never a panic, an endless loop or
//! more memory than is said here.

use arrow::array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    Float64Array, Int64Array, ListArray, NullArray, StringArray, StringViewArray,
    TimestampMicrosecondArray, UInt8Array,
};
use arrow::datatypes::{DataType, Int32Type};
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use bakeoff_testing::hostile::{Corpus, Parser, bytes_taken};
use bakeoff_testing::times;

use super::*;

mod parquet_files;

const MIB: u64 = 1 << 20;

/// The memory for a text of at most 128 KiB.
const TEXT_BYTES: u64 = 256 * MIB;

/// The memory for an Arrow file of at most 128 KiB. A byte of Zstandard may say that it unpacks to 32 KiB, which
/// the library reserves before it unpacks them.
const ARROW_BYTES: u64 = (4 << 30) + 256 * MIB;

/// The number of rows that types are guessed from.
const SAMPLE_ROWS: usize = 20;

/// The number of rows of a batch that is written.
const ROWS: usize = 40;

/// Writes files under one name, and reads them.
struct Files {
    folder: tempfile::TempDir,
    name: &'static str,
}

impl Files {
    fn new(name: &'static str) -> Files {
        Files {
            folder: tempfile::tempdir().unwrap(),
            name,
        }
    }

    fn open(&self, bytes: &[u8]) -> Result<Source, TableError> {
        let path = self.folder.path().join(self.name);
        std::fs::write(&path, bytes).unwrap();
        Source::open(&path, Some(SAMPLE_ROWS), &SaidOfText::default())
    }

    /// Returns whether all columns with a type of a columnar table can be read in that type. Reads all columns in
    /// other types, too.
    fn are_readable(&self, bytes: &[u8]) -> bool {
        let own = self.open(bytes).and_then(|source| {
            let has_kind = |column: &&SourceColumn| column.kind.is_some();
            let columns = source.columns.iter().filter(has_kind);
            let columns: Vec<Column> = columns
                .map(|column| Column::new(&column.name, column.kind.unwrap_or(Kind::Text)))
                .collect();
            rows(source, &columns)
        });
        let others = self.open(bytes).and_then(|source| {
            let kind = |number: usize| Kind::ALL[(number + bytes.len()) % Kind::ALL.len()];
            let columns = source.columns.iter().enumerate().rev();
            let columns: Vec<Column> = columns
                .map(|(number, column)| Column::new(&column.name, kind(number)))
                .collect();
            rows(source, &columns)
        });
        for read in [&own, &others] {
            if let Err(error) = read {
                assert!(!error.to_string().is_empty());
            }
        }
        if let (Ok(own), Ok(others)) = (&own, &others) {
            assert_eq!(own, others);
        }
        own.is_ok()
    }

    /// Returns the error of a file that cannot be read.
    fn refusal(&self, bytes: &[u8]) -> String {
        let read = self.open(bytes).and_then(|source| {
            let name = source.columns[0].name.clone();
            rows(source, &[Column::new(&name, Kind::Bigint)])
        });
        read.unwrap_err().to_string()
    }
}

/// Reads all rows of a file in this thread, and returns their number.
fn rows(source: Source, columns: &[Column]) -> Result<usize, TableError> {
    let Some(key) = columns.first() else {
        return Err(TableError::Asked("no column has a type".to_owned()));
    };
    let place = |column: &Column| {
        let found = source.columns.iter().position(|c| c.name == column.name);
        found.expect("a column of the source")
    };
    let places: Vec<usize> = columns.iter().map(place).collect();
    let keys = [key.name.as_str()];
    let mut conversion = Conversion::new(columns, &keys);
    let batches = match source.input {
        Input::Text(file) => file.read(columns, &keys, &places)?,
        Input::Arrow(file) => file.read(&places)?,
        Input::Table(_) => unreachable!("a file is no table"),
    };
    let mut rows = 0;
    for batch in batches {
        let converted = conversion.convert(&batch?)?;
        converted.columns().iter().for_each(is_sound);
        rows += converted.num_rows();
    }
    Ok(rows)
}

/// Arrow reads texts unchecked, so that they have to be UTF-8 whatever the file holds.
fn is_sound(array: &ArrayRef) {
    // This check is wrong for arrays whose bits begin within a byte.
    if *array.data_type() != DataType::Boolean {
        array.to_data().validate_full().unwrap();
    }
}

fn corpus(name: &str) -> Corpus {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    Corpus::read(&folder.join(name))
}

#[test]
fn types_of_csv_are_guessed_or_it_is_refused() {
    let parser = Parser {
        name: "types of csv",
        most_bytes: TEXT_BYTES,
        cases: times(800, 50_000),
    };
    let files = Files::new("x.csv");
    parser.feed(&corpus("csv"), |bytes| files.are_readable(bytes));
}

#[test]
fn types_of_tsv_are_guessed_or_it_is_refused() {
    let parser = Parser {
        name: "types of tsv",
        most_bytes: TEXT_BYTES,
        cases: times(400, 30_000),
    };
    let files = Files::new("x.tsv");
    parser.feed(&corpus("tsv"), |bytes| files.are_readable(bytes));
}

#[test]
fn a_heading_of_very_many_columns_takes_little_memory() {
    let files = Files::new("x.csv");
    let taken = bytes_taken(|| {
        let said = files.refusal(&vec![b','; 8 << 20]);
        assert!(said.contains("line 1: "), "{said}");
        assert!(said.contains("more than 65536 columns"), "{said}");
    });
    assert!(taken < TEXT_BYTES, "{taken}");
    let names: Vec<String> = (0..60_000).map(|number| format!("c{number}")).collect();
    let heading = names.join(",");
    let taken = bytes_taken(|| {
        let source = files.open(format!("{heading}\n").as_bytes()).unwrap();
        assert_eq!(source.columns().len(), names.len());
    });
    assert!(taken < TEXT_BYTES, "{taken}");
    let said = files.refusal(format!("{heading},C7\n").as_bytes());
    assert!(said.contains("two columns are called `c7`"), "{said}");
}

/// Returns columns of types that are common in files, and of some that are not.
fn columns() -> Vec<(&'static str, ArrayRef)> {
    let numbers = || 0..ROWS as i64;
    let texts = || numbers().map(|i| format!("series {}", i / 8));
    let odd = |i: &i64| i % 7 != 3;
    let time = |i: i64| 1_700_000_000_000_000 + i * 60_000_000;
    let named: Vec<String> = texts().collect();
    let series: DictionaryArray<Int32Type> = named.iter().map(String::as_str).collect();
    let times = TimestampMicrosecondArray::from_iter_values(numbers().map(time));
    let maybe = || numbers().map(move |i| odd(&i).then_some(i * 1_000_003));
    let bytes = numbers().map(|i| odd(&i).then(|| vec![i as u8; i as usize % 5]));
    let money = Decimal128Array::from_iter_values(numbers().map(|i| i128::from(i) * 125));
    let lists = numbers().map(|i| odd(&i).then(|| (0..i as i32 % 3).map(Some)));
    vec![
        ("series", Arc::new(series)),
        ("time", Arc::new(times.with_timezone("UTC"))),
        (
            "value",
            Arc::new(Float64Array::from_iter(
                maybe().map(|v| v.map(|v| v as f64 / 7.0)),
            )),
        ),
        ("big", Arc::new(Int64Array::from_iter(maybe()))),
        (
            "small",
            Arc::new(UInt8Array::from_iter_values(0..ROWS as u8)),
        ),
        (
            "flag",
            Arc::new(BooleanArray::from_iter(
                numbers().map(|i| odd(&i).then_some(i % 2 == 0)),
            )),
        ),
        ("bytes", Arc::new(BinaryArray::from_iter(bytes))),
        ("text", Arc::new(StringArray::from_iter_values(texts()))),
        ("view", Arc::new(StringViewArray::from_iter_values(texts()))),
        (
            "day",
            Arc::new(Date32Array::from_iter_values(0..ROWS as i32)),
        ),
        (
            "money",
            Arc::new(money.with_precision_and_scale(20, 2).unwrap()),
        ),
        (
            "list",
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
        ),
        ("nothing", Arc::new(NullArray::new(ROWS))),
    ]
}

fn batch(columns: Vec<(&'static str, ArrayRef)>) -> RecordBatch {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

/// Writes two batches as an Arrow file, or as a stream.
fn written(batch: &RecordBatch, is_stream: bool, codec: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(codec);
    let (options, schema) = (options.unwrap(), batch.schema());
    let mut bytes = Vec::new();
    if is_stream {
        let mut writer = StreamWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
        writer.write(batch).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
    } else {
        let mut writer = FileWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
        writer.write(batch).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
    }
    bytes
}

/// Returns a stream with one column of numbers, all of them 7 or null.
fn sevens(codec: Option<CompressionType>) -> Vec<u8> {
    let sevens = (0..4_096).map(|i| (i % 9 > 0).then_some(7));
    let sevens: ArrayRef = Arc::new(Int64Array::from_iter(sevens));
    written(&batch(vec![("seven", sevens)]), true, codec)
}

/// Returns the positions in a stream of the first batch's head, and of its body.
fn first_batch(stream: &[u8]) -> (std::ops::Range<usize>, usize) {
    let length = |at: usize| {
        let length = stream[at + 4..at + 8].try_into().unwrap();
        i32::from_le_bytes(length) as usize
    };
    let at = 8 + length(0);
    let body = at + 8 + length(at);
    (at + 8..body, body)
}

/// Returns a stream whose first batch says that its body has this length.
fn with_body_length(stream: &[u8], length: i64) -> Vec<u8> {
    let (head, _) = first_batch(stream);
    let message = arrow::ipc::root_as_message(&stream[head.clone()]).unwrap();
    let before = message.bodyLength().to_le_bytes();
    let mut windows = stream[head.clone()].windows(8);
    let at = head.start + windows.position(|bytes| bytes == before).unwrap();
    let mut changed = stream.to_vec();
    changed[at..at + 8].copy_from_slice(&length.to_le_bytes());
    changed
}

/// Returns a compressed stream whose first column says that it unpacks to this length.
fn with_unpacked_length(stream: &[u8], length: i64) -> Vec<u8> {
    let (_, body) = first_batch(stream);
    let mut changed = stream.to_vec();
    changed[body..body + 8].copy_from_slice(&length.to_le_bytes());
    changed
}

/// Returns an Arrow file that says that its footer has this length.
fn with_footer_length(file: &[u8], length: i32) -> Vec<u8> {
    let at = file.len() - 10;
    let mut changed = file.to_vec();
    changed[at..at + 4].copy_from_slice(&length.to_le_bytes());
    changed
}

const CODECS: [Option<CompressionType>; 3] = [
    None,
    Some(CompressionType::LZ4_FRAME),
    Some(CompressionType::ZSTD),
];

#[test]
fn arrow_files_are_read_or_refused() {
    let parser = Parser {
        name: "arrow files",
        most_bytes: ARROW_BYTES,
        cases: times(300, 60_000),
    };
    let mut corpus = Corpus::default();
    for codec in CODECS {
        corpus.add(written(&batch(columns()), false, codec));
    }
    let no_footer = with_footer_length(corpus.get(0).unwrap(), i32::MAX);
    corpus.add(no_footer);
    let files = Files::new("x.arrow");
    parser.feed(&corpus, |bytes| files.are_readable(bytes));
}

#[test]
fn arrow_streams_are_read_or_refused() {
    let parser = Parser {
        name: "arrow streams",
        most_bytes: ARROW_BYTES,
        cases: times(300, 60_000),
    };
    let mut corpus = Corpus::default();
    for codec in CODECS {
        corpus.add(written(&batch(columns()), true, codec));
        corpus.add(sevens(codec));
    }
    corpus.add(with_body_length(&sevens(None), 1 << 46));
    corpus.add(with_unpacked_length(&sevens(CODECS[2]), 1 << 46));
    let files = Files::new("x.arrows");
    parser.feed(&corpus, |bytes| files.are_readable(bytes));
}

/// The library reserves what a length says, and the process ends if it cannot.
#[test]
fn lengths_that_a_file_cannot_have_take_no_memory() {
    let (file, stream) = (Files::new("x.arrow"), Files::new("x.arrows"));
    let plain = written(&batch(columns()), false, None);
    let [sevens, compressed @ ..] = CODECS.map(sevens);
    let taken = bytes_taken(|| {
        for length in [i32::MAX, -1, plain.len() as i32] {
            let said = file.refusal(&with_footer_length(&plain, length));
            assert!(said.contains("it has no footer"), "{length}: {said}");
        }
        for length in [1 << 46, i64::MAX] {
            let said = stream.refusal(&with_body_length(&sevens, length));
            assert!(said.contains(&format!("{length} bytes begin at")), "{said}");
            assert!(said.contains("try another copy of it"), "{said}");
            for compressed in &compressed {
                let said = stream.refusal(&with_unpacked_length(compressed, length));
                assert!(said.contains(&format!("unpack to {length}")), "{said}");
            }
        }
        let said = stream.refusal(&with_body_length(&sevens, -1));
        assert!(said.contains("it has a length of -1"), "{said}");
        let said = stream.refusal(b"\xff\xff\xff\xff\xff\xff\xff\x7f");
        assert!(said.contains("2147483647 bytes begin at 8"), "{said}");
    });
    assert!(taken < 16 * MIB, "{taken}");
}
