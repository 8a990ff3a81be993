//! A log of queries: how often each form of statement is in it, and those that ask a table, as questions.

mod full_query_log;
mod kind;
mod lines;
mod postgres;
mod postgres_json;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};

use bakeoff_workload::infer::Inferred;
use bakeoff_workload::suggestion;

use super::asking::{Asking, Language};
use super::form::form;
use super::plain::plain_cql;
use super::words::{SELECT, tables, words};
use super::{AskedTable, Candidate, descending, words as statement};
use crate::sql_check::statements;
pub use kind::LogKind;
use lines::Lines;

/// Most bytes of a statement that is looked at.
const MOST_BYTES: usize = 64 << 10;
/// Most forms of statements that are told apart.
const MOST_FORMS: usize = 10_000;
/// Most bytes of these, with an example of each.
const MOST_HELD: usize = 64 << 20;
/// Most other tables that a note names.
const MOST_LISTED: usize = 5;

/// What a log of queries has.
#[derive(Debug, Clone)]
pub struct QueryLog {
    language: Language,
    /// Statements that ask, by their form.
    asked: BTreeMap<String, Asked>,
    /// Number of statements of each kind.
    kinds: BTreeMap<&'static str, u64>,
    /// Number of statements that are too long, or have something that does not end.
    unreadable: u64,
    /// Number of statements that ask in further forms than are told apart.
    beyond: u64,
    /// Names of the databases that the statements are of, if the log has them.
    databases: BTreeSet<String>,
    /// Bytes of the forms and their examples.
    held: usize,
}

/// Statements of one form.
#[derive(Debug, Clone)]
struct Asked {
    /// The first of them.
    example: String,
    number: u64,
    /// Its place among all forms.
    place: usize,
    tables: Vec<AskedTable>,
}

