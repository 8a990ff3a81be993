use std::cmp::Ordering;
use std::num::NonZeroI64;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Float32Array, Float64Array, Int32Array,
    Int64Array, RecordBatch, StringArray, TimestampMillisecondArray, TimestampNanosecondArray,
};
use bytes::Bytes;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::definition::{Column, Definition, Profile};
use crate::id::Place;
use crate::meta::Scalar;

/// Columns `c0`, `c1`, ... of these kinds; the first ones are the partition key, the next ones the
/// order key.
pub(crate) fn definition(kinds: &[Kind], partition: usize, order: usize) -> Definition {
    let name = |i: usize| format!("c{i}");
    let column = |(i, kind): (usize, &Kind)| Column {
        name: name(i),
        kind: *kind,
    };
    Definition {
        columns: kinds.iter().enumerate().map(column).collect(),
        partition_key: (0..partition).map(name).collect(),
        order_key: (partition..partition + order).map(name).collect(),
        bucket: None,
        shards: 7,
        profile: Profile::Fast,
        chunk_rows: 100,
    }
}

/// Values of any kind. Few of them are different, so that rows are equal in some columns.
pub(crate) fn scalar(kind: Kind) -> BoxedStrategy<Scalar> {
    let int = |values: Vec<i64>| select(values).prop_map(Scalar::Int).boxed();
    let bytes = |text: String| prop::collection::vec(select(text.into_bytes()), 0..4);
    let wrapped = |bytes: Vec<u8>| Scalar::Bytes(bytes.into());
    match kind {
        Kind::Boolean => int(vec![0, 1]),
        Kind::Int | Kind::Date => int(vec![i32::MIN.into(), -256, -1, 0, 255, i32::MAX.into()]),
        Kind::Bigint | Kind::Timestamp | Kind::Nanotime => {
            int(vec![i64::MIN, -1, 0, 65_536, i64::MAX])
        }
        Kind::Float => any::<f32>().prop_map(|v| Scalar::Double(v.into())).boxed(),
        Kind::Double => prop_oneof![any::<f64>(), select(vec![0.0, -0.0, f64::NAN, -f64::NAN])]
            .prop_map(Scalar::Double)
            .boxed(),
        Kind::Text => bytes("\0\u{1}a~".to_owned()).prop_map(wrapped).boxed(),
        Kind::Blob => prop::collection::vec(select(vec![0, 1, 0x80, 0xFF]), 0..4)
            .prop_map(wrapped)
            .boxed(),
    }
}

/// One row in ten kinds, of which any may be null.
pub(crate) fn nullable_row(kinds: &[Kind]) -> impl Strategy<Value = Vec<Option<Scalar>>> + use<> {
    let values: Vec<_> = kinds
        .iter()
        .map(|kind| prop::option::of(scalar(*kind)))
        .collect();
    values
}

pub(crate) fn array(kind: Kind, values: &[Option<Scalar>]) -> ArrayRef {
    let int = |v: &Option<Scalar>| match v {
        Some(Scalar::Int(v)) => Some(*v),
        _ => None,
    };
    let four = |v| int(v).map(|v| v as i32);
    let double = |v: &Option<Scalar>| match v {
        Some(Scalar::Double(v)) => Some(*v),
        _ => None,
    };
    let bytes = |v: &Option<Scalar>| match v {
        Some(Scalar::Bytes(v)) => Some(v.to_vec()),
        _ => None,
    };
    let text = |v| bytes(v).map(|v| String::from_utf8(v).unwrap());
    let values = values.iter();
    match kind {
        Kind::Boolean => Arc::new(BooleanArray::from_iter(
            values.map(|v| int(v).map(|v| v == 1)),
        )),
        Kind::Int => Arc::new(Int32Array::from_iter(values.map(four))),
        Kind::Date => Arc::new(Date32Array::from_iter(values.map(four))),
        Kind::Bigint => Arc::new(Int64Array::from_iter(values.map(int))),
        Kind::Timestamp => Arc::new(TimestampMillisecondArray::from_iter(values.map(int))),
        Kind::Nanotime => Arc::new(TimestampNanosecondArray::from_iter(values.map(int))),
        Kind::Float => Arc::new(Float32Array::from_iter(
            values.map(|v| double(v).map(|v| v as f32)),
        )),
        Kind::Double => Arc::new(Float64Array::from_iter(values.map(double))),
        Kind::Text => Arc::new(StringArray::from_iter(values.map(text))),
        Kind::Blob => Arc::new(BinaryArray::from_iter(values.map(bytes))),
    }
}

