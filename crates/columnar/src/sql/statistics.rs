//! What DataFusion is told of a scan's rows before they are read. Where it is exact, counts, sums,
//! least and greatest values of whole tables are answered without reading any.

use std::sync::Arc;

use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, ScalarValue, Statistics};
use datafusion::error::Result;

use super::facts::{greater, lesser};
use super::scan::ColumnarScan;
use super::task::Task;
use super::value::scalar_value;
use crate::definition::Kind;
use crate::meta::{ChunkMeta, Scalar};

/// Of one DataFusion partition, or of all.
pub fn of_scan(scan: &ColumnarScan, partition: Option<usize>) -> Result<Statistics> {
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

fn exact(scan: &ColumnarScan, chunks: &[&Arc<ChunkMeta>]) -> Statistics {
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

/// Least and greatest value, if there is a value and all are known.
pub fn bounds(
    kind: Kind,
    number: usize,
    chunks: &[&Arc<ChunkMeta>],
) -> Option<(ScalarValue, ScalarValue)> {
    let mut bounds: Option<(ScalarValue, ScalarValue)> = None;
    for chunk in chunks {
        let stats = chunk.stats.get(number)?;
        if stats.nulls == chunk.live_rows() {
            continue;
        }
        let (low, high) = stats.bounds.as_ref()?;
        let (low, high) = (scalar_value(kind, low)?, scalar_value(kind, high)?);
        bounds = Some(match bounds {
            None => (low, high),
            Some((least, greatest)) => (lesser(least, low)?, greater(greatest, high)?),
        });
    }
    bounds
}

/// The sum as SQL has it, if there is a value and all sums are known: integers wrap.
pub fn sum(kind: Kind, number: usize, chunks: &[&Arc<ChunkMeta>]) -> Option<ScalarValue> {
    let mut whole: Option<i64> = None;
    let mut double: Option<f64> = None;
    for chunk in chunks {
        let stats = chunk.stats.get(number)?;
        if stats.nulls == chunk.live_rows() {
            continue;
        }
        match stats.sum.as_ref()? {
            Scalar::Int(sum) => whole = Some(whole.unwrap_or(0).wrapping_add(*sum)),
            Scalar::Double(sum) => double = Some(double.unwrap_or(0.0) + sum),
            Scalar::Bytes(_) => return None,
        }
    }
    match kind {
        Kind::Int | Kind::Bigint => whole.map(|sum| ScalarValue::Int64(Some(sum))),
        Kind::Float | Kind::Double => double.map(|sum| ScalarValue::Float64(Some(sum))),
        _ => None,
    }
}

fn estimated(scan: &ColumnarScan, tasks: &[&Arc<Task>]) -> Statistics {
    let rows: u64 = tasks.iter().map(|task| task.part.rows_at_most()).sum();
    Statistics {
        num_rows: Precision::Inexact(usize::try_from(rows).unwrap_or(usize::MAX)),
        ..Statistics::new_unknown(&super::filter::projected(
            scan.source.filter.schema(),
            &scan.projection,
        ))
    }
}