impl Asked {
    /// Returns the table if it asks one alone.
    fn only(&self) -> Option<&AskedTable> {
        match self.tables.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl QueryLog {
    /// Reads a log. `language` is that of statements where their kind of log does not say it.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(kind: LogKind, language: Language, reader: impl BufRead) -> io::Result<QueryLog> {
        let language = match kind {
            LogKind::Plain => language,
            LogKind::FullQueryLog => Language::Cql,
            LogKind::PostgresText | LogKind::PostgresCsv | LogKind::PostgresJson => Language::Sql,
        };
        let mut log = QueryLog {
            language,
            asked: BTreeMap::new(),
            kinds: BTreeMap::new(),
            unreadable: 0,
            beyond: 0,
            databases: BTreeSet::new(),
            held: 0,
        };
        let mut lines = Lines::new(reader);
        let take = |sql: &str| log.add(sql);
        match kind {
            LogKind::Plain => read_plain(&mut lines, take)?,
            LogKind::FullQueryLog => full_query_log::read(&mut lines, take)?,
            LogKind::PostgresText => postgres::read_text(&mut lines, take)?,
            LogKind::PostgresCsv => log.databases = postgres::read_csv(&mut lines, take)?,
            LogKind::PostgresJson => log.databases = postgres_json::read(&mut lines, take)?,
        }
        log.unreadable += lines.too_long;
        Ok(log)
    }

    /// Counts the statements that were sent together, which mostly is one.
    fn add(&mut self, sent: &str) {
        if sent.len() > MOST_BYTES {
            self.unreadable += 1;
            return;
        }
        let plain = match self.language {
            Language::Cql => Cow::Owned(plain_cql(sent)),
            Language::Sql => Cow::Borrowed(sent),
        };
        let Ok(all) = statements(&plain) else {
            self.unreadable += 1;
            return;
        };
        for statement in all {
            self.add_one(statement.sql);
        }
    }

    /// Counts a statement.
    fn add_one(&mut self, sql: &str) {
        let Some(words) = words(sql) else {
            self.unreadable += 1;
            return;
        };
        let kind = statement::kind(&words);
        *self.kinds.entry(kind).or_default() += 1;
        if kind != SELECT {
            return;
        }
        let form = form(&words);
        if let Some(known) = self.asked.get_mut(&form) {
            known.number += 1;
            return;
        }
        let held = self.held + form.len() + sql.len();
        if self.asked.len() >= MOST_FORMS || held > MOST_HELD {
            self.beyond += 1;
            return;
        }
        self.held = held;
        let asked = Asked {
            number: 1,
            place: self.asked.len(),
            tables: tables(&words),
            example: sql.to_owned(),
        };
        self.asked.insert(form, asked);
    }

    /// Returns the table that is wanted, or the one that most statements ask alone. Where several keyspaces or schemas
    /// have a table of that name and none is wanted, it is that of most statements.
    ///
    /// # Errors
    /// Says that none is asked, or not the one that is wanted, and what to do.
    pub fn table(&self, wanted: Option<&AskedTable>) -> Result<AskedTable, String> {
        let mut numbers: BTreeMap<&str, u64> = BTreeMap::new();
        for asked in self.asked.values() {
            if let Some(only) = asked.only() {
                *numbers.entry(only.name.as_str()).or_default() += asked.number;
            }
        }
        // Of equal ones the first by name.
        let most = numbers
            .iter()
            .max_by_key(|(name, number)| (**number, Reverse(**name)));
        let Some((most, _)) = most else {
            return Err(format!(
                "no statement in it asks one table ({}): it has to be a log with SELECT statements, such as that of \
                 PostgreSQL with log_statement = 'all', or have a statement in each line",
                self.in_words()
            ));
        };
        let Some(wanted) = wanted else {
            return Ok(self.most_asked(most));
        };
        let own = wanted.name.as_str();
        let found = numbers.keys().find(|name| **name == own);
        let found = found.or_else(|| numbers.keys().find(|name| name.eq_ignore_ascii_case(own)));
        let found = found.map(|name| match &wanted.schema {
            None => self.most_asked(name),
            Some(schema) => self.of_schema(schema, name),
        });
        found.filter(|found| !self.of(found).is_empty()).ok_or_else(|| {
            let hint = suggestion(own, numbers.keys().copied());
            format!("no statement in it asks the table {wanted} alone; name another one with --table NAME{hint}")
        })
    }

    /// Returns the table of this name, with the keyspace or schema that most statements write before it.
    fn most_asked(&self, name: &str) -> AskedTable {
        let mut schemas: BTreeMap<&str, u64> = BTreeMap::new();
        for asked in self.asked.values() {
            let only = asked.only().filter(|only| only.name == name);
            if let Some(schema) = only.and_then(|only| only.schema.as_deref()) {
                *schemas.entry(schema).or_default() += asked.number;
            }
        }
        let most = schemas
            .iter()
            .max_by_key(|(schema, number)| (**number, Reverse(**schema)));
        AskedTable {
            schema: most.map(|(schema, _)| (*schema).to_owned()),
            name: name.to_owned(),
        }
    }

    /// Returns the table of this name in a schema, whose upper and lower case do not matter unless the log has both.
    fn of_schema(&self, schema: &str, name: &str) -> AskedTable {
        let written = self.asked.values().filter_map(Asked::only);
        let written = written.filter(|only| only.name == name);
        let schemas: Vec<&str> = written.filter_map(|only| only.schema.as_deref()).collect();
        let alike = schemas.iter().find(|of| of.eq_ignore_ascii_case(schema));
        let is_there = schemas.contains(&schema);
        let found = alike.filter(|_| !is_there).copied().unwrap_or(schema);
        AskedTable {
            schema: Some(found.to_owned()),
            name: name.to_owned(),
        }
    }

    /// Returns a statement of each form that asks anything.
    pub fn examples(&self) -> impl Iterator<Item = &str> {
        self.asked.values().map(|asked| asked.example.as_str())
    }

    /// Returns the statements that ask a table alone, the most frequent first, each with one of its actual statements.
    pub fn candidates<'a>(
        &'a self,
        table: &'a AskedTable,
        found: &'a Inferred,
    ) -> impl Iterator<Item = (u64, Candidate)> + 'a {
        let asking = Asking {
            found,
            table: &table.name,
            language: self.language,
            descending: descending(found),
        };
        let all: u64 = self.of(table).iter().map(|asked| asked.number).sum();
        self.of(table).into_iter().map(move |asked| {
            let mut candidate = Candidate::new(&asked.example, &asking);
            if let Ok(question) = &mut candidate.question {
                let about = format!("Asked {} of {all} times in the log.", asked.number);
                question.about.insert(0, about);
            }
            (asked.number, candidate)
        })
    }

    /// Returns the forms of statements that ask a table alone, the most frequent first.
    fn of(&self, table: &AskedTable) -> Vec<&Asked> {
        let mut own: Vec<&Asked> = { self.asked.values() }
            .filter(|asked| asked.only().is_some_and(|only| only.may_be(table)))
            .collect();
        own.sort_by_key(|asked| (Reverse(asked.number), asked.place));
        own
    }

    /// Says what is in the log, sentence by sentence. `asked` is the number of statements whose forms became questions
    /// about the table, and `questions` that of these.
    pub fn notes(&self, table: &AskedTable, asked: u64, questions: usize) -> Vec<String> {
        let own = self.of(table);
        let all: u64 = own.iter().map(|asked| asked.number).sum();
        let left_out = match all - asked.min(all) {
            0 => String::new(),
            left_out => format!("; left out: {left_out}"),
        };
        let mut notes = vec![
            format!("the log has {}", self.in_words()),
            format!(
                "statements that ask `{table}` alone: {all}; forms of these: {}; questions: {questions}, which stand for {asked} \
                 of the statements{left_out}",
                own.len()
            ),
        ];
        let mut others: BTreeMap<String, u64> = BTreeMap::new();
        let is_other = |other: &&Asked| other.only().is_none_or(|only| !only.may_be(table));
        for other in self.asked.values().filter(is_other) {
            let names = other.tables.iter().map(|table| format!("`{table}`"));
            let names: Vec<String> = names.collect();
            let name = if names.is_empty() {
                "no table".to_owned()
            } else {
                names.join(" with ")
            };
            *others.entry(name).or_default() += other.number;
        }
        let mut others: Vec<(String, u64)> = others.into_iter().collect();
        others.sort_by_key(|(_, number)| Reverse(*number));
        if !others.is_empty() {
            let listed = others.iter().take(MOST_LISTED);
            let listed: Vec<String> = listed
                .map(|(name, number)| format!("{name} ({number})"))
                .collect();
            let more = if others.len() > MOST_LISTED {
                ", ..."
            } else {
                ""
            };
            notes.push(format!("others ask {}{more}", listed.join(", ")));
        }
        if self.databases.len() > 1 {
            let names: Vec<&str> = self.databases.iter().map(String::as_str).collect();
            notes.push(format!(
                "the log is of several databases, {}, whose tables are not told apart: give it the lines of one",
                names.join(", ")
            ));
        }
        if self.beyond > 0 {
            notes.push(format!(
                "{} have forms beyond those that are told apart, at most {MOST_FORMS} or {} MiB",
                self.beyond,
                MOST_HELD >> 20
            ));
        }
        notes
    }

    /// Lists the kinds of statements with their numbers.
    fn in_words(&self) -> String {
        let all: u64 = self.kinds.values().sum();
        let mut kinds: Vec<(&&str, &u64)> = self.kinds.iter().collect();
        kinds.sort_by_key(|(_, number)| Reverse(**number));
        let mut parts: Vec<String> = { kinds.iter() }
            .map(|(kind, number)| format!("{number} {kind}"))
            .collect();
        if self.unreadable > 0 {
            parts.push(format!("{} too long or without end", self.unreadable));
        }
        if parts.is_empty() {
            return "no statement".to_owned();
        }
        let number = all + self.unreadable;
        let noun = if number == 1 {
            "statement"
        } else {
            "statements"
        };
        format!("{number} {noun}: {}", parts.join(", "))
    }
}

/// Passes on the statement of each line that is no comment.
fn read_plain<R: BufRead>(lines: &mut Lines<R>, mut take: impl FnMut(&str)) -> io::Result<()> {
    while let Some(line) = lines.line()? {
        if !line.trim_start().starts_with("--") {
            take(&line);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
