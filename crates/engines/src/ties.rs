//! Questions for the value of the newest or the oldest row, where several rows may be that as far as the key of the
//! table tells: engines may then give the value of any of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use bakeoff_workload::{Table, Workload};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::empty::EmptyTable;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Distinct, DistinctOn, Expr, LogicalPlan, Operator, SortExpr,
};

use crate::nulls::with_nulls;
use crate::sql::session_with;
use crate::statements::parse;
use crate::unaliased::unaliased;

/// Functions that take the value of one row of a group.
const OF_ONE_ROW: [&str; 2] = ["first_value", "last_value"];

/// Returns a note for each question of a workload that takes a value of one row of several that may tie. Questions that
/// cannot be planned, and those about other queries in them, have none.
pub async fn tie_notes(workload: &Workload) -> Vec<String> {
    let table = Arc::new(EmptyTable::new(workload.table.schema()));
    let Ok(session) = session_with(1, &workload.table.name, table) else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    for query in &workload.queries {
        let sql = with_nulls(query, &query.sql);
        let plan = parse::plan(&session.state(), &sql).await;
        let note = plan.ok().and_then(|plan| note(&plan, &workload.table));
        notes.extend(note.map(|note| format!("query {}: {note}", query.name)));
    }
    notes
}

/// Returns the note about the first place of a plan at which rows may tie.
fn note(plan: &LogicalPlan, table: &Table) -> Option<String> {
    let mut found = None;
    let walked = plan.apply_with_subqueries(|node| {
        found = match node {
            LogicalPlan::Aggregate(aggregate) => note_of_groups(aggregate, table),
            LogicalPlan::Distinct(Distinct::On(distinct)) => note_of_distinct(distinct, table),
            _ => None,
        };
        Ok(match found {
            Some(_) => TreeNodeRecursion::Stop,
            None => TreeNodeRecursion::Continue,
        })
    });
    walked.ok().and(found)
}

fn note_of_groups(aggregate: &Aggregate, table: &Table) -> Option<String> {
    let mut known = fixed(&aggregate.input)?;
    known.extend(names(&aggregate.group_expr));
    aggregate.aggr_expr.iter().find_map(|expr| {
        let Expr::AggregateFunction(call) = unaliased(expr) else {
            return None;
        };
        let name = OF_ONE_ROW.into_iter().find(|name| *name == call.func.name())?;
        let order = &call.params.order_by;
        let lacking = lacking(table, &known, order);
        if lacking.is_empty() || is_known(&call.params.args, &known, order) {
            return None;
        }
        let more = lacking.join(", ");
        Some(format!(
            "{name} takes the value of one of the rows of a group that have the same {}, where {more} may differ; \
             engines may take another one, which counts as a wrong answer: write {name}(x ORDER BY {}, {more}), \
             or group by {more}",
            names_of(order),
            shown(order)
        ))
    })
}

fn note_of_distinct(distinct: &DistinctOn, table: &Table) -> Option<String> {
    let mut known = fixed(&distinct.input)?;
    known.extend(names(&distinct.on_expr));
    let order = distinct.sort_expr.as_deref().unwrap_or_default();
    let lacking = lacking(table, &known, order);
    if lacking.is_empty() || is_known(&distinct.select_expr, &known, order) {
        return None;
    }
    let more = lacking.join(", ");
    Some(format!(
        "DISTINCT ON keeps one of the rows that tie in its ORDER BY, where {more} may differ; engines may keep another \
         one, which counts as a wrong answer: add {more} at the end of ORDER BY"
    ))
}

/// Returns the columns of the key in which rows may differ that have the same values of these columns and this order.
fn lacking(table: &Table, known: &BTreeSet<String>, order: &[SortExpr]) -> Vec<String> {
    let ordered: BTreeSet<String> = order.iter().filter_map(|by| name(&by.expr)).collect();
    let key = table.partition_key.iter().chain(&table.order_key);
    key.filter(|column| !known.contains(*column) && !ordered.contains(*column))
        .cloned()
        .collect()
}

/// Returns whether rows that tie have the same values, since these are what they tie in.
fn is_known(values: &[Expr], known: &BTreeSet<String>, order: &[SortExpr]) -> bool {
    let is_ordered = |name: &String| {
        order
            .iter()
            .any(|by| self::name(&by.expr).as_ref() == Some(name))
    };
    values.iter().all(|value| {
        let name = name(value);
        matches!(unaliased(value), Expr::Literal(..))
            || name.is_some_and(|name| known.contains(&name) || is_ordered(&name))
    })
}

