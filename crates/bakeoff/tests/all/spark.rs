//! Runs with designs of Spark: what is known before it is started, and a run to its end. Where it is not installed the
//! latter prints why it is skipped and passes, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use crate::support::{Bench, Ended, READINGS, WORKLOAD, of_kind};

const DESIGNS: &str = "spark/parquet,spark/parquet?cache=true,parquet?codec=zstd";

fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let run = [
        "run",
        "w.toml",
        "--rounds",
        "2",
        "--out",
        "out",
        "--designs",
    ];
    [&run[..], more].concat()
}

#[test]
fn a_dry_run_shows_what_it_would_do() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let ended = bench.bakeoff(&run(&[DESIGNS, "--dry-run"])).expect(0);
    ended
        .says("start a Spark on loopback")
        .says("CREATE TEMPORARY VIEW `readings` USING parquet")
        .says("CACHE TABLE `readings`");
    assert!(!bench.path("out").exists());
}

#[test]
fn a_dry_run_over_cassandra_shows_both_tables() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let ended = bench
        .bakeoff(&run(&["spark/cassandra", "--dry-run"]))
        .expect(0);
    ended
        .says("a Cassandra for spark/cassandra")
        .says("CREATE TABLE bakeoff_w_")
        .says("CREATE TEMPORARY VIEW `readings` USING org.apache.spark.sql.cassandra");
    assert!(!bench.path("out").exists());
}

#[test]
fn a_spark_that_is_missing_fails_its_designs_alone() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let mut command = bench.command(&run(&[DESIGNS]));
    command.env("BAKEOFF_SPARK_PYTHON", "/nowhere/python3");
    let ended = Ended::of(command.output().unwrap()).expect(3);
    ended
        .says("Spark 3.5.9 is not installed; only a program that cannot be run (/nowhere/python3)");
    let records = bench.journal("out");
    let failed: Vec<_> = of_kind(&records, "failed")
        .map(|r| r["design"].as_str().unwrap())
        .collect();
    assert_eq!(failed, ["spark/parquet", "spark/parquet?cache=true"]);
    assert_eq!(of_kind(&records, "timed").count(), 4);
}

#[test]
fn sql_for_spark_that_writes_is_refused_before_anything_is_made() {
    let own = "\"\"\"\nparameters = { series = { column = \"series\" } }\n[queries.engine_sql]\n\
               spark = \"INSERT INTO readings VALUES ('a', NULL, 1.0)\"\n";
    let workload = WORKLOAD.replace(
        "\"\"\"\nparameters = { series = { column = \"series\" } }\n",
        own,
    );
    assert_ne!(workload, WORKLOAD);
    let bench = Bench::new(&workload, READINGS);
    let ended = bench.bakeoff(&run(&["parquet"])).expect(2);
    ended.says("its SQL for spark: this is not a query: write a SELECT");
    assert!(!bench.path("out").exists());
}

#[test]
fn a_run_with_spark_is_right_and_leaves_nothing() {
    let bench = Bench::new(WORKLOAD, READINGS);
    if !bench.has("spark") {
        return;
    }
    bench.bakeoff(&run(&[DESIGNS])).expect(0);
    let records = bench.journal("out");
    let outcomes = of_kind(&records, "timed").chain(of_kind(&records, "answered"));
    let wrong: Vec<_> = outcomes
        .filter(|r| r["outcome"]["outcome"] != "right")
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!(of_kind(&records, "timed").count(), 3 * 2 * 2);
    let timed = of_kind(&records, "timed").find(|r| r["design"] == "spark/parquet");
    let server = timed.unwrap()["cpu"]["server"].as_f64().unwrap();
    assert!(server > 0.0, "Spark's own time");
    let settled = of_kind(&records, "settled").find(|r| r["design"] == "spark/parquet?cache=true");
    let how = settled.unwrap()["how"].as_str().unwrap();
    assert!(how.contains("then CACHE TABLE in "), "{how}");
    let engine = of_kind(&records, "engine").find(|r| r["engine"] == "spark");
    let version = engine.unwrap()["version"].as_str().unwrap();
    assert!(version.starts_with("Spark 3.5."), "{version}");
    assert!(!bench.path("out/spark").exists());
}

#[test]
fn a_run_over_cassandra_is_right_and_ends_both_servers() {
    let Some(bench) = Bench::with_cassandra(WORKLOAD, READINGS) else {
        return;
    };
    if !bench.has("spark") {
        return;
    }
    bench
        .bakeoff(&run(&["spark/cassandra,parquet?codec=zstd"]))
        .expect(0);
    let records = bench.journal("out");
    let timed: Vec<_> = of_kind(&records, "timed")
        .filter(|r| r["design"] == "spark/cassandra")
        .collect();
    assert_eq!(timed.len(), 2 * 2);
    for record in timed {
        assert_eq!(record["outcome"]["outcome"], "right", "{record}");
        assert!(record["cpu"]["server"].as_f64().unwrap() > 0.0, "{record}");
    }
    let footprint = of_kind(&records, "footprint").find(|r| r["design"] == "spark/cassandra");
    assert!(footprint.unwrap()["file_bytes"].as_u64().unwrap() > 0);
    assert!(!bench.path("out/spark").exists());
    bench
        .bakeoff(&["engines", "status"])
        .expect(0)
        .says("no server");
}
