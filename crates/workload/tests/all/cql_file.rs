//! Tests workload files whose operations are written in CQL: what is read from them, and every
//! error.

use std::path::Path;

use bakeoff_workload::{Action, CqlStatement, CqlValue, Workload};

const CQL: &str = r#"
title = "Conditional writes"
designs = ["cassandra/as-written"]
[table]
name = "lwt"
columns = { id = "text", value = "int", state = "text" }
partition_key = ["id"]
[data]
generator = "columns"
[data.columns]
id = { sequence = {}, prefix = "k" }
value = { uniform = [0, 9] }
state = { choice = ["open", "locked"] }
[mix]
schema = ["CREATE TABLE ${keyspace}.lwt (id text PRIMARY KEY, value int, state text)"]
populate = ["INSERT INTO ${keyspace}.lwt (id, value) VALUES (:id, :value)"]
[[mix.operations]]
name = "increment"
action = "cql"
weight = 90
statements = [
  "SELECT value, state FROM ${keyspace}.lwt WHERE id = :id",
  "UPDATE ${keyspace}.lwt SET value = :new, state = :st WHERE id = :ID IF value = :old",
]
bind = { old = { result = "value" }, new = { result = "Value", plus = 1 }, st = { result = "state", toggle = ["open", "locked"] } }
otherwise = "INSERT INTO ${keyspace}.lwt (id, value) VALUES (:id, :value) IF NOT EXISTS"
[[mix.operations]]
name = "write"
action = "cql"
weight = 10
keys = "new"
statements = ["INSERT INTO ${keyspace}.lwt (id, value) VALUES (:id, :v)", "SELECT id FROM ${keyspace}.lwt WHERE id = :id"]
bind = { v = { column = "value", version = 2 } }
expect = ["ID"]
expect_row = true
"#;

fn parse(text: &str) -> Result<Workload, String> {
    Workload::parse(text, Path::new("w/my-test.toml")).map_err(|error| error.to_string())
}

/// Returns the error after replacing `from` in the good file, without the file's name.
fn error(from: &str, to: &str) -> String {
    assert!(CQL.contains(from), "the good file has no {from}");
    let error = parse(&CQL.replacen(from, to, 1)).unwrap_err();
    error.strip_prefix("w/my-test.toml:").unwrap().to_owned()
}

#[test]
fn a_schema_that_makes_functions_is_known() {
    assert!(!parse(CQL).unwrap().makes_functions());
    let function = "CREATE FUNCTION ${keyspace}.f (x int) CALLED ON NULL INPUT RETURNS int \
                    LANGUAGE java AS 'return x;'";
    let with = CQL.replacen("schema = [", &format!("schema = [\"{function}\", "), 1);
    assert!(parse(&with).unwrap().makes_functions());
}

#[test]
fn statements_are_read_with_what_is_bound_to_them() {
    let workload = parse(CQL).unwrap();
    assert!(workload.is_written_in_cql());
    let mix = workload.mix.unwrap();
    let column = |column, second_version| CqlValue::Column {
        column,
        second_version,
    };
    let inserted = CqlStatement {
        cql: "INSERT INTO ${keyspace}.lwt (id, value) VALUES (?, ?)".to_owned(),
        values: vec![column(0, false), column(1, false)],
    };
    assert_eq!(mix.populate, [inserted]);
    let Action::Cql(increment) = &mix.operations[0].action else {
        panic!("{:?}", mix.operations[0])
    };
    let result = |plus| CqlValue::Result {
        column: "value".to_owned(),
        plus,
    };
    let toggle = CqlValue::Toggle {
        column: "state".to_owned(),
        between: ["open".to_owned(), "locked".to_owned()],
    };
    assert_eq!(
        increment.statements[1].cql,
        "UPDATE ${keyspace}.lwt SET value = ?, state = ? WHERE id = ? IF value = ?"
    );
    assert_eq!(
        increment.statements[1].values,
        [result(1), toggle, column(0, false), result(0)]
    );
    assert!(
        increment
            .otherwise
            .as_ref()
            .unwrap()
            .cql
            .ends_with("(?, ?) IF NOT EXISTS")
    );
    let Action::Cql(write) = &mix.operations[1].action else {
        panic!("{:?}", mix.operations[1])
    };
    assert_eq!(write.statements[0].values[1], column(1, true));
    assert_eq!(
        (&write.expect[..], write.expect_row),
        (&["id".to_owned()][..], true)
    );
    assert!(!increment.expect_row);
}

