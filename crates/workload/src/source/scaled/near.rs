//! Values near to others: numbers with other low digits, texts with other characters of the same kinds.

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::{Float32Type, Float64Type, Int32Type, Int64Type};

use crate::{ColumnType, Stream};

/// Most decimals, and digits in all, of a number that is taken for a decimal one rather than for the outcome of a
/// computation.
const MOST_DECIMALS: usize = 15;
const LARGEST_DECIMAL: f64 = 9e15;
/// Largest share of a column's range by which a value may change.
const LARGEST_STEP: f64 = 0.05;
/// Units by which a number may change however near its neighbours are.
const FEW_UNITS: f64 = 3.0;
/// Farthest that a number changes, in units of its last digit.
const MOST_UNITS: f64 = 1e9;
/// Bits of a computed number that change where there is no usual distance.
const LOW_BITS: u64 = 0xfff;
/// Letters at the end of a text without digits that change.
const LAST_LETTERS: usize = 4;
/// Bytes at the end of other bytes that change.
const LAST_BYTES: usize = 8;

/// Distance within which the numbers of a column change: about that of neighbours in the middle half of its different
/// values, or farther where there are few, up to the next ones. No number leaves the range of the column.
#[derive(Debug, Clone)]
pub struct Reach {
    distance: f64,
    /// Different values in ascending order.
    values: Vec<f64>,
    least: f64,
    most: f64,
}

impl Reach {
    /// Finds the reach of a column, which is of no use if it has no numbers.
    pub fn of(column: &ArrayRef, kind: ColumnType, different: usize) -> Reach {
        let mut values: Vec<f64> = match kind {
            ColumnType::Float => {
                let cells = column.as_primitive::<Float32Type>().iter().flatten();
                let cells = cells.filter(|value| value.is_finite());
                cells.map(of_float).collect()
            }
            ColumnType::Double => {
                let cells = column.as_primitive::<Float64Type>().iter().flatten();
                cells.filter(|value| value.is_finite()).collect()
            }
            ColumnType::Int => {
                let cells = column.as_primitive::<Int32Type>().iter().flatten();
                cells.map(f64::from).collect()
            }
            ColumnType::Bigint => {
                let cells = column.as_primitive::<Int64Type>().iter().flatten();
                cells.map(|value| value as f64).collect()
            }
            _ => Vec::new(),
        };
        values.sort_unstable_by(f64::total_cmp);
        let at = |share: usize| {
            let last = values.len().saturating_sub(1);
            values.get(last * share / 4).copied().unwrap_or(0.0)
        };
        let (distance, least, most) = (
            (at(3) - at(1)) / (different as f64 / 2.0).max(1.0),
            at(0),
            at(4),
        );
        values.dedup();
        values.shrink_to_fit();
        Reach {
            distance,
            values,
            least,
            most,
        }
    }

    /// Returns how far the farther one of the next values is.
    fn gap(&self, value: f64) -> f64 {
        let behind = self.values.partition_point(|own| *own <= value);
        let before = self.values.partition_point(|own| *own < value);
        let after = self.values.get(behind).map_or(0.0, |next| next - value);
        let to_last = { before.checked_sub(1) }.map_or(0.0, |last| value - self.values[last]);
        after.max(to_last)
    }

    /// Returns a whole number near to this one.
    pub fn whole(&self, value: i64, draws: &mut Stream) -> i64 {
        if value == 0 || !self.allows(1.0) {
            return value;
        }
        let step = self.step(value as f64, 1.0, draws);
        let fits = |near: &i64| *near != 0 && self.holds(*near as f64);
        let near = [value.checked_add(step), value.checked_sub(step)];
        { near.into_iter().flatten() }.find(fits).unwrap_or(value)
    }

    /// Returns a number near to this one that has as many decimals, unless it has more than people write. Zero stays.
    pub fn real(&self, value: f64, draws: &mut Stream) -> f64 {
        if value == 0.0 || !value.is_finite() {
            return value;
        }
        let Some(decimals) = decimals(value) else {
            return self.computed(value, draws);
        };
        let power = 10_f64.powi(decimals as i32);
        if !self.allows(1.0 / power) {
            return value;
        }
        let (units, step) = (
            (value * power).round() as i64,
            self.step(value, 1.0 / power, draws),
        );
        // A zero at the end would be a decimal less.
        let ends_in_zero = |units: i64| decimals > 0 && units % 10 == 0;
        let moved = |step: i64| {
            let near = units.saturating_add(step);
            if ends_in_zero(near) {
                near + step.signum()
            } else {
                near
            }
        };
        let fits = |near: &f64| *near != 0.0 && self.holds(*near);
        { [moved(step), moved(-step)].into_iter() }
            .map(|near| near as f64 / power)
            .find(fits)
            .unwrap_or(value)
    }

