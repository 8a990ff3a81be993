//! A Cassandra for each design of one command, which ends all of them. What needs the servers prints why it is skipped
//! and passes where they cannot be started, unless `BAKEOFF_REQUIRE_ENGINES=1`.
use serde_json::{Value, json};

use crate::support::{Bench, READINGS, of_kind};

const OF_SENSORS: &str = "title = \"t\"\n\
     designs = [\"cassandra/wide\", \"cassandra/wide?chunk=4KiB\", \"parquet\"]\n\
     [data]\ngenerator = \"sensor\"\n\
     [[queries]]\nname = \"mean\"\nsql = \"SELECT avg(value) FROM sensor WHERE sensor_id = 10\"\n\
     [[queries]]\nname = \"few\"\n\
     sql = \"SELECT time, value FROM sensor WHERE sensor_id = 10 AND time BETWEEN 50 AND 99 ORDER BY time\"\n";

#[test]
fn each_design_has_a_server_of_its_own_and_none_is_left() {
    let Some(bench) = Bench::with_nodes_of_cassandra(OF_SENSORS, READINGS) else {
        return;
    };
    let arguments = [
        "run",
        "w.toml",
        "--server-per-design",
        "--rounds",
        "3",
        "--rows",
        "20k",
        "--out",
        "out",
    ];
    bench.bakeoff(&arguments).expect(0);
    let records = bench.journal("out");
    let servers = of_kind(&records, "engine").filter(|engine| engine["engine"] == "cassandra");
    let of: Vec<&Value> = servers.map(|server| &server["settings"][0]).collect();
    let expected = [
        json!(["server of", "cassandra/wide"]),
        json!(["server of", "cassandra/wide?chunk=4KiB"]),
    ];
    assert_eq!(of, expected.iter().collect::<Vec<_>>());
    let timed: Vec<&Value> = of_kind(&records, "timed").collect();
    assert_eq!(timed.len(), 3 * 2 * 3);
    assert!(timed.iter().all(|r| r["outcome"]["outcome"] == "right"));
    for folder in [
        "out/cassandra",
        "out/cassandra-wide",
        "out/cassandra-wide-chunk-4KiB",
    ] {
        assert!(!bench.path(folder).exists(), "{folder} is still there");
    }
    let left = bench.bakeoff(&["engines", "status"]).expect(0);
    left.says("no server that Bakeoff started");
}

#[test]
fn a_dry_run_says_that_each_design_gets_one() {
    let bench = Bench::new(OF_SENSORS, READINGS);
    let arguments = ["run", "w.toml", "--server-per-design", "--dry-run"];
    bench
        .bakeoff(&arguments)
        .expect(0)
        .says("for each of its designs");
    assert!(!bench.path("runs").exists());
}

#[test]
fn designs_that_differ_in_reading_share_a_table_on_one_server_only() {
    let bench = Bench::new(OF_SENSORS, READINGS);
    let designs =
        "cassandra/wide,cassandra/wide?aggregate=server&page=100,cassandra/wide?chunk=4KiB";
    let run = ["run", "w.toml", "--designs", designs, "--dry-run"];
    let told = "\ncassandra/wide?aggregate=server&page=100\n  reads the table of cassandra/wide\n";
    let shared = bench.bakeoff(&run).expect(0).says(told).stdout.clone();
    // Each is made in place of one that an earlier attempt has left.
    let tables = |text: &str| text.matches("DROP TABLE IF EXISTS ").count();
    assert_eq!(tables(&shared), 2);
    for option in ["--server-per-design", "--race"] {
        let alone = bench
            .bakeoff(&[&run[..], &[option]].concat())
            .expect(0)
            .stdout;
        assert!(!alone.contains("reads the table of"), "{option}: {alone}");
        assert_eq!(tables(&alone), 3, "{option}");
    }
    let bounded = format!("{OF_SENSORS}[server]\nheap = \"512MiB\"\nmemory = \"960MiB\"\n");
    let alone = Bench::new(&bounded, READINGS)
        .bakeoff(&run)
        .expect(0)
        .stdout;
    assert!(!alone.contains("reads the table of"), "{alone}");
    assert_eq!(tables(&alone), 3);
}