#[test]
fn markers_that_stand_for_nothing() {
    assert_eq!(
        error("WHERE id = :id", "WHERE id = :idd"),
        "22:56: `:idd` is neither a column of the table nor in `bind`; did you mean `id`?"
    );
    assert_eq!(
        error("WHERE id = :id", "WHERE id = ?"),
        "22:56: markers have names: write :name instead of ?"
    );
    assert_eq!(
        error("WHERE id = :id", "WHERE id = :old"),
        "22:56: `:old` comes from a result, but there is no statement before this one"
    );
    assert!(
        error("VALUES (:id, :value) IF", "VALUES (:id, :new) IF").contains(
            "`:new` comes from a result, but `otherwise` is executed when there was no row"
        )
    );
    assert!(error("WHERE id = :id", "WHERE id = 'x").contains("is never closed"));
    assert!(
        error("VALUES (:id, :value)\"]", "VALUES (:id, :new)\"]")
            .starts_with("16:67: `:new` is neither a column")
    );
}

#[test]
fn what_is_bound() {
    assert_eq!(
        error(
            "toggle = [\"open\", \"locked\"]",
            "toggle = [\"open\", \"open\"]"
        ),
        "25:110: `toggle` has two different words, each of which is changed to the other"
    );
    assert!(
        error("toggle = [\"open\", \"locked\"]", "toggle = [\"open\"]").contains("two different")
    );
    assert!(error("st = {", "st = { plus = 1,").contains("either counted up"));
    assert!(
        error("{ column = \"value\", version = 2 }", "{}").contains("33:14: a marker is bound to")
    );
    assert!(error("version = 2", "plus = 2").contains("a marker is bound to"));
    assert!(error("version = 2", "version = 3").contains("cells have two"));
    assert!(error("column = \"value\"", "column = \"id\"").contains("has one version only"));
    assert!(
        error("column = \"value\"", "column = \"val\"")
            .contains("column `val` is not in the table")
    );
    assert!(
        error("state = :st ", "state = 'open' ")
            .contains("`st` is never used; write :st in a statement")
    );
    assert!(
        error("expect = [\"ID\"]", "expect = [\"idd\"]")
            .contains("34:11: column `idd` is not in the table")
    );
}

#[test]
fn statements_stay_in_their_keyspace_and_have_tables() {
    assert!(
        error("FROM ${keyspace}.lwt", "FROM lwt")
            .starts_with("22:4: write ${keyspace}. before the name of the table")
    );
    assert!(error("TABLE ${keyspace}.lwt", "TABLE x.lwt").starts_with("15:12: write ${keyspace}."));
    assert!(
        error("FROM ${keyspace}", "FROM ${keyspce}")
            .starts_with("22:29: unknown placeholder `keyspce`; did you mean `keyspace`?")
    );
    assert!(
        error(
            "\"INSERT INTO ${keyspace}.lwt (id, value) VALUES (:id, :v)\"",
            "\" \""
        )
        .contains("the statement is empty")
    );
    assert!(
        error("statements = [\"INSERT", "statements = [] # [\"INSERT")
            .contains("`statements` is empty")
    );
    assert!(
        error("statements = [\"INSERT", "# [\"INSERT").contains("29:10: `cql` needs `statements`")
    );
    assert!(error("schema = [", "schema = [] # [").contains("statements need the tables"),);
}

#[test]
fn statements_cannot_reach_another_keyspace() {
    assert_eq!(
        error(
            "UPDATE ${keyspace}.lwt SET",
            "UPDATE prod.lwt /* ${keyspace} */ SET"
        ),
        "23:4: write ${keyspace}. before the name of the table: statements stay in the keyspace of \
         the run"
    );
    let message = error(
        "\"INSERT INTO ${keyspace}.lwt (id, value) VALUES (:id, :value)\"]",
        "\"BEGIN BATCH INSERT INTO ${keyspace}.lwt (id) VALUES (:id); TRUNCATE prod.users\"]",
    );
    assert!(
        message.starts_with("16:82: this name is in another keyspace"),
        "{message}"
    );
    let schema = "(id text PRIMARY KEY, value int, state text)\"";
    let more = format!("{schema}, \"DROP KEYSPACE ${{keyspace}}\"");
    assert!(error(schema, &more).contains("change neither keyspaces nor roles"));
}

