//! Whole runs on files and memory: results, bad input, faults, going on.

use crate::support::going_on::nothing_came_twice;
use crate::support::processes::Going;
use crate::support::{Bench, READINGS, WORKLOAD, of_kind};
use bakeoff_testing::times;

const RUN: [&str; 6] = ["run", "w.toml", "--rounds", "3", "--out", "out"];

#[test]
fn a_run_verifies_measures_and_can_be_shown_again_from_its_folder_alone() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let run = bench.bakeoff(&RUN).expect(0);
    run.says("parquet?codec=zstd").says("Verdict");
    let records = bench.journal("out");
    assert_eq!(of_kind(&records, "answered").count(), 6);
    assert_eq!(of_kind(&records, "timed").count(), 3 * 2 * 3);
    for record in of_kind(&records, "timed").chain(of_kind(&records, "answered")) {
        assert_eq!(record["outcome"]["outcome"], "right", "{record}");
    }
    let html = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(html.contains("parquet?codec=snappy"));
    assert!(
        !bench.path("out/parquet").exists(),
        "a complete run leaves its files"
    );

    std::fs::rename(bench.path("out"), bench.path("moved")).unwrap();
    std::fs::remove_file(bench.path("w.toml")).unwrap();
    std::fs::remove_file(bench.path("moved/report.html")).unwrap();
    bench.bakeoff(&["report", "moved"]).expect(0);
    let again = std::fs::read_to_string(bench.path("moved/report.html")).unwrap();
    assert_eq!(html, again);
}

#[test]
fn a_report_replaces_links_instead_of_writing_through_them() {
    let bench = Bench::new(WORKLOAD, READINGS);
    bench.bakeoff(&RUN).expect(0);
    for name in ["out/report.html", "out/run.json"] {
        let (path, theirs) = (bench.path(name), bench.path("theirs"));
        std::fs::write(&theirs, "theirs").unwrap();
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(&theirs, &path).unwrap();
        bench.bakeoff(&["report", "out"]).expect(0);
        assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "theirs");
        assert!(!path.is_symlink());
        assert_ne!(std::fs::read_to_string(&path).unwrap(), "theirs");
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/null", &path).unwrap();
        bench.bakeoff(&["report", "out"]).expect(0);
        assert!(path.symlink_metadata().unwrap().is_file());
    }
    let unfinished = std::fs::read_dir(bench.path("out")).unwrap();
    let names = unfinished.map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names
        .filter(|name| name.to_string_lossy().starts_with(".bakeoff-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn keep_keeps_the_files() {
    let bench = Bench::new(WORKLOAD, READINGS);
    bench.bakeoff(&[&RUN[..], &["--keep"]].concat()).expect(0);
    assert!(
        bench
            .path("out/parquet/parquet-codec-zstd/table.parquet")
            .exists()
    );
}

#[test]
fn repeated_keys_are_said_and_kept_by_files() {
    let twice = format!("{READINGS}a,2024-01-01T00:00:00,9.5\n");
    let bench = Bench::new(WORKLOAD, &twice);
    let run = bench.bakeoff(&RUN).expect(0);
    run.says("1 row shares its key with a later row");
    let records = bench.journal("out");
    assert_eq!(
        of_kind(&records, "duplicate-keys").next().unwrap()["rows"],
        1
    );
    let all = of_kind(&records, "answered")
        .find(|r| r["query"] == "all")
        .unwrap();
    assert_eq!(all["outcome"]["rows"], 5);
}

#[test]
fn a_dry_run_prints_everything_and_touches_nothing() {
    let bench = Bench::new(
        &WORKLOAD.replace("\"memory\"", "\"cassandra/wide\""),
        READINGS,
    );
    let dry = bench
        .bakeoff(&[&RUN[..], &["--dry-run"]].concat())
        .expect(0);
    dry.says("CREATE TABLE bakeoff_w_")
        .says("CREATE KEYSPACE IF NOT EXISTS bakeoff_w_")
        .says("slice-*.parquet");
    assert!(!bench.path("out").exists());
    assert!(!bench.path("home").exists());
}

#[test]
fn mistakes_in_a_workload_file_are_shown_where_they_are() {
    let cases = [
        (
            "order_key =",
            "order_keys =",
            "w.toml:8:1",
            "did you mean `order_key`",
        ),
        ("\"double\"", "\"doubel\"", "w.toml:12:9", "`double`"),
        (
            "series, time, value FROM",
            "series, tme, value FROM",
            "w.toml:19:23",
            "tme",
        ),
        // After a parameter, on a later line of a string of several lines.
        (
            "GROUP BY series ORDER",
            "AND valu > 1 GROUP BY series ORDER",
            "w.toml:26:5",
            "valu",
        ),
        (
            "ORDER BY series\n",
            "LIMIT 1\n",
            "w.toml:",
            "add an ORDER BY",
        ),
        (
            "[scale]\nrows = 1000",
            "[scale]\nrows = \"many\"",
            "w.toml:31:8",
            "whole number",
        ),
    ];
    for (from, to, place, words) in cases {
        let bench = Bench::new(&WORKLOAD.replace(from, to), READINGS);
        let run = bench.bakeoff(&RUN).expect(2);
        run.says(place).says(words);
        assert!(!bench.path("out").exists(), "{to}: something was written");
    }
}

#[test]
fn bad_data_names_its_place() {
    let cases = [
        ("", "empty"),
        ("series,time,value\n", "no rows"),
        ("series,time,value\na,2024-01-01T00:00:00\n", "line 2"),
        (
            "series,time,value\na,2024-01-01T00:00:00,1\na,2024-01-01T00:00:01,one\n",
            "line 3",
        ),
        ("series,time,value\n,2024-01-01T00:00:00,1\n", "line 2"),
        ("series,tim,value\na,2024-01-01T00:00:00,1\n", "time"),
    ];
    for (data, words) in cases {
        let bench = Bench::new(WORKLOAD, data);
        bench
            .bakeoff(&RUN)
            .expect(1)
            .says("readings.csv")
            .says(words);
    }
}

#[test]
fn what_is_not_there_is_named() {
    let bench = Bench::new(WORKLOAD, READINGS);
    bench
        .bakeoff(&["run", "nothing.toml"])
        .expect(2)
        .says("nothing.toml");
    bench
        .bakeoff(&["report", "nowhere"])
        .expect(1)
        .says("nowhere");
    bench
        .bakeoff(&["run", "w.toml", "--designs", "clickhouse*"])
        .expect(2)
        .says("clickhouse*");
    bench
        .bakeoff(&["run", "w.toml", "--designs", "clickhouse"])
        .expect(2)
        .says("no engine is called");
    bench
        .bakeoff(&["run", "w.toml", "--rows", "many"])
        .expect(2)
        .says("--rows");
    bench
        .bakeoff(&["run", "w.toml", "--budget", "soon"])
        .expect(2)
        .says("--budget");
    bench
        .bakeoff(&["run", "w.toml", "--rounds", "0"])
        .expect(2)
        .says("--rounds");
    std::fs::remove_file(bench.path("readings.csv")).unwrap();
    bench.bakeoff(&RUN).expect(1).says("readings.csv");
}

#[test]
fn a_folder_that_cannot_be_written_is_a_clear_error() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let run = bench
        .bakeoff(&["run", "w.toml", "--out", "readings.csv/out"])
        .expect(1);
    run.says("readings.csv/out").says("--out");
}

