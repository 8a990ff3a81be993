//! The progress of a query.

use bakeoff_columnar::sql::{ColumnarScan, StatisticsExec};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::MetricsSet;

use crate::cassandra::{REQUESTS, REQUESTS_DONE};
use crate::sql::rows_scanned;

/// The metrics of a columnar scan that count chunks which are done.
const CHUNKS_DONE: [&str; 3] = ["chunks_read", "chunks_counted", "chunks_passed_over"];

/// The work of a query on chunks of columnar tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChunkCounts {
    /// The number of chunks that were looked up: those of the places that the query's keys are in.
    pub all: u64,
    pub read: u64,
    /// The number of chunks that were not read because their statistics answer the query.
    pub answered: u64,
    /// The bytes of the blobs that were read, from the store or from memory.
    pub bytes: u64,
    /// The number of blobs that were in memory.
    pub cache_hits: u64,
    /// The number of blobs that were not in memory.
    pub cache_misses: u64,
}

/// The rows and parts that a query has read so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Progress {
    /// The number of rows that tables have returned, or `None` if no table is read, as for a count that
    /// statistics answer.
    pub rows_scanned: Option<u64>,
    /// The number of parts of tables (token ranges, partitions or chunks) that were read.
    pub parts_done: u64,
    /// The number of all parts, or 0 if nothing is known about them.
    pub parts: u64,
}

impl Progress {
    /// Reads the progress of a plan while it runs.
    pub fn from_plan(plan: &dyn ExecutionPlan) -> Self {
        let (parts_done, parts) = parts(plan);
        Progress {
            rows_scanned: rows_scanned(plan),
            parts_done,
            parts,
        }
    }

    /// Returns the share of the parts that are done, from 0 to 1, if it is known.
    pub fn share(&self) -> Option<f64> {
        (self.parts > 0).then(|| self.parts_done as f64 / self.parts as f64)
    }
}

/// Returns the number of parts that are done, and of all parts.
fn parts(plan: &dyn ExecutionPlan) -> (u64, u64) {
    let metrics = plan.metrics();
    let counted = |name: &str| metrics.as_ref().map_or(0, |metrics| counter(metrics, name));
    let own = match plan.downcast_ref::<ColumnarScan>() {
        Some(scan) => (
            CHUNKS_DONE.into_iter().map(counted).sum(),
            scan.chunks_to_read() as u64,
        ),
        None => (counted(REQUESTS_DONE), counted(REQUESTS)),
    };
    let add = |(a, b): (u64, u64), (c, d): (u64, u64)| (a + c, b + d);
    let below = plan.children().into_iter();
    below.map(|child| parts(child.as_ref())).fold(own, add)
}

/// Counts the chunks that the scans of columnar tables have read so far.
pub fn chunks(plan: &dyn ExecutionPlan) -> ChunkCounts {
    let below = plan
        .children()
        .into_iter()
        .map(|child| chunks(child.as_ref()));
    let mut sum = below.fold(ChunkCounts::default(), |mut sum, counts| {
        sum.all += counts.all;
        sum.read += counts.read;
        sum.answered += counts.answered;
        sum.bytes += counts.bytes;
        sum
    });
    if let Some(statistics) = plan.downcast_ref::<StatisticsExec>() {
        sum.all += statistics.chunks_looked_up() as u64;
        sum.answered += statistics.chunks() as u64;
    }
    if let Some(scan) = plan.downcast_ref::<ColumnarScan>() {
        let metrics = scan.metrics().unwrap_or_default();
        sum.all += scan.chunks_looked_up() as u64;
        sum.read += counter(&metrics, "chunks_read");
        sum.answered += counter(&metrics, "chunks_counted");
        sum.bytes += counter(&metrics, "bytes_read");
    }
    sum
}

fn counter(metrics: &MetricsSet, name: &str) -> u64 {
    metrics
        .sum_by_name(name)
        .map_or(0, |value| value.as_usize() as u64)
}
