use bakeoff_workload::{Column, ColumnType, Table};
use datafusion::common::ScalarValue;
use datafusion::prelude::{col, lit};

use super::*;
use crate::cassandra::read::readable::ReadColumn;
use crate::cassandra::rows::layout::{Shape, TableLayout};

fn layout(id: &str) -> TableLayout {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    let table = Table {
        name: "t".to_owned(),
        columns: vec![
            column("series", ColumnType::Text),
            column("a", ColumnType::Int),
            column("b", ColumnType::Bigint),
            column("value", ColumnType::Double),
            column("country", ColumnType::Text),
            column("port", ColumnType::Int),
        ],
        partition_key: vec!["series".to_owned()],
        order_key: vec!["a".to_owned(), "b".to_owned()],
    };
    let id = id.parse().unwrap();
    TableLayout::new(&id, Shape::from_id(&id).unwrap(), &table, false).unwrap()
}

fn pushdown(id: &str, filters: &[Expr]) -> Pushdown {
    let table = ReadTable::from_layout(&layout(id), "ks".to_owned());
    Pushdown::new(&table, &filters.iter().collect::<Vec<_>>())
}

fn text(v: &str) -> KeyValue {
    KeyValue::Text(v.to_owned())
}

#[test]
fn the_partition_key_is_pushed_as_equality_in_and_or() {
    let expected = Some(vec![vec![text("x")], vec![text("y")]]);
    for filter in [
        col("series").in_list(vec![lit("y"), lit("x"), lit("x")], false),
        col("series").eq(lit("x")).or(lit("y").eq(col("series"))),
    ] {
        let pushed = pushdown("cassandra/wide", &[filter]);
        assert_eq!(pushed.partitions, expected);
        assert_eq!(pushed.exact, [true]);
    }
}

#[test]
fn two_restrictions_of_one_column_leave_what_both_allow() {
    let pushed = pushdown(
        "cassandra/wide",
        &[
            col("series").in_list(vec![lit("x"), lit("y")], false),
            col("series").eq(lit("y")),
        ],
    );
    assert_eq!(pushed.partitions, Some(vec![vec![text("y")]]));
    let nothing = pushdown(
        "cassandra/wide",
        &[col("series").eq(lit("x")), col("series").eq(lit("y"))],
    );
    assert_eq!(nothing.partitions, Some(vec![]));
}

#[test]
fn the_order_key_is_pushed_up_to_its_first_range() {
    let series = col("series").eq(lit("x"));
    let pushed = pushdown(
        "cassandra/wide",
        &[
            series.clone(),
            col("a").eq(lit(1i32)),
            col("b").gt_eq(lit(5i64)),
            lit(9i64).gt(col("b")),
            col("b").gt(lit(4i64)),
            col("value").gt(lit(0.5)),
        ],
    );
    assert_eq!(pushed.exact, [true, true, true, true, true, false]);
    assert_eq!(pushed.bounds("b"), (Some(5), Some(9)));
    let range_then_more = pushdown(
        "cassandra/wide",
        &[series, col("a").gt(lit(1i32)), col("b").eq(lit(1i64))],
    );
    assert_eq!(range_then_more.exact, [true, true, false]);
}

#[test]
fn without_a_partition_the_order_key_only_helps_and_may_be_left_out() {
    let filters = [col("a").eq(lit(1i32)), col("value").gt(lit(0.5))];
    let pushed = pushdown("cassandra/wide", &filters);
    let order = vec![("a".to_owned(), Operator::Eq, KeyValue::Int(1))];
    assert_eq!((&pushed.partitions, &pushed.conditions), (&None, &order));
    assert_eq!(pushed.exact, [false, false]);
    assert_eq!(pushed.inexact, [true, false]);
    assert!(pushed.is_filtering());
    let left = pushed.without_filtering();
    assert_eq!(left.conditions, []);
    assert!(!left.is_filtering());
    assert_eq!(
        pushdown("cassandra/narrow", &filters).inexact,
        [false, false]
    );
}

#[test]
fn a_narrow_table_needs_its_whole_key() {
    let filters = [
        col("series").eq(lit("x")),
        col("a").eq(lit(1i32)),
        col("b").eq(lit(2i64)),
    ];
    let pushed = pushdown("cassandra/narrow", &filters);
    assert_eq!(pushed.exact, [true, true, true]);
    assert_eq!(pushdown("cassandra/narrow", &filters[..2]).partitions, None);
}

