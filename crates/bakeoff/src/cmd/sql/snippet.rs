//! Shows an error in SQL with its line.

use bakeoff_engines::tables::SqlError;
use unicode_width::UnicodeWidthStr;

/// Writes the message, and below it the line with a mark at the error.
pub fn with_mark(sql: &str, error: &SqlError) -> String {
    let marked = error.position.and_then(|(line, column)| {
        let text = sql.lines().nth(line.checked_sub(1)?)?;
        let before: String = text.chars().take(column.checked_sub(1)?).collect();
        let indent = " ".repeat(before.width());
        Some(format!(
            "{error}\n  {}\n  {indent}^",
            text.replace('\t', " ")
        ))
    });
    marked.unwrap_or_else(|| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_below_its_place() {
        let at = |line, column| SqlError {
            position: Some((line, column)),
            message: "no".to_owned(),
        };
        let sql = "SELECT\n  ü, b";
        assert_eq!(with_mark(sql, &at(2, 6)), "SQL 2:6: no\n    ü, b\n       ^");
        assert_eq!(with_mark(sql, &at(7, 1)), "SQL 7:1: no");
        let nowhere = SqlError {
            position: None,
            ..at(1, 1)
        };
        assert_eq!(with_mark(sql, &nowhere), "no");
    }
}
