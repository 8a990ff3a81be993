//! Queries that want a few groups of the newest rows: read from the newest end.
//!
//! `SELECT date_trunc('minute', time), max(value) … WHERE time < end GROUP BY 1 ORDER BY 1 DESC LIMIT
//! 5` needs no row before the fifth minute that has rows, but nothing in the query says so: a plan
//! aggregates all rows before it sorts groups. So the query is asked of the last five minutes first,
//! then of longer windows, and of all rows only where none of these had enough groups.
//!
//! An answer is the right one if it has as many rows as the limit: a window begins with a group's
//! first moment, so all of its groups are whole, and any other group would come after them.

use std::sync::Arc;

use arrow::datatypes::IntervalMonthDayNano;
use arrow::record_batch::RecordBatch;
use bakeoff_driver::{Answer, DesignError};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Column, ScalarValue};
use datafusion::error::Result;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Expr, Filter, LogicalPlan, Operator, TableProviderFilterPushDown,
};
use datafusion::prelude::{SessionContext, lit};

use crate::sql::{message, run};

/// How much longer each window is than the one before.
const LONGER: i64 = 16;
/// Windows that are tried: one of as many groups as are wanted, and longer ones.
const WINDOWS: u32 = 3;

const SECOND: i64 = 1_000;
const DAY: i64 = 86_400 * SECOND;
const NANOS_OF_MILLI: i64 = 1_000_000;

/// Runs SQL to its last row. Windows are of the order key, the column by which a table finds rows.
pub async fn answer(
    session: &SessionContext,
    sql: &str,
    order_key: Option<&str>,
) -> std::result::Result<Answer, DesignError> {
    let answer = answered(session, sql, order_key).await;
    answer.map_err(|error| DesignError(message(&error)))
}

async fn answered(session: &SessionContext, sql: &str, order_key: Option<&str>) -> Result<Answer> {
    let state = session.state();
    let plan = state.optimize(&state.create_logical_plan(sql).await?)?;
    let physical = async |plan: &LogicalPlan| {
        let planner = state.query_planner();
        planner.create_physical_plan(plan, &state).await
    };
    let newest = order_key.and_then(|key| Some((key, Newest::of(&plan, key)?)));
    if let Some((order_key, newest)) = newest {
        for begin in newest.begins() {
            let Some(window) = since(&plan, order_key, begin)? else {
                break;
            };
            let answer = run(session, physical(&window).await?).await?;
            let rows: usize = answer.batches.iter().map(RecordBatch::num_rows).sum();
            if rows == newest.groups {
                return Ok(answer);
            }
        }
    }
    run(session, physical(&plan).await?).await
}

/// What such a query wants. Times are milliseconds.
#[derive(Debug, Clone, PartialEq)]
struct Newest {
    groups: usize,
    bins: Bins,
    /// The first moment after all rows that it wants.
    end: i64,
}

/// Groups as intervals of equal length, one of which begins at the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bins {
    width: i64,
    origin: i64,
}

impl Newest {
    /// What an optimized plan wants, if it is of that form.
    fn of(plan: &LogicalPlan, order_key: &str) -> Option<Newest> {
        let LogicalPlan::Sort(sort) = below_projections(plan) else {
            return None;
        };
        let first = sort.expr.first().filter(|first| !first.asc)?;
        let Expr::Column(by) = &first.expr else {
            return None;
        };
        let (aggregate, group) = grouped(&sort.input, by)?;
        let bins = Bins::of(group, order_key)?;
        let end = end(&aggregate.input, order_key)?;
        let groups = sort.fetch.filter(|groups| *groups > 0)?;
        Some(Newest { groups, bins, end })
    }

    /// Where windows begin, the latest first.
    fn begins(&self) -> impl Iterator<Item = i64> {
        let newest = self.bins.begin_of(self.end.saturating_sub(1));
        let groups = i64::try_from(self.groups).unwrap_or(i64::MAX);
        (0..WINDOWS).map_while(move |number| {
            let bins = groups.checked_mul(LONGER.checked_pow(number)?)?;
            newest?.checked_sub(self.bins.width.checked_mul(bins - 1)?)
        })
    }
}

impl Bins {
    /// What a group's expression makes of the order key.
    fn of(group: &Expr, order_key: &str) -> Option<Bins> {
        let is_key = |expr: &Expr| matches!(expr, Expr::Column(c) if c.name == order_key);
        let Expr::ScalarFunction(function) = group else {
            return None;
        };
        let (name, args) = (function.name(), &function.args[..]);
        let (width, origin) = match (name, args) {
            ("date_trunc", [Expr::Literal(unit, _), time]) if is_key(time) => {
                (unit_width(unit)?, 0)
            }
            ("date_bin", [Expr::Literal(width, _), time]) if is_key(time) => (interval(width)?, 0),
            ("date_bin", [Expr::Literal(width, _), time, Expr::Literal(origin, _)])
                if is_key(time) =>
            {
                (interval(width)?, millis(origin)?)
            }
            _ => return None,
        };
        (width > 0).then_some(Bins { width, origin })
    }

