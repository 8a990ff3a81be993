//! Columnar tables next to DataFusion's own memory tables with the same rows, and queries of both.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use bakeoff_columnar::{Definition, MemoryStore, Store, Table, sql};
use datafusion::common::ScalarValue;
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};

use super::rows::{Key, Random, Row, batch, definition, keys, other_keys};

/// A columnar table and the rows that have to be in it.
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
        let definition = if random.one_in(2) {
            definition
        } else {
            other_keys(random, definition)
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
                        .map(|r| {
                            if present.is_empty() || random.one_in(3) {
                                r.key()
                            } else {
                                random.pick(&present).clone()
                            }
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

    /// Returns a session that queries the columnar table.
    pub fn columnar(&self, threads: usize) -> SessionContext {
        session_of(Arc::clone(&self.table), threads)
    }

    /// Returns a session that queries DataFusion's own table.
    pub fn plain(&self) -> SessionContext {
        let rows: Vec<Row> = self.rows.values().cloned().collect();
        plain(batch(&rows))
    }
}

/// Returns a session that queries DataFusion's own table `t` of these rows.
pub fn plain(rows: RecordBatch) -> SessionContext {
    let session = SessionContext::new_with_config(config(2));
    let table = MemTable::try_new(rows.schema(), vec![vec![rows]]).unwrap();
    session.register_table("t", Arc::new(table)).unwrap();
    session
}

/// Makes a columnar table and loads each of these batches into it.
pub async fn loaded(store: Arc<dyn Store>, loads: &[RecordBatch]) -> Arc<Table> {
    let table = Table::new(store, 1 << 20);
    for rows in loads {
        let mut ingest = table.ingest();
        ingest.write(rows).await.unwrap();
        ingest.finish().await.unwrap();
    }
    table
}

/// Returns a session that queries this columnar table under the name `t`.
pub fn session_of(table: Arc<Table>, threads: usize) -> SessionContext {
    let session = sql::session(&SessionContext::new_with_config(config(threads)));
    sql::register(&session, "t", table).unwrap();
    session
}

pub fn config(threads: usize) -> SessionConfig {
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

/// Returns rows as values, sorted if their order is open.
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

/// Compares values. Sums may differ in their last digits; the sign of zero counts.
pub fn same(a: &ScalarValue, b: &ScalarValue) -> bool {
    match (a, b) {
        (ScalarValue::Float64(Some(a)), ScalarValue::Float64(Some(b))) => {
            if *a == 0.0 && *b == 0.0 {
                a.is_sign_negative() == b.is_sign_negative()
            } else {
                let close = (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
                a == b || (a.is_nan() && b.is_nan()) || close
            }
        }
        (ScalarValue::Float32(Some(a)), ScalarValue::Float32(Some(b))) => {
            a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
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

/// Returns the lines of a plan, as `EXPLAIN` shows them.
pub async fn explain(session: &SessionContext, sql: &str) -> String {
    plan(session, &format!("EXPLAIN {sql}")).await
}

/// Returns the lines of a plan after it ran.
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
