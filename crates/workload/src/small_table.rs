//! Small tables that questions are joined with.

/// A small table, which each question that names it brings along. So every engine knows it, and it is stored nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmallTable {
    pub name: String,
    /// Number of its rows.
    pub rows: usize,
    /// The table as an item of a WITH clause, on one line: `racks(device, rack) AS (VALUES ('a', 1), ('b', 2))`.
    pub(crate) item: String,
}

impl SmallTable {
    /// Most rows of a small table.
    pub const ROWS_AT_MOST: usize = 1_000;
    /// Most bytes of a small table as it is written into a question.
    pub const BYTES_AT_MOST: usize = 64 << 10;

    /// Returns whether SQL has the name of the table as a word.
    pub(crate) fn is_named_in(&self, sql: &str) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut words = sql.split(|c: char| !is_part(c));
        words.any(|word| word.eq_ignore_ascii_case(&self.name))
    }
}

/// Puts the tables that a question names before it, on a line of their own, so that all else keeps its column.
///
/// # Errors
/// Says what is in the way if the question begins with neither SELECT nor WITH.
pub(crate) fn bring_along(tables: &[SmallTable], sql: &str) -> Result<String, &'static str> {
    let named = tables.iter().filter(|table| table.is_named_in(sql));
    let items: Vec<&str> = named.map(|table| table.item.as_str()).collect();
    if items.is_empty() {
        return Ok(sql.to_owned());
    }
    let items = items.join(", ");
    let (before, first, rest) = first_word(sql);
    if first.eq_ignore_ascii_case("select") {
        return Ok(format!("WITH {items}\n{sql}"));
    }
    let (_, second, _) = first_word(rest);
    if !first.eq_ignore_ascii_case("with") || second.eq_ignore_ascii_case("recursive") {
        return Err(
            "a question that names one of [[small_tables]] has to begin with SELECT or WITH, without a comment or \
             RECURSIVE before the rest",
        );
    }
    Ok(format!("WITH {items},\n{before}    {rest}"))
}

/// Returns the blanks before the first word of a text, this word, and all that follows.
fn first_word(text: &str) -> (&str, &str, &str) {
    let (before, word) = text.split_at(text.len() - text.trim_start().len());
    let end = word.find(|c: char| !c.is_ascii_alphabetic());
    let (word, rest) = word.split_at(end.unwrap_or(word.len()));
    (before, word, rest)
}

/// Returns the number of lines that are before a question as it was written.
pub(crate) fn lines_before(tables: &[SmallTable], sql: &str) -> usize {
    let first = sql.lines().next().unwrap_or_default();
    usize::from(tables.iter().any(|table| first.contains(&table.item)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> [SmallTable; 2] {
        let table = |name: &str, item: &str| SmallTable {
            name: name.to_owned(),
            rows: 1,
            item: item.to_owned(),
        };
        [
            table("racks", "racks(device) AS (VALUES ('a'))"),
            table("zones", "zones(zone) AS (VALUES ('z'))"),
        ]
    }

    fn brought(sql: &str) -> String {
        bring_along(&tables(), sql).unwrap()
    }

    #[test]
    fn a_question_brings_the_tables_that_it_names() {
        let plain = "SELECT max(tracks) AS racks_ FROM readings";
        assert_eq!(brought(plain), plain);
        assert_eq!(
            brought("SELECT 1 FROM r JOIN \"racks\" USING (device)"),
            "WITH racks(device) AS (VALUES ('a'))\nSELECT 1 FROM r JOIN \"racks\" USING (device)"
        );
        assert_eq!(
            brought("\n  with hot AS (SELECT 1)\n  SELECT * FROM hot, ZONES, Racks"),
            "WITH racks(device) AS (VALUES ('a')), zones(zone) AS (VALUES ('z')),\n\
             \n       hot AS (SELECT 1)\n  SELECT * FROM hot, ZONES, Racks"
        );
    }

    #[test]
    fn what_has_no_place_for_a_table_is_refused() {
        for sql in [
            "-- racks\nSELECT 1 FROM racks",
            "(SELECT 1 FROM racks)",
            "VALUES ('racks')",
            "WITH RECURSIVE r AS (SELECT 1) SELECT 1 FROM racks",
        ] {
            let why = bring_along(&tables(), sql).unwrap_err();
            assert!(why.contains("SELECT or WITH"), "{sql}: {why}");
        }
    }

    #[test]
    fn lines_are_counted_from_the_question_as_it_was_written() {
        let tables = tables();
        assert_eq!(lines_before(&tables, "SELECT 1 FROM racks"), 0);
        assert_eq!(lines_before(&tables, &brought("SELECT 1 FROM racks")), 1);
        assert_eq!(lines_before(&tables, ""), 0);
    }
}
