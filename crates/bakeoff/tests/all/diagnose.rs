//! `bakeoff diagnose`: what it refuses, its first line, its exit code and its JSON.

use serde_json::Value;

use crate::support::server::Server;
use crate::support::{Bench, READINGS, WORKLOAD};

#[test]
fn what_cannot_be_right_is_refused() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let refused = |arguments: &[&str], code, why: &str| {
        bench.bakeoff(arguments).expect(code).says(why);
    };
    let whole = ["diagnose", "--cluster"];
    let at = ["--cassandra", "127.0.0.1:1"];
    refused(&whole, 2, "--cassandra");
    refused(&[&["diagnose"][..], &at].concat(), 2, "KEYSPACE.TABLE");
    refused(
        &[&whole[..], &at].concat(),
        1,
        "cannot connect to Cassandra",
    );
    for (more, why) in [
        (["ks.t", "--json"], "cannot be used with"),
        (["--nodetool", "ssh nodetool"], "{host}"),
        (["--sample-keys", "2s"], "--nodetool"),
        (["--gc", "--json"], "--nodetool"),
        (
            ["--nodetool", "nodetool -h {host} -pw x"],
            "--nodetool: it has a password",
        ),
        (["--metrics", "https://{host}/metrics"], "plain http"),
    ] {
        refused(&[&whole[..], &at, &more].concat(), 2, why);
    }
    let long = ["--nodetool", "ssh {host} nodetool", "--sample-keys", "2h"];
    refused(&[&whole[..], &at, &long].concat(), 2, "more than a minute");
    let measured = |tables: &[&str], more: &[&str], why: &str| {
        refused(&[&["diagnose"][..], tables, &at, more].concat(), 2, why);
    };
    measured(&["--cluster"], &["--measure", "15m"], "cannot be used with");
    measured(
        &["a.b"],
        &["--measure", "15m", "--json"],
        "cannot be used with",
    );
    measured(&["a.b"], &["--measure", "30s"], "less than a minute");
    measured(&["a.b"], &["--out", "x"], "--measure");
    measured(
        &["a.b"],
        &["--measure", "15m", "--copy-rows", "2M"],
        "more than a million",
    );
    measured(&["a.b", "a.c"], &["--measure", "15m"], "name one, not 2");
}

#[test]
fn the_first_line_and_the_exit_code_answer() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(
        "CREATE KEYSPACE diagnosed WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
        CREATE TABLE diagnosed.fine (k int PRIMARY KEY, v int);
        CREATE TABLE diagnosed.stuck (k int PRIMARY KEY, v int)
            WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'};",
    );
    let stuck = server.bakeoff(&["diagnose", "diagnosed.stuck"]).expect(3);
    let first = stuck.stdout.lines().next().unwrap();
    assert!(first.contains(" to do now"), "{first}");
    assert!(first.ends_with(" checks could not be made"), "{first}");
    // Without the ends of lines, which may be anywhere.
    let words: Vec<&str> = stuck.stdout.split_whitespace().collect();
    let text = words.join(" ");
    for said in [
        "diagnosed.stuck: compaction is switched off (compaction-off)",
        "no reads since the nodes started",
        "--nodetool 'ssh {host} nodetool'",
    ] {
        assert!(text.contains(said), "`{said}` is not in: {text}");
    }

    let both = ["diagnose", "diagnosed.fine", "diagnosed.stuck", "--json"];
    let json = server.bakeoff(&both).expect(3).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    let checks = json["checks"].as_array().unwrap();
    let of = |table: &str, rule: &str| {
        let is_it = |check: &&Value| check["about"] == table && check["rule"] == rule;
        checks.iter().find(is_it).unwrap()
    };
    let stuck = of("diagnosed.stuck", "compaction-off");
    assert_eq!(stuck["outcome"], "finding");
    assert_eq!(stuck["urgency"], "now");
    assert_eq!(of("diagnosed.fine", "compaction-off")["outcome"], "healthy");
    let reads = of("diagnosed.fine", "tombstones");
    assert_eq!(reads["outcome"], "not_checked");
    assert_eq!(reads["reason"], "no reads since the nodes started");

    let absent = server.bakeoff(&["diagnose", "diagnosed.absent"]).expect(2);
    absent.says("the cluster has no table diagnosed.absent");
    // Other tests share the server, and may keep it busy.
    let whole = server.bakeoff(&["diagnose", "--cluster"]);
    assert!(matches!(whole.code, Some(0 | 3)), "{}", whole.stderr);
    assert!(whole.stdout.contains("checks"), "{}", whole.stdout);
}

/// Of the cluster only rows are read: what is measured is on a server that the command starts.
#[test]
fn what_would_help_is_measured_with_a_copy_of_the_rows() {
    // It starts a server beside the shared one.
    let Some(_turn) = Bench::with_cassandra(WORKLOAD, READINGS) else {
        return;
    };
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(
        "CREATE KEYSPACE measured WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
        CREATE TABLE measured.off (p text, c int, v text, tags set<text>, PRIMARY KEY (p, c))
            WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}
            AND compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': 64};",
    );
    let insert = |n: u32| {
        format!(
            "INSERT INTO measured.off (p, c, v) VALUES ('p{}', {n}, 'v{n}');\n",
            n % 10
        )
    };
    let inserts: String = (0..500).map(insert).collect();
    server.cql(&inserts);
    let command = ["diagnose", "measured.off", "--measure", "60s", "--out", "m"];
    let ended = server.bakeoff(&command).expect(3);
    ended.says("copied 500 rows of the table, all that it has");
    let helps = "A setting helps with 1 of 1 finding.";
    let helps_not = "No setting that was measured is shown to help.";
    let text = &ended.stdout;
    assert!(text.contains(helps) || text.contains(helps_not), "{text}");

    let read = |name: &str| std::fs::read_to_string(server.bench.path("m").join(name)).unwrap();
    let cures: Value = serde_json::from_str(&read("cures.json")).unwrap();
    assert_eq!(cures["rows"], 500);
    let present = "cassandra/wide?chunk=64KiB&compaction=STCS&gc_grace=10d";
    assert_eq!(cures["present"], present);
    let notes = cures["notes"].to_string();
    assert!(
        notes.contains("`tags` (set<text>): a collection"),
        "{notes}"
    );
    assert!(notes.contains("enabled of compaction = false"), "{notes}");
    let finding = &cures["findings"][0];
    assert_eq!(finding["rule"], "compaction-off");
    let designs = finding["designs"].as_array().unwrap();
    let ids: Vec<&str> = { designs.iter() }
        .map(|design| design["design"].as_str().unwrap())
        .collect();
    let others = ["LCS", "UCS:T4", "UCS:L10"]
        .map(|other| format!("cassandra/wide?chunk=64KiB&compaction={other}&gc_grace=10d"));
    assert_eq!(ids, others);
    for design in designs {
        assert!(design["bytes_before"].as_u64() > Some(0), "{design}");
        assert!(design["bytes_after"].as_u64() > Some(0), "{design}");
        let figures = design["figures"].as_array().unwrap();
        // Three queries, the mix, and its three operations, of which rounds of 2 s may not be steady.
        assert_eq!(figures.len(), 7, "{design}");
        let queries = &figures[..3];
        let are_measured = queries.iter().all(|figure| figure["ratio"].is_f64());
        assert!(are_measured, "{design}");
    }
    assert!(read("copy.toml").contains(present));
    assert!(read("drive/drive.jsonl").contains("read-range"));

    // What was measured is not written over.
    server
        .bakeoff(&command)
        .expect(1)
        .says("not an empty folder");
}
