//! Defines options that say what a file of rows is and what is asked of it, for the commands that describe it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_engines::{
    Language, LogKind, QueryLog, QuestionsFile, StatementsFile, columns_with_values, named_columns,
};
use bakeoff_workload::infer::{Asked, AskedQuestion};
use bakeoff_workload::{TextForm, TimeFormat};
use clap::Args;

use crate::cmd::options::cells::CellOptions;
use crate::exit::Misuse;

/// Most bytes of a file with questions, beyond which it is none.
const MOST_BYTES: u64 = 1 << 20;
/// What is said of a file that is neither questions nor a log of a form that is known.
const KNOWN_LOGS: &str = "; if it is a log, it has none of the forms that are read: that of PostgreSQL as text, CSV or \
                          JSON, what `fqltool dump` of Cassandra prints, or one statement in each line";
/// Bytes at the beginning of a file that tell whether it is a log.
const BEGIN: u64 = 64 << 10;

#[derive(Args, Debug, Clone)]
pub struct TableFileOptions {
    /// Column by which rows are ordered in time [default: of several times, the only one that questions name, or the
    /// one with the most different values]
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,

    /// Columns whose rows belong together, such as the name of a sensor [default: those that with the time tell
    /// rows apart]
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    key: Vec<String>,

    /// How the times of a column are written: strftime's conversions, or s, ms, us or ns since 1970. Where they lack
    /// the year, it comes behind: 'date=%m%d%H%M of 2001' (repeat for several columns) [default: what fits all values]
    #[arg(long, value_name = "COLUMN=FORM", value_parser = time_format)]
    time_format: Vec<(String, TimeFormat)>,

    /// Words that stand for no value, besides empty cells [default: NA, \N, NULL, - and others that are there]
    #[arg(
        long,
        value_name = "WORD,...",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    null: Option<Vec<String>>,

    /// A question in SQL, instead of those that it would write (repeat for several)
    #[arg(long, value_name = "SQL")]
    question: Vec<String>,

    /// File of questions in SQL with semicolons between them, where a comment `-- name: newest` above one names it; or
    /// a log of queries, whose most frequent ones become questions, and with `init` operations of a mix: PostgreSQL's
    /// as text, CSV or JSON, what `fqltool dump` prints, or a statement in each line
    #[arg(long, value_name = "FILE", conflicts_with = "question")]
    questions: Option<PathBuf>,

    /// The first line of the file names its columns, even if some names are numbers or times [default: if none is]
    #[arg(long, conflicts_with = "no_header")]
    header: bool,

    /// The first line of the file is a row
    #[arg(long)]
    no_header: bool,

    /// Character between the fields of the file, or tab, or spaces for any number of them [default: what divides all
    /// lines alike]
    #[arg(long, value_name = "CHARACTER", value_parser = TextForm::parse_delimiter)]
    delimiter: Option<u8>,

    /// Lines at the beginning of the file that are no rows and do not name its columns, such as a title [default: those
    /// before the line that unmistakably names the columns]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=TextForm::MOST_SKIPPED))]
    skip_lines: Option<u64>,

    /// The rows are a sample that goes on: how far, such as 'three years' or 10d (in all, from the first row on),
    /// '5000 sensors', 'sensors x50' or '500 sensors, three years'
    #[arg(long, value_name = "WORDS")]
    grow: Option<String>,

    #[command(flatten)]
    cells: CellOptions,
}

/// What is asked of a table.
#[derive(Debug, Clone, Default)]
pub struct AskedOfTable {
    /// None if the questions are to be written.
    pub questions: Vec<AskedQuestion>,
    /// Name that the questions give to the table.
    pub table: Option<String>,
    /// File that the questions come from.
    pub file: Option<PathBuf>,
    /// What it has if it is a log of queries, of which questions are still to be made.
    pub log: Option<QueryLog>,
}

impl AskedOfTable {
    /// Returns the option that the questions come from, with their file; `None` if they are to be written.
    pub fn option(&self) -> Option<String> {
        match &self.file {
            Some(file) => Some(format!("--questions {}", file.display())),
            None => (!self.questions.is_empty()).then(|| "--question".to_owned()),
        }
    }

