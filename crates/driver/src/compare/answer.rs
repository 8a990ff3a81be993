//! Whether two answers are the same.

use std::cmp::Ordering;
use std::collections::HashSet;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type};
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};

use crate::Expected;

/// Two floats are equal when they differ by no more than this share of the larger one...
const RELATIVE_TOLERANCE: f64 = 1e-9;
/// ...or by this share of the largest value in their column: sums in another order may cancel to
/// almost nothing.
const CANCELLATION_TOLERANCE: f64 = 1e-13;
/// Rows with equal exact cells among which partners are searched one by one.
const GROUP_LIMIT: usize = 2_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// The same, of so many rows.
    Same { rows: u64 },
    /// Different: how, in words.
    Different(String),
}

/// Compares an answer with the right one.
///
/// Rows may come in any order unless the query orders them; then the ordering columns have to
/// agree position by position, and rows that tie may come in any order. Floats may differ by a
/// relative 1e-9; everything else is compared exactly. NaN equals NaN, null equals null.
pub fn compare(expected: &Expected, actual: &[RecordBatch]) -> Comparison {
    match differ(expected, actual) {
        Ok(rows) => Comparison::Same { rows },
        Err(difference) => Comparison::Different(difference),
    }
}

/// Compares an answer with one written down as text, in order; says how they differ.
pub fn same_text(actual: &Expected, expected: &[Vec<String>]) -> Result<(), String> {
    let ours = Rows::new(&actual.batches)?;
    let tolerance = ours.tolerances();
    let cell = |text: &String| match text.as_str() {
        "NULL" => Cell::Null,
        text => Cell::Exact(text.to_owned()),
    };
    let right: Vec<Row> = expected
        .iter()
        .map(|row| row.iter().map(cell).collect())
        .collect();
    let equal = |a: &Row, b: &Row| {
        a.len() == b.len()
            && a.iter()
                .zip(b)
                .zip(&tolerance)
                .all(|((x, y), t)| x.equals(y, *t))
    };
    if right.len() != ours.rows.len() {
        return Err(format!(
            "{} rows instead of {}",
            ours.rows.len(),
            right.len()
        ));
    }
    match right.iter().zip(&ours.rows).find(|(a, b)| !equal(a, b)) {
        Some((a, b)) => Err(format!("{} instead of {}", describe(b), describe(a))),
        None => Ok(()),
    }
}

fn differ(expected: &Expected, actual: &[RecordBatch]) -> Result<u64, String> {
    let mut right = Rows::new(&expected.batches)?;
    let mut ours = Rows::new(actual)?;
    if right.rows.is_empty() && ours.rows.is_empty() {
        return Ok(0);
    }
    if right.rows.len() != ours.rows.len() {
        return Err(format!(
            "{} rows instead of {}",
            ours.rows.len(),
            right.rows.len()
        ));
    }
    if right.width != ours.width {
        return Err(format!("{} columns instead of {}", ours.width, right.width));
    }
    align_numbers(&mut right, &mut ours);
    let tolerance = right.tolerances();
    let tie = |a: &Row, b: &Row| {
        let mut columns = expected.order_by.iter();
        columns.all(|c| a[*c].equals(&b[*c], tolerance[*c]))
    };
    for (position, (a, b)) in right.rows.iter().zip(&ours.rows).enumerate() {
        if !tie(a, b) {
            return Err(format!(
                "row {} in order is {} instead of {}",
                position + 1,
                describe(b),
                describe(a)
            ));
        }
    }
    // Which of the rows that tie at the limit are shown is open.
    let last = right.rows.last().filter(|_| expected.limited);
    let settled = |row: &&Row| last.is_none_or(|last| !tie(last, row));
    let right_set: Vec<&Row> = right.rows.iter().filter(settled).collect();
    let our_set: Vec<&Row> = ours.rows.iter().filter(settled).collect();
    same_set(right_set, our_set, &tolerance)?;
    Ok(ours.rows.len() as u64)
}

/// Makes whole numbers floats where the other side has floats, or the two would sort differently.
fn align_numbers(right: &mut Rows, ours: &mut Rows) {
    for column in 0..right.width {
        match (right.has_floats(column), ours.has_floats(column)) {
            (true, false) => ours.make_floats(column),
            (false, true) => right.make_floats(column),
            _ => {}
        }
    }
}

/// Whether both hold the same rows in any order.
fn same_set(mut right: Vec<&Row>, mut ours: Vec<&Row>, tolerance: &[f64]) -> Result<(), String> {
    let by_cells = |a: &&Row, b: &&Row| {
        exact_order(a, b).then_with(|| {
            a.iter()
                .zip(b.iter())
                .map(|(x, y)| x.total_order(y))
                .fold(Ordering::Equal, Ordering::then)
        })
    };
    right.sort_by(by_cells);
    ours.sort_by(by_cells);
    let mut start = 0;
    while start < right.len() {
        let group = right[start..]
            .iter()
            .take_while(|row| exact_order(row, right[start]) == Ordering::Equal)
            .count();
        let end = (start + group).min(ours.len());
        same_group(&right[start..start + group], &ours[start..end], tolerance)?;
        start += group;
    }
    Ok(())
}

