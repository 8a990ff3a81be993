//! Loads on a real Cassandra: designs in turns, a search, two processes on one table.
use std::time::Duration;

use crate::support::exporter::Exporter;
use crate::support::server::Server;
use crate::support::shards::two_shards;
use crate::support::{Bench, of_kind, records, sensors};
use bakeoff_testing::times;

const DESIGNS: [&str; 2] = ["cassandra/wide", "cassandra/blob?compressor=Zstd"];

const MIX: &str = r#"
[scale]
rows = 5_000

[[queries]]
name = "mean"
sql = "SELECT avg(value) AS mean FROM readings WHERE sensor = 's7'"

[mix]
[[mix.operations]]
name = "insert"
action = "insert"
weight = 40
[[mix.operations]]
name = "read"
action = "read-row"
keys = { zipf = 0.99 }
weight = 30
[[mix.operations]]
name = "newest"
action = "read-partition"
limit = 10
newest_first = true
weight = 18
[[mix.operations]]
name = "correct"
action = "update"
columns = ["value"]
weight = 10
[[mix.operations]]
name = "mean"
action = "query"
query = "mean"
weight = 2
"#;

fn summary(bench: &Bench, run: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(bench.path(run).join("run.json")).unwrap();
    let run: serde_json::Value = serde_json::from_str(&text).unwrap();
    run["summary"].clone()
}

/// Nothing failed in any operation of any design.
#[track_caller]
fn all_succeeded(summary: &serde_json::Value) {
    for design in summary["designs"].as_array().unwrap() {
        assert_eq!(design["failures"], serde_json::json!([]), "{design}");
        for operation in design["figures"]["operations"].as_array().unwrap() {
            assert_eq!(operation["failures"], serde_json::json!([]), "{operation}");
            assert!(operation["count"].as_u64().unwrap() > 0, "{operation}");
        }
    }
}

#[test]
fn designs_take_turns_and_every_reply_is_right() {
    let Some(bench) = Bench::with_cassandra(&sensors(&DESIGNS, MIX), "") else {
        return;
    };
    let (lasts, sent) = times(("1s", 200), ("3s", 600));
    let arguments = [
        "drive", "w.toml", "--rate", "200", "--for", lasts, "--rounds", "2", "--out", "out",
    ];
    bench.bakeoff(&arguments).expect(0);
    let summary = summary(&bench, "out");
    all_succeeded(&summary);
    let trials = summary["trials"].as_array().unwrap();
    let measured = trials
        .iter()
        .filter(|trial| trial["start"]["warm_up"] != true);
    let measured: Vec<_> = measured.collect();
    assert_eq!(measured.len(), 4);
    assert!(trials.len() > 4, "servers are warmed up");
    for trial in measured {
        assert_eq!(trial["end"]["sent"], sent, "{trial}");
    }
    for design in summary["designs"].as_array().unwrap() {
        assert_eq!(design["trials"].as_array().unwrap().len(), 2);
        assert!(design["footprint"]["compression_metadata_bytes"].is_u64());
        let cpu = &design["figures"]["server_cpu_micros_per_op"];
        assert!(cpu.is_f64(), "{design}");
    }
    let partitions = summary["partitions"].as_array().unwrap();
    assert_eq!(partitions.len(), 2, "{partitions:?}");
    for partitions in partitions {
        // 5,000 rows of 50 sensors.
        assert_eq!(partitions["key"], "sensor");
        let rows = &partitions["rows"];
        assert_eq!(rows["partitions"], 50, "{partitions}");
        assert_eq!(rows["p50"], 100, "{partitions}");
        assert_eq!(rows["max"], 100, "{partitions}");
        assert_eq!(rows["one_in"], 1, "{partitions}");
        // Two fifths of the operations insert, evenly; reads by zipf have a row that is asked for often.
        let first = partitions["requests"]["first"].as_f64().unwrap();
        assert!((0.02..0.5).contains(&first), "{partitions}");
        let bytes = &partitions["bytes"][0];
        let [p50, max] = ["p50", "max"].map(|of| bytes[of].as_u64().unwrap());
        assert!(100 < p50 && p50 <= max && max < 1 << 20, "{partitions}");
    }
    assert!(
        !bench.path("out/cassandra").exists(),
        "the server's data are removed"
    );
}

