//! Tests where metrics begin and how they continue, as in TSBS.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{Float64Type, TimestampMillisecondType};

use super::tests::{open, rows};
use crate::tsbs::START_MS;

fn first(rows: &RecordBatch, column: &str) -> f64 {
    let column = rows.column_by_name(column).unwrap();
    column.as_primitive::<Float64Type>().value(0)
}

/// Measurement, metric, first value, mean step, and the end at which it stays.
const CLIMBING: [(&str, &str, f64, f64, f64); 21] = [
    ("diskio", "reads", 0.0, 50.0, f64::INFINITY),
    ("diskio", "write_bytes", 0.0, 100.0, f64::INFINITY),
    ("diskio", "io_time", 0.0, 5.0, f64::INFINITY),
    ("disk", "free", 549_755_813_888.0, 50.0, 1_099_511_627_776.0),
    ("kernel", "disk_pages_out", 0.0, 5.0, f64::INFINITY),
    ("net", "packets_recv", 0.0, 50.0, f64::INFINITY),
    ("net", "err_in", 0.0, 5.0, f64::INFINITY),
    ("nginx", "handled", 0.0, 5.0, f64::INFINITY),
    ("nginx", "writing", 0.0, 5.0, 100.0),
    ("postgresl", "numbackends", 0.0, 5.0, 1000.0),
    ("postgresl", "xact_commit", 0.0, 5.0, 1000.0),
    ("postgresl", "temp_files", 0.0, 5.0, 1000.0),
    ("postgresl", "temp_bytes", 0.0, 1024.0, 1_073_741_824.0),
    ("postgresl", "blk_write_time", 0.0, 5.0, 1000.0),
    ("redis", "keyspace_misses", 0.0, 50.0, f64::INFINITY),
    ("redis", "instantaneous_input_kbps", 0.0, 1.0, f64::INFINITY),
    ("redis", "connected_clients", 0.0, 50.0, 10_000.0),
    (
        "redis",
        "used_memory_lua",
        8_589_934_592.0,
        50.0,
        17_179_869_184.0,
    ),
    ("redis", "repl_backlog_histlen", 0.0, 5.0, 1000.0),
    ("redis", "mem_fragmentation_ratio", 0.0, 5.0, 100.0),
    ("redis", "used_cpu_user_children", 0.0, 5.0, 1000.0),
];

#[test]
fn metrics_climb_by_as_much_as_in_tsbs() {
    for (measurement, metric, start, step, end) in CLIMBING {
        let source = open(&format!(
            "generator = \"devops\"\nmeasurement = \"{measurement}\"\nhosts = 1"
        ));
        let at = |tick: u64| first(&rows(&*source, tick, 1, 1), metric);
        assert_eq!(at(0), start, "{metric}");
        // Five deviations of a sum of 15 steps, and what is cut off.
        let climbed = at(15) - start;
        assert!((climbed - 15.0 * step).abs() < 21.0, "{metric}: {climbed}");
        let far = at(20_000_000_000);
        if end.is_finite() {
            assert_eq!(far, end, "{metric}");
        } else {
            assert!(far > 10_000_000_000.0, "{metric}: {far}");
        }
    }
}

/// Returns the values of each truck at the first time that arrive and are not missing.
fn first_values(measurement: &str, metric: &str) -> Vec<f64> {
    let data = format!("generator = \"iot\"\ntrucks = 2000\nmeasurement = \"{measurement}\"");
    let rows = rows(&*open(&data), 0, 1800, 1800);
    let times = rows.column_by_name("time").unwrap();
    let times = times.as_primitive::<TimestampMillisecondType>().values();
    assert!(times.iter().all(|time| *time == START_MS));
    let values = rows.column_by_name(metric).unwrap();
    assert!(values.null_count() < 100, "{metric}");
    let values = values.as_primitive::<Float64Type>();
    values.iter().flatten().collect()
}

#[test]
fn trucks_start_as_in_tsbs() {
    let cases = [
        ("readings", "latitude", 0.0, 90.0),
        ("readings", "longitude", 0.0, 180.0),
        ("readings", "elevation", 0.0, 500.0),
        ("readings", "velocity", 0.0, 0.0),
        ("readings", "heading", 0.0, 360.0),
        ("readings", "grade", 0.0, 0.0),
        ("readings", "fuel_consumption", 25.0, 25.0),
        ("diagnostics", "fuel_state", 1.0, 1.0),
        ("diagnostics", "current_load", 0.0, 0.0),
        ("diagnostics", "status", 0.0, 0.0),
    ];
    for (measurement, metric, low, high) in cases {
        let values = first_values(measurement, metric);
        let within = values.iter().all(|value| (low..=high).contains(value));
        assert!(within, "{metric}: {values:?}");
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        // Some 1,700 uniform values; five standard errors of their mean.
        let tolerance = 0.035 * (high - low) + 0.5;
        assert!(
            (mean - (low + high) / 2.0).abs() <= tolerance,
            "{metric}: {mean}"
        );
    }
}
