//! Tests workload files with a mix: what is read from them, and every error with its position.

mod keys;
mod server;

use std::path::Path;

use bakeoff_workload::{Action, Consistency, Keys, Mix, ServerSettings, Workload};

const GOOD: &str = r#"
title = "Test"
designs = ["cassandra/wide", "dry"]
[table]
name = "t"
columns = { series = "text", time = "timestamp", value = "text", note = "text" }
partition_key = ["series"]
order_key = ["time"]
[data]
generator = "columns"
[data.columns]
series = { sequence = { cycle = 10 }, prefix = "s" }
time = { sequence = { start = "2024-01-01T00:00:00Z", step = "10s", every = 10 } }
value = { words = [1, 3] }
note = { choice = ["a", "b"] }
[scale]
rows = 1_000
[server]
heap = "512MiB"
memory = "1GiB"
[[queries]]
name = "q"
sql = "SELECT count(*) FROM t"
[mix]
consistency = "LOCAL_ONE"
ttl = "1h"
operations = [
  { action = "insert", weight = 20, batch = 10, ttl = "2s" },
  { action = "update", weight = 10, keys = { zipf = 0.99 }, columns = ["Value"] },
  { name = "set", action = "update", weight = 5, consistency = "quorum" },
  { action = "delete-row", weight = 5, keys = "sequential" },
  { action = "delete-partition", weight = 5, keys = { normal = 0.1 } },
  { action = "read-row", weight = 25, keys = { latest = 1 } },
  { action = "read-partition", weight = 12.5, limit = 500, newest_first = true },
  { action = "read-range", weight = 12.5, rows = 7 },
  { action = "query", weight = 5, query = "Q" },
]
[[mix.background]]
every = "60s"
cycle = 10
statements = ["DROP TABLE IF EXISTS ${keyspace}.x_${number}"]
"#;

fn parse(text: &str) -> Result<Workload, String> {
    Workload::parse(text, Path::new("w/my-test.toml")).map_err(|error| error.to_string())
}

/// Returns the error after replacing `from` in the good file, without the file's name.
fn error(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "the good file has no {from}");
    let error = parse(&GOOD.replacen(from, to, 1)).unwrap_err();
    error.strip_prefix("w/my-test.toml:").unwrap().to_owned()
}

fn mix() -> Mix {
    parse(GOOD).unwrap().mix.unwrap()
}

#[test]
fn a_good_mix_is_read_with_shares_and_defaults() {
    let workload = parse(GOOD).unwrap();
    let server = ServerSettings {
        heap_mib: Some(512),
        memory_mib: Some(1024),
        ..ServerSettings::default()
    };
    assert_eq!(workload.server, server);
    assert!(!workload.is_written_in_cql());
    let mix = mix();
    let weights: Vec<f64> = mix.operations.iter().map(|o| o.weight).collect();
    assert_eq!(
        weights,
        [0.2, 0.1, 0.05, 0.05, 0.05, 0.25, 0.125, 0.125, 0.05]
    );
    let names: Vec<&str> = mix.operations.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names[..3], ["insert", "update", "set"]);

    let [insert, update, set, ..] = &mix.operations[..] else {
        panic!("nine operations")
    };
    assert_eq!((insert.keys, insert.batch), (Keys::New, 10));
    assert_eq!(insert.ttl_seconds, Some(2));
    assert_eq!(update.keys, Keys::Zipf { exponent: 0.99 });
    assert_eq!((update.ttl_seconds, update.batch), (Some(3600), 1));
    let columns = |names: &[&str]| Action::Update {
        columns: names.iter().map(|n| (*n).to_owned()).collect(),
    };
    assert_eq!(update.action, columns(&["value"]));
    assert_eq!(set.action, columns(&["value", "note"]));
    assert_eq!(set.keys, Keys::Uniform);
    assert_eq!(set.consistency, Some(Consistency::Quorum));
    assert_eq!(update.consistency, Some(Consistency::LocalOne));
}

