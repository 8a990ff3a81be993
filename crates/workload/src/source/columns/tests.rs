use arrow::compute::concat_batches;
use proptest::prelude::*;

use super::*;
use crate::{Column as TableColumn, ColumnType, RealLaw, Sequence};

fn table(columns: &[(&str, ColumnType)], partition: &[&str], order: &[&str]) -> Table {
    let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
    Table {
        name: "t".to_owned(),
        columns: columns
            .iter()
            .map(|(name, kind)| TableColumn {
                name: (*name).to_owned(),
                kind: *kind,
            })
            .collect(),
        partition_key: names(partition),
        order_key: names(order),
    }
}

fn sequence(start: i64, step: i64, every: u64, cycle: Option<u64>) -> Sequence {
    Sequence {
        start,
        step,
        every,
        cycle,
        prefix: "s".to_owned(),
    }
}

/// Makes one column of every kind.
fn everything() -> Columns {
    use ColumnType::{Bigint, Blob, Boolean, Double, Float, Int, Text, Timestamp};
    let columns = [
        (
            "k",
            Text,
            ColumnGenerator::Sequence(sequence(0, 1, 1, None)),
        ),
        (
            "t",
            Timestamp,
            ColumnGenerator::Sequence(sequence(5, 10, 2, Some(3))),
        ),
        (
            "i",
            Int,
            ColumnGenerator::UniformInteger { from: -5, to: 5 },
        ),
        (
            "b",
            Bigint,
            ColumnGenerator::Normal {
                mean: 1e3,
                deviation: 10.0,
            },
        ),
        (
            "d",
            Double,
            ColumnGenerator::UniformReal { from: 0.0, to: 1.0 },
        ),
        (
            "n",
            Double,
            ColumnGenerator::Normal {
                mean: 0.0,
                deviation: 1.0,
            },
        ),
        (
            "z",
            Text,
            ColumnGenerator::Zipf {
                items: 9,
                exponent: 1.0,
                prefix: "z".into(),
            },
        ),
        (
            "c",
            Boolean,
            ColumnGenerator::Choice(vec![Value::Boolean(true), Value::Boolean(false)]),
        ),
        ("h", Text, ColumnGenerator::Characters(1..=9)),
        ("w", Text, ColumnGenerator::Words(5..=9)),
        ("p", Text, ColumnGenerator::Passages(5..=9)),
        ("j", Text, ColumnGenerator::Json(1..=9)),
        (
            "x",
            Blob,
            ColumnGenerator::Bytes {
                length: 9..=99,
                compressibility: 0.5,
            },
        ),
        (
            "l",
            Blob,
            ColumnGenerator::Doubles {
                items: 5,
                law: RealLaw::Normal {
                    mean: 3.0,
                    deviation: 1.0,
                },
            },
        ),
        (
            "y",
            Text,
            ColumnGenerator::Bytes {
                length: 9..=99,
                compressibility: 0.5,
            },
        ),
        (
            "f",
            Float,
            ColumnGenerator::UniformReal { from: 0.0, to: 1.0 },
        ),
        (
            "g",
            Float,
            ColumnGenerator::Normal {
                mean: 0.0,
                deviation: 1.0,
            },
        ),
    ];
    let kinds: Vec<_> = columns
        .iter()
        .map(|(name, kind, _)| (*name, *kind))
        .collect();
    let generators: Vec<_> = columns.into_iter().map(|(_, _, g)| g).collect();
    Columns::new(7, &table(&kinds, &["k"], &[]), &generators, false)
}

fn read(source: &Columns, from: u64, batch_rows: usize, batches: usize) -> RecordBatch {
    let batches: Vec<_> = source
        .read(from, batch_rows)
        .unwrap()
        .take(batches)
        .map(|batch| batch.unwrap().rows)
        .collect();
    concat_batches(&source.schema(), &batches).unwrap()
}

#[test]
fn rows_do_not_depend_on_batches_or_on_where_reading_starts() {
    let source = everything();
    let whole = read(&source, 0, 100, 1);
    assert_eq!(whole, read(&source, 0, 10, 10));
    assert_eq!(whole.slice(40, 20), read(&source, 40, 20, 1));
    assert!(!source.may_repeat_keys());
}

