//! What the tests of engines share: small tables with awkward values, and a design loaded with one.

pub mod load;
pub mod shared;
pub mod small;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use arrow::array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float32Array, Float64Array, Int32Array, Int64Array,
    StringArray, TimestampMillisecondArray,
};
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use bakeoff_driver::{Comparison, Design, Digest, Expected, Oracle, compare};
use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::cassandra::Release;
use bakeoff_engines::servers::survey;
use bakeoff_engines::{Context, EngineOptions, MemoryOptions, Running, SqlOracle};
use bakeoff_testing::{skipped, times};
use bakeoff_workload::source::RowBatches;
use bakeoff_workload::{DesignId, DuplicateKeys, Result, RowBatch, RowSource, Workload};

pub const DAY: i64 = 86_400_000;
/// Worker threads, which are also the partitions of a scan.
pub const THREADS: usize = 2;

/// A table and its rows.
pub struct Table {
    pub workload: Workload,
    pub rows: RecordBatch,
}

impl Table {
    pub fn new(name: &str, table: &str, columns: Vec<ArrayRef>) -> Table {
        let text = format!(
            "title = \"A table of a test\"\n[table]\nname = \"{name}\"\n{table}\n\
             [data]\nfile = \"rows.csv\"\n\
             [[queries]]\nname = \"all\"\nsql = \"SELECT * FROM {name}\"\n"
        );
        let workload = Workload::parse(&text, Path::new(&format!("{name}.toml"))).unwrap();
        let rows = RecordBatch::try_new(workload.table.schema(), columns).unwrap();
        Table { workload, rows }
    }

    /// The right answers over some rows, in this order.
    pub async fn oracle(&self, rows: RecordBatch) -> RightAnswers {
        let count = rows.num_rows() as u64;
        let source: Arc<dyn RowSource> = Arc::new(Rows(rows));
        let table = &self.workload.table;
        let duplicates = DuplicateKeys::find(source.as_ref(), table, None, 1 << 20).unwrap();
        let mut oracle = SqlOracle::new(source, table.clone(), THREADS);
        oracle.prepare(count, Arc::new(duplicates)).await.unwrap();
        RightAnswers {
            oracle,
            known: Mutex::default(),
        }
    }
}

/// What an oracle answers, asked once for each question, however many designs are asked it.
pub struct RightAnswers {
    oracle: SqlOracle,
    known: Mutex<HashMap<(String, bool), Arc<Expected>>>,
}

impl RightAnswers {
    async fn answer(&self, sql: &str, with_duplicates: bool) -> Arc<Expected> {
        let question = (sql.to_owned(), with_duplicates);
        if let Some(known) = self.known.lock().unwrap().get(&question) {
            return Arc::clone(known);
        }
        let answer = self.oracle.answer(sql, with_duplicates).await.unwrap();
        let answer = Arc::new(answer);
        let mut known = self.known.lock().unwrap();
        known.insert(question, Arc::clone(&answer));
        answer
    }
}