#[test]
fn reads_deletes_and_queries_are_read() {
    let mix = mix();
    let actions: Vec<&Action> = mix.operations.iter().map(|o| &o.action).collect();
    let partition = Action::ReadPartition {
        limit: Some(500),
        newest_first: true,
    };
    assert_eq!(
        actions[3..6],
        [
            &Action::DeleteRow,
            &Action::DeletePartition,
            &Action::ReadRow
        ]
    );
    assert_eq!(*actions[6], partition);
    assert_eq!(*actions[7], Action::ReadRange { rows: 7 });
    assert_eq!(*actions[8], Action::Query { query: 0 });
    assert_eq!(mix.operations[3].keys, Keys::Sequential);
    assert_eq!(mix.operations[4].keys, Keys::Normal { deviation: 0.1 });
    assert_eq!(mix.operations[5].keys, Keys::Latest { exponent: 1.0 });
    assert_eq!(mix.operations[5].ttl_seconds, None);
    assert_eq!(mix.background[0].every.as_secs(), 60);
    assert_eq!(mix.background[0].cycle, 10);
}

#[test]
fn a_partition_may_be_read_in_several_requests() {
    let limit = ", limit = 500, newest_first = true";
    let action = |keys: &str| {
        let workload = parse(&GOOD.replacen(limit, keys, 1)).unwrap();
        workload.mix.unwrap().operations[6].action.clone()
    };
    let parts = |requests, at_once| Action::ReadParts { requests, at_once };
    assert_eq!(action(", requests = 4"), parts(4, false));
    assert_eq!(action(", requests = 64, at_once = true"), parts(64, true));
    assert_eq!(action(", requests = 1, at_once = false"), parts(1, false));
    for requests in ["0", "-1", "65", "9999999999"] {
        assert_eq!(
            error(limit, &format!(", requests = {requests}")),
            format!("34:58: `requests` is {requests}, but has to be from 1 to 64")
        );
    }
    assert_eq!(
        error(limit, ", at_once = true"),
        "34:57: `at_once` is about several requests: requests = 4"
    );
    assert!(
        error(limit, ", requests = 2, limit = 5").contains("`limit` does not go with `requests`")
    );
    assert!(
        error(limit, ", requests = 2, newest_first = true")
            .contains("`newest_first` does not go with `requests`")
    );
    assert!(
        error("rows = 7", "requests = 2")
            .contains("`requests` does not apply to `read-range`, only to `read-partition`")
    );
    assert!(error("rows = 7", "at_once = true").contains("`at_once` does not apply"));
}

#[test]
fn queries_may_be_left_out_if_there_is_a_mix() {
    let start = GOOD.find("[[queries]]").unwrap();
    let without = GOOD.replace(&GOOD[start..GOOD.find("[mix]").unwrap()], "");
    let without = without.replace("  { action = \"query\", weight = 5, query = \"Q\" },\n", "");
    let workload = parse(&without.replace("weight = 20", "weight = 25")).unwrap();
    assert!(workload.queries.is_empty());
}

#[test]
fn weights() {
    assert_eq!(
        error("weight = 20", "weight = 19.5"),
        "24:1: the weights of the operations are percentages and have to add up to 100, but these add up to 99.5"
    );
    assert_eq!(
        error("weight = 20", "weight = -20"),
        "28:33: `weight` is -20, but has to be above 0"
    );
    assert_eq!(
        error("weight = 20", "weight = 0"),
        "28:33: `weight` is 0, but has to be above 0"
    );
    assert!(error("weight = 20", "weight = nan").contains("`weight` is NaN"));
    assert!(error("weight = 20", "weight = inf").contains("`weight` is inf"));
    assert!(error("weight = 20, ", "").contains("the key `weight` is missing here"));
}

#[test]
fn actions_and_what_they_take() {
    assert_eq!(
        error("\"insert\"", "\"insrt\""),
        "28:14: unknown action `insrt`; did you mean `insert`?"
    );
    assert_eq!(
        error("rows = 7", "limit = 7"),
        "35:51: `limit` does not apply to `read-range`, only to `read-partition`"
    );
    assert!(
        error("query = \"Q\"", "keys = \"uniform\"")
            .starts_with("36:42: `keys` does not apply to `query`")
    );
    assert!(
        error(
            "{ action = \"read-row\", ",
            "{ action = \"read-row\", ttl = \"1s\", "
        )
        .contains("`ttl` does not apply to `read-row`, only to `insert`, `update`")
    );
    assert_eq!(
        error("query = \"Q\"", "query = \"qq\""),
        "36:43: there is no query `qq` in this file; did you mean `q`?"
    );
    assert!(error(", query = \"Q\"", "").starts_with("36:14: say which query"));
    assert_eq!(
        error("{ name = \"set\", ", "{ "),
        "30:14: there is another operation `update`; give each a different `name`"
    );
    assert!(
        error("\"set\"", "\"set it\"").starts_with("30:12: operation name `set it` has to be of")
    );
    let start = GOOD.find("operations = [").unwrap();
    let none = parse(&GOOD[..start]).unwrap_err();
    assert!(
        none.ends_with("24:1: a mix has operations: add [[mix.operations]] with action and weight"),
        "{none}"
    );
}