#[test]
fn a_table_that_does_not_fit_in_memory_fails_alone() {
    let workload = "title = \"t\"\ndesigns = [\"parquet\", \"memory\"]\n[data]\ngenerator = \
                    \"sensor\"\n[[queries]]\nname = \"n\"\nsql = \"SELECT count(*) FROM sensor\"\n";
    let bench = Bench::new(workload, READINGS);
    let more = ["--rows", "80k", "--memory", "1"];
    let run = bench.bakeoff(&[&RUN[..], &more].concat()).expect(3);
    run.says("does not fit");
    let records = bench.journal("out");
    let failed: Vec<_> = of_kind(&records, "failed")
        .map(|r| r["design"].clone())
        .collect();
    assert_eq!(failed, ["memory"]);
    assert_eq!(of_kind(&records, "timed").count(), 3);
}

#[test]
fn a_second_run_in_the_same_folder_is_refused() {
    let bench = Bench::new(&sensor_workload(), READINGS);
    let long = [
        "run", "w.toml", "--rows", "50k", "--rounds", "5000", "--out", "out",
    ];
    let mut first = Going::start(&mut bench.command(&long));
    first.wait_until("a slice was loaded", || {
        of_kind(&bench.journal("out"), "loaded").next().is_some()
    });
    let second = bench.bakeoff(&long).expect(1);
    second.says("another run is writing to");
    first.kill();
}

#[test]
fn a_killed_run_goes_on_where_it_stopped() {
    let bench = Bench::new(&sensor_workload(), READINGS);
    let command = [
        "run", "w.toml", "--rows", "100k", "--rounds", "12", "--out", "out",
    ];
    for kind in ["loaded", "timed"] {
        let mut run = Going::start(&mut bench.command(&command));
        run.wait_until(kind, || {
            of_kind(&bench.journal("out"), kind).nth(3).is_some()
        });
        run.kill();
    }
    bench.bakeoff(&command).expect(0).says("going on");
    let records = bench.journal("out");
    assert_eq!(of_kind(&records, "resumed").count(), 2);
    assert_eq!(of_kind(&records, "finished").count(), 1);
    assert_eq!(of_kind(&records, "timed").count(), 2 * 12);
    nothing_came_twice(&records);
}