/// Every type, with nulls and awkward values; times around midnights, also before 1970.
pub fn events() -> Table {
    let keys: Vec<(&str, i64)> = ["a", "b", "ü", "it's"]
        .into_iter()
        .flat_map(|series| (-3..=3).map(move |day| (series, day)))
        .flat_map(|(series, day)| (-1..=1).map(move |ms| (series, day * DAY + ms)))
        .collect();
    let long = "x".repeat(100_000);
    let labels = [
        Some(""),
        None,
        Some("plain"),
        Some("日本語 ü 😀"),
        Some("it's \"\n\t\0"),
        Some(&long),
    ];
    let flags = [Some(true), Some(false), None];
    let smalls = [Some(i32::MIN), Some(i32::MAX), Some(-1), Some(0), None];
    let larges = [Some(i64::MIN), None, Some(i64::MAX), Some(-1)];
    let values = [
        Some(f64::NAN),
        Some(f64::INFINITY),
        Some(f64::NEG_INFINITY),
        Some(-1.5),
        Some(1e-300),
        None,
        Some(42.0),
        Some(-0.0),
    ];
    let seen = [Some(-1), None, Some(0), Some(1_392_388_200_000)];
    let weights = [
        Some(0.1),
        None,
        Some(f32::MAX),
        Some(-1.5),
        Some(f32::NAN),
        Some(f32::MIN_POSITIVE),
        Some(-0.0),
    ];
    // From 1614 to 9999.
    let due = [
        Some(-1),
        None,
        Some(0),
        Some(20_574),
        Some(2_932_896),
        Some(-130_000),
    ];
    let n = keys.len();
    Table::new(
        "events",
        r#"partition_key = ["series"]
order_key = ["time"]
columns = { series = "text", time = "timestamp", flag = "boolean", small = "int", large = "bigint", value = "double", label = "text", seen = "timestamp", weight = "float", due = "date" }"#,
        vec![
            Arc::new(keys.iter().map(|k| Some(k.0)).collect::<StringArray>()),
            Arc::new(
                keys.iter()
                    .map(|k| Some(k.1))
                    .collect::<TimestampMillisecondArray>(),
            ),
            Arc::new(cycle(&flags, n).collect::<BooleanArray>()),
            Arc::new(cycle(&smalls, n).collect::<Int32Array>()),
            Arc::new(cycle(&larges, n).collect::<Int64Array>()),
            Arc::new(cycle(&values, n).collect::<Float64Array>()),
            Arc::new(cycle(&labels, n).collect::<StringArray>()),
            Arc::new(cycle(&seen, n).collect::<TimestampMillisecondArray>()),
            Arc::new(cycle(&weights, n).collect::<Float32Array>()),
            Arc::new(cycle(&due, n).collect::<Date32Array>()),
        ],
    )
}

/// Keys of several columns, with empty texts, negative numbers and a name that SQL reserves.
pub fn places() -> Table {
    let mut keys = Vec::new();
    for region in ["", "north", "süd"] {
        for id in [i32::MIN, -1, 0, 7] {
            for day in [-20, -11, -10, -1, 0, 9, 10, 25] {
                keys.extend(["", "b", "é"].map(|order| (region, id, day, order)));
            }
        }
    }
    let n = keys.len() as i64;
    Table::new(
        "places",
        r#"partition_key = ["region", "id"]
order_key = ["day", "order"]
columns = { region = "text", id = "int", day = "bigint", order = "text", amount = "bigint" }"#,
        vec![
            Arc::new(keys.iter().map(|k| Some(k.0)).collect::<StringArray>()),
            Arc::new(keys.iter().map(|k| Some(k.1)).collect::<Int32Array>()),
            Arc::new(keys.iter().map(|k| Some(k.2)).collect::<Int64Array>()),
            Arc::new(keys.iter().map(|k| Some(k.3)).collect::<StringArray>()),
            Arc::new((0..n).map(Some).collect::<Int64Array>()),
        ],
    )
}

/// Nothing but a key, of types that make odd keys.
pub fn marks() -> Table {
    let heights = [
        f64::NAN,
        f64::NEG_INFINITY,
        -1.5,
        -0.0,
        0.0,
        1e-300,
        2.5,
        f64::INFINITY,
    ]
    .map(Some);
    let n = 2 * heights.len();
    Table::new(
        "marks",
        r#"partition_key = ["up"]
order_key = ["height"]
columns = { height = "double", up = "boolean" }"#,
        vec![
            Arc::new(cycle(&heights, n).collect::<Float64Array>()),
            Arc::new((0..n).map(|i| Some(i < n / 2)).collect::<BooleanArray>()),
        ],
    )
}

fn cycle<T: Copy>(values: &[T], n: usize) -> impl Iterator<Item = T> + '_ {
    values.iter().copied().cycle().take(n)
}

/// Rows as a source.
pub struct Rows(pub RecordBatch);

impl RowSource for Rows {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    fn known_rows(&self) -> Option<u64> {
        Some(self.0.num_rows() as u64)
    }

    fn read(&self, from: u64, _: usize) -> Result<RowBatches> {
        let rows = self
            .0
            .slice(from as usize, self.0.num_rows() - from as usize);
        Ok(Box::new(std::iter::once(Ok(RowBatch {
            first_row: from,
            rows,
        }))))
    }

    fn may_repeat_keys(&self) -> bool {
        true
    }
}

/// A started engine and where its runs write to.
pub struct Started {
    pub running: Box<dyn Running>,
    pub context: Context,
}

impl Started {
    pub async fn new(name: &str, run_dir: PathBuf) -> Started {
        Started::with(name, run_dir, EngineOptions::default()).await
    }

