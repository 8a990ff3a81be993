use std::path::Path;

use super::*;

const WORKLOAD: &str = r#"
title = "t"
designs = ["parquet"]
[table]
name = "readings"
columns = { room = "text", value = "double", note = "text", time = "timestamp", flag = "boolean" }
partition_key = ["room"]
order_key = ["time"]
[data]
requires = "--data"
[[queries]]
name = "rows"
sql = "SELECT count(*) AS n FROM readings"
[[queries]]
name = "mean"
sql = "SELECT avg(value) AS mean FROM readings WHERE room = ${room}"
parameters = { room = { column = "room" } }
[[queries]]
name = "everything"
sql = "SELECT * FROM readings WHERE room = 'a'"
[[queries]]
name = "all_below"
sql = "SELECT count(*) AS n FROM (SELECT DISTINCT * FROM readings)"
[[queries]]
name = "notes"
sql = "SELECT note, time FROM readings ORDER BY note"
[[queries]]
name = "flagged"
sql = "SELECT room FROM readings WHERE time IN (SELECT time FROM readings WHERE flag)"
[[queries]]
name = "own"
sql = "SELECT max(note) AS m FROM readings"
engine_sql = { parquet = "SELECT max(room) AS m FROM readings" }
"#;

fn workload() -> Workload {
    Workload::parse(WORKLOAD, Path::new("w.toml")).unwrap()
}

fn error(id: &str) -> String {
    let workload = workload();
    let stored = Stored::of(&id.parse().unwrap(), &workload);
    stored.err().unwrap().0
}

/// The stored columns, and each query that is not asked with the reason.
fn stored(id: &str) -> (Vec<String>, Vec<(String, String)>) {
    let workload = workload();
    let stored = Stored::of(&id.parse().unwrap(), &workload).unwrap();
    let columns = { stored.workload().table.columns.iter() }.map(|c| c.name.clone());
    let some = stored.some.as_ref();
    let not_asked = some.map(|some| some.not_asked.as_slice());
    let not_asked = not_asked.unwrap_or_default();
    let not_asked = { not_asked.iter() }.map(|other| (other.query.clone(), other.why.clone()));
    (columns.collect(), not_asked.collect())
}

#[test]
fn the_key_and_the_first_further_columns_are_stored_in_the_order_of_the_table() {
    let columns = |id: &str| stored(id).0;
    assert_eq!(columns("parquet?columns=2"), ["room", "time"]);
    assert_eq!(columns("parquet?columns=3"), ["room", "value", "time"]);
    assert_eq!(
        columns("parquet?columns=4"),
        ["room", "value", "note", "time"]
    );
    assert_eq!(columns("parquet").len(), 5);
}

#[test]
fn queries_that_need_other_columns_are_not_asked() {
    let not_asked = |id: &str| stored(id).1;
    assert!(not_asked("parquet").is_empty());
    let named = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        let pairs = pairs.iter();
        pairs
            .map(|(query, why)| ((*query).to_owned(), (*why).to_owned()))
            .collect()
    };
    let whole = "reads all columns of the table";
    let always = [("everything", whole), ("all_below", whole)];
    assert_eq!(
        not_asked("parquet?columns=4"),
        named(&[always[0], always[1], ("flagged", "needs the column flag")])
    );
    assert_eq!(
        not_asked("local/columnar?columns=2"),
        named(&[
            ("mean", "needs the column value"),
            always[0],
            always[1],
            ("notes", "needs the column note"),
            ("flagged", "needs the column flag"),
            ("own", "needs the column note"),
        ])
    );
    // Its own text needs the key alone.
    let names = not_asked("parquet?columns=2");
    assert!(names.iter().all(|(query, _)| query != "own"), "{names:?}");
}

#[test]
fn the_description_says_what_is_stored_and_what_is_not_asked() {
    let workload = workload();
    let info = DesignInfo {
        id: "parquet?columns=4".to_owned(),
        engine: "parquet".to_owned(),
        role: Role::Store,
        server: false,
        settings: Vec::new(),
        statements: Vec::new(),
        unit_rows: Some(7),
        not_asked: Vec::new(),
        stored_by: None,
        table_of: None,
    };
    let described = |id: &str| {
        let stored = Stored::of(&id.parse().unwrap(), &workload).unwrap();
        stored.described(info.clone())
    };
    assert_eq!(described("parquet"), info);
    let described = described("parquet?columns=4");
    assert_eq!(described.role, Role::SomeColumns);
    assert!(described.is_yardstick());
    let setting = ("columns", "4 of 5: room, value, note, time");
    assert_eq!(
        described.settings,
        [(setting.0.to_owned(), setting.1.to_owned())]
    );
    assert_eq!(
        described.why_not_asked("flagged"),
        Some("needs the column flag")
    );
    assert_eq!(described.why_not_asked("rows"), None);
    assert_eq!(described.unit_rows, Some(7));
}

#[test]
fn numbers_that_make_no_such_table_are_refused() {
    for (number, words) in [
        ("1", "columns=1 is less than the 2 of the key"),
        ("0", "write columns=2 or more"),
        (
            "5",
            "columns=5 is not less than the 5 of the table: leave columns= out",
        ),
        ("600", "is not less than the 5 of the table"),
        ("few", "columns=few is not a number of columns"),
        ("03", "columns=03 is not written plainly: write columns=3"),
        ("+3", "columns=+3 is not written plainly: write columns=3"),
        ("-3", "is not a number of columns"),
    ] {
        let error = error(&format!("parquet?columns={number}"));
        assert!(error.contains(words), "{number}: {error}");
        assert!(error.starts_with("design parquet?columns="), "{error}");
    }
}

#[test]
fn a_design_that_no_query_can_be_asked_of_is_refused() {
    let mut workload = workload();
    workload.queries.retain(|query| query.name == "flagged");
    let id = "parquet?columns=3".parse().unwrap();
    let error = Stored::of(&id, &workload).err().unwrap().0;
    assert_eq!(
        error,
        "design parquet?columns=3: columns=3: no query can be answered from these columns (room, value, time); the \
         first one, flagged, needs the column flag: store more"
    );
}
