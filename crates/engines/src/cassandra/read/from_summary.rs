//! Aggregations that a summary table answers exactly, and that read it instead of all rows.
//!
//! It has the rows of a partition key and interval as counts, sums, least and greatest values. So a question may group by
//! the partition key and by longer intervals that are whole numbers of these, and have conditions on the partition key
//! and on the first or last moment of an interval.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use arrow::datatypes::DataType;
use bakeoff_workload::{ColumnType, Table};
use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Column, DFSchema, ScalarValue, TableReference};
use datafusion::datasource::provider_as_source;
use datafusion::error::Result;
use datafusion::functions_aggregate::expr_fn::{max, min, sum};
use datafusion::logical_expr::expr::{AggregateFunction, AggregateFunctionParams};
use datafusion::logical_expr::utils::{conjunction, split_conjunction};
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Expr, LogicalPlan, LogicalPlanBuilder, Operator, TableSource, cast,
    ident, lit, when,
};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::cassandra::rows::summary::{Held, ROWS, START, Summary};
use crate::newest_groups::{interval, millis, unit_width};
use crate::unaliased::unaliased;

/// The rule that makes aggregations of a table read its summary table where that has what they need.
pub struct FromSummary {
    summary: Summary,
    table: Table,
    /// Name of the summary table in plans.
    name: String,
    source: Arc<dyn TableSource>,
}

/// How the aggregates of a question come from those of the summary table.
enum Merged {
    /// Adds up counts, which are 0 without any.
    Count(Expr),
    /// Takes the aggregate of the aggregates.
    Same(Expr),
    /// Divides a sum by a count.
    Average(Expr, Expr),
}

impl Debug for FromSummary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "FromSummary({})", self.name)
    }
}

impl FromSummary {
    /// Makes the rule for a table of a workload and its summary table, which plans call `name`.
    pub fn new(
        summary: &Summary,
        table: &Table,
        name: &str,
        provider: Arc<dyn TableProvider>,
    ) -> Self {
        FromSummary {
            summary: summary.clone(),
            table: table.clone(),
            name: name.to_owned(),
            source: provider_as_source(provider),
        }
    }

    /// Returns the same aggregation over the summary table, or `None` if that has not what it needs.
    fn merged(&self, aggregate: &Aggregate) -> Result<Option<LogicalPlan>> {
        let mut filters = Vec::new();
        if !self.collect_filters(&aggregate.input, &mut filters) {
            return Ok(None);
        }
        let filters = filters.iter().map(|filter| self.filter(filter));
        let groups = aggregate.group_expr.iter().map(|group| self.group(group));
        let merged = aggregate.aggr_expr.iter().map(|expr| self.aggregate(expr));
        let (Some(filters), Some(groups), Some(merged)) = (
            filters.collect::<Option<Vec<Expr>>>(),
            groups.collect::<Option<Vec<Expr>>>(),
            merged.collect::<Option<Vec<Merged>>>(),
        ) else {
            return Ok(None);
        };
        let plan = self.plan(aggregate, filters, groups, merged)?;
        let types = |schema: &DFSchema| -> Vec<DataType> {
            let fields = schema.fields().iter();
            fields.map(|field| field.data_type().clone()).collect()
        };
        let is_same = types(plan.schema()) == types(&aggregate.schema);
        Ok(is_same.then_some(plan))
    }

