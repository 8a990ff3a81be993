use bakeoff_workload::infer::Declared;

use super::*;
use crate::live::MIXED_ORDER;

fn tables_of(statements: &[&str]) -> Result<Vec<TableStatement>, String> {
    let written: Vec<Written<'_>> = { statements.iter() }
        .map(|sql| Written { line: 7, sql })
        .collect();
    tables(&written)
}

fn declared(table: &TableStatement) -> Declared {
    table.declared("schema.cql", &[], None).unwrap()
}

const READINGS: &str = "CREATE TABLE IF NOT EXISTS Shop.readings (\n\
    room text, -- where\n  \"Unit Id\" uuid,\n  day date,\n  time timestamp,\n  heat float,\n  level decimal,\n\
    tags frozen<map<text, int>>,\n  raw blob,\n  note text static,\n\
    PRIMARY KEY ((room, day), time, \"Unit Id\"),\n) WITH CLUSTERING ORDER BY (time DESC, \"Unit Id\" DESC)\n\
    AND comment = 'it''s' AND compaction = {'class': 'TimeWindowCompactionStrategy', \
    'compaction_window_size': 1, 'compaction_window_unit': 'DAYS'} AND bloom_filter_fp_chance = 0.01 \
    AND default_time_to_live = 2592000 AND compression = {'sstable_compression': 'ZstdCompressor'}";

#[test]
fn a_table_has_its_columns_its_key_and_the_design_like_it() {
    let index = "CREATE CUSTOM INDEX by_heat ON shop.readings (level) USING 'StorageAttachedIndex'";
    let of_another = "CREATE INDEX ON other.readings (heat)";
    let all = tables_of(&["CREATE TYPE x (a int)", READINGS, index, of_another]).unwrap();
    let [table] = &all[..] else { panic!("{all:?}") };
    assert_eq!((table.place.as_str(), table.line), ("shop.readings", 7));
    assert_eq!(table.partition_key, ["room", "day"]);
    assert_eq!(table.order_key, ["time", "Unit Id"]);
    assert_eq!(table.descending, ["time", "Unit Id"]);
    assert_eq!(
        table.design.as_deref(),
        Some("cassandra/wide?compaction=TWCS:1d&compressor=Zstd&gc_grace=10d&order=desc&ttl=30d")
    );
    assert!(
        table.about[1].contains("lacks: index by_heat"),
        "{:?}",
        table.about
    );
    let declared = declared(table);
    let kinds: Vec<(&str, ColumnType)> = { declared.columns.iter() }
        .map(|column| (column.name.as_str(), column.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("room", ColumnType::Text),
            ("Unit Id", ColumnType::Uuid),
            ("day", ColumnType::Timestamp),
            ("time", ColumnType::Timestamp),
            ("heat", ColumnType::Float),
            ("level", ColumnType::Double),
        ]
    );
    assert_eq!(declared.columns[1].form, DeclaredForm::Uuid);
    let left_out = declared.origin.left_out.join("; ");
    for words in [
        "`tags` (frozen<map<text, int>>): a collection",
        "`raw` (blob)",
        "`note` (text): it is static",
    ] {
        assert!(left_out.contains(words), "{left_out}");
    }
    let said = &declared.origin.columns["heat"];
    assert!(
        said.starts_with("float in the table") && !said.contains("held"),
        "{said}"
    );
}

#[test]
fn columns_in_different_orders_have_no_order_of_their_own() {
    let cql = "CREATE TABLE t (k int, a int, b int, PRIMARY KEY (k, a, b)) \
               WITH CLUSTERING ORDER BY (a ASC, b DESC)";
    let all = tables_of(&[cql]).unwrap();
    assert_eq!(all[0].descending, ["b"]);
    let about = &declared(&all[0]).origin.about;
    assert!(
        about.iter().any(|about| about.contains(MIXED_ORDER)),
        "{about:?}"
    );
}

#[test]
fn a_key_may_be_one_column_and_indexes_are_settings() {
    let table = "CREATE TABLE t (k int PRIMARY KEY, v text, w int)";
    let all = tables_of(&[
        table,
        "CREATE INDEX ON t (v)",
        "CREATE INDEX IF NOT EXISTS i ON ks.t (w)",
    ])
    .unwrap();
    let design = all[0].design.as_deref();
    assert_eq!(design, Some("cassandra/narrow?gc_grace=10d&index=v+w:2i"));
    assert_eq!(all[0].partition_key, ["k"]);
}

#[test]
fn what_cannot_be_read_is_told_with_its_line() {
    for (cql, words) in [
        (
            "CREATE TABLE t (k int)",
            "line 7: cannot read this CREATE TABLE: it has no PRIMARY KEY",
        ),
        (
            "CREATE TABLE t (k int PRIMARY KEY",
            "`,` is expected before `its end`",
        ),
        (
            "CREATE TABLE t (k int, PRIMARY KEY (l))",
            "`l` of its PRIMARY KEY is no column",
        ),
        (
            "CREATE TABLE t (k, PRIMARY KEY (k))",
            "the type of `k` is expected before `,`",
        ),
        (
            "CREATE TABLE t (k int PRIMARY KEY, k int)",
            "the column `k` twice",
        ),
        (
            "CREATE TABLE t (k int PRIMARY KEY) WITH gc_grace_seconds = 'x'",
            "a number of seconds",
        ),
        (
            "CREATE TABLE t (k int PRIMARY KEY) AND x = 1",
            "WITH is expected before `AND`",
        ),
        (
            "CREATE TABLE 5 (k int PRIMARY KEY)",
            "a name is expected before `5`",
        ),
        ("CREATE TABLE", "a name is expected before `its end`"),
    ] {
        let why = tables_of(&[cql]).unwrap_err();
        assert!(why.contains(words), "{cql}: {why}");
    }
}

#[test]
fn a_key_of_a_type_that_no_workload_has_is_told_with_what_to_do() {
    let all = tables_of(&["CREATE TABLE ks.t (k blob, v int, PRIMARY KEY (k, v))"]).unwrap();
    let why = all[0].declared("s.cql", &[], None).unwrap_err();
    assert!(
        why.contains("`k` is in its key, and its type is blob"),
        "{why}"
    );
    let other = all[0].declared("s.cql", &["V".to_owned()], None);
    assert!(other.is_err(), "the rest of the own key follows");
    let why = all[0]
        .declared("s.cql", &["w".to_owned()], None)
        .unwrap_err();
    assert!(
        why.contains("--key w: table ks.t has no such column"),
        "{why}"
    );
}
