use bakeoff_workload::DesignId;

use super::super::layout::{Shape, TableLayout};
use super::*;

fn table() -> Table {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    Table {
        name: "t".to_owned(),
        columns: vec![
            column("series", ColumnType::Text),
            column("time", ColumnType::Timestamp),
            column("small", ColumnType::Int),
            column("value", ColumnType::Double),
            column("label", ColumnType::Text),
        ],
        partition_key: vec!["series".to_owned()],
        order_key: vec!["time".to_owned()],
    }
}

fn layout_of(table: &Table, id: &str, keys_repeat: bool) -> Result<TableLayout, String> {
    let id: DesignId = id.parse()?;
    let shape = Shape::from_id(&id).unwrap();
    TableLayout::new(&id, shape, table, keys_repeat).map_err(|e| e.to_string())
}

fn layout(id: &str) -> Result<TableLayout, String> {
    layout_of(&table(), id, false)
}

#[test]
fn a_summary_table_has_a_row_for_each_key_interval_and_slice() {
    for id in [
        "cassandra/narrow?summary=1h&compressor=none",
        "cassandra/wide?bucket=1d&order=desc&summary=1h&compressor=none",
    ] {
        let layout = layout(id).unwrap();
        let statements = layout.recreation_statements("ks");
        let statements: Vec<String> = { statements.iter() }
            .map(|statement| statement.replace(&layout.name, "NAME"))
            .collect();
        assert_eq!(statements[0], "DROP TABLE IF EXISTS ks.NAME_summary");
        assert_eq!(
            statements[3],
            r#"CREATE TABLE ks.NAME_summary ("series" text, "bakeoff_start" timestamp, "bakeoff_slice" bigint, "bakeoff_rows" bigint, "bakeoff_count_small" bigint, "bakeoff_sum_small" bigint, "bakeoff_min_small" int, "bakeoff_max_small" int, "bakeoff_count_value" bigint, "bakeoff_sum_value" double, "bakeoff_min_value" double, "bakeoff_max_value" double, PRIMARY KEY (("series"), "bakeoff_start", "bakeoff_slice")) WITH compression = {'enabled': 'false'}"#
        );
        let names: Vec<String> = { layout.relations().into_iter() }
            .map(|relation| relation.name.replace(&layout.name, "NAME"))
            .collect();
        assert_eq!(names, ["NAME", "NAME_summary"]);
        assert_eq!(layout.written().len(), 1, "rows go to the first table only");
    }
}

#[test]
fn the_setting_says_what_is_summed_up() {
    let layout = layout("cassandra/wide?summary=1d").unwrap();
    let settings = layout.settings();
    let of = settings.iter().find(|(name, _)| name == "summary table");
    assert_eq!(
        of.unwrap().1,
        "of rows and small, value by partition key and floor(time / 86400000), written slice by slice"
    );
}

#[test]
fn summaries_that_make_no_sense_are_refused_with_the_reason() {
    for (settings, words) in [
        ("summary=soon", "is not a duration"),
        ("summary=0s", "more than 0"),
        ("summary=1h&ttl=30d", "summary= or ttl="),
        ("summary=1h&aggregate=server", "summary= or aggregate="),
    ] {
        for shape in ["narrow", "wide"] {
            let error = layout(&format!("cassandra/{shape}?{settings}")).unwrap_err();
            assert!(error.contains(words), "{settings}: {error}");
        }
    }
    let error = layout_of(&table(), "cassandra/wide?summary=1h", true).unwrap_err();
    assert!(error.contains("may have the same key"), "{error}");
    let mut by_int = table();
    by_int.order_key = vec!["small".to_owned()];
    let error = layout_of(&by_int, "cassandra/wide?summary=10", false).unwrap_err();
    assert!(error.contains("a timestamp or a bigint"), "{error}");
    let mut without_order = table();
    without_order.order_key = Vec::new();
    let error = layout_of(&without_order, "cassandra/narrow?summary=1h", false).unwrap_err();
    assert!(error.contains("needs an order key"), "{error}");
    assert!(layout("cassandra/blob?summary=1h").is_err());
}
