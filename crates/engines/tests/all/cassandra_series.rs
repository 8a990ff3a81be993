//! Tests of series on a real Cassandra: they answer like the rows themselves, also where values are
//! missing and where a range cuts a day, and refuse rows that they cannot keep.

use std::sync::Arc;

use crate::support::{DAY, Started, Table, events, part, wrong_answers};
use arrow::array::{ArrayRef, Float64Array, StringArray, TimestampMillisecondArray};
use arrow::compute::concat_batches;
use arrow::record_batch::RecordBatch;

const DESIGNS: &[&str] = &[
    "cassandra/series",
    "cassandra/series?chunk=4KiB&compressor=Zstd",
    "cassandra/series?caching=rows:100&compaction=LCS&ttl=30d",
];

const QUERIES: &[&str] = &[
    "SELECT * FROM hosts",
    "SELECT count(*) AS n FROM hosts",
    "SELECT rack FROM hosts",
    "SELECT host, time FROM hosts",
    "SELECT idle FROM hosts",
    "SELECT idle, host, busy FROM hosts WHERE host = 'a'",
    "SELECT busy, time, idle, rack, host FROM hosts",
    "SELECT count(busy) AS b, count(idle) AS i, count(rack) AS r, count(*) AS n FROM hosts",
    "SELECT * FROM hosts WHERE host IN ('a', 'b#c', 'nobody')",
    "SELECT * FROM hosts WHERE host = 'nobody'",
    "SELECT * FROM hosts WHERE host = ''",
    "SELECT * FROM hosts WHERE host = 'a' OR host = 'ü'",
    "SELECT * FROM hosts WHERE host <> 'a'",
    "SELECT * FROM hosts WHERE rack = 'r1'",
    "SELECT * FROM hosts WHERE rack IS NULL AND busy > 0.0",
    "SELECT * FROM hosts WHERE host = 'a' AND time = TIMESTAMP '1970-01-01T00:00:00'",
    "SELECT * FROM hosts WHERE host = 'a' AND time > TIMESTAMP '1970-01-01T00:00:00'",
    "SELECT * FROM hosts WHERE host = 'a' AND time <= TIMESTAMP '1969-12-31T00:00:00'",
    "SELECT * FROM hosts WHERE time >= TIMESTAMP '1969-12-31T12:00:00'
     AND time < TIMESTAMP '1970-01-02T00:00:00'",
    "SELECT busy FROM hosts WHERE time >= TIMESTAMP '1970-01-01T23:59:59.999'",
    "SELECT * FROM hosts WHERE time > TIMESTAMP '1970-01-02T00:00:00'
     AND time < TIMESTAMP '1970-01-01T00:00:00'",
    "SELECT * FROM hosts WHERE host IN ('a', 'ü') AND time < TIMESTAMP '1970-01-02T00:00:00'
     AND time > TIMESTAMP '1969-12-30T00:00:00'",
    "SELECT * FROM hosts WHERE host = 'a' AND time > TIMESTAMP '1900-01-01T00:00:00'",
    "SELECT * FROM hosts WHERE host = 'a' AND time < TIMESTAMP '2200-01-01T00:00:00'",
    "SELECT * FROM hosts WHERE time IN (TIMESTAMP '1970-01-01T00:00:00',
     TIMESTAMP '1969-12-31T00:00:00.001')",
    "SELECT * FROM hosts WHERE busy = 'NaN'::double OR idle IS NULL",
    "SELECT host, rack, max(busy) AS most, min(idle) AS least, avg(idle) AS mean
     FROM hosts WHERE busy <> 'NaN'::double GROUP BY host, rack ORDER BY host",
    "SELECT date_trunc('day', time) AS day, max(idle) AS most FROM hosts GROUP BY day ORDER BY day",
    "SELECT DISTINCT ON (host) * FROM hosts ORDER BY host, time DESC",
    "SELECT host, max(time) AS last, last_value(idle ORDER BY time) AS idle FROM hosts
     WHERE time >= TIMESTAMP '1969-12-31T12:00:00' AND time < TIMESTAMP '1970-01-02T00:00:00'
     GROUP BY host ORDER BY host",
    "SELECT host, min(time) AS first, first_value(idle ORDER BY time) AS idle FROM hosts
     GROUP BY host ORDER BY host",
    "SELECT host, max(time) AS last FROM hosts WHERE busy > 5.0 GROUP BY host ORDER BY host",
    "SELECT time, busy FROM hosts WHERE host = 'a' ORDER BY time DESC LIMIT 3",
    "SELECT count(*) AS n FROM (SELECT * FROM hosts LIMIT 5)",
];

