//! What forecasts of a run have to achieve when they predict its largest tables from the smaller ones.
//! Bytes are the same in each run of the same rows, times are not: these are judged at full length only.

use bakeoff_testing::times;
use serde_json::Value;

use crate::support::{Bench, READINGS, WORKLOAD};

/// Errors of bytes, as logarithms of predicted by measured: the median, and the largest.
const BYTES_MEDIAN: f64 = 0.02;
const BYTES_LARGEST: f64 = 0.05;
/// Errors of times at full length: the median, and the 90th percentile, which of eight times is the largest.
///
/// `just bench-answers forecast` asks for 0.15 and 0.40 of 25 times over two million rows, on a quiet machine. Here
/// eight answers of a few milliseconds are all there is, next to other tests and in a build that compiles fast. One
/// disturbed table shifts the times of all of its questions, and with them a quarter or more of the eight. So the
/// median may be twice as large, and the largest error a factor of 3, beyond which no forecast is given at all.
const TIME_MEDIAN: f64 = 0.35;
const TIME_P90: f64 = 1.1;
/// Least share of the times within their 90% interval.
///
/// At full size 80% to 98% are asked for. Of eight, all lie within it in 43 of 100 runs though 90% do in the long
/// run, so that there is no upper bound; and fewer than half in one of 2,000, or more often where a disturbance hits
/// several.
const TIME_COVERED: f64 = 0.5;
/// Chunks so small that the smallest table has several.
const DESIGNS: [&str; 2] = [
    "local/columnar?rows=1000",
    "local/columnar?profile=compact&rows=1000",
];
const QUERIES: [&str; 4] = ["average", "average_all", "average_range", "count"];

#[test]
fn the_largest_tables_are_predicted_from_the_smaller_ones() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let designs = DESIGNS.join(",");
    let (rows, rounds) = times(("64k", "5"), ("1M", "9"));
    let run = [
        "run",
        "sensor",
        "--designs",
        &designs,
        "--rows",
        rows,
        "--rounds",
        rounds,
        "--scales",
        "5x2",
        "--out",
        "out",
    ];
    bench.bakeoff(&run).expect(0);
    let validate = ["forecast", "out", "--validate", "--json"];
    let checked: Value = serde_json::from_str(&bench.bakeoff(&validate).expect(0).stdout).unwrap();

    assert_every_prediction_is_there(&checked);
    let of_bytes = |figure: &str| number(&checked["bytes"][figure]);
    assert!(of_bytes("median") <= BYTES_MEDIAN, "{checked:#}");
    assert!(of_bytes("max") <= BYTES_LARGEST, "{checked:#}");
    if times(false, true) {
        let of_times = |figure: &str| number(&checked["time"][figure]);
        assert!(of_times("median") <= TIME_MEDIAN, "{checked:#}");
        assert!(of_times("p90") <= TIME_P90, "{checked:#}");
        assert!(of_times("covered") >= TIME_COVERED, "{checked:#}");
        assert!(
            of_times("median") < number(&checked["proportional"]["median"]),
            "{checked:#}"
        );
    }
}

/// Each design has its bytes and the time of each query, by the curve and in proportion to the rows.
fn assert_every_prediction_is_there(checked: &Value) {
    let all = |kind: &str| checked[kind].as_array().unwrap().clone();
    for design in DESIGNS {
        let is_its = |check: &&Value| check["design"] == design;
        assert_eq!(all("sizes").iter().filter(is_its).count(), 1, "{checked:#}");
        for query in QUERIES {
            let is_it = |check: &&Value| is_its(check) && check["query"] == query;
            assert_eq!(
                all("times").iter().filter(is_it).count(),
                1,
                "{design} {query}"
            );
        }
    }
    // Times of a short run may be too far apart for an interval.
    let judged = if times(false, true) {
        all("times")
    } else {
        Vec::new()
    };
    for check in all("sizes").iter().chain(&judged) {
        let (predicted, measured) = (number(&check["predicted"]), number(&check["measured"]));
        let error = (predicted / measured).ln().abs();
        assert!((number(&check["error"]) - error).abs() < 1e-9, "{check}");
        let [low, high] = [0, 1].map(|end| number(&check["interval"][end]));
        assert!(low <= predicted && predicted <= high, "{check}");
        assert!(number(&check["proportional_error"]).is_finite(), "{check}");
    }
    if !times(false, true) {
        return;
    }
    for (kind, figures) in [
        ("time", ["median", "p90", "covered"].as_slice()),
        ("proportional", &["median", "p90"]),
        ("recommended", &["time_max"]),
    ] {
        for figure in figures {
            assert!(
                number(&checked[kind][*figure]).is_finite(),
                "{kind} {figure}"
            );
        }
    }
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}