#[test]
fn passes_fill_empty_tables_and_read_back_what_they_wrote() {
    let Some(bench) = Bench::with_cassandra(&sensors(&DESIGNS, MIX), "") else {
        return;
    };
    let passes = "insert,read,newest=50,correct=100,read=100";
    let arguments = [
        "drive", "w.toml", "--passes", passes, "--empty", "--rows", "600", "--rounds", "2",
        "--out", "out",
    ];
    bench.bakeoff(&arguments).expect(0).says("Server CPU");
    let summary = summary(&bench, "out");
    let made = summary["passes"].as_array().unwrap();
    assert_eq!(made.len(), 10, "five of each design");
    for pass in made {
        assert_eq!(pass["whole"], 2, "{pass}");
        assert_eq!(pass["failed"], 0, "{pass}");
        for figure in [
            "real",
            "user",
            "system",
            "server_cpu",
            "disk_written",
            "p50",
        ] {
            assert!(pass[figure]["median"].is_f64(), "{figure} {pass}");
        }
        assert!(pass["real"]["median"].as_f64().unwrap() > 0.0);
        let rows = [600.0, 600.0, 500.0, 100.0, 100.0][pass["place"].as_u64().unwrap() as usize];
        // 600 rows of 50 sensors: the newest ten of each of the first fifty rows' sensors.
        assert_eq!(pass["rows"]["median"], rows, "{pass}");
    }
    let inserts = made.iter().filter(|pass| pass["place"] == 0);
    let server = inserts.map(|pass| pass["server_cpu"]["median"].as_f64().unwrap());
    assert!(server.sum::<f64>() > 0.0, "the server works");
    let records = records(&bench.path("out/drive.jsonl"));
    assert_eq!(of_kind(&records, "pass").count(), 20, "the warm-up is none");
    assert_eq!(of_kind(&records, "populated").count(), 0);
}

#[test]
fn hits_of_the_row_cache_are_shown() {
    let designs = ["cassandra/wide", "cassandra/wide?caching=rows:all"];
    let cached = sensors(&designs, MIX);
    let cached = format!("{cached}\n[server.cassandra]\nrow_cache_size = \"16MiB\"\n");
    let Some(bench) = Bench::with_cassandra(&cached, "") else {
        return;
    };
    let arguments = [
        "drive", "w.toml", "--rate", "200", "--for", "3s", "--out", "out",
    ];
    bench.bakeoff(&arguments).expect(0);
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("Row cache hits"));
    let summary = summary(&bench, "out");
    all_succeeded(&summary);
    let hits = |id: &str| {
        let mut designs = summary["designs"].as_array().unwrap().iter();
        let design = designs.find(|design| design["info"]["id"] == id).unwrap();
        design["figures"]["row_cache_hits"].as_f64()
    };
    assert_eq!(hits("cassandra/wide"), None, "it keeps no rows");
    let share = hits("cassandra/wide?caching=rows:all").unwrap();
    assert!(share > 0.0 && share <= 1.0, "{share}");
}

#[test]
fn on_a_cluster_that_runs() {
    let Some(server) = Server::shared_for(&sensors(&DESIGNS, MIX)) else {
        return;
    };
    a_search_states_what_its_probes_say(&server);
    two_processes_drive_one_table_and_are_joined(&server);
    a_pass_over_rows_that_are_not_there_has_no_time(&server);
    tables_and_machines_are_measured_with_nodetool_and_exporters(&server);
}

