//! A file of statements: the tables that it makes, and the queries about them.

use std::collections::HashSet;
use std::path::Path;

use bakeoff_workload::infer::{Declared, Inferred};
use bakeoff_workload::suggestion;

use super::asked_table::AskedTable;
use super::asking::{Asking, Language};
use super::changes::changed_table;
use super::divided::divide;
use super::plain::{plain_cql, plain_sql};
use super::table::{TableStatement, Written};
use super::words::{OTHER, SELECT, kind, tables, words};
use super::{Candidate, descending, sql_tables};
use crate::cassandra::declared;
use crate::dialect::tokens::{Kind, Token};
use crate::questions_file::name_above;
use crate::sql_check::{Statement, line_without_end, statements};

/// Most tables that a message lists.
const MOST_LISTED: usize = 20;

/// A file of statements in CQL or SQL.
#[derive(Debug)]
pub struct StatementsFile {
    language: Language,
    tables: Vec<TableStatement>,
    queries: Vec<WrittenQuery>,
    /// Tables whose columns or options statements change, with the lines of these.
    changes: Vec<(AskedTable, usize)>,
    /// What is told of statements that begin almost as a query does.
    misspelled: Vec<String>,
}

/// A query of a file.
#[derive(Debug)]
struct WrittenQuery {
    /// Its name, if a comment above it has one.
    name: Option<String>,
    sql: String,
    /// The tables that it asks.
    tables: Vec<AskedTable>,
}

impl StatementsFile {
    /// Most bytes of a file of statements.
    pub const MOST_BYTES: u64 = 4 << 20;

