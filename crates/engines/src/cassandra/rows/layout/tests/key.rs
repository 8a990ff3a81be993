//! Tables with another partition key than the workload's.

use bakeoff_workload::{ColumnType, Table};

use crate::cassandra::rows::fixture;
use crate::key_values::KeyValues;

fn table() -> Table {
    let columns = [
        ("series", ColumnType::Text),
        ("time", ColumnType::Timestamp),
        ("country", ColumnType::Text),
        ("city", ColumnType::Int),
        ("value", ColumnType::Double),
    ];
    fixture::table(&columns, &["series"], &["time"])
}

#[test]
fn rows_of_a_value_are_together_in_the_order_of_the_workload_and_each_keeps_its_key() {
    for (id, key) in [
        (
            "cassandra/wide?key=country",
            r#"(("country"), "time", "series")"#,
        ),
        (
            "cassandra/wide?key=City+Country",
            r#"(("city", "country"), "time", "series")"#,
        ),
        ("cassandra/wide?key=time", r#"(("time"), "series")"#),
        (
            "cassandra/wide?bucket=1d&key=country",
            r#"(("country", "bakeoff_bucket"), "time", "series")"#,
        ),
        (
            "cassandra/blob?key=country",
            r#"(("country"), "time", "series")"#,
        ),
    ] {
        let create = fixture::layout(id, &table(), false)
            .unwrap()
            .create_statement("ks");
        let key = format!("PRIMARY KEY {key}");
        assert!(create.contains(&key), "{id}: {create}");
    }
}

#[test]
fn only_columns_that_the_workload_has_not_in_its_key_may_lack_values() {
    let needed = |id: &str| fixture::layout(id, &table(), false).unwrap().key_values;
    let new = KeyValues {
        columns: vec!["country".to_owned()],
        without_empty: true,
    };
    assert_eq!(needed("cassandra/wide?key=country"), Some(new.clone()));
    let beside = KeyValues {
        without_empty: false,
        ..new
    };
    assert_eq!(needed("cassandra/wide?key=country+series"), Some(beside));
    let own = needed("cassandra/wide?key=time").unwrap();
    assert!(own.columns.is_empty());
    assert_eq!(needed("cassandra/wide"), None);
}

#[test]
fn keys_that_make_no_sense_are_refused() {
    for (id, why) in [
        ("cassandra/wide?key=contry", "did you mean `country`?"),
        ("cassandra/wide?key=value", "`value` is a double"),
        ("cassandra/wide?key=city+city", "there twice"),
        ("cassandra/wide?key=series", "own partition key"),
        (
            "cassandra/narrow?key=country",
            "means nothing with one row per partition",
        ),
    ] {
        let error = fixture::layout(id, &table(), false).unwrap_err();
        assert!(error.contains(why), "{id}: {error}");
    }
    let error = fixture::layout("cassandra/wide?key=country", &table(), true).unwrap_err();
    assert!(error.contains("may have the same key"), "{error}");
}