#[test]
fn columns_of_an_update() {
    assert_eq!(
        error("[\"Value\"]", "[\"vlaue\"]"),
        "29:72: column `vlaue` is not in the table; did you mean `value`?"
    );
    assert_eq!(
        error("[\"Value\"]", "[\"time\"]"),
        "29:72: column `time` is in the key, and a row's key cannot be updated; delete the row and insert another one"
    );
    assert!(error("[\"Value\"]", "[]").ends_with("`columns` is empty"));
    assert!(error("[\"Value\"]", "[\"value\", \"VALUE\"]").contains("`value` appears twice"));
    let all_in_key = GOOD
        .replace(
            "order_key = [\"time\"]",
            "order_key = [\"time\", \"value\", \"note\"]",
        )
        .replace(", columns = [\"Value\"]", "");
    let message = parse(&all_in_key).unwrap_err();
    assert!(message.contains("there is none to update"), "{message}");
}

#[test]
fn reads_in_order_need_an_order_key() {
    let text = GOOD.replace(
        "partition_key = [\"series\"]",
        "partition_key = [\"series\", \"time\"]",
    );
    let error = parse(&text.replace("order_key = [\"time\"]", "")).unwrap_err();
    assert!(
        error.contains("34:14: `read-partition` needs partitions of several rows"),
        "{error}"
    );
}

#[test]
fn numbers_times_and_levels() {
    assert_eq!(
        error("batch = 10", "batch = 0"),
        "28:45: `batch` is 0, but has to be from 1 to 1000 rows"
    );
    assert!(error("batch = 10", "batch = 1001").contains("`batch` is 1001"));
    assert_eq!(
        error("ttl = \"2s\"", "ttl = \"0s\""),
        "28:55: `ttl` is 0, which would keep rows forever; leave it out"
    );
    assert!(error("ttl = \"2s\"", "ttl = \"1ms\"").contains("has to be whole seconds"));
    assert!(error("ttl = \"2s\"", "ttl = \"21years\"").contains("up to 20 years"));
    assert!(error("ttl = \"2s\"", "ttl = \"soon\"").contains("`soon`, which is not a duration"));
    assert_eq!(
        error("\"LOCAL_ONE\"", "\"LOCAL_ON\""),
        "25:15: unknown consistency level `LOCAL_ON`; did you mean `LOCAL_ONE`?"
    );
    assert!(error("limit = 500", "limit = 0").contains("`limit` is 0"));
    assert!(error("rows = 7", "rows = 0").contains("`rows` is 0"));
    assert!(error("every = \"60s\"", "every = \"0s\"").ends_with("`every` is 0"));
    assert!(error("cycle = 10\nst", "cycle = 0\nst").contains("`cycle` is 0"));
    assert!(error("[\"DROP", "[] # [\"DROP").contains("`statements` is empty"));
    assert!(
        error("_${number}", "_${numbr}")
            .contains("unknown placeholder `numbr`; did you mean `number`?")
    );
}

#[test]
fn a_ttl_that_nothing_takes_is_a_mistake() {
    let only_reads = r#"operations = [{ action = "read-row", weight = 100 }]"#;
    let start = GOOD.find("operations = [").unwrap();
    let end = GOOD.find("[[mix.background]]").unwrap();
    let text = format!("{}{only_reads}\n{}", &GOOD[..start], &GOOD[end..]);
    let error = parse(&text).unwrap_err();
    assert!(
        error.contains("26:7: no operation here takes a `ttl`"),
        "{error}"
    );
}

#[test]
fn what_is_for_workloads_written_in_cql() {
    let only_populate = GOOD.replace(
        "ttl = \"1h\"",
        "populate = [\"INSERT INTO ${keyspace}.t (series) VALUES (:series)\"]",
    );
    assert!(
        parse(&only_populate)
            .unwrap_err()
            .contains("`populate` needs the tables that `schema` makes")
    );
}