#[test]
fn single_values_are_those_of_the_batches_and_second_ones_differ() {
    let source = everything();
    let batch = read(&source, 0, 50, 1);
    let values = source.values().unwrap();
    for (index, column) in source.rows.table.columns.iter().enumerate() {
        let cell = |row| Value::of_cell(column.kind, batch.column(index), row as usize);
        let version = |row, version| values.value(index, row, version);
        assert!((0..50).all(|row| cell(row) == version(row, Version::First)));
        let changed = (0..50).any(|row| cell(row) != version(row, Version::Second));
        assert_eq!(changed, column.name != "k", "{}", column.name);
    }
}

#[test]
fn a_cell_depends_on_seed_and_column() {
    let generators = vec![ColumnGenerator::Characters(9..=9); 2];
    let table = table(
        &[("a", ColumnType::Text), ("b", ColumnType::Text)],
        &["a"],
        &[],
    );
    let value = |seed, column| {
        let values = Columns::new(seed, &table, &generators, false)
            .values()
            .unwrap();
        values.value(column, 1, Version::First)
    };
    assert_ne!(value(1, 0), value(1, 1));
    assert_ne!(value(1, 0), value(2, 0));
    assert_eq!(value(1, 0), value(1, 0));
}

#[test]
fn long_values_make_short_batches() {
    let generators = [ColumnGenerator::Bytes {
        length: 16_000_000..=16_000_000,
        compressibility: 1.0,
    }];
    let source = Columns::new(
        1,
        &table(&[("v", ColumnType::Blob)], &["v"], &[]),
        &generators,
        false,
    );
    let batches: Vec<_> = source
        .read(3, 1000)
        .unwrap()
        .take(2)
        .map(Result::unwrap)
        .collect();
    assert_eq!((batches[0].first_row, batches[0].rows.num_rows()), (3, 4));
    assert_eq!(batches[1].first_row, 7);
}

/// Makes sensors that take turns, each with a reading every 10 s, in a partition per sensor and
/// day.
fn series() -> Columns {
    let columns = [
        ("sensor", ColumnType::Text),
        ("day", ColumnType::Int),
        ("time", ColumnType::Timestamp),
    ];
    let generators = [
        ColumnGenerator::Sequence(sequence(1, 1, 1, Some(5))),
        ColumnGenerator::Sequence(sequence(0, 1, 15, None)),
        ColumnGenerator::Sequence(sequence(1000, 10_000, 5, None)),
    ];
    Columns::new(
        1,
        &table(&columns, &["sensor", "day"], &["time"]),
        &generators,
        false,
    )
}

fn key(values: &dyn RowValues, row: u64) -> Vec<Value> {
    (0..3)
        .map(|c| values.value(c, row, Version::First))
        .collect()
}

#[test]
fn rows_are_found_by_their_keys() {
    let values = series().values().unwrap();
    assert_eq!(values.rows(), Some((1 << 31) * 15), "days are an int");
    for row in [0, 1, 4, 5, 14, 15, 1_000_003] {
        assert_eq!(values.row_of(&key(&*values, row)), Some(row));
    }
    let mut other = key(&*values, 7);
    other[1] = Value::Int(9);
    assert_eq!(values.row_of(&other), None);
    for time in [Value::Timestamp(1001), Value::Timestamp(-9000), Value::Null] {
        let mut other = key(&*values, 7);
        other[2] = time;
        assert_eq!(values.row_of(&other), None);
    }
    assert_eq!(values.row_of(&key(&*values, 7)[..2]), None);
}

#[test]
fn the_next_row_of_a_partition_ends_with_it() {
    let values = series().values().unwrap();
    // Rows 0, 5 and 10 are the readings of the first sensor on the first day.
    assert_eq!(values.next_in_partition(0), Some(5));
    assert_eq!(values.next_in_partition(5), Some(10));
    assert_eq!(values.next_in_partition(10), None);
    assert_eq!(values.previous_in_partition(10), Some(5));
    assert_eq!(values.previous_in_partition(5), Some(0));
    assert_eq!(values.previous_in_partition(0), None);
    assert_eq!(values.previous_in_partition(15), None, "another day");
}

