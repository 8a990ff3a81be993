//! Plans: which chunks a query reads and which it does not.

use std::sync::Arc;

use bakeoff_columnar::sql::ColumnarScan;
use datafusion::common::stats::Precision;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};

use tokio::sync::OnceCell;

use super::rows::{Random, Row, definition};
use super::support::{Both, analyze, ask, explain, values};

/// Returns a table that no test changes.
pub async fn table() -> &'static Both {
    static TABLE: OnceCell<Both> = OnceCell::const_new();
    TABLE.get_or_init(own_table).await
}

/// Series s0 to s3 with a row each at 0 to 2499 ms, in buckets of 1000 ms, chunks of 100 rows of
/// one series each: 100 chunks.
pub async fn own_table() -> Both {
    let mut random = Random(1);
    let mut both = Both::new(definition(Some(1000), 2, 100));
    let mut rows = Vec::new();
    for series in 0..4 {
        for time in 0..2500 {
            let row = Row::random(&mut random, 4, 2500);
            let (small, whole) = (Some(time as i32), (time % 2 == 0).then_some(time));
            let value = Some(time as f64 / 4.0);
            rows.push(Row {
                series: format!("s{series}"),
                time,
                number: 0,
                small,
                whole,
                value,
                ..row
            });
        }
    }
    both.load(rows).await;
    both
}

