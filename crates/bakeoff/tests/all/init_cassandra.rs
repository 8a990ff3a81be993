//! `bakeoff init` of live tables of a real Cassandra: what is read, held and left out, and what cannot be.

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::going_on::run_without_servers;
use crate::support::server::Server;
use crate::support::{Bench, Ended, READINGS, WORKLOAD, of_kind};

const KEYSPACE: &str = "WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";

/// A table of every type, in a keyspace that has this name.
fn of_every_type(keyspace: &str) -> String {
    format!(
        "CREATE KEYSPACE {keyspace} {KEYSPACE};
        CREATE TYPE {keyspace}.address (street text, number int);
        CREATE TABLE {keyspace}.readings (
            \"siteId\" text, day date, at timestamp, part smallint, value float, price decimal, large varint,
            larger varint, device timeuuid, ip inet, clock time, flag boolean, note text, raw blob, tags set<text>,
            home frozen<address>, span duration, pair frozen<tuple<int, text>>, owner text static,
            PRIMARY KEY ((\"siteId\", day), at, part))
            WITH CLUSTERING ORDER BY (at DESC, part DESC)
            AND default_time_to_live = 8640000 AND gc_grace_seconds = 3600
            AND compaction = {{'class': 'TimeWindowCompactionStrategy', 'compaction_window_size': '12',
                'compaction_window_unit': 'HOURS'}}
            AND compression = {{'class': 'ZstdCompressor', 'chunk_length_in_kb': '64'}};
        INSERT INTO {keyspace}.readings (\"siteId\", day, owner) VALUES ('empty', '2024-01-01', 'nobody');"
    )
}

fn fill(server: &Server, keyspace: &str) {
    let mut inserts = String::new();
    for row in 0..60 {
        let (site, minute) = (["north", "south", "east"][row % 3], row / 3);
        let columns = "\"siteId\", day, at, part, value, price, large, larger, device, ip, clock, flag, note, raw, \
                       tags, home, owner";
        let key = format!(
            "'{site}', '2024-01-01', '2024-01-01T00:{minute:02}:00Z', {}",
            row % 2
        );
        let numbers = format!("{row}.5, {row}.25, {row}, {row}0000000000000000000");
        let texts = format!("now(), '10.0.0.{row}', '08:00:{minute:02}', true, 'a, \"b\"', 0x01");
        let others = "{'x'}, {street: 's', number: 1}, 'me'";
        inserts.push_str(&format!(
            "INSERT INTO {keyspace}.readings ({columns}) VALUES ({key}, {numbers}, {texts}, {others});\n"
        ));
    }
    server.cql(&inserts);
}

/// Writes a workload for a table of the server into a file.
fn init(server: &Server, table: &str, out: &str, more: &[&str]) -> Ended {
    let from = format!("cassandra://{}/{table}", server.address);
    let arguments = ["init", &from, "--out", out];
    server.bench.bakeoff(&[&arguments[..], more].concat())
}

fn written(server: &Server, out: &str) -> String {
    std::fs::read_to_string(server.bench.path(out)).unwrap()
}

#[test]
fn a_live_table_becomes_a_workload_that_runs_with_its_settings_and_its_key() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(&of_every_type("sampled"));
    fill(&server, "sampled");
    let ended = init(&server, "sampled.readings", "mine.toml", &[]).expect(0);
    ended
        .says("60 sampled rows")
        .says("key (siteid, day, at, part)")
        .says("time to live (TTL)")
        .says("next: bakeoff run mine.toml");
    let text = written(&server, "mine.toml");
    for words in [
        "# Rows of sampled.readings at 127.0.0.",
        "# Sample: all 60 rows that were there.",
        "default_time_to_live = 8640000",
        "name = \"readings\"",
        "partition_key = [\"siteid\", \"day\"]",
        "order_key = [\"at\", \"part\"]",
        "day = \"date\" # date in the table",
        "part = \"int\" # smallint in the table",
        "value = \"float\" # float in the table",
        "price = \"double\" # decimal in the table, held as double",
        "large = \"bigint\" # varint in the table, held as bigint",
        "larger = \"text\" # varint in the table, held as text",
        "device = \"text\" # timeuuid in the table",
        "ip = \"text\" # inet in the table",
        "clock = \"text\" # time in the table",
        "# left out: `raw` (blob)",
        "# left out: `tags` (set<text>): a collection",
        "# left out: `home` (frozen<address>): it is a type of users",
        "# left out: `span` (duration)",
        "# left out: `pair` (frozen<tuple<int, text>>): a tuple",
        "# left out: `owner` (text): it is static",
        "file = \"mine.parquet\"",
        "full_rows = 60 # all rows that the table had",
        "[decide]",
    ] {
        assert!(text.contains(words), "`{words}` is not in: {text}");
    }
    let design = "cassandra/wide?chunk=64KiB&compaction=TWCS:12h&compressor=Zstd&gc_grace=1h&order=desc&ttl=100d";
    assert_eq!(text.matches(design).count(), 2, "{text}");
    assert!(!text.contains("empty"), "{text}");
    let sample = std::fs::metadata(server.bench.path("mine.parquet")).unwrap();
    assert_eq!(sample.permissions().mode() & 0o777, 0o600);

    run_without_servers(&server.bench, "mine.toml");
    let dry = ["run", "mine.toml", "--rows", "10000", "--dry-run"];
    server.bench.bakeoff(&dry).expect(0);

    let again = init(&server, "sampled.readings", "other.toml", &[]).expect(0);
    again.says("60 sampled rows");
    let taken = init(&server, "sampled.readings", "mine.toml", &[]).expect(1);
    taken.says("mine.toml of --out already exists");
    std::fs::remove_file(server.bench.path("mine.toml")).unwrap();
    let taken = init(&server, "sampled.readings", "mine.toml", &[]).expect(1);
    taken.says("mine.parquet of --out already exists");
    let asked = ["--question", "SELECT max(price) AS most FROM readings"];
    init(&server, "sampled.readings", "asked.toml", &asked).expect(0);
    let text = written(&server, "asked.toml");
    assert_eq!(text.matches("[[queries]]").count(), 1, "{text}");
    let wrong = ["--question", "SELECT nothing FROM readings"];
    init(&server, "sampled.readings", "wrong.toml", &wrong)
        .expect(2)
        .says("nothing");
    let is_left = ["wrong.toml", "wrong.parquet"].map(|name| server.bench.path(name).exists());
    assert_eq!(is_left, [false, false]);
}

#[test]
fn a_live_table_is_decided_for() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(&of_every_type("decided"));
    fill(&server, "decided");
    let from = format!("cassandra://{}/decided.readings", server.address);
    let decide = ["decide", &from, "--budget", "5s", "--rate-limit", "1k"];
    // The table's own design has no server to be measured on, which the end says.
    let ended = server.bench.without_servers(&decide);
    assert!(
        [Some(0), Some(3)].contains(&ended.code),
        "{}\n{}",
        ended.stdout,
        ended.stderr
    );
    ended.says("60 sampled rows").says("To fill them:\n");
    let text = written(&server, "runs/readings-decide/workload.toml");
    assert!(text.contains("file = \"workload.parquet\""), "{text}");
    let records = server.bench.journal("runs/readings-decide/run");
    assert!(of_kind(&records, "loaded").next().is_some());
    assert_eq!(of_kind(&records, "finished").count(), 1);
    // The sample stays what it is, whatever becomes of the table.
    server.cql("DROP KEYSPACE decided");
    let again = server.bench.without_servers(&decide);
    assert_eq!(again.code, ended.code, "{}", again.stderr);
    let after = server.bench.journal("runs/readings-decide/run");
    assert_eq!(after.len(), records.len());
}

#[test]
fn the_sample_of_a_live_table_stays_where_its_run_cannot_begin_yet() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(&of_every_type("kept_sample"));
    fill(&server, "kept_sample");
    let (user, password) = server.login();
    let from = format!("cassandra://{user}@{}/kept_sample.readings", server.address);
    // The records of servers cannot be read there.
    let home = server.bench.path("other home");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("engines"), "").unwrap();
    let decide = || {
        let words = ["decide", &from, "--budget", "5s", "--out", "out"];
        let mut command = server.bench.command_without_servers(&words);
        command
            .env("BAKEOFF_HOME", &home)
            .env("BAKEOFF_CASSANDRA_PASSWORD", password);
        Ended::of(command.output().unwrap())
    };
    decide()
        .expect(1)
        .says("engines")
        .says("note: the sample of the table stays in ");
    let is_there = |name: &str| server.bench.path("out").join(name).exists();
    assert!(is_there("workload.parquet") && is_there("workload.toml") && !is_there("run"));
    // The same command needs the table no more.
    server.cql("DROP KEYSPACE kept_sample");
    std::fs::remove_file(home.join("engines")).unwrap();
    let ended = decide();
    assert!(
        [Some(0), Some(3)].contains(&ended.code),
        "{}\n{}",
        ended.stdout,
        ended.stderr
    );
    ended.says("To fill them:\n");
}