    /// Returns a number near to one that was computed, with any decimals.
    fn computed(&self, value: f64, draws: &mut Stream) -> f64 {
        let changed = if self.distance > 0.0 {
            value + self.distance * (2.0 * draws.unit() - 1.0)
        } else {
            f64::from_bits(value.to_bits() ^ (draws.next_u64() & LOW_BITS))
        };
        if changed != 0.0 && self.holds(changed) {
            changed
        } else {
            value
        }
    }

    fn step(&self, value: f64, unit: f64, draws: &mut Stream) -> i64 {
        let allowed = (self.most - self.least) * LARGEST_STEP / unit;
        let few = FEW_UNITS.max(self.gap(value) / unit);
        let most = (self.distance / unit).max(allowed.min(few));
        let most = most.clamp(1.0, MOST_UNITS) as u64;
        let step = 1 + draws.below(most) as i64;
        if draws.next_u64() & 1 == 0 {
            step
        } else {
            -step
        }
    }

    /// Returns whether a change by one unit is small enough.
    fn allows(&self, unit: f64) -> bool {
        unit <= (self.most - self.least) * LARGEST_STEP
    }

    fn holds(&self, value: f64) -> bool {
        self.least <= value && value <= self.most
    }
}

/// Returns a float as the double that is written with the same digits, which are fewer than those of the same number.
pub fn of_float(value: f32) -> f64 {
    let mut buffer = zmij::Buffer::new();
    buffer.format(value).parse().unwrap_or(f64::from(value))
}

/// Returns the number of decimals; `None` if there are more than people write.
pub fn decimals(value: f64) -> Option<usize> {
    let mut buffer = zmij::Buffer::new();
    let written = buffer.format(value);
    let decimals = match written.split_once('.') {
        _ if written.contains('e') => return None,
        Some((_, "0")) | None => 0,
        Some((_, decimals)) => decimals.len(),
    };
    let is_decimal =
        decimals <= MOST_DECIMALS && value.abs() * 10_f64.powi(decimals as i32) < LARGEST_DECIMAL;
    is_decimal.then_some(decimals)
}

/// Writes a text of the same length and kinds of characters: with other digits in the last token that has any, or
/// with other last letters. A text without either stays.
pub fn text(text: &str, draws: &mut Stream, out: &mut String) {
    out.clear();
    let bytes = text.as_bytes();
    let has_digits = bytes.iter().any(u8::is_ascii_digit);
    // From this byte on characters change.
    let start = if has_digits {
        last_token(bytes)
    } else {
        let letters = bytes.iter().enumerate().rev();
        let letters = letters.filter(|(_, byte)| byte.is_ascii_alphabetic());
        letters
            .take(LAST_LETTERS)
            .last()
            .map_or(text.len(), |(at, _)| at)
    };
    let token = bytes[start..].iter();
    let token = token.take_while(|byte| byte.is_ascii_alphanumeric());
    let is_hex = has_digits && token.clone().any(|byte| byte.is_ascii_lowercase()) && { token }
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let mut was_digit = false;
    for (at, character) in text.char_indices() {
        let changed = match character {
            _ if at < start => character,
            // The first digit of a number is a zero only if it was one.
            '0'..='9' if was_digit || is_hex => digit(draws.below(10)),
            '1'..='9' => digit(1 + draws.below(9)),
            'a'..='f' if is_hex => letter(b'a', draws.below(6)),
            'a'..='z' if !has_digits => letter(b'a', draws.below(26)),
            'A'..='Z' if !has_digits => letter(b'A', draws.below(26)),
            other => other,
        };
        was_digit = character.is_ascii_digit();
        out.push(changed);
    }
}

/// Returns where the last run of letters and digits that has a digit begins.
fn last_token(bytes: &[u8]) -> usize {
    let last = bytes.iter().rposition(u8::is_ascii_digit).unwrap_or(0);
    let before = bytes[..last].iter().rev();
    last - before
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count()
}

