//! Values of a column that change places with their neighbours, so that a copy has the values of the sample as often
//! as the sample, but not in the same order.

use std::collections::HashMap;

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::Float64Type;

use crate::Stream;

/// Most values of a group.
const MOST_VALUES: usize = 16;
/// Largest share of the column's range that a group takes.
const WIDEST_GROUP: f64 = 0.03;

/// Groups of neighbouring numbers that are about as frequent. A copy turns each group: its numbers take the places of
/// one another.
pub struct Swaps {
    /// Different numbers in ascending order, and the group of each: its first number and how many it has.
    values: Vec<f64>,
    groups: Vec<(u32, u32)>,
    /// Index in `values` of the number at each place, if it is there.
    of_places: Vec<Option<u32>>,
    stream: Stream,
}

impl Swaps {
    /// Finds the groups of a column of doubles; `None` if no number has a neighbour.
    pub fn find(column: &ArrayRef, stream: &Stream) -> Option<Swaps> {
        let cells = column.as_primitive::<Float64Type>();
        let mut sorted: Vec<f64> = { cells.iter().flatten() }
            .filter(|value| value.is_finite() && *value != 0.0)
            .collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let widest = (sorted.last()? - sorted.first()?) * WIDEST_GROUP;
        let (values, counts): (Vec<f64>, Vec<usize>) = { sorted.chunk_by(|a, b| a == b) }
            .map(|equal| (equal[0], equal.len()))
            .unzip();
        let groups = groups(&values, &counts, widest);
        if groups.iter().all(|(_, length)| *length < 2) {
            return None;
        }
        let indexes: HashMap<u64, u32> = { values.iter().zip(0..) }
            .map(|(value, index)| (value.to_bits(), index))
            .collect();
        let index = |value: f64| indexes.get(&value.to_bits()).copied();
        Some(Swaps {
            of_places: cells.iter().map(|value| value.and_then(index)).collect(),
            values,
            groups,
            stream: stream.clone(),
        })
    }

    /// Returns the number that a copy has in place of the one at a place: another one of its group, or itself.
    pub fn apply(&self, place: u32, copy: u64, value: f64) -> f64 {
        let index = self.of_places.get(place as usize).copied().flatten();
        let Some(index) = index.filter(|_| copy > 0) else {
            return value;
        };
        let (first, length) = self.groups[index as usize];
        let turned = self
            .stream
            .and(copy)
            .and(u64::from(first))
            .below(u64::from(length)) as u32;
        self.values[(first + (index - first + turned) % length) as usize]
    }
}

/// Returns the group of each value.
fn groups(values: &[f64], counts: &[usize], widest: f64) -> Vec<(u32, u32)> {
    let mut groups = Vec::with_capacity(values.len());
    let mut first = 0;
    while first < values.len() {
        let (mut least, mut most) = (counts[first], counts[first]);
        let mut end = first + 1;
        while end < values.len()
            && end - first < MOST_VALUES
            && values[end] - values[first] <= widest
        {
            let with_next = (least.min(counts[end]), most.max(counts[end]));
            if !are_as_frequent(with_next.0, with_next.1) {
                break;
            }
            (least, most) = with_next;
            end += 1;
        }
        groups.resize(end, (first as u32, (end - first) as u32));
        first = end;
    }
    groups
}

/// Returns whether two numbers of rows may be those of equally frequent values: one is at most half as much again, or
/// they differ by what chance makes of such numbers (four standard deviations of Poisson's law).
fn are_as_frequent(least: usize, most: usize) -> bool {
    most * 2 <= least * 3 || (most - least) as f64 <= 4.0 * (most as f64).sqrt()
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
            assert!((made - value).abs() <= 3.0 && (made == *value || *value != 50.0));
            *counts.entry(made.to_bits()).or_default() += 1;
            moved += usize::from(made != *value);
        }
        assert_eq!(counts[&50.0_f64.to_bits()], 1_020);
        assert!(
            counts.values().filter(|rows| **rows == 20).count() == 99,
            "{counts:?}"
        );
        assert!(moved > 500, "{moved}");
    }

    #[test]
    fn a_column_without_neighbours_has_no_pairs() {
        let column: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 5.0, 9.0, 0.0]));
        assert!(Swaps::find(&column, &Stream::new(&[1])).is_none());
        let column: ArrayRef = Arc::new(Float64Array::from(vec![None::<f64>; 2]));
        assert!(Swaps::find(&column, &Stream::new(&[1])).is_none());
    }
}
