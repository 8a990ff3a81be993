//! Conversion of CQL's numbers of any length to numbers of 256 bits and, for messages, to text.

use arrow::datatypes::{Decimal256Type, DecimalType, i256};

use crate::cassandra::read::readable::SCALE;

/// Most digits of a number, those behind the point included. The sum of ten billion such numbers fits 256
/// bits, so that no sum of a table is wrong.
const MOST_DIGITS: u8 = 66;
/// Maximum bytes of a number that is converted, about 2,400 digits.
const NUMBER_BYTES: usize = 1_000;
/// Maximum number of zeros that are written out before an exponent is used.
const ZEROS: usize = 100;
/// Largest power of ten that fits into 32 bits.
const CHUNK: u64 = 1_000_000_000;
/// Number of zeros of [`CHUNK`].
const CHUNK_DIGITS: usize = 9;

/// Converts a varint, which is in two's complement and big-endian. Returns `None` if it has too many digits.
pub fn varint(bytes: &[u8]) -> Option<i256> {
    integer(bytes).filter(|value| fits(*value))
}

/// Converts a decimal, which is the number of digits behind the point in 32 bits and a [`varint`], to a number
/// with [`SCALE`] digits behind the point. Returns `None` if it has too many digits on either side.
pub fn decimal(bytes: &[u8]) -> Option<i256> {
    let (scale, unscaled) = bytes.split_first_chunk::<4>()?;
    let unscaled = integer(unscaled)?;
    let missing = i64::from(SCALE) - i64::from(i32::from_be_bytes(*scale));
    if unscaled == i256::ZERO {
        return Some(unscaled);
    }
    let power = i256::from_i128(10).checked_pow(u32::try_from(missing.unsigned_abs()).ok()?)?;
    let value = if missing >= 0 {
        unscaled.checked_mul(power)?
    } else if unscaled.checked_rem(power)? == i256::ZERO {
        unscaled.checked_div(power)?
    } else {
        return None;
    };
    Some(value).filter(|value| fits(*value))
}

/// Returns how many digits a number may have before the point.
pub fn digits_before_point(is_decimal: bool) -> u8 {
    if is_decimal {
        MOST_DIGITS - SCALE.unsigned_abs()
    } else {
        MOST_DIGITS
    }
}

fn fits(value: i256) -> bool {
    Decimal256Type::is_valid_decimal_precision(value, MOST_DIGITS)
}

/// Reads a number in two's complement that may be longer than 256 bits.
fn integer(bytes: &[u8]) -> Option<i256> {
    let fill = if bytes.first()? & 0x80 == 0 { 0 } else { 0xff };
    let (extra, lowest) = bytes.split_at(bytes.len().saturating_sub(32));
    let keeps_sign = (lowest.first()? ^ fill) & 0x80 == 0;
    if !keeps_sign || extra.iter().any(|byte| *byte != fill) {
        return None;
    }
    let mut all = [fill; 32];
    all[32 - lowest.len()..].copy_from_slice(lowest);
    Some(i256::from_be_bytes(all))
}

/// Writes a varint.
pub fn varint_text(bytes: &[u8]) -> Option<String> {
    let (negative, digits) = digits(bytes)?;
    Some(if negative {
        format!("-{digits}")
    } else {
        digits
    })
}

/// Writes a decimal.
pub fn decimal_text(bytes: &[u8]) -> Option<String> {
    let (scale, unscaled) = bytes.split_first_chunk::<4>()?;
    let scale = i64::from(i32::from_be_bytes(*scale));
    let (negative, digits) = digits(unscaled)?;
    let sign = if negative { "-" } else { "" };
    let point = digits.len() as i64 - scale;
    Some(match point {
        _ if scale == 0 || digits == "0" => format!("{sign}{digits}"),
        1.. if scale > 0 => {
            let (whole, fraction) = digits.split_at(point as usize);
            format!("{sign}{whole}.{fraction}")
        }
        _ if scale > 0 && point > -(ZEROS as i64) => {
            format!(
                "{sign}0.{}{digits}",
                "0".repeat(point.unsigned_abs() as usize)
            )
        }
        _ if scale < 0 && scale > -(ZEROS as i64) => {
            format!(
                "{sign}{digits}{}",
                "0".repeat(scale.unsigned_abs() as usize)
            )
        }
        _ => format!("{sign}{digits}E{}", -scale),
    })
}

/// Returns whether a number is negative, and its decimal digits.
fn digits(bytes: &[u8]) -> Option<(bool, String)> {
    let first = bytes.first().filter(|_| bytes.len() <= NUMBER_BYTES)?;
    let negative = first & 0x80 != 0;
    let mut words = magnitude(bytes, negative);
    let mut chunks = Vec::new();
    while !words.is_empty() {
        chunks.push(divide(&mut words));
    }
    let Some(highest) = chunks.pop() else {
        return Some((false, "0".to_owned()));
    };
    let lower = chunks.iter().rev().map(|c| format!("{c:0CHUNK_DIGITS$}"));
    Some((
        negative,
        std::iter::once(highest.to_string()).chain(lower).collect(),
    ))
}

