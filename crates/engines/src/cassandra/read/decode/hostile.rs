//! Pages of rows that no server should send: a batch or an error, never a panic, an endless loop or more memory
//! than is said here.

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Decimal256Type};
use arrow::util::display::array_value_to_string;
use bakeoff_testing::hostile::{Corpus, Parser, bytes_taken};
use bakeoff_testing::times;
use bakeoff_workload::Value;
use bytes::Bytes;
use scylla_cql::frame::protocol_features::ProtocolFeatures;
use scylla_cql::frame::response::result::Result as Reply;
use scylla_cql::frame::response::{ResponseOpcode, ResponseV2 as Response};

use super::*;

/// The memory for a page of at most 128 KiB.
const PAGE_BYTES: u64 = 16 << 20;

/// The most digits of a number that is read.
const DIGITS: u8 = 66;

/// The digits behind the point of every decimal.
const BEHIND_POINT: usize = 38;

/// The first cells of a batch that are shown.
const SHOWN_ROWS: usize = 2;

/// A column of a page: what it is read as, its type as the protocol writes it, and one of its values.
type Sample = (CqlKind, Vec<u8>, Vec<u8>);

/// Returns an `[option]` without a value.
fn native(id: u16) -> Vec<u8> {
    id.to_be_bytes().to_vec()
}

fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat()
}

/// Returns a value with its length in front of it.
fn cell(value: &[u8]) -> Vec<u8> {
    [&(value.len() as i32).to_be_bytes()[..], value].concat()
}

/// Returns a column of each type, in nested types too.
fn samples() -> Vec<Sample> {
    let (int, text) = (native(0x0009), native(0x000d));
    let one = || cell(&1i32.to_be_bytes());
    let word = || cell("été".as_bytes());
    let count = |count: i32| count.to_be_bytes().to_vec();
    let list = [native(0x0020), int.clone()].concat();
    let map = [native(0x0021), text.clone(), list.clone()].concat();
    let set = [native(0x0022), text.clone()].concat();
    let tuple = [native(0x0031), native(2), int.clone(), text.clone()].concat();
    let fields = [string("a"), int, string("b"), list.clone()].concat();
    let user_type = [native(0x0030), string("ks"), string("t"), native(2), fields].concat();
    let marshal = "org.apache.cassandra.db.marshal";
    let vector = |of: &str| {
        let name = format!("{marshal}.VectorType({marshal}.{of} , 2)");
        [native(0), string(&name)].concat()
    };
    let ones = [count(2), one(), one()].concat();
    let in_a_map = [count(1), word(), cell(&ones)].concat();
    let literal = |kind: Vec<u8>, value: Vec<u8>| (CqlKind::Literal, kind, value);
    vec![
        (CqlKind::Boolean, native(0x0004), vec![1]),
        (CqlKind::Tinyint, native(0x0014), vec![0xff]),
        (CqlKind::Smallint, native(0x0013), vec![1, 2]),
        (CqlKind::Int, native(0x0009), vec![0, 0, 0, 7]),
        (CqlKind::Bigint, native(0x0002), vec![0x80; 8]),
        (
            CqlKind::Float,
            native(0x0008),
            0.5f32.to_be_bytes().to_vec(),
        ),
        (
            CqlKind::Double,
            native(0x0007),
            f64::MAX.to_be_bytes().to_vec(),
        ),
        (CqlKind::Text, text, "été".as_bytes().to_vec()),
        (CqlKind::Blob, native(0x0003), vec![0, 0xff]),
        (CqlKind::Timestamp, native(0x000b), vec![0; 8]),
        (CqlKind::Date, native(0x0011), vec![0x80, 0, 0x4d, 0]),
        (CqlKind::Time, native(0x0012), vec![0, 0, 0, 9, 9, 9, 9, 9]),
        (CqlKind::Uuid, native(0x000c), vec![0xa1; 16]),
        (CqlKind::Inet, native(0x0010), vec![127, 0, 0, 1]),
        (CqlKind::Varint, native(0x000e), vec![0xff, 0x7f]),
        (
            CqlKind::Decimal,
            native(0x0006),
            vec![0, 0, 0, 2, 0x7b, 0x7b],
        ),
        literal(list, ones.clone()),
        literal(set, [count(1), word()].concat()),
        literal(map, in_a_map),
        literal(tuple, [one(), word()].concat()),
        literal(user_type, [one(), cell(&ones)].concat()),
        literal(native(0x0015), vec![2, 4, 0xc0, 1, 0]),
        literal(vector("FloatType"), vec![0x3f; 8]),
        literal(vector("UTF8Type"), vec![1, b'a', 2, b'b', b'c']),
        literal(native(0x0012), vec![0, 0, 0, 9, 9, 9, 9, 9]),
        literal(native(0x0011), vec![0x80, 0, 0x4d, 0]),
        literal(native(0x000b), vec![0; 8]),
        literal(native(0x0006), vec![0, 0, 0, 2, 0x7b, 0x7b]),
        literal(native(0x000f), vec![0xa1; 16]),
    ]
}

