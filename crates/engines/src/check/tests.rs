//! Designs that do not suit their workload.

use std::path::Path;

use bakeoff_workload::{Parameter, ParameterValues};

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

/// A workload whose table questions may be about.
fn asked() -> Workload {
    let text = TABLE
        .replace("DESIGN", "parquet")
        .replace("SCHEMA", "")
        .replace("ACTION", "action = \"read-row\"");
    Workload::parse(&text, Path::new("w.toml")).unwrap()
}

#[tokio::test]
async fn a_question_that_no_parser_can_be_given_is_refused_with_what_to_write() {
    let workload = asked();
    let rows = "SELECT series FROM readings WHERE value";
    for (sql, words) in [
        (
            format!("{rows} = 1{}", " OR value = 2".repeat(100_000)),
            "line 1, column 1: it has about 100001 operators",
        ),
        (
            format!("{rows} = 1{}", " + 1".repeat(20_000)),
            "a IN (1, 2, 3) in place of a = 1 OR",
        ),
        (
            format!("{rows} = {}1{}", "(".repeat(100_000), ")".repeat(100_000)),
            "within each other or in one chain",
        ),
        (
            format!("{rows} = {}", "(SELECT ".repeat(20_000)),
            "within each other or in one chain",
        ),
        (
            format!("{rows} = {}", "CASE WHEN value = 1 THEN ".repeat(20_000)),
            "within each other or in one chain",
        ),
        (
            format!(
                "{rows} = 1{} OR series = 'a",
                " OR value = 2".repeat(100_000)
            ),
            "Unterminated string literal",
        ),
        (
            format!(
                "{rows} = 1{} OR value = ${{a",
                " OR value = 2".repeat(100_000)
            ),
            "does not end: write what ends it",
        ),
    ] {
        let error = check_question(&workload, &question(&sql))
            .await
            .unwrap_err();
        assert!(error.contains(words), "{words}: {error}");
    }
    let list = format!("{rows} IN (1{})", ", 2".repeat(10_000));
    assert_eq!(check_question(&workload, &question(&list)).await, Ok(true));
    let several = format!("{rows} = 1{}", " OR value = 2".repeat(20));
    assert_eq!(
        check_question(&workload, &question(&several)).await,
        Ok(true)
    );
}

#[tokio::test]
async fn a_question_with_a_clause_that_would_be_left_out_is_refused() {
    let workload = asked();
    for sql in [
        "SELECT count(*) AS n FROM readings TABLESAMPLE BERNOULLI (10)",
        "SELECT series, count(*) AS n FROM readings GROUP BY series WITH ROLLUP",
    ] {
        let error = check_question(&workload, &question(sql)).await.unwrap_err();
        assert!(error.contains("DataFusion would leave"), "{error}");
    }
}

#[tokio::test]
async fn a_question_that_cannot_be_asked_is_refused_in_words() {
    let workload = asked();
    let nested = format!(
        "SELECT {}1{} AS n FROM readings",
        "(".repeat(60),
        ")".repeat(60)
    );
    for (sql, words) in [
        (
            "SELECT series FROM readings WHERE series = 'a'\n AND series SIMILAR TO 'a%'",
            "line 2, column 13: SIMILAR TO has other patterns in DataFusion",
        ),
        (
            "SELECT value ^ 2 AS n FROM readings",
            "line 1, column 14: ^ is XOR in DataFusion and Spark",
        ),
        (
            "SELECT series || TIMESTAMP '2026-05-01' AS seen FROM readings",
            "it makes a text of a time without a format",
        ),
        (
            "SELECT series,\n value AT TIME ZONE series AS l FROM readings",
            "line 2, column 8: AT TIME ZONE has no name of a zone behind it",
        ),
        (
            "SELECT series, DATE '2024-13-45' AS day FROM readings",
            "line 1, column 21: '2024-13-45' cannot be read as a date: write it as '2026-05-01'",
        ),
        (
            "SELECT series FROM readings WHERE value > 'high'",
            "'high' cannot be read as a number: write one without quotes, such as 5.5",
        ),
        (
            "SELECT series, INTERVAL '1 fortnight' AS long FROM readings",
            "an interval cannot be read (Invalid input syntax for type interval: \"1 fortnight\"): write it as INTERVAL",
        ),
        (
            "SELECT r.series FROM readings AS r ANTI JOIN readings AS s ON r.series = s.series",
            "line 1, column 1: DataFusion has no ANTI JOIN: write LEFT ANTI JOIN",
        ),
        (
            nested.as_str(),
            "line 1, column 1: it is nested too deeply: at most 47",
        ),
    ] {
        let error = check_question(&workload, &question(sql)).await.unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}

#[tokio::test]
async fn a_text_for_an_engine_is_bounded_as_the_question_is() {
    let chain = " OR value = 2".repeat(300);
    let text = TABLE
        .replace("DESIGN", "parquet")
        .replace("SCHEMA", "")
        .replace("ACTION", "action = \"read-row\"");
    for place in ["spark", "parquet"] {
        let text = format!(
            "{text}\n[[queries]]\nname = \"some\"\nsql = \"SELECT count(*) AS n FROM readings\"\n\
             engine_sql = {{ {place} = \"SELECT count(*) AS n FROM readings WHERE value = 1{chain}\" }}\n"
        );
        let workload = Workload::parse(&text, Path::new("w.toml")).unwrap();
        let error = check_queries(&workload).await.unwrap_err().to_string();
        let told = format!("query some: its SQL for {place}: it has about 301 operators");
        assert!(error.contains(&told), "{error}");
    }
}

#[tokio::test]
async fn a_question_of_the_command_line_is_planned_against_the_table() {
    let workload = asked();
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
        (
            "SELECT TIMESTAMP '2026-05-03' - TIMESTAMP '2026-05-01' > INTERVAL '1 day' AS long FROM readings",
            "such as INTERVAL '24 hours'",
        ),
    ] {
        let checked = check_question(&workload, &question(sql)).await;
        let error = checked.unwrap_err();
        assert!(error.contains(complaint), "{sql}: {error}");
    }
}

