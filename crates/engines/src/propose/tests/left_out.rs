use bakeoff_stats::propose::{Pace, Seconds};

use super::*;

/// Designs of Cassandra that are left out for a table of a sensor, of which these questions are asked, where chunks of
/// columns were calibrated to be a hundred times as fast as rows.
async fn left_out(questions: &str) -> Vec<String> {
    let text = std::fs::read_to_string(shipped().join("sensor.toml")).unwrap();
    let (table, _) = text.split_once("[[queries]]").unwrap();
    let text = format!("{table}{questions}");
    let workload = Workload::parse(&text, Path::new("sensor.toml")).unwrap();
    let source = source::open(&workload, None).unwrap();
    let exactly = |seconds: f64| Seconds {
        least: seconds,
        most: seconds,
    };
    let pace = |kind: &str, times: f64| Pace {
        kind: kind.to_owned(),
        question: exactly(1e-3),
        found_row: exactly(1e-6 * times),
        scanned_row: exactly(1e-6 * times),
        value: exactly(0.0),
        row_bytes: 10.0 * times,
        load_rate: 1e5 / times,
    };
    let calibration = Calibration {
        paces: vec![
            pace("cassandra/wide", 100.0),
            pace("cassandra/columnar", 1.0),
        ],
        ..Calibration::default()
    };
    let context = Context::of_test("/run");
    let request = Request {
        workload: &workload,
        source: Some(source.as_ref()),
        rows: ROWS,
        memory_bytes: 8 << 30,
        calibration: Some(&calibration),
        context: &context,
    };
    let mut proposals = propose(&request).await.unwrap();
    proposals.leave_far_behind(&calibration, None);
    for left in &proposals.behind {
        assert_eq!(left.ahead, "cassandra/columnar", "{left:?}");
    }
    let behind = proposals.behind.into_iter();
    behind.map(|left| left.design).collect()
}

#[tokio::test]
async fn designs_are_left_out_only_where_all_that_they_read_is_known() {
    let question =
        |name: &str, sql: &str| format!("[[queries]]\nname = \"{name}\"\nsql = \"{sql}\"\n");
    let mean = question("mean", "SELECT avg(value) AS mean FROM sensor");
    let left = left_out(&mean).await;
    assert!(!left.is_empty());
    for design in &left {
        assert!(design.starts_with("cassandra/wide?"), "{left:?}");
        assert!(!design.contains("aggregate="), "{left:?}");
    }
    let counted = question("count", "SELECT count(*) AS points FROM sensor");
    assert_eq!(left_out(&format!("{mean}{counted}")).await, left);
    for sql in [
        "SELECT avg(value) AS mean FROM sensor WHERE sensor_id = 10 AND time < 100",
        "SELECT avg(value) AS mean FROM sensor WHERE time < 100",
        "SELECT time, value FROM sensor WHERE sensor_id = 10",
        "SELECT value FROM sensor ORDER BY time DESC LIMIT 10",
    ] {
        let few = question("few", sql);
        let left = left_out(&format!("{mean}{few}")).await;
        // Of a range without the key rows of Cassandra are read all the same.
        assert_eq!(
            left.is_empty(),
            !sql.contains("WHERE time"),
            "{sql}: {left:?}"
        );
    }
}
