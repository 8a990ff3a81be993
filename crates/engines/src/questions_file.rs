//! Questions in a file of SQL: statements with semicolons between them, each with a name if a comment above it has one.

use bakeoff_workload::infer::AskedQuestion;
use datafusion::sql::resolve::resolve_table_references;

use crate::sql_check::{complaint, line_without_end, statements};
use crate::statements::parse::{Unparsed, any_statements};

/// What a comment above a question says before its name.
const NAME: &str = "name:";

/// A statement of a text of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneOfSeveral<'a> {
    /// What a comment right above it calls it; `None` if none does.
    pub name: Option<String>,
    /// All of the text before it.
    before: &'a str,
    sql: &'a str,
}

impl OneOfSeveral<'_> {
    /// Returns the statement behind blanks in place of all before it, so that its places are those in the whole text.
    pub fn in_its_place(&self) -> String {
        let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
        let mut text: String = self.before.chars().map(blank).collect();
        text.push_str(self.sql);
        text
    }
}

/// Divides a text of several statements. Returns none of them if there are fewer than two, or if something does not
/// end, of which a parser of the whole text tells the place.
///
/// # Errors
/// A comment above one of them has a name that cannot be one.
pub fn several_statements(text: &str) -> Result<Vec<OneOfSeveral<'_>>, String> {
    let all = statements(text).unwrap_or_default();
    if all.len() < 2 {
        return Ok(Vec::new());
    }
    all.into_iter()
        .map(|statement| {
            Ok(OneOfSeveral {
                name: name_above(statement.before)?,
                before: &text[..statement.begin],
                sql: statement.sql,
            })
        })
        .collect()
}

/// The questions of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionsFile {
    /// In the order of the file; there is at least one.
    pub questions: Vec<AskedQuestion>,
    /// Name that all of them give to the table; `None` if none of them can be read so far.
    pub table: Option<String>,
}

impl QuestionsFile {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// Says what cannot be a question and what to write instead: there is none, one is no query or makes tables, two
    /// have the same name, or they are not about one table.
    pub fn parse(text: &str) -> Result<QuestionsFile, String> {
        // Some editors begin a file with a mark of its encoding.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut questions: Vec<AskedQuestion> = Vec::new();
        let mut tables: Vec<String> = Vec::new();
        let all = statements(text)
            .map_err(|why| format!("line {}: {why}: close it", line_without_end(text)))?;
        for (index, statement) in all.into_iter().enumerate() {
            let name = name_above(statement.before)?;
            let shown = match &name {
                Some(name) => format!("question {name}"),
                None => format!("statement {}", index + 1),
            };
            check_kind(statement.sql).map_err(|why| format!("{shown}: {why}"))?;
            let is_same = |other: &AskedQuestion| name.is_some() && other.name == name;
            if questions.iter().any(is_same) {
                return Err(format!(
                    "{shown}: another question has this name; give it another one"
                ));
            }
            let asked = tables_of(statement.sql).map_err(|why| format!("{shown}: {why}"))?;
            for table in asked {
                if !tables.contains(&table) {
                    tables.push(table);
                }
            }
            questions.push(AskedQuestion {
                name,
                sql: statement.sql.to_owned(),
                ..AskedQuestion::default()
            });
        }
        if questions.is_empty() {
            return Err(
                "there is no question in it: write SELECT statements with semicolons between them"
                    .to_owned(),
            );
        }
        Ok(QuestionsFile {
            questions,
            table: one_table(tables)?,
        })
    }
}

/// Returns the name that a comment right above a statement has, as a workload takes it.
pub fn name_above(before: &str) -> Result<Option<String>, String> {
    let comments = before
        .lines()
        .rev()
        .filter_map(|line| line.trim().strip_prefix("--"));
    let mut names = comments.filter_map(|comment| comment.trim().strip_prefix(NAME));
    let Some(written) = names.next().map(str::trim) else {
        return Ok(None);
    };
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    let name: String = written.chars().map(plain).collect();
    if name.starts_with(|c: char| c.is_ascii_lowercase()) {
        Ok(Some(name))
    } else {
        Err(format!(
            "`-- {NAME} {written}`: a name begins with a letter, such as `-- {NAME} newest`"
        ))
    }
}

/// Checks that a statement is a query.
fn check_kind(sql: &str) -> Result<(), String> {
    let first = sql.split(|c: char| !c.is_ascii_alphabetic()).next();
    let makes = first.is_some_and(|word| {
        ["create", "alter", "drop"]
            .iter()
            .any(|w| word.eq_ignore_ascii_case(w))
    });
    if makes {
        return Err(
            "tables are not made from statements: types and keys come from the data, and --key and --time name \
             others; leave this statement out"
                .to_owned(),
        );
    }
    match complaint(sql) {
        Some(why) => Err(why),
        None => Ok(()),
    }
}

/// Returns the tables that a query names; none if it is no SQL, which planning it tells with its place.
///
/// # Errors
/// It is nested too deeply.
fn tables_of(sql: &str) -> Result<Vec<String>, String> {
    let read = match any_statements(sql) {
        Ok(read) => read,
        Err(Unparsed::Refused(why)) => return Err(why),
        Err(Unparsed::Failed(_)) => return Ok(Vec::new()),
    };
    let named = read
        .iter()
        .filter_map(|statement| resolve_table_references(statement, true).ok());
    Ok(named
        .flat_map(|(tables, _)| tables)
        .map(|table| table.to_string())
        .collect())
}