#[test]
fn what_cql_would_not_answer_exactly_stays_here() {
    for filter in [
        col("series").eq(lit("x")).or(col("a").eq(lit(1i32))),
        col("series").not_eq(lit("x")),
        col("series").in_list(vec![lit("x")], true),
        col("series").eq(col("series")),
        col("series").eq(lit(ScalarValue::Utf8(None))),
    ] {
        let pushed = pushdown("cassandra/wide", std::slice::from_ref(&filter));
        assert_eq!(pushed.exact, [false], "{filter}");
    }
}

#[test]
fn an_empty_partition_key_is_never_asked_for() {
    let pushed = pushdown("cassandra/wide", &[col("series").eq(lit(""))]);
    assert_eq!(
        (pushed.partitions, pushed.exact),
        (Some(vec![]), vec![true])
    );
}

#[test]
fn too_many_partitions_become_a_scan() {
    let many: Vec<Expr> = (0..=PARTITIONS_LIMIT)
        .map(|i| lit(format!("s{i}")))
        .collect();
    let pushed = pushdown("cassandra/wide", &[col("series").in_list(many, false)]);
    assert_eq!(pushed.partitions, None);
}

/// A table with one key column of a kind.
fn keyed_by(kind: CqlKind) -> ReadTable {
    let layout = layout("cassandra/wide");
    let column = |name: &str, kind| ReadColumn {
        name: name.to_owned(),
        kind,
    };
    ReadTable {
        columns: vec![column("series", CqlKind::Text), column("a", kind)],
        clustering_key: vec!["a".to_owned()],
        ..ReadTable::from_layout(&layout, "ks".to_owned())
    }
}

#[test]
fn only_what_is_ordered_alike_is_pushed_as_a_range() {
    let uuid = lit("6a1f0b0c-8a7e-11ee-b962-0242ac120002");
    let exact = |kind, filter: Expr| {
        let series = col("series").eq(lit("x"));
        Pushdown::new(&keyed_by(kind), &[&series, &filter]).exact[1]
    };
    assert!(exact(CqlKind::Uuid, col("a").eq(uuid.clone())));
    assert!(!exact(CqlKind::Uuid, col("a").gt(uuid)));
    assert!(exact(CqlKind::Inet, col("a").eq(lit("10.0.0.1"))));
    assert!(!exact(CqlKind::Inet, col("a").lt(lit("10.0.0.1"))));
    let date = lit(ScalarValue::Date32(Some(-3)));
    assert!(exact(CqlKind::Date, col("a").gt_eq(date)));
    assert!(exact(CqlKind::Tinyint, col("a").lt(lit(-3i8))));
    assert!(!exact(CqlKind::Varint, col("a").eq(lit("7"))));
    assert!(!exact(CqlKind::Double, col("a").eq(lit(7.0))));
    assert!(exact(CqlKind::Boolean, col("a")));
    assert!(exact(CqlKind::Boolean, !col("a")));
    assert!(!exact(CqlKind::Int, col("a")));
}

#[test]
fn where_all_partitions_are_known_the_order_key_is_restricted_in_any_of_them() {
    let table = ReadTable::from_layout(&layout("cassandra/wide"), "ks".to_owned());
    let filters = [col("a").gt_eq(lit(3)), col("value").gt(lit(1.0))];
    let filters: Vec<&Expr> = filters.iter().collect();
    let pushed = Pushdown::for_known_partitions(&table, &filters);
    assert_eq!(pushed.partitions, None);
    assert_eq!(pushed.exact, [true, false]);
    assert_eq!(pushed.bounds("a"), (Some(3), None));
    assert_eq!(Pushdown::new(&table, &filters).exact, [false, false]);
}

/// Indexes of two columns, of each kind.
const SAI: &str = "cassandra/wide?index=country+port";
const HIDDEN: &str = "cassandra/wide?index=country+port:2i";

#[test]
fn an_index_is_asked_for_one_value_and_the_filter_applied_again() {
    for filter in [
        col("country").eq(lit("ALB")),
        lit("ALB").eq(col("country")),
        col("country").in_list(vec![lit("ALB")], false),
    ] {
        for id in [SAI, HIDDEN, "cassandra/narrow?index=country"] {
            let pushed = pushdown(id, std::slice::from_ref(&filter));
            assert_eq!(pushed.indexed, [("country".to_owned(), text("ALB"))]);
            assert_eq!((pushed.exact, pushed.inexact), (vec![false], vec![true]));
        }
        let without = pushdown("cassandra/wide", std::slice::from_ref(&filter));
        assert_eq!((without.indexed, without.inexact), (vec![], vec![false]));
    }
}

