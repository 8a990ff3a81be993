//! Errors of DataFusion's planner as messages for the writer of the SQL, with their positions.

use arrow::error::ArrowError;
use datafusion::common::{Column, SchemaError};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::LogicalPlan;

use crate::sql::message;
use crate::unimplemented::{self, without_dump};
use crate::unknown_function;

/// How the planner begins to say that something is not for values of these types.
const OF_TYPES: [&str; 2] = [
    "No function matches the given name and argument types",
    "Cannot coerce arithmetic expression",
];
/// What it says last of a function, which does not say which casts.
const ADVICE: &str = ". You might need to add explicit type casts.";

pub struct Complaint {
    /// The line and the column in the SQL, both counted from 1.
    pub position: Option<(usize, usize)>,
    pub message: String,
}

/// Converts an error of the planner. `columns` returns a hint for an unknown column name, given the
/// columns that are valid there; `tables` returns one for an unknown table name.
pub fn from_planner(
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
            None => unknown_function::words(plan).unwrap_or_else(|| first_sentences(plan)),
        },
        DataFusionError::SQL(syntax, _) => syntax_error(&syntax.to_string()),
        DataFusionError::NotImplemented(lacking) => unimplemented::words(lacking),
        DataFusionError::ArrowError(cause, _) => match cause.as_ref() {
            ArrowError::ParseError(why) if why.contains("interval") => format!(
                "an interval cannot be read ({why}): write it as INTERVAL '1 day 2 hours', with units from \
                 nanoseconds to centuries"
            ),
            ArrowError::ParseError(why) | ArrowError::CastError(why) => {
                format!("a constant cannot be read ({why}): write it in another form")
            }
            _ => text,
        },
        _ => text,
    };
    Complaint { position, message }
}

/// Returns the name of the column that a table lacks, if that is what the planner complains about.
pub fn missing_column(error: &DataFusionError) -> Option<&str> {
    let DataFusionError::SchemaError(error, _) = error.find_root() else {
        return None;
    };
    match error.as_ref() {
        SchemaError::FieldNotFound { field, .. } => Some(&field.name),
        _ => None,
    }
}

/// Returns whether a plan is a query: it only reads and returns rows of tables.
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

/// Extracts the table's name from DataFusion's message "table 'datafusion.schema.n' not found".
fn missing_table(message: &str) -> Option<&str> {
    let name = message
        .strip_prefix("table '")?
        .strip_suffix("' not found")?;
    name.rsplit('.').next()
}

/// Reduces a planner's message to one line, without its advice to report a bug and its lists of
/// candidate functions.
fn first_sentences(message: &str) -> String {
    let useful = message
        .rsplit_once("datafusion/issues.")
        .map_or(message, |(_, useful)| useful);
    let useful = useful
        .split("\n\tCandidate functions:")
        .next()
        .unwrap_or(useful);
    let useful = without_dump(useful);
    let line = useful.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.contains("Utf8") && OF_TYPES.iter().any(|begin| line.starts_with(begin)) {
        let line = line.strip_suffix(ADVICE).unwrap_or(&line);
        format!("{line}: Utf8 is a text, of which CAST(x AS DOUBLE) makes a number")
    } else {
        line
    }
}

/// Returns the SQL parser's message without its position, which is shown separately.
fn syntax_error(message: &str) -> String {
    let useful = message
        .strip_prefix("sql parser error: ")
        .unwrap_or(message);
    let useful = useful.split(" at Line: ").next().unwrap_or(useful);
    format!("this is not SQL: {useful}")
}

/// Parses the position that the SQL parser puts into its message: `... at Line: 1, Column: 8`.
fn parser_position(message: &str) -> Option<(usize, usize)> {
    let (_, after) = message.rsplit_once("Line: ")?;
    let (line, after) = after.split_once(", Column: ")?;
    let digits = after
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(after.len());
    Some((line.parse().ok()?, after[..digits].parse().ok()?))
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::SessionContext;

    use super::*;

    #[tokio::test]
    async fn what_is_not_for_texts_is_told_with_the_cast_to_numbers() {
        let session = SessionContext::new();
        let made = "CREATE TABLE t AS SELECT 'b' AS b";
        session.sql(made).await.unwrap();
        for (sql, begin) in [
            ("SELECT avg(b) FROM t", "No function matches"),
            ("SELECT b + 1 FROM t", "Cannot coerce"),
        ] {
            let planned = session.state().create_logical_plan(sql).await;
            let error = planned.expect_err(sql);
            let said = from_planner(&error, |_, _| String::new(), |_| String::new()).message;
            assert!(said.starts_with(begin), "{said}");
            let cast = ": Utf8 is a text, of which CAST(x AS DOUBLE) makes a number";
            assert!(said.ends_with(cast), "{said}");
            assert!(!said.contains("You might need"), "{said}");
        }
    }
}
