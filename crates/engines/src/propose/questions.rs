//! What the questions of a workload ask for, by their plans, and which share of the rows has the values that they name.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_workload::{ColumnType, Error, Query, Result, RowSource, Table, Workload};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Aggregate, Distinct, Expr, LogicalPlan, SortExpr};
use datafusion::prelude::SessionContext;

use super::{filters, highest};
use crate::advice::{Filter, FilterKind, Question};
use crate::newest_groups::{interval, unit_width};
use crate::nulls::with_nulls;
use crate::selected;
use crate::sql::message;
use crate::unaliased::unaliased;

/// Sets of parameters for which rows are counted.
pub const SETS: u64 = 3;

/// Reads all questions. `rows` are the source and the number of its rows that the session has, if there are any.
pub async fn read(
    workload: &Workload,
    session: &SessionContext,
    rows: Option<(&dyn RowSource, u64)>,
) -> Result<Vec<Question>> {
    let mut questions = Vec::with_capacity(workload.queries.len());
    for query in &workload.queries {
        let sql = with_nulls(query, &query.sql);
        let plan = session.state().create_logical_plan(&sql).await;
        let plan = plan.map_err(|error| in_words(query, &error))?;
        let mut question = question(&workload.table, query, &plan);
        let is_equal = |f: &Filter| matches!(f.kind, FilterKind::Equals { .. });
        if let Some((source, number)) = rows
            && question.filters.iter().any(is_equal)
        {
            let shares = shares(workload, session, query, source, number).await?;
            for (filter, share) in question.filters.iter_mut().zip(shares) {
                filter.share = share.filter(|_| is_equal(filter));
            }
        }
        with_each_range_once(&mut question.filters);
        questions.push(question);
    }
    Ok(questions)
}

/// Counts about how many different values each of these columns has.
pub async fn distinct(
    session: &SessionContext,
    table: &str,
    columns: Vec<String>,
) -> Result<BTreeMap<String, u64>> {
    let counts = selected::distinct(session, table, &columns).await;
    let counts = counts.map_err(|error| Error::Usage(message(&error)))?;
    let counted = columns.into_iter().zip(counts);
    Ok(counted.filter_map(|(name, n)| Some((name, n?))).collect())
}

fn in_words(query: &Query, error: &DataFusionError) -> Error {
    Error::Usage(format!("query {}: {}", query.name, message(error)))
}

/// Returns which share of the rows satisfies each condition of a query, the mean of some sets of its parameters;
/// nothing if no parameters can be drawn.
async fn shares(
    workload: &Workload,
    session: &SessionContext,
    query: &Query,
    source: &dyn RowSource,
    rows: u64,
) -> Result<Vec<Option<f64>>> {
    let sets = if query.parameters.is_empty() { 1 } else { SETS };
    // A column of nulls alone has no value to ask for.
    let Ok(drawn) = workload.draw_all(query, 0..sets, rows, source) else {
        return Ok(Vec::new());
    };
    let mut sums: Vec<f64> = Vec::new();
    for set in &drawn {
        let counted = counted(session, &workload.table, &query.bind("", set)).await;
        let counted = counted.map_err(|error| in_words(query, &error))?;
        sums.resize(counted.len(), 0.0);
        for (sum, count) in sums.iter_mut().zip(counted) {
            *sum += count as f64;
        }
    }
    let all = drawn.len() as f64 * rows as f64;
    Ok(sums.into_iter().map(|sum| Some(sum / all)).collect())
}

/// Counts the rows of a table that satisfy each condition of a query.
async fn counted(
    session: &SessionContext,
    table: &Table,
    sql: &str,
) -> std::result::Result<Vec<u64>, DataFusionError> {
    let plan = session.state().create_logical_plan(sql).await?;
    let conditions = filters::of_plan(&plan, table).into_iter();
    let conditions: Vec<Expr> = conditions.map(|(_, condition)| condition.clone()).collect();
    let counts = selected::count_each(session, &table.name, conditions).await?;
    Ok(counts.into_iter().map(Option::unwrap_or_default).collect())
}

/// Says what a query asks for, by its plan.
fn question(table: &Table, query: &Query, plan: &LogicalPlan) -> Question {
    let order = table.order_key.first().and_then(|name| table.column(name));
    let order = order.map(|column| column.name.as_str());
    let mut seen = Seen {
        order,
        ..Seen::default()
    };
    // Looking at a plan cannot fail.
    let _ = plan.apply_with_subqueries(|node| {
        seen.look_at(node);
        Ok(TreeNodeRecursion::Continue)
    });
    let mut filters: Vec<Filter> = { filters::of_plan(plan, table).into_iter() }
        .map(|(filter, _)| filter)
        .collect();
    filters::with_parameters(&mut filters, query);
    let is_column = |name: &&String| table.column(name).is_some();
    let time = table.order_key.first().and_then(|name| table.column(name));
    let is_time = time.is_some_and(|column| column.kind == ColumnType::Timestamp);
    Question {
        name: query.name.clone(),
        filters,
        is_of_all_rows: !seen.leaves_out,
        aggregates: seen.aggregates,
        groups: seen.groups,
        group_width: seen.group_width.filter(|_| is_time),
        may_end_early: seen.may_end_early,
        is_of_statistics: seen.is_of_statistics,
        wants_newest: seen.wants_newest,
        columns: seen.columns.iter().filter(is_column).count(),
    }
}