    /// Returns the names of columns in all questions, also in those that are still to be made, with other words that
    /// may be some, in lower case.
    pub fn named(&self) -> BTreeSet<String> {
        self.statements().flat_map(named_columns).collect()
    }

    /// Returns the number of questions, also of those that are still to be made.
    pub fn number(&self) -> usize {
        self.statements().count()
    }

    /// Returns the names of columns by whose values questions find rows, in lower case, each with the number of
    /// questions that do.
    pub fn found_by(&self) -> BTreeMap<String, usize> {
        let mut found_by = BTreeMap::new();
        for column in self.statements().flat_map(columns_with_values) {
            *found_by.entry(column).or_default() += 1;
        }
        found_by
    }

    /// Returns the text of each question, and an example of each that is still to be made.
    fn statements(&self) -> impl Iterator<Item = &str> {
        let own = { self.questions.iter() }.map(|question| question.sql.as_str());
        own.chain(self.log.iter().flat_map(QueryLog::examples))
    }
}

impl TableFileOptions {
    /// Returns what is known of the file before it is read.
    pub fn asked(&self) -> Asked {
        Asked {
            time: self.time.clone(),
            key: self.key.clone(),
            null: self.null.clone(),
            header: match (self.header, self.no_header) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
            delimiter: self.delimiter,
            skip_lines: self.skip_lines,
            formats: self.time_format.clone(),
            decimal: self.cells.decimal,
            thousands: self.cells.thousands,
            zone: self.cells.zone.clone(),
            ..Asked::default()
        }
    }

    /// Reads what is asked of the table. `language` is that of a log of queries that does not say it.
    ///
    /// # Errors
    /// Fails with a misuse if the file of questions cannot be read, or has something that is no question.
    pub fn questions(&self, language: Language) -> Result<AskedOfTable> {
        let Some(path) = &self.questions else {
            let questions = self.question.iter().map(|sql| AskedQuestion {
                sql: sql.clone(),
                ..AskedQuestion::default()
            });
            return Ok(AskedOfTable {
                questions: questions.collect(),
                ..AskedOfTable::default()
            });
        };
        if let Some(log) = read_log(path, language).map_err(Misuse::new)? {
            return Ok(AskedOfTable {
                file: Some(path.clone()),
                log: Some(log),
                ..AskedOfTable::default()
            });
        }
        let text = read(path).map_err(Misuse::new)?;
        let file = QuestionsFile::parse(&text).map_err(|why| {
            let known = if may_be_log(path, &text) {
                known_logs(&text)
            } else {
                String::new()
            };
            Misuse::new(anyhow!("--questions {}: {why}{known}", path.display()))
        })?;
        Ok(AskedOfTable {
            questions: file.questions,
            table: file.table,
            file: Some(path.clone()),
            log: None,
        })
    }

    /// Checks that a file of rows is no log of queries, unless an option says how its rows are written. What cannot be
    /// read is left to its reader.
    ///
    /// # Errors
    /// Fails with a misuse that says how to name a log.
    pub fn check_has_rows(&self, file: &Path) -> Result<()> {
        let Ok(Some((begin, is_whole))) = begin_of(file) else {
            return Ok(());
        };
        let begin = String::from_utf8_lossy(&begin);
        if !self.of_files().is_empty() || !LogKind::is_without_rows(&begin, is_whole) {
            return Ok(());
        }
        let name = file.display();
        Err(Misuse::new(anyhow!(
            "{name} is a log of queries, which has no rows: name the rows of the table that it asks, a file with its \
             CREATE TABLE (.sql or .cql), or its address, with the log as its questions: ROWS.csv --questions {name}; \
             if the lines are rows, say so with --header or --no-header"
        ))
        .into())
    }

    /// Returns whether the questions are in a file, which may be a log of queries.
    pub fn has_file_of_questions(&self) -> bool {
        self.questions.is_some()
    }

