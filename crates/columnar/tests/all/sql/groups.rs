//! Groups by one column of texts or blobs, which come from codes.

use std::sync::Arc;

use arrow::array::RecordBatch;
use bakeoff_columnar::sql;
use datafusion::error::Result;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::SessionContext;

use super::plans::{number_after, table};
use super::rows::{Key, Random, Row, definition};
use super::support::{Both, analyze, ask, assert_same, config, explain, values};

const NODE: &str = "ColumnarGroups: by=[";

/// Makes rows whose column `word` has seven values, one of them null, and `bytes` four.
fn rows(random: &mut Random, count: i64) -> Vec<Row> {
    let row = |i: i64| {
        let word = random.below(7);
        Row {
            time: i,
            number: 0,
            word: (word > 0).then(|| format!("word {word}")),
            ..Row::random(random, 5, 3000)
        }
    };
    (0..count).map(row).collect()
}

/// Makes a table with chunks of 100 rows and no newer rows.
async fn words() -> Both {
    let mut both = Both::new(definition(None, 2, 100));
    both.load(rows(&mut Random(3), 3000)).await;
    both
}

/// Makes a table with chunks that overlap, rows that are in no chunk yet, and deletions of both.
async fn fresh_words() -> Both {
    let mut both = words().await;
    let mut random = Random(4);
    let mut again = rows(&mut random, 500);
    again.retain(|row| row.series == "s1");
    both.load(again).await;
    let later = |row: Row| Row {
        time: row.time + 50,
        word: random.one_in(2).then(|| "not in a chunk".to_owned()),
        ..row
    };
    let fresh = rows(&mut Random(5), 60).into_iter().map(later).collect();
    both.insert(fresh).await;
    let gone: Vec<Key> = both.rows.keys().step_by(3).take(20).cloned().collect();
    both.delete(&gone).await;
    both
}

/// Queries that are answered from codes.
const QUESTIONS: [&str; 25] = [
    "SELECT word, avg(value) AS tone FROM t GROUP BY word ORDER BY tone DESC",
    "SELECT word, count(*), sum(small), avg(single), min(time), max(day) FROM t GROUP BY word",
    "SELECT word, count(DISTINCT small), stddev(single), bool_or(flag) FROM t GROUP BY word",
    "SELECT word, count(word), max(word), min(upper(word)), max(series) FROM t GROUP BY word",
    "SELECT word, sum(small * 2), max(small * 2), avg(length(word) + small) FROM t GROUP BY word",
    "SELECT word, count(*) FROM t WHERE small BETWEEN 20 AND 24 GROUP BY word",
    "SELECT word, count(*) FROM t WHERE word IS NULL GROUP BY word",
    "SELECT word, count(*), max(word) FROM t WHERE word > 'word 2' OR small > 200 GROUP BY word",
    "SELECT word, sum(whole) FROM t WHERE series = 's1' AND word <> 'word 1' GROUP BY word",
    "SELECT word, count(*) FROM t WHERE time > to_timestamp_millis(710) GROUP BY word",
    "SELECT word, count(*) FILTER (WHERE flag), max(small) FILTER (WHERE word > 'word 3') \
     FROM t GROUP BY word",
    "SELECT word, count(*) FROM t GROUP BY word HAVING count(*) > 430 AND word <> 'word 2'",
    "SELECT word, max(small) AS best FROM t GROUP BY word ORDER BY best DESC, word LIMIT 3",
    "SELECT word, max(small) FROM t GROUP BY word ORDER BY max(small) DESC, word LIMIT 3",
    "SELECT DISTINCT word FROM t ORDER BY word LIMIT 2",
    "SELECT word FROM t GROUP BY word",
    "SELECT DISTINCT word FROM t",
    "SELECT bytes, count(*), max(bytes), avg(value) FROM t GROUP BY bytes",
    "SELECT series, count(*), sum(small), min(word) FROM t GROUP BY series",
    "SELECT w, sum(n) FROM (SELECT word AS w, small + 1 AS n FROM t) GROUP BY w",
    "SELECT a, max(word) FROM (SELECT word AS a, series AS word FROM t) GROUP BY a",
    "SELECT w, max(u), max(n + 1), min(n + 1) \
     FROM (SELECT word AS w, upper(word) AS u, small * 3 AS n FROM t) GROUP BY w",
    "SELECT a.word, a.n FROM (SELECT word, count(*) AS n FROM t GROUP BY word) a JOIN \
     (SELECT DISTINCT word FROM t WHERE small = 10) b ON a.word = b.word",
    "SELECT word, max(small) FROM t GROUP BY word UNION ALL SELECT word, min(small) FROM t GROUP BY word",
    "SELECT sum(n) FROM (SELECT word, count(*) AS n FROM t GROUP BY word)",
];

/// Queries with one group column that are not answered from codes: groups that come in order, a
/// single group, and limits.
const OTHERS: [&str; 6] = [
    "SELECT word, count(DISTINCT series) FROM t GROUP BY word",
    "SELECT word, count(*) FROM t WHERE word = 'word 3' GROUP BY word",
    "SELECT word, count(*) FROM t WHERE small > 1000000 GROUP BY word",
    "SELECT word, last_value(small ORDER BY time, series, number) FROM t GROUP BY word",
    "SELECT word, count(*) FROM (SELECT * FROM t ORDER BY time, series LIMIT 40) GROUP BY word",
    "SELECT series, max(time) FROM t GROUP BY series",
];

