//! Columns whose numbers only grow within a series, such as the readings of a meter.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Float32Type, Float64Type, Int32Type, Int64Type};

use super::near::{decimals, of_float};
use super::sample::Sample;
use super::spread::numbers;
use crate::{ColumnType, SampleAxis, Stream};

/// Fewest rows of a series, on average, in which growing numbers are taken for a counter.
const FEWEST_ROWS: u64 = 8;
/// Largest number of steps of which one has to be upwards.
const STEPS_PER_INCREASE: u64 = 20;

/// A column of counters. Along time they go on; a further series begins its own a little higher.
pub struct Counter {
    kind: ColumnType,
    /// Most decimals of the numbers; absent if they are computed or whole.
    decimals: Option<usize>,
    axis: SampleAxis,
    stream: Stream,
}

impl Counter {
    /// Returns the counters of a column, which is in the order of the sample, if it has them.
    pub fn find(
        sample: &Sample,
        column: &ArrayRef,
        kind: ColumnType,
        axis: SampleAxis,
        stream: Stream,
    ) -> Option<Counter> {
        let is_long = sample.len() >= FEWEST_ROWS * sample.series();
        if !kind.is_number() || !is_long || column.null_count() > 0 {
            return None;
        }
        let mut increases = 0;
        for place in 1..column.len() {
            if sample.series[place] == sample.series[place - 1] {
                let step = amount(column, kind, place) - amount(column, kind, place - 1);
                if step.is_nan() || step < 0.0 {
                    return None;
                }
                increases += u64::from(step > 0.0);
            }
        }
        let steps = sample.len() - sample.series();
        if increases * STEPS_PER_INCREASE < steps || increases == 0 {
            return None;
        }
        let decimals = match kind {
            ColumnType::Float => {
                let values = column.as_primitive::<Float32Type>().values();
                let mut decimals = values.iter().map(|value| decimals(of_float(*value)));
                decimals.try_fold(0_usize, |most, decimals| Some(most.max(decimals?)))
            }
            ColumnType::Double => {
                let values = column.as_primitive::<Float64Type>().values();
                let mut decimals = values.iter().map(|value| decimals(*value));
                decimals.try_fold(0_usize, |most, decimals| Some(most.max(decimals?)))
            }
            _ => None,
        };
        Some(Counter {
            kind,
            decimals,
            axis,
            stream,
        })
    }

    /// Returns the numbers of copies at these places of the sample's `column`, from which `taken` was taken.
    pub fn apply(
        &self,
        sample: &Sample,
        column: &ArrayRef,
        taken: &ArrayRef,
        places: &[u32],
        copies: &[u64],
    ) -> ArrayRef {
        let more = |row: usize| self.more(sample, column, places[row], copies[row]);
        // A counter that leaves its type begins again.
        match self.kind {
            ColumnType::Int => numbers::<Int32Type>(taken, |row, value| {
                let sum = more(row) as i64;
                let sum = sum.saturating_add(i64::from(value));
                i32::try_from(sum).unwrap_or(value)
            }),
            ColumnType::Bigint => numbers::<Int64Type>(taken, |row, value| {
                value.checked_add(more(row) as i64).unwrap_or(value)
            }),
            ColumnType::Float => numbers::<Float32Type>(taken, |row, value| match copies[row] {
                0 => value,
                _ => {
                    let sum = self.rounded(of_float(value) + self.rounded(more(row))) as f32;
                    if sum.is_finite() { sum } else { value }
                }
            }),
            ColumnType::Double => numbers::<Float64Type>(taken, |row, value| match copies[row] {
                0 => value,
                _ => self.rounded(value + self.rounded(more(row))),
            }),
            _ => taken.clone(),
        }
    }

    /// Returns how much more a counter has in a copy than at the same place of the sample.
    fn more(&self, sample: &Sample, column: &ArrayRef, place: u32, copy: u64) -> f64 {
        let series = sample.series[place as usize];
        let (start, rows) = sample.extent(series);
        if copy == 0 || rows < 2 {
            return 0.0;
        }
        let first = amount(column, self.kind, start as usize);
        let last = amount(column, self.kind, (start + rows - 1) as usize);
        let step = (last - first) / f64::from(rows - 1);
        let more = match self.axis {
            SampleAxis::Time => (last - first + step) * copy as f64,
            SampleAxis::Series => {
                let mut draws = self.stream.and(copy).and(u64::from(series));
                // At least 1 of whole numbers, so that they differ.
                draws.unit() * step.max(2.0)
            }
        };
        if self.kind.is_floating() {
            more
        } else {
            more.round()
        }
    }

    fn rounded(&self, value: f64) -> f64 {
        let Some(decimals) = self.decimals else {
            return value;
        };
        let power = 10_f64.powi(decimals as i32);
        let rounded = (value * power).round() / power;
        if rounded.is_finite() { rounded } else { value }
    }
}

/// Returns a cell as a number.
fn amount(column: &ArrayRef, kind: ColumnType, place: usize) -> f64 {
    match kind {
        ColumnType::Int => f64::from(column.as_primitive::<Int32Type>().value(place)),
        ColumnType::Bigint => column.as_primitive::<Int64Type>().value(place) as f64,
        ColumnType::Float => of_float(column.as_primitive::<Float32Type>().value(place)),
        ColumnType::Double => column.as_primitive::<Float64Type>().value(place),
        _ => 0.0,
    }
}
