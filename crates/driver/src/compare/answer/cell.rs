//! Cells and rows of answers, and when two of them are equal.

use std::cmp::Ordering;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type};
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};

pub type Row = Vec<Cell>;

#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Null,
    Float(f64),
    Exact(String),
}

/// All rows of an answer.
pub struct Rows {
    pub rows: Vec<Row>,
    pub width: usize,
}

impl Rows {
    pub fn new(batches: &[RecordBatch]) -> Result<Self, String> {
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

    pub fn has_floats(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().map(|row| &row[column]);
        cells.any(|cell| matches!(cell, Cell::Float(_)))
    }

    pub fn make_floats(&mut self, column: usize) {
        for cell in self.rows.iter_mut().map(|row| &mut row[column]) {
            if let Cell::Exact(text) = cell
                && let Ok(number) = text.parse()
            {
                *cell = Cell::Float(number);
            }
        }
    }

    /// Returns the largest finite float of a column, without its sign; 0 if there is none.
    pub fn largest(&self, column: usize) -> f64 {
        let floats = self.rows.iter().filter_map(|row| match &row[column] {
            Cell::Float(f) if f.is_finite() => Some(f.abs()),
            _ => None,
        });
        floats.fold(0.0, f64::max)
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
    let column = &in_utc(column)?;
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

/// Takes the zone from moments, in which one engine may show them and another one not.
fn in_utc(column: &ArrayRef) -> Result<ArrayRef, String> {
    match column.data_type() {
        DataType::Timestamp(unit, Some(_)) => {
            cast(column, &DataType::Timestamp(*unit, None)).map_err(|e| e.to_string())
        }
        _ => Ok(column.clone()),
    }
}

impl Cell {
    /// Returns whether two cells are the same. Floats may differ by a share of the larger one, or by
    /// an absolute difference.
    pub fn equals(&self, other: &Cell, relative: f64, absolute: f64) -> bool {
        match (self, other) {
            (Cell::Float(a), Cell::Float(b)) => {
                a == b
                    || (a.is_nan() && b.is_nan())
                    || (a - b).abs() <= (relative * a.abs().max(b.abs())).max(absolute)
                        && a.is_finite()
                        && b.is_finite()
            }
            // An engine may count in doubles, or average into an integer column.
            (Cell::Float(a), Cell::Exact(b)) | (Cell::Exact(b), Cell::Float(a)) => b
                .parse::<f64>()
                .is_ok_and(|b| Cell::Float(*a).equals(&Cell::Float(b), relative, absolute)),
            (a, b) => a == b,
        }
    }

    /// Returns whether two cells are the same to the last digit.
    pub fn is_exactly(&self, other: &Cell) -> bool {
        self.equals(other, 0.0, 0.0)
    }

    pub fn total_order(&self, other: &Cell) -> Ordering {
        match (self, other) {
            (Cell::Float(a), Cell::Float(b)) => a.total_cmp(b),
            (a, b) => a.exact().cmp(&b.exact()),
        }
    }

    /// Returns what sorts a cell without looking at floats.
    fn exact(&self) -> (u8, &str) {
        match self {
            Cell::Null => (0, ""),
            Cell::Float(_) => (1, ""),
            Cell::Exact(text) => (2, text),
        }
    }
}

/// Compares the cells of two rows that are no floats.
pub fn exact_order(a: &Row, b: &Row) -> Ordering {
    a.iter().map(Cell::exact).cmp(b.iter().map(Cell::exact))
}

pub fn describe(row: &Row) -> String {
    let cells = row.iter().take(6).map(|cell| match cell {
        Cell::Null => "NULL".to_owned(),
        Cell::Float(f) => f.to_string(),
        Cell::Exact(text) => text.chars().take(40).collect(),
    });
    format!("({})", cells.collect::<Vec<_>>().join(", "))
}