#[tokio::test]
async fn a_time_with_a_parameter_in_it_is_read_once_that_is_drawn() {
    let workload = asked();
    let mut asked = question("SELECT series FROM readings WHERE DATE '${day}' < DATE '2026-05-01'");
    asked.parameters = vec![Parameter {
        name: "day".to_owned(),
        values: ParameterValues::Choice(vec!["2026-04-01".to_owned()]),
    }];
    assert_eq!(check_question(&workload, &asked).await, Ok(true));
}

#[tokio::test]
async fn questions_that_compute_with_a_date_are_refused_where_the_table_has_one() {
    let text = TABLE
        .replace("DESIGN", "parquet")
        .replace("SCHEMA", "")
        .replace("ACTION", "action = \"read-row\"")
        .replace("\"double\"", "\"date\"");
    let workload = Workload::parse(&text, Path::new("w.toml")).unwrap();
    let sql = "SELECT max(value) - min(value) AS days FROM readings";
    let error = check_question(&workload, &question(sql)).await.unwrap_err();
    assert!(error.contains("it computes with the date"), "{error}");
    let sql = "SELECT max(value) AS newest FROM readings WHERE value >= '2026-05-01'";
    check_question(&workload, &question(sql)).await.unwrap();
}

#[tokio::test]
async fn a_question_that_joins_floats_with_whole_numbers_by_their_name_is_refused() {
    let text = TABLE
        .replace("DESIGN", "parquet")
        .replace("SCHEMA", "")
        .replace("ACTION", "action = \"read-row\"")
        .replace("\"double\"", "\"float\"");
    let workload = Workload::parse(&text, Path::new("w.toml")).unwrap();
    let sql = "SELECT r.series FROM readings AS r JOIN (SELECT count(*) AS value FROM readings) AS s USING (value)";
    let error = check_question(&workload, &question(sql)).await.unwrap_err();
    assert!(error.contains("it joins by the name value"), "{error}");
}

#[test]
fn a_heap_that_the_machine_has_no_room_for_is_told_where_a_cassandra_is_started() {
    let ids = |texts: &[&str]| -> Vec<DesignId> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    };
    let mut context = Context::of_test("/run");
    let designs = ids(&["parquet", "cassandra/wide", "cassandra/blob"]);
    let told = |designs: &[DesignId], context: &Context| settings_without_effect(designs, context);
    assert!(told(&designs, &context).is_empty());
    context.options.cassandra.server.heap_mib = Some(1 << 40);
    let heaps = told(&designs, &context);
    let [heap] = &heaps[..] else {
        panic!("{heaps:?}");
    };
    assert!(heap.contains("a quarter of the memory"), "{heap}");
    assert!(told(&designs[..1], &context).is_empty());
    context.options.cassandra.server.heap_mib = Some(512);
    assert!(told(&designs, &context).is_empty());
}
