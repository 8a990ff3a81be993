//! Numbers of a column that take the values of their neighbours, so that a copy has the values of the sample about as
//! often as the sample, but not in the same order.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Float32Type, Float64Type, Int32Type, Int64Type};

use super::near::of_float;
use super::sample::Sample;
use crate::{ColumnType, Stream};

/// Farthest neighbour, counted in different values.
const FARTHEST: u64 = 4;
/// Largest share of the column's range between neighbours.
const WIDEST: f64 = 0.06;
/// Most times as many rows as those of its neighbour that a number has.
const MOST_TIMES: f64 = 3.0;
/// Largest whole number of which a double holds every one.
const EXACT_WHOLE: f64 = 9_007_199_254_740_992.0;
/// Number of no run, and of no value.
const NONE: u32 = u32::MAX;

/// Different numbers of a column and its runs of equal ones, each of which may get another number in a copy.
///
/// A run goes to a neighbour, each as likely as the other ones, if that comes as often as its own number, and less often
/// if that is rarer (Metropolis' rule, 1953). So each number stays as frequent as it is, whatever the neighbours are.
/// Neighbours of which one is much more frequent, and the numbers of the runs before and behind, are not taken: values
/// that are frequent for a reason, such as a zero, stay where they are, and runs stay apart.
pub struct Neighbours {
    /// Different numbers in ascending order, without zero, and in how many rows each one is.
    values: Vec<f64>,
    rows: Vec<u32>,
    /// Largest distance between neighbours.
    widest: f64,
    /// Run at each place, or `NONE`.
    of_places: Vec<u32>,
    runs: Vec<Run>,
    /// First time of each run where all series have the same numbers at a time; otherwise empty.
    times: Vec<Option<i64>>,
    stream: Stream,
}

/// A run of equal numbers in a series: the index of its number, of that before it, and of that behind it.
struct Run {
    value: u32,
    before: u32,
    behind: u32,
}

impl Neighbours {
    /// Finds the neighbours of a column, which is in the order of the sample; `None` if no number has any. Where all
    /// series have the same number at a time (`is_of_time`), they have the same one again in a copy.
    pub fn find(
        sample: &Sample,
        column: &ArrayRef,
        kind: ColumnType,
        is_of_time: bool,
        stream: &Stream,
    ) -> Option<Neighbours> {
        let numbers = numbers(column, kind);
        let mut sorted: Vec<f64> = numbers.iter().flatten().copied().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let widest = (sorted.last()? - sorted.first()?) * WIDEST;
        let (values, rows): (Vec<f64>, Vec<u32>) = { sorted.chunk_by(|a, b| a == b) }
            .map(|equal| (equal[0], equal.len() as u32))
            .unzip();
        drop(sorted);
        let near = |at: usize| {
            values[at + 1] - values[at] <= widest && are_as_frequent(rows[at], rows[at + 1])
        };
        if !(0..values.len().saturating_sub(1)).any(near) {
            return None;
        }
        let index = |number: f64| {
            let found = values.binary_search_by(|own| own.total_cmp(&number)).ok();
            found.map_or(NONE, |index| index as u32)
        };
        let indexes = { numbers.into_iter() }.map(|number| number.map_or(NONE, index));
        let indexes: Vec<u32> = indexes.collect();
        let (of_places, runs) = runs(sample, &indexes);
        let times = sample.times.as_deref().filter(|_| is_of_time);
        let times = times.map_or_else(Vec::new, |times| first_times(&of_places, times));
        Some(Neighbours {
            values,
            rows,
            widest,
            of_places,
            runs,
            times,
            stream: stream.clone(),
        })
    }