pub(crate) fn batch(definition: &Definition, rows: &[Vec<Option<Scalar>>]) -> RecordBatch {
    let column = |(i, column): (usize, &Column)| {
        let values: Vec<_> = rows.iter().map(|row| row[i].clone()).collect();
        array(column.kind, &values)
    };
    let columns = definition.columns.iter().enumerate().map(column).collect();
    RecordBatch::try_new(definition.schema(), columns).unwrap()
}

fn whole(rows: &[Vec<Scalar>]) -> Vec<Vec<Option<Scalar>>> {
    let whole = |row: &Vec<Scalar>| row.iter().cloned().map(Some).collect();
    rows.iter().map(whole).collect()
}

fn compare(a: &Scalar, b: &Scalar) -> Ordering {
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => a.cmp(b),
        (Scalar::Double(a), Scalar::Double(b)) => a.total_cmp(b),
        (Scalar::Bytes(a), Scalar::Bytes(b)) => a.cmp(b),
        _ => panic!("{a:?} and {b:?} are of different kinds"),
    }
}

fn compare_rows(a: &[Scalar], b: &[Scalar]) -> Ordering {
    let columns = a.iter().zip(b).map(|(a, b)| compare(a, b));
    columns.fold(Ordering::Equal, Ordering::then)
}

/// Generates up to four kinds and some rows of them.
fn rows() -> impl Strategy<Value = (Vec<Kind>, Vec<Vec<Scalar>>)> {
    prop::collection::vec(select(Kind::ALL.to_vec()), 1..5).prop_flat_map(|kinds| {
        let row: Vec<_> = kinds.iter().map(|kind| scalar(*kind)).collect();
        (Just(kinds), prop::collection::vec(row, 1..20))
    })
}

proptest! {
    #[test]
    fn keys_compare_as_their_rows_and_come_back((kinds, rows) in rows()) {
        let definition = definition(&kinds, 1, kinds.len() - 1);
        let batch = batch(&definition, &whole(&rows));
        let keys = encode(&definition, &batch).unwrap();
        for (i, a) in rows.iter().enumerate() {
            for (j, b) in rows.iter().enumerate() {
                prop_assert_eq!(keys.get(i).cmp(keys.get(j)), compare_rows(a, b), "{:?} {:?}", a, b);
            }
        }
        let columns = decode(&definition, keys.iter()).unwrap();
        prop_assert_eq!(&columns[..], batch.columns());
        let again = encode_columns(&definition, &columns).unwrap();
        prop_assert!(again.iter().eq(keys.iter()));
        prop_assert!(keys.iter().collect::<Keys>().iter().eq(keys.iter()));
    }

    #[test]
    fn a_partition_key_is_a_prefix_and_bounds_its_rows((kinds, rows) in rows()) {
        let partition = 1 + kinds.len() / 2;
        let definition = definition(&kinds, partition.min(kinds.len()), kinds.len().saturating_sub(partition));
        let of_partition = partition_kinds(&definition);
        let keys = encode(&definition, &batch(&definition, &whole(&rows))).unwrap();
        for (i, row) in rows.iter().enumerate() {
            let mine = &row[..of_partition.len()];
            let prefix = encode_partition(&definition, mine).unwrap();
            let length = partition_len(&of_partition, keys.get(i)).unwrap();
            prop_assert_eq!(&keys.get(i)[..length], &prefix[..]);
            let placer = Placer::new(&definition);
            prop_assert_eq!(placer.place(keys.get(i)).unwrap().shard, placer.shard(&prefix));
            let end = after(&prefix);
            for (j, other) in rows.iter().enumerate() {
                let expected = compare_rows(&other[..mine.len()], mine);
                let key = keys.get(j);
                let found = if key < &prefix[..] {
                    Ordering::Less
                } else if key < &end[..] {
                    Ordering::Equal
                } else {
                    Ordering::Greater
                };
                prop_assert_eq!(found, expected);
                prop_assert_ne!(key, &end[..]);
            }
        }
    }

    #[test]
    fn whatever_bytes_are_decoded_nothing_panics(kinds in prop::collection::vec(select(Kind::ALL.to_vec()), 1..4), bytes in prop::collection::vec(select(vec![0, 1, 2, 0x80, 0xFF]), 0..40)) {
        let definition = definition(&kinds, 1, kinds.len() - 1);
        if let Ok(columns) = decode(&definition, [&bytes[..]]) {
            let again = encode_columns(&definition, &columns).unwrap();
            prop_assert_eq!(again.get(0), &bytes[..]);
        }
        partition_len(&partition_kinds(&definition), &bytes);
        let _ = Placer::new(&definition).place(&bytes);
    }
}