    fn begin_of(&self, time: i64) -> Option<i64> {
        let since = time.checked_sub(self.origin)?;
        time.checked_sub(since.rem_euclid(self.width))
    }
}

/// Length of the units of `date_trunc` that are all equally long.
fn unit_width(unit: &ScalarValue) -> Option<i64> {
    match unit.try_as_str()??.to_ascii_lowercase().as_str() {
        "second" => Some(SECOND),
        "minute" => Some(60 * SECOND),
        "hour" => Some(3_600 * SECOND),
        "day" => Some(DAY),
        _ => None,
    }
}

fn interval(width: &ScalarValue) -> Option<i64> {
    let ScalarValue::IntervalMonthDayNano(Some(width)) = width else {
        return None;
    };
    let IntervalMonthDayNano {
        months,
        days,
        nanoseconds,
    } = *width;
    let is_whole = months == 0 && nanoseconds % NANOS_OF_MILLI == 0;
    let days = i64::from(days).checked_mul(DAY)?;
    is_whole.then(|| days.checked_add(nanoseconds / NANOS_OF_MILLI))?
}

/// A time without a zone, if it is whole milliseconds.
fn millis(value: &ScalarValue) -> Option<i64> {
    match value {
        ScalarValue::TimestampSecond(Some(v), None) => v.checked_mul(SECOND),
        ScalarValue::TimestampMillisecond(Some(v), None) => Some(*v),
        ScalarValue::TimestampNanosecond(Some(v), None) if v % NANOS_OF_MILLI == 0 => {
            Some(v / NANOS_OF_MILLI)
        }
        _ => None,
    }
}

fn below_projections(plan: &LogicalPlan) -> &LogicalPlan {
    match plan {
        LogicalPlan::Projection(projection) => below_projections(&projection.input),
        plan => plan,
    }
}

/// The aggregation below, and its group that a column of the plan is.
fn grouped<'a>(plan: &'a LogicalPlan, column: &Column) -> Option<(&'a Aggregate, &'a Expr)> {
    let at = plan.schema().maybe_index_of_column(column)?;
    match plan {
        LogicalPlan::Projection(projection) => match unaliased(projection.expr.get(at)?) {
            Expr::Column(column) => grouped(&projection.input, column),
            _ => None,
        },
        LogicalPlan::Aggregate(aggregate) => {
            let group = aggregate.group_expr.get(at)?;
            Some((aggregate, unaliased(group)))
        }
        _ => None,
    }
}

fn unaliased(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => unaliased(&alias.expr),
        expr => expr,
    }
}

/// The first moment after all rows of a table that filters leave.
fn end(plan: &LogicalPlan, order_key: &str) -> Option<i64> {
    match plan {
        LogicalPlan::Projection(projection) => end(&projection.input, order_key),
        LogicalPlan::SubqueryAlias(alias) => end(&alias.input, order_key),
        LogicalPlan::Filter(filter) => {
            let here = split_conjunction(&filter.predicate).into_iter();
            let here = here.filter_map(|expr| end_by(expr, order_key));
            here.chain(end(&filter.input, order_key)).min()
        }
        LogicalPlan::TableScan(scan) if scan.fetch.is_none() => {
            let filters = scan.filters.iter().flat_map(split_conjunction);
            filters.filter_map(|expr| end_by(expr, order_key)).min()
        }
        _ => None,
    }
}

fn end_by(filter: &Expr, order_key: &str) -> Option<i64> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = filter else {
        return None;
    };
    match (left.as_ref(), op, right.as_ref()) {
        (Expr::Column(column), op, Expr::Literal(value, _)) if column.name == order_key => match op
        {
            Operator::Lt => millis(value),
            Operator::LtEq => millis(value)?.checked_add(1),
            _ => None,
        },
        _ => None,
    }
}

/// The plan over the rows of its one table from a moment on; none if the table would read all the
/// same.
fn since(plan: &LogicalPlan, order_key: &str, begin: i64) -> Result<Option<LogicalPlan>> {
    let mut helps = false;
    let restricted = plan.clone().transform_up(|node| {
        let LogicalPlan::TableScan(mut scan) = node else {
            return Ok(Transformed::no(node));
        };
        let column = Column::new(Some(scan.table_name.clone()), order_key);
        let since = ScalarValue::TimestampMillisecond(Some(begin), None);
        scan.filters.push(Expr::Column(column).gt_eq(lit(since)));
        let filters: Vec<&Expr> = scan.filters.iter().collect();
        let supported = scan.source.supports_filters_pushdown(&filters)?;
        helps = supported.last() != Some(&TableProviderFilterPushDown::Unsupported);
        let is_exact = supported.last() == Some(&TableProviderFilterPushDown::Exact);
        let again = scan.filters.last().cloned().filter(|_| !is_exact);
        let scan = LogicalPlan::TableScan(scan);
        let node = match again {
            Some(filter) => LogicalPlan::Filter(Filter::try_new(filter, Arc::new(scan))?),
            None => scan,
        };
        Ok(Transformed::yes(node))
    });
    let restricted = restricted.data()?;
    Ok(helps.then_some(restricted))
}

#[cfg(test)]
mod tests;
