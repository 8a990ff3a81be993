//! Ledger of forecasts: what was predicted, and what was then measured.
//!
//! It is a file of the run folder, so that forecasts are judged by how often earlier ones held.

use std::collections::HashSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Forecast, HeldOut, Summary, Trial};
use crate::JournalError;
use crate::lines::{self, Lines};

/// Name of the ledger in the folder of a run.
pub const FILE: &str = "forecasts.jsonl";
/// Version of the way in which forecasts are made; figures of different versions are not added up.
pub const METHOD: u32 = 2;
/// Factors of extrapolation by which forecasts are grouped, each with the nearest.
const FACTORS: [f64; 3] = [2.0, 4.0, 16.0];

/// Forecast of one figure, with its measured value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub method: u32,
    /// Start of the run that the forecast was made from, which tells runs apart.
    pub run: String,
    /// Start of the run that measured the figure; absent where it is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_by: Option<String>,
    pub workload: String,
    pub design: String,
    /// Question that the time is of; absent for bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Rows of the largest table that the forecast was made from.
    pub from_rows: u64,
    pub rows: u64,
    /// How many times as many rows it is for.
    pub factor: f64,
    /// Seconds or bytes.
    pub predicted: f64,
    /// 90% interval.
    pub low: f64,
    pub high: f64,
    pub measured: f64,
}

/// How often and how well forecasts held.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// Factor of extrapolation; `None` for all together.
    pub factor: Option<f64>,
    pub forecasts: usize,
    /// Number of those that lay within their 90% interval.
    pub covered: usize,
    /// Median of the logarithm by which they were off.
    pub median_error: f64,
}

impl Entry {
    fn of(summary: &Summary, design: &str, query: Option<&str>, trial: &Trial) -> Entry {
        let HeldOut {
            predicted,
            interval: (low, high),
            measured,
            ..
        } = trial.held_out;
        Entry {
            method: METHOD,
            run: summary.header.started_at.clone(),
            measured_by: None,
            workload: summary.header.workload.clone(),
            design: design.to_owned(),
            query: query.map(str::to_owned),
            from_rows: trial.from_rows,
            rows: trial.rows,
            factor: trial.rows as f64 / trial.from_rows.max(1) as f64,
            predicted,
            low,
            high,
            measured,
        }
    }

    fn is_covered(&self) -> bool {
        (self.low..=self.high).contains(&self.measured)
    }

    fn error(&self) -> f64 {
        super::growth::ln_error(self.predicted, self.measured)
    }

    /// Returns what tells figures apart: two entries of the same are one.
    fn figure(
        &self,
    ) -> (
        u32,
        String,
        Option<String>,
        String,
        Option<String>,
        u64,
        u64,
    ) {
        (
            self.method,
            self.run.clone(),
            self.measured_by.clone(),
            self.design.clone(),
            self.query.clone(),
            self.from_rows,
            self.rows,
        )
    }
}

/// Returns the forecasts that a run makes of its larger tables from its smaller ones, with what it measured.
pub fn held_out(summary: &Summary) -> Vec<Entry> {
    let designs = summary.forecast.iter().flat_map(|f| &f.designs);
    let mut entries = Vec::new();
    for design in designs {
        let id = &design.design;
        for time in &design.times {
            let query = Some(time.query.as_str());
            let trials = time.trials.iter();
            entries.extend(trials.map(|trial| Entry::of(summary, id, query, trial)));
        }
        let trials = design.storage.iter().flat_map(|storage| &storage.trials);
        entries.extend(trials.map(|trial| Entry::of(summary, id, None, trial)));
    }
    entries
}