#[test]
fn each_kind_has_the_bytes_that_are_documented() {
    let bytes = |kind, value| {
        let mut out = Vec::new();
        append_scalar(kind, &value, &mut out).unwrap();
        out
    };
    let text = |text: &'static [u8]| Scalar::Bytes(Bytes::from_static(text));
    assert_eq!(bytes(Kind::Boolean, Scalar::Int(1)), [1, 1]);
    assert_eq!(
        bytes(Kind::Int, Scalar::Int(-1)),
        [1, 0x7F, 0xFF, 0xFF, 0xFF]
    );
    assert_eq!(bytes(Kind::Date, Scalar::Int(258)), [1, 0x80, 0, 1, 2]);
    assert_eq!(
        bytes(Kind::Timestamp, Scalar::Int(1)),
        [1, 0x80, 0, 0, 0, 0, 0, 0, 1]
    );
    assert_eq!(
        bytes(Kind::Float, Scalar::Double(1.0)),
        [1, 0xBF, 0x80, 0, 0]
    );
    assert_eq!(
        bytes(Kind::Float, Scalar::Double(-1.0)),
        [1, 0x40, 0x7F, 0xFF, 0xFF]
    );
    assert_eq!(
        bytes(Kind::Double, Scalar::Double(0.0)),
        [1, 0x80, 0, 0, 0, 0, 0, 0, 0]
    );
    assert_eq!(bytes(Kind::Text, text(b"")), [1, 0, 1]);
    assert_eq!(bytes(Kind::Text, text(b"ab")), [1, b'a', b'b', 0, 1]);
    assert_eq!(
        bytes(Kind::Blob, text(b"\0\x01\0")),
        [1, 0, 0xFF, 1, 0, 0xFF, 0, 1]
    );
}

#[test]
fn a_value_that_the_column_cannot_hold_appends_nothing() {
    let mut out = vec![7];
    for (kind, value) in [
        (Kind::Int, Scalar::Int(1 << 40)),
        (Kind::Boolean, Scalar::Int(2)),
        (Kind::Float, Scalar::Double(0.1)),
        (Kind::Text, Scalar::Int(0)),
    ] {
        append_scalar(kind, &value, &mut out).unwrap_err();
        assert_eq!(out, [7]);
    }
}

#[test]
fn a_null_in_a_key_names_its_column_and_row() {
    let definition = definition(&[Kind::Text, Kind::Int], 1, 1);
    let columns: [ArrayRef; 2] = [
        Arc::new(StringArray::from(vec!["a", "b", "c"])),
        Arc::new(Int32Array::from(vec![Some(1), Some(2), None])),
    ];
    let error = encode_columns(&definition, &columns)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "row 2 has a null in key column `c1`; a key cannot be null"
    );
    let error = encode_columns(&definition, &columns[..1])
        .unwrap_err()
        .to_string();
    assert_eq!(error, "a key has 2 columns of equal length, not 1");
    let swapped = [columns[1].clone(), columns[0].clone()];
    let error = encode_columns(&definition, &swapped)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "column `c0` is Int32 in a batch and Utf8 in the table"
    );
}

#[test]
fn a_torn_key_is_noticed_wherever_it_is_torn() {
    let definition = definition(&Kind::ALL, 5, 5);
    let row: Vec<Option<Scalar>> = Kind::ALL
        .iter()
        .map(|kind| match kind {
            Kind::Float | Kind::Double => Some(Scalar::Double(1.5)),
            Kind::Text | Kind::Blob => Some(Scalar::Bytes(Bytes::from_static(b"a\0b"))),
            _ => Some(Scalar::Int(1)),
        })
        .collect();
    let keys = encode(&definition, &batch(&definition, &[row])).unwrap();
    let key = keys.get(0);
    for length in 0..key.len() {
        decode(&definition, [&key[..length]]).unwrap_err();
    }
    let longer = [key, &[0]].concat();
    let error = decode(&definition, [key, &longer]).unwrap_err().to_string();
    assert_eq!(error, "the key of row 1 is torn behind its last column");
}

#[test]
fn buckets_are_rounded_down_and_shards_never_change() {
    let mut definition = definition(&[Kind::Text, Kind::Timestamp], 1, 1);
    definition.bucket = NonZeroI64::new(10);
    let columns: [ArrayRef; 2] = [
        Arc::new(StringArray::from(vec!["a", "a", "b", "b"])),
        Arc::new(TimestampMillisecondArray::from(vec![-11, -10, 9, i64::MAX])),
    ];
    let keys = encode_columns(&definition, &columns).unwrap();
    let places = place(&definition, &keys).unwrap();
    let expected = [(-2, 0), (-1, 0), (0, 1), (i64::MAX / 10, 1)]
        .map(|(bucket, shard)| Place { bucket, shard });
    assert_eq!(places, expected);
}
