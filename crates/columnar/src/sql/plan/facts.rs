//! Facts about the rows of a part that follow from statistics: bounds for pruning and proofs. They are
//! exact where the part is one chunk.
//!
//! Bounds are in total order, in which -0.0 is less than 0.0. In SQL's comparisons both are the same
//! value; in lists (`IN`) they are not.

use std::cmp::Ordering;

use datafusion::common::ScalarValue;
use datafusion::common::utils::normalize_float_zero_scalar;
use datafusion::logical_expr::Operator;

use super::condition::Condition;
use super::value::scalar_value;
use crate::definition::Definition;
use crate::kind::Kind;
use crate::meta::ChunkMeta;
use crate::table::Part;

/// The average number of rows with the same value from which on a chunk's dictionary saves work.
const ROWS_OF_A_VALUE: u32 = 2;

/// Facts about a column that hold for every row of a part.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnFacts {
    /// The highest possible number of nulls, which is exact for a part that is one chunk.
    pub nulls: u64,
    /// The bounds between which all values lie. `None` if they are unknown or all values are null.
    pub bounds: Option<(ScalarValue, ScalarValue)>,
}

/// Returns the facts about a column, unless the part has fresh rows, about which nothing is known.
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

/// Returns the highest possible number of rows in a part without fresh rows, which is exact for a part
/// that is one chunk.
pub fn rows(part: &Part) -> u64 {
    part.chunks.iter().map(|c| u64::from(c.live_rows())).sum()
}

fn bounds(kind: Kind, chunk: &ChunkMeta, column: usize) -> Option<(ScalarValue, ScalarValue)> {
    let (low, high) = chunk.stats.get(column)?.bounds.as_ref()?;
    Some((scalar_value(kind, low)?, scalar_value(kind, high)?))
}

/// Returns whether a chunk has so few different values in a column of texts or blobs that it likely
/// keeps them as a dictionary, whose codes save work.
pub fn has_few_values(chunk: &ChunkMeta, column: usize) -> bool {
    let distinct = chunk.stats.get(column).map(|stats| stats.distinct);
    distinct.is_some_and(|distinct| distinct <= chunk.rows / ROWS_OF_A_VALUE)
}

/// Returns the lesser of two values, if they can be compared.
pub fn lesser(a: ScalarValue, b: ScalarValue) -> Option<ScalarValue> {
    Some(if a.partial_cmp(&b)?.is_le() { a } else { b })
}

/// Returns the greater of two values, if they can be compared.
pub fn greater(a: ScalarValue, b: ScalarValue) -> Option<ScalarValue> {
    Some(if a.partial_cmp(&b)?.is_ge() { a } else { b })
}

/// Returns whether the facts about columns prove that every row of a part matches.
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
        // As many nulls as rows would be no proof: facts about several chunks count every version of
        // a row.
        Condition::IsNull(_) | Condition::Unknown => false,
    }
}

/// Returns whether a column has one value only, and that is one of the values that are asked for.
/// Zeros have to have the same sign, so that it is true of lists, too.
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

/// Returns whether all values between the bounds compare like this, as SQL compares: zeros are equal.
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