#[test]
fn a_part_of_a_table_says_how_many_rows_the_whole_may_have() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(&format!(
        "CREATE KEYSPACE parts {KEYSPACE};\nCREATE TABLE parts.items (id int PRIMARY KEY, size bigint);\n"
    ));
    for first in (0..1_500).step_by(100) {
        let inserts = (first..first + 100)
            .map(|id| format!("INSERT INTO parts.items (id, size) VALUES ({id}, {id})"));
        let batch: Vec<String> = inserts.collect();
        server.cql(&format!(
            "BEGIN UNLOGGED BATCH {} APPLY BATCH;",
            batch.join(" ")
        ));
    }
    init(&server, "parts.items", "part.toml", &["--sample", "320"]).expect(0);
    let text = written(&server, "part.toml");
    let of = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        let number = line.split(' ').nth(2).unwrap();
        number.parse::<u64>().unwrap()
    };
    let (rows, all) = (of("rows"), of("full_rows"));
    assert!((320..=400).contains(&rows), "{text}");
    assert!((900..=2_500).contains(&all), "{text}");
    assert!(text.contains("an estimate, from the rows of"), "{text}");
    assert!(
        text.contains("compaction=STCS") || text.contains("compaction=UCS"),
        "{text}"
    );
    assert!(text.contains("\"cassandra/narrow"), "{text}");
}

