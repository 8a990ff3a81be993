//! Runs that ask a Spark elsewhere: what is refused before anything is made, and what a run leaves on it, killed or
//! not. Where Spark or the server of Spark Connect is not installed some print why they are skipped and pass, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::time::{Duration, Instant};

use bakeoff_engines::servers::cassandra::find_java;
use bakeoff_engines::servers::spark::find_python;
use bakeoff_testing::spark::{Distribution, SparkServers};

use crate::support::processes::{Going, PATIENCE};
use crate::support::turns::Turn;
use crate::support::{Bench, Ended, READINGS, WORKLOAD, of_kind};

const DESIGNS: &str = "spark/parquet?cache=true,parquet?codec=zstd";

fn run<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let run = ["run", "w.toml", "--designs", DESIGNS, "--spark", url];
    [&run[..], more].concat()
}

#[test]
fn a_url_that_names_no_spark_is_refused_before_anything_is_made() {
    let bench = Bench::new(WORKLOAD, READINGS);
    for (url, why) in [
        ("yarn", "--spark is not the URL of a Spark"),
        ("spark://db1,db2", "--spark names no host, or more than one"),
        ("sc://db1:x", "--spark has no number between 1 and 65535"),
        ("sc://db1/path", "--spark has a path"),
        ("sc://db1/;token=hunter2", "BAKEOFF_SPARK_TOKEN"),
        ("sc://me:hunter2@db1", "BAKEOFF_SPARK_TOKEN"),
    ] {
        let refused = bench.bakeoff(&run(url, &["--out", "out"])).expect(2);
        refused.says(why);
        assert!(!refused.stderr.contains("hunter2"), "{}", refused.stderr);
        assert!(!bench.path("out").exists());
    }
}

#[test]
fn a_folder_for_workers_needs_a_spark_and_has_to_be_there() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let run_here = ["run", "w.toml", "--spark-files", "shared"];
    bench.bakeoff(&run_here).expect(2).says("--spark <URL>");
    let more = ["--out", "out", "--spark-files", "shared", "--rounds", "1"];
    let ended = bench.bakeoff(&run("spark://127.0.0.1:1", &more)).expect(3);
    ended
        .says("--spark-files ")
        .says("shared is no folder of this machine");
}

#[test]
fn a_dry_run_shows_which_spark_it_would_ask_and_where_its_files_would_be() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let more = ["--out", "out", "--spark-files", "shared", "--dry-run"];
    let mut command = bench.command(&run("sc://db1", &more));
    command.env("BAKEOFF_SPARK_TOKEN", "hunter2");
    let ended = Ended::of(command.output().unwrap()).expect(0);
    let shared = bench.dir.path().join("shared/bakeoff_");
    ended
        .says("ask the Spark at sc://db1:15002/;use_ssl=true, with files for its workers in ")
        .says(&format!("write {}", shared.display()));
    assert!(!ended.stdout.contains("hunter2"));
    assert!(!bench.path("out").exists());
    assert!(!bench.path("shared").exists());
}

#[test]
fn where_nothing_listens_the_designs_of_spark_alone_fail() {
    let bench = Bench::new(WORKLOAD, READINGS);
    if !bench.has("spark") {
        return;
    }
    for url in ["sc://127.0.0.1:1", "spark://127.0.0.1:1"] {
        let out = url.split(':').next().unwrap();
        let more = ["--rounds", "1", "--out", out];
        let ended = bench.bakeoff(&run(url, &more)).expect(3);
        ended.says(&format!("nothing can be reached at {url}"));
        let records = bench.journal(out);
        let timed = of_kind(&records, "timed");
        assert!(
            timed
                .into_iter()
                .all(|r| r["design"] == "parquet?codec=zstd")
        );
    }
}

#[test]
fn a_run_through_spark_connect_is_right_and_leaves_nothing_even_if_it_is_killed() {
    let bench = Bench::new(WORKLOAD, READINGS);
    if !bench.has("spark") {
        return;
    }
    let _turn = Turn::of_one_server();
    let Some(servers) = SparkServers::connect(&distribution(), &bench.path("servers"), None) else {
        return;
    };
    let url = servers.url().to_owned();
    let more = ["--rounds", "2", "--out", "out"];
    bench.bakeoff(&run(&url, &more)).expect(0);
    let records = bench.journal("out");
    let timed: Vec<_> = of_kind(&records, "timed").collect();
    assert_eq!(timed.len(), 2 * 2 * 2);
    for record in timed {
        assert_eq!(record["outcome"]["outcome"], "right", "{record}");
    }
    let engine = of_kind(&records, "engine").find(|r| r["engine"] == "spark");
    let engine = engine.unwrap();
    assert!(engine["settings"].to_string().contains(&url), "{engine}");
    assert!(!bench.path("out/spark").exists());
    await_cached(&servers, 0);

    let more = ["--rounds", "10000", "--out", "killed"];
    let mut going = Going::start(&mut bench.command(&run(&url, &more)));
    going.wait_until("a table in Spark's memory", || servers.cached() == 1);
    going.kill();
    await_cached(&servers, 0);
}

/// Waits until the server has so many tables in its memory.
#[track_caller]
fn await_cached(servers: &SparkServers, tables: usize) {
    let began = Instant::now();
    while servers.cached() != tables {
        assert!(began.elapsed() < PATIENCE, "{} tables", servers.cached());
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The Spark that is installed, whose Python and Java are known to fit.
fn distribution() -> Distribution {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    let java = runtime.block_on(find_java()).unwrap().program;
    Distribution {
        python: find_python().unwrap().program,
        java_home: java.ancestors().nth(2).unwrap().to_owned(),
    }
}
