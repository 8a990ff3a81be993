use bakeoff_workload::{ColumnType, DesignId};

use super::*;
use crate::live::{Fate, Holding};

fn column(name: &str, base_type: &str) -> catalog::Column {
    catalog::Column {
        name: name.to_owned(),
        written_type: base_type.to_owned(),
        base_type: base_type.to_owned(),
        is_readable: true,
        ..catalog::Column::default()
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_key_is_divided_at_its_time() {
    let columns = [
        column("device", "uuid"),
        column("time", "timestamptz"),
        column("part", "int4"),
    ];
    for (key, partition, order) in [
        ("device time", "device", "time"),
        ("time device", "device", "time"),
        ("device time part", "device", "time part"),
        ("device part", "device", "part"),
        ("device", "device", ""),
        ("time", "time", ""),
    ] {
        let words =
            |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let divided = split(&words(key), &columns);
        assert_eq!(divided.partition, words(partition), "{key}");
        assert_eq!(divided.order, words(order), "{key}");
    }
}

#[test]
fn every_type_of_postgresql_is_held_or_left_out_with_a_sentence() {
    let described =
        |column: &catalog::Column| kinds::described(std::slice::from_ref(column), None)[0].fate;
    for (base_type, holding, words) in [
        ("int2", Holding::As(ColumnType::Int), ""),
        ("int8", Holding::As(ColumnType::Bigint), ""),
        ("float4", Holding::As(ColumnType::Float), ""),
        ("float8", Holding::As(ColumnType::Double), ""),
        ("numeric", Holding::Decimal, ""),
        ("date", Holding::As(ColumnType::Timestamp), "midnight"),
        ("timestamptz", Holding::As(ColumnType::Timestamp), "in UTC"),
        ("time", Holding::As(ColumnType::Text), "same order"),
        ("uuid", Holding::As(ColumnType::Uuid), ""),
        ("inet", Holding::As(ColumnType::Text), "addresses"),
        ("varchar", Holding::As(ColumnType::Text), ""),
    ] {
        match described(&column("c", base_type)) {
            Fate::Held(found, remark) => {
                assert_eq!(found, holding, "{base_type}");
                assert!(remark.contains(words), "{base_type}: {remark}");
                assert_eq!(remark.is_empty(), words.is_empty(), "{base_type}: {remark}");
            }
            Fate::LeftOut(why) => panic!("{base_type}: {why}"),
        }
    }
    let array = catalog::Column {
        is_array: true,
        ..column("c", "_int4")
    };
    let unreadable = catalog::Column {
        is_readable: false,
        ..column("c", "int4")
    };
    for (column, words) in [
        (&array, "an array"),
        (&column("c", "jsonb"), "a document"),
        (&column("c", "bytea"), "no bytes"),
        (&column("c", "interval"), "lengths of time"),
        (&column("c", "point"), "no type of a workload"),
        (&unreadable, "no right to read it"),
    ] {
        match described(column) {
            Fate::LeftOut(why) => assert!(why.contains(words), "{why}"),
            Fate::Held(..) => panic!("{words} is held"),
        }
    }
    let whole = catalog::Column {
        decimals: Some(0),
        ..column("c", "numeric")
    };
    assert_eq!(described(&whole), Fate::Held(Holding::Whole, ""));
    let mood = catalog::Column {
        is_enum: true,
        ..column("c", "mood")
    };
    assert!(matches!(described(&mood), Fate::Held(..)));
}

#[test]
fn what_is_selected_comes_in_types_that_are_decoded() {
    let columns = [
        column("a b", "timestamptz"),
        column("id", "uuid"),
        column("n", "int4"),
        column("note", "text"),
    ];
    let key = LiveKey {
        partition: names(&["id"]),
        order: Vec::new(),
    };
    let plan = Plan::new("t", &kinds::described(&columns, Some(&key))).unwrap();
    assert_eq!(
        kinds::selection(&columns, &plan.held),
        "\"id\"::text AS \"id\", CASE WHEN isfinite(\"a b\") THEN \"a b\"::timestamp END AS \"a b\", \"n\", \"note\""
    );
}

fn index(method: &str, first: &str, columns: i16) -> catalog::Index {
    catalog::Index {
        method: method.to_owned(),
        definition: format!("CREATE INDEX ON t USING {method} ({first})"),
        first: Some(first.to_owned()),
        columns,
    }
}

#[test]
fn the_design_like_a_table_is_one_that_there_is_or_none() {
    let found = Found {
        oid: 1,
        schema: "public".to_owned(),
        name: "t".to_owned(),
        kind: RelationKind::Table,
    };
    let view = Found {
        kind: RelationKind::Other,
        ..found.clone()
    };
    let key = LiveKey {
        partition: names(&["device"]),
        order: names(&["time"]),
    };
    let btree = index("btree", "device", 2);
    let of_time = index("btree", "time", 1);
    let chunks = |length| Chunks {
        column: "time".to_owned(),
        length,
    };
    let days = chunks(catalog::Length::Seconds(604_800));
    let numbers = chunks(catalog::Length::Number(1_000));
    for (found, indexes, chunks, expected) in [
        (&found, vec![btree.clone()], None, Some("postgres/plain")),
        (
            &found,
            vec![btree.clone(), of_time],
            None,
            Some("postgres/plain?time-index=on"),
        ),
        (
            &found,
            vec![index("brin", "time", 1)],
            None,
            Some("postgres/brin"),
        ),
        (&found, vec![], None, None),
        (&view, vec![], None, None),
        (
            &found,
            vec![btree.clone()],
            Some(&days),
            Some("timescale/hypertable?chunk=7d"),
        ),
        (
            &found,
            vec![btree],
            Some(&numbers),
            Some("timescale/hypertable?chunk=1000"),
        ),
    ] {
        let id = design(found, Some(&key), &indexes, chunks);
        assert_eq!(id.as_deref(), expected);
        if let Some(id) = id {
            id.parse::<DesignId>().unwrap();
        }
    }
}

#[test]
fn nothing_is_set_for_longer_than_the_transaction() {
    for setting in SETTINGS.split(';') {
        assert!(setting.trim().starts_with("SET LOCAL "), "{setting}");
    }
}
