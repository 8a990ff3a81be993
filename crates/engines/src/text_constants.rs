//! Texts that a question compares with times or numbers, or casts to them, and that are none. DataFusion says so only
//! once it has rows.

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::type_coercion::binary::comparison_coercion;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, LogicalPlan};

use crate::expressions::compared;

/// Names of the zone in which times are where they have one.
const UTC: [&str; 2] = ["+00:00", "UTC"];

/// A text that cannot be made a time or a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// It with its quotes, as SQL has it.
    pub literal: String,
    /// What is wrong with it, and what to write.
    pub why: String,
}

/// Returns the texts of a question that would have to be times or numbers, and that DataFusion cannot make any of. What
/// may not be computed, as within `CASE`, is left out.
pub fn unreadable(plan: &LogicalPlan) -> Vec<Unreadable> {
    let mut found = Vec::new();
    let walked = plan.apply_with_subqueries(|node| {
        let schema = merge_schema(&node.inputs());
        node.apply_expressions(|whole| {
            whole.apply(|expr| {
                if is_conditional(expr) {
                    return Ok(TreeNodeRecursion::Jump);
                }
                let texts = texts_of(expr, &schema).into_iter();
                found.extend(texts.filter_map(|(text, kind)| complaint(text, &kind)));
                Ok(TreeNodeRecursion::Continue)
            })
        })
    });
    if walked.is_err() {
        found.clear();
    }
    found
}

/// Returns whether some of what is in an expression may not be computed.
fn is_conditional(expr: &Expr) -> bool {
    match expr {
        Expr::Case(_) => true,
        Expr::ScalarFunction(function) => function.func.short_circuits(),
        _ => false,
    }
}

/// Returns the texts that an expression itself, and not what is in it, casts, each with the type that it is cast to.
fn texts_of<'a>(expr: &'a Expr, schema: &DFSchema) -> Vec<(&'a ScalarValue, DataType)> {
    match expr {
        Expr::Cast(Cast { expr, field }) => {
            let text = text(expr).map(|text| (text, field.data_type().clone()));
            text.into_iter().collect()
        }
        _ => compared_texts(&compared(expr), schema),
    }
}

/// Returns the texts among values that are compared, each with the type that DataFusion casts all of them to.
fn compared_texts<'a>(values: &[&'a Expr], schema: &DFSchema) -> Vec<(&'a ScalarValue, DataType)> {
    let texts: Vec<&ScalarValue> = values.iter().filter_map(|value| text(value)).collect();
    if texts.is_empty() {
        return Vec::new();
    }
    let Some(common) = common_type(values, schema) else {
        return Vec::new();
    };
    let texts = texts.into_iter();
    texts.map(|text| (text, common.clone())).collect()
}

fn common_type(values: &[&Expr], schema: &DFSchema) -> Option<DataType> {
    let mut types = values.iter().map(|value| value.get_type(schema).ok());
    let first = types.next()??;
    types.try_fold(first, |common, other| comparison_coercion(&common, &other?))
}

/// Returns the text that an expression is, if it is one.
fn text(expr: &Expr) -> Option<&ScalarValue> {
    match expr {
        Expr::Literal(value, _) => value.try_as_str().flatten().map(|_| value),
        _ => None,
    }
}

/// Says why a text cannot be cast, if that is to a time or a number and it cannot.
fn complaint(text: &ScalarValue, kind: &DataType) -> Option<Unreadable> {
    let (what, forms) = match kind {
        DataType::Date32 | DataType::Date64 => ("a date", "it as '2026-05-01'"),
        DataType::Timestamp(_, zone) if zone.as_deref().is_none_or(|zone| UTC.contains(&zone)) => (
            "a time",
            "it as '2026-05-01', '2026-05-01T12:30:00' or '2026-05-01T12:30:00+02:00'",
        ),
        kind if kind.is_integer() => ("a whole number", "one without quotes, such as 5"),
        kind if kind.is_floating() => ("a number", "one without quotes, such as 5.5"),
        _ => return None,
    };
    if text.cast_to(kind).is_ok() {
        return None;
    }
    let literal = format!("'{}'", text.try_as_str().flatten()?.replace('\'', "''"));
    let seconds = DataType::Timestamp(TimeUnit::Second, None);
    let why = if !kind.is_numeric() && text.cast_to(&seconds).is_ok() {
        format!(
            "{literal} is not within the years 1678 to 2261, in which DataFusion compares times with texts: write a \
             time within them"
        )
    } else {
        format!("{literal} cannot be read as {what}: write {forms}")
    };
    Some(Unreadable { literal, why })
}

#[cfg(test)]
mod tests;
