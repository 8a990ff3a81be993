//! The filters of a query that become restrictions in CQL, and the partitions that remain.
//!
//! A filter is pushed down only if CQL answers it exactly, and DataFusion then does not apply it
//! again. CQL can restrict the order key if the whole partition key is restricted or known. In a scan
//! of the whole table it takes `ALLOW FILTERING`, if the cluster permits that: each partition is then
//! read from its first wanted row on, which is never more work than reading all of its rows.
//!
//! An index takes one value of its column, in a scan of the whole table or of known partitions, and so does a copy
//! of the table that is keyed by the column, in a scan of the whole table. DataFusion applies that filter again,
//! so that a scan may do without them.

use std::collections::BTreeMap;

use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

use super::key_value::{KeyValue, key_value};
use super::readable::{CqlKind, ReadTable};

/// Maximum number of partitions that are read one by one instead of by a full scan.
pub const PARTITIONS_LIMIT: usize = 1_000;

/// Maximum length in bytes of a value that an index or a copy is asked for: with its own limits, Cassandra refuses rows with
/// longer ones in a storage-attached index.
const INDEXED_BYTES_LIMIT: usize = 8 << 10;

/// A filter on one column.
#[derive(Debug, Clone, PartialEq)]
enum Restriction {
    /// Allows these values.
    In(Vec<KeyValue>),
    /// Allows values that compare to a value by an operator.
    Range(Operator, KeyValue),
}

/// A column with the restriction that a filter puts on it.
type OnColumn = (String, Restriction);

/// The part of a query's filters that Cassandra evaluates.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pushdown {
    /// Values of the partition key's columns (without a bucket), one entry for each partition;
    /// `None` for a scan of the whole table.
    pub partitions: Option<Vec<Vec<KeyValue>>>,
    /// Conditions on columns outside the partition key, as column, operator and value.
    pub conditions: Vec<(String, Operator, KeyValue)>,
    /// Columns that are found by their indexes, each with the value that it has to have.
    pub indexed: Vec<(String, KeyValue)>,
    /// Column of the copy of the table that is read instead, if one has the partition that a query wants.
    pub copy: Option<String>,
    /// Flags of the filters that the fields above express completely.
    pub exact: Vec<bool>,
    /// Flags of the filters that may reduce the rows to read but have to be applied again.
    ///
    /// DataFusion may ask about a filter without the others, so that a flag must not depend on them.
    pub inexact: Vec<bool>,
}

impl Pushdown {
    /// Derives the pushdown for a table whose partitions are not known.
    pub fn new(table: &ReadTable, filters: &[&Expr]) -> Self {
        let (mut pushdown, restrictions) = Pushdown::with_partitions(table, filters);
        pushdown.restrict_order(table, &restrictions);
        if pushdown.partitions.is_none() {
            // A cluster may refuse ALLOW FILTERING, and is then asked for all rows.
            pushdown.exact = vec![false; filters.len()];
        }
        pushdown.ask_indexes(table, &restrictions);
        pushdown.choose_copy(table, &restrictions);
        let is_of_order = |restriction: &Option<OnColumn>| {
            let column = restriction.as_ref().map(|(column, _)| column);
            column.is_some_and(|column| table.clustering_key.contains(column))
        };
        let inexact = pushdown.exact.iter().zip(&restrictions);
        let may_help =
            |r: &Option<OnColumn>| is_of_order(r) || wanted_value(table, r.as_ref()).is_some();
        pushdown.inexact = inexact.map(|(exact, r)| !exact && may_help(r)).collect();
        pushdown
    }

    /// Drops the restrictions that need `ALLOW FILTERING`, which a cluster may refuse.
    pub fn without_filtering(self) -> Self {
        match self.partitions {
            Some(_) => self,
            None => Pushdown {
                conditions: Vec::new(),
                ..self
            },
        }
    }

    /// Returns whether `ALLOW FILTERING` is needed: rows are restricted in all partitions.
    pub fn is_filtering(&self) -> bool {
        self.partitions.is_none() && !self.conditions.is_empty()
    }

    /// Returns whether `ALLOW FILTERING` may be needed because an index is asked in a part of a partition.
    pub fn is_filtering_by_index(&self) -> bool {
        !self.indexed.is_empty() && !self.conditions.is_empty()
    }

    /// Drops the restrictions that are for indexes.
    pub fn without_indexes(self) -> Self {
        Pushdown {
            indexed: Vec::new(),
            ..self
        }
    }

    /// Asks the indexes of the table for values, and for nothing else in a scan of the whole table: there,
    /// a restriction of the order key in addition needs `ALLOW FILTERING`.
    fn ask_indexes(&mut self, table: &ReadTable, restrictions: &[Option<OnColumn>]) {
        let Some(indexes) = &table.indexes else {
            return;
        };
        for column in &indexes.columns {
            let mut wanted = restrictions.iter().flatten();
            let wanted = wanted.find_map(|on_column| {
                let value = wanted_value(table, Some(on_column))?;
                (on_column.0 == *column).then_some(value)
            });
            let Some(value) = wanted else {
                continue;
            };
            self.indexed.push((column.clone(), value.clone()));
            if !indexes.kind.combines() {
                break;
            }
        }
        if self.partitions.is_none() && !self.indexed.is_empty() {
            self.conditions.clear();
        }
    }

