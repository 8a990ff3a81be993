//! The statistics of a scan's rows that DataFusion gets before they are read. If they are exact,
//! counts, sums, least and greatest values of whole tables are answered without reading anything.

use std::sync::Arc;

use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, Statistics};
use datafusion::error::Result;

use super::spec::ScanSpec;
use crate::meta::ChunkMeta;
use crate::sql::plan::filter::projected;
use crate::sql::plan::task::Task;
use crate::sql::plan::totals::{bounds, sum};

/// Returns the statistics of one DataFusion partition, or of all of them if none is given.
pub fn scan_statistics(scan: &ScanSpec, partition: Option<usize>) -> Result<Statistics> {
    let tasks: Vec<&Arc<Task>> = match partition {
        Some(number) => scan.tasks.get(number).into_iter().flatten().collect(),
        None => scan.in_order().collect(),
    };
    let chunks: Option<Vec<&Arc<ChunkMeta>>> = tasks.iter().map(|t| t.answered_by()).collect();
    let statistics = match chunks {
        Some(chunks) if !scan.newest => exact(scan, &chunks),
        _ => estimated(scan, &tasks),
    };
    let partitions = if partition.is_some() {
        1
    } else {
        scan.tasks.len()
    };
    match scan.fetch {
        Some(_) => statistics
            .to_inexact()
            .with_fetch(scan.fetch, 0, partitions),
        None => Ok(statistics),
    }
}

fn exact(scan: &ScanSpec, chunks: &[&Arc<ChunkMeta>]) -> Statistics {
    let rows = chunks.iter().map(|c| c.live_rows() as usize).sum();
    let column = |number: &usize| {
        let column = &scan.definition().columns[*number];
        let nulls = chunks.iter().filter_map(|c| c.stats.get(*number));
        let (low, high) = bounds(column.kind, *number, chunks).unzip();
        let statistics = ColumnStatistics::new_unknown()
            .with_null_count(Precision::Exact(nulls.map(|s| s.nulls as usize).sum()))
            .with_min_value(low.map_or(Precision::Absent, Precision::Exact))
            .with_max_value(high.map_or(Precision::Absent, Precision::Exact));
        match sum(column.kind, *number, chunks) {
            Some(sum) => statistics.with_sum_value(Precision::Exact(sum)),
            None => statistics,
        }
    };
    Statistics {
        num_rows: Precision::Exact(rows),
        total_byte_size: Precision::Absent,
        column_statistics: scan.projection.iter().map(column).collect(),
    }
}

fn estimated(scan: &ScanSpec, tasks: &[&Arc<Task>]) -> Statistics {
    let rows: u64 = tasks.iter().map(|task| task.part.rows_at_most()).sum();
    let schema = projected(scan.source.filter.schema(), &scan.projection);
    Statistics {
        num_rows: Precision::Inexact(usize::try_from(rows).unwrap_or(usize::MAX)),
        ..Statistics::new_unknown(&schema)
    }
}