    /// Plans the aggregation with the names of the one that it replaces.
    fn plan(
        &self,
        replaced: &Aggregate,
        filters: Vec<Expr>,
        groups: Vec<Expr>,
        merged: Vec<Merged>,
    ) -> Result<LogicalPlan> {
        let (mut grouped, mut aggregates, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
        for group in groups {
            let name = format!("group_{}", grouped.len());
            outputs.push(ident(&name));
            grouped.push(group.alias(name));
        }
        let mut aggregated = |expr: Expr| {
            let name = format!("aggregate_{}", aggregates.len());
            let output = ident(&name);
            aggregates.push(expr.alias(name));
            output
        };
        for merged in merged {
            outputs.push(match merged {
                Merged::Count(expr) => {
                    let count = aggregated(expr);
                    when(count.clone().is_null(), lit(0_i64)).otherwise(count)?
                }
                Merged::Same(expr) => aggregated(expr),
                Merged::Average(sum, count) => {
                    let [sum, count] =
                        [sum, count].map(|expr| cast(aggregated(expr), DataType::Float64));
                    sum / count
                }
            });
        }
        let named = { replaced.schema.iter().zip(outputs) }.map(|((qualifier, field), output)| {
            output.alias_qualified(qualifier.cloned(), field.name().as_str())
        });
        let named: Vec<Expr> = named.collect();
        let name = TableReference::bare(self.name.as_str());
        let mut plan = LogicalPlanBuilder::scan(name, Arc::clone(&self.source), None)?;
        if let Some(filter) = conjunction(filters) {
            plan = plan.filter(filter)?;
        }
        plan.aggregate(grouped, aggregates)?.project(named)?.build()
    }

    /// Collects the conditions of an aggregation's input. Returns whether that is the table, with nothing else done
    /// to its rows.
    fn collect_filters(&self, plan: &LogicalPlan, found: &mut Vec<Expr>) -> bool {
        match plan {
            LogicalPlan::Filter(filter) => {
                found.extend(split_conjunction(&filter.predicate).into_iter().cloned());
                self.collect_filters(&filter.input, found)
            }
            LogicalPlan::Projection(projection) => {
                let mut exprs = projection.expr.iter();
                exprs.all(|expr| matches!(expr, Expr::Column(_)))
                    && self.collect_filters(&projection.input, found)
            }
            LogicalPlan::SubqueryAlias(alias) => self.collect_filters(&alias.input, found),
            LogicalPlan::TableScan(scan) => {
                let filters = scan.filters.iter();
                found.extend(filters.flat_map(split_conjunction).cloned());
                scan.fetch.is_none() && scan.table_name.table() == self.table.name
            }
            _ => false,
        }
    }

    /// Returns a condition over the summary table, if it holds for all rows of an interval or for none.
    fn filter(&self, filter: &Expr) -> Option<Expr> {
        let columns = filter.column_refs();
        if columns.is_empty() || filter.is_volatile() {
            return None;
        }
        if columns
            .iter()
            .all(|column| self.is_partition_key(&column.name))
        {
            return self.renamed(filter);
        }
        let Expr::BinaryExpr(BinaryExpr { left, op, right }) = filter else {
            return None;
        };
        let (Expr::Column(column), Expr::Literal(value, _)) = (left.as_ref(), right.as_ref())
        else {
            return None;
        };
        if column.name != self.summary.time.name {
            return None;
        }
        let value = match self.summary.time.kind {
            ColumnType::Timestamp => millis(value)?,
            _ => match value {
                ScalarValue::Int64(Some(value)) => *value,
                _ => return None,
            },
        };
        // The first moment that the condition separates from the one before it.
        let first = match op {
            Operator::GtEq | Operator::Lt => value,
            Operator::Gt | Operator::LtEq => value.checked_add(1)?,
            _ => return None,
        };
        if first.rem_euclid(self.summary.width) != 0 {
            return None;
        }
        self.renamed(filter)
    }

    /// Returns a group over the summary table, if it has all rows of an interval or none.
    fn group(&self, group: &Expr) -> Option<Expr> {
        match unaliased(group) {
            Expr::Column(column) if self.is_partition_key(&column.name) => self.renamed(group),
            Expr::ScalarFunction(function) => {
                let [Expr::Literal(length, _), Expr::Column(time)] = function.args.as_slice()
                else {
                    return None;
                };
                let length = match function.func.name() {
                    "date_bin" => interval(length)?,
                    "date_trunc" => unit_width(length)?,
                    _ => return None,
                };
                let is_time = time.name == self.summary.time.name
                    && self.summary.time.kind == ColumnType::Timestamp;
                let is_whole = length > 0 && length % self.summary.width == 0;
                (is_time && is_whole).then(|| self.renamed(group))?
            }
            _ => None,
        }
    }

    /// Returns how an aggregate comes from those of the summary table.
    fn aggregate(&self, expr: &Expr) -> Option<Merged> {
        let Expr::AggregateFunction(AggregateFunction { func, params }) = unaliased(expr) else {
            return None;
        };
        let AggregateFunctionParams {
            args,
            distinct,
            filter,
            order_by,
            null_treatment,
        } = params;
        if *distinct || filter.is_some() || !order_by.is_empty() || null_treatment.is_some() {
            return None;
        }
        let [argument] = args.as_slice() else {
            return None;
        };
        let rows = || Some(Merged::Count(sum(ident(ROWS))));
        match (func.name(), argument) {
            ("count", Expr::Literal(value, _)) if !value.is_null() => rows(),
            // Columns of the key are never null.
            ("count", Expr::Column(column)) if self.table.is_key(&column.name) => rows(),
            ("count", Expr::Column(column)) => {
                let (name, _) = self.number(&column.name)?;
                Some(Merged::Count(sum(held(Held::Values, name))))
            }
            ("min", Expr::Column(column)) => {
                let (name, _) = self.number(&column.name)?;
                Some(Merged::Same(min(held(Held::Least, name))))
            }
            ("max", Expr::Column(column)) => {
                let (name, _) = self.number(&column.name)?;
                Some(Merged::Same(max(held(Held::Greatest, name))))
            }
            ("sum", argument) => {
                let name = self.added_up(argument, &DataType::Int64, true)?;
                Some(Merged::Same(sum(held(Held::Sum, name))))
            }
            ("avg", argument) => {
                let name = self.added_up(argument, &DataType::Float64, false)?;
                let values = sum(held(Held::Values, name));
                Some(Merged::Average(sum(held(Held::Sum, name)), values))
            }
            _ => None,
        }
    }

    /// Returns the column that a sum or an average adds up, which DataFusion may convert to this type before. Sums of
    /// a bigint may overflow, unlike an average of it, which adds up doubles.
    fn added_up(&self, argument: &Expr, converted: &DataType, may_overflow: bool) -> Option<&str> {
        let (column, to) = match argument {
            Expr::Column(column) => (column, None),
            Expr::Cast(cast) => match cast.expr.as_ref() {
                Expr::Column(column) => (column, Some(cast.field.data_type())),
                _ => return None,
            },
            _ => return None,
        };
        let (name, kind) = self.number(&column.name)?;
        let is_usual = to.is_none_or(|to| to == converted);
        let is_exact = match kind {
            // Its sums are those of doubles.
            ColumnType::Float => to == Some(&DataType::Float64),
            ColumnType::Double => to.is_none(),
            ColumnType::Bigint => is_usual && may_overflow,
            _ => is_usual,
        };
        is_exact.then_some(name)
    }

    /// Looks up a column with numbers.
    fn number(&self, name: &str) -> Option<(&str, ColumnType)> {
        let mut numbers = self.summary.numbers.iter();
        let number = numbers.find(|column| column.name == name)?;
        Some((&number.name, number.kind))
    }

    fn is_partition_key(&self, name: &str) -> bool {
        self.table.partition_key.iter().any(|column| column == name)
    }

    /// Returns an expression over columns of the summary table, without their table.
    fn renamed(&self, expr: &Expr) -> Option<Expr> {
        let renamed = unaliased(expr).clone().transform_up(|expr| {
            Ok(match expr {
                Expr::Column(column) if column.name == self.summary.time.name => {
                    Transformed::yes(ident(START))
                }
                Expr::Column(column) => {
                    Transformed::yes(Expr::Column(Column::new_unqualified(column.name)))
                }
                expr => Transformed::no(expr),
            })
        });
        renamed.data().ok()
    }
}

impl OptimizerRule for FromSummary {
    fn name(&self) -> &str {
        "cassandra_from_summary"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let merged = match &plan {
            LogicalPlan::Aggregate(aggregate) => self.merged(aggregate)?,
            _ => None,
        };
        Ok(merged.map_or_else(|| Transformed::no(plan), Transformed::yes))
    }
}

/// Returns the column of the summary table with an aggregate of a column.
fn held(held: Held, of: &str) -> Expr {
    ident(held.column(of))
}

#[cfg(test)]
mod tests;
