//! `bakeoff forecast` on the folder of a run.

use std::sync::OnceLock;

use crate::decide::words;
use crate::support::kept::Kept;
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

/// With a run in `out`, which is measured once for all tests.
fn measured() -> Bench {
    static RUN: OnceLock<Kept> = OnceLock::new();
    let measure = || {
        let bench = Bench::new(HOSTS, READINGS);
        let run = [
            "run", "w.toml", "--rounds", "5", "--scales", "4x2", "--out", "out",
        ];
        bench.bakeoff(&run).expect(0);
        Kept::of(&bench.path("out"))
    };
    let bench = Bench::new(HOSTS, READINGS);
    RUN.get_or_init(measure).copy_to(&bench.path("out"));
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
    let times = checked["times"].as_array().unwrap().len();
    assert_eq!(times, 1, "{checked:#}");
    let bytes = checked["bytes"]["max"].as_f64();
    assert!(bytes.unwrap() < 0.2, "{checked:#}");
    let median = checked["proportional"]["median"].as_f64();
    assert!(median.is_some(), "{checked:#}");
}

#[test]
fn users_get_what_the_cores_can_do() {
    let bench = measured();
    let users = ["forecast", "out", "--users", "20", "--cores", "4"];
    let ended = bench.bakeoff(&users).expect(0);
    ended
        .says("20 users on 4 cores get about ")
        .says("With 4,000 rows");
    let without = bench.bakeoff(&["forecast", "out", "--cores", "4"]);
    without.says("--cores needs --users");
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

#[test]
fn predictions_go_into_the_ledger_once() {
    let bench = measured();
    let validate = ["forecast", "out", "--validate"];
    bench
        .bakeoff(&validate)
        .expect(0)
        .says("were added to out/forecasts.jsonl");
    let ledger = || std::fs::read_to_string(bench.path("out/forecasts.jsonl")).unwrap();
    let first = ledger();
    assert!(first.lines().count() > 2, "{first}");
    bench.bakeoff(&validate).expect(0).says("\n0 of ");
    assert_eq!(ledger(), first);
    let all = bench.bakeoff(&["forecast", ".", "--ledger"]).expect(0);
    all.says("of this method").says("From the ledgers of 1 run");
    bench.bakeoff(&["report", "out"]).expect(0);
}

#[test]
fn a_larger_run_checks_the_forecasts_of_a_smaller_one() {
    let bench = measured();
    let larger = [
        "run", "w.toml", "--rounds", "5", "--rows", "8000", "--scales", "1", "--out", "large",
    ];
    bench.bakeoff(&larger).expect(0);
    let check = ["forecast", "out", "--validate-at", "large"];
    let ended = bench.bakeoff(&check).expect(0);
    ended.says("predictions were added to out/forecasts.jsonl");
    // Times of a machine that was busy with something else may be too far apart for a forecast, which then says why.
    let words = words(&ended);
    let is_judged = words.contains("against a run of them: median error")
        || words.contains("no forecast, since it could be ");
    assert!(is_judged, "{words}");
    bench.bakeoff(&check).expect(0).says("\n0 of ");

    std::fs::write(bench.path("other.toml"), HOSTS).unwrap();
    let other = ["run", "other.toml", "--rounds", "1", "--out", "other"];
    bench.bakeoff(&other).expect(0);
    let ended = bench.bakeoff(&["forecast", "out", "--validate-at", "other"]);
    ended.says("do not have the same data");
    assert_eq!(ended.code, Some(2));
}

#[test]
fn machines_and_their_cost_are_of_each_design() {
    let bench = measured();
    let asked = [
        "forecast",
        "out",
        "--rows",
        "4k",
        "--questions",
        "200",
        "--machine-cores",
        "2",
    ];
    bench
        .bakeoff(&asked)
        .expect(0)
        .says("needs the fewest machines");
    let priced = [
        "forecast",
        "out",
        "--rows",
        "4k",
        "--prices",
        "study-2018",
        "--questions",
        "200",
    ];
    let ended = bench.bakeoff(&priced).expect(0);
    ended.says("costs least").says("Month, USD");
}

#[test]
fn rows_nodes_users_and_prices_are_asked_for_together() {
    let bench = measured();
    let asked = |rows: &'static str, further: &[&'static str]| {
        let options = "--nodes 3 --cores 4 --users 20 --prices study-2018 --rows";
        let asked = ["forecast", "out"].into_iter().chain(options.split(' '));
        let asked: Vec<&str> = asked.chain([rows]).chain(further.iter().copied()).collect();
        bench.bakeoff(&asked).expect(0)
    };
    asked("4k", &[])
        .says("20 users on 4 cores get about ")
        .says("With 4,000 rows")
        .says("Estimated for 3 copies of 4,000 rows")
        .says("Month, USD")
        .says("On 3");
    let json = asked("8k", &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["users"]["rows"], 8_000);
    assert_eq!(json["machines"]["cost"]["demand"]["nodes"], 3);
    let alone = ["forecast", "out", "--users", "2", "--json"];
    let alone = bench.bakeoff(&alone).expect(0);
    let alone: serde_json::Value = serde_json::from_str(&alone.stdout).unwrap();
    assert_eq!(
        (&alone["users"], &alone["rows"]),
        (&2.into(), &4_000.into())
    );
    let both = ["forecast", "out", "--users", "2", "--questions", "5"];
    bench.bakeoff(&both).expect(0).says("of 16,000 rows");
    let json = bench.bakeoff(&[&both[..], &["--json"]].concat()).expect(0);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["users"]["rows"], 16_000);
}