fn digit(value: u64) -> char {
    letter(b'0', value)
}

fn letter(first: u8, value: u64) -> char {
    char::from(first.saturating_add(value as u8))
}

/// Returns as many bytes with another end.
pub fn bytes(bytes: &[u8], draws: &mut Stream) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    let start = changed.len().saturating_sub(LAST_BYTES);
    for byte in &mut changed[start..] {
        *byte = draws.next_u64() as u8;
    }
    changed
}

#[cfg(test)]
mod tests {
    use arrow::array::Float64Array;

    use super::*;

    fn reach() -> Reach {
        Reach {
            distance: 0.2,
            values: Vec::new(),
            least: -5.0,
            most: 120.0,
        }
    }

    #[test]
    fn numbers_keep_their_decimals_and_the_range_of_the_column() {
        let mut draws = Stream::new(&[1]);
        for value in [0.132, 17.5, 119.999, -4.99, 51.25, 3.000_1] {
            for _ in 0..200 {
                let near = reach().real(value, &mut draws);
                assert_eq!(decimals(near), decimals(value), "{near} of {value}");
                assert!(
                    near != value && (near - value).abs() < 0.5,
                    "{near} of {value}"
                );
                assert!((-5.0..=120.0).contains(&near));
            }
        }
        assert_eq!(reach().real(0.0, &mut draws), 0.0);
        assert!(reach().real(f64::NAN, &mut draws).is_nan());
        let computed = 51.846_000_000_000_004;
        let near = reach().real(computed, &mut draws);
        assert!(near != computed && (near - computed).abs() < 0.2);
    }

    #[test]
    fn rare_numbers_change_up_to_the_next_ones() {
        let dense = (0..100).map(f64::from);
        let cells: Vec<f64> = dense.chain([400.0, 450.0, 900.0]).collect();
        let column: ArrayRef = std::sync::Arc::new(Float64Array::from(cells.clone()));
        let reach = Reach::of(&column, ColumnType::Double, cells.len());
        let mut draws = Stream::new(&[1]);
        let mut farthest = |value: i64| {
            let near = (0..500).map(|_| reach.whole(value, &mut draws).abs_diff(value));
            near.max().unwrap()
        };
        assert!(farthest(50) <= 3);
        // A twentieth of the range at most.
        assert!((30..=45).contains(&farthest(450)));
        assert!((30..=45).contains(&farthest(400)));
    }

    #[test]
    fn a_unit_that_is_much_of_the_range_changes_nothing() {
        let narrow = Reach {
            distance: 0.1,
            values: Vec::new(),
            least: 1.0,
            most: 9.0,
        };
        let mut draws = Stream::new(&[1]);
        assert_eq!(narrow.real(4.0, &mut draws), 4.0);
        assert_eq!(narrow.whole(4, &mut draws), 4);
        assert_ne!(reach().whole(50, &mut draws), 50);
    }

    #[test]
    fn decimals_are_those_that_are_written() {
        assert_eq!(decimals(0.25), Some(2));
        assert_eq!(decimals(100.0), Some(0));
        assert_eq!(decimals(1e300), None);
        assert_eq!(decimals(of_float(21.7)), Some(1));
        assert_eq!(decimals(f64::from(21.7_f32)), None);
        assert_eq!(decimals(51.846_000_000_000_004), None);
    }

    #[test]
    fn texts_keep_their_length_and_form() {
        let mut draws = Stream::new(&[3]);
        let mut near = |cell: &str| {
            let mut out = String::new();
            text(cell, &mut draws, &mut out);
            out
        };
        let order = near("order-10482 of shop 7731");
        assert!(order.starts_with("order-10482 of shop "), "{order}");
        assert_eq!(order.len(), 24);
        let hex = near("id 7fae02c1");
        assert!(
            hex[3..].bytes().all(|byte| byte.is_ascii_hexdigit()) && hex.len() == 11,
            "{hex}"
        );
        assert!(near("Berlin Tegel").starts_with("Berlin T"));
        assert_eq!(near("…"), "…");
        assert_eq!(near(""), "");
        assert_eq!(bytes(&[1, 2, 3], &mut Stream::new(&[1])).len(), 3);
    }
}
