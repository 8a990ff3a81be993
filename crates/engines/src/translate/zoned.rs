//! Texts of times with an offset or the name of a zone that an engine would be asked for. DataFusion takes them for
//! the moment that they say, and other engines for the time that they show, since times of tables have no zone. Where
//! it is certain that such a text is a time it is written in UTC; a question in which another one is left is refused.

use std::sync::Arc;

use arrow::datatypes::DataType;
use bakeoff_workload::{ParameterValues, Query, Table};
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::datasource::empty::EmptyTable;
use datafusion::logical_expr::expr::{InSubquery, SetComparison};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan};
use futures::FutureExt;

use crate::dialect::other_than_shown;
use crate::dialect::tokens::{Kind, Token, tokens};
use crate::nulls::with_nulls;
use crate::sql::session_with;
use crate::statements::parse;

/// A text that an engine would take for another time than DataFusion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zoned {
    /// It with its quotes, as SQL has it.
    pub literal: String,
    /// The time that it says, in UTC and without quotes.
    pub in_utc: String,
}

/// Returns the first such text that is left in the SQL that an engine is asked for a query, or is among the values that
/// are given for one of its parameters.
pub fn left(query: &Query, table: &Table, asked: &str) -> Option<Zoned> {
    let given = query
        .parameters
        .iter()
        .map(|parameter| match &parameter.values {
            ParameterValues::Choice(values) => values.len(),
            _ => 0,
        });
    (0..given.max().unwrap_or(0).max(1)).find_map(|at| {
        let question = with_nulls(query, &with_given(query, &query.sql, at));
        left_in(table, &question, &with_given(query, asked, at))
    })
}

/// Replaces each parameter for which values are given by one of them.
fn with_given(query: &Query, sql: &str, at: usize) -> String {
    let mut sql = sql.to_owned();
    for parameter in &query.parameters {
        if let ParameterValues::Choice(values) = &parameter.values
            && !values.is_empty()
        {
            let mark = format!("${{{}}}", parameter.name);
            sql = sql.replace(&mark, &values[at % values.len()]);
        }
    }
    sql
}

/// Returns the first such text in SQL without parameters. `question` is the same in the SQL of DataFusion.
fn left_in(table: &Table, question: &str, asked: &str) -> Option<Zoned> {
    let all = tokens(asked)?;
    let zoned = all.iter().filter_map(|token| {
        let inside = inside(token)?;
        let literal = token.text.to_owned();
        let in_utc = other_than_shown(inside)?;
        Some((inside, Zoned { literal, in_utc }))
    });
    let zoned: Vec<(&str, Zoned)> = zoned.collect();
    if zoned.is_empty() {
        return None;
    }
    // A text without a time beside it, such as that of a column of texts, is what it is everywhere.
    let times = beside_times(&planned(table, question)?);
    let is_of_time = |inside: &str| times.iter().any(|time| time == inside);
    let mut zoned = zoned.into_iter();
    let (_, first) = zoned.find(|(inside, _)| is_of_time(inside))?;
    Some(first)
}

/// Returns what is in a text, whatever quotes it has.
fn inside<'a>(token: &Token<'a>) -> Option<&'a str> {
    if token.kind != Kind::Text {
        return None;
    }
    let text = token.text.strip_prefix(['e', 'E']).unwrap_or(token.text);
    let quote = match text.strip_prefix('$') {
        Some(behind) => &text[..behind.find('$')? + 2],
        None => "'",
    };
    text.strip_prefix(quote)?.strip_suffix(quote)
}

/// Plans a question over a table that has no rows, which waits for nothing. One that cannot be planned is refused
/// elsewhere.
fn planned(table: &Table, question: &str) -> Option<LogicalPlan> {
    let empty = Arc::new(EmptyTable::new(table.schema()));
    let session = session_with(1, &table.name, empty).ok()?;
    let state = session.state();
    let planned = parse::plan(&state, question).now_or_never();
    planned?.ok()
}

/// Returns the texts of a question that are made times, or stand beside one in a comparison or a function.
fn beside_times(plan: &LogicalPlan) -> Vec<String> {
    let mut found = Vec::new();
    let walked = plan.apply_with_subqueries(|node| {
        let schema = merge_schema(&node.inputs());
        node.apply_expressions(|whole| {
            whole.apply(|expr| {
                let mut texts = Vec::new();
                let mut has_time = is_time(expr, &schema) || asks_for_times(expr);
                expr.apply_children(|child| {
                    match child {
                        Expr::Literal(value, _) => {
                            texts.extend(value.try_as_str().flatten().map(str::to_owned));
                        }
                        child => has_time |= is_time(child, &schema),
                    }
                    Ok(TreeNodeRecursion::Continue)
                })?;
                if has_time {
                    found.append(&mut texts);
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    });
    if walked.is_err() {
        found.clear();
    }
    found
}

fn is_time(expr: &Expr, schema: &DFSchema) -> bool {
    expr.get_type(schema).is_ok_and(|kind| has_no_zone(&kind))
}

/// Returns whether a value is compared with the times that a subquery gives.
fn asks_for_times(expr: &Expr) -> bool {
    match expr {
        Expr::InSubquery(InSubquery { subquery, .. })
        | Expr::SetComparison(SetComparison { subquery, .. }) => {
            let fields = subquery.subquery.schema().fields();
            let first = fields.first();
            first.is_some_and(|field| has_no_zone(field.data_type()))
        }
        _ => false,
    }
}

/// Returns whether a type is one of times or days without a zone, in whose texts other engines ignore offsets.
fn has_no_zone(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Timestamp(_, None) | DataType::Date32 | DataType::Date64
    )
}