    /// Returns the number that a copy has in place of the one at a place; `None` if that stays.
    pub fn apply(&self, place: u32, copy: u64) -> Option<f64> {
        let number = { self.of_places.get(place as usize).copied() }.filter(|_| copy > 0)?;
        let run = self.runs.get(number as usize)?;
        let time = self.times.get(number as usize).copied().flatten();
        let of_run = time.map_or(u64::from(number), |time| time as u64);
        let mut draws = self.stream.and(copy).and(of_run);
        let by = 1 + draws.below(FARTHEST) as u32;
        let neighbour = if draws.next_u64() & 1 == 0 {
            run.value.checked_sub(by)?
        } else {
            run.value.checked_add(by)?
        };
        if neighbour == run.before || neighbour == run.behind {
            return None;
        }
        let (own, other) = (
            self.values[run.value as usize],
            *self.values.get(neighbour as usize)?,
        );
        let (rows, of_other) = (self.rows[run.value as usize], self.rows[neighbour as usize]);
        let is_near = (other - own).abs() <= self.widest && are_as_frequent(rows, of_other);
        (is_near && draws.unit() * f64::from(rows) < f64::from(of_other)).then_some(other)
    }
}

fn are_as_frequent(rows: u32, others: u32) -> bool {
    f64::from(rows.max(others)) <= MOST_TIMES * f64::from(rows.min(others))
}

/// Returns the time of the first place of each run.
fn first_times(of_places: &[u32], times: &[Option<i64>]) -> Vec<Option<i64>> {
    let mut firsts = Vec::new();
    for (run, time) in of_places.iter().zip(times) {
        // Runs have their numbers in the order of the places.
        if *run != NONE && *run as usize == firsts.len() {
            firsts.push(*time);
        }
    }
    firsts
}

/// Returns the run of each place, and the runs.
fn runs(sample: &Sample, indexes: &[u32]) -> (Vec<u32>, Vec<Run>) {
    let mut of_places = vec![NONE; indexes.len()];
    let mut runs: Vec<Run> = Vec::new();
    for place in 0..indexes.len() {
        let value = indexes[place];
        let is_in_series = place > 0 && sample.series[place] == sample.series[place - 1];
        if is_in_series && value == indexes[place - 1] {
            of_places[place] = of_places[place - 1];
            continue;
        }
        let before = if is_in_series {
            indexes[place - 1]
        } else {
            NONE
        };
        if before != NONE
            && let Some(ended) = runs.last_mut()
        {
            ended.behind = value;
        }
        if value != NONE {
            of_places[place] = runs.len() as u32;
            runs.push(Run {
                value,
                before,
                behind: NONE,
            });
        }
    }
    (of_places, runs)
}