/// What the parts of a plan show.
#[derive(Default)]
struct Seen<'a> {
    /// The first column of the order key.
    order: Option<&'a str>,
    /// Whether rows are left out, or come from several tables.
    leaves_out: bool,
    aggregates: bool,
    groups: bool,
    group_width: Option<i64>,
    may_end_early: bool,
    is_of_statistics: bool,
    wants_newest: bool,
    columns: BTreeSet<String>,
}

impl Seen<'_> {
    fn look_at(&mut self, node: &LogicalPlan) {
        for expr in node.expressions() {
            let names = expr.column_refs().into_iter().map(|c| c.name.clone());
            self.columns.extend(names);
        }
        match node {
            LogicalPlan::Join(join) => {
                self.leaves_out = true;
                let order = self.order;
                self.wants_newest |= order.is_some_and(|order| highest::is_joined(join, order));
            }
            LogicalPlan::Filter(_) | LogicalPlan::Union(_) => self.leaves_out = true,
            LogicalPlan::Aggregate(aggregate) => self.look_at_groups(aggregate),
            LogicalPlan::Limit(limit) => {
                self.may_end_early = true;
                self.wants_newest |= self.is_newest_first(&limit.input);
            }
            LogicalPlan::Distinct(Distinct::All(_)) => self.may_end_early = true,
            LogicalPlan::Distinct(Distinct::On(on)) => {
                self.may_end_early = true;
                let mut order = on.sort_expr.iter().flatten();
                self.wants_newest |= order.any(|key| self.is_descending(key));
            }
            _ => {}
        }
    }

    fn look_at_groups(&mut self, aggregate: &Aggregate) {
        self.aggregates = true;
        self.groups |= !aggregate.group_expr.is_empty();
        let mut groups = aggregate.group_expr.iter();
        let width = groups.find_map(|expr| self.interval_of(expr));
        self.group_width = self.group_width.or(width);
        if aggregate.group_expr.is_empty() {
            let mut aggregates = aggregate.aggr_expr.iter();
            self.is_of_statistics |= aggregates.any(is_of_statistics);
        }
        let mut aggregates = aggregate.aggr_expr.iter();
        self.wants_newest |= aggregates.any(|expr| self.is_last(expr));
    }

    /// Returns whether an expression is the last value in the order of the order column.
    fn is_last(&self, expr: &Expr) -> bool {
        let Expr::AggregateFunction(function) = unaliased(expr) else {
            return false;
        };
        let name = function.func.name();
        let by_order = |key: &SortExpr| self.is_order(&key.expr);
        let mut keys = function.params.order_by.iter();
        match name {
            "last_value" => keys.any(|key| by_order(key) && key.asc),
            "first_value" => keys.any(|key| by_order(key) && !key.asc),
            _ => false,
        }
    }

    /// Returns whether a limited plan begins with the highest values of the order column.
    fn is_newest_first(&self, plan: &LogicalPlan) -> bool {
        match plan {
            LogicalPlan::Sort(sort) => sort.expr.first().is_some_and(|key| self.is_descending(key)),
            LogicalPlan::Projection(projection) => self.is_newest_first(&projection.input),
            _ => false,
        }
    }

    fn is_descending(&self, key: &SortExpr) -> bool {
        !key.asc && self.is_order(&key.expr)
    }

    fn is_order(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Column(column) if Some(column.name.as_str()) == self.order)
    }

    /// Returns the length of the intervals of the order column that an expression makes, in milliseconds.
    fn interval_of(&self, expr: &Expr) -> Option<i64> {
        let Expr::ScalarFunction(function) = unaliased(expr) else {
            return None;
        };
        match (function.name(), &function.args[..]) {
            ("date_trunc", [Expr::Literal(unit, _), time]) if self.is_order(time) => {
                unit_width(unit)
            }
            ("date_bin", [Expr::Literal(width, _), time, ..]) if self.is_order(time) => {
                interval(width)
            }
            _ => None,
        }
    }
}

/// Returns whether an aggregate may be known without its rows: the least or the highest value of a column, or a number of
/// rows.
fn is_of_statistics(expr: &Expr) -> bool {
    let Expr::AggregateFunction(function) = unaliased(expr) else {
        return false;
    };
    match function.func.name() {
        "count" => true,
        "min" | "max" => matches!(function.params.args[..], [Expr::Column(_)]),
        _ => false,
    }
}

/// Leaves out the second end of a range, which is a condition of its own.
fn with_each_range_once(filters: &mut Vec<Filter>) {
    let mut ranges = BTreeSet::new();
    filters.retain(|filter| match filter.kind {
        FilterKind::Range { .. } => ranges.insert(filter.column.clone()),
        _ => true,
    });
}