/// A table, and what a page of its rows begins with.
struct Pages {
    decoder: Decoder,
    head: Vec<u8>,
}

impl Pages {
    /// Makes a decoder of all columns of a table, whose types in a page are given by their names.
    fn new(table: &ReadTable, types: impl Fn(&str) -> Vec<u8>) -> Pages {
        let all: Vec<usize> = (0..table.columns.len()).collect();
        let decoder = Decoder::new(table, &all).unwrap();
        // Rows, with one table for all columns.
        let numbers = [2, 1, decoder.selected.len() as i32];
        let mut head = numbers.map(i32::to_be_bytes).concat();
        head.extend([string("ks"), string("t")].concat());
        for name in &decoder.selected {
            head.extend([string(name), types(name)].concat());
        }
        Pages { decoder, head }
    }

    /// Decodes a page with these bytes behind its head: the number of rows, and their cells.
    fn decode(&self, rows: &[u8]) -> Result<RecordBatch, String> {
        let body = Bytes::from([&self.head[..], rows].concat());
        let features = ProtocolFeatures::default();
        let reply = Response::deserialize(&features, ResponseOpcode::Result, body, None);
        let Ok(Response::Result(Reply::Rows((page, _)))) = reply else {
            panic!("the head of a page is wrong: {reply:?}");
        };
        let page = page.deserialize_metadata().map_err(|e| e.to_string())?;
        let said = Said {
            rows: page.rows_count(),
            columns: page.metadata().col_specs().len(),
            bytes: page.rows_bytes_size(),
        };
        let rows = page.rows_iter::<ColumnIterator<'_, '_>>().unwrap();
        let decoded = self.decoder.decode_rows(said, rows);
        decoded.map_err(|error| error.to_string())
    }

    /// Returns whether a page can be decoded, to values that are sound.
    fn are_decoded(&self, rows: &[u8]) -> bool {
        match self.decode(rows) {
            Ok(batch) => {
                batch.columns().iter().for_each(is_sound);
                true
            }
            Err(said) => {
                assert!(!said.is_empty());
                false
            }
        }
    }
}

/// Arrow reads texts unchecked, so that they have to be UTF-8 whatever a page holds.
fn is_sound(array: &ArrayRef) {
    match array.data_type() {
        // This check is wrong for arrays whose bits begin within a byte.
        DataType::Boolean => {}
        DataType::Decimal256(..) => {
            let numbers = array.as_primitive::<Decimal256Type>();
            numbers.validate_decimal_precision(DIGITS).unwrap();
        }
        _ => array.to_data().validate_full().unwrap(),
    }
    for row in 0..array.len().min(SHOWN_ROWS) {
        let _ = array_value_to_string(array, row);
    }
}

/// Returns a table with a column of each sample, which the first one is the key of.
fn table(samples: &[Sample]) -> ReadTable {
    let columns = samples.iter().enumerate();
    let columns: Vec<ReadColumn> = columns
        .map(|(number, (kind, _, _))| ReadColumn {
            name: format!("c{number}"),
            kind: *kind,
        })
        .collect();
    ReadTable {
        partition_key: vec![columns[0].name.clone()],
        columns,
        ..ReadTable::default()
    }
}

/// Returns the type of a column of [`table`].
fn type_of(samples: &[Sample], name: &str) -> Vec<u8> {
    let number: usize = name[1..].parse().unwrap();
    samples[number].1.clone()
}

#[test]
fn cells_of_every_type_are_decoded_or_refused() {
    let parser = Parser {
        name: "pages of cells",
        most_bytes: PAGE_BYTES,
        cases: times(1_500, 120_000),
    };
    let samples = samples();
    let pages = Pages::new(&table(&samples), |name| type_of(&samples, name));
    let values: Vec<u8> = samples.iter().flat_map(|(_, _, v)| cell(v)).collect();
    let nulls = [cell(&[1]), vec![0xff; 4 * (samples.len() - 1)]].concat();
    let rows = |count: i32| count.to_be_bytes();
    let mut corpus = Corpus::default();
    corpus.add([&rows(1)[..], &values].concat());
    corpus.add([&rows(3)[..], &values, &nulls, &values].concat());
    corpus.add(rows(0));
    corpus.add([&rows(i32::MAX)[..], &values].concat());
    for input in corpus.iter().take(3) {
        pages.decode(input).unwrap();
    }
    parser.feed(&corpus, |bytes| pages.are_decoded(bytes));
}