#[test]
fn no_option_is_ignored() {
    let bench = measured();
    let of_a_run = [
        &["--rows", "8k"][..],
        &["--records", "8k"],
        &["--copies", "2"],
        &["--users", "2"],
        &["--users", "2", "--cores", "2"],
        &["--machine-cores", "2"],
        &["--disk", "1TiB"],
        &["--questions", "5"],
        &["--inserts", "5"],
        &["--nodes", "3"],
        &["--prices", "study-2018"],
    ];
    let alone = [
        &["--validate"][..],
        &["--ledger"],
        &["--validate-at", "out"],
        &["--disk-read", "50MB/s"],
        &["--reads", "10k"],
    ];
    for one in alone {
        for other in of_a_run {
            let asked = [&["forecast", "out"][..], one, other].concat();
            bench.bakeoff(&asked).expect(2).says("cannot be used with");
        }
        for other in alone.into_iter().filter(|other| *other != one) {
            let asked = [&["forecast", "out"][..], one, other].concat();
            bench.bakeoff(&asked).expect(2).says("cannot be used with");
        }
    }
    let copies = ["forecast", "out", "--users", "2", "--copies", "2"];
    bench
        .bakeoff(&copies)
        .expect(2)
        .says("--copies says nothing about users");
}

#[test]
fn bad_input_about_machines_says_what_to_give() {
    let bench = measured();
    let unmet = ["forecast", "out", "--questions", "1000M"];
    bench.bakeoff(&unmet).expect(0).says("lower the rates");
    let small = ["forecast", "out", "--questions", "1", "--disk", "0.5KiB"];
    bench.bakeoff(&small).expect(0).says("give a larger --disk");
    std::fs::write(bench.path("no-storage.toml"), NO_STORAGE).unwrap();
    for (asked, told) in [
        (
            &["--nodes", "2", "--questions", "1"][..],
            "cannot hold 3 copies; give at least as many",
        ),
        (&["--machine-cores", "4"], "give --questions or --inserts"),
        (&["--machine-cores", "0"], "--machine-cores"),
        (&["--users", "0"], "--users"),
        (&["--questions", "0"], "not a rate above 0"),
        (
            &["--questions", "1", "--disk", "0GiB"],
            "not a size with its unit",
        ),
        (&["--prices", "none.toml"], "none.toml"),
        (&["--prices", "no-storage.toml"], "storage"),
    ] {
        let ended = bench.bakeoff(&[&["forecast", "out"][..], asked].concat());
        ended.says(told);
        assert_eq!(ended.code, Some(2), "{asked:?}");
    }
}

const NO_STORAGE: &str =
    "title = \"Ours\"\ncurrency = \"EUR\"\n[machine]\nmonth = 500\ncores = 4\n";

#[test]
fn folders_of_earlier_versions_have_bytes_at_rest_only() {
    let bench = Bench::new(HOSTS, READINGS);
    let fixture = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/runs/comparison"
    );
    std::fs::create_dir(bench.path("old")).unwrap();
    let journal = std::path::Path::new(fixture).join("journal.jsonl");
    std::fs::copy(journal, bench.path("old/journal.jsonl")).unwrap();
    let ended = bench.bakeoff(&["forecast", "old"]).expect(0);
    ended.says("How much to buy is not known");
}