fn tables_and_machines_are_measured_with_nodetool_and_exporters(server: &Server) {
    let nodetool = server.nodetool();
    let exporter = Exporter::start(&server.address, |asked| {
        let received = 1_000_000 * asked;
        Some(format!(
            "node_cpu_seconds_total{{cpu=\"0\",mode=\"user\"}} {asked}\nnode_load1 1.5\n\
             node_network_receive_bytes_total{{device=\"eth0\"}} {received}\n"
        ))
    });
    let arguments = [
        "drive",
        "w.toml",
        "--design",
        "cassandra/wide",
        "--rate",
        "50",
        "--for",
        "2s",
        "--nodetool",
        &nodetool,
        "--metrics",
        &exporter.url,
        "--out",
        "tool",
    ];
    server.bakeoff(&arguments).expect(0);
    let records = records(&server.bench.path("tool").join("drive.jsonl"));
    let at_rest = of_kind(&records, "footprint").next().unwrap();
    assert_eq!(at_rest["note"], "in 1 SSTable", "{at_rest}");
    assert!(at_rest["engine_bytes"].as_u64() > Some(0), "{at_rest}");
    let ratio = at_rest["compression_ratio"].as_f64();
    assert!(ratio > Some(0.0), "{at_rest}");
    let metadata = at_rest["compression_metadata_bytes"].as_u64();
    assert!(metadata > Some(0), "{at_rest}");
    // As the loads left it.
    let after = of_kind(&records, "footprint-after").next().unwrap();
    assert!(after["statistics"]["writes"].as_u64() > Some(0), "{after}");
    let samples: Vec<_> = of_kind(&records, "second").map(|s| &s["server"]).collect();
    let received = { samples.iter() }.filter_map(|s| s["network_received_bytes"].as_u64());
    let received: Vec<u64> = received.collect();
    assert!(!received.is_empty(), "{samples:?}");
    assert!(received.is_sorted(), "{received:?}");
    assert!(
        samples.iter().any(|s| s["load_average"] == 1.5),
        "{samples:?}"
    );
    assert!(samples.iter().all(|s| s["notes"].is_null()), "{samples:?}");
    // That of the machine is not taken for that of Cassandra.
    let mut of_machine = samples.iter().map(|s| &s["machine_cpu_seconds"]);
    assert!(of_machine.any(|cpu| cpu.is_f64()), "{samples:?}");
    assert!(
        samples.iter().all(|s| s["cpu_seconds"].is_null()),
        "{samples:?}"
    );
}

fn a_pass_over_rows_that_are_not_there_has_no_time(server: &Server) {
    let arguments = [
        "drive",
        "w.toml",
        "--design",
        "cassandra/wide",
        "--passes",
        "insert=40,read=60",
        "--empty",
        "--rows",
        "60",
        "--out",
        "holes",
    ];
    server.bakeoff(&arguments).expect(3);
    let passes = summary(&server.bench, "holes")["passes"].clone();
    assert_eq!(passes[0]["whole"], 1, "{passes}");
    assert!(passes[0]["real"]["median"].is_f64(), "{passes}");
    assert!(passes[0]["server_cpu"].is_null(), "not ours: {passes}");
    assert_eq!(passes[1]["failed"], 20, "{passes}");
    assert_eq!(passes[1]["whole"], 0, "{passes}");
    assert!(passes[1]["real"].is_null(), "{passes}");
}

/// How fast the machine is decides which rate holds, and whether any does: what is found has to follow
/// from the probes.
fn a_search_states_what_its_probes_say(server: &Server) {
    let search = |objective: &str, out: &str| {
        let arguments = [
            "drive",
            "w.toml",
            "--design",
            "cassandra/wide",
            "--for",
            times("1s", "2s"),
            "--within",
            objective,
            "--out",
            out,
        ];
        server.bakeoff(&arguments).expect(0);
        let records = records(&server.bench.path(out).join("drive.jsonl"));
        let probes = of_kind(&records, "probe").cloned();
        let found = summary(&server.bench, out)["designs"][0]["found"][0].clone();
        (found, probes.collect::<Vec<_>>())
    };
    // Nothing answers within a microsecond.
    let (found, _) = search("read.p50<1us", "impossible");
    assert!(found["rate"].is_null(), "{found}");
    let (found, probes) = search("read.p90<5s,errors<1%", "out");
    assert_eq!(found["probes"], probes.len());
    assert!(probes.len() <= 25);
    let highest = found["estimate"]["rate"].as_f64().unwrap_or(f64::INFINITY);
    let held = probes.iter().filter_map(|probe| {
        let holds = probe["missed"].as_array().unwrap().is_empty();
        let rate = probe["rate"].as_f64().filter(|rate| *rate <= highest);
        rate.filter(|_| holds)
    });
    let rate = held.reduce(f64::max);
    assert_eq!(found["rate"].as_f64(), rate, "{found} {probes:?}");
}