#[test]
fn rows_in_one_blob_are_decoded_or_refused() {
    let parser = Parser {
        name: "pages of blobs",
        most_bytes: PAGE_BYTES,
        cases: times(2_000, 60_000),
    };
    let kinds = ColumnType::ALL.map(|(_, kind)| kind);
    let named = kinds.iter().enumerate();
    let named = named.map(|(number, kind)| ReadColumn {
        name: format!("v{number}"),
        kind: (*kind).into(),
    });
    let key = ReadColumn {
        name: "k".to_owned(),
        kind: CqlKind::Int,
    };
    let table = ReadTable {
        columns: std::iter::once(key).chain(named).collect(),
        partition_key: vec!["k".to_owned()],
        blob_kinds: kinds.to_vec(),
        ..ReadTable::default()
    };
    let pages = Pages::new(&table, |name| match name {
        "k" => native(0x0009),
        _ => native(0x0003),
    });
    let value = |kind: &ColumnType| match kind {
        ColumnType::Boolean => Value::Boolean(true),
        ColumnType::Int => Value::Int(-7),
        ColumnType::Bigint => Value::Bigint(i64::MIN),
        ColumnType::Float => Value::Float(0.25),
        ColumnType::Double => Value::Double(0.5),
        ColumnType::Timestamp => Value::Timestamp(1_700_000_000_000),
        ColumnType::Text => Value::Text("été".to_owned()),
        ColumnType::Uuid => Value::Uuid(bakeoff_workload::uuids::numbered(1)),
        ColumnType::Blob => Value::Blob(vec![0; 200]),
    };
    let values: Vec<Value> = kinds.iter().map(value).collect();
    let nulls = vec![Value::Null; kinds.len()];
    let row = |values: &[Value]| {
        let mut blob = Vec::new();
        row_blob::encode_values(values, &mut blob);
        [cell(&[0, 0, 0, 1]), cell(&blob)].concat()
    };
    let rows = |count: i32| count.to_be_bytes();
    let mut corpus = Corpus::default();
    corpus.add([&rows(2)[..], &row(&values), &row(&nulls)].concat());
    corpus.add([&rows(1)[..], &row(&nulls)].concat());
    for input in corpus.iter() {
        pages.decode(input).unwrap();
    }
    parser.feed(&corpus, |bytes| pages.are_decoded(bytes));
}

/// Memory is reserved for as many rows as a page says that it has.
#[test]
fn rows_that_a_page_cannot_have_take_no_memory() {
    let samples = samples();
    let pages = Pages::new(&table(&samples), |name| type_of(&samples, name));
    let values: Vec<u8> = samples.iter().flat_map(|(_, _, v)| cell(v)).collect();
    let taken = bytes_taken(|| {
        for rows in [i32::MAX, 1 << 20, 8] {
            let page = [&rows.to_be_bytes()[..], &values].concat();
            let said = pages.decode(&page).unwrap_err();
            let expected = format!("{rows} rows in {} bytes, which cannot be", values.len());
            assert!(said.contains(&expected), "{said}");
        }
    });
    assert!(taken < 1 << 20, "{taken}");
}

#[test]
fn a_page_with_other_columns_is_refused() {
    let samples = samples();
    let mut pages = Pages::new(&table(&samples), |name| type_of(&samples, name));
    let fewer = Pages::new(&table(&samples[..3]), |name| type_of(&samples, name));
    pages.head = fewer.head;
    let said = pages.decode(&1_000_000i32.to_be_bytes()).unwrap_err();
    let expected = format!("has 3 columns, and {} were asked for", samples.len());
    assert!(said.contains(&expected), "{said}");
}

/// Returns a number as the digits of a decimal with [`BEHIND_POINT`] digits behind the point, or `None` if it
/// has more.
fn digits(text: &str) -> Option<String> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => ("-", text),
        None => ("", text),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let padded = format!("{fraction}{}", "0".repeat(BEHIND_POINT));
    let (kept, rest) = padded.split_at(BEHIND_POINT);
    let all = format!("{whole}{kept}");
    let all = match all.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    rest.bytes()
        .all(|byte| byte == b'0')
        .then(|| format!("{sign}{all}"))
}

/// Two conversions that share nothing agree about each number.
#[test]
fn numbers_are_the_same_as_values_and_as_text() {
    let parser = Parser {
        name: "numbers of any length",
        most_bytes: PAGE_BYTES,
        cases: times(5_000, 100_000),
    };
    let scaled = |scale: i32, digits: &[u8]| [&scale.to_be_bytes()[..], digits].concat();
    let mut corpus = Corpus::default();
    corpus.add([0]);
    corpus.add([0xff, 0x7f, 0x80, 0]);
    corpus.add([[0xff_u8; 20], [0x80; 20]].concat());
    corpus.add([0x40; 28]);
    corpus.add(scaled(2, &[0x7b, 0]));
    corpus.add(scaled(-27, &[9]));
    corpus.add(scaled(40, &[2, 0xbc]));
    corpus.add(scaled(i32::MIN, &[0]));
    parser.feed(&corpus, |bytes| {
        let whole = numbers::varint(bytes);
        if let (Some(value), Some(text)) = (whole, numbers::varint_text(bytes)) {
            assert_eq!(value.to_string(), text);
        }
        let decimal = numbers::decimal(bytes);
        if let (Some(value), Some(text)) = (decimal, numbers::decimal_text(bytes)) {
            assert_eq!(Some(value.to_string()), digits(&text));
        }
        whole.is_some()
    });
}
