//! A log of queries: how often each form of statement is in it, and those that ask a table, as questions.

mod batch;
mod forms;
mod full_query_log;
mod kind;
mod lines;
mod notes;
mod operations;
mod postgres;
mod postgres_json;
mod rowless;
mod sent;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};

use bakeoff_workload::infer::Inferred;
use bakeoff_workload::suggestion;

use super::asking::{Asking, Language};
use super::plain::plain_cql;
use super::words::{DELETE, INSERT, SELECT, UPDATE, words};
use super::{AskedTable, Candidate, descending, words as statement};
use crate::sql_check::statements;
use batch::first_of_batch;
use forms::{Form, Forms};
pub use kind::LogKind;
use kind::is_comment;
use lines::Lines;
pub use operations::LoggedMix;

/// Most bytes of a statement that is looked at.
const MOST_BYTES: usize = 64 << 10;
/// Kinds of statements that are told apart by their forms.
const TOLD_APART: [&str; 4] = [SELECT, INSERT, UPDATE, DELETE];

/// What a log of queries has.
#[derive(Debug, Clone)]
pub struct QueryLog {
    language: Language,
    /// Statements that ask or write rows.
    forms: Forms,
    /// Number of statements of each kind.
    kinds: BTreeMap<&'static str, u64>,
    /// Number of statements that are too long, or have something that does not end.
    unreadable: u64,
    /// Names of the databases that the statements are of, if the log has them.
    databases: BTreeSet<String>,
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
            forms: Forms::default(),
            kinds: BTreeMap::new(),
            unreadable: 0,
            databases: BTreeSet::new(),
        };
        let mut lines = Lines::new(reader);
        let take = |sql: &str, at: Option<i64>| log.add(sql, at);
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

    /// Counts the statements that were sent together at a time, which mostly is one.
    fn add(&mut self, sent: &str, at: Option<i64>) {
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
            self.add_one(statement.sql, at);
        }
    }

    /// Counts a statement, which may have the beginning of a batch before it.
    fn add_one(&mut self, mut sql: &str, at: Option<i64>) {
        let Some(mut words) = words(sql) else {
            self.unreadable += 1;
            return;
        };
        if let Some((first, before)) = first_of_batch(sql, &words) {
            sql = first;
            words.drain(..before);
        }
        let kind = statement::kind(&words);
        *self.kinds.entry(kind).or_default() += 1;
        if TOLD_APART.contains(&kind) {
            self.forms.add(kind, sql, &words, at);
        }
    }

    /// Returns the table that is wanted, or the one that most statements ask alone; if none asks one alone, the one
    /// that most statements write. Where several keyspaces or schemas have a table of that name and none is wanted, it
    /// is that of most statements.
    ///
    /// # Errors
    /// Says that none is asked or written, or not the one that is wanted, and what to do.
    pub fn table(&self, wanted: Option<&AskedTable>) -> Result<AskedTable, String> {
        // How many statements ask each, and how many write it.
        let mut numbers: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for (own, form) in self.owned() {
            let (asked, written) = numbers.entry(own.name.as_str()).or_default();
            if form.asks() {
                *asked += form.number;
            } else {
                *written += form.number;
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
        let is_there = |found: &AskedTable| self.owned().any(|(own, _)| own.may_be(found));
        found.filter(is_there).ok_or_else(|| {
            let hint = suggestion(own, numbers.keys().copied());
            format!("no statement in it asks the table {wanted} alone; name another one with --table NAME{hint}")
        })
    }

    /// Returns each form that asks one table alone, or writes one, with this table.
    fn owned(&self) -> impl Iterator<Item = (&AskedTable, &Form)> {
        let all = self.forms.all();
        all.filter_map(|form| Some((form.own()?, form)))
    }

    /// Returns the table of this name, with the keyspace or schema that most statements write before it.
    fn most_asked(&self, name: &str) -> AskedTable {
        let mut schemas: BTreeMap<&str, u64> = BTreeMap::new();
        for (own, form) in self.owned().filter(|(own, _)| own.name == name) {
            if let Some(schema) = &own.schema {
                *schemas.entry(schema).or_default() += form.number;
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
        let written = self.owned().filter(|(own, _)| own.name == name);
        let schemas: Vec<&str> = written
            .filter_map(|(own, _)| own.schema.as_deref())
            .collect();
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
        let asking = self.forms.all().filter(|form| form.asks());
        asking.map(|form| form.example.as_str())
    }

    /// Returns the statements that ask a table alone and are no operations of a mix, the most frequent first, each with
    /// one of its actual statements.
    pub fn candidates<'a>(
        &'a self,
        table: &'a AskedTable,
        found: &'a Inferred,
        mix: Option<&'a LoggedMix>,
    ) -> impl Iterator<Item = (u64, Candidate)> + 'a {
        let asking = self.asking(table, found);
        let own = self.of(table);
        let all: u64 = own.iter().map(|form| form.number).sum();
        let heavier = own
            .into_iter()
            .filter(move |form| mix.is_none_or(|mix| !mix.has(form)));
        heavier.map(move |form| {
            let mut candidate = Candidate::new(&form.example, &asking);
            if let Ok(question) = &mut candidate.question {
                let about = format!("Asked {} of {all} times in the log.", form.number);
                question.about.insert(0, about);
            }
            (form.number, candidate)
        })
    }

    /// Returns what statements about a table are read by.
    fn asking<'a>(&self, table: &'a AskedTable, found: &'a Inferred) -> Asking<'a> {
        Asking {
            found,
            table: &table.name,
            language: self.language,
            descending: descending(found),
        }
    }

    /// Returns the forms of statements that ask a table alone, the most frequent first.
    fn of(&self, table: &AskedTable) -> Vec<&Form> {
        let mut own = self.about(table);
        own.retain(|form| form.asks());
        own
    }

    /// Returns the forms of statements that ask a table alone or write it, the most frequent first.
    fn about(&self, table: &AskedTable) -> Vec<&Form> {
        let own = self.owned().filter(|(own, _)| own.may_be(table));
        let mut own: Vec<&Form> = own.map(|(_, form)| form).collect();
        own.sort_by_key(|form| (Reverse(form.number), form.place));
        own
    }
}

/// Passes on the statement of each line that is no comment.
fn read_plain<R: BufRead>(
    lines: &mut Lines<R>,
    mut take: impl FnMut(&str, Option<i64>),
) -> io::Result<()> {
    while let Some(line) = lines.line()? {
        if !is_comment(&line) {
            take(&line, None);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