/// Returns the absolute value in words of 32 bits, highest first, without leading zeros.
fn magnitude(bytes: &[u8], negative: bool) -> Vec<u32> {
    let mut words: Vec<u32> = bytes
        .rchunks(4)
        .map(|chunk| {
            let fill = if negative { u32::MAX } else { 0 };
            chunk
                .iter()
                .fold(fill, |word, byte| word << 8 | u32::from(*byte))
        })
        .collect();
    if negative {
        // Two's complement: invert all bits and add one.
        let mut carry = true;
        for word in &mut words {
            let (negated, more) = (!*word).overflowing_add(u32::from(carry));
            (*word, carry) = (negated, more);
        }
        if carry {
            words.push(1);
        }
    }
    words.reverse();
    let zeros = words.iter().take_while(|word| **word == 0).count();
    words.split_off(zeros)
}

/// Divides a number by [`CHUNK`] in place, and returns the remainder.
fn divide(words: &mut Vec<u32>) -> u64 {
    let mut rest = 0;
    for word in words.iter_mut() {
        let value = rest << 32 | u64::from(*word);
        *word = (value / CHUNK) as u32;
        rest = value % CHUNK;
    }
    if words.first() == Some(&0) {
        words.remove(0);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes a number in as few bytes as Cassandra does.
    fn bytes(value: i128) -> Vec<u8> {
        let all = value.to_be_bytes();
        let fill = if value < 0 { 0xff } else { 0 };
        let mut at = 0;
        while at < 15 && all[at] == fill && (all[at + 1] & 0x80) == (fill & 0x80) {
            at += 1;
        }
        all[at..].to_vec()
    }

    #[test]
    fn whole_numbers_of_any_length() {
        for value in [
            0,
            1,
            -1,
            127,
            128,
            -128,
            -129,
            999_999_999,
            1_000_000_000,
            -1_000_000_000,
            i128::from(i64::MIN),
            i128::from(u32::MAX) + 1,
            -(i128::from(u32::MAX) + 1),
            i128::MAX,
            i128::MIN,
        ] {
            assert_eq!(varint_text(&bytes(value)), Some(value.to_string()));
            let padded = [vec![if value < 0 { 0xff } else { 0 }; 3], bytes(value)].concat();
            assert_eq!(varint_text(&padded), Some(value.to_string()));
        }
        let large = [&[1][..], &[0; 32]].concat();
        let shown =
            "115792089237316195423570985008687907853269984665640564039457584007913129639936";
        assert_eq!(varint_text(&large).as_deref(), Some(shown));
        assert_eq!(varint_text(&[]), None);
        assert_eq!(varint_text(&[1; NUMBER_BYTES + 1]), None);
    }

    #[test]
    fn the_scale_places_the_decimal_point() {
        let shown = |scale: i32, value: i128| {
            decimal_text(&[&scale.to_be_bytes()[..], &bytes(value)].concat()).unwrap()
        };
        assert_eq!(shown(0, 42), "42");
        assert_eq!(shown(2, 12345), "123.45");
        assert_eq!(shown(2, -5), "-0.05");
        assert_eq!(shown(2, 50), "0.50");
        assert_eq!(shown(3, 0), "0");
        assert_eq!(shown(-3, 5), "5000");
        assert_eq!(shown(i32::MAX, 7), format!("7E-{}", i32::MAX));
        assert_eq!(shown(i32::MIN, 7), "7E2147483648");
        assert_eq!(decimal_text(&[0, 0]), None);
    }

    #[test]
    fn numbers_have_their_value_in_256_bits() {
        for value in [
            0,
            1,
            -1,
            127,
            -129,
            i128::from(i64::MIN),
            i128::MAX,
            i128::MIN,
        ] {
            assert_eq!(varint(&bytes(value)), Some(i256::from_i128(value)));
            let padded = [vec![if value < 0 { 0xff } else { 0 }; 40], bytes(value)].concat();
            assert_eq!(varint(&padded), Some(i256::from_i128(value)));
        }
        // 2^256 has 78 digits, and 2^222 has 67.
        assert_eq!(varint(&[&[1][..], &[0; 32]].concat()), None);
        assert_eq!(varint(&[&[0x40][..], &[0; 27]].concat()), None);
        assert_eq!(varint(&[]), None);
        let number =
            |scale: i32, value: i128| decimal(&[&scale.to_be_bytes()[..], &bytes(value)].concat());
        let shifted = |value: i128, zeros: u32| {
            let power = i256::from_i128(10).checked_pow(zeros).unwrap();
            i256::from_i128(value).checked_mul(power)
        };
        assert_eq!(number(2, -1250), shifted(-1250, 36));
        assert_eq!(number(1, -125), number(2, -1250));
        assert_eq!(number(-3, 5), shifted(5, 41));
        assert_eq!(number(38, 7), shifted(7, 0));
        assert_eq!(number(40, 700), shifted(7, 0));
        assert_eq!(number(39, 7), None);
        assert_eq!(number(-27, 9), shifted(9, 65));
        assert_eq!(number(-28, 1), None);
        assert_eq!(number(i32::MIN, 0), Some(i256::ZERO));
        assert_eq!(number(i32::MIN, 1), None);
        assert_eq!(number(i32::MAX, 1), None);
        assert_eq!(decimal(&[0, 0]), None);
    }
}
