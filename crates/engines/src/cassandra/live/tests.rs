use bakeoff_workload::{ColumnType, DesignId};

use super::*;
use crate::cassandra::layout::CassandraLayout;
use crate::cassandra::read::readable::ReadColumn;
use crate::live::Fate;

fn table(columns: &[(&str, CqlKind)], clustering: &[&str]) -> ReadTable {
    let column = |(name, kind): &(&str, CqlKind)| ReadColumn {
        name: (*name).to_owned(),
        kind: *kind,
    };
    ReadTable {
        keyspace: "ks".to_owned(),
        name: "t".to_owned(),
        columns: columns.iter().map(column).collect(),
        partition_key: vec!["k".to_owned()],
        clustering_key: clustering.iter().map(|name| (*name).to_owned()).collect(),
        ..ReadTable::default()
    }
}

#[test]
fn every_type_of_cql_is_held_or_left_out_with_a_sentence() {
    let held = |kind, written: &str| match kinds::fate(kind, written, false) {
        Fate::Held(holding, remark) => (holding, remark),
        Fate::LeftOut(why) => panic!("{written}: {why}"),
    };
    for (kind, written, holding, words) in [
        (
            CqlKind::Float,
            "float",
            Holding::As(ColumnType::Double),
            "8 bytes",
        ),
        (
            CqlKind::Smallint,
            "smallint",
            Holding::As(ColumnType::Int),
            "",
        ),
        (
            CqlKind::Tinyint,
            "tinyint",
            Holding::As(ColumnType::Int),
            "",
        ),
        (
            CqlKind::Bigint,
            "bigint",
            Holding::As(ColumnType::Bigint),
            "",
        ),
        (
            CqlKind::Bigint,
            "counter",
            Holding::As(ColumnType::Bigint),
            "count up",
        ),
        (CqlKind::Varint, "varint", Holding::Whole, ""),
        (CqlKind::Decimal, "decimal", Holding::Decimal, ""),
        (
            CqlKind::Date,
            "date",
            Holding::As(ColumnType::Timestamp),
            "midnight",
        ),
        (
            CqlKind::Time,
            "time",
            Holding::As(ColumnType::Text),
            "same order",
        ),
        (
            CqlKind::Uuid,
            "uuid",
            Holding::As(ColumnType::Text),
            "36 characters",
        ),
        (
            CqlKind::Uuid,
            "timeuuid",
            Holding::As(ColumnType::Text),
            "not ordered by its time",
        ),
        (
            CqlKind::Inet,
            "inet",
            Holding::As(ColumnType::Text),
            "addresses",
        ),
    ] {
        let (found, remark) = held(kind, written);
        assert_eq!(found, holding, "{written}");
        assert!(remark.contains(words), "{written}: {remark}");
        assert_eq!(remark.is_empty(), words.is_empty(), "{written}: {remark}");
    }
    for (kind, written, is_static, words) in [
        (CqlKind::Literal, "list<int>", false, "a collection"),
        (CqlKind::Literal, "frozen<set<text>>", false, "a collection"),
        (CqlKind::Literal, "map<text, int>", false, "a collection"),
        (
            CqlKind::Literal,
            "frozen<tuple<int, text>>",
            false,
            "a tuple",
        ),
        (CqlKind::Literal, "vector<float, 3>", false, "a vector"),
        (CqlKind::Literal, "duration", false, "lengths of time"),
        (
            CqlKind::Literal,
            "frozen<address>",
            false,
            "a type of users",
        ),
        (CqlKind::Blob, "blob", false, "no bytes"),
        (CqlKind::Text, "text", true, "it is static"),
    ] {
        match kinds::fate(kind, written, is_static) {
            Fate::LeftOut(why) => assert!(why.contains(words), "{written}: {why}"),
            Fate::Held(..) => panic!("{written} is held"),
        }
    }
}

#[test]
fn a_key_that_no_workload_can_have_is_an_error() {
    let read = table(&[("k", CqlKind::Literal)], &[]);
    let types = [("k".to_owned(), "frozen<list<int>>".to_owned())];
    let schema = Schema {
        types: types.into(),
        ..Schema::default()
    };
    let error = Plan::new("ks.t", &described(&read, &schema)).unwrap_err();
    let told = error.to_string();
    assert!(
        told.starts_with(
            "ks.t: `k` is in the key, and its type is frozen<list<int>>: a collection"
        ),
        "{told}"
    );
}

#[test]
fn what_is_not_held_is_not_read_and_numbers_of_any_length_are_text() {
    let mut read = table(
        &[
            ("k", CqlKind::Decimal),
            ("s", CqlKind::Text),
            ("n", CqlKind::Varint),
            ("m", CqlKind::Literal),
            ("v", CqlKind::Int),
        ],
        &[],
    );
    read.statics = vec!["s".to_owned()];
    read.with_ttl = ["s", "n", "v"].map(str::to_owned).to_vec();
    let plan = Plan::new("ks.t", &described(&read, &Schema::default())).unwrap();
    let narrowed = narrowed(&read, &plan.held);
    let kinds: Vec<(&str, CqlKind)> = { narrowed.columns.iter() }
        .map(|column| (column.name.as_str(), column.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("k", CqlKind::DecimalText),
            ("n", CqlKind::VarintText),
            ("v", CqlKind::Int)
        ]
    );
    assert!(narrowed.statics.is_empty());
    assert_eq!(narrowed.with_ttl, ["n"]);
    assert_eq!(plan.left_out.len(), 2);
}

#[test]
fn the_design_like_a_table_is_one_that_there_is() {
    let mut schema = Schema::default();
    schema.options.compression = [("class", "LZ4Compressor"), ("chunk_length_in_kb", "64")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    schema.options.gc_grace_seconds = 864_000;
    let mut read = table(&[("k", CqlKind::Text), ("t", CqlKind::Timestamp)], &["t"]);
    read.descending = Some(true);
    for (read, expected) in [
        (&read, "cassandra/wide?chunk=64KiB&order=desc"),
        (
            &table(&[("k", CqlKind::Text)], &[]),
            "cassandra/narrow?chunk=64KiB",
        ),
    ] {
        let id = design(read, &schema);
        assert_eq!(id, expected);
        let parsed: DesignId = id.parse().unwrap();
        assert_eq!(parsed.to_string(), id);
        CassandraLayout::from_id(&parsed).unwrap();
    }
    schema.indexes = vec!["by_v".to_owned()];
    let about = about(&Sample::default(), &schema, &read, "db1:9042");
    assert!(
        about.iter().any(|line| line.contains("indexes (by_v)")),
        "{about:?}"
    );
}
