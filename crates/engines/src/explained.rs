//! Plans of engines that explain a query by SQL.

use arrow::array::AsArray;
use arrow::compute::cast;
use arrow::datatypes::DataType;
use bakeoff_driver::{Answer, DesignError, PlanText};

/// Returns the statement that asks for the plan of a query, which has to be checked before.
pub fn explain(sql: &str) -> String {
    format!("EXPLAIN {sql}")
}

/// Returns the plan that an answer to [`explain`] holds: the texts in its last column, one after the other.
///
/// # Errors
/// Fails for an answer without a text.
pub fn plan_in(answer: &Answer, by: &'static str) -> Result<Option<PlanText>, DesignError> {
    let no_text = || DesignError(format!("{by} explained a query without any text"));
    let mut lines: Vec<String> = Vec::new();
    for rows in &answer.batches {
        let column = rows.columns().last().ok_or_else(no_text)?;
        let texts = cast(column, &DataType::Utf8).map_err(|_| no_text())?;
        let texts = texts.as_string::<i32>().iter().flatten();
        lines.extend(texts.map(str::to_owned));
    }
    if lines.is_empty() {
        return Err(no_text());
    }
    let text = lines.join("\n");
    Ok(Some(PlanText { by, text }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, StringArray};
    use arrow::record_batch::RecordBatch;

    use super::*;

    fn answer(columns: &[(&str, Vec<&str>)]) -> Answer {
        let columns = columns.iter().map(|(name, texts)| {
            let texts: ArrayRef = Arc::new(StringArray::from(texts.clone()));
            (*name, texts)
        });
        Answer {
            batches: vec![RecordBatch::try_from_iter(columns).unwrap()],
            ..Answer::default()
        }
    }

    #[test]
    fn a_plan_is_the_last_column() {
        let lines = answer(&[("QUERY PLAN", vec!["Aggregate", "  ->  Seq Scan on t"])]);
        let plan = plan_in(&lines, "PostgreSQL").unwrap().unwrap();
        assert_eq!(plan.by, "PostgreSQL");
        assert_eq!(plan.text, "Aggregate\n  ->  Seq Scan on t");
        let keyed = answer(&[("key", vec!["physical_plan"]), ("value", vec!["SEQ_SCAN"])]);
        let plan = plan_in(&keyed, "DuckDB").unwrap().unwrap();
        assert_eq!(plan.text, "SEQ_SCAN");
    }

    #[test]
    fn an_answer_without_text_is_an_error() {
        for empty in [Answer::default(), answer(&[("QUERY PLAN", Vec::new())])] {
            let error = plan_in(&empty, "Spark").unwrap_err();
            assert!(
                error.0.contains("Spark explained a query without"),
                "{error}"
            );
        }
    }
}
