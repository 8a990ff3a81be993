//! Queries for a few groups of the newest rows, which read the table from its newest end.
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
use bakeoff_driver::{Answer, DesignError};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Column, ScalarValue};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Expr, Filter, LogicalPlan, Operator, TableProviderFilterPushDown,
};
use datafusion::physical_plan::{ExecutionPlan, displayable};
use datafusion::prelude::{SessionContext, lit};

use crate::run_plan::{message, run};
use crate::unaliased::unaliased;

/// The factor by which each window is longer than the one before.
const LONGER: i64 = 16;
/// The number of windows that are tried. The first is as long as the wanted groups.
const WINDOWS: u32 = 3;

const SECOND: i64 = 1_000;
const DAY: i64 = 86_400 * SECOND;
const NANOS_OF_MILLI: i64 = 1_000_000;

/// Runs SQL to its last row. Windows are ranges of the order key, the column by which a table finds
/// rows.
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
    let newest = order_key.and_then(|key| Some((key, Newest::from_plan(&plan, key)?)));
    let mut scanned_in_vain = 0;
    if let Some((order_key, newest)) = newest {
        for begin in newest.begins() {
            let Some(window) = since(&plan, order_key, begin)? else {
                break;
            };
            let answer = run(session, physical(&window).await?).await?;
            // A full answer cannot lack a group: any other one would come after these.
            if answer.rows() == newest.groups as u64 {
                return Ok(with_scanned(answer, scanned_in_vain));
            }
            scanned_in_vain += answer.rows_scanned.unwrap_or(0);
        }
    }
    let answer = run(session, physical(&plan).await?).await?;
    Ok(with_scanned(answer, scanned_in_vain))
}

/// Plans what [`answer`] runs first: over the newest window where windows are asked first, or else over all rows.
pub async fn first_plan(
    session: &SessionContext,
    sql: &str,
    order_key: Option<&str>,
) -> std::result::Result<Arc<dyn ExecutionPlan>, DesignError> {
    let planned = async {
        let state = session.state();
        let plan = state.optimize(&state.create_logical_plan(sql).await?)?;
        let first = first_window(&plan, order_key)?.map_or(plan, |(_, window)| window);
        let planner = state.query_planner();
        planner.create_physical_plan(&first, &state).await
    };
    planned
        .await
        .map_err(|error: DataFusionError| DesignError(message(&error)))
}

/// Returns the first window that is asked, with the order key; `None` if all rows are asked at once.
fn first_window<'a>(
    plan: &LogicalPlan,
    order_key: Option<&'a str>,
) -> Result<Option<(&'a str, LogicalPlan)>> {
    let newest = order_key.and_then(|key| Some((key, Newest::from_plan(plan, key)?)));
    let first = newest.and_then(|(key, newest)| Some((key, newest.begins().next()?)));
    match first {
        Some((key, begin)) => Ok(since(plan, key, begin)?.map(|window| (key, window))),
        None => Ok(None),
    }
}

/// Describes what [`answer`] does: the plan over all rows and, where windows are asked first, that over the first one.
pub async fn plan(
    session: &SessionContext,
    sql: &str,
    order_key: Option<&str>,
) -> std::result::Result<String, DesignError> {
    let plan = planned(session, sql, order_key).await;
    plan.map_err(|error| DesignError(message(&error)))
}

async fn planned(session: &SessionContext, sql: &str, order_key: Option<&str>) -> Result<String> {
    let state = session.state();
    let plan = state.optimize(&state.create_logical_plan(sql).await?)?;
    let shown = async |plan: &LogicalPlan| {
        let planner = state.query_planner();
        let physical = planner.create_physical_plan(plan, &state).await?;
        Ok::<String, DataFusionError>(displayable(physical.as_ref()).indent(false).to_string())
    };
    let over_all = shown(&plan).await?;
    let Some((key, window)) = first_window(&plan, order_key)? else {
        return Ok(over_all);
    };
    let over_window = shown(&window).await?;
    Ok(format!(
        "First over the newest {key}, then over longer windows:\n{over_window}\
         Over all rows, if none of these has enough groups:\n{over_all}"
    ))
}

/// Adds rows that were scanned in vain to the count of an answer.
fn with_scanned(answer: Answer, more: u64) -> Answer {
    Answer {
        rows_scanned: answer.rows_scanned.map(|rows| rows + more),
        ..answer
    }
}

/// A query for the newest groups. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq)]
struct Newest {
    groups: usize,
    bins: Bins,
    /// The end of the wanted rows, excluded.
    end: i64,
    /// The first wanted moment, if the query has one.
    begin: Option<i64>,
}

/// Groups as intervals of equal length, one of which begins at the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bins {
    width: i64,
    origin: i64,
}