#[test]
fn keys_that_begin_again_are_known_to() {
    let generators = [
        ColumnGenerator::Sequence(sequence(0, 1, 4, Some(3))),
        ColumnGenerator::Sequence(sequence(0, 2, 1, Some(4))),
    ];
    let columns = [("p", ColumnType::Int), ("o", ColumnType::Bigint)];
    let source = Columns::new(1, &table(&columns, &["p"], &["o"]), &generators, false);
    assert!(source.may_repeat_keys());
    let values = source.values().unwrap();
    assert_eq!(values.rows(), Some(12));
    assert_eq!(values.row_of(&[Value::Int(2), Value::Bigint(6)]), Some(11));
    assert_eq!(values.row_of(&[Value::Int(3), Value::Bigint(6)]), None);
    assert_eq!(values.next_in_partition(6), Some(7));
    assert_eq!(values.next_in_partition(7), None);
    assert_eq!(values.previous_in_partition(7), Some(6));
    assert_eq!(values.previous_in_partition(4), None);
    assert!(!values.keys_repeat(12, true) && values.keys_repeat(13, true));

    // The tables of a workload written in CQL may well keep more rows than that.
    let in_cql = Columns::new(1, &table(&columns, &["p"], &["o"]), &generators, true);
    assert_eq!(in_cql.values().unwrap().rows(), None);
}

#[test]
fn keys_by_chance_say_nothing_about_rows() {
    let generators = [ColumnGenerator::UniformInteger { from: 0, to: 9 }];
    let source = Columns::new(
        1,
        &table(&[("k", ColumnType::Int)], &["k"], &[]),
        &generators,
        false,
    );
    let values = source.values().unwrap();
    assert_eq!(values.rows(), None);
    assert_eq!(values.row_of(&[Value::Int(3)]), None);
    assert!(source.may_repeat_keys());
}

/// Tests order keys of two digits, of which one starts again.
#[test]
fn rows_before_and_after_are_each_other_s_neighbours() {
    let generators = [
        ColumnGenerator::Sequence(sequence(0, 1, 1, Some(3))),
        ColumnGenerator::Sequence(sequence(0, 1, 3, Some(4))),
        ColumnGenerator::Sequence(sequence(0, 1, 12, Some(5))),
    ];
    let columns = ["p", "a", "b"].map(|name| (name, ColumnType::Int));
    for order in [["a", "b"], ["b", "a"]] {
        let source = Columns::new(1, &table(&columns, &["p"], &order), &generators, false);
        let values = source.values().unwrap();
        let key = |row| {
            order.map(|name| {
                let column = columns.iter().position(|(n, _)| *n == name).unwrap();
                format!("{:?}", values.value(column, row, Version::First))
            })
        };
        for partition in 0..3 {
            let mut rows: Vec<u64> = (0..60).filter(|row| row % 3 == partition).collect();
            rows.sort_by_key(|row| key(*row));
            for pair in rows.windows(2) {
                assert_eq!(values.next_in_partition(pair[0]), Some(pair[1]));
                assert_eq!(values.previous_in_partition(pair[1]), Some(pair[0]));
            }
            assert_eq!(values.next_in_partition(rows[19]), None);
            assert_eq!(values.previous_in_partition(rows[0]), None);
        }
    }
}

proptest! {
    #[test]
    fn any_chain_of_sequences_gives_rows_back(
        fast in 2u64..50,
        slow in 2u64..50,
        start in -1000i64..1000,
        step in (-9i64..9).prop_filter("not 0", |step| *step != 0),
        row in 0u64..1 << 32,
    ) {
        let generators = [
            ColumnGenerator::Sequence(sequence(start, step, fast, Some(slow))),
            ColumnGenerator::Sequence(sequence(start, step, fast * slow, None)),
            ColumnGenerator::Sequence(sequence(start, step, 1, Some(fast))),
        ];
        let columns = [
            ("a", ColumnType::Text),
            ("b", ColumnType::Bigint),
            ("c", ColumnType::Int),
        ];
        let source = Columns::new(1, &table(&columns, &["b"], &["a", "c"]), &generators, false);
        let values = source.values().unwrap();
        let value = |column| values.value(column, row, Version::First);
        prop_assert_eq!(values.row_of(&[value(1), value(0), value(2)]), Some(row));
        prop_assert_eq!(values.rows(), None);
    }
}
