//! What storing and reading cost on a machine with each kind of designs, as a small run measured it, and what a question
//! is estimated to take by that.

use serde::Serialize;

use crate::{DesignSummary, Estimate, Summary};

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

/// What storing and reading cost with a kind of designs, as least and most seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pace {
    /// The kind: engine and layout, such as `cassandra/wide`.
    pub kind: String,
    /// Time of a question for a few rows, which are found by the key.
    pub question: Seconds,
    /// Time for each further row that is found by the key.
    pub found_row: Seconds,
    /// Time for each row if one column of all rows is read.
    pub scanned_row: Seconds,
    /// Time for each further value of a row.
    pub value: Seconds,
    /// Bytes at rest of a row.
    pub row_bytes: f64,
    /// Rows a second of loading and settling together.
    pub load_rate: f64,
}

/// The least and the most seconds of something.
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
    /// The least share of the rows, from 0 to 1, that a design may read; `None` if it reads all.
    pub least: Option<f64>,
    /// The largest share; `None` if it may read all.
    pub most: Option<f64>,
}

impl Seconds {
    /// Any time at all: nothing is known.
    pub const UNKNOWN: Seconds = Seconds {
        least: 0.0,
        most: f64::INFINITY,
    };

    /// Returns the time between two measured ones, for one of so many steps, of which none takes less than nothing.
    fn between(short: &Estimate, long: &Estimate, steps: f64) -> Seconds {
        let each = |seconds: f64| seconds.max(0.0) / steps;
        Seconds {
            least: each(long.low - short.high),
            most: each(long.high - short.low),
        }
    }
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
        let time = |name: &str| {
            let mut queries = design.queries.iter();
            queries.find(|query| query.query == name)?.time.as_ref()
        };
        let (few, series) = (time(FEW)?, time(SERIES)?);
        let (column, columns) = (time(COLUMN)?, time(COLUMNS)?);
        let further_rows = rows / NUMBER_OF_SERIES - ROWS_OF_FEW;
        if !design.failures.is_empty() || further_rows <= 0.0 {
            return None;
        }
        Some(Pace {
            kind: kind(&design.info.id).to_owned(),
            question: Seconds {
                least: few.low,
                most: few.high,
            },
            found_row: Seconds::between(few, series, further_rows),
            scanned_row: Seconds::between(few, column, rows),
            value: Seconds::between(column, columns, rows * (COLUMNS_READ - 1.0)),
            row_bytes: design.bytes_per_row?,
            load_rate: design.load_rate.as_ref()?.median,
        })
    }

    /// Estimates the least and the most that a question takes: the time of one for few rows, and for the rows that it reads
    /// the less of finding them and of reading all.
    pub fn seconds(&self, reading: Reading) -> Seconds {
        let further = reading.columns.saturating_sub(1) as f64;
        let seconds = |take: fn(Seconds) -> f64, found: Option<f64>| {
            let of_values = take(self.value) * further;
            let of_all = reading.rows * (take(self.scanned_row) + of_values);
            let of_found =
                found.map(|share| reading.rows * share * (take(self.found_row) + of_values));
            take(self.question) + of_found.map_or(of_all, |found| found.min(of_all))
        };
        Seconds {
            least: seconds(|seconds| seconds.least, reading.least),
            most: seconds(|seconds| seconds.most, reading.most),
        }
    }
}

/// Returns the kind of a design: its id without settings.
fn kind(design: &str) -> &str {
    design.split('?').next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