/// Rows whose exact cells are all equal on the right side: each needs a partner of its own.
fn same_group(right: &[&Row], ours: &[&Row], tolerance: &[f64]) -> Result<(), String> {
    let equal = |a: &Row, b: &Row| {
        a.iter()
            .zip(b)
            .zip(tolerance)
            .all(|((x, y), tolerance)| x.equals(y, *tolerance))
    };
    if right.len() == ours.len() && right.iter().zip(ours).all(|(a, b)| equal(a, b)) {
        return Ok(());
    }
    // Floats that differ in their last digits may have been sorted differently.
    let mut taken = HashSet::new();
    for row in right.iter().take(GROUP_LIMIT) {
        let partner = ours
            .iter()
            .take(GROUP_LIMIT)
            .enumerate()
            .position(|(i, other)| !taken.contains(&i) && equal(row, other));
        match partner {
            Some(i) => taken.insert(i),
            None => {
                let near = ours.iter().enumerate().find(|(i, _)| !taken.contains(i));
                return Err(match near {
                    Some((_, other)) => {
                        format!("{} instead of {}", describe(other), describe(row))
                    }
                    None => format!("{} is missing", describe(row)),
                });
            }
        };
    }
    if right.len() > GROUP_LIMIT {
        return Err(format!(
            "more than {GROUP_LIMIT} rows differ only in floats and cannot be matched; \
             add a column that tells them apart"
        ));
    }
    Ok(())
}

type Row = Vec<Cell>;

#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Null,
    Float(f64),
    Exact(String),
}

struct Rows {
    rows: Vec<Row>,
    width: usize,
}

impl Rows {
    fn new(batches: &[RecordBatch]) -> Result<Self, String> {
        let mut rows = Vec::new();
        let mut width = 0;
        for batch in batches.iter().filter(|b| b.num_rows() > 0) {
            width = batch.num_columns();
            let mut columns = batch
                .columns()
                .iter()
                .map(|column| cells(column).map(Vec::into_iter))
                .collect::<Result<Vec<_>, _>>()?;
            rows.extend((0..batch.num_rows()).map(|_| {
                columns
                    .iter_mut()
                    .map(|c| c.next().unwrap_or(Cell::Null))
                    .collect::<Row>()
            }));
        }
        Ok(Rows { rows, width })
    }

    fn has_floats(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().map(|row| &row[column]);
        cells.any(|cell| matches!(cell, Cell::Float(_)))
    }

    fn make_floats(&mut self, column: usize) {
        for cell in self.rows.iter_mut().map(|row| &mut row[column]) {
            if let Cell::Exact(text) = cell
                && let Ok(number) = text.parse()
            {
                *cell = Cell::Float(number);
            }
        }
    }

    /// For each column the absolute difference that cancellation may leave.
    fn tolerances(&self) -> Vec<f64> {
        (0..self.width)
            .map(|column| {
                let largest = self.rows.iter().filter_map(|row| match &row[column] {
                    Cell::Float(f) if f.is_finite() => Some(f.abs()),
                    _ => None,
                });
                largest.fold(0.0, f64::max) * CANCELLATION_TOLERANCE
            })
            .collect()
    }
}

fn cells(column: &ArrayRef) -> Result<Vec<Cell>, String> {
    if column.data_type().is_floating() {
        let floats = cast(column, &DataType::Float64).map_err(|e| e.to_string())?;
        let floats = floats.as_primitive::<Float64Type>();
        return Ok(floats
            .iter()
            .map(|v| v.map_or(Cell::Null, Cell::Float))
            .collect());
    }
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(column, &options).map_err(|e| e.to_string())?;
    (0..column.len())
        .map(|row| {
            if column.is_null(row) {
                Ok(Cell::Null)
            } else {
                formatter
                    .value(row)
                    .try_to_string()
                    .map(Cell::Exact)
                    .map_err(|e| e.to_string())
            }
        })
        .collect()
}

impl Cell {
    fn equals(&self, other: &Cell, tolerance: f64) -> bool {
        match (self, other) {
            (Cell::Float(a), Cell::Float(b)) => {
                a == b
                    || (a.is_nan() && b.is_nan())
                    || (a - b).abs() <= (RELATIVE_TOLERANCE * a.abs().max(b.abs())).max(tolerance)
                        && a.is_finite()
                        && b.is_finite()
            }
            // An engine may count in doubles, or average into an integer column.
            (Cell::Float(a), Cell::Exact(b)) | (Cell::Exact(b), Cell::Float(a)) => b
                .parse::<f64>()
                .is_ok_and(|b| Cell::Float(*a).equals(&Cell::Float(b), tolerance)),
            (a, b) => a == b,
        }
    }

    fn total_order(&self, other: &Cell) -> Ordering {
        match (self, other) {
            (Cell::Float(a), Cell::Float(b)) => a.total_cmp(b),
            (a, b) => a.exact().cmp(&b.exact()),
        }
    }

    /// What sorts a cell without looking at floats.
    fn exact(&self) -> (u8, &str) {
        match self {
            Cell::Null => (0, ""),
            Cell::Float(_) => (1, ""),
            Cell::Exact(text) => (2, text),
        }
    }
}

fn exact_order(a: &Row, b: &Row) -> Ordering {
    a.iter().map(Cell::exact).cmp(b.iter().map(Cell::exact))
}

fn describe(row: &Row) -> String {
    let cells = row.iter().take(6).map(|cell| match cell {
        Cell::Null => "NULL".to_owned(),
        Cell::Float(f) => f.to_string(),
        Cell::Exact(text) => text.chars().take(40).collect(),
    });
    format!("({})", cells.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests;