    pub async fn with(name: &str, run_dir: PathBuf, options: EngineOptions) -> Started {
        let context = Context {
            run_dir,
            token: None,
            threads: THREADS,
            keys_repeat: true,
            options: EngineOptions {
                memory: MemoryOptions {
                    table_bytes: 64 << 20,
                },
                ..options
            },
        };
        let id: DesignId = name.parse().unwrap();
        let running = engine(&id).unwrap().start(&context).await.unwrap();
        Started { running, context }
    }

    pub async fn design(&self, id: &str, table: &Table) -> Box<dyn Design> {
        let id = id.parse().unwrap();
        self.running
            .design(&id, &table.workload, &self.context)
            .await
            .unwrap()
    }

    /// A design with the table's rows in it, in two slices.
    pub async fn loaded(&self, id: &str, table: &Table) -> Box<dyn Design> {
        let design = self.design(id, table).await;
        design.create().await.unwrap();
        let half = table.rows.num_rows() / 2;
        let rest = table.rows.num_rows() - half;
        design.load(0, &table.rows.slice(0, half)).await.unwrap();
        design.load(1, &table.rows.slice(half, rest)).await.unwrap();
        design
    }
}

/// Some of the queries, others in each turn, so that together all are asked; every night all in each.
pub fn part<'a>(queries: &[&'a str], turn: usize) -> Vec<&'a str> {
    let parts = times(3, 1);
    let of_turn = queries.iter().skip(turn % parts).step_by(parts);
    of_turn.copied().collect()
}

/// Asks everything of a design, and says which answers are not the oracle's.
pub async fn wrong_answers(
    design: &dyn Design,
    oracle: &RightAnswers,
    queries: &[&str],
) -> Vec<String> {
    let mut wrong = Vec::new();
    for sql in queries {
        let right = oracle.answer(sql, design.keeps_duplicates()).await;
        let difference = match design.answer(sql).await {
            Ok(answer) => match compare(&right, &answer.batches) {
                Comparison::Same { .. } => match digests_differ(&right, &answer.batches) {
                    Some(difference) => format!("digests differ: {difference}"),
                    None => continue,
                },
                Comparison::Different(difference) => difference,
            },
            Err(error) => error.to_string(),
        };
        wrong.push(format!("{}: {sql}: {difference}", design.info().id));
    }
    wrong
}

/// The plan of a question with its metrics, after it was answered.
pub async fn executed(design: &dyn Design, sql: &str) -> String {
    let answer = design
        .answer(&format!("EXPLAIN ANALYZE {sql}"))
        .await
        .unwrap();
    let plans = answer.batches.iter().flat_map(|batch| {
        let texts = batch.column_by_name("plan").unwrap();
        let texts = texts.as_any().downcast_ref::<StringArray>().unwrap();
        texts
            .iter()
            .flatten()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    plans.collect()
}

/// Says how answers would differ if they were too large to be held; of those that are computed nothing is said.
fn digests_differ(right: &Expected, ours: &[RecordBatch]) -> Option<String> {
    if !right.only_reads {
        return None;
    }
    let digest = |batches: &[RecordBatch]| Digest::of(batches).unwrap();
    digest(&right.batches).difference(&digest(ours), &right.order_by)
}

/// Whether Cassandra can be started here; else says why the test is skipped, or fails when
/// `BAKEOFF_REQUIRE_ENGINES=1`.
pub async fn has_cassandra() -> bool {
    let survey = survey::cassandra().await;
    survey.verdict().map_err(skipped).is_ok()
}

/// Whether Cassandra 4.1 can be started here; else as with Cassandra.
pub async fn has_cassandra_4() -> bool {
    let survey = survey::cassandra_of(Release::Four).await;
    survey.verdict().map_err(skipped).is_ok()
}

/// Whether TimescaleDB, and so PostgreSQL, can be started here; else as with Cassandra.
pub fn has_timescale() -> bool {
    let survey = survey::timescale();
    survey.verdict().map_err(skipped).is_ok()
}

/// Whether DuckDB's library is installed here; else as with Cassandra.
pub fn has_duckdb() -> bool {
    let survey = survey::duckdb();
    survey.verdict().map_err(skipped).is_ok()
}

/// Whether Spark can be started here; else as with Cassandra.
pub async fn has_spark() -> bool {
    let survey = survey::spark().await;
    survey.verdict().map_err(skipped).is_ok()
}
