use super::*;
use crate::cassandra::rows::fixture;
use crate::cassandra::rows::layout::TableLayout;

fn table() -> Table {
    let columns = [
        ("series", ColumnType::Text),
        ("time", ColumnType::Timestamp),
        ("small", ColumnType::Int),
        ("value", ColumnType::Double),
        ("label", ColumnType::Text),
        ("heat", ColumnType::Float),
    ];
    fixture::table(&columns, &["series"], &["time"])
}

fn layout(id: &str) -> Result<TableLayout, String> {
    fixture::layout(id, &table(), false)
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
            r#"CREATE TABLE ks.NAME_summary ("series" text, "bakeoff_start" timestamp, "bakeoff_slice" bigint, "bakeoff_rows" bigint, "bakeoff_count_small" bigint, "bakeoff_sum_small" bigint, "bakeoff_min_small" int, "bakeoff_max_small" int, "bakeoff_count_value" bigint, "bakeoff_sum_value" double, "bakeoff_min_value" double, "bakeoff_max_value" double, "bakeoff_count_heat" bigint, "bakeoff_sum_heat" double, "bakeoff_min_heat" float, "bakeoff_max_heat" float, PRIMARY KEY (("series"), "bakeoff_start", "bakeoff_slice")) WITH compression = {'enabled': 'false'}"#
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
        "of rows and small, value, heat by partition key and floor(time / 86400000), written slice by slice"
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
    let error = fixture::layout("cassandra/wide?summary=1h", &table(), true).unwrap_err();
    assert!(error.contains("may have the same key"), "{error}");
    let mut by_int = table();
    by_int.order_key = vec!["small".to_owned()];
    let error = fixture::layout("cassandra/wide?summary=10", &by_int, false).unwrap_err();
    assert!(error.contains("a timestamp or a bigint"), "{error}");
    let mut without_order = table();
    without_order.order_key = Vec::new();
    let error = fixture::layout("cassandra/narrow?summary=1h", &without_order, false).unwrap_err();
    assert!(error.contains("needs an order key"), "{error}");
    assert!(layout("cassandra/blob?summary=1h").is_err());
}