#[test]
fn tables_of_which_nothing_can_be_made_say_why() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(&format!(
        "CREATE KEYSPACE misfits {KEYSPACE};
        CREATE TABLE misfits.nothing (id int PRIMARY KEY, value double);
        CREATE TABLE misfits.lists (id frozen<list<int>> PRIMARY KEY, value double);
        CREATE TABLE misfits.bytes (id int, part blob, value double, PRIMARY KEY (id, part));
        CREATE TABLE misfits.alone (id int, part int, value double, PRIMARY KEY (id, part));
        INSERT INTO misfits.alone (id, part, value) VALUES (1, 1, 1.5);
        CREATE TABLE misfits.partition (id int, part int, value double, PRIMARY KEY (id, part));
        INSERT INTO misfits.partition (id, part, value) VALUES (1, 1, 1.5);
        INSERT INTO misfits.partition (id, part, value) VALUES (1, 2, 2.5);
        CREATE TABLE misfits.counts (id text PRIMARY KEY, seen counter);
        UPDATE misfits.counts SET seen = seen + 3 WHERE id = 'a';"
    ));
    for (table, code, words) in [
        ("misfits.nothin", 2, "did you mean `nothing`?"),
        ("misfitz.nothing", 2, "did you mean `misfits`?"),
        ("misfits.nothing", 2, "misfits.nothing is empty"),
        (
            "misfits.lists",
            2,
            "`id` is in the key, and its type is frozen<list<int>>",
        ),
        (
            "misfits.bytes",
            2,
            "`part` is in the key, and its type is blob",
        ),
        ("misfits", 2, "is not the name of a table"),
    ] {
        init(&server, table, "x.toml", &[]).expect(code).says(words);
        assert!(!server.bench.path("x.toml").exists(), "{table}");
        assert!(!server.bench.path("x.parquet").exists(), "{table}");
    }
    for (table, out, words) in [
        ("misfits.alone", "alone.toml", "1 sampled row,"),
        ("misfits.partition", "partition.toml", "2 sampled rows"),
        ("misfits.counts", "counts.toml", "1 sampled row,"),
    ] {
        init(&server, table, out, &[]).expect(0).says(words);
    }
    let text = written(&server, "counts.toml");
    assert!(
        text.contains("seen = \"bigint\" # counter in the table, held as the number"),
        "{text}"
    );
}