fn two_processes_drive_one_table_and_are_joined(server: &Server) {
    let (bench, address) = (&server.bench, &server.address);
    let (lasts, sent) = times(("1s", 200), ("4s", 800));
    let arguments = [
        "drive",
        "w.toml",
        "--design",
        "cassandra/wide",
        "--rate",
        "200",
        "--for",
        lasts,
        "--cassandra",
        address,
        "--keyspace",
        "bakeoff_shared",
    ];
    let begin_after = [6, 20, 160].map(Duration::from_secs);
    // The second time there is a table that shard 1 replaces: the other one must not load into it.
    let both = ["first", "second"].map(|time| two_shards(bench, &arguments, time, begin_after));
    for (time, shards) in ["first", "second"].into_iter().zip(both) {
        for shard in shards {
            shard.expect(0);
        }
        let [one, two] = [1, 2].map(|n| format!("{time}-{n}"));
        bench
            .bakeoff(&["merge", &one, &two, "--out", time])
            .expect(0);
        let whole = summary(bench, time);
        all_succeeded(&whole);
        assert_eq!(whole["trials"][0]["end"]["sent"], sent, "{whole}");
        let operations = &whole["designs"][0]["figures"]["operations"];
        let counts = operations.as_array().unwrap().iter();
        let succeeded: u64 = counts.map(|o| o["count"].as_u64().unwrap()).sum();
        assert_eq!(succeeded, sent, "those of both, late ones too");
    }
}

#[test]
fn questions_beside_a_load_are_answered_by_the_driven_design_or_by_others() {
    let Some(bench) = Bench::with_cassandra(&sensors(&DESIGNS, MIX), "") else {
        return;
    };
    let question = "SELECT sensor, count(*) AS n FROM readings GROUP BY sensor ORDER BY sensor";
    let common = [
        "drive",
        "w.toml",
        "--design",
        "cassandra/wide",
        "--rate",
        "200",
        "--for",
        "5s",
        "--rounds",
        "1",
        "--beside",
        question,
    ];
    let arguments = [&common[..], &["--beside-query", "mean", "--out", "own"]].concat();
    bench.bakeoff(&arguments).expect(0);
    let own = summary(&bench, "own");
    let figures = &own["beside"][0];
    assert_eq!(figures["pairs"], 1, "{figures}");
    let questions = figures["questions"].as_array().unwrap();
    assert_eq!(questions.len(), 2);
    for question in questions {
        let [answered, unfinished] = ["answered", "unfinished"].map(|of| question[of].as_u64());
        assert!(answered.unwrap() + unfinished.unwrap() > 0, "{question}");
        assert_eq!(question["failed"], 0, "{question}");
        // The mix inserts.
        assert_eq!(question["compared"], 0, "{question}");
    }
    let others = "driven,cassandra/columnar,parquet";
    let other = [&common[..], &["--beside-design", others, "--out", "other"]].concat();
    bench.bakeoff(&other).expect(0);
    let summary = summary(&bench, "other");
    all_succeeded(&summary);
    for (place, id) in ["cassandra/columnar", "parquet"].into_iter().enumerate() {
        let figures = &summary["beside"][place];
        assert_eq!(figures["answered_by"], id, "{figures}");
        let question = &figures["questions"][0];
        assert!(question["compared"].as_u64().unwrap() > 0, "{question}");
        assert_eq!(question["differing"], 0, "{question}");
    }
    let itself = &summary["beside"][2];
    assert!(itself["answered_by"].is_null(), "{itself}");
    assert_eq!(itself["questions"][0]["compared"], 0, "{itself}");
}
