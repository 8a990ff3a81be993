//! Which texts queries get, and for whom.

use std::path::Path;

use super::*;

const WORKLOAD: &str = r#"title = "t"
designs = ["parquet"]

[table]
name = "readings"
columns = { room = "text", time = "timestamp", value = "double" }
partition_key = ["room"]
order_key = ["time"]

[data]
requires = "--data"

[[queries]]
name = "newest"
sql = """
SELECT room, last_value(value ORDER BY time) AS newest
FROM readings
WHERE room = ${room}
GROUP BY room
"""
parameters = { room = { column = "room" } }
"#;

fn workload(text: &str) -> Workload {
    Workload::parse(text, Path::new("w.toml")).unwrap()
}

fn designs(ids: &[&str]) -> Vec<DesignId> {
    ids.iter().map(|id| id.parse().unwrap()).collect()
}

/// All workload files in a folder and those below it.
#[cfg(feature = "postgres")]
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "toml") {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_query_gets_texts_for_the_engines_that_are_asked_and_differ() {
    let mut asked = workload(WORKLOAD);
    let before = asked.queries[0].sql.clone();
    translate_queries(
        &mut asked,
        &designs(&["parquet", "spark/parquet", "memory"]),
        None,
    )
    .unwrap();
    let query = &asked.queries[0];
    assert_eq!(query.sql, before);
    assert_eq!(query.engine_sql.keys().collect::<Vec<_>>(), ["spark"]);
    let values = [("room".to_owned(), "'it''s'".to_owned())];
    let sent = query.bind("spark/parquet", &values);
    assert!(sent.contains("max_by(value, time) AS newest"), "{sent}");
    assert!(sent.contains("WHERE room = 'it''s'"), "{sent}");
    assert_eq!(query.sql_for("duckdb/table"), before);
}

#[test]
fn a_text_of_its_own_always_wins() {
    let own = format!(
        "{WORKLOAD}engine_sql = {{ duckdb = \"SELECT 1\", \"spark/parquet\" = \"SELECT 2\" }}\n"
    );
    let mut asked = workload(&own);
    let all = designs(&["duckdb/table", "spark/parquet", "spark/cassandra"]);
    translate_queries(&mut asked, &all, None).unwrap();
    let query = &asked.queries[0];
    assert_eq!(query.sql_for("duckdb/table"), "SELECT 1");
    assert_eq!(query.sql_for("spark/parquet?codec=zstd"), "SELECT 2");
    assert!(query.sql_for("spark/cassandra").contains("max_by"));
}

#[test]
fn what_an_engine_lacks_is_told_at_its_place_with_what_to_write() {
    let lacking = WORKLOAD.replace("last_value(value ORDER BY time)", "arrow_typeof(room)");
    let error = translate_queries(&mut workload(&lacking), &designs(&["duckdb/table"]), None);
    let error = error.unwrap_err().to_string();
    let place = lacking
        .lines()
        .position(|line| line.contains("arrow_typeof"))
        .unwrap()
        + 1;
    assert!(error.contains(&format!("w.toml:{place}:14: ")), "{error}");
    assert!(
        error.contains(
            "query newest: DuckDB has no `arrow_typeof`; give the query a separate text for duckdb: engine_sql = { \
             duckdb = \"SELECT ...\" }"
        ),
        "{error}"
    );
    // Nobody else is asked for it.
    translate_queries(&mut workload(&lacking), &designs(&["parquet"]), None).unwrap();
}

#[test]
fn a_clause_that_an_engine_lacks_is_told_at_its_place_with_what_to_write() {
    let qualified = WORKLOAD.replace(
        "GROUP BY room\n",
        "GROUP BY room\nQUALIFY row_number() OVER (ORDER BY room) = 1\n",
    );
    let error = translate_queries(
        &mut workload(&qualified),
        &designs(&["spark/parquet"]),
        None,
    );
    let error = error.unwrap_err().to_string();
    let place = { qualified.lines() }.position(|line| line.starts_with("QUALIFY"));
    let place = place.unwrap() + 1;
    assert!(error.contains(&format!("w.toml:{place}:1: ")), "{error}");
    assert!(
        error.contains(
            "query newest: Spark has no QUALIFY: write the query as a subquery, and the condition as WHERE around it, \
             or give the query a separate text for spark: engine_sql = { spark = \"SELECT ...\" }"
        ),
        "{error}"
    );
    // Others have it, and a text of its own is not looked into.
    let own = format!("{qualified}engine_sql = {{ spark = \"SELECT 1\" }}\n");
    let all = designs(&["parquet", "duckdb/table", "spark/parquet"]);
    translate_queries(&mut workload(&own), &all, None).unwrap();
}

#[test]
fn a_translated_text_is_checked_as_any_other() {
    // To Spark, not to DataFusion, these letters are those of a keyword.
    let other = WORKLOAD.replace("AS newest", "AS neweſt");
    let error = translate_queries(&mut workload(&other), &designs(&["spark/parquet"]), None);
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("its SQL for spark: neweſt is not ASCII"),
        "{error}"
    );
}

