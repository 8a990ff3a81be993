use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::key::tests::{batch, definition, nullable_row};
use crate::meta::Scalar;

/// A key column of each kind, and then a value column of each.
fn kinds() -> Vec<Kind> {
    let keys = Kind::ALL.iter().take(2);
    keys.chain(&Kind::ALL).copied().collect()
}

fn table() -> Definition {
    definition(&kinds(), 1, 1)
}

fn row() -> impl Strategy<Value = Vec<Option<Scalar>>> {
    nullable_row(&Kind::ALL).prop_map(|values| {
        let keys = [Some(Scalar::Int(1)), Some(Scalar::Int(7))];
        keys.into_iter().chain(values).collect()
    })
}

fn encoded(values: &[Option<Scalar>]) -> Bytes {
    let definition = table();
    let keys = [Some(Scalar::Int(1)), Some(Scalar::Int(7))];
    let row = keys.iter().chain(values).cloned().collect();
    encode(&definition, &batch(&definition, &[row])).unwrap()[0].clone()
}

fn examples() -> Vec<Option<Scalar>> {
    let text = |text: &'static str| Some(Scalar::Bytes(Bytes::from_static(text.as_bytes())));
    vec![
        Some(Scalar::Int(1)),
        Some(Scalar::Int(-2)),
        Some(Scalar::Int(3)),
        None,
        Some(Scalar::Double(1.0)),
        Some(Scalar::Int(258)),
        Some(Scalar::Int(5)),
        None,
        text("naïve"),
        text(""),
    ]
}

#[test]
fn a_row_has_the_bytes_that_are_documented() {
    let expected: Vec<u8> = [
        &[0b1000_1000, 0][..],
        &[1],
        &[0xFE, 0xFF, 0xFF, 0xFF],
        &[3, 0, 0, 0, 0, 0, 0, 0],
        &[0, 0, 0, 0, 0, 0, 0xF0, 0x3F],
        &[2, 1, 0, 0],
        &[5, 0, 0, 0, 0, 0, 0, 0],
        &[6, b'n', b'a', 0xC3, 0xAF, b'v', b'e'],
        &[0],
    ]
    .concat();
    assert_eq!(encoded(&examples()), expected);
}

#[test]
fn a_torn_row_is_noticed_wherever_it_is_torn() {
    let row = encoded(&examples());
    let definition = table();
    for length in 0..row.len() {
        decode(&definition, &[Some(&row[..length])]).unwrap_err();
    }
    let longer = [&row[..], &[0]].concat();
    let error = decode(&definition, &[None, Some(&longer)]).unwrap_err();
    assert_eq!(error.to_string(), "row 1 is torn behind its last column");
}

#[test]
fn a_row_of_a_table_with_nothing_but_keys_is_empty() {
    let definition = definition(&[Kind::Int], 1, 0);
    let rows = encode(
        &definition,
        &batch(&definition, &[vec![Some(Scalar::Int(1))]]),
    )
    .unwrap();
    assert_eq!(rows, [Bytes::new()]);
    assert!(decode(&definition, &[Some(b""), None]).unwrap().is_empty());
}

proptest! {
    #[test]
    fn rows_come_back(rows in prop::collection::vec(row(), 0..20)) {
        let definition = table();
        let batch = batch(&definition, &rows);
        let encoded = encode(&definition, &batch).unwrap();
        let mut given: Vec<Option<&[u8]>> = encoded.iter().map(|row| Some(&row[..])).collect();
        let columns = decode(&definition, &given).unwrap();
        prop_assert_eq!(&columns[..], &batch.columns()[2..]);
        let some = decode_columns(&definition, &[4, 2, 11], &given).unwrap();
        prop_assert_eq!(some, [2, 4, 11].map(|i| batch.column(i).clone()));
        given.push(None);
        for column in decode(&definition, &given).unwrap() {
            prop_assert!(column.is_null(rows.len()));
            prop_assert_eq!(column.len(), rows.len() + 1);
        }
    }

    #[test]
    fn whatever_bytes_are_decoded_nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = decode(&table(), &[Some(&bytes)]);
        let without_nulls = [&[0, 0], &bytes[..]].concat();
        let _ = decode(&table(), &[Some(&without_nulls)]);
    }
}
