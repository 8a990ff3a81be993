//! What statistics say of a part's rows: bounds for pruning and proofs, exact where it is one chunk.
//!
//! Bounds are in total order, in which -0.0 is less than 0.0. In SQL's comparisons both are the same
//! value; in lists (`IN`) they are not.

use std::cmp::Ordering;

use datafusion::common::ScalarValue;
use datafusion::common::utils::normalize_float_zero_scalar;
use datafusion::logical_expr::Operator;

use super::condition::Condition;
use super::value::scalar_value;
use crate::definition::{Definition, Kind};
use crate::meta::ChunkMeta;
use crate::table::Part;

/// What holds for every row of a part.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnFacts {
    /// At most; exact for a part that is one chunk.
    pub nulls: u64,
    /// No value lies outside; none if that is not known or all values are null.
    pub bounds: Option<(ScalarValue, ScalarValue)>,
}

/// Facts of a column, unless fresh rows are among the part's: of those nothing is known.
pub fn column_facts(definition: &Definition, part: &Part, column: usize) -> Option<ColumnFacts> {
    let kind = definition.columns.get(column)?.kind;
    if !part.fresh.is_empty() {
        return None;
    }
    let mut facts = ColumnFacts {
        nulls: 0,
        bounds: None,
    };
    for chunk in &part.chunks {
        let stats = chunk.stats.get(column)?;
        facts.nulls += u64::from(stats.nulls);
        if stats.nulls < chunk.live_rows() {
            let (low, high) = bounds(kind, chunk, column)?;
            facts.bounds = Some(match facts.bounds {
                None => (low, high),
                Some((least, greatest)) => (lesser(least, low)?, greater(greatest, high)?),
            });
        }
    }
    Some(facts)
}

/// Rows of a part without fresh rows, at most; exact for a part that is one chunk.
pub fn rows(part: &Part) -> u64 {
    part.chunks.iter().map(|c| u64::from(c.live_rows())).sum()
}

fn bounds(kind: Kind, chunk: &ChunkMeta, column: usize) -> Option<(ScalarValue, ScalarValue)> {
    let (low, high) = chunk.stats.get(column)?.bounds.as_ref()?;
    Some((scalar_value(kind, low)?, scalar_value(kind, high)?))
}

pub fn lesser(a: ScalarValue, b: ScalarValue) -> Option<ScalarValue> {
    Some(if a.partial_cmp(&b)?.is_le() { a } else { b })
}

pub fn greater(a: ScalarValue, b: ScalarValue) -> Option<ScalarValue> {
    Some(if a.partial_cmp(&b)?.is_ge() { a } else { b })
}

/// Whether every row of a part matches, as far as the facts of columns prove it.
pub fn every_row_matches(
    condition: &Condition,
    facts: &impl Fn(usize) -> Option<ColumnFacts>,
) -> bool {
    let never_null = |column: usize| facts(column).filter(|f| f.nulls == 0);
    match condition {
        Condition::All(all) => all.iter().all(|c| every_row_matches(c, facts)),
        Condition::Any(any) => {
            any.iter().any(|c| every_row_matches(c, facts)) || one_of(condition, &never_null)
        }
        Condition::Compare(column, op, value) => never_null(*column)
            .and_then(|f| f.bounds)
            .is_some_and(|bounds| within(&bounds, *op, value)),
        Condition::In(..) => one_of(condition, &never_null),
        Condition::IsNotNull(column) => never_null(*column).is_some(),
        // More nulls than rows is no proof: facts of several chunks count versions.
        Condition::IsNull(_) | Condition::Unknown => false,
    }
}

/// Whether the one value of a column is one of those that are asked for. Zeros have to have the same
/// sign, so that it holds of lists, too.
fn one_of(condition: &Condition, never_null: &impl Fn(usize) -> Option<ColumnFacts>) -> bool {
    let one_value = |(column, values): (usize, Vec<ScalarValue>)| {
        let (low, high) = never_null(column)?.bounds?;
        let equal = |v: &ScalarValue| {
            low.partial_cmp(v) == Some(Ordering::Equal)
                && high.partial_cmp(v) == Some(Ordering::Equal)
        };
        Some(values.iter().any(equal))
    };
    condition.values().and_then(one_value).unwrap_or(false)
}

/// Whether all values between the bounds compare so, as SQL compares: zeros are alike.
fn within((low, high): &(ScalarValue, ScalarValue), op: Operator, value: &ScalarValue) -> bool {
    let value = normalize_float_zero_scalar(value.clone());
    let compared = |bound: &ScalarValue| {
        let bound = normalize_float_zero_scalar(bound.clone());
        bound.partial_cmp(&value)
    };
    let (Some(low), Some(high)) = (compared(low), compared(high)) else {
        return false;
    };
    match op {
        Operator::Eq => low.is_eq() && high.is_eq(),
        Operator::NotEq => low.is_gt() || high.is_lt(),
        Operator::Lt => high.is_lt(),
        Operator::LtEq => high.is_le(),
        Operator::Gt => low.is_gt(),
        Operator::GtEq => low.is_ge(),
        _ => false,
    }
}
