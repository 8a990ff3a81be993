//! A run makes its tables in a keyspace that the user made, and leaves the rest of it alone.

use crate::support::server::Server;

const BASE: [&str; 7] = [
    "run",
    "w.toml",
    "--rounds",
    "2",
    "--scales",
    "1",
    "--no-twins",
];
const DESIGNS: [&str; 2] = ["--designs", "cassandra/wide,parquet?codec=zstd"];
const KEYSPACE: [&str; 2] = ["--keyspace", "user_keyspace_test"];

#[test]
fn a_run_in_a_keyspace_of_the_user_touches_only_tables_of_its_own() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(
        "CREATE KEYSPACE user_keyspace_test WITH replication = \
         {'class': 'NetworkTopologyStrategy', 'replication_factor': 1};\n\
         CREATE TABLE user_keyspace_test.important (id int PRIMARY KEY);\n",
    );
    let run = |out: &str| {
        let out = ["--out", out];
        server.bakeoff(&[&BASE[..], &DESIGNS, &KEYSPACE, &out].concat())
    };
    let refused = run("unmarked").expect(3);
    refused
        .says("does not carry Bakeoff's marker")
        .says("CREATE TABLE user_keyspace_test.bakeoff_marker (run text PRIMARY KEY, value text)");

    server.cql(
        "CREATE TABLE user_keyspace_test.bakeoff_marker (run text PRIMARY KEY, value text);\n\
         INSERT INTO user_keyspace_test.bakeoff_marker (run) VALUES ('shared by several processes');\n",
    );
    run("marked").expect(0);
    assert!(server.has_keyspace("user_keyspace_test"));
    let journal = std::fs::read_to_string(server.bench.path("marked/journal.jsonl")).unwrap();
    assert!(journal.contains(r#"["replication factor","1"]"#));
    let keep = [&BASE[..], &DESIGNS, &KEYSPACE, &["--out", "kept", "--keep"]];
    server.bakeoff(&keep.concat()).expect(0);
    let clean = ["clean", "user_keyspace_test.wide", "--yes"];
    let listed = server.bakeoff(&["clean"]).expect(0);
    listed.says("table user_keyspace_test.wide: its command is complete and has kept it");
    assert!(
        !listed.stdout.contains("user_keyspace_test.important"),
        "{}",
        listed.stdout
    );
    let whole = server.bakeoff(&["clean", "user_keyspace_test", "--yes"]);
    whole
        .expect(2)
        .says("no command has made `user_keyspace_test`");
    let dropped = server.bakeoff(&clean).expect(0);
    dropped.says("dropped table user_keyspace_test.wide");
    // The table of the run is gone, so that its name is free, and that of the user is there.
    server.cql(
        "SELECT id FROM user_keyspace_test.important;\n\
         CREATE TABLE user_keyspace_test.wide (id int PRIMARY KEY);\n",
    );
    run("taken")
        .expect(3)
        .says("keyspace user_keyspace_test has a table wide which Bakeoff did not make");
    server.cql("SELECT id FROM user_keyspace_test.wide;\n");

    let columnar = ["--designs", "cassandra/columnar"];
    let refused = [&BASE[..], &columnar, &KEYSPACE, &["--dry-run"]].concat();
    server
        .bakeoff(&refused)
        .expect(2)
        .says("takes tables of rows only");
    server.cql("DROP KEYSPACE user_keyspace_test;\n");
}

const SENSOR: &str = r#"
title = "Two tables of a design"
designs = ["cassandra/wide?summary=3600", "parquet"]
[data]
generator = "sensor"
[[queries]]
name = "mean"
sql = "SELECT avg(value) AS mean FROM sensor"
"#;

#[test]
fn a_run_that_may_not_make_one_of_its_tables_claims_none() {
    let Some(server) = Server::shared_for(SENSOR) else {
        return;
    };
    server.cql(
        "CREATE KEYSPACE claimed_test WITH replication = \
         {'class': 'NetworkTopologyStrategy', 'replication_factor': 1};\n\
         CREATE TABLE claimed_test.bakeoff_marker (run text PRIMARY KEY, value text);\n\
         INSERT INTO claimed_test.bakeoff_marker (run) VALUES ('shared by several processes');\n",
    );
    let base = [&BASE[..], &["--rows", "1k", "--keyspace", "claimed_test"]].concat();
    let dry = server
        .bakeoff(&[&base[..], &["--dry-run"]].concat())
        .expect(0);
    let made: Vec<&str> = { dry.stdout.lines() }
        .filter_map(|line| line.trim().strip_prefix("CREATE TABLE claimed_test."))
        .filter_map(|rest| rest.split(' ').next())
        .collect();
    let [first, second] = made[..] else {
        panic!("{}", dry.stdout);
    };
    let drop = format!("DROP TABLE IF EXISTS claimed_test.{first}");
    let drops = dry.stdout.lines().filter(|line| line.trim() == drop);
    assert_eq!(drops.count(), 2, "before the load and in the end");
    dry.says("the keyspace says how many copies there are");
    let refused = |theirs: &str| {
        server.cql(&format!(
            "CREATE TABLE claimed_test.{theirs} (id int PRIMARY KEY);\n"
        ));
        let ended = server.bakeoff(&[&base[..], &["--out", theirs]].concat());
        ended.expect(3).says(&format!(
            "keyspace claimed_test has a table {theirs} which Bakeoff did not make"
        ));
        server.cql(&format!("SELECT id FROM claimed_test.{theirs};\n"));
    };
    refused(second);
    server.cql(&format!("DROP TABLE claimed_test.{second};\n"));
    // The run before has not noted it as its own.
    refused(first);
    server.cql("DROP KEYSPACE claimed_test;\n");
}
