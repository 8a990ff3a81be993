//! Decoding PostgreSQL's `numeric` from its wire format.
//!
//! Four 16-bit numbers come first: the number of digits, the weight of the first one, the sign, and
//! the number of decimals. The digits follow, in base 10,000
//! (<https://github.com/postgres/postgres/blob/master/src/backend/utils/adt/numeric.c>,
//! `numeric_send`).

use arrow::datatypes::i256;

const NEGATIVE: u16 = 0x4000;
const POSITIVE: u16 = 0x0000;

/// A number as a sign and digits in base 10,000.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numeric {
    negative: bool,
    /// The power of 10,000 that the first digit is multiplied by.
    weight: i16,
    digits: Vec<i16>,
    /// The number of decimals.
    pub scale: u16,
}

impl Numeric {
    /// Decodes a number. Returns `None` for NaN, infinities and bytes that are not a `numeric`.
    pub fn parse(bytes: &[u8]) -> Option<Numeric> {
        let mut words = bytes.chunks(2).map(|pair| match *pair {
            [high, low] => Some(u16::from_be_bytes([high, low])),
            _ => None,
        });
        let mut next = || words.next().flatten();
        let count = next()?;
        let (weight, sign, scale) = (next()? as i16, next()?, next()?);
        let digits: Option<Vec<i16>> = (0..count).map(|_| next().map(|d| d as i16)).collect();
        matches!(sign, POSITIVE | NEGATIVE).then_some(Numeric {
            negative: sign == NEGATIVE,
            weight,
            digits: digits?,
            scale,
        })
    }

    /// Returns the number times 10^`scale`, or `None` if it is too large.
    pub fn unscaled(&self, scale: u16) -> Option<i256> {
        let ten = i256::from_i128(10);
        let mut sum = i256::ZERO;
        for (i, digit) in self.digits.iter().enumerate() {
            let power = 4 * (i64::from(self.weight) - i as i64) + i64::from(scale);
            let digit = i256::from_i128(i128::from(*digit));
            let value = match u32::try_from(power) {
                Ok(power) => digit.checked_mul(ten.checked_pow(power)?)?,
                // Decimals beyond the scale are zeros.
                Err(_) => digit.checked_div(ten.checked_pow(power.unsigned_abs() as u32)?)?,
            };
            sum = sum.checked_add(value)?;
        }
        if self.negative {
            sum.checked_neg()
        } else {
            Some(sum)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(weight: i16, sign: u16, scale: u16, digits: &[u16]) -> Vec<u8> {
        let head = [digits.len() as u16, weight as u16, sign, scale];
        let words = head.into_iter().chain(digits.iter().copied());
        words.flat_map(u16::to_be_bytes).collect()
    }

    fn unscaled(bytes: &[u8]) -> Option<i128> {
        let number = Numeric::parse(bytes)?;
        number.unscaled(number.scale)?.to_i128()
    }

    #[test]
    fn digits_are_put_together() {
        // 12,345.6789, -0.05, 10^8, 0 with two decimals
        assert_eq!(
            unscaled(&bytes(1, POSITIVE, 4, &[1, 2345, 6789])),
            Some(123_456_789)
        );
        assert_eq!(unscaled(&bytes(-1, NEGATIVE, 2, &[500])), Some(-5));
        assert_eq!(unscaled(&bytes(2, POSITIVE, 0, &[1])), Some(100_000_000));
        assert_eq!(unscaled(&bytes(0, POSITIVE, 2, &[])), Some(0));
    }

    #[test]
    fn what_is_no_number_is_none() {
        assert_eq!(Numeric::parse(&bytes(0, 0xC000, 0, &[])), None);
        assert_eq!(Numeric::parse(&bytes(0, 0xD000, 0, &[])), None);
        assert_eq!(Numeric::parse(&[0, 1, 0, 0]), None);
        assert_eq!(Numeric::parse(&[0, 0, 0, 0, 0, 0, 0]), None);
        let huge = Numeric::parse(&bytes(100, POSITIVE, 0, &[1])).unwrap();
        assert_eq!(huge.unscaled(0), None);
    }
}
