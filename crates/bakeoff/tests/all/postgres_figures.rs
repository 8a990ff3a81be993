//! `bakeoff nodes --postgres` on a server that Bakeoff was not told of before, and what is said of mistakes. Where
//! PostgreSQL is not installed this prints why it is skipped and passes, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::Value;

use crate::support::postgres::PostgresOfOthers;
use crate::support::{Bench, Ended, READINGS, WORKLOAD};

const NOBODY: &str = "postgresql://me@127.0.0.1:1/db";

#[test]
fn what_cannot_be_right_is_refused() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let none: &[&str] = &[];
    for (url, options, code, words) in [
        (
            NOBODY,
            none,
            1,
            "cannot connect to PostgreSQL at me@127.0.0.1:1/db",
        ),
        ("db1.example", none, 2, "--postgres"),
        (
            "postgresql://me:hunter2@db1/db",
            none,
            2,
            "BAKEOFF_POSTGRES_PASSWORD",
        ),
        (NOBODY, &["--cassandra", "db1"], 2, "cannot be used with"),
        (
            NOBODY,
            &["--nodetool", "ssh {host} nodetool"],
            2,
            "--nodetool",
        ),
        (NOBODY, &["--table", "orders"], 2, "SCHEMA.TABLE"),
        (NOBODY, &["--metrics", "https://{host}/"], 2, "plain http"),
    ] {
        let nodes = ["nodes", "--postgres", url];
        let ended = bench.bakeoff(&[&nodes[..], options].concat()).expect(code);
        ended.says(words);
        assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
    }
}

#[test]
fn another_program_at_the_address_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // Ends with the tests.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 64];
            let _ = stream.read(&mut request).unwrap();
            stream
                .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                .unwrap();
        }
    });
    let bench = Bench::new(WORKLOAD, READINGS);
    let url = format!("postgresql://me@{address}/db");
    let ended = bench.bakeoff(&["nodes", "--postgres", &url]).expect(1);
    ended.says(&format!("cannot connect to PostgreSQL at me@{address}/db"));
}

#[test]
fn a_server_is_shown_with_its_tables() {
    let bench = Bench::new(WORKLOAD, READINGS);
    if !bench.has("postgres") {
        return;
    }
    let postgres = PostgresOfOthers::start(&[]);
    let server = &postgres.server;
    let url = format!(
        "postgresql://{}@{}/postgres",
        server.user(),
        server.address()
    );
    let nodes = |options: &[&str]| {
        let nodes = ["nodes", "--postgres", url.as_str()];
        let mut command = bench.command(&[&nodes[..], options].concat());
        command.env("BAKEOFF_POSTGRES_PASSWORD", server.password());
        Ended::of(command.output().unwrap())
    };

    let address = server.address().to_string();
    let shown = nodes(&[]).expect(0);
    let first = shown.stdout.lines().next().unwrap();
    let begin = format!("1 server of PostgreSQL {}", server.version());
    assert!(first.starts_with(&begin), "{first}");
    for words in [
        "databases have ",
        address.as_str(),
        "primary",
        "checkpoints",
        "written to the log",
        "found in buffers",
        "--metrics",
    ] {
        shown.says(words);
    }
    assert!(!shown.stdout.contains(server.password()));

    let more = [
        "--table",
        "public.absent",
        "--metrics",
        "http://{host}:1/metrics",
    ];
    let shown = nodes(&more).expect(0);
    shown.says("public.absent: the database of the URL has no table of that schema and name");
    shown.says("http://{host}:1/metrics: cannot be connected to");

    let json = nodes(&["--json"]).expect(0).stdout;
    let servers: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(servers[0]["address"], address);
    assert_eq!(servers[0]["is_standby"], false);
    assert!(servers[0]["databases"][0]["bytes"].as_u64().unwrap() > 1 << 20);
    assert!(servers[0]["metrics"].is_null());

    let both = format!(
        "postgresql://{}@{},127.0.0.1:1/postgres",
        server.user(),
        server.address()
    );
    let mut command = bench.command(&["nodes", "--postgres", &both]);
    command.env("BAKEOFF_POSTGRES_PASSWORD", server.password());
    let ended = Ended::of(command.output().unwrap()).expect(3);
    ended.says("of which 1 did not answer");
    ended.says("all figures of 127.0.0.1:1: cannot connect to PostgreSQL");
    drop(postgres.stop());
}