/// Returns the numbers of a column, without zeros and those that are none or that a double does not hold.
fn numbers(column: &ArrayRef, kind: ColumnType) -> Vec<Option<f64>> {
    let all: Vec<Option<f64>> = match kind {
        ColumnType::Float => { column.as_primitive::<Float32Type>().iter() }
            .map(|cell| cell.map(of_float))
            .collect(),
        ColumnType::Double => column.as_primitive::<Float64Type>().iter().collect(),
        ColumnType::Int => { column.as_primitive::<Int32Type>().iter() }
            .map(|cell| cell.map(f64::from))
            .collect(),
        ColumnType::Bigint => { column.as_primitive::<Int64Type>().iter() }
            .map(|cell| {
                cell.map(|cell| cell as f64)
                    .filter(|cell| cell.abs() < EXACT_WHOLE)
            })
            .collect(),
        _ => vec![None; column.len()],
    };
    let counts = |number: &f64| number.is_finite() && *number != 0.0;
    all.into_iter().map(|cell| cell.filter(counts)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use arrow::array::{Float64Array, Int32Array};
    use arrow::record_batch::RecordBatch;

    use super::*;

    /// A sample of series of so many rows, of which no more is known than their order.
    fn sample(column: &ArrayRef, rows_of_series: usize) -> Sample {
        let rows = column.len();
        let starts = (0..rows).step_by(rows_of_series).map(|row| row as u32);
        Sample {
            rows: RecordBatch::try_from_iter([("value", column.clone())]).unwrap(),
            places: (0..rows as u32).collect(),
            series: (0..rows).map(|row| (row / rows_of_series) as u32).collect(),
            starts: starts.chain([rows as u32]).collect(),
            times: None,
        }
    }

    fn neighbours(
        column: &ArrayRef,
        kind: ColumnType,
        rows_of_series: usize,
    ) -> Option<Neighbours> {
        let sample = sample(column, rows_of_series);
        Neighbours::find(&sample, column, kind, false, &Stream::new(&[1]))
    }

    #[test]
    fn runs_go_to_neighbours_and_each_number_stays_as_frequent() {
        let mut draws = Stream::new(&[3]);
        // Nearer to 100 the more frequent, and one number that half of the rows have.
        let mut cells: Vec<f64> = (0..4_000)
            .map(|_| (1 + draws.below(100).max(draws.below(100))) as f64)
            .collect();
        cells.extend([50.0; 4_000]);
        let column: ArrayRef = Arc::new(Float64Array::from(cells.clone()));
        let found = neighbours(&column, ColumnType::Double, 8_000).unwrap();
        let (mut before, mut after) = (HashMap::new(), HashMap::new());
        let mut moved = 0;
        for copy in 1..=10 {
            for (place, value) in cells.iter().enumerate() {
                assert_eq!(found.apply(place as u32, 0), None);
                let made = found.apply(place as u32, copy).unwrap_or(*value);
                assert!((made - value).abs() <= 6.0, "{made} of {value}");
                assert!(made == *value || (made != 50.0 && *value != 50.0));
                moved += usize::from(made != *value);
                *before.entry(*value as u64).or_insert(0.0) += 1.0;
                *after.entry(made as u64).or_insert(0.0) += 1.0;
            }
        }
        assert!(moved > 20_000, "{moved}");
        for (value, rows) in before {
            let now: f64 = after.get(&value).copied().unwrap_or(0.0);
            // Six standard deviations, and numbers of which the sample has few.
            let most = 6.0 * f64::sqrt(rows) + 10.0;
            assert!((now - rows).abs() <= most, "{value}: {rows}, now {now}");
        }
    }

    #[test]
    fn a_run_stays_one_and_does_not_join_the_next_one() {
        let cells = (0..600).map(|row| 100 + [1, 1, 1, 5, 5, 60, 3, 3, 60, 60][row % 10]);
        let column: ArrayRef = Arc::new(Int32Array::from_iter_values(cells.clone()));
        let found = neighbours(&column, ColumnType::Int, 600).unwrap();
        let cells: Vec<f64> = cells.map(f64::from).collect();
        let mut moved = 0;
        for copy in 1..20 {
            let made = { cells.iter().enumerate() }
                .map(|(place, value)| found.apply(place as u32, copy).unwrap_or(*value));
            let made: Vec<f64> = made.collect();
            for row in 1..cells.len() {
                let (was_equal, is_equal) =
                    (cells[row] == cells[row - 1], made[row] == made[row - 1]);
                assert!(is_equal || !was_equal, "a run is torn at row {row}");
                // 101 and 105 are too far from each other to meet anywhere but at 103.
                let could_meet = made[row] == 103.0;
                assert!(
                    was_equal || !is_equal || could_meet,
                    "runs meet at row {row}"
                );
                moved += usize::from(made[row] != cells[row]);
            }
        }
        assert!(moved > 500, "{moved}");

        // Each one is before or behind the other one.
        let in_turns = (0..100).map(|row| [100, 101, 200][row % 3]);
        let column: ArrayRef = Arc::new(Int32Array::from_iter_values(in_turns));
        let found = neighbours(&column, ColumnType::Int, 100).unwrap();
        let first = |place: u32| place != 99 && place % 3 != 2;
        for copy in 1..20 {
            let moved = { (0..100).filter(|place| first(*place)) }
                .filter(|place| found.apply(*place, copy).is_some());
            assert_eq!(moved.count(), 0);
        }
    }

    #[test]
    fn numbers_that_are_far_apart_and_zeros_have_no_neighbours() {
        for cells in [vec![1.0, 5.0, 9.0, 0.0], vec![0.0, 0.0, 7.0], vec![]] {
            let column: ArrayRef = Arc::new(Float64Array::from(cells));
            let rows = column.len().max(1);
            assert!(neighbours(&column, ColumnType::Double, rows).is_none());
        }
        let column: ArrayRef = Arc::new(Float64Array::from(vec![None::<f64>; 2]));
        assert!(neighbours(&column, ColumnType::Double, 2).is_none());
    }
}
