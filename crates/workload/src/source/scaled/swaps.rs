//! Values of a column that change places with their neighbours, so that a copy has the values of the sample as often
//! as the sample, but not in the same order.

use std::collections::HashMap;

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::Float64Type;

use super::near::{LARGEST_STEP, decimals};
use crate::Stream;

/// Pairs of neighbouring numbers that are about as frequent, and have as many decimals.
pub struct Swaps {
    /// The partner of the number at each place; not a number if there is none.
    partners: Vec<f64>,
    stream: Stream,
}

impl Swaps {
    /// Finds the pairs of a column of doubles; `None` if there are none.
    pub fn find(column: &ArrayRef, stream: &Stream) -> Option<Swaps> {
        let cells = column.as_primitive::<Float64Type>();
        let mut sorted: Vec<f64> = { cells.iter().flatten() }
            .filter(|value| value.is_finite() && *value != 0.0)
            .collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let range = sorted.last()? - sorted.first()?;
        let values: Vec<(f64, usize)> = { sorted.chunk_by(|a, b| a == b) }
            .map(|equal| (equal[0], equal.len()))
            .collect();
        let mut partners: HashMap<u64, f64> = HashMap::new();
        let mut at = 0;
        while at + 1 < values.len() {
            let (lower, upper) = (values[at], values[at + 1]);
            if is_pair(lower, upper, range) {
                partners.insert(lower.0.to_bits(), upper.0);
                partners.insert(upper.0.to_bits(), lower.0);
                at += 1;
            }
            at += 1;
        }
        let partner = |value: f64| partners.get(&value.to_bits()).copied();
        let of_places = cells
            .iter()
            .map(|value| value.and_then(partner).unwrap_or(f64::NAN));
        (!partners.is_empty()).then(|| Swaps {
            partners: of_places.collect(),
            stream: stream.clone(),
        })
    }

    /// Returns the number that a copy has in place of the one at a place: the same one, or its partner.
    pub fn apply(&self, place: u32, copy: u64, value: f64) -> f64 {
        let partner = self.partners[place as usize];
        if partner.is_nan() || copy == 0 {
            return value;
        }
        let pair = value.min(partner).to_bits();
        let is_swapped = self.stream.and(copy).and(pair).next_u64() & 1 == 1;
        if is_swapped { partner } else { value }
    }
}

/// Returns whether two neighbours, each with its number of rows, may change places.
fn is_pair(lower: (f64, usize), upper: (f64, usize), range: f64) -> bool {
    // Neither is more than half as frequent again.
    let are_as_frequent = lower.1 * 2 <= upper.1 * 3 && upper.1 * 2 <= lower.1 * 3;
    are_as_frequent
        && upper.0 - lower.0 <= range * LARGEST_STEP
        && decimals(lower.0) == decimals(upper.0)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use arrow::array::Float64Array;

    use super::*;

    #[test]
    fn neighbours_change_places_and_frequent_values_stay() {
        let mut cells: Vec<Option<f64>> =
            (0..2_000).map(|n| Some(f64::from(n % 100 + 1))).collect();
        cells.extend([Some(50.0); 1_000]);
        cells.push(None);
        let column: ArrayRef = Arc::new(Float64Array::from(cells.clone()));
        let swaps = Swaps::find(&column, &Stream::new(&[1])).unwrap();
        let mut counts: HashMap<u64, usize> = HashMap::new();
        let mut moved = 0;
        for (place, value) in cells.iter().enumerate() {
            let Some(value) = value else { continue };
            let made = swaps.apply(place as u32, 1, *value);
            assert_eq!(swaps.apply(place as u32, 0, *value), *value);
            assert!((made - value).abs() <= 1.0 && (made == *value || *value != 50.0));
            *counts.entry(made.to_bits()).or_default() += 1;
            moved += usize::from(made != *value);
        }
        assert_eq!(counts[&50.0_f64.to_bits()], 1_020);
        assert!(
            counts.len() == 100 && (500..1_500).contains(&moved),
            "{moved}"
        );
    }

    #[test]
    fn a_column_without_neighbours_has_no_pairs() {
        let column: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 5.0, 9.0, 0.0]));
        assert!(Swaps::find(&column, &Stream::new(&[1])).is_none());
        let column: ArrayRef = Arc::new(Float64Array::from(vec![None::<f64>; 2]));
        assert!(Swaps::find(&column, &Stream::new(&[1])).is_none());
    }
}
