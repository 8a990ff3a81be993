//! Random tables, the same rows in DataFusion's own memory table, and questions to both.

use std::collections::BTreeMap;
use std::num::NonZeroI64;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Float32Array, Float64Array, Int32Array,
    Int64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use bakeoff_columnar::store::memory::MemoryStore;
use bakeoff_columnar::table::Table;
use bakeoff_columnar::{Column, Definition, Kind, Profile, sql};
use datafusion::common::ScalarValue;
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};

/// Numbers that look random and are the same every time (splitmix64).
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

/// Series, time and number name a row; the rest may be null.
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

/// The same rows with other keys: all of them name a row by series, time and number.
fn other_keys(random: &mut Random, definition: Definition) -> Definition {
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

type Key = (String, i64, i32);

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

fn keys(keys: &[Key]) -> RecordBatch {
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

/// A columnar table and what has to be in it.
pub struct Both {
    pub table: Arc<Table>,
    pub rows: BTreeMap<Key, Row>,
}

impl Both {
    pub fn new(definition: Definition) -> Both {
        let store = MemoryStore::new(definition).unwrap();
        Both {
            table: Table::new(Arc::new(store), 1 << 20),
            rows: BTreeMap::new(),
        }
    }

    pub async fn load(&mut self, rows: Vec<Row>) {
        let mut ingest = self.table.ingest();
        ingest.write(&batch(&rows)).await.unwrap();
        ingest.finish().await.unwrap();
        self.rows.extend(rows.into_iter().map(|r| (r.key(), r)));
    }

    pub async fn insert(&mut self, rows: Vec<Row>) {
        self.table.insert(&batch(&rows)).await.unwrap();
        self.rows.extend(rows.into_iter().map(|r| (r.key(), r)));
    }

    pub async fn delete(&mut self, gone: &[Key]) {
        self.table.delete(&keys(gone)).await.unwrap();
        gone.iter().for_each(|key| drop(self.rows.remove(key)));
    }

    /// Loads, inserts, deletes and seals at random.
    pub async fn random(random: &mut Random) -> Both {
        let bucket = *random.pick(&[None, Some(100), Some(1000), Some(10_000)]);
        let definition = definition(
            bucket,
            random.between(1, 3) as u32,
            random.between(5, 60) as u32,
        );
        let definition = match random.one_in(2) {
            true => definition,
            false => other_keys(random, definition),
        };
        let (series, times) = (random.between(1, 9) as u64, random.between(50, 3000));
        let mut both = Both::new(definition);
        for _ in 0..random.between(1, 6) {
            let count = random.between(1, 300);
            let mut rows: Vec<Row> = (0..count)
                .map(|_| Row::random(random, series, times))
                .collect();
            if random.one_in(2) {
                // In order of time, as measurements come: chunks of a load do not overlap.
                let later = both.rows.values().map(|r| r.time).max().unwrap_or(0);
                rows.iter_mut()
                    .for_each(|r| r.time = later + 1 + r.time.rem_euclid(200));
            }
            match random.below(5) {
                0 | 1 => both.load(rows).await,
                2 => both.insert(rows.into_iter().take(20).collect()).await,
                3 => {
                    let present: Vec<Key> = both.rows.keys().cloned().collect();
                    let gone: Vec<Key> = rows
                        .iter()
                        .take(15)
                        .map(|r| match present.is_empty() || random.one_in(3) {
                            true => r.key(),
                            false => random.pick(&present).clone(),
                        })
                        .collect();
                    both.delete(&gone).await;
                }
                _ => {
                    both.table.seal(None).await.unwrap();
                }
            }
        }
        both
    }

    /// A session that asks the columnar table.
    pub fn columnar(&self, threads: usize) -> SessionContext {
        let session = sql::session(&SessionContext::new_with_config(config(threads)));
        sql::register(&session, "t", Arc::clone(&self.table)).unwrap();
        session
    }

    /// A session that asks DataFusion's own table.
    pub fn plain(&self) -> SessionContext {
        let rows: Vec<Row> = self.rows.values().cloned().collect();
        let rows = batch(&rows);
        let session = SessionContext::new_with_config(config(2));
        let table = MemTable::try_new(rows.schema(), vec![vec![rows]]).unwrap();
        session.register_table("t", Arc::new(table)).unwrap();
        session
    }
}

fn config(threads: usize) -> SessionConfig {
    let mut config = SessionConfig::new().with_target_partitions(threads);
    config.options_mut().sql_parser.map_string_types_to_utf8view = false;
    config
}

pub async fn ask(session: &SessionContext, sql: &str) -> Vec<RecordBatch> {
    let asked = async { session.sql(sql).await?.collect().await };
    match asked.await {
        Ok(rows) => rows,
        Err(error) => panic!("{sql}: {error}"),
    }
}

/// Rows as values; sorted if their order is open.
pub fn values(batches: &[RecordBatch], in_order: bool) -> Vec<Vec<ScalarValue>> {
    let row = |b: &RecordBatch, i: usize| {
        let value = |c: &ArrayRef| ScalarValue::try_from_array(c, i).unwrap();
        b.columns().iter().map(value).collect::<Vec<_>>()
    };
    let rows = batches
        .iter()
        .flat_map(|b| (0..b.num_rows()).map(move |i| row(b, i)));
    let mut rows: Vec<Vec<ScalarValue>> = rows.collect();
    if !in_order {
        rows.sort_by_cached_key(|row| row.iter().map(rounded).collect::<Vec<_>>());
    }
    rows
}

fn rounded(value: &ScalarValue) -> String {
    match value {
        ScalarValue::Float64(Some(v)) => format!("{v:.6e}"),
        value => format!("{value:?}"),
    }
}

pub fn same(a: &ScalarValue, b: &ScalarValue) -> bool {
    match (a, b) {
        (ScalarValue::Float64(Some(a)), ScalarValue::Float64(Some(b))) => {
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
        }
        (ScalarValue::Float32(Some(a)), ScalarValue::Float32(Some(b))) => {
            a == b || (a.is_nan() && b.is_nan())
        }
        (a, b) => a == b,
    }
}

pub fn assert_same(
    found: &[Vec<ScalarValue>],
    expected: &[Vec<ScalarValue>],
    what: impl Fn() -> String,
) {
    let fail = |why: String| panic!("{}\n{why}", what());
    if found.len() != expected.len() {
        fail(format!("{} rows, not {}", found.len(), expected.len()));
    }
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        if !(f.len() == e.len() && f.iter().zip(e).all(|(f, e)| same(f, e))) {
            fail(format!("row {i}: {f:?}\nis not {e:?}"));
        }
    }
}

/// The lines of a plan, as `EXPLAIN` shows them.
pub async fn explain(session: &SessionContext, sql: &str) -> String {
    plan(session, &format!("EXPLAIN {sql}")).await
}

/// The lines of a plan after it ran.
pub async fn analyze(session: &SessionContext, sql: &str) -> String {
    plan(session, &format!("EXPLAIN ANALYZE {sql}")).await
}

async fn plan(session: &SessionContext, sql: &str) -> String {
    let batches = ask(session, sql).await;
    let mut text = String::new();
    for batch in batches {
        let format = ArrayFormatter::try_new(batch.column(1), &FormatOptions::new()).unwrap();
        for row in 0..batch.num_rows() {
            text += &format!("{}\n", format.value(row));
        }
    }
    text
}
