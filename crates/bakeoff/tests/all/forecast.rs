//! `bakeoff forecast` on the folder of a run.

use crate::support::{Bench, READINGS};

/// Chunks of 50 rows, so that few rows are many units.
const HOSTS: &str = r#"
title = "Hosts of a test"
designs = ["local/columnar?rows=50", "parquet"]
[data]
generator = "devops"
hosts = 5
[scale]
rows = 4_000
full_rows = 16_000
[scale.grows]
time = 4
[[queries]]
name = "mean"
sql = "SELECT hostname, avg(usage_user) AS mean FROM cpu GROUP BY hostname ORDER BY hostname"
"#;

fn measured() -> Bench {
    let bench = Bench::new(HOSTS, READINGS);
    let run = [
        "run", "w.toml", "--rounds", "5", "--scales", "4x2", "--out", "out",
    ];
    bench.bakeoff(&run).expect(0);
    bench
}

#[test]
fn a_run_forecasts_its_full_scale_and_checks_itself() {
    let bench = measured();
    let forecast = bench.bakeoff(&["forecast", "out"]).expect(0);
    forecast
        .says("Forecast for 16,000 rows in 3 copies, from 4,000 measured")
        .says("local/columnar?rows=50")
        .says("parquet: no forecast, since 4,000 rows are too few to forecast 16,000 from");

    let json = ["forecast", "out", "--rows", "8k", "--copies", "1", "--json"];
    let json: serde_json::Value =
        serde_json::from_str(&bench.bakeoff(&json).expect(0).stdout).unwrap();
    assert_eq!((&json["rows"], &json["copies"]), (&8_000.into(), &1.into()));
    let local = &json["designs"][0];
    let bytes = local["storage"]["bytes"].as_f64().unwrap();
    let per_row = bytes / 8_000.0;
    assert!((1.0..1_000.0).contains(&per_row), "{per_row}");

    let checked = ["forecast", "out", "--validate", "--json"];
    let checked: serde_json::Value =
        serde_json::from_str(&bench.bakeoff(&checked).expect(0).stdout).unwrap();
    assert_eq!(checked["times"].as_array().unwrap().len(), 1);
    assert!(checked["bytes"]["max"].as_f64().unwrap() < 0.2);
    assert!(checked["proportional"]["median"].as_f64().is_some());
}

#[test]
fn users_get_what_the_cores_can_do() {
    let bench = measured();
    let users = ["forecast", "out", "--users", "20", "--cores", "4"];
    let ended = bench.bakeoff(&users).expect(0);
    ended.says("20 users on 4 cores get at most ");
    let without = bench.bakeoff(&["forecast", "out", "--cores", "4"]);
    without.says("--users");
    assert_eq!(without.code, Some(2));
}

#[test]
fn folders_that_hold_no_run_are_refused_by_name() {
    let bench = Bench::new(HOSTS, READINGS);
    let ended = bench.bakeoff(&["forecast", "nowhere"]);
    ended.says("there is no run in nowhere");
    assert_eq!(ended.code, Some(1));
    for rows in ["0", "-5", "many"] {
        let ended = bench.bakeoff(&["forecast", "nowhere", "--rows", rows]);
        assert_eq!(ended.code, Some(2), "{rows}");
    }
}