#[test]
fn a_driver_gets_texts_in_its_dialect() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drivers.toml");
    let of = |name: &str, dialect: &str| {
        format!(
            "[{name}]\nlibrary = \"a.so\"\n{dialect}\n[{name}.options]\nuri = \"file:${{folder}}/a.db\"\n"
        )
    };
    let text = of("ducks", "dialect = \"duckdb\"")
        + &of("plain", "")
        + &of("lite", "dialect = \"sqlite\"");
    std::fs::write(&path, text).unwrap();
    let drivers = DriverFile::read(&path).unwrap();
    let mut asked = workload(WORKLOAD);
    translate_queries(
        &mut asked,
        &designs(&["adbc/ducks", "adbc/plain"]),
        Some(&drivers),
    )
    .unwrap();
    let query = &asked.queries[0];
    assert_eq!(query.engine_sql.keys().collect::<Vec<_>>(), ["adbc/ducks"]);
    assert!(
        query
            .sql_for("adbc/ducks")
            .contains("last(value ORDER BY time)")
    );
    let error = translate_queries(&mut asked, &designs(&["adbc/lite"]), Some(&drivers));
    let error = error.unwrap_err().to_string();
    let advice = "SQLite has no `last_value`; give the query a separate text for adbc/lite: engine_sql = { \
                  \"adbc/lite\" = \"SELECT ...\" }";
    assert!(error.contains(advice), "{error}");
}

#[test]
fn functions_of_other_systems_are_known_to_all() {
    let mut asked =
        workload(&WORKLOAD.replace("last_value(value ORDER BY time)", "max_by(value, time)"));
    plain_queries(&mut asked);
    assert!(
        asked.queries[0]
            .sql
            .contains("last_value(value ORDER BY time NULLS FIRST) AS newest")
    );
    translate_queries(&mut asked, &designs(&["spark/parquet"]), None).unwrap();
    assert!(
        asked.queries[0]
            .sql_for("spark/parquet")
            .contains("max_by(value, time) AS newest")
    );
}

#[cfg(feature = "postgres")]
#[test]
fn shipped_questions_stay_as_they_are_but_for_nulls_and_the_newest_value() {
    let asked = designs(&[
        "postgres/plain",
        "timescale/hypertable",
        "duckdb/table",
        "spark/parquet",
    ]);
    let plain = |sql: &str| sql.replace(" NULLS LAST", "").replace(" NULLS FIRST", "");
    let mut changed = Vec::new();
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads")) {
        let before = Workload::read(&path).unwrap();
        let mut after = Workload::read(&path).unwrap();
        plain_queries(&mut after);
        translate_queries(&mut after, &asked, None).unwrap();
        for (before, after) in before.queries.iter().zip(&after.queries) {
            assert_eq!(before.sql, after.sql);
            for (place, sql) in &after.engine_sql {
                let is_own = before.engine_sql.get(place) == Some(sql);
                let is_of_nulls = place == "spark" && plain(sql) == plain(&before.sql);
                if !is_own && !is_of_nulls {
                    changed.push(format!("{} of {place}", after.name));
                }
            }
        }
    }
    assert_eq!(
        changed,
        [
            "newest of duckdb",
            "newest of postgres",
            "newest of timescale"
        ]
    );
}

#[test]
fn a_query_that_is_nested_too_deeply_is_translated_by_no_rule() {
    let chain = " + value::int".repeat(20_000);
    let mut asked = workload(WORKLOAD);
    asked.queries[0].sql = format!("SELECT max(value{chain}) AS m FROM readings");
    let before = asked.queries[0].sql.clone();
    plain_queries(&mut asked);
    assert_eq!(asked.queries[0].sql, before);
    let refused = translate_queries(&mut asked, &designs(&["spark/parquet"]), None);
    let error = refused.unwrap_err().to_string();
    assert!(
        error.contains("query newest: it has about 60001 operators"),
        "{error}"
    );
}