/// Hosts that grow in number and in time; a question about one of them and one about all.
const GROWING: &str = r#"
title = "Growing hosts of a test"
designs = ["local/columnar?rows=50"]
[data]
generator = "devops"
hosts = 8
interval = "5m"
days = 2
[scale]
rows = 4_608
full_rows = 18_432
[scale.grows]
series = 2
time = 2
[[queries]]
name = "one"
sql = """
SELECT max(usage_user) AS highest FROM cpu
WHERE hostname = ${host} AND time >= ${hour.begin} AND time < ${hour.end}
"""
parameters = { host = { column = "hostname" }, hour = { window = "1h" } }
[[queries]]
name = "all"
sql = "SELECT hostname, avg(usage_user) AS mean FROM cpu GROUP BY hostname ORDER BY hostname"
"#;

#[test]
fn a_run_along_both_axes_is_checked_by_one_that_has_more_of_both() {
    let bench = Bench::new(GROWING, READINGS);
    let run = |out: &'static str, further: &[&'static str]| {
        let run = ["run", "w.toml", "--rounds", "5", "--out", out];
        bench.bakeoff(&[&run[..], further].concat()).expect(0);
    };
    run("small", &["--scales", "star:4x2"]);
    let larger = ["--scales", "1", "--set", "hosts=16", "--set", "days=4"];
    run("large", &larger);
    let check = ["forecast", "small", "--validate-at", "large", "--json"];
    let checked = bench.bakeoff(&check).expect(0);
    let checked: serde_json::Value = serde_json::from_str(&checked.stdout).unwrap();
    let at = |axis: &str| checked["at"][axis].as_f64().unwrap();
    assert_eq!(at("series"), 2.0);
    assert!((at("time") - 2.0).abs() < 0.01, "{}", at("time"));
    let times = checked["times"].as_array().unwrap().len();
    let refused = checked["refused"].as_array().map_or(0, Vec::len);
    assert_eq!(
        times + refused,
        2,
        "each time is forecast, or it says why not"
    );
    assert!(checked["bytes"]["max"].as_f64().unwrap() < 0.3);
    let text = bench.bakeoff(&["forecast", "small", "--validate-at", "nowhere"]);
    text.says("there is no run in nowhere");
    assert_eq!(text.code, Some(1));
}

#[test]
fn a_star_needs_axes() {
    let unnamed = GROWING.replace("[scale.grows]\nseries = 2\ntime = 2\n", "");
    let bench = Bench::new(&unnamed, READINGS);
    let ended = bench.bakeoff(&["run", "w.toml", "--out", "out", "--scales", "star"]);
    ended.says("[scale.grows] with series = 40 and time = 3");
    assert_eq!(ended.code, Some(2));
    assert!(!bench.path("out").exists());
}

#[test]
fn a_slower_disk_is_for_loads_of_which_the_bytes_are_known() {
    let bench = measured();
    let ended = bench.bakeoff(&["forecast", "out", "--disk-read", "50MB/s"]);
    ended.expect(2).says("--disk-read is for a load");
    let drive = [
        "drive", "readings", "--design", "dry", "--for", "1s", "--out", "load",
    ];
    bench.bakeoff(&drive).expect(0);
    let of_load = |further: &[&str]| bench.bakeoff(&[&["forecast", "load"], further].concat());
    of_load(&[]).expect(2).says("with --disk-read 50MB/s");
    of_load(&["--disk-read", "50MB/s"])
        .expect(2)
        .says("no design has the bytes that were read from the disk");
    let reads = bench.bakeoff(&["forecast", "out", "--reads", "10k"]);
    reads.expect(2).says("--reads is for a load");
    of_load(&["--reads", "10k"])
        .expect(2)
        .says("shows nothing about reads from the disk: no design has the bytes");
    of_load(&["--reads", "0"])
        .expect(2)
        .says("not a rate above 0");
    of_load(&["--disk-read", "50MB"])
        .expect(2)
        .says("not bytes a second");
    of_load(&["--validate-at", "load"])
        .expect(2)
        .says("was not bounded");
}
