use bakeoff_workload::{ColumnType, DesignId};

use super::*;
use crate::EngineError;
use crate::cassandra::rows::copies::explained;
use crate::cassandra::rows::fixture;

fn table() -> Table {
    let columns = [
        ("series", ColumnType::Text),
        ("time", ColumnType::Timestamp),
        ("value", ColumnType::Double),
        ("country", ColumnType::Text),
    ];
    fixture::table(&columns, &["series"], &["time"])
}

fn layout(id: &str, keys_repeat: bool) -> Result<TableLayout, String> {
    fixture::layout(id, &table(), keys_repeat)
}

/// Returns the statements that make a design's tables, without its own name.
fn made(id: &str) -> Vec<String> {
    let layout = layout(id, false).unwrap();
    let statements = layout.recreation_statements("ks").into_iter();
    statements
        .map(|s| s.replace(&layout.name, "NAME"))
        .collect()
}

const OPTIONS: &str = "compression = {'enabled': 'false'}";

#[test]
fn a_second_table_has_the_first_ones_key_behind_its_column() {
    let key = r#"PRIMARY KEY (("country"), "series", "time")) WITH"#;
    for shape in ["narrow", "wide", "wide?bucket=1d&order=desc&"] {
        let settings = if shape.ends_with('&') { "" } else { "?" };
        let id = format!("cassandra/{shape}{settings}table_by=country&compressor=none");
        let statements = made(&id);
        assert_eq!(
            statements[..2],
            [
                "DROP TABLE IF EXISTS ks.NAME_by_1",
                "DROP TABLE IF EXISTS ks.NAME"
            ]
        );
        assert!(statements[2].starts_with("CREATE TABLE ks.NAME ("));
        assert_eq!(
            statements[3..],
            [format!(
                r#"CREATE TABLE ks.NAME_by_1 ("series" text, "time" timestamp, "value" double, "country" text, {key} {OPTIONS}"#
            )]
        );
    }
}

