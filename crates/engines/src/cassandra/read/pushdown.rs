//! Which filters of a query become restrictions in CQL, and which partitions they leave.
//!
//! A filter is pushed down only when CQL answers it exactly; DataFusion then does not look at it
//! again. CQL restricts the order key where the whole partition key is restricted, or known; in a scan
//! of the whole table it does so with `ALLOW FILTERING`, if the cluster lets it: then each partition is
//! read from its first wanted row on, which is never more work than all of its rows.

use std::collections::BTreeMap;

use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

use super::key_value::{KeyValue, key_value};
use super::readable::{CqlKind, ReadTable};

/// More partitions than this are read by a full scan instead.
pub const PARTITIONS_LIMIT: usize = 1_000;

/// A filter on one column.
#[derive(Debug, Clone, PartialEq)]
enum Restriction {
    /// One of these values.
    In(Vec<KeyValue>),
    /// Above (or below, with the operator's meaning) a value.
    Range(Operator, KeyValue),
}

/// What a filter says of a column.
type OnColumn = (String, Restriction);

/// What is asked of Cassandra for one query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pushdown {
    /// Values of the partition key's columns (without a bucket), one entry a partition; `None`
    /// for a scan of the whole table.
    pub partitions: Option<Vec<Vec<KeyValue>>>,
    /// Restrictions of the order key: column, operator, value.
    pub order: Vec<(String, Operator, KeyValue)>,
    /// For each filter whether it is fully expressed by the above.
    pub exact: Vec<bool>,
    /// For each filter whether it may leave fewer rows to read, but has to be applied again. It may
    /// be asked for without the others, so that this must not depend on them.
    pub helps: Vec<bool>,
}

impl Pushdown {
    pub fn new(table: &ReadTable, filters: &[&Expr]) -> Self {
        let (mut pushdown, restrictions) = Pushdown::of_partitions(table, filters);
        pushdown.restrict_order(table, &restrictions);
        if pushdown.partitions.is_none() {
            // A cluster may refuse what CQL calls filtering, and is then asked for all rows.
            pushdown.exact = vec![false; filters.len()];
        }
        let is_of_order = |restriction: &Option<OnColumn>| {
            let column = restriction.as_ref().map(|(column, _)| column);
            column.is_some_and(|column| table.clustering_key.contains(column))
        };
        let helps = pushdown.exact.iter().zip(&restrictions);
        pushdown.helps = helps.map(|(exact, r)| !exact && is_of_order(r)).collect();
        pushdown
    }

    /// Without what a cluster may refuse.
    pub fn without_filtering(self) -> Self {
        match self.partitions {
            Some(_) => self,
            None => Pushdown {
                order: Vec::new(),
                ..self
            },
        }
    }

    /// Whether CQL calls it filtering: rows of any partition are restricted.
    pub fn is_filtering(&self) -> bool {
        self.partitions.is_none() && !self.order.is_empty()
    }

    /// For a table whose partitions are all known, so that the order key can be restricted in any
    /// of them.
    pub fn of_any_partition(table: &ReadTable, filters: &[&Expr]) -> Self {
        let (mut pushdown, restrictions) = Pushdown::of_partitions(table, filters);
        pushdown.restrict_order(table, &restrictions);
        pushdown
    }

    /// Restricted to partitions alone, and what the filters say.
    fn of_partitions(table: &ReadTable, filters: &[&Expr]) -> (Self, Vec<Option<OnColumn>>) {
        let restrictions: Vec<Option<OnColumn>> = filters
            .iter()
            .map(|filter| restriction(table, filter))
            .collect();
        let mut pushdown = Pushdown {
            exact: vec![false; filters.len()],
            helps: vec![false; filters.len()],
            ..Pushdown::default()
        };
        if let Some((partitions, used)) = partitions(table, &restrictions) {
            pushdown.partitions = Some(partitions);
            used.iter().for_each(|i| pushdown.exact[*i] = true);
        }
        (pushdown, restrictions)
    }

    /// Order key columns may be restricted to one value each, and the next one to a range. Which
    /// filters do so depends on none of their order.
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
                self.order.push((column.clone(), Operator::Eq, value));
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
            self.order
                .push((column.to_owned(), *operator, value.clone()));
            bounds.iter().for_each(|(i, ..)| self.exact[*i] = true);
        }
    }

    /// Lower and upper bound of a column, both included, as far as they are known.
    pub fn bounds(&self, column: &str) -> (Option<i64>, Option<i64>) {
        let (mut low, mut high) = (None, None);
        for (_, operator, value) in self.order.iter().filter(|(name, ..)| name == column) {
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

/// The partitions that filters on the whole partition key leave, and the filters used.
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
            // Cassandra refuses an empty partition key: no row has one, and asking is an error.
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

/// What a filter says about one key column, if it can be said in CQL.
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
                _ if !is_ordered_alike(table, &column.name) => return None,
                Operator::Gt | Operator::GtEq | Operator::Lt | Operator::LtEq => {
                    Restriction::Range(op, value)
                }
                _ => return None,
            };
            Some((column.name.clone(), restriction))
        }
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

fn distinct(values: impl Iterator<Item = KeyValue>) -> Vec<KeyValue> {
    let unique: BTreeMap<KeyValue, ()> = values.map(|v| (v, ())).collect();
    unique.into_keys().collect()
}

/// Whether Cassandra's order of a column's values is that of what is read: a UUID is read as text,
/// and is not ordered as text.
fn is_ordered_alike(table: &ReadTable, column: &str) -> bool {
    let kind = table.column(column).map(|c| c.kind);
    !matches!(kind, Some(CqlKind::Uuid | CqlKind::Inet))
}

#[cfg(test)]
mod tests;
