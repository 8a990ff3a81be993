//! Which filters of a query become restrictions in CQL, and which partitions they leave.
//!
//! A filter is pushed down only when CQL answers it exactly; DataFusion then does not look at it
//! again. CQL can restrict the order key only where the whole partition key is restricted.

use std::collections::BTreeMap;

use bakeoff_workload::{ColumnType, Table};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

use super::layout::TableLayout;

/// More partitions than this are read by a full scan instead.
pub const PARTITIONS_LIMIT: usize = 1_000;

/// A value of a key column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyValue {
    Boolean(bool),
    Int(i32),
    /// Also timestamps, in milliseconds.
    Bigint(i64),
    Text(String),
}

/// A filter on one column.
#[derive(Debug, Clone, PartialEq)]
enum Restriction {
    /// One of these values.
    In(Vec<KeyValue>),
    /// Above (or below, with the operator's meaning) a value.
    Range(Operator, KeyValue),
}

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
}

impl Pushdown {
    pub fn new(layout: &TableLayout, filters: &[&Expr]) -> Self {
        let restrictions: Vec<Option<(String, Restriction)>> = filters
            .iter()
            .map(|filter| restriction(&layout.table, filter))
            .collect();
        let mut pushdown = Pushdown {
            exact: vec![false; filters.len()],
            ..Pushdown::default()
        };
        let Some((partitions, used)) = partitions(layout, &restrictions) else {
            return pushdown;
        };
        pushdown.partitions = Some(partitions);
        used.iter().for_each(|i| pushdown.exact[*i] = true);
        pushdown.restrict_order(layout, &restrictions);
        pushdown
    }