#[test]
fn an_index_table_has_the_key_behind_its_column_and_nothing_else() {
    for (shape, settings) in [("narrow", ""), ("wide", "&bucket=1d&order=desc")] {
        let id = format!("cassandra/{shape}?index_table=Country&compressor=none{settings}");
        let statements = made(&id);
        assert_eq!(statements[0], "DROP TABLE IF EXISTS ks.NAME_keys_by_1");
        assert!(
            statements[2].contains(r#""value" double"#),
            "{statements:?}"
        );
        assert_eq!(
            statements[3],
            format!(
                r#"CREATE TABLE ks.NAME_keys_by_1 ("series" text, "time" timestamp, "country" text, PRIMARY KEY (("country"), "series", "time")) WITH {OPTIONS}"#
            )
        );
        let layout = layout(&id, false).unwrap();
        let written = layout.written();
        assert_eq!(written.len(), 2);
        let insert = written[1].insert_statement("ks");
        assert_eq!(
            insert.replace(&layout.name, "NAME"),
            r#"INSERT INTO ks.NAME_keys_by_1 ("series", "time", "country") VALUES (?, ?, ?)"#
        );
    }
}

#[test]
fn an_index_table_is_refused_where_keys_repeat_or_are_not_asked_for() {
    let error = layout("cassandra/wide?index_table=country", true).unwrap_err();
    assert!(
        error.contains("index_table=country: several rows may have the same key"),
        "{error}"
    );
    let mut by_value = table();
    by_value.order_key = vec!["value".to_owned()];
    let value = by_value.column_index("value").unwrap();
    for (setting, is_refused) in [("index_table", true), ("table_by", false), ("view", false)] {
        let id: DesignId = format!("cassandra/wide?{setting}=country").parse().unwrap();
        let made = TableLayout::new(&id, Shape::Wide, &by_value, false);
        let error = made.err().map(|error| error.to_string());
        assert_eq!(error.is_some(), is_refused, "{setting}: {error:?}");
        assert!(error.is_none_or(|error| error.contains("`value` is a double in the key")));
    }
    by_value.columns[value].kind = ColumnType::Float;
    let id: DesignId = "cassandra/wide?index_table=country".parse().unwrap();
    let made = TableLayout::new(&id, Shape::Wide, &by_value, false);
    let error = made.unwrap_err().to_string();
    assert!(error.contains("`value` is a float in the key"), "{error}");
}

#[test]
fn a_view_has_all_of_its_tables_key_and_no_time_to_live() {
    let known = r#""country" IS NOT NULL AND "series" IS NOT NULL AND "time" IS NOT NULL"#;
    let statements = made("cassandra/narrow?view=Country&compressor=none&ttl=1d");
    assert_eq!(
        statements[0],
        "DROP MATERIALIZED VIEW IF EXISTS ks.NAME_by_1"
    );
    assert!(statements[2].ends_with("default_time_to_live = 86400"));
    assert_eq!(
        statements[3],
        format!(
            r#"CREATE MATERIALIZED VIEW ks.NAME_by_1 AS SELECT * FROM ks.NAME WHERE {known} PRIMARY KEY (("country"), "series", "time") WITH {OPTIONS}"#
        )
    );
    let bucketed = made("cassandra/wide?view=country&bucket=1d").pop().unwrap();
    let key = r#" AND "bakeoff_bucket" IS NOT NULL PRIMARY KEY (("country"), "series", "time", "bakeoff_bucket") WITH "#;
    assert!(bucketed.contains(key), "{bucketed}");
}

#[test]
fn functions_in_java_are_made_before_the_table_and_its_copies() {
    let statements = made("cassandra/wide?table_by=country&aggregate=java");
    let [functions @ .., _, drop, create, copy] = &statements[..] else {
        panic!("{statements:?}");
    };
    // Five aggregates of doubles, which are the only numbers, and a function for the state of each.
    assert_eq!(functions.len(), 10);
    assert!(functions.iter().all(|s| s.contains(" ks.bakeoff_")));
    assert_eq!(drop, "DROP TABLE IF EXISTS ks.NAME");
    assert!(create.starts_with("CREATE TABLE ks.NAME ("), "{create}");
    assert!(copy.starts_with("CREATE TABLE ks.NAME_by_1 ("), "{copy}");
}

#[test]
fn copies_are_read_as_their_table_is() {
    let id = "cassandra/wide?table_by=country&consistency=all&aggregate=ranges&page=7";
    let layout = layout(id, false).unwrap();
    assert!(layout.reading.consistency.is_some());
    let copies = layout.copies();
    assert_eq!(copies.len(), 1);
    assert_eq!(copies[0].reading, layout.reading);
}

#[test]
fn only_second_tables_are_written() {
    let names = |id: &str| {
        let layout = layout(id, false).unwrap();
        let own = layout.name.clone();
        let written = layout.written().into_iter();
        written
            .map(|table| table.name.replace(&own, "NAME"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names("cassandra/wide?table_by=country"),
        ["NAME", "NAME_by_1"]
    );
    assert_eq!(names("cassandra/wide?view=country"), ["NAME"]);
    assert_eq!(names("cassandra/wide"), ["NAME"]);
    let view = layout("cassandra/wide?view=country", false).unwrap();
    let kinds: Vec<&str> = view.relations().iter().map(Relation::kind).collect();
    assert_eq!(kinds, ["TABLE", "MATERIALIZED VIEW"]);
}

#[test]
fn tombstones_of_a_table_wait_for_its_views() {
    let last = |id: &str| layout(id, true).unwrap().recreation_statements("ks").pop();
    let (table, view) = (last("cassandra/wide"), last("cassandra/wide?view=country"));
    assert!(table.unwrap().contains("gc_grace_seconds = 0"));
    let made = layout("cassandra/wide?view=country", true).unwrap();
    let made = made.recreation_statements("ks");
    assert!(
        made.iter().all(|s| !s.contains("gc_grace_seconds")),
        "{view:?}"
    );
}

#[test]
fn copies_that_make_no_sense_are_refused_with_the_reason() {
    for (settings, words) in [
        ("table_by=contry", "no column `contry`"),
        ("view=series", "part of the key"),
        ("table_by=value", "is a double"),
        ("view=country+country", "is there twice"),
        ("view=country&table_by=country", "choose one"),
        ("view=country&index=country", "choose one"),
        ("index_table=contry", "no column `contry`"),
        ("index_table=time", "part of the key"),
        ("index_table=value", "is a double"),
        (
            "index_table=country&view=country",
            "view= and index_table= are two ways",
        ),
        ("index_table=country&index=country", "choose one"),
        ("view=country&consistency=all", "leave out one of the two"),
        (
            "view=country&gc_grace=0s",
            "write gc_grace= with more than 0s",
        ),
    ] {
        for shape in ["narrow", "wide"] {
            let error = layout(&format!("cassandra/{shape}?{settings}"), false).unwrap_err();
            assert!(error.contains(words), "{settings}: {error}");
        }
    }
    let error = layout("cassandra/wide?table_by=country", true).unwrap_err();
    assert!(
        error.contains("several rows may have the same key"),
        "{error}"
    );
    assert!(layout("cassandra/wide?view=country", true).is_ok());
}

#[test]
fn a_server_without_views_is_told_how_to_have_them() {
    let refused = || EngineError("views are disabled".to_owned());
    let view = explained("CREATE MATERIALIZED VIEW ks.v AS", refused()).to_string();
    assert!(view.starts_with("views are disabled; view= needs `materialized_views_enabled: true`"));
    let other = explained("CREATE TABLE ks.t", refused()).to_string();
    assert_eq!(other, "views are disabled");
}