    /// Chooses a copy that has the rows with a wanted value in one partition.
    fn choose_copy(&mut self, table: &ReadTable, restrictions: &[Option<OnColumn>]) {
        if self.partitions.is_some() {
            return;
        }
        let is_wanted = |column: &&String| {
            let mut on_columns = restrictions.iter().flatten();
            on_columns.any(|on_column| {
                on_column.0 == **column && wanted_value(table, Some(on_column)).is_some()
            })
        };
        self.copy = table.copies.iter().find(is_wanted).cloned();
    }

    /// Derives the pushdown for a table whose partitions are all known, so that the order key can
    /// be restricted in any of them.
    pub fn for_known_partitions(table: &ReadTable, filters: &[&Expr]) -> Self {
        let (mut pushdown, restrictions) = Pushdown::with_partitions(table, filters);
        pushdown.restrict_order(table, &restrictions);
        pushdown
    }

    /// Derives the restriction to partitions, and parses each filter for later steps.
    fn with_partitions(table: &ReadTable, filters: &[&Expr]) -> (Self, Vec<Option<OnColumn>>) {
        let restrictions: Vec<Option<OnColumn>> = filters
            .iter()
            .map(|filter| restriction(table, filter))
            .collect();
        let mut pushdown = Pushdown {
            exact: vec![false; filters.len()],
            inexact: vec![false; filters.len()],
            ..Pushdown::default()
        };
        if let Some((partitions, used)) = partitions(table, &restrictions) {
            pushdown.partitions = Some(partitions);
            used.iter().for_each(|i| pushdown.exact[*i] = true);
        }
        (pushdown, restrictions)
    }

    /// Restricts columns of the order key to one value each, and the next one to a range.
    ///
    /// The result does not depend on the order of the filters.
    fn restrict_order(&mut self, table: &ReadTable, restrictions: &[Option<OnColumn>]) {
        for column in &table.clustering_key {
            let on_column: Vec<(usize, &Restriction)> = restrictions
                .iter()
                .enumerate()
                .filter_map(|(i, r)| match r {
                    Some((name, restriction)) if name == column => Some((i, restriction)),
                    _ => None,
                })
                .collect();
            let one_value = on_column.iter().find_map(|(i, r)| match r {
                Restriction::In(values) => match values.as_slice() {
                    [value] => Some((*i, value.clone())),
                    _ => None,
                },
                Restriction::Range(..) => None,
            });
            if let Some((i, value)) = one_value {
                self.conditions.push((column.clone(), Operator::Eq, value));
                self.exact[i] = true;
                continue;
            }
            for is_lower in [true, false] {
                self.restrict_end(column, &on_column, is_lower);
            }
            break;
        }
    }

    /// Restricts a column by the tightest of its lower or upper bounds, which implies the others.
    ///
    /// CQL accepts only one bound on each side.
    fn restrict_end(&mut self, column: &str, on_column: &[(usize, &Restriction)], is_lower: bool) {
        let of_end = |(i, r): &(usize, &Restriction)| match r {
            Restriction::Range(operator, value)
                if is_lower == matches!(operator, Operator::Gt | Operator::GtEq) =>
            {
                Some((*i, *operator, value.clone()))
            }
            _ => None,
        };
        let bounds: Vec<(usize, Operator, KeyValue)> =
            on_column.iter().filter_map(of_end).collect();
        let tightness = |(_, operator, value): &&(usize, Operator, KeyValue)| {
            let is_strict = matches!(operator, Operator::Gt | Operator::Lt);
            (value.clone(), is_strict == is_lower)
        };
        let tightest = if is_lower {
            bounds.iter().max_by_key(tightness)
        } else {
            bounds.iter().min_by_key(tightness)
        };
        if let Some((_, operator, value)) = tightest {
            self.conditions
                .push((column.to_owned(), *operator, value.clone()));
            bounds.iter().for_each(|(i, ..)| self.exact[*i] = true);
        }
    }

    /// Returns the known lower and upper bounds of an integer column, both inclusive.
    pub fn bounds(&self, column: &str) -> (Option<i64>, Option<i64>) {
        let (mut low, mut high) = (None, None);
        for (_, operator, value) in self.conditions.iter().filter(|(name, ..)| name == column) {
            let value = match value {
                KeyValue::Int(v) => i64::from(*v),
                KeyValue::Bigint(v) => *v,
                _ => continue,
            };
            if matches!(operator, Operator::Eq | Operator::Gt | Operator::GtEq) {
                low = Some(value);
            }
            if matches!(operator, Operator::Eq | Operator::Lt | Operator::LtEq) {
                high = Some(value);
            }
        }
        (low, high)
    }
}

