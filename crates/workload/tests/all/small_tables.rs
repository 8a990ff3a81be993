//! Tests of `[[small_tables]]`: what a question brings along, and what cannot be brought.

use std::fs;

use bakeoff_workload::{SmallTable, Workload};
use tempfile::TempDir;

const RACKS: &str = "device,rack,spare\nit's,7,true\nb,,false\n";
const SMALL: &str = "name = \"racks\"\nfile = \"racks.csv\"\nkey = \"device\"\n\
                     columns = { device = \"text\", rack = \"bigint\", spare = \"boolean\" }";

/// Reads a workload with a small table of these rows, and a question.
fn parse(rows: &str, small: &str, sql: &str) -> Result<Workload, String> {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("racks.csv"), rows).unwrap();
    let text = format!(
        "title = \"t\"\n[data]\nfile = \"rows.csv\"\n[table]\nname = \"readings\"\n\
         partition_key = [\"device\"]\ncolumns = {{ device = \"text\", value = \"double\" }}\n\
         [[small_tables]]\n{small}\n[[queries]]\nname = \"q\"\nsql = \"\"\"\n{sql}\"\"\"\n"
    );
    let parsed = Workload::parse(&text, &folder.path().join("w.toml"));
    let folder = format!("{}/", folder.path().display());
    parsed.map_err(|error| error.to_string().replace(&folder, ""))
}

fn sql(rows: &str, sql: &str) -> String {
    let workload = parse(rows, SMALL, sql).unwrap();
    workload.queries[0].sql.clone()
}

const JOIN: &str = "SELECT rack, max(value) AS highest FROM readings JOIN racks USING (device)\n\
                    GROUP BY rack ORDER BY rack";

#[test]
fn a_question_brings_the_table_that_it_names() {
    let table = "racks(device, rack, spare) AS \
                 (VALUES ('it''s', CAST(7 AS BIGINT), true), ('b', NULL, false))";
    assert_eq!(sql(RACKS, JOIN), format!("WITH {table}\n{JOIN}"));
    let cte = "WITH hot AS (SELECT * FROM readings) SELECT * FROM hot JOIN racks USING (device)";
    let rest = cte.strip_prefix("WITH").unwrap();
    assert_eq!(sql(RACKS, cte), format!("WITH {table},\n    {rest}"));
    let other = "SELECT max(value) AS highest FROM readings";
    assert_eq!(sql(RACKS, other), other);
    let workload = parse(RACKS, SMALL, JOIN).unwrap();
    assert_eq!(workload.small_tables[0].rows, 2);
}

#[test]
fn every_value_stays_in_its_literal_and_has_the_type_of_its_column() {
    let rows = "device,rack,spare\na\\,1,true\n'); DROP TABLE readings; --,-9223372036854775808,\n\
                $$/*\\',9223372036854775807,false\n";
    let table = "racks(device, rack, spare) AS (VALUES ('a\\', CAST(1 AS BIGINT), true), \
                 ('''); DROP TABLE readings; --', CAST(-9223372036854775808 AS BIGINT), NULL), \
                 ('$$/*\\''', 9223372036854775807, false))";
    assert_eq!(sql(rows, JOIN), format!("WITH {table}\n{JOIN}"));
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let changed = |from: &str, to: &str| parse(RACKS, &SMALL.replace(from, to), JOIN).unwrap_err();
    for (from, to, words) in [
        ("racks.csv", "none.csv", "none.csv"),
        (
            "key = \"device\"",
            "key = \"devise\"",
            "w.toml:11:7: the key `devise` is no column of the table; did",
        ),
        (
            "rack = \"bigint\"",
            "rack = \"double\"",
            "w.toml:12:11: column `rack` of a small table has to be text",
        ),
        (
            "\"racks\"",
            "\"readings\"",
            "w.toml:9:8: there is another table or a column `readings`",
        ),
        (
            "\"racks\"",
            "\"value\"",
            "w.toml:9:8: there is another table or a column `value`",
        ),
        ("key = \"device\"\n", "", "the key `key` is missing"),
    ] {
        let error = changed(from, to);
        assert!(error.contains(words), "{to}: {error}");
    }
    let refused = |rows: &str| parse(rows, SMALL, JOIN).unwrap_err();
    let many: String = (0..=SmallTable::ROWS_AT_MOST)
        .map(|n| format!("d{n},1,true\n"))
        .collect();
    let long = format!("{},1,true\n", "x".repeat(SmallTable::BYTES_AT_MOST));
    for (rows, words) in [
        (
            "a,1,true\na,2,true\n",
            "two rows of `racks` have the key 'a'",
        ),
        ("a,,true\n", "column `rack` has no value"),
        ("", "no rows"),
        (many.as_str(), "has more than 1000 rows"),
        (long.as_str(), "has more than 64 KiB"),
        ("a\tb,1,true\n", "control character"),
        ("${a},1,true\n", "taken for a parameter"),
    ] {
        let error = refused(&format!("device,rack,spare\n{rows}"));
        assert!(error.contains(words), "{words}: {error}");
    }
    let comment = parse(RACKS, SMALL, "-- by rack\nSELECT 1 FROM racks").unwrap_err();
    assert!(
        comment.contains("has to begin with SELECT or WITH"),
        "{comment}"
    );
}

#[test]
fn as_many_rows_as_may_be_are_read() {
    let rows: String = (0..SmallTable::ROWS_AT_MOST)
        .map(|n| format!("d{n},1,true\n"))
        .collect();
    let workload = parse(&format!("device,rack,spare\n{rows}"), SMALL, JOIN).unwrap();
    assert_eq!(workload.small_tables[0].rows, SmallTable::ROWS_AT_MOST);
}

#[test]
fn errors_in_sql_are_where_it_is_written() {
    let workload = parse(RACKS, SMALL, JOIN).unwrap();
    let query = &workload.queries[0];
    // The second line of what is sent is the first one that was written.
    for (line, column, shown) in [(2, 1, ":16:1:"), (3, 7, ":17:7:"), (1, 900, ":16:1:")] {
        let error = workload.error_at(query, line, column, "wrong").to_string();
        assert!(error.contains(shown), "{error}");
    }
    let plain = parse(RACKS, SMALL, "SELECT 1 AS one\nFROM readings").unwrap();
    let error = plain.error_at(&plain.queries[0], 2, 1, "wrong").to_string();
    assert!(error.contains(":17:1:"), "{error}");
}