#[test]
fn an_index_is_not_asked_for_what_it_may_not_hold() {
    for filter in [
        col("country").eq(lit("")),
        col("country").eq(lit("x".repeat(INDEXED_BYTES_LIMIT + 1))),
        col("country").eq(lit(ScalarValue::Utf8(None))),
        col("country").is_null(),
        col("country").not_eq(lit("ALB")),
        col("country").gt(lit("ALB")),
        col("country").in_list(vec![lit("ALB"), lit("USA")], false),
        col("country").eq(lit("ALB")).or(col("port").eq(lit(7i32))),
        col("port").eq(lit(7i64)),
    ] {
        let pushed = pushdown(SAI, std::slice::from_ref(&filter));
        assert_eq!(pushed.indexed, [], "{filter}");
        assert_eq!(pushed.inexact, [false], "{filter}");
    }
}

#[test]
fn only_storage_attached_indexes_are_asked_together() {
    let filters = [
        col("port").eq(lit(7i32)),
        col("country").eq(lit("ALB")),
        col("country").eq(lit("USA")),
    ];
    let country = ("country".to_owned(), text("ALB"));
    let port = ("port".to_owned(), KeyValue::Int(7));
    let pushed = pushdown(SAI, &filters);
    assert_eq!(pushed.indexed, [country.clone(), port]);
    assert_eq!(pushed.inexact, [true; 3]);
    let pushed = pushdown(HIDDEN, &filters);
    assert_eq!(pushed.indexed, [country]);
    assert_eq!(pushed.inexact, [true; 3], "whichever of them is asked");
}

#[test]
fn with_an_index_a_scan_restricts_nothing_else_and_partitions_keep_their_restrictions() {
    let (country, a) = (col("country").eq(lit("ALB")), col("a").gt(lit(3i32)));
    let scan = pushdown(SAI, &[country.clone(), a.clone()]);
    assert_eq!((&scan.partitions, &scan.conditions), (&None, &vec![]));
    assert_eq!(scan.inexact, [true, true]);
    assert!(!scan.is_filtering() && !scan.is_filtering_by_index());

    let series = col("series").eq(lit("x"));
    let whole = pushdown(SAI, &[series.clone(), country.clone()]);
    assert_eq!(
        (whole.indexed.len(), whole.is_filtering_by_index()),
        (1, false)
    );
    assert_eq!(whole.exact, [true, false]);

    let part = pushdown(SAI, &[series, country, a]);
    assert_eq!(part.exact, [true, false, true]);
    assert_eq!(part.conditions.len(), 1);
    assert!(part.is_filtering_by_index());
    let left = part.without_indexes();
    assert_eq!((left.indexed.len(), left.conditions.len()), (0, 1));
    assert!(!left.is_filtering_by_index());
}

#[test]
fn a_copy_is_read_for_one_value_unless_partitions_of_the_table_are_known() {
    for id in [
        "cassandra/wide?table_by=country+port",
        "cassandra/narrow?view=country+port",
        "cassandra/wide?index_table=country+port",
    ] {
        let country = col("country").eq(lit("ALB"));
        let pushed = pushdown(id, &[col("value").gt(lit(0.5)), country.clone()]);
        assert_eq!(pushed.copy.as_deref(), Some("country"));
        assert_eq!(pushed.inexact, [false, true]);
        assert_eq!(pushed.indexed, []);
        let port = pushdown(id, &[col("port").eq(lit(7i32)), country.clone()]);
        assert_eq!(
            port.copy.as_deref(),
            Some("country"),
            "the first column of the setting"
        );
        assert_eq!(port.inexact, [true, true]);
        let key = [
            col("series").eq(lit("x")),
            col("a").eq(lit(1i32)),
            col("b").eq(lit(2i64)),
        ];
        let known = pushdown(id, &[&key[..], &[country]].concat());
        assert_eq!(
            (known.copy, known.exact),
            (None, vec![true, true, true, false])
        );
        for filter in [
            col("country").eq(lit("")),
            col("country").gt(lit("ALB")),
            col("country").is_null(),
        ] {
            let pushed = pushdown(id, std::slice::from_ref(&filter));
            assert_eq!(
                (pushed.copy, pushed.inexact),
                (None, vec![false]),
                "{filter}"
            );
        }
    }
}
