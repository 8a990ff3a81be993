//! Texts that a question compares with UUIDs, and that are UUIDs in another spelling: in capitals, in braces or without
//! hyphens. DataFusion holds UUIDs as texts in lower case, so that these would equal none of them. Neither would those
//! with a digit too few, or with a letter that is none.

use std::sync::Arc;

use arrow::datatypes::{Field, Schema};
use bakeoff_workload::{ColumnType, ParameterValues, Query, Table, Workload, uuids};
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::datasource::empty::EmptyTable;
use datafusion::logical_expr::expr::InSubquery;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlan, Operator, TryCast,
};
use datafusion::prelude::SessionContext;

use crate::dialect::tokens::tokens;
use crate::expressions::compared;
use crate::nulls::with_nulls;
use crate::sql::session_with;
use crate::statements::parse;

/// Hexadecimal digits from which on a text is meant as a UUID.
const NEARLY_ALL_DIGITS: usize = 28;
/// Characters of a text that is meant as a UUID, at most.
const MOST_CHARACTERS: usize = 44;

/// A text of a question that is a UUID in another spelling than questions have.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Spelling {
    /// It with its quotes, as SQL has it.
    literal: String,
    /// The same UUID as it has to be written.
    usual: String,
}

impl Spelling {
    /// Returns how a text has to be written; `None` if it is no UUID, or is written so.
    fn of(text: &str) -> Option<Spelling> {
        let usual = uuids::in_any_spelling(text)?.to_string();
        (usual != text).then(|| Spelling {
            literal: format!("'{text}'"),
            usual: format!("'{usual}'"),
        })
    }

    /// Says what is wrong with it, and what to write.
    fn why(&self) -> String {
        format!(
            "{} equals no UUID, since questions have UUIDs as texts in lower case with hyphens: write {}",
            self.literal, self.usual
        )
    }
}

/// Returns the table of a workload without rows. Plans over it tell which of their texts are UUIDs.
pub fn empty_table(table: &Table) -> EmptyTable {
    let schema = table.schema();
    let columns = schema.fields().iter().zip(&table.columns);
    let fields = columns.map(|(field, column)| {
        let field = field.as_ref().clone();
        if column.kind == ColumnType::Uuid {
            field.with_metadata(uuids::mark())
        } else {
            field
        }
    });
    EmptyTable::new(Arc::new(Schema::new(fields.collect::<Vec<Field>>())))
}

/// Returns a text that a question over such a table compares with UUIDs in another spelling than theirs, or the
/// parameter that draws one, and what to write; or a text that would have to equal a UUID, and is nearly one. `plan` is
/// that of the question's SQL.
pub async fn misspelled(
    session: &SessionContext,
    query: &Query,
    sql: &str,
    plan: &LogicalPlan,
) -> Option<(String, String)> {
    let found = Compared::in_plan(plan);
    if let Some(first) = found.spellings().next() {
        let why = first.why();
        return Some((first.literal, why));
    }
    // What has a parameter in it is another text once that is drawn.
    let no_uuid = found.no_uuids().find(|literal| sql.contains(literal));
    if let Some(literal) = no_uuid {
        let why = format!(
            "{literal} is no UUID, and equals none: write 32 hexadecimal digits with hyphens, such as \
             '6a1f0b0c-8a7e-11ee-b962-0242ac120002'"
        );
        return Some((literal, why));
    }
    for parameter in &query.parameters {
        let ParameterValues::Choice(choice) = &parameter.values else {
            continue;
        };
        let is_other = |literal: &&String| {
            let inside = { literal.strip_prefix('\'') }.and_then(|rest| rest.strip_suffix('\''));
            inside.is_some_and(|text| Spelling::of(text).is_some())
        };
        let Some(literal) = choice.iter().find(is_other) else {
            continue;
        };
        let mark = format!("${{{}}}", parameter.name);
        let chosen = with_nulls(query, &sql.replace(&mark, literal));
        let Ok(plan) = parse::plan(&session.state(), &chosen).await else {
            continue;
        };
        let compared = Compared::in_plan(&plan);
        if let Some(spelling) = compared
            .spellings()
            .find(|spelling| spelling.literal == *literal)
        {
            return Some((mark, spelling.why()));
        }
    }
    None
}

/// Returns SQL of a question with the UUIDs that it compares with columns of UUIDs in their usual spelling. `query` is
/// the same question as the workload has it. Returns `None` if the SQL stays as it is, as it does where it cannot be
/// planned, which a check tells.
pub async fn with_usual_uuids(workload: &Workload, query: &Query, sql: &str) -> Option<String> {
    let table = Arc::new(empty_table(&workload.table));
    let session = session_with(1, &workload.table.name, table).ok()?;
    let plan = parse::plan(&session.state(), &with_nulls(query, &query.sql)).await;
    let spellings: Vec<Spelling> = Compared::in_plan(&plan.ok()?).spellings().collect();
    if spellings.is_empty() {
        return None;
    }
    let written = tokens(sql)?.into_iter().map(|token| {
        let mut all = spellings.iter();
        let other = all.find(|spelling| spelling.literal == token.text);
        other.map_or(token.text, |spelling| spelling.usual.as_str())
    });
    Some(written.collect())
}

