//! What storing and reading cost on a machine with each kind of designs, as a small run measured it, and what a question
//! is estimated to take by that.

use serde::Serialize;

use crate::{DesignSummary, Summary};

/// Questions of a calibration: for a few rows that are found by the key, for all rows of one series, for one column of all
/// rows, and for several columns of them.
pub const FEW: &str = "few";
pub const SERIES: &str = "series";
pub const COLUMN: &str = "column";
pub const COLUMNS: &str = "columns";
/// Rows that the first one finds, series that the table has in equal parts, and columns that the last one reads.
pub const ROWS_OF_FEW: f64 = 60.0;
pub const NUMBER_OF_SERIES: f64 = 20.0;
pub const COLUMNS_READ: f64 = 4.0;

/// What storing and reading cost with each kind of designs on a machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Calibration {
    /// When it began, as a journal says it.
    pub started_at: String,
    /// Rows that were loaded.
    pub rows: u64,
    pub paces: Vec<Pace>,
}

/// What storing and reading cost with a kind of designs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pace {
    /// The kind: engine and layout, such as `cassandra/wide`.
    pub kind: String,
    /// Seconds of a question for a few rows, which are found by the key.
    pub question: f64,
    /// Seconds for each further row that is found by the key.
    pub found_row: f64,
    /// Seconds for each row if one column of all rows is read.
    pub scanned_row: f64,
    /// Seconds for each further value of such a row.
    pub scanned_value: f64,
    /// Bytes at rest of a row.
    pub row_bytes: f64,
    /// Rows a second of loading and settling together.
    pub load_rate: f64,
}

/// Estimated seconds of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Seconds {
    pub least: f64,
    pub most: f64,
}

/// What a question reads of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Rows of the table.
    pub rows: f64,
    /// Columns that the question names.
    pub columns: usize,
    /// Share of the rows, from 0 to 1, that a design finds without reading the others; `None` if it reads all.
    pub found: Option<f64>,
}

impl Calibration {
    /// Takes the figures of the designs of a calibration's run that answered all of its questions.
    pub fn of(summary: &Summary) -> Calibration {
        let designs = summary.designs.iter();
        Calibration {
            started_at: summary.header.started_at.clone(),
            rows: summary.rows,
            paces: designs
                .filter_map(|design| Pace::of(design, summary.rows as f64))
                .collect(),
        }
    }

    /// Returns the figures of the kind of a design, by its id; `None` if that kind was not measured.
    pub fn pace(&self, design: &str) -> Option<&Pace> {
        let kind = kind(design);
        self.paces.iter().find(|pace| pace.kind == kind)
    }
}

impl Pace {
    fn of(design: &DesignSummary, rows: f64) -> Option<Pace> {
        let seconds = |name: &str| {
            let mut queries = design.queries.iter();
            let query = queries.find(|query| query.query == name)?;
            query.time.as_ref().map(|time| time.median)
        };
        let (few, series) = (seconds(FEW)?, seconds(SERIES)?);
        let (column, columns) = (seconds(COLUMN)?, seconds(COLUMNS)?);
        let further_rows = rows / NUMBER_OF_SERIES - ROWS_OF_FEW;
        if !design.failures.is_empty() || further_rows <= 0.0 {
            return None;
        }
        // What is within the noise of the measurement costs nothing.
        let beyond = |seconds: f64, less: f64| (seconds - less).max(0.0);
        Some(Pace {
            kind: kind(&design.info.id).to_owned(),
            question: few,
            found_row: beyond(series, few) / further_rows,
            scanned_row: beyond(column, few) / rows,
            scanned_value: beyond(columns, column) / (rows * (COLUMNS_READ - 1.0)),
            row_bytes: design.bytes_per_row?,
            load_rate: design.load_rate.as_ref()?.median,
        })
    }

    /// Estimates the seconds of a question: those of one for few rows, and for the rows that it reads the less of finding
    /// them and of reading all.
    pub fn seconds(&self, reading: Reading) -> f64 {
        let further = reading.columns.saturating_sub(1) as f64;
        let of_all = reading.rows * (self.scanned_row + self.scanned_value * further);
        let of_found = { reading.found }.map(|share| reading.rows * share * self.found_row);
        self.question + of_found.map_or(of_all, |found| found.min(of_all))
    }

    /// Estimates the least and the most that a question takes.
    pub fn between(&self, least: Reading, most: Reading) -> Seconds {
        Seconds {
            least: self.seconds(least),
            most: self.seconds(most),
        }
    }
}

/// Returns the kind of a design: its id without settings.
fn kind(design: &str) -> &str {
    design.split('?').next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
