//! Small changes of copied values, so that a copy repeats the sample no more than real rows do.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BinaryBuilder, PrimitiveArray, StringBuilder,
};
use arrow::datatypes::{Float64Type, Int32Type, Int64Type, TimestampMillisecondType};
use xxhash_rust::xxh3::xxh3_64;

use super::near;
use super::neighbours::Neighbours;
use super::sample::Sample;
use crate::{ColumnType, SampleAxis, Stream};

/// Most different values of a column that is taken for a list of words or codes, to which nothing is added.
const MOST_CODES: usize = 64;
/// Smallest exponent with which different values grow with the rows; below it they are all there.
const LEAST_GROWTH: f64 = 0.02;

/// How the values of a column change from copy to copy.
///
/// Different values grow as a power of the rows (Heaps' law), whose exponent is that of the sample and of a half of
/// it. A copy has as many new values as the power says; all rows of a copy that have one value in the sample which becomes
/// new have one value again.
pub struct Spread {
    kind: ColumnType,
    /// Whether the value at each place may change: those that come once, in one row or in rows that follow each other.
    /// Empty if none may.
    changeable: Vec<bool>,
    /// Exponent of the growth, from 0 to 1.
    exponent: f64,
    /// Different values for each one that may change.
    per_changeable: f64,
    /// Distance within which numbers change, and the least and the greatest number.
    reach: near::Reach,
    /// Numbers that take the values of others, among those that are not new.
    neighbours: Option<Neighbours>,
    stream: Stream,
}

/// What is known of a value.
#[derive(Default)]
struct Seen {
    runs: u32,
    is_early: bool,
}

impl Spread {
    /// Finds how a column grows; `None` if its values stay as they are.
    pub fn find(
        sample: &Sample,
        column: &ArrayRef,
        kind: ColumnType,
        axis: SampleAxis,
        stream: Stream,
    ) -> Option<Spread> {
        if kind == ColumnType::Boolean {
            return None;
        }
        let hashes = hashes(column, kind);
        let is_early = early_rows(sample, axis);
        let (mut rows, mut early) = (0_u64, 0_u64);
        let mut seen: HashMap<u64, Seen> = HashMap::new();
        for (place, hash) in hashes.iter().enumerate() {
            let Some(hash) = hash else { continue };
            let goes_on = place > 0
                && hashes[place - 1] == Some(*hash)
                && sample.series[place] == sample.series[place - 1];
            let value = seen.entry(*hash).or_default();
            value.runs = value.runs.saturating_add(u32::from(!goes_on));
            value.is_early |= is_early[place];
            rows += 1;
            early += u64::from(is_early[place]);
        }
        let different = seen.len();
        let once = seen.values().filter(|value| value.runs == 1).count();
        let early_values = seen.values().filter(|value| value.is_early).count();
        let exponent = exponent(rows, early, different, early_values);
        let are_codes = different <= MOST_CODES && (different as u64) < rows;
        let grows = !are_codes && exponent >= LEAST_GROWTH && once > 0;
        let neighbours = Neighbours::find(sample, column, kind, &stream);
        let changes = |hash: &u64| seen.get(hash).is_some_and(|value| value.runs == 1);
        let changeable = hashes.iter().filter(|_| grows);
        let changeable: Vec<bool> = changeable
            .map(|hash| hash.as_ref().is_some_and(changes))
            .collect();
        (grows || neighbours.is_some()).then(|| Spread {
            kind,
            changeable,
            exponent,
            per_changeable: different as f64 / once.max(1) as f64,
            reach: near::Reach::of(column, kind, different),
            neighbours,
            stream,
        })
    }

    /// Returns values of a copy: those of `column`, which were taken from these places.
    pub fn apply(&self, column: &ArrayRef, places: &[u32], copies: &[u64]) -> ArrayRef {
        let draw = |row: usize, hash: u64| self.draw(places[row], copies[row], hash);
        let neighbour = |row: usize| {
            let neighbours = self.neighbours.as_ref()?;
            neighbours.apply(places[row], copies[row])
        };
        match self.kind {
            ColumnType::Double => {
                numbers::<Float64Type>(column, |row, value| match draw(row, value.to_bits()) {
                    Some(mut draws) => self.reach.real(value, &mut draws),
                    None => neighbour(row).unwrap_or(value),
                })
            }
            ColumnType::Int => numbers::<Int32Type>(column, |row, value| {
                match draw(row, i64::from(value) as u64) {
                    Some(mut draws) => {
                        let near = self.reach.whole(i64::from(value), &mut draws);
                        i32::try_from(near).unwrap_or(value)
                    }
                    // Those of whole numbers are whole.
                    None => neighbour(row).map_or(value, |other| other as i32),
                }
            }),
            ColumnType::Bigint => {
                numbers::<Int64Type>(column, |row, value| match draw(row, value as u64) {
                    Some(mut draws) => self.reach.whole(value, &mut draws),
                    None => neighbour(row).map_or(value, |other| other as i64),
                })
            }
            ColumnType::Text => {
                let cells = column.as_string::<i32>();
                let (mut out, mut text) = (StringBuilder::new(), String::new());
                for row in 0..cells.len() {
                    if cells.is_null(row) {
                        out.append_null();
                        continue;
                    }
                    let cell = cells.value(row);
                    match draw(row, xxh3_64(cell.as_bytes())) {
                        Some(mut draws) => {
                            near::text(cell, &mut draws, &mut text);
                            out.append_value(&text);
                        }
                        None => out.append_value(cell),
                    }
                }
                Arc::new(out.finish())
            }
            ColumnType::Blob => {
                let cells = column.as_binary::<i32>();
                let mut out = BinaryBuilder::new();
                for row in 0..cells.len() {
                    if cells.is_null(row) {
                        out.append_null();
                        continue;
                    }
                    let cell = cells.value(row);
                    match draw(row, xxh3_64(cell)) {
                        Some(mut draws) => out.append_value(near::bytes(cell, &mut draws)),
                        None => out.append_value(cell),
                    }
                }
                Arc::new(out.finish())
            }
            ColumnType::Boolean | ColumnType::Timestamp => column.clone(),
        }
    }