/// Returns the columns that have one value in all rows of a plan that reads rows of a table as they are; `None` for
/// other plans.
fn fixed(plan: &LogicalPlan) -> Option<BTreeSet<String>> {
    match plan {
        LogicalPlan::TableScan(_) => Some(BTreeSet::new()),
        LogicalPlan::SubqueryAlias(alias) => fixed(&alias.input),
        LogicalPlan::Projection(projection) => {
            let mut exprs = projection.expr.iter();
            let as_they_are = exprs.all(|expr| matches!(expr, Expr::Column(_)));
            if as_they_are {
                fixed(&projection.input)
            } else {
                None
            }
        }
        LogicalPlan::Filter(filter) => {
            let mut columns = fixed(&filter.input)?;
            let conditions = split_conjunction(&filter.predicate);
            columns.extend(conditions.into_iter().filter_map(fixed_by));
            Some(columns)
        }
        _ => None,
    }
}

/// Returns the column that a condition keeps at one value.
fn fixed_by(condition: &Expr) -> Option<String> {
    match condition {
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Eq,
            right,
        }) => match (name(left), name(right)) {
            (Some(column), None) if right.column_refs().is_empty() => Some(column),
            (None, Some(column)) if left.column_refs().is_empty() => Some(column),
            _ => None,
        },
        _ => None,
    }
}

fn names(exprs: &[Expr]) -> impl Iterator<Item = String> {
    exprs.iter().filter_map(name)
}

/// Returns the name of the column that an expression is.
fn name(expr: &Expr) -> Option<String> {
    unaliased(expr)
        .try_as_col()
        .map(|column| column.name.clone())
}

/// Writes what rows are ordered by, which is never nothing: a workload is refused before.
fn shown(order: &[SortExpr]) -> String {
    let each = order.iter().map(|by| {
        let way = if by.asc { "" } else { " DESC" };
        format!("{}{way}", name_or_text(by))
    });
    each.collect::<Vec<_>>().join(", ")
}

fn names_of(order: &[SortExpr]) -> String {
    order
        .iter()
        .map(name_or_text)
        .collect::<Vec<_>>()
        .join(", ")
}

fn name_or_text(by: &SortExpr) -> String {
    name(&by.expr).unwrap_or_else(|| by.expr.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// What is said of a question about rows with the key (room, time).
    async fn said(sql: &str) -> Option<String> {
        let text = format!(
            "title = \"t\"\ndesigns = [\"memory\"]\n[table]\nname = \"readings\"\n\
             columns = {{ room = \"text\", time = \"timestamp\", value = \"double\" }}\n\
             partition_key = [\"room\"]\norder_key = [\"time\"]\n[data]\nrequires = \"--data\"\n\
             [[queries]]\nname = \"newest\"\nsql = \"{sql}\"\n"
        );
        let mut workload = Workload::parse(&text, Path::new("w.toml")).unwrap();
        crate::plain_queries(&mut workload);
        let checked = crate::check_queries(&workload).await;
        assert_eq!(checked.is_err(), sql.contains("nothing"), "{checked:?}");
        let mut notes = tie_notes(&workload).await;
        assert!(notes.len() <= 1, "{notes:?}");
        notes.pop()
    }

    #[tokio::test]
    async fn values_of_rows_that_may_tie_are_noted_with_what_to_write() {
        for (sql, words) in [
            (
                "SELECT last(value, time) AS v FROM readings",
                "query newest: last_value takes the value of one of the rows of a group that have the same time, where \
                 room may differ; engines may take another one, which counts as a wrong answer: write \
                 last_value(x ORDER BY time, room), or group by room",
            ),
            (
                "SELECT time, first_value(room ORDER BY value DESC) AS v FROM readings GROUP BY time",
                "first_value(x ORDER BY value DESC, room), or group by room",
            ),
            (
                "SELECT date_trunc('day', time) AS day, max_by(value, time) AS v FROM readings GROUP BY day",
                "last_value(x ORDER BY time, room)",
            ),
            (
                "SELECT n FROM (SELECT last(value, time) AS n FROM readings WHERE room > 'a') AS s",
                "or group by room",
            ),
            (
                "SELECT DISTINCT ON (time) time, value FROM readings ORDER BY time",
                "add room at the end of ORDER BY",
            ),
        ] {
            let note = said(sql).await.unwrap_or_default();
            assert!(note.contains(words), "{sql}: {note}");
        }
    }

    #[tokio::test]
    async fn what_cannot_tie_is_not_noted() {
        for sql in [
            "SELECT room, last(value, time) AS v FROM readings GROUP BY room",
            "SELECT last(value, time) AS v FROM readings WHERE room = 'a' AND value > 1",
            "SELECT last_value(value ORDER BY time, room) AS v FROM readings",
            "SELECT last(time, time) AS newest FROM readings",
            "SELECT DISTINCT ON (room) room, value FROM readings ORDER BY room, time DESC",
            "SELECT max(value) AS v FROM readings",
            // Of other rows than those of the table nothing is known.
            "SELECT last(m, day) AS v FROM (SELECT date_trunc('day', time) AS day, max(value) AS m FROM readings
             GROUP BY day) AS s",
            "SELECT nothing FROM readings",
        ] {
            let sql = sql.replace('\n', " ");
            assert_eq!(said(&sql).await, None, "{sql}");
        }
    }
}