/// Returns the only name, if it is one that a workload may give to its table.
fn one_table(tables: Vec<String>) -> Result<Option<String>, String> {
    let is_plain = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    match tables.as_slice() {
        [] => Ok(None),
        [only] if is_plain(only) => Ok(Some(only.clone())),
        [only] => Err(format!(
            "the questions call the table {only}: write one name of small letters, digits and _ in its place, without \
             quotes, keyspace or schema, such as readings"
        )),
        several => Err(format!(
            "the questions name several tables, {}: the file is one table, so write the same name in all of them",
            several.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_questions_with_names_of_comments() {
        let text = "-- All of them; really.\n-- name: How Many\nSELECT count(*) AS n FROM rides; -- done\n\n\
                    SELECT ';' AS a, max(time) AS t -- newest\nFROM Rides\n;;\n-- the end\n";
        let file = QuestionsFile::parse(text).unwrap();
        assert_eq!(file.table.as_deref(), Some("rides"));
        let names: Vec<Option<&str>> = file.questions.iter().map(|q| q.name.as_deref()).collect();
        assert_eq!(names, [Some("how_many"), None]);
        assert_eq!(file.questions[0].sql, "SELECT count(*) AS n FROM rides");
        assert_eq!(
            file.questions[1].sql,
            "SELECT ';' AS a, max(time) AS t -- newest\nFROM Rides"
        );
    }

    #[test]
    fn each_of_several_statements_is_where_it_was_written() {
        let text =
            "-- Of ä; all.\n-- name: Ends\nSELECT ';' AS a; -- b;\n;\n/* c; */ SHOW TABLES -- d\n";
        let several = several_statements(text).unwrap();
        let names: Vec<Option<&str>> = several.iter().map(|one| one.name.as_deref()).collect();
        assert_eq!(names, [Some("ends"), None]);
        let first = format!("{}\n{}\nSELECT ';' AS a", " ".repeat(13), " ".repeat(13));
        assert_eq!(several[0].in_its_place(), first);
        let second = several[1].in_its_place();
        assert!(second.ends_with("\n         SHOW TABLES"), "{second}");
        assert_eq!(second.chars().filter(|c| *c == '\n').count(), 4);
        // These are left to a parser.
        for whole in ["", "SELECT 1;; -- a", "SELECT 1; SELECT 'a"] {
            assert_eq!(several_statements(whole), Ok(Vec::new()), "{whole}");
        }
        let error = several_statements("-- name: 1st\nSELECT 1; SELECT 2").unwrap_err();
        assert!(error.contains("begins with a letter"), "{error}");
    }

    #[test]
    fn the_table_may_have_another_name_within_a_question() {
        let text = "WITH a AS (SELECT x FROM t) SELECT a.x FROM a JOIN t b ON a.x = b.x ORDER BY 1";
        assert_eq!(
            QuestionsFile::parse(text).unwrap().table.as_deref(),
            Some("t")
        );
        let marked = "\u{feff}-- name: a\r\nSELECT x\r\nFROM t;\r\n";
        let question = &QuestionsFile::parse(marked).unwrap().questions[0];
        assert_eq!(question.name.as_deref(), Some("a"));
        // Planning it tells what is wrong, and where.
        assert_eq!(
            QuestionsFile::parse("SELECT a FROM t WHERE").unwrap().table,
            None
        );
    }

    #[test]
    fn a_question_that_is_nested_too_deeply_is_refused_before_it_is_parsed() {
        let chain = " OR a = 1".repeat(100_000);
        let text = format!("SELECT a FROM t;\n-- name: long\nSELECT a FROM t WHERE a = 1{chain};");
        let error = QuestionsFile::parse(&text).unwrap_err();
        let told = "question long: it has about 100001 operators";
        assert!(error.starts_with(told), "{error}");
        let list = format!("SELECT a FROM t WHERE a IN (1{})", ", 2".repeat(10_000));
        assert_eq!(
            QuestionsFile::parse(&list).unwrap().table.as_deref(),
            Some("t")
        );
    }

    #[test]
    fn what_is_no_question_is_refused_with_what_to_write() {
        for (text, words) in [
            ("", "there is no question"),
            (" -- nothing\n;", "there is no question"),
            (
                "CREATE TABLE t (a int PRIMARY KEY); SELECT a FROM t",
                "statement 1: tables are not made",
            ),
            (
                "SELECT 1 FROM t; INSERT INTO t VALUES (1)",
                "statement 2: this is not a query",
            ),
            (
                "-- name: a\nSELECT 1 FROM t;\n-- name: A\nSELECT 2 FROM t",
                "another question has this name",
            ),
            ("-- name: 1st\nSELECT 1 FROM t", "begins with a letter"),
            ("SELECT a FROM t; SELECT a FROM u", "several tables, t, u"),
            ("SELECT a FROM ks.t", "call the table ks.t"),
            ("SELECT a FROM \"Rides\"", "such as readings"),
            (
                "SELECT 1 FROM t;\nSELECT 'a FROM t",
                "line 2: a quoted text or name does not end",
            ),
        ] {
            let error = QuestionsFile::parse(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