/// Makes rows of four hosts around several midnights, with odd and missing values, even whole rows.
fn hosts(keys: &[(&str, i64)], rack_of_a: &str) -> Table {
    let racks = |host: &str| match host {
        "a" => Some(rack_of_a.to_owned()),
        "ü" => None,
        _ => Some("r1".to_owned()),
    };
    let busy = [
        Some(f64::NAN),
        None,
        Some(-0.0),
        Some(99.5),
        None,
        Some(f64::INFINITY),
    ];
    let idle = [Some(1.0), None, Some(1e-300), None];
    let cycle = |values: &[Option<f64>]| -> ArrayRef {
        let values = values.iter().copied().cycle().take(keys.len());
        Arc::new(values.collect::<Float64Array>())
    };
    let times = keys.iter().map(|(_, time)| Some(*time));
    Table::new(
        "hosts",
        r#"partition_key = ["host"]
order_key = ["time"]
columns = { time = "timestamp", host = "text", rack = "text", busy = "double", idle = "double" }"#,
        vec![
            Arc::new(times.collect::<TimestampMillisecondArray>()),
            Arc::new(keys.iter().map(|k| Some(k.0)).collect::<StringArray>()),
            Arc::new(keys.iter().map(|k| racks(k.0)).collect::<StringArray>()),
            cycle(&busy),
            cycle(&idle),
        ],
    )
}

fn keys() -> Vec<(&'static str, i64)> {
    let days = (-2..=2).flat_map(|day| [-1, 0, 1].map(|ms| day * DAY + ms));
    let hosts = |time| ["a", "b#c", "ü", "b"].map(|host| (host, time));
    days.flat_map(hosts).collect()
}

/// Runs all tests of this file on the server of the other layouts.
pub async fn series_on_a_real_cassandra(cassandra: &Started) {
    they_answer_as_the_rows_do(cassandra, DESIGNS).await;
    days_of_many_pages_are_read_whole(cassandra).await;
    only_what_is_asked_for_is_read(cassandra).await;
    loading_again_changes_nothing_and_the_last_row_of_a_key_wins(cassandra).await;
    what_they_cannot_keep_is_refused(cassandra).await;
}

/// Loads, asks and finds again each of these designs.
pub async fn they_answer_as_the_rows_do(cassandra: &Started, designs: &[&str]) {
    let table = hosts(&keys(), "r0");
    let oracle = table.oracle(table.rows.clone()).await;
    for (turn, id) in designs.iter().enumerate() {
        let design = cassandra.loaded(id, &table).await;
        let asked = wrong_answers(design.as_ref(), &oracle, QUERIES).await;
        assert_eq!(asked, [""; 0]);
        design.settle().await.unwrap();
        // A process that comes later reads the index.
        let again = cassandra.design(id, &table).await;
        assert!(again.survives().await);
        let queries = part(QUERIES, turn);
        assert_eq!(
            wrong_answers(again.as_ref(), &oracle, &queries).await,
            [""; 0]
        );
        assert!(again.footprint().await.unwrap().file_bytes.unwrap() > 0);
    }
}