    /// Returns the language of a file by the ending of its name; `None` if it is no file of statements.
    pub fn language_of(path: &Path) -> Option<Language> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "cql" => Some(Language::Cql),
            "sql" => Some(Language::Sql),
            _ => None,
        }
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// Says what cannot be read, and what to write instead.
    pub fn parse(text: &str, language: Language) -> Result<StatementsFile, String> {
        // Some editors begin a file with a mark of its encoding.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.contains('\0') {
            return Err(
                "it has bytes that are no text, and a file of statements has none".to_owned(),
            );
        }
        let plain = match language {
            Language::Cql => plain_cql(text),
            Language::Sql => plain_sql(text),
        };
        let all = statements(&plain).map_err(|why| {
            let line = line_without_end(&plain);
            format!("line {line}: {why}: close it, or leave the statement out")
        })?;
        let written = with_lines(&plain, &all);
        let made = match language {
            Language::Cql => declared::tables(&written)?,
            Language::Sql => {
                let mut made = sql_tables::tables(&written)?;
                divide(&mut made, &written);
                made
            }
        };
        let mut queries: Vec<WrittenQuery> = Vec::new();
        let mut names = HashSet::new();
        let (mut changes, mut misspelled) = (Vec::new(), Vec::new());
        for (statement, written) in all.iter().zip(&written) {
            let Some(words) = words(statement.sql) else {
                continue;
            };
            changes.extend(changed_table(&words).map(|table| (table, written.line)));
            misspelled.extend(misspelled_query(&words, written.line));
            let asked = tables(&words);
            if kind(&words) != SELECT || asked.is_empty() {
                continue;
            }
            let name = name_above(statement.before)?;
            queries.push(WrittenQuery {
                name: name.filter(|name| names.insert(name.clone())),
                sql: statement.sql.to_owned(),
                tables: asked,
            });
        }
        Ok(StatementsFile {
            language,
            tables: made,
            queries,
            changes,
            misspelled,
        })
    }

    /// Returns the language of its statements.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns the table that is wanted, or the only one, with the key that the user names or its own. `file` is the
    /// name of the file.
    ///
    /// # Errors
    /// Says which table to name, or what the table lacks.
    pub fn declared(
        &self,
        wanted: Option<&str>,
        file: &str,
        key: &[String],
        time: Option<&str>,
    ) -> Result<Declared, String> {
        let table = self.table(wanted)?;
        let mut declared = table.declared(file, key, time)?;
        let of = table.asked();
        let changes = self
            .changes
            .iter()
            .filter(|(changed, _)| changed.may_be(&of));
        let lines: Vec<String> = changes.map(|(_, line)| line.to_string()).collect();
        if !lines.is_empty() {
            declared.notes.push(format!(
                "`{of}` is changed by ALTER TABLE in line {}, which is not taken over: write its CREATE TABLE as the \
                 database has it now",
                lines[..lines.len().min(MOST_LISTED)].join(", ")
            ));
        }
        declared
            .notes
            .extend(self.misspelled.iter().take(MOST_LISTED).cloned());
        Ok(declared)
    }

    /// Returns the name of the table that [`StatementsFile::declared`] returns, with its keyspace or schema.
    ///
    /// # Errors
    /// Says which table to name.
    pub fn asked_table(&self, wanted: Option<&str>) -> Result<AskedTable, String> {
        Ok(self.table(wanted)?.asked())
    }

    /// Returns the queries about a table that [`StatementsFile::asked_table`] returned, as questions, and the number of
    /// those about other ones.
    pub fn candidates(&self, of: &AskedTable, found: &Inferred) -> (Vec<Candidate>, usize) {
        let asking = Asking {
            found,
            table: &of.name,
            language: self.language,
            descending: descending(found),
        };
        let is_own = |query: &&WrittenQuery| match query.tables.as_slice() {
            [only] => only.may_be(of),
            _ => false,
        };
        let own: Vec<&WrittenQuery> = self.queries.iter().filter(is_own).collect();
        let others = self.queries.len() - own.len();
        let candidates = own.into_iter().map(|query| {
            let mut candidate = Candidate::new(&query.sql, &asking);
            if let Ok(question) = &mut candidate.question {
                question.name.clone_from(&query.name);
            }
            candidate
        });
        (candidates.collect(), others)
    }

    fn table(&self, wanted: Option<&str>) -> Result<&TableStatement, String> {
        let matching: Vec<&TableStatement> = match wanted {
            None => self.tables.iter().collect(),
            Some(wanted) => self.called(wanted),
        };
        match (matching.as_slice(), wanted) {
            ([only], _) => Ok(only),
            ([], None) => Err(
                "there is no CREATE TABLE in it that names columns: write the one of your table into it, as DESCRIBE \
                 TABLE of cqlsh or pg_dump --schema-only print it"
                    .to_owned(),
            ),
            ([], Some(wanted)) => {
                let names = self.tables.iter().map(|table| table.place.as_str());
                let hint = suggestion(wanted, names);
                Err(format!("--table {wanted}: it makes no such table{hint}"))
            }
            ([first, others @ ..], _) => {
                if let Some(twice) = others.iter().find(|table| table.place == first.place) {
                    return Err(format!(
                        "it makes the table {} twice, in line {} and in line {}: leave one of them out",
                        first.place, first.line, twice.line
                    ));
                }
                let names = matching.iter().map(|table| table.place.as_str());
                let listed: Vec<&str> = names.take(MOST_LISTED).collect();
                let more = if matching.len() > MOST_LISTED { ", ..." } else { "" };
                Err(format!(
                    "it makes {} tables, {}{more}: say which one is meant with --table NAME",
                    matching.len(),
                    listed.join(", ")
                ))
            }
        }
    }

    /// Returns the tables that are called so: by their whole names, or else without keyspace or schema.
    fn called(&self, wanted: &str) -> Vec<&TableStatement> {
        let whole = self.tables.iter().filter(|table| table.place == wanted);
        let whole: Vec<&TableStatement> = whole.collect();
        if !whole.is_empty() {
            return whole;
        }
        let is_called = |table: &&TableStatement| {
            table.name.eq_ignore_ascii_case(wanted) || table.place.eq_ignore_ascii_case(wanted)
        };
        self.tables.iter().filter(is_called).collect()
    }
}

/// Says that a statement begins with a word that is almost SELECT; `None` if it does not.
fn misspelled_query(words: &[Token<'_>], line: usize) -> Option<String> {
    let first = words.first().filter(|_| kind(words) == OTHER)?;
    let is_word = first.kind == Kind::Word;
    let hint = suggestion(first.text, [SELECT]);
    (is_word && hint.contains("did you mean")).then(|| {
        format!(
            "no question: line {line}: no statement begins with `{}`{hint}",
            first.text
        )
    })
}

/// Returns the statements of a text with their lines, which are counted once.
fn with_lines<'a>(text: &str, all: &[Statement<'a>]) -> Vec<Written<'a>> {
    let begin = text.as_ptr().addr();
    let (mut counted, mut line) = (0, 1);
    let mut written = Vec::with_capacity(all.len());
    for statement in all {
        let at = statement.sql.as_ptr().addr().saturating_sub(begin);
        line += text[counted..at]
            .bytes()
            .filter(|byte| *byte == b'\n')
            .count();
        counted = at;
        written.push(Written {
            line,
            sql: statement.sql,
        });
    }
    written
}

#[cfg(test)]
mod tests;
