//! Designs that do not suit their workload.

use std::path::Path;

use super::*;

const TABLE: &str = r#"title = "t"
designs = ["dry", "DESIGN"]

[table]
name = "readings"
columns = { series = "text", value = "double" }
partition_key = ["series"]

[data]
requires = "--data"

[mix]
SCHEMA

[[mix.operations]]
ACTION
weight = 100
"#;

/// Checks a design of a workload whose rows a layout keeps.
fn of_layouts(design: &str) -> Result<()> {
    check(design, "", "action = \"read-row\"")
}

/// Checks a design of a workload that is written in CQL.
fn written(design: &str) -> Result<()> {
    let schema = "schema = [\"CREATE TABLE ${keyspace}.readings (series text PRIMARY KEY)\"]";
    let action = "name = \"read\"\naction = \"cql\"\nkeys = \"uniform\"\nstatements = [\"SELECT * FROM \
                  ${keyspace}.readings WHERE series = :series\"]";
    check(design, schema, action)
}

fn check(design: &str, schema: &str, action: &str) -> Result<()> {
    let text = TABLE
        .replace("DESIGN", design)
        .replace("SCHEMA", schema)
        .replace("ACTION", action);
    check_designs(&Workload::parse(&text, Path::new("w.toml"))?)
}

#[test]
fn only_one_layout_has_the_tables_that_statements_make() {
    written("cassandra/as-written").unwrap();
    let error = written("cassandra/wide").unwrap_err().to_string();
    assert!(
        error.contains(
            "2:19: this workload's own statements make its tables, so `cassandra/wide` cannot"
        ),
        "{error}"
    );
}

#[test]
fn a_layout_without_statements_of_its_own_needs_those_of_the_workload() {
    of_layouts("cassandra/wide").unwrap();
    let error = of_layouts("cassandra/as-written").unwrap_err().to_string();
    assert!(
        error.contains("2:19: `cassandra/as-written` is for workloads whose own statements make"),
        "{error}"
    );
}

#[test]
fn engines_that_do_not_exist_are_left_to_those_who_start_them() {
    of_layouts("clickhouse/table").unwrap();
}

fn question(sql: &str) -> Query {
    Query {
        name: "question 1".to_owned(),
        sql: sql.to_owned(),
        engine_sql: std::collections::BTreeMap::new(),
        parameters: Vec::new(),
        parameter_sets: None,
        tolerance: None,
        expect: None,
        position: (1, 1),
    }
}

#[tokio::test]
async fn a_question_of_the_command_line_is_planned_against_the_table() {
    let text = TABLE
        .replace("DESIGN", "parquet")
        .replace("SCHEMA", "")
        .replace("ACTION", "action = \"read-row\"");
    let workload = Workload::parse(&text, Path::new("w.toml")).unwrap();
    let sum = "SELECT series, sum(value) AS total FROM readings GROUP BY series";
    assert_eq!(check_question(&workload, &question(sum)).await, Ok(true));
    let first = question(&format!("{sum} ORDER BY series LIMIT 3"));
    let checked = check_question(&workload, &first).await;
    assert_eq!(checked, Ok(false), "rows may tie");
    for (sql, complaint) in [
        ("SELECT colour FROM readings", "colour"),
        ("SELECT value FROM nothing", "`readings`"),
        ("SELEC value FROM readings", "line 1"),
        ("DELETE FROM readings", "not a query"),
        (
            "SELECT value FROM readings\nWHERE series = $1",
            "line 2, column 16: no value is bound to its marker `$1`",
        ),
        ("SELECT value, FROM readings", "a comma before FROM"),
        (
            "SELECT value FROM readings WHERE series = ?",
            "its marker `?`",
        ),
        (
            "SELECT series FROM readings ORDER BY value LIMIT 3",
            "select value too",
        ),
    ] {
        let checked = check_question(&workload, &question(sql)).await;
        let error = checked.unwrap_err();
        assert!(error.contains(complaint), "{sql}: {error}");
    }
}