/// What a plan compares with UUIDs.
#[derive(Debug, Default)]
struct Compared {
    /// Texts.
    texts: Vec<String>,
    /// Texts of which each would have to equal a UUID, or not.
    equal: Vec<String>,
    /// Whether there are columns that no table has as UUIDs.
    has_others: bool,
    /// Texts in lists of `VALUES`, which such columns may be of.
    listed: Vec<String>,
}

impl Compared {
    /// Looks at all of a plan.
    fn in_plan(plan: &LogicalPlan) -> Compared {
        let mut found = Compared::default();
        let walked = plan.apply_with_subqueries(|node| {
            let schema = merge_schema(&node.inputs());
            found.see_node(node, &schema);
            node.apply_expressions(|whole| {
                whole.apply(|expr| {
                    found.see(expr, &schema);
                    Ok(TreeNodeRecursion::Continue)
                })
            })
        });
        if walked.is_err() {
            return Compared::default();
        }
        if found.has_others {
            found.texts.append(&mut found.listed);
        }
        found
    }

    /// Returns the texts that are UUIDs in another spelling than theirs.
    fn spellings(&self) -> impl Iterator<Item = Spelling> {
        self.texts.iter().filter_map(|text| Spelling::of(text))
    }

    /// Returns the texts that would have to equal a UUID and are none, though they nearly are, with their quotes.
    fn no_uuids(&self) -> impl Iterator<Item = String> {
        let texts = self.equal.iter();
        texts
            .filter(|text| is_nearly_a_uuid(text) && uuids::in_any_spelling(text).is_none())
            .map(|text| format!("'{}'", text.replace('\'', "''")))
    }

    /// Looks at a node itself, and not at its expressions.
    fn see_node(&mut self, node: &LogicalPlan, schema: &DFSchema) {
        match node {
            LogicalPlan::Join(join) => {
                for (left, right) in &join.on {
                    self.compare(&[left, right], schema);
                }
            }
            LogicalPlan::Values(values) => {
                let cells = values.values.iter().flatten();
                self.listed.extend(cells.filter_map(text));
            }
            _ => {}
        }
    }

    /// Looks at an expression itself, and not at what is in it.
    fn see(&mut self, expr: &Expr, schema: &DFSchema) {
        match expr {
            Expr::InSubquery(InSubquery { expr, subquery, .. }) => {
                let first = subquery.subquery.schema().fields().first();
                let has_uuids = first.is_some_and(|field| uuids::is_of_uuids(field));
                self.has_others |= is_uuid(expr, schema) && !has_uuids;
            }
            _ => {
                let all = compared(expr);
                if is_equality(expr) && all.iter().any(|expr| is_uuid(expr, schema)) {
                    self.equal.extend(all.iter().filter_map(|expr| text(expr)));
                }
                self.compare(&all, schema);
            }
        }
    }

    /// Takes what is compared with each other, if some of it are UUIDs.
    fn compare(&mut self, all: &[&Expr], schema: &DFSchema) {
        if all.iter().any(|expr| is_uuid(expr, schema)) {
            self.texts.extend(all.iter().filter_map(|expr| text(expr)));
            let mut others = all.iter().filter(|expr| is_column(expr));
            self.has_others |= others.any(|expr| !is_uuid(expr, schema));
        }
    }
}

/// Returns whether a text has about as many hexadecimal digits as a UUID and hardly anything else.
fn is_nearly_a_uuid(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_hexdigit).count();
    digits >= NEARLY_ALL_DIGITS && text.len() <= MOST_CHARACTERS
}

/// Returns whether an expression itself asks whether values are equal.
fn is_equality(expr: &Expr) -> bool {
    match expr {
        Expr::InList(_) => true,
        Expr::BinaryExpr(BinaryExpr { op, .. }) => matches!(
            op,
            Operator::Eq | Operator::NotEq | Operator::IsDistinctFrom | Operator::IsNotDistinctFrom
        ),
        _ => false,
    }
}

/// Returns what is cast, or an expression itself.
fn uncast(expr: &Expr) -> &Expr {
    match expr {
        Expr::Cast(Cast { expr, .. }) | Expr::TryCast(TryCast { expr, .. }) => uncast(expr),
        expr => expr,
    }
}

/// Returns whether an expression is a column or the only one of a query, cast or not.
fn is_column(expr: &Expr) -> bool {
    matches!(
        uncast(expr),
        Expr::Column(_) | Expr::OuterReferenceColumn(_, _) | Expr::ScalarSubquery(_)
    )
}

/// Returns whether an expression is such a column of UUIDs.
fn is_uuid(expr: &Expr, schema: &DFSchema) -> bool {
    if !is_column(expr) {
        return false;
    }
    let field = uncast(expr).to_field(schema);
    field.is_ok_and(|(_, field)| uuids::is_of_uuids(&field))
}

/// Returns the text that an expression is, cast or not, if it is one.
fn text(expr: &Expr) -> Option<String> {
    match uncast(expr) {
        Expr::Literal(value, _) => value.try_as_str().flatten().map(str::to_owned),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
