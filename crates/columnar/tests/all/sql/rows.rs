//! Random rows, and tables for them.

use std::num::NonZeroI64;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Float32Array, Float64Array, Int32Array,
    Int64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow::datatypes::{DataType, Field, Schema};
use bakeoff_columnar::{Column, Definition, Kind, Profile};

/// A generator of numbers that are the same every time (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub fn between(&mut self, first: i64, last: i64) -> i64 {
        first + self.below((last - first + 1) as u64) as i64
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }
}

pub fn column(name: &str, kind: Kind) -> Column {
    Column {
        name: name.to_owned(),
        kind,
    }
}

/// Makes a definition in which series, time and number identify a row, and all else may be null.
pub fn definition(bucket: Option<i64>, shards: u32, chunk_rows: u32) -> Definition {
    Definition {
        columns: vec![
            column("whole", Kind::Bigint),
            column("series", Kind::Text),
            column("time", Kind::Timestamp),
            column("small", Kind::Int),
            column("value", Kind::Double),
            column("single", Kind::Float),
            column("flag", Kind::Boolean),
            column("day", Kind::Date),
            column("word", Kind::Text),
            column("bytes", Kind::Blob),
            column("number", Kind::Int),
        ],
        partition_key: vec!["series".to_owned()],
        order_key: vec!["time".to_owned(), "number".to_owned()],
        bucket: bucket.and_then(NonZeroI64::new),
        shards,
        profile: Profile::Fast,
        chunk_rows,
    }
}

/// Changes the keys of a definition to others that also identify a row by series, time and number.
pub fn other_keys(random: &mut Random, definition: Definition) -> Definition {
    const KEYS: [(&[&str], &[&str]); 6] = [
        (&["series"], &["time", "number"]),
        (&["series", "number"], &["time"]),
        (&["number"], &["time", "series"]),
        (&["series"], &["number", "time"]),
        (&["time"], &["series", "number"]),
        (&["number", "series", "time"], &[]),
    ];
    let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    let (partition, order) = *random.pick(&KEYS);
    let bucket = match order.first() {
        Some(&"time") => definition.bucket,
        Some(&"number") => definition.bucket.and(NonZeroI64::new(1)),
        _ => None,
    };
    let (partition_key, order_key) = (names(partition), names(order));
    Definition {
        partition_key,
        order_key,
        bucket,
        ..definition
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub series: String,
    pub time: i64,
    pub number: i32,
    pub whole: Option<i64>,
    pub small: Option<i32>,
    pub value: Option<f64>,
    pub single: Option<f32>,
    pub flag: Option<bool>,
    pub day: Option<i32>,
    pub word: Option<String>,
    pub bytes: Option<Vec<u8>>,
}

pub type Key = (String, i64, i32);

impl Row {
    pub fn key(&self) -> Key {
        (self.series.clone(), self.time, self.number)
    }

    pub fn random(random: &mut Random, series: u64, times: i64) -> Row {
        // Values go along with the time, so that chunks differ in their bounds.
        let time = random.between(-times / 4, times);
        let base = time / 10;
        let some = |random: &mut Random| !random.one_in(7);
        let word = match random.below(5) {
            0 => "z".repeat(200),
            n => format!("w{}{n}", base.rem_euclid(30)),
        };
        Row {
            series: format!("s{}", random.below(series)),
            time,
            number: random.between(0, 1) as i32,
            whole: some(random).then(|| match random.below(50) {
                0 => i64::MAX - 5,
                _ => base + random.between(-5, 5),
            }),
            small: some(random).then(|| (base + random.between(-3, 3)) as i32),
            value: some(random).then(|| match random.below(60) {
                0 => f64::NAN,
                1 => -0.0,
                _ => base as f64 + random.below(100) as f64 / 8.0,
            }),
            single: some(random).then(|| random.below(1000) as f32 / 4.0),
            flag: some(random).then(|| random.one_in(3)),
            day: some(random).then_some((base / 5) as i32),
            word: some(random).then_some(word),
            bytes: some(random).then(|| vec![random.below(4) as u8; 3]),
        }
    }
}

pub fn batch(rows: &[Row]) -> RecordBatch {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(rows.iter().map(|r| r.whole).collect::<Int64Array>()),
        Arc::new(
            rows.iter()
                .map(|r| Some(&r.series[..]))
                .collect::<StringArray>(),
        ),
        Arc::new(
            rows.iter()
                .map(|r| Some(r.time))
                .collect::<TimestampMillisecondArray>(),
        ),
        Arc::new(rows.iter().map(|r| r.small).collect::<Int32Array>()),
        Arc::new(rows.iter().map(|r| r.value).collect::<Float64Array>()),
        Arc::new(rows.iter().map(|r| r.single).collect::<Float32Array>()),
        Arc::new(rows.iter().map(|r| r.flag).collect::<BooleanArray>()),
        Arc::new(rows.iter().map(|r| r.day).collect::<Date32Array>()),
        Arc::new(
            rows.iter()
                .map(|r| r.word.as_deref())
                .collect::<StringArray>(),
        ),
        Arc::new(
            rows.iter()
                .map(|r| r.bytes.as_deref())
                .collect::<BinaryArray>(),
        ),
        Arc::new(rows.iter().map(|r| Some(r.number)).collect::<Int32Array>()),
    ];
    RecordBatch::try_new(definition(None, 1, 10).schema(), columns).unwrap()
}

pub fn keys(keys: &[Key]) -> RecordBatch {
    let schema = Schema::new(vec![
        Field::new("series", DataType::Utf8, false),
        Field::new("time", Kind::Timestamp.data_type(), false),
        Field::new("number", DataType::Int32, false),
    ]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(keys.iter().map(|k| Some(&k.0[..])).collect::<StringArray>()),
        Arc::new(
            keys.iter()
                .map(|k| Some(k.1))
                .collect::<TimestampMillisecondArray>(),
        ),
        Arc::new(keys.iter().map(|k| Some(k.2)).collect::<Int32Array>()),
    ];
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}