    /// Returns the draws for a value that a copy changes.
    fn draw(&self, place: u32, copy: u64, hash: u64) -> Option<Stream> {
        let may_change = self
            .changeable
            .get(place as usize)
            .copied()
            .unwrap_or(false);
        if copy == 0 || !may_change {
            return None;
        }
        let mut draws = self.stream.and(copy).and(hash);
        let copies = copy as f64;
        let new = (copies + 1.0).powf(self.exponent) - copies.powf(self.exponent);
        draws.chance(new * self.per_changeable).then_some(draws)
    }
}

/// Returns the exponent with which different values grow with the rows: of all rows, and of about half of them.
fn exponent(rows: u64, early: u64, different: usize, early_values: usize) -> f64 {
    if different as u64 == rows {
        return 1.0;
    }
    if early == 0 || early_values == 0 || early >= rows {
        return 0.0;
    }
    let values = different as f64 / early_values as f64;
    let exponent = values.ln() / (rows as f64 / early as f64).ln();
    exponent.clamp(0.0, 1.0)
}

/// Returns for each place whether it is in the first half of the sample along an axis: of its series, or of the
/// time of each one.
fn early_rows(sample: &Sample, axis: SampleAxis) -> Vec<bool> {
    let has_series = sample.series() >= 2;
    let has_times = sample.len() >= 2 * sample.series();
    let is_chosen = |number: u64| Stream::new(&[number]).next_u64().is_multiple_of(2);
    { sample.series.iter().enumerate() }
        .map(|(place, series)| {
            let (start, rows) = sample.extent(*series);
            let is_in_first_half = 2 * u64::from(place as u32 - start) < u64::from(rows);
            match axis {
                SampleAxis::Series if has_series => is_chosen(u64::from(*series)),
                _ if has_times => is_in_first_half,
                _ => is_chosen(place as u64),
            }
        })
        .collect()
}

/// Returns a hash of each cell, which is the cell itself for numbers.
pub fn hashes(column: &ArrayRef, kind: ColumnType) -> Vec<Option<u64>> {
    match kind {
        ColumnType::Boolean => column
            .as_boolean()
            .iter()
            .map(|cell| cell.map(u64::from))
            .collect(),
        ColumnType::Int => column
            .as_primitive::<Int32Type>()
            .iter()
            .map(|cell| cell.map(|cell| i64::from(cell) as u64))
            .collect(),
        ColumnType::Bigint => column
            .as_primitive::<Int64Type>()
            .iter()
            .map(|cell| cell.map(|cell| cell as u64))
            .collect(),
        ColumnType::Timestamp => column
            .as_primitive::<TimestampMillisecondType>()
            .iter()
            .map(|cell| cell.map(|cell| cell as u64))
            .collect(),
        ColumnType::Double => column
            .as_primitive::<Float64Type>()
            .iter()
            .map(|cell| cell.map(f64::to_bits))
            .collect(),
        ColumnType::Text => column
            .as_string::<i32>()
            .iter()
            .map(|cell| cell.map(|cell| xxh3_64(cell.as_bytes())))
            .collect(),
        ColumnType::Blob => column
            .as_binary::<i32>()
            .iter()
            .map(|cell| cell.map(xxh3_64))
            .collect(),
    }
}

/// Returns numbers in place of those of a column; nulls stay.
pub fn numbers<T: ArrowPrimitiveType>(
    column: &ArrayRef,
    mut change: impl FnMut(usize, T::Native) -> T::Native,
) -> ArrayRef {
    let cells = column.as_primitive::<T>();
    let values: Vec<T::Native> = { cells.values().iter().enumerate() }
        .map(|(row, value)| {
            if cells.is_null(row) {
                *value
            } else {
                change(row, *value)
            }
        })
        .collect();
    Arc::new(PrimitiveArray::<T>::new(
        values.into(),
        cells.nulls().cloned(),
    ))
}
