//! What is wrong with SQL, in words for its writer, and where.

use datafusion::common::{Column, SchemaError};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::LogicalPlan;

use crate::sql::message;

pub struct Complaint {
    /// Line and column in the SQL, both from 1 on.
    pub position: Option<(usize, usize)>,
    pub message: String,
}

/// A planner's complaint. `columns` says what was probably meant by the name of a column, of those
/// that could stand there; `tables` the same of a table.
pub fn of_planner(
    error: &DataFusionError,
    columns: impl Fn(&str, &[Column]) -> String,
    tables: impl Fn(&str) -> String,
) -> Complaint {
    let text = message(error);
    let position = error
        .diagnostic()
        .and_then(|d| d.span)
        .map(|span| (span.start.line as usize, span.start.column as usize))
        .or_else(|| parser_position(&text));
    let message = match error.find_root() {
        DataFusionError::SchemaError(schema_error, _) => match schema_error.as_ref() {
            SchemaError::FieldNotFound {
                field,
                valid_fields,
            } => format!(
                "there is no column `{}`{}",
                field.flat_name(),
                columns(&field.name, valid_fields)
            ),
            _ => text,
        },
        DataFusionError::Plan(plan) => match missing_table(plan) {
            Some(name) => format!("there is no table `{name}`{}", tables(name)),
            None => first_sentences(plan),
        },
        DataFusionError::SQL(syntax, _) => syntax_error(&syntax.to_string()),
        _ => text,
    };
    Complaint { position, message }
}

/// Whether a plan answers something, and does nothing else.
pub fn is_query(plan: &LogicalPlan) -> bool {
    !matches!(
        plan,
        LogicalPlan::Ddl(_)
            | LogicalPlan::Dml(_)
            | LogicalPlan::Copy(_)
            | LogicalPlan::Statement(_)
            | LogicalPlan::Explain(_)
            | LogicalPlan::Analyze(_)
            | LogicalPlan::DescribeTable(_)
    )
}

/// DataFusion: "table 'datafusion.schema.n' not found".
fn missing_table(message: &str) -> Option<&str> {
    let name = message
        .strip_prefix("table '")?
        .strip_suffix("' not found")?;
    name.rsplit('.').next()
}

/// A planner's message in one line, without its advice to report a bug and its lists of what
/// could have been.
fn first_sentences(message: &str) -> String {
    let told = message
        .rsplit_once("datafusion/issues.")
        .map_or(message, |(_, told)| told);
    let told = told
        .split("\n\tCandidate functions:")
        .next()
        .unwrap_or(told);
    told.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The SQL parser's message, without the position in the SQL that the error's own position says
/// better.
fn syntax_error(message: &str) -> String {
    let told = message
        .strip_prefix("sql parser error: ")
        .unwrap_or(message);
    let told = told.split(" at Line: ").next().unwrap_or(told);
    format!("this is not SQL: {told}")
}

/// The SQL parser puts its position into its message: `... at Line: 1, Column: 8`.
fn parser_position(message: &str) -> Option<(usize, usize)> {
    let (_, after) = message.rsplit_once("Line: ")?;
    let (line, after) = after.split_once(", Column: ")?;
    let digits = after
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(after.len());
    Some((line.parse().ok()?, after[..digits].parse().ok()?))
}
