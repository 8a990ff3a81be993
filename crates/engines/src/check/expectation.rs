//! Answers that a workload file expects, checked against the columns that its SQL returns.

use arrow::datatypes::{DataType, Field};
use bakeoff_workload::Expectation;
use datafusion::logical_expr::LogicalPlan;

use crate::sql::ordering;

const NULL: &str = "NULL";

/// Returns the reason why no answer to the query can be the expected one, if there is one.
pub fn complaint(expectation: &Expectation, plan: &LogicalPlan) -> Option<String> {
    let first = expectation.answer.first()?;
    let fields = plan.schema().fields();
    if first.len() != fields.len() {
        return Some(format!(
            "the expected answer has rows of {} cells, and those of the SQL have {}",
            first.len(),
            fields.len()
        ));
    }
    if expectation.answer.len() > 1 && ordering(plan).is_empty() {
        return Some(
            "the expected answer has several rows, which are compared in order, but the SQL returns \
            them in any order: add an ORDER BY on its output columns"
                .to_owned(),
        );
    }
    let rows = expectation.answer.iter();
    let mut cells = rows.flat_map(|row| row.iter().zip(fields));
    cells.find_map(|(cell, field)| complaint_of_cell(cell, field))
}

fn complaint_of_cell(cell: &str, field: &Field) -> Option<String> {
    let (fits, kind) = match field.data_type() {
        kind if kind.is_integer() => (cell.parse::<i128>().is_ok(), "a whole number"),
        kind if kind.is_numeric() => (cell.parse::<f64>().is_ok(), "a number"),
        DataType::Boolean => (cell.parse::<bool>().is_ok(), "true or false"),
        _ => return None,
    };
    (!fits && cell != NULL).then(|| {
        let column = field.name();
        format!("the expected answer has `{cell}` for `{column}`, which is {kind}")
    })
}
