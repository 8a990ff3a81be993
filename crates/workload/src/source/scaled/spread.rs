//! Small changes of copied values, so that a copy repeats the sample no more than real rows do.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BinaryBuilder, PrimitiveArray, StringArray,
    StringBuilder,
};
use arrow::datatypes::{Float32Type, Float64Type, Int32Type, Int64Type, TimestampMillisecondType};
use xxhash_rust::xxh3::xxh3_64;

use super::growth::Growth;
use super::near;
use super::neighbours::Neighbours;
use super::sample::Sample;
use crate::{ColumnType, SampleAxis, Stream, uuids};

/// Most different values of a column that is taken for a list of words or codes, to which nothing is added.
const MOST_CODES: usize = 64;

/// How the values of a column change from copy to copy.
///
/// A copy has as many new values as the growth of the different values says, from a quarter of the sample to half of it
/// and to all; all rows of a copy that have one value in the sample which becomes new have one value again.
pub struct Spread {
    kind: ColumnType,
    /// Whether the value at each place may change: those that come once, in one row or in rows that follow each other.
    /// Empty if none may.
    changeable: Vec<bool>,
    /// Growth of the different values, if they grow.
    growth: Option<Growth>,
    /// Different values for each one that may change.
    per_changeable: f64,
    /// Distance within which numbers change, and the least and the greatest number.
    reach: near::Reach,
    /// Numbers that take the values of others, among those that are not new.
    neighbours: Option<Neighbours>,
    stream: Stream,
}

/// What is known of a value: its runs, and the first of the parts of the sample in which it is.
struct Seen {
    runs: u32,
    part: usize,
}

impl Spread {
    /// Finds how a column grows, whose numbers may take the values of these neighbours; `None` if its values stay as they
    /// are.
    pub fn find(
        sample: &Sample,
        column: &ArrayRef,
        kind: ColumnType,
        axis: SampleAxis,
        neighbours: Option<Neighbours>,
        stream: Stream,
    ) -> Option<Spread> {
        if kind == ColumnType::Boolean {
            return None;
        }
        let hashes = hashes(column, kind);
        let parts = parts(sample, axis);
        // Rows and different values of a quarter, a half and all of the sample.
        let (mut rows, mut different) = ([0_u64; 3], [0_usize; 3]);
        let mut seen: HashMap<u64, Seen> = HashMap::new();
        for (place, hash) in hashes.iter().enumerate() {
            let Some(hash) = hash else { continue };
            let goes_on = place > 0
                && hashes[place - 1] == Some(*hash)
                && sample.series[place] == sample.series[place - 1];
            let part = parts[place];
            let value = seen.entry(*hash).or_insert(Seen { runs: 0, part });
            value.runs = value.runs.saturating_add(u32::from(!goes_on));
            value.part = value.part.min(part);
            for rows in &mut rows[part..] {
                *rows += 1;
            }
        }
        for value in seen.values() {
            for different in &mut different[value.part..] {
                *different += 1;
            }
        }
        let once = seen.values().filter(|value| value.runs == 1).count();
        let are_codes = seen.len() <= MOST_CODES && (seen.len() as u64) < rows[2];
        let growth = Growth::of(rows, different).filter(|_| !are_codes && once > 0);
        let grows = growth.is_some();
        // Where all values are different, each one becomes new.
        let neighbours = neighbours.filter(|_| (seen.len() as u64) < rows[2]);
        let changes = |hash: &u64| seen.get(hash).is_some_and(|value| value.runs == 1);
        let changeable = hashes.iter().filter(|_| grows);
        let changeable: Vec<bool> = changeable
            .map(|hash| hash.as_ref().is_some_and(changes))
            .collect();
        (grows || neighbours.is_some()).then(|| Spread {
            kind,
            changeable,
            growth,
            per_changeable: seen.len() as f64 / once.max(1) as f64,
            reach: near::Reach::of(column, kind, seen.len()),
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
            ColumnType::Float => numbers::<Float32Type>(column, |row, value| {
                let near = match draw(row, u64::from(value.to_bits())) {
                    Some(mut draws) => Some(self.reach.real(near::of_float(value), &mut draws)),
                    None => neighbour(row),
                };
                // One that leaves its type stays as it is.
                let near = near.map(|near| near as f32).filter(|near| near.is_finite());
                near.unwrap_or(value)
            }),
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
            ColumnType::Uuid => {
                let cells = column.as_string::<i32>().iter().enumerate();
                let uuids = cells.map(|(row, cell)| {
                    let cell = cell?;
                    Some(match draw(row, xxh3_64(cell.as_bytes())) {
                        Some(mut draws) => uuids::drawn(&mut draws).to_string(),
                        None => cell.to_owned(),
                    })
                });
                Arc::new(uuids.collect::<StringArray>())
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
        let new = self.growth?.of_copy(copy);
        let mut draws = self.stream.and(copy).and(hash);
        draws.chance(new * self.per_changeable).then_some(draws)
    }
}

/// Returns for each place in which part of the sample along an axis it is: 0 in the first quarter of its series, or of the
/// time of each one, 1 in the rest of the first half, 2 in the other one.
fn parts(sample: &Sample, axis: SampleAxis) -> Vec<usize> {
    let has_series = sample.series() >= 2;
    let has_times = sample.len() >= 2 * sample.series();
    let chosen = |number: u64| match Stream::new(&[number]).next_u64() % 4 {
        0 => 0,
        2 => 1,
        _ => 2,
    };
    { sample.series.iter().enumerate() }
        .map(|(place, series)| {
            let (start, rows) = sample.extent(*series);
            let before = u64::from(place as u32 - start);
            match axis {
                SampleAxis::Series if has_series => chosen(u64::from(*series)),
                _ if has_times => match 4 * before / u64::from(rows.max(1)) {
                    0 => 0,
                    1 => 1,
                    _ => 2,
                },
                _ => chosen(place as u64),
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
        ColumnType::Float => column
            .as_primitive::<Float32Type>()
            .iter()
            .map(|cell| cell.map(|cell| u64::from(cell.to_bits())))
            .collect(),
        ColumnType::Double => column
            .as_primitive::<Float64Type>()
            .iter()
            .map(|cell| cell.map(f64::to_bits))
            .collect(),
        ColumnType::Text | ColumnType::Uuid => column
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
