//! Statements that change the columns of a table, which are told and not taken over.

use super::asked_table::AskedTable;
use super::words::{is, table_at};
use crate::dialect::tokens::Token;

/// What is added, dropped or renamed and is no column.
const NO_COLUMNS: [&str; 8] = [
    "constraint",
    "primary",
    "unique",
    "foreign",
    "check",
    "index",
    "key",
    "exclude",
];

/// Returns the table whose columns or options a statement changes; `None` if it does not.
pub fn changed_table(words: &[Token<'_>]) -> Option<AskedTable> {
    if !is(words.first(), "alter") || !is(words.get(1), "table") {
        return None;
    }
    let before = ["if", "exists", "only"];
    let is_before = |token: &&Token<'_>| before.iter().any(|word| is(Some(*token), word));
    let at = 2 + words.iter().skip(2).take_while(is_before).count();
    let (table, at) = table_at(words, at)?;
    let next = words.get(at + 1);
    let is_column = !NO_COLUMNS.iter().any(|word| is(next, word));
    let does = |word: &str| is(words.get(at), word);
    let changes_columns = (does("add") || does("drop") || does("rename")) && is_column;
    let changes_type = does("alter") && words.iter().any(|word| is(Some(word), "type"));
    let is_changed =
        changes_columns || changes_type || does("modify") || does("change") || does("with");
    is_changed.then_some(table)
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    #[test]
    fn columns_are_changed_by_some_statements_only() {
        let of = |sql: &str| changed_table(&words(sql).unwrap()).map(|table| table.to_string());
        for sql in [
            "ALTER TABLE shop.t ADD x int",
            "ALTER TABLE ONLY shop.t ADD COLUMN x int",
            "ALTER TABLE IF EXISTS shop.t DROP COLUMN x",
            "ALTER TABLE shop.t RENAME a TO b",
            "ALTER TABLE shop.t ALTER COLUMN a TYPE text",
            "ALTER TABLE shop.t WITH default_time_to_live = 5",
        ] {
            assert_eq!(of(sql).as_deref(), Some("shop.t"), "{sql}");
        }
        for sql in [
            "ALTER TABLE ONLY t ADD CONSTRAINT k PRIMARY KEY (a)",
            "ALTER TABLE t ADD UNIQUE (a)",
            "ALTER TABLE t OWNER TO me",
            "ALTER TABLE ONLY t ALTER COLUMN a SET DEFAULT nextval('t_a_seq')",
            "ALTER TABLE",
            "CREATE TABLE t (a int)",
            "",
        ] {
            assert_eq!(of(sql), None, "{sql}");
        }
    }
}
