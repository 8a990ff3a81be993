//! Values that no server should send: an array or an error, never a panic, an endless loop or more memory than is
//! said here.

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Decimal256Type};
use arrow::util::display::array_value_to_string;
use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;

use super::*;

/// The memory for the values of a column of at most 128 KiB, of which each takes a length of 4 bytes at least.
const COLUMN_BYTES: u64 = 16 << 20;

/// The types that are compared, and one that is not.
const KINDS: [Type; 16] = [
    Type::BOOL,
    Type::INT2,
    Type::INT4,
    Type::INT8,
    Type::FLOAT4,
    Type::FLOAT8,
    Type::TIMESTAMP,
    Type::TIMESTAMPTZ,
    Type::DATE,
    Type::NUMERIC,
    Type::BYTEA,
    Type::TEXT,
    Type::VARCHAR,
    Type::NAME,
    Type::UUID,
    Type::POINT,
];

/// Writes values as rows have them: the length in 32 bits, or -1 for null, and the bytes.
fn column(values: &[Option<&[u8]>]) -> Vec<u8> {
    let value = |value: &Option<&[u8]>| match value {
        Some(bytes) => [&(bytes.len() as i32).to_be_bytes()[..], bytes].concat(),
        None => vec![0xff; 4],
    };
    values.iter().flat_map(value).collect()
}

/// Reads what [`column`] writes.
fn values(mut bytes: &[u8]) -> Option<Values<'_>> {
    let mut values = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk()?;
        bytes = rest;
        let length = i32::from_be_bytes(*length);
        values.push(match length {
            -1 => None,
            _ => {
                let (value, rest) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
                bytes = rest;
                Some(value)
            }
        });
    }
    Some(Values(values))
}

/// Arrow reads texts unchecked, so that they have to be UTF-8 whatever a server sends.
fn is_sound(array: &ArrayRef) {
    match array.data_type() {
        // This check is wrong for arrays whose bits begin within a byte.
        DataType::Boolean => {}
        DataType::Decimal256(digits, _) => {
            let numbers = array.as_primitive::<Decimal256Type>();
            numbers.validate_decimal_precision(*digits).unwrap();
        }
        _ => array.to_data().validate_full().unwrap(),
    }
    if !array.is_empty() {
        let _ = array_value_to_string(array, 0);
    }
}

/// Writes a number: how many digits it has in base 10,000, the weight of the first one, the sign, the decimals.
fn number(weight: i16, sign: u16, scale: u16, digits: &[u16]) -> Vec<u8> {
    let head = [digits.len() as u16, weight as u16, sign, scale];
    let words = head.into_iter().chain(digits.iter().copied());
    words.flat_map(u16::to_be_bytes).collect()
}

#[test]
fn values_of_every_type_are_decoded_or_refused() {
    let parser = Parser {
        name: "values of postgres",
        most_bytes: COLUMN_BYTES,
        cases: times(3_000, 120_000),
    };
    let mut corpus = Corpus::default();
    let integers = [&[0u8, 1][..], &[0xff, 0xff]].map(Some);
    corpus.add(column(&[Some(&[1]), None, Some(&[0])]));
    corpus.add(column(&integers));
    corpus.add(column(&[Some(&[0x7f, 0xff, 0xff, 0xff]), Some(&[0; 4])]));
    corpus.add(column(&[Some(&[0x80; 8]), None, Some(&[0; 8])]));
    corpus.add(column(&[Some(&[0xa1; 16]), None]));
    corpus.add(column(&[Some("été".as_bytes()), Some(b"")]));
    let numbers = [
        number(1, 0, 4, &[1, 2345, 6789]),
        number(-1, 0x4000, 2, &[500]),
        number(0, 0, 0, &[]),
        number(18, 0, 0, &[9999]),
    ];
    let numbers: Vec<Option<&[u8]>> = numbers.iter().map(|n| Some(&n[..])).collect();
    corpus.add(column(&numbers));
    corpus.add(column(&[Some(&number(19, 0, 0, &[5]))]));
    corpus.add(column(&[Some(&number(i16::MAX, 0, u16::MAX, &[1; 20]))]));
    corpus.add(column(&[Some(&number(0, 0xc000, 0, &[]))]));
    parser.feed(&corpus, |bytes| {
        let Some(values) = values(bytes) else {
            return false;
        };
        for kind in &KINDS {
            match values.decoded(kind) {
                Ok(array) => {
                    assert_eq!(array.len(), values.0.len());
                    is_sound(&array);
                }
                Err(why) => assert!(!why.is_empty()),
            }
        }
        true
    });
}

#[test]
fn numbers_of_more_digits_than_arrow_computes_with_are_refused() {
    // 10^75 has 76 digits, and 10^76 and 5 * 10^76 have 77: the latter fit 256 bits.
    let of = |weight: i16, digit: u16| number(weight, 0, 0, &[digit]);
    let decoded = |bytes: &[u8]| Values(vec![Some(bytes)]).decoded(&Type::NUMERIC);
    assert!(decoded(&of(18, 1000)).is_ok());
    for digit in [1, 5] {
        let why = decoded(&of(19, digit)).unwrap_err();
        assert!(why.contains("too long"), "{why}");
    }
}
