//! The log of a run of few rows on a cluster, step by step.

use crate::support::Ended;
use crate::support::server::Server;

/// Connecting, and every change of the schema.
pub fn each_step_is_timed(server: &Server) {
    let run = ["run", "w.toml", "--designs", "cassandra/wide"];
    let short = ["--rounds", "1", "--rate-limit", "none", "--out", "short"];
    let at = ["--cassandra", &server.address];
    let mut command = server.bench.command(&[&run[..], &short, &at].concat());
    command.env("BAKEOFF_LOG", "bakeoff_engines=debug");
    let log = Ended::of(command.output().unwrap()).expect(0).stderr;
    for begin in [
        "connecting to ",
        "`CREATE KEYSPACE ",
        "`CREATE TABLE ",
        "`DROP KEYSPACE ",
    ] {
        let is_timed = |line: &str| {
            let step = line.split_once(begin).map(|(_, step)| step);
            step.is_some_and(|step| step.contains(" took "))
        };
        assert!(log.lines().any(is_timed), "{begin}: {log}");
    }
}
