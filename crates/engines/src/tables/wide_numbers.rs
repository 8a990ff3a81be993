//! Numbers of any length, which queries compute with as decimals of 76 digits: comparing them with numbers of
//! the SQL, and showing them without the zeros that fill them up.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DECIMAL256_MAX_PRECISION, DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Cast, Expr, LogicalPlan};
use datafusion::optimizer::AnalyzerRule;

/// A rule that takes a number of the SQL such as 0.1 as what it says where it becomes a decimal. It is a
/// float before, and 0.1 as a float is 0.1000000000000000055.
#[derive(Debug)]
pub struct ExactNumbers;

impl AnalyzerRule for ExactNumbers {
    fn name(&self) -> &str {
        "exact_numbers"
    }

    fn analyze(
        &self,
        plan: LogicalPlan,
        _: &ConfigOptions,
    ) -> Result<LogicalPlan, DataFusionError> {
        let rewritten = plan.transform_up_with_subqueries(|node| {
            let names = NamePreserver::new(&node);
            node.map_expressions(|expr| {
                let name = names.save(&expr);
                let rewritten = expr.transform_up(exact)?;
                Ok(rewritten.update_data(|expr| name.restore(expr)))
            })
        })?;
        Ok(rewritten.data)
    }
}

/// Replaces the cast of a float to a decimal by the decimal that is written as the float is.
fn exact(expr: Expr) -> Result<Transformed<Expr>, DataFusionError> {
    let Expr::Cast(Cast { expr: inner, field }) = &expr else {
        return Ok(Transformed::no(expr));
    };
    let (Expr::Literal(ScalarValue::Float64(Some(value)), _), DataType::Decimal256(..)) =
        (inner.as_ref(), field.data_type())
    else {
        return Ok(Transformed::no(expr));
    };
    // Rust writes a float with as few digits as tell it apart, which are those of the SQL.
    let written = ScalarValue::Utf8(Some(value.to_string()));
    match written.cast_to(field.data_type()) {
        Ok(decimal) => Ok(Transformed::yes(Expr::Literal(decimal, None))),
        // A number that is too large is reported where it is compared.
        Err(_) => Ok(Transformed::no(expr)),
    }
}

/// Returns the type that a wide number has in a table of a cluster, or `None` for other types.
pub fn name_in_cql(data_type: &DataType) -> Option<&'static str> {
    match data_type {
        DataType::Decimal256(DECIMAL256_MAX_PRECISION, 0) => Some("varint"),
        DataType::Decimal256(DECIMAL256_MAX_PRECISION, _) => Some("decimal"),
        _ => None,
    }
}

/// Returns the schema of what a query shows: wide numbers are text.
pub fn shown_schema(schema: &SchemaRef) -> SchemaRef {
    let shown = |field: &Arc<Field>| {
        if is_wide(field.data_type()) {
            Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8))
        } else {
            Arc::clone(field)
        }
    };
    let fields: Vec<_> = schema.fields().iter().map(shown).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Converts wide numbers to text.
pub fn shown(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let shown = |column: &ArrayRef| {
        if is_wide(column.data_type()) {
            text(column)
        } else {
            Ok(Arc::clone(column))
        }
    };
    let columns: Vec<ArrayRef> = batch
        .columns()
        .iter()
        .map(shown)
        .collect::<Result<_, _>>()?;
    let options = arrow::array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}

fn is_wide(data_type: &DataType) -> bool {
    name_in_cql(data_type).is_some()
}

/// Writes numbers without zeros at the end of the digits behind the point.
fn text(numbers: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let written = cast(numbers, &DataType::Utf8)?;
    let written = written.as_string::<i32>().iter();
    let shown: StringArray = written.map(|number| number.map(without_zeros)).collect();
    Ok(Arc::new(shown))
}

fn without_zeros(number: &str) -> &str {
    if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::Decimal256Array;
    use arrow::datatypes::i256;
    use datafusion::prelude::SessionContext;

    use super::*;

    fn tenths(values: &[i128]) -> RecordBatch {
        let tenth = i256::from_i128(10).checked_pow(37).unwrap();
        let values = values
            .iter()
            .map(|v| i256::from_i128(*v).checked_mul(tenth));
        let array: Decimal256Array = values.collect();
        let array = array.with_precision_and_scale(76, 38).unwrap();
        RecordBatch::try_from_iter([("n", Arc::new(array) as ArrayRef)]).unwrap()
    }

    async fn asked(sql: &str) -> Vec<String> {
        let session = SessionContext::new();
        session.add_analyzer_rule(Arc::new(ExactNumbers));
        session
            .register_batch("t", tenths(&[1, 100, 95, -995]))
            .unwrap();
        let batches = session.sql(sql).await.unwrap().collect().await.unwrap();
        let mut rows = Vec::new();
        for batch in batches {
            let batch = shown(&batch, &shown_schema(&batch.schema())).unwrap();
            let column = cast(batch.column(0), &DataType::Utf8).unwrap();
            rows.extend(
                column
                    .as_string::<i32>()
                    .iter()
                    .flatten()
                    .map(str::to_owned),
            );
        }
        rows
    }

    #[tokio::test]
    async fn numbers_are_compared_as_numbers_and_as_they_are_written() {
        assert_eq!(
            asked("SELECT n FROM t ORDER BY n").await,
            ["-99.5", "0.1", "9.5", "10"]
        );
        assert_eq!(asked("SELECT max(n) FROM t").await, ["10"]);
        assert_eq!(asked("SELECT sum(n) FROM t").await, ["-79.9"]);
        assert_eq!(asked("SELECT avg(n) FROM t").await, ["-19.975"]);
        let counted = async |condition: &str| {
            let sql = format!("SELECT count(*) FROM t WHERE {condition}");
            asked(&sql).await.remove(0)
        };
        assert_eq!(counted("n = 0.1").await, "1");
        assert_eq!(counted("n > 0.1").await, "2");
        assert_eq!(counted("n >= 9.5").await, "2");
        assert_eq!(counted("n < 10 AND n > '-99.6'").await, "3");
        assert_eq!(counted("n BETWEEN -99.5 AND 0.1").await, "2");
        assert_eq!(counted("n IN (0.1, 9.5, 7)").await, "2");
        assert_eq!(
            asked("SELECT n > 9.4 FROM t ORDER BY n LIMIT 3").await,
            ["false", "false", "true"]
        );
    }
}