#[test]
fn ctrl_c_keeps_what_is_done_and_the_same_command_goes_on() {
    let bench = Bench::new(&sensor_workload(), READINGS);
    let (rounds, asked) = times(("100", 100), ("400", 400));
    let command = [
        "run", "w.toml", "--rows", "20k", "--rounds", rounds, "--out", "out",
    ];
    let mut run = Going::start(&mut bench.command(&command));
    run.wait_until("six queries were timed", || {
        of_kind(&bench.journal("out"), "timed").nth(5).is_some()
    });
    run.interrupt();
    let stopped = run.end().expect(130);
    stopped.says("interrupted").says("Report:");
    assert!(bench.path("out/report.html").exists());
    bench.bakeoff(&command).expect(0);
    assert_eq!(of_kind(&bench.journal("out"), "timed").count(), 2 * asked);
}

#[test]
fn without_an_out_folder_a_complete_run_is_never_written_to_again() {
    let bench = Bench::new(WORKLOAD, READINGS);
    for folder in ["runs/w", "runs/w-2"] {
        bench.bakeoff(&["run", "w.toml", "--rounds", "1"]).expect(0);
        assert!(bench.path(folder).join("report.html").exists());
    }
    let run = bench
        .bakeoff(&["run", "w.toml", "--rounds", "1", "--out", "runs/w"])
        .expect(1);
    run.says("finished at");
}

#[test]
fn the_list_names_workloads_layouts_and_engines() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let list = bench.bakeoff(&["list", "--workloads", "."]).expect(0);
    list.says("Readings of a test")
        .says("cassandra/wide")
        .says("parquet")
        .says("Engines:");
    bench
        .bakeoff(&["list", "--workloads", "nowhere"])
        .expect(1)
        .says("--workloads");
}

fn sensor_workload() -> String {
    "title = \"t\"\ndesigns = [\"parquet\", \"memory\"]\n[data]\ngenerator = \"sensor\"\n\
     [[queries]]\nname = \"mean\"\nsql = \"SELECT avg(value) FROM sensor\"\n"
        .to_owned()
}

/// The average of a table that each generator of the Time Series Benchmark Suite makes.
fn tsbs(data: &str, metric: &str, source: &str) -> String {
    format!(
        "title = \"Generated\"\ndesigns = [\"memory\", \"parquet\"]\n[data]\n{data}\n\
         [table]\nname = \"t\"\n\
         [[queries]]\nname = \"mean\"\n\
         sql = \"SELECT avg({metric}) AS mean, count(*) AS n FROM t WHERE {source} = ${{source}}\"\n\
         parameters = {{ source = {{ column = \"{source}\" }} }}\n\
         [scale]\nrows = 3000\n"
    )
}

#[test]
fn hosts_and_trucks_are_generated_and_measured() {
    let devops = tsbs(
        "generator = \"devops\"\nhosts = 10",
        "usage_user",
        "hostname",
    );
    let iot = tsbs("generator = \"iot\"\ntrucks = 10", "velocity", "name");
    for workload in [devops, iot] {
        let bench = Bench::new(&workload, READINGS);
        bench.bakeoff(&RUN).expect(0);
        let records = bench.journal("out");
        let timed: Vec<_> = of_kind(&records, "timed").collect();
        assert_eq!(timed.len(), 3 * 2);
        assert!(timed.iter().all(|r| r["outcome"]["outcome"] == "right"));
    }
}

#[test]
fn a_run_loads_what_a_generator_has_when_its_days_end() {
    let data = "generator = \"devops\"\nhosts = 2\ndays = 1\ninterval = \"1h\"";
    let bench = Bench::new(&tsbs(data, "usage_user", "hostname"), READINGS);
    bench.bakeoff(&RUN).expect(0);
    let records = bench.journal("out");
    let started = of_kind(&records, "started").next().unwrap();
    assert_eq!(
        started["data"],
        "generator devops: cpu of 2 hosts every 1h for 1 day"
    );
    let done = of_kind(&records, "loading-done").next().unwrap();
    assert_eq!(done["rows"], 48);
}

#[test]
fn options_of_the_generator_may_be_set_on_the_command_line() {
    let data = "generator = \"devops\"\nhosts = 2\ndays = 1\ninterval = \"1h\"";
    let bench = Bench::new(&tsbs(data, "usage_user", "hostname"), READINGS);
    let set = |setting| [&RUN[..], &["--set", setting]].concat();
    bench.bakeoff(&set("hosts=3")).expect(0);
    let records = bench.journal("out");
    let started = of_kind(&records, "started").next().unwrap();
    assert!(started["data"].as_str().unwrap().contains("of 3 hosts"));
    let text = started["workload_text"].as_str().unwrap();
    assert!(text.ends_with("\n# --set hosts=3"), "{text}");
    let done = of_kind(&records, "loading-done").next().unwrap();
    assert_eq!(done["rows"], 72);
    // Another number of hosts is another run.
    bench.bakeoff(&set("hosts=4")).expect(1);
    let refused = bench.bakeoff(&set("hosts=0")).expect(2);
    refused.says("--set hosts=0: `hosts` is 0");
}