/// Returns a run's forecast of what another one measured, with what that one measured. Designs that only one of
/// them has, and times that are refused, have no entry.
pub fn against(forecast: &Forecast, summary: &Summary, other: &Summary) -> Vec<Entry> {
    let mut entries = Vec::new();
    for design in &forecast.designs {
        let Some(measured) = other.design(&design.design).filter(|d| d.is_right()) else {
            continue;
        };
        let entry = |query: Option<&str>, predicted: f64, interval: (f64, f64), measured: f64| {
            let trial = Trial {
                from_rows: summary.rows,
                rows: other.rows,
                held_out: HeldOut {
                    predicted,
                    interval,
                    measured,
                    proportional: predicted,
                },
            };
            Entry {
                measured_by: Some(other.header.started_at.clone()),
                ..Entry::of(summary, &design.design, query, &trial)
            }
        };
        for time in &design.times {
            let found = measured.query(&time.query).and_then(|query| query.time);
            if let (Some(known), Some(found)) = (time.known(), found) {
                let query = Some(time.query.as_str());
                entries.push(entry(query, known.seconds, known.interval, found.median));
            }
        }
        if let Some(storage) = &design.storage
            && let (Some(interval), Some(bytes)) = (storage.interval, measured.bytes_per_row)
        {
            let bytes = bytes * other.rows as f64;
            entries.push(entry(None, storage.bytes, interval, bytes));
        }
    }
    entries
}

/// Reads the ledger of a run folder; one without a ledger has no entries.
///
/// # Errors
/// The file is damaged or cannot be read.
pub fn read(dir: &Path) -> Result<Vec<Entry>, JournalError> {
    lines::read_if_there(&dir.join(FILE))
}

/// Appends the entries that the ledger of a run folder does not have, and returns their number. The folder is
/// locked meanwhile.
///
/// # Errors
/// The folder is in use or unwritable, or the ledger is damaged.
pub fn append(dir: &Path, entries: &[Entry]) -> Result<usize, JournalError> {
    let _lock = lines::lock(dir)?;
    let (mut ledger, known) = Lines::open::<Entry>(&dir.join(FILE))?;
    ledger.begin()?;
    let mut figures: HashSet<_> = known.iter().map(Entry::figure).collect();
    let mut added = 0;
    for entry in entries {
        if figures.insert(entry.figure()) {
            ledger.append(entry)?;
            added += 1;
        }
    }
    Ok(added)
}

/// Returns the entries of this version of the method, each figure once: a folder that was copied counts once.
pub fn distinct(entries: impl IntoIterator<Item = Entry>) -> Vec<Entry> {
    let mut figures = HashSet::new();
    let mut kept: Vec<Entry> = entries.into_iter().collect();
    kept.retain(|entry| entry.method == METHOD && figures.insert(entry.figure()));
    kept
}

/// Scores forecasts, of times if they have a question and of bytes otherwise: all together, then by factor of
/// extrapolation. Returns none without entries.
pub fn scores<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<Score> {
    let entries: Vec<&Entry> = entries.into_iter().collect();
    let by_factor = FACTORS.into_iter().map(|factor| {
        let those = entries.iter().copied();
        (
            Some(factor),
            those.filter(|e| nearest(e.factor) == factor).collect(),
        )
    });
    let all = (None, entries.clone());
    { std::iter::once(all).chain(by_factor) }
        .filter_map(|(factor, entries): (_, Vec<&Entry>)| score(factor, &entries))
        .collect()
}

fn score(factor: Option<f64>, entries: &[&Entry]) -> Option<Score> {
    let mut errors: Vec<f64> = entries.iter().map(|entry| entry.error()).collect();
    errors.sort_by(f64::total_cmp);
    let covered = entries.iter().filter(|entry| entry.is_covered()).count();
    (!errors.is_empty()).then(|| Score {
        factor,
        forecasts: errors.len(),
        covered,
        median_error: crate::estimate::median(&errors),
    })
}

fn nearest(factor: f64) -> f64 {
    let distance = |of: &f64| (factor / of).ln().abs();
    let least = |a: &f64, b: &f64| distance(a).total_cmp(&distance(b));
    FACTORS.into_iter().min_by(least).unwrap_or(FACTORS[0])
}

#[cfg(test)]
mod tests;