async fn compare(both: &Both, what: &str) {
    let plain = both.plain();
    for threads in [1, 3] {
        let columnar = both.columnar(threads);
        for sql in QUESTIONS.into_iter().chain(OTHERS) {
            let found = values(&ask(&columnar, sql).await, false);
            let expected = values(&ask(&plain, sql).await, false);
            assert_same(&found, &expected, || {
                format!("{what}, {threads} threads: {sql}")
            });
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn groups_from_codes_are_those_of_a_plain_table() {
    compare(&words().await, "in chunks").await;
    compare(&fresh_words().await, "with fresh rows").await;
    compare(&Both::new(definition(None, 1, 10)), "empty").await;
}

#[tokio::test]
async fn a_group_by_text_looks_at_codes() {
    let (both, fresh) = (words().await, fresh_words().await);
    for threads in [1, 2] {
        for session in [both.columnar(threads), fresh.columnar(threads)] {
            for sql in QUESTIONS {
                let plan = explain(&session, sql).await;
                assert!(plan.contains(NODE), "{sql}\n{plan}");
                assert!(plan.contains(" as codes"), "{sql}\n{plan}");
            }
        }
    }
    let plan = analyze(&both.columnar(2), QUESTIONS[0]).await;
    assert!(
        plan.contains("ColumnarGroups: by=[word], aggregates=[avg(t.value)]"),
        "{plan}"
    );
    let chunks = number_after(&plan, "chunks=");
    assert!(chunks >= 30, "{plan}");
    assert_eq!(number_after(&plan, "chunks_read="), chunks, "{plan}");
}

#[tokio::test]
async fn other_aggregations_stay_as_they_are() {
    let both = words().await;
    for sql in [
        "SELECT count(*), max(word), avg(value) FROM t",
        "SELECT word, bytes, count(*) FROM t GROUP BY word, bytes",
        "SELECT number, count(*) FROM t GROUP BY number",
        "SELECT upper(word), count(*) FROM t GROUP BY upper(word)",
        "SELECT word, count(*) FROM t GROUP BY GROUPING SETS ((word), ())",
        "SELECT DISTINCT word FROM t LIMIT 2",
    ]
    .into_iter()
    .chain(OTHERS)
    {
        for threads in [1, 2] {
            let plan = explain(&both.columnar(threads), sql).await;
            assert!(!plan.contains(NODE), "{sql}\n{plan}");
        }
    }
    // Groups that come in order are done one after the other.
    let sql = "SELECT series, count(*), avg(value) FROM t GROUP BY series ORDER BY series LIMIT 1";
    let plan = analyze(&table().await.columnar(1), sql).await;
    assert!(!plan.contains(NODE), "{sql}\n{plan}");
    // A limit ends a search for different values early.
    let plan = analyze(&both.columnar(1), "SELECT DISTINCT word FROM t LIMIT 2").await;
    assert!(number_after(&plan, "chunks_read=") < 30, "{plan}");
    // No chunk keeps a dictionary of texts that are all different.
    let mut all_different = Both::new(definition(None, 1, 100));
    let mut different = rows(&mut Random(1), 500);
    for (i, row) in different.iter_mut().enumerate() {
        row.word = Some(format!("word {i}"));
    }
    all_different.load(different).await;
    let sql = "SELECT word, count(*) FROM t GROUP BY word";
    let plan = explain(&all_different.columnar(2), sql).await;
    assert!(!plan.contains(NODE), "{plan}");
}

/// Returns the number of rows that the node of this name in a plan yielded.
fn rows_of(plan: &Arc<dyn ExecutionPlan>, name: &str) -> usize {
    let own = if plan.name() == name {
        plan.metrics().and_then(|metrics| metrics.output_rows())
    } else {
        None
    };
    let below = plan
        .children()
        .into_iter()
        .map(|child| rows_of(child, name));
    own.unwrap_or_default() + below.sum::<usize>()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn groups_that_do_not_fit_into_memory_come_in_pieces() {
    const GROUPS: i64 = 4_000;
    // Each group is in each of the five loads.
    let mut both = Both::new(definition(None, 1, 500));
    let mut random = Random(1);
    for load in 0..5 {
        let row = |i: i64| Row {
            series: "s".to_owned(),
            time: load * 2 * GROUPS + i,
            number: 0,
            word: Some(format!("{:0>200}", i / 2)),
            ..Row::random(&mut random, 1, 10)
        };
        both.load((0..2 * GROUPS).map(row).collect()).await;
    }
    let sql = "SELECT word, count(*), sum(small) FROM t GROUP BY word";
    let expected = values(&ask(&both.plain(), sql).await, false);
    assert_eq!(expected.len() as i64, GROUPS);
    let (found, yielded) = within(64 << 20, &both, sql).await;
    assert_same(&values(&found.unwrap(), false), &expected, || {
        sql.to_owned()
    });
    assert_eq!(yielded, GROUPS as usize);
    for kib in [1000, 500, 100] {
        let (found, yielded) = within(kib << 10, &both, sql).await;
        let found = values(&found.unwrap(), false);
        assert_same(&found, &expected, || format!("{kib} KiB"));
        assert!(yielded > GROUPS as usize, "{kib} KiB: {yielded} rows");
    }
}

/// Returns the answer within a limit of memory, and how many groups came out of the first step.
async fn within(memory_bytes: usize, both: &Both, sql: &str) -> (Result<Vec<RecordBatch>>, usize) {
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_limit(memory_bytes, 1.0)
        .build_arc()
        .unwrap();
    // The last step needs several of them at once to spill.
    let config = config(1).with_batch_size(100);
    let session = sql::session(&SessionContext::new_with_config_rt(config, runtime));
    sql::register(&session, "t", Arc::clone(&both.table)).unwrap();
    let query = session.sql(sql).await.unwrap();
    let plan = query.create_physical_plan().await.unwrap();
    let found = collect(Arc::clone(&plan), session.task_ctx()).await;
    (found, rows_of(&plan, "ColumnarGroups"))
}
