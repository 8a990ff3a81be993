use super::*;
use crate::cassandra::rows::fixture;
use crate::cassandra::rows::layout::TableLayout;

fn table() -> Table {
    let columns = [
        ("series", ColumnType::Text),
        ("time", ColumnType::Timestamp),
        ("value", ColumnType::Double),
        ("country", ColumnType::Text),
        ("order", ColumnType::Int),
        ("picture", ColumnType::Blob),
        ("heat", ColumnType::Float),
    ];
    fixture::table(&columns, &["series"], &["time"])
}

fn layout(id: &str) -> Result<TableLayout, String> {
    fixture::layout(id, &table(), false)
}

#[test]
fn indexes_are_created_with_their_table() {
    for (setting, expected) in [
        (
            "index=country",
            vec![
                r#"CREATE CUSTOM INDEX NAME_index_1 ON ks.NAME ("country") USING 'StorageAttachedIndex'"#,
            ],
        ),
        (
            "index=Order:2I",
            vec![r#"CREATE INDEX NAME_index_1 ON ks.NAME ("order") USING 'legacy_local_table'"#],
        ),
        (
            "index=picture+country:2i",
            vec![
                r#"CREATE INDEX NAME_index_1 ON ks.NAME ("picture") USING 'legacy_local_table'"#,
                r#"CREATE INDEX NAME_index_2 ON ks.NAME ("country") USING 'legacy_local_table'"#,
            ],
        ),
    ] {
        for shape in ["narrow", "wide"] {
            let layout = layout(&format!("cassandra/{shape}?{setting}")).unwrap();
            let statements = layout.recreation_statements("ks");
            assert!(statements[0].starts_with("DROP TABLE IF EXISTS ks."));
            assert!(statements[1].starts_with("CREATE TABLE ks."));
            let made = statements[2..].iter();
            let made: Vec<String> = made.map(|s| s.replace(&layout.name, "NAME")).collect();
            assert_eq!(made, expected, "{setting}");
        }
    }
    let without = layout("cassandra/wide").unwrap();
    assert_eq!(without.recreation_statements("ks").len(), 2);
}

#[test]
fn the_release_before_has_one_kind_of_index_and_no_name_for_it() {
    let layout = layout("cassandra-4/wide?index=country+picture:2i").unwrap();
    let statements = layout.recreation_statements("ks");
    let made = statements[2..].iter();
    let made: Vec<String> = made.map(|s| s.replace(&layout.name, "NAME")).collect();
    assert_eq!(
        made,
        [
            r#"CREATE INDEX NAME_index_1 ON ks.NAME ("country")"#,
            r#"CREATE INDEX NAME_index_2 ON ks.NAME ("picture")"#,
        ]
    );
}

#[test]
fn reports_say_which_columns_have_which_index() {
    let setting = |id: &str| layout(id).unwrap().settings().pop().unwrap();
    let (name, what) = setting("cassandra/wide?index=country+order");
    assert_eq!(name, "index");
    assert_eq!(what, "of country, order, storage-attached (SAI)");
    let (_, what) = setting("cassandra/narrow?index=country:2i");
    assert_eq!(what, "of country, in a hidden table (2i)");
}

#[test]
fn what_has_no_index_is_refused_with_the_reason() {
    for (setting, words) in [
        (
            "index=contry",
            "no column `contry`; did you mean `country`?",
        ),
        ("index=country+", "no column ``"),
        (
            "index=country:btree",
            "`btree` is no kind of index: write sai or 2i",
        ),
        ("index=series", "`series` is part of the key"),
        ("index=time:2i", "`time` is part of the key"),
        ("index=value", "`value` is a double"),
        ("index=heat", "`heat` is a float"),
        ("index=picture", "write index=picture:2i"),
        ("index=country+Country", "`Country` is there twice"),
    ] {
        for shape in ["narrow", "wide"] {
            let id = format!("cassandra/{shape}?{setting}");
            let error = layout(&id).unwrap_err();
            assert!(error.starts_with(&format!("design {id}: ")), "{error}");
            assert!(error.contains(words), "{id}: {error}");
        }
    }
    for shape in ["blob", "compact"] {
        let error = layout(&format!("cassandra/{shape}?index=country")).unwrap_err();
        assert!(error.contains("unknown setting `index`"), "{error}");
    }
}