/// Returns the value that a filter wants of a column with an index or a copy, if it wants one that these are asked
/// for. A copy has no empty values, which cannot be partition keys.
///
/// The rest of the filters makes no difference: DataFusion may ask about a filter without the others.
fn wanted_value<'a>(table: &ReadTable, on_column: Option<&'a OnColumn>) -> Option<&'a KeyValue> {
    let (column, Restriction::In(values)) = on_column? else {
        return None;
    };
    let [value] = values.as_slice() else {
        return None;
    };
    let is_found = table.has_index(column) || table.has_copy(column);
    (is_found && (1..=INDEXED_BYTES_LIMIT).contains(&value.bytes())).then_some(value)
}

/// Returns the partitions that filters on the whole partition key allow, and the filters used.
fn partitions(
    table: &ReadTable,
    restrictions: &[Option<OnColumn>],
) -> Option<(Vec<Vec<KeyValue>>, Vec<usize>)> {
    let mut used = Vec::new();
    let mut partitions = vec![Vec::new()];
    for column in &table.partition_key {
        let mut values: Option<Vec<KeyValue>> = None;
        for (i, restriction) in restrictions.iter().enumerate() {
            let Some((name, Restriction::In(listed))) = restriction else {
                continue;
            };
            if name != column {
                continue;
            }
            used.push(i);
            values = Some(match values {
                None => listed.clone(),
                Some(before) => before.into_iter().filter(|v| listed.contains(v)).collect(),
            });
        }
        let mut values = values?;
        if table.token_columns().len() == 1 {
            // No row has an empty partition key, and Cassandra refuses a request for one.
            values.retain(|v| !v.is_empty());
        }
        if partitions.len() * values.len() > PARTITIONS_LIMIT {
            return None;
        }
        partitions = partitions
            .iter()
            .flat_map(|prefix| {
                values.iter().map(move |v| {
                    let mut key: Vec<KeyValue> = prefix.clone();
                    key.push(v.clone());
                    key
                })
            })
            .collect();
    }
    Some((partitions, used))
}

/// Parses a filter on one column of the key, of an index or of a copy; `None` if CQL cannot express it.
fn restriction(table: &ReadTable, filter: &Expr) -> Option<OnColumn> {
    match filter {
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Or,
            right,
        }) => {
            let (name, left) = restriction(table, left)?;
            let (other, right) = restriction(table, right)?;
            match (left, right) {
                (Restriction::In(a), Restriction::In(b)) if name == other => {
                    Some((name, Restriction::In(distinct(a.into_iter().chain(b)))))
                }
                _ => None,
            }
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let (column, op, literal) = match (left.as_ref(), right.as_ref()) {
                (Expr::Column(column), literal) => (column, *op, literal),
                (literal, Expr::Column(column)) => (column, op.swap()?, literal),
                _ => return None,
            };
            let value = key_value(table, &column.name, literal)?;
            let restriction = match op {
                Operator::Eq => Restriction::In(vec![value]),
                _ if !has_same_order(table, &column.name) => return None,
                Operator::Gt | Operator::GtEq | Operator::Lt | Operator::LtEq => {
                    Restriction::Range(op, value)
                }
                _ => return None,
            };
            Some((column.name.clone(), restriction))
        }
        // What `flag = true` and `flag = false` are simplified to.
        Expr::Column(column) => flag(table, &column.name, true),
        Expr::Not(inner) => match inner.as_ref() {
            Expr::Column(column) => flag(table, &column.name, false),
            _ => None,
        },
        Expr::InList(list) if !list.negated => {
            let Expr::Column(column) = list.expr.as_ref() else {
                return None;
            };
            let values: Option<Vec<_>> = list
                .list
                .iter()
                .map(|literal| key_value(table, &column.name, literal))
                .collect();
            Some((
                column.name.clone(),
                Restriction::In(distinct(values?.into_iter())),
            ))
        }
        _ => None,
    }
}

/// Restricts a boolean column to a value.
fn flag(table: &ReadTable, column: &str, value: bool) -> Option<OnColumn> {
    let is_flag = table.column(column)?.kind == CqlKind::Boolean && table.can_restrict(column);
    let restriction = Restriction::In(vec![KeyValue::Boolean(value)]);
    is_flag.then(|| (column.to_owned(), restriction))
}

fn distinct(values: impl Iterator<Item = KeyValue>) -> Vec<KeyValue> {
    let unique: BTreeMap<KeyValue, ()> = values.map(|v| (v, ())).collect();
    unique.into_keys().collect()
}

/// Returns whether Cassandra orders a column like the values that are read from it, which is not
/// so for a UUID or an address, since those are read as text.
fn has_same_order(table: &ReadTable, column: &str) -> bool {
    let kind = table.column(column).map(|c| c.kind);
    !matches!(kind, Some(CqlKind::Uuid | CqlKind::Inet))
}

#[cfg(test)]
mod tests;
