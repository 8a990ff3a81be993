//! Writes rows as a table for people.

mod cells;
mod widths;

use std::fmt::Write as _;

use anyhow::Result;
use arrow::array::RecordBatch;
use arrow::datatypes::{Field, SchemaRef};
use bakeoff_report::units;

use super::{Rows, Sink};
use crate::terminal::on_one_line;
use cells::{Cells, clipped};
use widths::Widths;

/// Rows whose widths decide the layout; later rows use the same widths.
const ROWS_TOGETHER: usize = 1_000;

/// A table. Its widths come from the first rows; on a terminal, no line is longer than the terminal is wide.
pub struct Table {
    to: Box<dyn Sink>,
    names: Vec<String>,
    numeric: Vec<bool>,
    /// Rows that are shown; `None` stands for all.
    most: Option<u64>,
    /// Columns of the terminal; `None` for other outputs.
    width: Option<usize>,
    taken: u64,
    was_cut: bool,
    /// Cells of rows that are not written yet.
    waiting: Vec<Vec<String>>,
    /// Widths of the columns; `None` until the first rows are written.
    widths: Option<Widths>,
}

impl Table {
    pub fn new(
        to: Box<dyn Sink>,
        schema: &SchemaRef,
        most: Option<u64>,
        width: Option<usize>,
    ) -> Self {
        let fields = schema.fields();
        Table {
            to,
            names: fields.iter().map(|f| on_one_line(f.name())).collect(),
            numeric: fields.iter().map(|f| is_numeric(f)).collect(),
            most,
            width,
            taken: 0,
            was_cut: false,
            waiting: Vec::new(),
            widths: None,
        }
    }

    fn write_waiting(&mut self) -> Result<()> {
        let mut text = String::new();
        let widths = match self.widths.take() {
            Some(widths) => widths,
            None => {
                let widths = Widths::new(&self.names, &self.waiting, self.width);
                self.line(&mut text, &widths, &self.names);
                let _ = writeln!(text, "{}", "─".repeat(widths.total()));
                widths
            }
        };
        for row in &self.waiting {
            self.line(&mut text, &widths, row);
        }
        self.waiting.clear();
        self.widths = Some(widths);
        self.to.write_all(text.as_bytes())?;
        Ok(())
    }

    fn line(&self, text: &mut String, widths: &Widths, cells: &[String]) {
        let mut line = String::new();
        for (i, width) in widths.columns().iter().enumerate() {
            let (cell, blank) = clipped(&cells[i], *width, widths.clip);
            // Writing to a String cannot fail.
            let _ = if self.numeric[i] {
                write!(line, " {:blank$}{cell} ", "")
            } else {
                write!(line, " {cell}{:blank$} ", "")
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.was_cut {
            notes.push(format!(
                "only the first {} are shown; --rows all shows all of them, --out FILE.csv or \
                 --format csv writes them without a layout",
                units::plural(self.most.unwrap_or_default(), "row", "rows")
            ));
        }
        let widths = self.widths.as_ref();
        if let Some(hidden) = widths.map(Widths::hidden).filter(|hidden| *hidden > 0) {
            notes.push(format!(
                "{hidden} of {} columns do not fit the terminal: select fewer of them, or use \
                 --format json",
                self.names.len()
            ));
        }
        notes
    }
}

impl Rows for Table {
    fn write(&mut self, rows: &RecordBatch) -> Result<usize> {
        let left = self.most.map_or(u64::MAX, |most| most - self.taken);
        let taken = (rows.num_rows() as u64).min(left);
        let cells = Cells::new(rows)?;
        for row in 0..taken as usize {
            self.waiting.push(cells.row(row));
            if self.waiting.len() >= ROWS_TOGETHER {
                self.write_waiting()?;
            }
        }
        self.taken += taken;
        self.was_cut = taken < rows.num_rows() as u64;
        Ok(taken as usize)
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<String>> {
        if self.widths.is_none() || !self.waiting.is_empty() {
            self.write_waiting()?;
        }
        self.to.complete()?;
        Ok(self.notes())
    }
}

fn is_numeric(field: &Field) -> bool {
    field.data_type().is_numeric()
}