    /// Returns how far the rows go on beyond the file, in words, if they do.
    pub fn grow(&self) -> Option<&str> {
        self.grow.as_deref()
    }

    /// Returns the options that are given of those that say what a file is.
    pub fn of_files(&self) -> Vec<&'static str> {
        let all = [
            ("--time", self.time.is_some()),
            ("--key", !self.key.is_empty()),
            ("--time-format", !self.time_format.is_empty()),
            ("--null", self.null.is_some()),
            ("--header", self.header),
            ("--no-header", self.no_header),
            ("--delimiter", self.delimiter.is_some()),
            ("--skip-lines", self.skip_lines.is_some()),
        ];
        let all = all.into_iter().chain(self.cells.given());
        let given = all.filter(|(_, is_given)| *is_given);
        given.map(|(option, _)| option).collect()
    }

    /// Returns the first of these options that is given.
    pub fn first_given(&self) -> Option<&'static str> {
        let others = [
            ("--question", !self.question.is_empty()),
            ("--questions", self.questions.is_some()),
            ("--grow", self.grow.is_some()),
        ];
        let given = others.iter().find(|(_, is_given)| *is_given);
        let of_files = self.of_files();
        of_files
            .first()
            .copied()
            .or(given.map(|(option, _)| *option))
    }
}

/// Reads a log of queries; `None` if the file is none.
fn read_log(path: &Path, language: Language) -> Result<Option<QueryLog>> {
    let cannot = || format!("--questions {}: cannot read it", path.display());
    let Some((begin, is_whole)) = begin_of(path).with_context(cannot)? else {
        return Ok(None);
    };
    if begin.contains(&0) {
        return Err(anyhow!(
            "--questions {}: it has bytes that are no text: name a file of questions, or a log of queries as text, \
             which is not packed",
            path.display()
        ));
    }
    let is_sql = StatementsFile::language_of(path).is_some();
    let Some(kind) = LogKind::of(&String::from_utf8_lossy(&begin), is_whole, is_sql) else {
        return Ok(None);
    };
    let reader = BufReader::new(File::open(path).with_context(cannot)?);
    let log = QueryLog::read(kind, language, reader).with_context(cannot)?;
    Ok(Some(log))
}

/// Reads the beginning of a file, with whether that is all of it; `None` if it is no plain file, which cannot be read
/// twice.
fn begin_of(path: &Path) -> std::io::Result<Option<(Vec<u8>, bool)>> {
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut begin = Vec::new();
    File::open(path)?.take(BEGIN + 1).read_to_end(&mut begin)?;
    let is_whole = begin.len() as u64 <= BEGIN;
    Ok(Some((begin, is_whole)))
}

/// Returns whether a file that has no questions may have been meant as a log: its name does not say that it has
/// statements, or it has JSON.
fn may_be_log(path: &Path, text: &str) -> bool {
    StatementsFile::language_of(path).is_none() || text.trim_start().starts_with(['{', '['])
}

/// Says which logs are read, and in which line this one is none with a statement in each line.
fn known_logs(text: &str) -> String {
    match LogKind::line_without_statement(text) {
        Some(line) => format!("{KNOWN_LOGS}: line {line} is no statement"),
        None => KNOWN_LOGS.to_owned(),
    }
}

/// Reads a column with the form of its times.
fn time_format(written: &str) -> Result<(String, TimeFormat), String> {
    let (column, form) = { written.split_once('=') }
        .ok_or_else(|| "it is a column and a form: date=%m/%d/%Y".to_owned())?;
    Ok((column.to_owned(), TimeFormat::parse(form)?))
}

/// Reads a file of questions.
fn read(path: &Path) -> Result<String> {
    let cannot = || format!("--questions {}: cannot read it", path.display());
    let length = std::fs::metadata(path).with_context(cannot)?.len();
    if length > MOST_BYTES {
        return Err(anyhow!(
            "--questions {}: it has {length} bytes, and a file of questions has at most {MOST_BYTES}{KNOWN_LOGS}",
            path.display()
        ));
    }
    std::fs::read_to_string(path).with_context(cannot)
}
