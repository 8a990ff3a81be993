//! Wrong answers, made of right ones: does the comparison find what it should?

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, RecordBatchOptions,
    StringArray, UInt64Array, new_null_array,
};
use arrow::compute::{cast, concat_batches, interleave, take_record_batch};
use arrow::datatypes::{DataType, Field, Float64Type, Int64Type, Schema};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use bakeoff_stats::{MutationKind, MutationScore};
use bakeoff_workload::Stream;

use super::answer::{Cell, Row, Rows};
use super::{Comparison, Leeway, compare_with};
use crate::Expected;

/// The relative error of [`MutationKind::RelativeError`].
const RELATIVE_ERROR: f64 = 1e-6;
/// Floats that differ by no more than this share are no clear error.
const CLEARLY: f64 = 5e-7;
/// Whole numbers above this, as floats, do not differ clearly from the next one.
const CLEARLY_COUNTED: f64 = 1e6;
/// How often another place is drawn where an error would change nothing.
const TRIES: u32 = 20;

/// Makes wrong answers of a kind out of a right one and adds to the score how many the comparison
/// finds.
///
/// # Errors
/// Arrow cannot handle a column.
pub fn score(
    right: &Expected,
    leeway: &Leeway,
    score: &mut MutationScore,
    seeds: impl IntoIterator<Item = u64>,
) -> Result<(), ArrowError> {
    for seed in seeds {
        if let Some(wrong) = mutate(right, score.kind, seed)? {
            let comparison = compare_with(right, &wrong, leeway);
            score.note(matches!(comparison, Comparison::Different(_)));
        }
    }
    Ok(())
}

/// Makes a wrong answer of a right one. Returns `None` where this kind of error does not apply, or would
/// leave the answer as right as it was.
///
/// # Errors
/// Arrow cannot handle a column.
pub fn mutate(
    right: &Expected,
    kind: MutationKind,
    seed: u64,
) -> Result<Option<Vec<RecordBatch>>, ArrowError> {
    let Some(first) = right.batches.iter().find(|batch| batch.num_rows() > 0) else {
        return Ok(None);
    };
    let batches = right.batches.iter().filter(|batch| batch.num_rows() > 0);
    let rows = concat_batches(&first.schema(), batches)?;
    let mut mutation = Mutation {
        cells: Rows::new(std::slice::from_ref(&rows))
            .map_err(ArrowError::ComputeError)?
            .rows,
        rows,
        order_by: &right.order_by,
        stream: Stream::new(&[seed, kind as u64]),
    };
    Ok(mutation.make(kind)?.map(|wrong| vec![wrong]))
}

/// A right answer in one batch, and where to change it.
struct Mutation<'a> {
    rows: RecordBatch,
    cells: Vec<Row>,
    order_by: &'a [usize],
    stream: Stream,
}

type Made = Result<Option<RecordBatch>, ArrowError>;

impl Mutation<'_> {
    fn make(&mut self, kind: MutationKind) -> Made {
        match kind {
            MutationKind::DroppedRow => self.dropped(),
            MutationKind::DuplicatedRow => self.duplicated(),
            MutationKind::SwappedRows => self.swapped(),
            MutationKind::StaleValue => self.stale(),
            MutationKind::OffByOne => self.changed(one_more),
            MutationKind::NullForValue => self.changed(null),
            MutationKind::ValueForNull => self.changed(value_for_null),
            MutationKind::RelativeError => self.changed(a_millionth_more),
            MutationKind::EmptyAnswer => Ok(Some(self.rows.slice(0, 0))),
            MutationKind::ExchangedColumns => self.exchanged(),
        }
    }

    fn any(&mut self, count: usize) -> usize {
        self.stream.below(count.max(1) as u64) as usize
    }

    fn any_row(&mut self) -> usize {
        self.any(self.cells.len())
    }

    fn any_column(&mut self) -> usize {
        self.any(self.rows.num_columns())
    }

    fn with_rows(&self, rows: impl IntoIterator<Item = usize>) -> Made {
        let rows = UInt64Array::from_iter_values(rows.into_iter().map(|row| row as u64));
        take_record_batch(&self.rows, &rows).map(Some)
    }

    fn dropped(&mut self) -> Made {
        let dropped = self.any_row();
        self.with_rows((0..self.cells.len()).filter(|row| *row != dropped))
    }

    fn duplicated(&mut self) -> Made {
        let (twice, count) = (self.any_row(), self.cells.len());
        self.with_rows((0..=twice).chain(twice..count))
    }

    fn swapped(&mut self) -> Made {
        for _ in 0..TRIES {
            let (a, b) = (self.any_row(), self.any_row());
            if self.is_ordered(a, b) {
                let swap = |row: usize| match row {
                    row if row == a => b,
                    row if row == b => a,
                    row => row,
                };
                return self.with_rows((0..self.cells.len()).map(swap));
            }
        }
        Ok(None)
    }

    /// Returns whether the query says which of two rows comes first, and rounding does not.
    fn is_ordered(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.cells[a], &self.cells[b]);
        let mut columns = self.order_by.iter();
        let first = columns.find(|column| !a[**column].is_exactly(&b[**column]));
        first.is_some_and(|column| is_clear(&a[*column], &b[*column]))
    }

    fn stale(&mut self) -> Made {
        for _ in 0..TRIES {
            let (row, other, column) = (self.any_row(), self.any_row(), self.any_column());
            if is_clear(&self.cells[row][column], &self.cells[other][column]) {
                let value = self.rows.column(column).slice(other, 1);
                return self.with_value(row, column, value).map(Some);
            }
        }
        Ok(None)
    }

    /// Changes one cell, if there is one that can be changed in this way.
    fn changed(&mut self, change: impl Fn(&ArrayRef) -> Option<ArrayRef>) -> Made {
        for _ in 0..TRIES {
            let (row, column) = (self.any_row(), self.any_column());
            if let Some(value) = change(&self.rows.column(column).slice(row, 1)) {
                return self.with_value(row, column, value).map(Some);
            }
        }
        Ok(None)
    }

    /// Returns the rows with another value, of the column's type, in one cell.
    fn with_value(
        &self,
        row: usize,
        column: usize,
        value: ArrayRef,
    ) -> Result<RecordBatch, ArrowError> {
        let mut columns = self.rows.columns().to_vec();
        let place = |at: usize| if at == row { (1, 0) } else { (0, at) };
        let places: Vec<_> = (0..self.cells.len()).map(place).collect();
        columns[column] = interleave(&[columns[column].as_ref(), value.as_ref()], &places)?;
        self.with_columns(columns)
    }

    fn exchanged(&mut self) -> Made {
        for _ in 0..TRIES {
            let (a, b) = (self.any_column(), self.any_column());
            if self.cells.iter().any(|row| is_clear(&row[a], &row[b])) {
                let mut columns = self.rows.columns().to_vec();
                columns.swap(a, b);
                return self.with_columns(columns).map(Some);
            }
        }
        Ok(None)
    }

    /// Makes an answer of these columns, each of which may have nulls.
    fn with_columns(&self, columns: Vec<ArrayRef>) -> Result<RecordBatch, ArrowError> {
        let schema = self.rows.schema();
        let names = schema.fields().iter().map(|field| field.name());
        let fields: Vec<Field> = names
            .zip(&columns)
            .map(|(name, column)| Field::new(name, column.data_type().clone(), true))
            .collect();
        let rows = RecordBatchOptions::new().with_row_count(Some(self.cells.len()));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &rows)
    }
}

