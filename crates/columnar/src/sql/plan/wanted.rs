//! The keys that a query wants, as far as its filters show them.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::Operator;

use super::condition::Condition;
use super::value::{scalar, scalar_value};
use crate::Result;
use crate::definition::Definition;
use crate::kind::Kind;
use crate::meta::Scalar;
use crate::store::KeyRange;
use crate::table::ranges::{Ranges, Span};
use crate::table::{Part, Selection};

/// The highest number of partition keys that are looked up one by one.
const PARTITION_KEYS_AT_MOST: usize = 10_000;

/// The keys that a query wants. The parts that are read may hold others.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub selection: Selection,
    ranges: Option<Ranges>,
}

impl Wanted {
    /// Returns the keys that all of the conditions leave.
    pub fn new(definition: &Definition, conditions: &[&Condition]) -> Result<Wanted> {
        let (low, high) = order_bounds(definition, conditions);
        let mut partitions = partition_keys(definition, conditions);
        if low.zip(high).is_some_and(|(low, high)| low > high) {
            partitions = Some(Vec::new());
        }
        let selection = Selection {
            partitions,
            low,
            high,
        };
        let ranges = Ranges::new(&selection, definition)?;
        Ok(Wanted { selection, ranges })
    }

    /// Returns whether no key is wanted.
    pub fn is_empty(&self) -> bool {
        self.selection
            .partitions
            .as_ref()
            .is_some_and(Vec::is_empty)
    }

    /// Returns whether all wanted rows have the same partition key.
    pub fn one_partition(&self) -> bool {
        self.selection
            .partitions
            .as_ref()
            .is_some_and(|all| all.len() == 1)
    }

    /// Describes the wanted keys in a few words, for `EXPLAIN`.
    pub fn describe(&self, definition: &Definition) -> String {
        let partitions = self
            .selection
            .partitions
            .as_ref()
            .map(|all| match all.len() {
                1 => "1 partition key".to_owned(),
                count => format!("{count} partition keys"),
            });
        let order = definition
            .first_order_index()
            .map(|i| &definition.columns[i]);
        let bound = |op: &str, value: Option<i64>| {
            let column = order?;
            let value = scalar_value(column.kind, &Scalar::Int(value?))?;
            Some(format!("{} {op} {value}", column.name))
        };
        let (low, high) = (self.selection.low, self.selection.high);
        let all = [partitions, bound(">=", low), bound("<=", high)];
        all.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Returns whether a part may hold wanted keys.
    pub fn may_be_in(&self, part: &Part) -> bool {
        let ranges = self.ranges.as_ref();
        ranges.is_none_or(|ranges| !ranges.overlapping(part).is_empty())
    }

    /// Returns the smallest range with all wanted keys of a part. Both its ends are none if all
    /// keys are wanted.
    pub fn keys_in(&self, part: &Part) -> KeyRange<'_> {
        let ranges = self.ranges.as_ref();
        ranges.map_or_else(KeyRange::default, |ranges| {
            Span::around(ranges.overlapping(part))
        })
    }
}

/// Returns every combination of the values that the columns of the partition key may have, if each of
/// them is restricted to some values.
fn partition_keys(definition: &Definition, conditions: &[&Condition]) -> Option<Vec<Vec<Scalar>>> {
    let mut keys: Vec<Vec<Scalar>> = vec![Vec::new()];
    for column in definition.partition_indexes() {
        let values = values_of(definition, conditions, column)?;
        if keys.len().saturating_mul(values.len()) > PARTITION_KEYS_AT_MOST {
            return None;
        }
        let extended = |key: &Vec<Scalar>| {
            let key = key.clone();
            let longer = values
                .iter()
                .map(move |v| [&key[..], std::slice::from_ref(v)].concat());
            longer.collect::<Vec<_>>()
        };
        keys = keys.iter().flat_map(extended).collect();
    }
    Some(keys)
}

/// Returns the values that a column may have, each once, if it is restricted to some.
fn values_of(
    definition: &Definition,
    conditions: &[&Condition],
    column: usize,
) -> Option<Vec<Scalar>> {
    let kind = definition.columns.get(column)?.kind;
    if matches!(kind, Kind::Float | Kind::Double) {
        // Zeros with different signs are different keys, but SQL asks for both of them.
        return None;
    }
    let mut allowed: Option<Vec<ScalarValue>> = None;
    for condition in conditions {
        let Some((_, values)) = condition.values().filter(|(of, _)| *of == column) else {
            continue;
        };
        allowed = Some(match allowed {
            None => values,
            Some(before) => before.into_iter().filter(|v| values.contains(v)).collect(),
        });
    }
    let mut distinct: Vec<Scalar> = Vec::new();
    for value in allowed? {
        let value = scalar(kind, &value)?;
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    Some(distinct)
}

/// Returns the least and the greatest value that the first order key may have.
fn order_bounds(definition: &Definition, conditions: &[&Condition]) -> (Option<i64>, Option<i64>) {
    let (mut low, mut high) = (None, None);
    let Some(column) = definition.first_order_index() else {
        return (low, high);
    };
    let kind = definition.columns[column].kind;
    let whole = |value: &ScalarValue| match scalar(kind, value) {
        Some(Scalar::Int(value)) => Some(value),
        _ => None,
    };
    for condition in conditions {
        let (least, greatest) = match condition {
            Condition::Compare(of, op, value) if *of == column => bounds(kind, *op, whole(value)),
            _ => match condition.values() {
                Some((of, values)) if of == column => {
                    let whole: Option<Vec<i64>> = values.iter().map(whole).collect();
                    let whole = whole.unwrap_or_default();
                    (whole.iter().min().copied(), whole.iter().max().copied())
                }
                _ => (None, None),
            },
        };
        low = low.max(least);
        high = match (high, greatest) {
            (Some(a), Some(b)) => Some(std::cmp::min(a, b)),
            (a, b) => a.or(b),
        };
    }
    (low, high)
}

/// Returns the least and the greatest value that a comparison leaves. A strict comparison with the
/// outermost value of the type leaves that value, which the filter itself then excludes.
fn bounds(kind: Kind, op: Operator, value: Option<i64>) -> (Option<i64>, Option<i64>) {
    let (least, greatest) = match kind {
        Kind::Int | Kind::Date => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    };
    match op {
        Operator::Eq => (value, value),
        Operator::Gt => (value.map(|v| v.saturating_add(1).min(greatest)), None),
        Operator::GtEq => (value, None),
        Operator::Lt => (None, value.map(|v| v.saturating_sub(1).max(least))),
        Operator::LtEq => (None, value),
        _ => (None, None),
    }
}