async fn days_of_many_pages_are_read_whole(cassandra: &Started) {
    let keys: Vec<(&str, i64)> = (0..12_345).map(|i| ("a", i * 1_000)).collect();
    let table = hosts(&keys, "r0");
    let oracle = table.oracle(table.rows.clone()).await;
    let design = cassandra.loaded("cassandra/series", &table).await;
    let queries = [
        "SELECT * FROM hosts",
        "SELECT time, busy, idle FROM hosts WHERE time >= TIMESTAMP '1970-01-01T00:10:00'",
    ];
    assert_eq!(
        wrong_answers(design.as_ref(), &oracle, &queries).await,
        [""; 0]
    );
}

async fn only_what_is_asked_for_is_read(cassandra: &Started) {
    let table = hosts(&keys(), "r0");
    let design = cassandra.loaded("cassandra/series", &table).await;
    // 15 times of 4 hosts.
    for (sql, rows) in [
        ("SELECT busy FROM hosts", 60),
        ("SELECT busy FROM hosts WHERE host = 'a'", 15),
        (
            "SELECT busy FROM hosts WHERE time > TIMESTAMP '1970-01-01T00:00:00.001'",
            24,
        ),
        (
            "SELECT busy FROM hosts WHERE host = 'ü' AND time < TIMESTAMP '1969-12-30T00:00:00'",
            1,
        ),
        ("SELECT busy FROM hosts WHERE busy > 5.0", 60),
        // The newest of each of six days.
        (
            "SELECT DISTINCT ON (host) * FROM hosts ORDER BY host, time DESC",
            24,
        ),
        (
            "SELECT host, max(time) AS last FROM hosts WHERE time < TIMESTAMP '1970-01-01T00:00:00'
             GROUP BY host",
            12,
        ),
        (
            "SELECT host, min(time) AS first FROM hosts GROUP BY host",
            60,
        ),
    ] {
        let scanned = design.answer(sql).await.unwrap().rows_scanned;
        assert_eq!(scanned, Some(rows), "{sql}");
    }
}

async fn loading_again_changes_nothing_and_the_last_row_of_a_key_wins(cassandra: &Started) {
    let table = hosts(&keys(), "r0");
    let design = cassandra.loaded("cassandra/series", &table).await;
    design.load(0, &table.rows.slice(0, 20)).await.unwrap();
    let oracle = table.oracle(table.rows.clone()).await;
    let queries = part(QUERIES, 0);
    assert_eq!(
        wrong_answers(design.as_ref(), &oracle, &queries).await,
        [""; 0]
    );
    // The same keys with other values, and with nulls where there were none.
    let mut other = keys();
    other.rotate_left(5);
    let other = hosts(&other, "r0").rows;
    design.load(2, &other).await.unwrap();
    let both: RecordBatch = concat_batches(&other.schema(), [&table.rows, &other]).unwrap();
    let oracle = table.oracle(both).await;
    assert_eq!(
        wrong_answers(design.as_ref(), &oracle, QUERIES).await,
        [""; 0]
    );
}

async fn what_they_cannot_keep_is_refused(cassandra: &Started) {
    let table = hosts(&keys(), "r0");
    let design = cassandra.loaded("cassandra/series", &table).await;
    let moved = hosts(&keys()[..1], "r9").rows;
    let error = design.load(2, &moved).await.unwrap_err().to_string();
    assert_eq!(
        error,
        "column `rack` is `r0` and `r9` for host `a`, but series keep it once for all rows of a \
         key: use another layout for this table"
    );
    let late = hosts(&[("a", 300 * 366 * DAY)], "r0").rows;
    let error = design.load(3, &late).await.unwrap_err().to_string();
    assert!(error.contains("after the year 2262"), "{error}");
    let id = "cassandra/series".parse().unwrap();
    let refused = cassandra
        .running
        .design(&id, &events().workload, &cassandra.context)
        .await;
    let error = refused.err().unwrap().to_string();
    assert!(
        error.contains("column `flag` is boolean, but series"),
        "{error}"
    );
}