/// What is said of a question that a design is asked.
#[cfg(feature = "postgres")]
fn said_of(sql: &str, design: &str) -> Option<String> {
    let Workload { table, queries, .. } = &mut workload(WORKLOAD);
    queries[0].sql = sql.to_owned();
    let done = translate_query(&mut queries[0], table, &designs(&[design]), None);
    done.err().map(|(_, why)| why)
}

#[cfg(feature = "postgres")]
const IGNORING_OFFSETS: [&str; 4] = [
    "postgres/plain",
    "timescale/hypertable",
    "duckdb/table",
    "spark/parquet",
];

#[cfg(feature = "postgres")]
#[test]
fn a_time_whose_offset_an_engine_would_ignore_is_refused_with_the_time_in_utc() {
    for sql in [
        "SELECT room FROM readings GROUP BY room HAVING max(time) > '2014-03-30T00:00:00+01:00'",
        "SELECT s.room FROM (SELECT room, max(time) AS newest FROM readings GROUP BY room) AS s
         WHERE s.newest > '2014-03-30T00:00:00+01:00'",
        "SELECT room FROM readings WHERE date_trunc('hour', time) = '2014-03-30T00:00:00+01:00'",
        "SELECT room FROM readings WHERE time + INTERVAL '1 hour' > '2014-03-30 00:00:00 +01:00'",
        "SELECT room FROM readings WHERE time IS DISTINCT FROM '2014-03-30 00:00:00 Europe/Paris'",
        "SELECT room FROM readings WHERE time > ('2014-03-30T00:00:00+01:00')",
        "SELECT room FROM readings WHERE CAST(time AS DATE) = '2014-03-30T00:00:00+01:00'::date",
        "SELECT room FROM readings WHERE '2014-03-30T00:00:00+01:00' IN (SELECT r.time FROM readings AS r)",
    ] {
        for design in IGNORING_OFFSETS {
            let said = said_of(sql, design).unwrap_or_default();
            assert!(
                said.contains(
                    "write it in UTC, '2014-03-29T23:00:00', or give the query a separate text"
                ),
                "{design}: {sql}: {said}"
            );
        }
        // Whoever asks DataFusion gets the moment.
        assert_eq!(said_of(sql, "parquet"), None, "{sql}");
    }
    let sql = "SELECT room FROM readings WHERE time > ('2014-03-30T00:00:00+01:00')";
    let own = format!("{WORKLOAD}engine_sql = {{ postgres = \"{sql}\" }}\n");
    let mut asked = workload(&own);
    asked.queries[0].sql = sql.to_owned();
    translate_queries(&mut asked, &designs(&["postgres/plain"]), None).unwrap();
    assert_eq!(asked.queries[0].sql_for("postgres/plain"), sql);
}

#[cfg(feature = "postgres")]
#[test]
fn texts_that_mean_the_same_to_every_engine_are_asked() {
    for sql in [
        "SELECT room FROM readings WHERE time > '2014-03-30T00:00:00+01:00'",
        "SELECT room FROM readings WHERE time > '2014-03-30 00:00:00 Europe/Paris'",
        "SELECT room FROM readings WHERE date_trunc('hour', time) > '2014-03-30T00:00:00Z'",
        "SELECT room FROM readings GROUP BY room HAVING max(time) > '2014-03-29T23:00:00'",
        "SELECT room FROM readings WHERE (room) <> '2014-03-30T00:00:00+01:00' AND time > '2014-03-30'",
        "SELECT s.r FROM (SELECT room AS r FROM readings) AS s WHERE s.r > '2014-03-30T00:00:00+01:00'",
    ] {
        for design in IGNORING_OFFSETS {
            assert_eq!(said_of(sql, design), None, "{design}: {sql}");
        }
    }
    // Spark reads it in its own way.
    let sql = "SELECT room FROM readings WHERE time > to_timestamp('2014-03-30 00:00:00 +01:00')";
    assert_eq!(said_of(sql, "postgres/plain"), None);
}

#[test]
fn a_given_value_with_an_offset_is_refused_beside_a_time() {
    let of = |condition: &str| {
        let text = WORKLOAD.replace("room = ${room}", condition);
        let column = "{ room = { column = \"room\" } }";
        let given = "{ room = { choice = [\"2014-03-29\", \"2014-03-30T00:00:00+01:00\"] } }";
        let mut asked = workload(&text.replace(column, given));
        translate_queries(&mut asked, &designs(&["spark/parquet"]), None)
    };
    let error = of("time > ${room}").unwrap_err().to_string();
    assert!(
        error.contains("write it in UTC, '2014-03-29T23:00:00', or"),
        "{error}"
    );
    of("room = ${room}").unwrap();
}
