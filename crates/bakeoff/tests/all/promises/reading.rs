//! Commands that only read a server on which others depend: each of their statements is a `SELECT`, and samples keep to
//! the limit.

use super::audit::{Entry, entries};
use super::names::only_reads;
use crate::support::{Bench, Ended};

/// The role that samples a table, and the one that looks at the cluster and its tables.
const SAMPLER: &str = "sampler";
const LOOKER: &str = "looker";
pub const ROLES: [&str; 2] = [SAMPLER, LOOKER];
/// The limit in rows a second, and the rows as which a page counts at least.
const LIMIT: u64 = 1_000;
const LEAST_ROWS: u64 = 50;

/// Samples the table of others, and looks at it and at the cluster in every other way.
pub fn reads(bench: &Bench, address: &str, password: &str) {
    let bakeoff = |arguments: &[&str]| {
        let mut command = bench.command(arguments);
        command.env("BAKEOFF_CASSANDRA_PASSWORD", password);
        Ended::of(command.output().unwrap())
    };
    let table = format!("cassandra://{SAMPLER}@{address}/shop.orders");
    let limit = LIMIT.to_string();
    bakeoff(&[
        "init",
        &table,
        "--out",
        "orders.toml",
        "--rate-limit",
        &limit,
    ])
    .expect(0)
    .says("50 sampled rows");
    let whose = ["--cassandra", address, "--username", LOOKER];
    let looks = |arguments: &[&str]| bakeoff(&[arguments, &whose].concat());
    looks(&["nodes"]).expect(0);
    let read = "SELECT item FROM shop.orders WHERE id = 1";
    looks(&["trace", read]).expect(0);
    for what in ["shop.orders", "--cluster"] {
        // With 3 it has found something.
        let ended = looks(&["diagnose", what]);
        assert!([Some(0), Some(3)].contains(&ended.code), "{}", ended.stderr);
    }
}

/// Judges every statement that these commands sent, by the log of the server.
pub fn judge(log: &str) {
    let mut all = entries(log);
    all.retain(|entry| ROLES.contains(&entry.user.as_str()));
    for entry in &all {
        let reads = entry.kind == "LOGIN_SUCCESS" || only_reads(&entry.operation);
        assert!(reads, "{entry:?}");
    }
    let of_orders = |role: &str| -> Vec<&Entry> {
        let entries = all.iter().filter(|entry| entry.user == role);
        let selects = entries.filter(|entry| entry.kind == "SELECT");
        selects
            .filter(|entry| entry.keyspace.as_deref() == Some("shop"))
            .collect()
    };
    assert!(!of_orders(LOOKER).is_empty(), "nothing was looked at");
    let times: Vec<u64> = of_orders(SAMPLER)
        .into_iter()
        .filter(|entry| entry.operation.contains("token("))
        .map(|entry| entry.at_millis)
        .collect();
    // After each page but the last one the limit is waited for.
    assert!(times.len() > 10, "{} pages", times.len());
    let took = times.iter().max().unwrap() - times.iter().min().unwrap();
    let least = (times.len() as u64 - 1) * LEAST_ROWS * 1_000 / LIMIT;
    assert!(
        took + 1 >= least,
        "{took} ms for {} pages, which take {least} ms at least",
        times.len()
    );
}
