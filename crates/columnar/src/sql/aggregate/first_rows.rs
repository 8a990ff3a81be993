//! Aggregations that look at only one row of each group: the first one by its key.
//!
//! An aggregation by the partition key whose functions all take the first row needs no other row:
//! `SELECT DISTINCT ON (series) … ORDER BY series, time DESC`, `last_value(value ORDER BY time) …
//! GROUP BY series`, `max(time) … GROUP BY series`, `SELECT DISTINCT series`.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::error::Result;
use datafusion::functions_aggregate::first_last::{first_value_udaf, last_value_udaf};
use datafusion::functions_aggregate::min_max::{max_udaf, min_udaf};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};

/// The columns that rows are grouped by, and their order within a group. Columns are numbers.
#[derive(Debug, Clone)]
pub struct RowOrder {
    /// The columns of the partition key.
    pub partition_key: BTreeSet<usize>,
    /// The columns that identify a row within its partition key. They are never null.
    pub order_key: Vec<usize>,
    /// Whether the greatest order key comes first.
    pub descending: bool,
}

impl RowOrder {
    /// Returns whether an aggregation has the same result over the first row of each partition key as
    /// over all rows. `column` returns which column an expression is.
    ///
    /// # Errors
    /// The errors of `column`.
    pub fn first_rows_are_enough(
        &self,
        aggregation: &AggregateExec,
        column: impl Fn(&Arc<dyn PhysicalExpr>) -> Result<Option<usize>>,
    ) -> Result<bool> {
        let raw = aggregation.mode().input_mode() == AggregateInputMode::Raw;
        let plain = raw
            && aggregation.group_expr().is_single()
            && aggregation.filter_expr().iter().all(Option::is_none);
        // Without an order key there is no first row.
        if !plain || self.order_key.is_empty() {
            return Ok(false);
        }
        let groups = aggregation
            .group_expr()
            .expr()
            .iter()
            .map(|(expr, _)| column(expr))
            .collect::<Result<Option<BTreeSet<usize>>>>()?;
        if groups.as_ref() != Some(&self.partition_key) {
            return Ok(false);
        }
        for function in aggregation.aggr_expr() {
            if !self.takes_first(function, &column)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether a function has the same value over the first row of a partition key as over all
    /// of its rows.
    fn takes_first(
        &self,
        function: &AggregateFunctionExpr,
        column: &impl Fn(&Arc<dyn PhysicalExpr>) -> Result<Option<usize>>,
    ) -> Result<bool> {
        let called = function.fun();
        let extreme = if self.descending {
            max_udaf()
        } else {
            min_udaf()
        };
        if called == extreme.as_ref() {
            let [argument] = &function.expressions()[..] else {
                return Ok(false);
            };
            return Ok(column(argument)? == self.order_key.first().copied());
        }
        let descending = if called == first_value_udaf().as_ref() {
            self.descending
        } else if called == last_value_udaf().as_ref() {
            !self.descending
        } else {
            return Ok(false);
        };
        if function.ignore_nulls() || function.is_distinct() {
            return Ok(false);
        }
        // The first row is decided by the order key. Columns of the partition key are the same in
        // the whole group, so they may be anywhere in the function's ORDER BY.
        let mut wanted = self.order_key.iter();
        let mut is_ordered = false;
        for sort in function.order_bys() {
            let by = column(&sort.expr)?;
            if by.is_some_and(|column| self.partition_key.contains(&column)) {
                continue;
            }
            match wanted.next() {
                // The whole key comes before: what follows orders nothing.
                None => break,
                Some(next) if by == Some(*next) && sort.options.descending == descending => {
                    is_ordered = true;
                }
                Some(_) => return Ok(false),
            }
        }
        Ok(is_ordered)
    }
}
