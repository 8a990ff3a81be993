//! Bounds and sums of a column over whole chunks, from their statistics.

use std::sync::Arc;

use datafusion::common::ScalarValue;

use super::facts::{greater, lesser};
use super::value::scalar_value;
use crate::kind::Kind;
use crate::meta::{ChunkMeta, Scalar};

/// Returns the least and the greatest value of a column if there is a value and all chunks know
/// theirs.
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

/// Returns the sum of a column as SQL computes it, in which integers wrap, if there is a value and all
/// chunks know their sum.
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