    /// Order key columns may be restricted to one value each, and the next one to a range.
    fn restrict_order(
        &mut self,
        layout: &TableLayout,
        restrictions: &[Option<(String, Restriction)>],
    ) {
        for column in layout.clustering_key() {
            let mut equal = false;
            let (mut lower, mut upper) = (false, false);
            let on_column = restrictions
                .iter()
                .enumerate()
                .filter_map(|(i, r)| match r {
                    Some((name, restriction)) if name == column => Some((i, restriction)),
                    _ => None,
                });
            for (i, restriction) in on_column {
                let (operator, value) = match restriction {
                    Restriction::In(values) => match values.as_slice() {
                        [value] if !lower && !upper => (Operator::Eq, value),
                        _ => continue,
                    },
                    Restriction::Range(_, _) if equal => continue,
                    Restriction::Range(operator, value) => (*operator, value),
                };
                let taken = match operator {
                    Operator::Eq => &mut equal,
                    Operator::Gt | Operator::GtEq => &mut lower,
                    _ => &mut upper,
                };
                // CQL takes one restriction of a kind; the others stay with DataFusion.
                if std::mem::replace(taken, true) {
                    continue;
                }
                self.order
                    .push((column.to_owned(), operator, value.clone()));
                self.exact[i] = true;
            }
            if !equal {
                break;
            }
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
    layout: &TableLayout,
    restrictions: &[Option<(String, Restriction)>],
) -> Option<(Vec<Vec<KeyValue>>, Vec<usize>)> {
    let mut used = Vec::new();
    let mut partitions = vec![Vec::new()];
    for column in layout.partition_key() {
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
        if layout.token_columns().len() == 1 {
            // Cassandra refuses an empty partition key: no row has one, and asking is an error.
            values.retain(|v| *v != KeyValue::Text(String::new()));
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
fn restriction(table: &Table, filter: &Expr) -> Option<(String, Restriction)> {
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

/// A literal as a value of a key column of the same type. Doubles are left to DataFusion, whose
/// order of NaN and zeros is not Cassandra's.
fn key_value(table: &Table, column: &str, literal: &Expr) -> Option<KeyValue> {
    let Expr::Literal(scalar, _) = literal else {
        return None;
    };
    let column = table.column(column).filter(|c| table.is_key(&c.name))?;
    match (column.kind, scalar) {
        (ColumnType::Boolean, ScalarValue::Boolean(Some(v))) => Some(KeyValue::Boolean(*v)),
        (ColumnType::Int, ScalarValue::Int32(Some(v))) => Some(KeyValue::Int(*v)),
        (ColumnType::Bigint, ScalarValue::Int64(Some(v))) => Some(KeyValue::Bigint(*v)),
        (ColumnType::Timestamp, ScalarValue::TimestampMillisecond(Some(v), _)) => {
            Some(KeyValue::Bigint(*v))
        }
        (ColumnType::Text, ScalarValue::Utf8(Some(v))) => Some(KeyValue::Text(v.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::Column;
    use datafusion::prelude::{col, lit};

    use super::*;

    fn layout(id: &str) -> TableLayout {
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        let table = Table {
            name: "t".to_owned(),
            columns: vec![
                column("series", ColumnType::Text),
                column("a", ColumnType::Int),
                column("b", ColumnType::Bigint),
                column("value", ColumnType::Double),
            ],
            partition_key: vec!["series".to_owned()],
            order_key: vec!["a".to_owned(), "b".to_owned()],
        };
        TableLayout::new(&id.parse().unwrap(), &table, false).unwrap()
    }

    fn pushdown(id: &str, filters: &[Expr]) -> Pushdown {
        Pushdown::new(&layout(id), &filters.iter().collect::<Vec<_>>())
    }

    fn text(v: &str) -> KeyValue {
        KeyValue::Text(v.to_owned())
    }

    #[test]
    fn the_partition_key_is_pushed_as_equality_in_and_or() {
        let expected = Some(vec![vec![text("x")], vec![text("y")]]);
        for filter in [
            col("series").in_list(vec![lit("y"), lit("x"), lit("x")], false),
            col("series").eq(lit("x")).or(lit("y").eq(col("series"))),
        ] {
            let pushed = pushdown("cassandra/wide", &[filter]);
            assert_eq!(pushed.partitions, expected);
            assert_eq!(pushed.exact, [true]);
        }
    }

    #[test]
    fn two_restrictions_of_one_column_leave_what_both_allow() {
        let pushed = pushdown(
            "cassandra/wide",
            &[
                col("series").in_list(vec![lit("x"), lit("y")], false),
                col("series").eq(lit("y")),
            ],
        );
        assert_eq!(pushed.partitions, Some(vec![vec![text("y")]]));
        let nothing = pushdown(
            "cassandra/wide",
            &[col("series").eq(lit("x")), col("series").eq(lit("y"))],
        );
        assert_eq!(nothing.partitions, Some(vec![]));
    }

    #[test]
    fn the_order_key_is_pushed_up_to_its_first_range_and_only_inside_partitions() {
        let series = col("series").eq(lit("x"));
        let pushed = pushdown(
            "cassandra/wide",
            &[
                series.clone(),
                col("a").eq(lit(1i32)),
                col("b").gt_eq(lit(5i64)),
                lit(9i64).gt(col("b")),
                col("b").gt(lit(4i64)),
                col("value").gt(lit(0.5)),
            ],
        );
        assert_eq!(pushed.exact, [true, true, true, true, false, false]);
        assert_eq!(pushed.bounds("b"), (Some(5), Some(9)));
        let range_then_more = pushdown(
            "cassandra/wide",
            &[series, col("a").gt(lit(1i32)), col("b").eq(lit(1i64))],
        );
        assert_eq!(range_then_more.exact, [true, true, false]);
        let no_partition = pushdown("cassandra/wide", &[col("a").eq(lit(1i32))]);
        assert_eq!(
            no_partition,
            Pushdown {
                exact: vec![false],
                ..Pushdown::default()
            }
        );
    }

    #[test]
    fn a_narrow_table_needs_its_whole_key() {
        let filters = [
            col("series").eq(lit("x")),
            col("a").eq(lit(1i32)),
            col("b").eq(lit(2i64)),
        ];
        let pushed = pushdown("cassandra/narrow", &filters);
        assert_eq!(pushed.exact, [true, true, true]);
        assert_eq!(pushdown("cassandra/narrow", &filters[..2]).partitions, None);
    }

    #[test]
    fn what_cql_would_not_answer_exactly_stays_here() {
        for filter in [
            col("series").eq(lit("x")).or(col("a").eq(lit(1i32))),
            col("series").not_eq(lit("x")),
            col("series").in_list(vec![lit("x")], true),
            col("series").eq(col("series")),
            col("series").eq(lit(ScalarValue::Utf8(None))),
        ] {
            let pushed = pushdown("cassandra/wide", std::slice::from_ref(&filter));
            assert_eq!(pushed.exact, [false], "{filter}");
        }
    }

    #[test]
    fn an_empty_partition_key_is_never_asked_for() {
        let pushed = pushdown("cassandra/wide", &[col("series").eq(lit(""))]);
        assert_eq!(
            (pushed.partitions, pushed.exact),
            (Some(vec![]), vec![true])
        );
    }

    #[test]
    fn too_many_partitions_become_a_scan() {
        let many: Vec<Expr> = (0..=PARTITIONS_LIMIT)
            .map(|i| lit(format!("s{i}")))
            .collect();
        let pushed = pushdown("cassandra/wide", &[col("series").in_list(many, false)]);
        assert_eq!(pushed.partitions, None);
    }
}
