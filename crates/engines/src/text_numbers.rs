//! Texts that a question compares with numbers, such as codes of digits. PostgreSQL has an error for that, and other
//! engines make numbers of the texts, each in its own way of those that are none.

use std::cell::RefCell;

use arrow::datatypes::DataType;
use datafusion::common::DFSchema;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan};

use crate::expressions::{any_expression, compared};

/// Returns what is wrong with a question that compares texts with numbers. What the question itself has in quotes is a
/// number for all engines.
pub fn complaint(plan: &LogicalPlan) -> Option<String> {
    let found = RefCell::new(None);
    any_expression(plan, |expr, schema| {
        let Some(text) = text_beside_number(&compared(expr), schema) else {
            return false;
        };
        *found.borrow_mut() = Some(words(text));
        true
    });
    found.into_inner()
}

/// Returns the text among values, of which the first one is compared with each of the others, that is beside a number.
fn text_beside_number<'a>(values: &[&'a Expr], schema: &DFSchema) -> Option<&'a Expr> {
    let (&first, others) = values.split_first()?;
    others.iter().find_map(|&other| {
        if is_text(first, schema) && is_number(other, schema) {
            Some(first)
        } else if is_number(first, schema) && is_text(other, schema) {
            Some(other)
        } else {
            None
        }
    })
}

fn is_text(value: &Expr, schema: &DFSchema) -> bool {
    let kind = value.get_type(schema);
    let is_text = matches!(
        kind,
        Ok(DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
    );
    is_text && !matches!(value, Expr::Literal(..))
}

fn is_number(value: &Expr, schema: &DFSchema) -> bool {
    value.get_type(schema).is_ok_and(|kind| kind.is_numeric())
}

fn words(text: &Expr) -> String {
    let (text, name) = match text {
        Expr::Column(column) => (
            format!("{}, which is a text,", column.name),
            column.name.as_str(),
        ),
        _ => ("a text".to_owned(), "x"),
    };
    format!(
        "it compares {text} with a number: PostgreSQL has an error for that, and other engines make numbers of texts; \
         compare it with a text, such as '7700', or write CAST({name} AS DOUBLE) if all of them are numbers"
    )
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::SessionContext;

    use super::*;

    /// Returns what is said of a question about a table with a text, a whole number and a double.
    async fn said(sql: &str) -> Option<String> {
        let session = SessionContext::new();
        let made =
            "CREATE TABLE t AS SELECT '7421' AS code, 5 AS visits, CAST(1.5 AS DOUBLE) AS heat";
        session.sql(made).await.unwrap();
        let plan = session.state().create_logical_plan(sql).await.expect(sql);
        complaint(&plan)
    }

    #[tokio::test]
    async fn texts_are_not_compared_with_numbers() {
        for sql in [
            "SELECT visits FROM t WHERE code = 7700",
            "SELECT visits FROM t WHERE heat > 1 AND 7700.5 <= code",
            "SELECT visits FROM t WHERE code <> visits",
            "SELECT visits FROM t WHERE code IN ('7421', 7422)",
            "SELECT visits FROM t WHERE visits NOT IN (1, code)",
            "SELECT visits FROM t WHERE code BETWEEN 7000 AND 7999",
            "SELECT CASE code WHEN 7421 THEN 1 END AS n FROM t",
            "SELECT t.visits FROM t JOIN t AS u ON t.code = u.visits",
            "SELECT visits FROM t WHERE visits IN (SELECT u.visits FROM t AS u WHERE u.code > 7000)",
        ] {
            let said = said(sql).await.unwrap_or_default();
            assert!(
                said.starts_with("it compares code, which is a text, with a number"),
                "{sql}: {said}"
            );
            assert!(
                said.contains("'7700', or write CAST(code AS DOUBLE)"),
                "{said}"
            );
        }
        let of_cast = said("SELECT visits FROM t WHERE CAST(visits AS VARCHAR) = 5").await;
        let of_cast = of_cast.unwrap_or_default();
        assert!(
            of_cast.starts_with("it compares a text with a number"),
            "{of_cast}"
        );
    }

    #[tokio::test]
    async fn texts_are_compared_with_texts_and_what_is_cast_with_numbers() {
        for sql in [
            "SELECT visits FROM t WHERE code = '7700' AND code BETWEEN '7000' AND '7999'",
            "SELECT visits FROM t WHERE code = NULL OR code IS NULL",
            "SELECT visits FROM t WHERE CAST(code AS DOUBLE) > 7000",
            // What is in quotes is a number for all engines.
            "SELECT visits FROM t WHERE visits = '5' AND heat IN ('1.5', '2.5')",
            "SELECT visits FROM t WHERE visits > heat",
            "SELECT CASE WHEN code = '7421' THEN 1 ELSE 0 END AS n FROM t",
            "SELECT t.visits FROM t JOIN t AS u ON t.code = u.code AND t.visits < u.heat",
        ] {
            assert_eq!(said(sql).await, None, "{sql}");
        }
    }
}