impl Newest {
    /// Recognizes an optimized plan of such a query.
    fn from_plan(plan: &LogicalPlan, order_key: &str) -> Option<Newest> {
        let LogicalPlan::Sort(sort) = below_projections(plan) else {
            return None;
        };
        let first = sort.expr.first().filter(|first| !first.asc)?;
        let Expr::Column(by) = &first.expr else {
            return None;
        };
        let (aggregate, group) = grouped(&sort.input, by)?;
        let bins = Bins::from_group(group, order_key, first.nulls_first)?;
        let filters = filters(&aggregate.input, order_key)?;
        let bounds = |of: fn(&Operator, i64) -> Option<i64>| {
            let bound = move |(op, time): &(Operator, i64)| of(op, *time);
            filters.iter().filter_map(bound)
        };
        let end = bounds(|op, time| match op {
            Operator::Lt => Some(time),
            Operator::LtEq => time.checked_add(1),
            _ => None,
        });
        let begin = bounds(|op, time| match op {
            Operator::Gt => time.checked_add(1),
            Operator::GtEq | Operator::Eq => Some(time),
            _ => None,
        });
        Some(Newest {
            groups: sort.fetch.filter(|groups| *groups > 0)?,
            bins,
            end: end.min()?,
            begin: begin.max(),
        })
    }

    /// Returns the moments at which windows begin, the latest first. No window has all wanted rows, since
    /// the query itself is run after them.
    fn begins(&self) -> impl Iterator<Item = i64> {
        let newest = self.bins.begin_of(self.end.saturating_sub(1));
        let groups = i64::try_from(self.groups).unwrap_or(i64::MAX);
        (0..WINDOWS).map_while(move |number| {
            let bins = groups.checked_mul(LONGER.checked_pow(number)?)?;
            let begin = newest?.checked_sub(self.bins.width.checked_mul(bins - 1)?)?;
            let is_later = self.begin.is_none_or(|first| begin > first);
            is_later.then_some(begin)
        })
    }
}

impl Bins {
    /// Recognizes the intervals that a group's expression divides the order key into.
    fn from_group(group: &Expr, order_key: &str, nulls_first: bool) -> Option<Bins> {
        let is_key = |expr: &Expr| matches!(expr, Expr::Column(c) if c.name == order_key);
        let Expr::ScalarFunction(function) = group else {
            return None;
        };
        let (name, args) = (function.name(), &function.args[..]);
        if name == "date_bin" && nulls_first {
            // Times that do not fit nanoseconds form a group without a value, which comes first.
            return None;
        }
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

/// Returns the length in milliseconds of a unit of `date_trunc`, if all its intervals are equally
/// long.
pub fn unit_width(unit: &ScalarValue) -> Option<i64> {
    match unit.try_as_str()??.to_ascii_lowercase().as_str() {
        "second" => Some(SECOND),
        "minute" => Some(60 * SECOND),
        "hour" => Some(3_600 * SECOND),
        "day" => Some(DAY),
        _ => None,
    }
}

/// Returns the length in milliseconds of an interval, if it is always equally long and a whole number of them.
pub fn interval(width: &ScalarValue) -> Option<i64> {
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

/// Converts a time without a zone to milliseconds, if it is a whole number of them.
pub fn millis(value: &ScalarValue) -> Option<i64> {
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

/// Finds the aggregation below a plan, and the group expression behind one of the plan's columns.
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

/// Returns the filters of the order key in the one table below, as operators and times, or `None`
/// if a node may change what the order key's name means.
fn filters(plan: &LogicalPlan, order_key: &str) -> Option<Vec<(Operator, i64)>> {
    let of_key = |filters: &[&Expr]| -> Vec<(Operator, i64)> {
        let filters = filters.iter().flat_map(|filter| split_conjunction(filter));
        filters
            .filter_map(|filter| compared(filter, order_key))
            .collect()
    };
    match plan {
        // A column with the key's name above the projection has to be the key itself.
        LogicalPlan::Projection(projection) => {
            let mut exprs = projection.expr.iter();
            let is_named = |expr: &Expr| expr.qualified_name().1 == order_key;
            let all_keep = exprs.all(|expr| matches!(expr, Expr::Column(_)) || !is_named(expr));
            all_keep.then(|| filters(&projection.input, order_key))?
        }
        LogicalPlan::SubqueryAlias(alias) => filters(&alias.input, order_key),
        LogicalPlan::Filter(filter) => {
            let mut found = filters(&filter.input, order_key)?;
            found.extend(of_key(&[&filter.predicate]));
            Some(found)
        }
        LogicalPlan::TableScan(scan) if scan.fetch.is_none() => {
            Some(of_key(&scan.filters.iter().collect::<Vec<_>>()))
        }
        _ => None,
    }
}

fn compared(filter: &Expr, order_key: &str) -> Option<(Operator, i64)> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = filter else {
        return None;
    };
    match (left.as_ref(), right.as_ref()) {
        (Expr::Column(column), Expr::Literal(value, _)) if column.name == order_key => {
            Some((*op, millis(value)?))
        }
        _ => None,
    }
}

/// Restricts a plan to the rows of its one table from a moment on. Returns `None` if the table would
/// read as many rows as before.
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