#[test]
fn a_table_that_changes_while_it_is_read_is_read_all_the_same() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(&format!(
        "CREATE KEYSPACE moving {KEYSPACE};\nCREATE TABLE moving.items (id int, part int, PRIMARY KEY (id, part));\n"
    ));
    let insert = |id: i32| {
        server.cql(&format!(
            "INSERT INTO moving.items (id, part) VALUES ({id}, 0);\n"
        ));
    };
    (0..200).for_each(insert);
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for id in 0.. {
                if is_done.load(Ordering::Relaxed) {
                    break;
                }
                server.cql(&format!("DELETE FROM moving.items WHERE id = {id};\n"));
                insert(id + 1_000);
            }
        });
        // So that it takes some seconds.
        let ended = init(
            &server,
            "moving.items",
            "moving.toml",
            &["--rate-limit", "1000"],
        );
        is_done.store(true, Ordering::Relaxed);
        ended.expect(0).says("sampled rows, 2 columns");
    });
    assert!(written(&server, "moving.toml").contains("while others may have written"));
}

#[test]
fn mistakes_are_told_before_anything_is_read() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let nowhere = "cassandra://127.0.0.1:1/ks.t";
    for (arguments, code, words) in [
        (
            vec![nowhere, "--out", "x.toml"],
            1,
            "cannot connect to Cassandra at 127.0.0.1:1",
        ),
        (
            vec![nowhere, "--out", "x.toml"],
            1,
            "check the host, port and user of the address",
        ),
        (vec![nowhere], 2, "--out FILE.toml"),
        (vec![nowhere, "--out", "x.parquet"], 2, "it ends in .toml"),
        (
            vec![nowhere, "--out", "x.toml", "--key", "a"],
            2,
            "--key says what a file is",
        ),
        (
            vec![nowhere, "--out", "x.toml", "--null", "-"],
            2,
            "--null says what a file is",
        ),
        (
            vec![nowhere, "--out", "x.toml", "--table", "a.b"],
            2,
            "--table is for postgres://",
        ),
        (
            vec!["cassandra://127.0.0.1:1/ks", "--out", "x.toml"],
            2,
            "KEYSPACE.TABLE",
        ),
        (
            vec!["mysql://db1/x", "--out", "x.toml"],
            2,
            "is no address of rows",
        ),
        (
            vec!["readings.csv", "--sample", "10"],
            2,
            "--sample is for a table of a running server",
        ),
        (
            vec!["readings.csv", "--rate-limit", "10"],
            2,
            "--rate-limit is for a table",
        ),
        (
            vec![nowhere, "--out", "x.toml", "--tls-ca", "none.pem"],
            1,
            "none.pem",
        ),
    ] {
        let ended = bench.bakeoff(&[&["init"][..], &arguments].concat());
        ended.expect(code).says(words);
        assert!(!bench.path("x.toml").exists() && !bench.path("x.parquet").exists());
    }
    let secret = "cassandra://me:hunter2@127.0.0.1:1/ks.t";
    let refused = bench
        .bakeoff(&["init", secret, "--out", "x.toml"])
        .expect(2);
    refused.says("BAKEOFF_CASSANDRA_PASSWORD");
    assert!(!refused.stderr.contains("hunter2"), "{}", refused.stderr);
}