#[test]
fn only_a_select_has_rows_to_expect() {
    let select = ", \"SELECT id FROM ${keyspace}.lwt WHERE id = :id\"";
    assert_eq!(
        error(select, ""),
        "34:10: `expect` is about the rows of the last statement, which is not a SELECT and has none; \
         leave it out, or add a SELECT"
    );
    let row_only = CQL.replace("expect = [\"ID\"]\n", "").replace(select, "");
    let message = parse(&row_only).unwrap_err();
    assert!(
        message.contains("34:14: `expect_row` is about"),
        "{message}"
    );
    assert!(parse(&row_only.replace("expect_row = true", "expect_row = false")).is_ok());
}

#[test]
fn actions_that_do_not_go_with_statements() {
    let rows = CQL.replace("keys = \"new\"\nstatements = [\"INSERT INTO ${keyspace}.lwt (id, value) VALUES (:id, :v)\", \"SELECT id FROM ${keyspace}.lwt WHERE id = :id\"]\nbind = { v = { column = \"value\", version = 2 } }\nexpect = [\"ID\"]\nexpect_row = true\n", "");
    let message = parse(&rows.replace("name = \"write\"\naction = \"cql\"", "action = \"insert\""))
        .unwrap_err();
    assert!(
        message.contains("`insert` needs a table that a layout made"),
        "{message}"
    );
    let plain = CQL
        .replace("SET value = :new, state = :st WHERE id = :ID IF value = :old", "SET value = 1 WHERE id = :id")
        .replace("bind = { old = { result = \"value\" }, new = { result = \"Value\", plus = 1 }, st = { result = \"state\", toggle = [\"open\", \"locked\"] } }\n", "");
    assert!(
        parse(&plain)
            .unwrap_err()
            .contains("`otherwise` is executed if a result that is bound has no row")
    );
}

/// Returns the good file with lists of three numbers, which the second operation's first statement,
/// without its closing parenthesis and what follows, writes as `values`.
fn with_lists(values: &str) -> Result<Workload, String> {
    let text = CQL
        .replacen(
            "state = \"text\" }",
            "state = \"text\", bins = \"blob\" }",
            1,
        )
        .replacen(
            "[mix]",
            "bins = { doubles = { items = 3, uniform = [0, 1] } }\n[mix]",
            1,
        )
        .replacen(
            "(id, value) VALUES (:id, :v)\"",
            &format!("(id, value, a, b) VALUES (:id, :v, {values})\""),
            1,
        )
        .replacen(
            "bind = { v =",
            "bind = { w = { column = \"bins\", version = 2 }, v =",
            1,
        );
    parse(&text)
}

#[test]
fn lists_are_bound_whole_or_item_by_item() {
    let mix = with_lists(":bins, :W[2]").unwrap().mix.unwrap();
    let Action::Cql(write) = &mix.operations[1].action else {
        panic!("{:?}", mix.operations[1])
    };
    assert_eq!(
        write.statements[0].cql,
        "INSERT INTO ${keyspace}.lwt (id, value, a, b) VALUES (?, ?, ?, ?)"
    );
    let whole = CqlValue::Doubles {
        column: 3,
        second_version: false,
        items: 3,
    };
    let item = CqlValue::Item {
        column: 3,
        second_version: true,
        item: 2,
    };
    assert_eq!(write.statements[0].values[2..], [whole, item]);
}

#[test]
fn items_that_do_not_exist() {
    let error = |values: &str| with_lists(values).unwrap_err();
    let message = error(":bins, :w[3]");
    assert!(
        message.contains("`:w` has 3 items, so there is no :w[3]: the last one is :w[2]"),
        "{message}"
    );
    let message = error(":w, :value[0]");
    assert!(message.contains("`:value` has no items"), "{message}");
    let message = error(":w, :w[99999999999]");
    assert!(
        message.contains("there is no item of the number 99999999999"),
        "{message}"
    );
    // Only columns have items, results have none.
    let result = CQL.replacen("IF value = :old", "IF value = :old[0]", 1);
    let message = parse(&result).unwrap_err();
    assert!(message.contains("`:old` has no items"), "{message}");
}

#[test]
fn what_touches_an_item_cannot_leave_the_keyspace() {
    let message = with_lists(":bins, :w[1]); TRUNCATE prod.users --").unwrap_err();
    assert!(message.contains("keyspace"), "{message}");
}