pub fn number_after(text: &str, label: &str) -> u64 {
    let Some(at) = text.find(label) else {
        panic!("no {label} in\n{text}")
    };
    let rest = &text[at + label.len()..];
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

/// Returns the number of chunks that a scan would read, and that of all chunks.
fn chunks(plan: &str) -> (u64, u64) {
    let read = number_after(plan, "chunks=");
    (read, number_after(plan, &format!("chunks={read} of ")))
}

#[tokio::test]
async fn keys_decide_what_is_looked_at() {
    let session = table().await.columnar(2);
    let plan = explain(&session, "SELECT value FROM t WHERE series = 's1'").await;
    assert_eq!(chunks(&plan).0, 25, "{plan}");
    let plan = explain(
        &session,
        "SELECT value FROM t WHERE series IN ('s1', 's3') AND time >= to_timestamp_millis(1150) \
         AND time < to_timestamp_millis(1250)",
    )
    .await;
    assert_eq!(chunks(&plan).0, 4, "{plan}");
    assert!(
        plan.contains("2 partition keys, time >= 1150, time <= 1249"),
        "{plan}"
    );
    // No node above the scan filters again.
    assert!(!plan.contains("FilterExec"), "{plan}");
}

#[tokio::test]
async fn statistics_leave_chunks_out() {
    let session = table().await.columnar(2);
    let plan = explain(
        &session,
        "SELECT time FROM t WHERE small BETWEEN 510 AND 530",
    )
    .await;
    assert_eq!(chunks(&plan), (4, 100), "{plan}");
    assert_eq!(number_after(&plan, "by statistics "), 96, "{plan}");
    let plan = explain(
        &session,
        "SELECT time FROM t WHERE whole + 1 > 0 AND value > 1e9",
    )
    .await;
    assert_eq!(chunks(&plan).0, 0, "{plan}");
}

#[tokio::test]
async fn columns_of_proved_filters_are_not_read() {
    let session = table().await.columnar(1);
    let inner = "WHERE time >= to_timestamp_millis(100) AND time < to_timestamp_millis(900)";
    let with_filter = format!("SELECT value FROM t {inner}");
    let plan = analyze(&session, &with_filter).await;
    assert!(plan.contains("true of 32 whole parts"), "{plan}");
    let without = analyze(&session, "SELECT value FROM t").await;
    let per_chunk = |plan: &str| number_after(plan, "bytes_read=") / chunks(plan).0;
    assert!(
        per_chunk(&plan) <= per_chunk(&without) + 5,
        "{plan}\n{without}"
    );
    let counted = analyze(
        &session,
        &format!("SELECT count(*) FROM (SELECT 1 FROM t {inner} LIMIT 3000)"),
    )
    .await;
    assert!(counted.contains("bytes_read=0"), "{counted}");
}

#[tokio::test]
async fn whole_tables_are_answered_without_a_scan() {
    let both = table().await;
    let session = both.columnar(2);
    for (sql, scan) in [
        (
            "SELECT count(*), min(time), max(small), sum(small), sum(value) FROM t",
            "chunks=100, rows=10000",
        ),
        (
            "SELECT count(whole), avg(small), max(word) IS NULL FROM t",
            "ColumnarScan",
        ),
        (
            "SELECT count(whole), avg(small), min(series) FROM t",
            "chunks=100, rows=10000",
        ),
        (
            "SELECT avg(value) FROM t WHERE series >= 's2'",
            "chunks=50, rows=5000",
        ),
    ] {
        let plan = explain(&session, sql).await;
        assert!(plan.contains(scan), "{sql}\n{plan}");
        assert_eq!(
            plan.contains("ColumnarScan"),
            scan == "ColumnarScan",
            "{sql}\n{plan}"
        );
    }
}

#[tokio::test]
async fn only_chunks_that_a_filter_cuts_are_read() {
    let both = table().await;
    let session = both.columnar(2);
    let filter = "WHERE series = 's2' AND time BETWEEN to_timestamp_millis(130) \
                  AND to_timestamp_millis(2222)";
    let sql =
        format!("SELECT avg(value), sum(whole), max(time), min(small), count(*) FROM t {filter}");
    let plan = explain(&session, &sql).await;
    assert_eq!(chunks(&plan).0, 2, "{plan}");
    assert_eq!(
        number_after(&plan, "answered from statistics "),
        20,
        "{plan}"
    );
    assert!(
        plan.contains("ColumnarStatistics: t, chunks=20, rows=2000, read=0"),
        "{plan}"
    );
    let (found, expected) = (ask(&session, &sql).await, ask(&both.plain(), &sql).await);
    assert_eq!(values(&found, true), values(&expected, true));
}

#[tokio::test]
async fn fresh_rows_are_read_and_the_rest_answered_from_statistics() {
    let mut both = own_table().await;
    let row = Row {
        small: Some(1_000_000),
        ..both.rows.values().nth(150).unwrap().clone()
    };
    both.insert(vec![row]).await;
    let session = both.columnar(2);
    let sql = "SELECT max(small), count(*), avg(value) FROM t";
    let plan = explain(&session, sql).await;
    assert_eq!(number_after(&plan, "merged parts="), 1, "{plan}");
    assert!(
        plan.contains("ColumnarStatistics: t, chunks=99, rows=9900"),
        "{plan}"
    );
    let (found, expected) = (ask(&session, sql).await, ask(&both.plain(), sql).await);
    assert_eq!(values(&found, true), values(&expected, true));
}

/// Finds the columnar scan of a plan.
fn scan(plan: &Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    match plan.children().first() {
        Some(child) => scan(child),
        None => Arc::clone(plan),
    }
}

#[tokio::test]
async fn partitions_have_about_the_same_to_read() {
    let session = table().await.columnar(4);
    for (sql, rows) in [
        (
            "SELECT value FROM t WHERE series IN ('s0', 's1', 's2')",
            7500,
        ),
        ("SELECT value FROM t WHERE series = 's2'", 2500),
        ("SELECT value FROM t", 10_000),
    ] {
        let plan = session
            .sql(sql)
            .await
            .unwrap()
            .create_physical_plan()
            .await
            .unwrap();
        let scan = scan(&plan);
        assert!(scan.is::<ColumnarScan>());
        for partition in 0..4 {
            let args = StatisticsArgs::new().with_partition(Some(partition));
            let found = StatisticsContext::new()
                .compute(scan.as_ref(), &args)
                .unwrap()
                .num_rows;
            let share = rows / 4;
            let Precision::Exact(found) = found else {
                panic!("{sql}: {found}")
            };
            assert!(
                found.abs_diff(share) <= 200,
                "{sql}: {found} rows of {rows}"
            );
        }
    }
}

#[tokio::test]
async fn explain_tells_what_is_read_and_why() {
    let session = table().await.columnar(2);
    let sql = "SELECT value FROM t WHERE series = 's1' AND time < to_timestamp_millis(550)";
    let plan = explain(&session, sql).await;
    let line = "ColumnarScan: t, columns=[value], chunks=6 of 20 (pruned by key 14, by statistics 0) \
                in 1 of 6 places, merged parts=0, fresh rows=0, filter=[series@1 = s1 AND time@2 < 550], \
                true of 5 whole parts, pushed down: 1 partition key, time <= 549, in key order";
    assert!(plan.contains(line), "{plan}");
    let tree = explain(&session, &format!("FORMAT TREE {sql}")).await;
    assert!(tree.contains("6 of 20 (pruned by key 14"), "{tree}");
}
