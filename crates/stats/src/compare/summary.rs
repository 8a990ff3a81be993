//! Everything that a report shows, computed from the records alone.

use super::collect::Collected;
use super::{ConcurrentSummary, Cost, Forecast, Header, Record, RowsLeft, ScaleOut, Step};
use crate::{CpuSeconds, DesignInfo, EngineInfo, Estimate, Footprint};

/// A run as its reader sees it. Designs and queries are in the header's order.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Summary {
    pub header: Header,
    pub engines: Vec<EngineInfo>,
    /// Rows loaded into every design. Of an unfinished load, the most that one design has.
    pub rows: u64,
    /// What of the data was not loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_left: Option<RowsLeft>,
    /// Rows that share their key with a later row; layouts that have the key keep the later one.
    pub duplicate_rows: u64,
    /// Rounds to measure; an unfinished run has measured fewer.
    pub rounds: u32,
    pub warm_up_passes: u32,
    /// Whether times were steady when measuring began; `None` before it began.
    pub steady: Option<bool>,
    pub designs: Vec<DesignSummary>,
    pub warnings: Vec<String>,
    pub finished: bool,
    /// Stopped by its user, and not gone on with.
    pub interrupted: bool,
    pub seconds: Option<f64>,
    pub peak_memory_bytes: Option<u64>,
    /// `None` while no design has both storage and rows.
    pub forecast: Option<Forecast>,
    /// Where several nodes were started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_out: Option<ScaleOut>,
    /// `None` without prices.
    pub cost: Option<Cost>,
}

#[derive(Debug, Clone, serde::Serialize)]
pub struct DesignSummary {
    pub info: DesignInfo,
    /// Rows sent to the design since it was last created.
    pub rows_loaded: u64,
    /// Rows a second over the slices of the second half of the load (the first half warms up).
    pub load_rate: Option<Estimate>,
    pub load_seconds: f64,
    pub load_cpu: CpuSeconds,
    pub settle_seconds: Option<f64>,
    pub footprint: Option<Footprint>,
    /// Bytes of the footprint for each row sent, duplicates included.
    /// Of one copy of each row, however many the footprint has.
    pub bytes_per_row: Option<f64>,
    /// How many times smaller than the largest design that has a figure.
    pub times_smaller: Option<f64>,
    /// In the header's order of queries.
    pub queries: Vec<QuerySummary>,
    /// `None` where no clients asked at the same time, or not yet.
    pub concurrent: Option<ConcurrentSummary>,
    /// Empty for a design whose every answer was right and that got to the end.
    pub failures: Vec<Failure>,
}

#[derive(Debug, Clone, serde::Serialize)]
pub struct QuerySummary {
    pub query: String,
    /// Median of the rounds with right answers, in seconds, and its interval. `None` when the
    /// complete answer was wrong or missing, whatever the rounds gave.
    pub time: Option<Estimate>,
    /// How many times faster than the slowest design on this query, by medians.
    pub times_faster: Option<f64>,
    /// Rows a second that the storage handed over, at the median.
    pub rows_scanned_per_second: Option<f64>,
    /// Rows that the storage handed over for one answer (median over rounds).
    pub rows_scanned: Option<f64>,
    /// For one right answer, mean over rounds.
    pub cpu: CpuSeconds,
    /// Rounds whose answer was wrong or missing.
    pub bad_rounds: u32,
}

/// A failure or a mistake of a design.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Failure {
    pub step: Step,
    pub query: Option<String>,
    pub reason: String,
}

/// Records that no run writes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SummaryError {
    #[error("the run has no header; its journal is not complete")]
    NoHeader,
    #[error("record {record} is about the design `{design}`, which the run's header does not have")]
    UnknownDesign { design: String, record: usize },
    #[error("record {record} is about the query `{query}`, which the run's header does not have")]
    UnknownQuery { query: String, record: usize },
}

impl Summary {
    /// # Errors
    /// The records do not begin with a header, or name designs or queries that it does not have.
    pub fn of(records: &[Record]) -> Result<Summary, SummaryError> {
        let Some((Record::Started(header), rest)) = records.split_first() else {
            return Err(SummaryError::NoHeader);
        };
        let mut collected = Collected::new(header);
        for (index, record) in rest.iter().enumerate() {
            collected.take(index + 2, record)?;
        }
        let mut summary = collected.summary();
        summary.compare();
        summary.forecast = Forecast::of(&summary);
        summary.scale_out = ScaleOut::of(&summary);
        Ok(summary)
    }

    pub fn design(&self, id: &str) -> Option<&DesignSummary> {
        self.designs.iter().find(|d| d.info.id == id)
    }

    /// Fills in what is relative to the other designs.
    fn compare(&mut self) {
        let largest = greatest(self.designs.iter().filter_map(|d| d.bytes_per_row));
        for design in &mut self.designs {
            design.times_smaller = ratio(largest, design.bytes_per_row);
        }
        for query in 0..self.header.queries.len() {
            let median = |d: &DesignSummary| d.queries[query].time.map(|t| t.median);
            let slowest = greatest(self.designs.iter().filter_map(median));
            for design in &mut self.designs {
                design.queries[query].times_faster = ratio(slowest, median(design));
            }
        }
    }
}

impl DesignSummary {
    /// Nothing failed, so it may be recommended.
    pub fn is_right(&self) -> bool {
        self.failures.is_empty()
    }

    pub fn query(&self, name: &str) -> Option<&QuerySummary> {
        self.queries.iter().find(|q| q.query == name)
    }
}

fn greatest(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.max_by(f64::total_cmp)
}

fn ratio(greatest: Option<f64>, own: Option<f64>) -> Option<f64> {
    let own = own.filter(|&x| x > 0.0)?;
    Some(greatest? / own)
}

#[cfg(test)]
mod tests;