/// Returns whether two cells differ by more than rounding, whatever their types.
fn is_clear(a: &Cell, b: &Cell) -> bool {
    let number = |cell: &Cell| match cell {
        Cell::Float(float) => Some(*float),
        Cell::Exact(text) => text.parse::<f64>().ok(),
        Cell::Null => None,
    };
    match (a, b) {
        (Cell::Exact(a), Cell::Exact(b)) => a != b,
        _ => match (number(a), number(b)) {
            (Some(a), Some(b)) => (a - b).abs() > CLEARLY * a.abs().max(b.abs()),
            _ => !a.is_exactly(b),
        },
    }
}

/// Makes a value of the type of `like`; `None` where that cannot be.
fn of_type(like: &ArrayRef, value: &dyn Array) -> Option<ArrayRef> {
    let value = cast(value, like.data_type()).ok()?;
    value.is_valid(0).then_some(value)
}

fn float_in(cell: &ArrayRef) -> Option<f64> {
    let is_float = cell.data_type().is_floating() && cell.is_valid(0);
    let floats = cast(cell, &DataType::Float64).ok().filter(|_| is_float)?;
    let float = floats.as_primitive::<Float64Type>().value(0);
    float.is_finite().then_some(float)
}

fn one_more(cell: &ArrayRef) -> Option<ArrayRef> {
    if let Some(float) = float_in(cell) {
        let is_clear = float.abs() < CLEARLY_COUNTED;
        return of_type(cell, &Float64Array::from(vec![float + 1.0])).filter(|_| is_clear);
    }
    let data_type = cell.data_type();
    if cell.is_null(0) || !(data_type.is_integer() || data_type.is_temporal()) {
        return None;
    }
    let whole = cast(cell, &DataType::Int64).ok()?;
    let more = whole.as_primitive::<Int64Type>().value(0).checked_add(1)?;
    of_type(cell, &Int64Array::from(vec![more]))
}

fn a_millionth_more(cell: &ArrayRef) -> Option<ArrayRef> {
    let float = float_in(cell).filter(|float| float.is_normal())?;
    let more = Float64Array::from(vec![float * (1.0 + RELATIVE_ERROR)]);
    of_type(cell, &more).filter(|_| *cell.data_type() == DataType::Float64)
}

fn null(cell: &ArrayRef) -> Option<ArrayRef> {
    cell.is_valid(0)
        .then(|| new_null_array(cell.data_type(), 1))
}

/// Returns what an engine without nulls may have instead: nothing of the type.
fn value_for_null(cell: &ArrayRef) -> Option<ArrayRef> {
    if cell.is_valid(0) {
        return None;
    }
    let zero = of_type(cell, &Int64Array::from(vec![0]));
    let no = || of_type(cell, &BooleanArray::from(vec![false]));
    match cell.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            of_type(cell, &StringArray::from(vec![""]))
        }
        _ => zero.or_else(no),
    }
}

#[cfg(test)]
mod tests;
