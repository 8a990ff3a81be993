//! `bakeoff init`: writes a commented workload for a file of rows, for a table of a running server, or for one that
//! statements make.

mod checked;
mod live;
mod picked;
mod statements;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_engines::{AskedTable, Language, with_drawn_values};
use bakeoff_workload::infer::{Inferred, infer, plain_name};
use clap::Args;

use crate::cmd::options::data::to_cli_error;
use crate::cmd::options::table_file::{AskedOfTable, TableFileOptions};
use crate::exit::{Exit, Misuse};
use crate::interrupt::was_asked_to_stop;
use crate::out_file::OutFile;
use crate::progress::Progress;
use crate::stderr::print_line;
use checked::{check, check_found, designs_for};
use live::{LiveOptions, Sampled, Source};
use picked::Picked;
use statements::{Statements, is_of_statements};

/// What an address begins with whose server understands CQL.
const CQL_ADDRESS: &str = "cassandra://";
/// Columns that are left out and that the terminal names, at most.
const MOST_NOTES: usize = 3;

/// Write a commented workload for your file, your CREATE TABLE or a live table, which runs as it is
///
/// The whole file is read: for the types of its columns, for what stands for no value, and for a key. What cannot
/// be found is an error that names the option to give. Of statements, names, types, key and queries are taken over, and
/// rows are made by guesses, or are those of --data. Of a live table, of which rows are only read, a sample is
/// written to a Parquet file beside the workload; passwords come from BAKEOFF_CASSANDRA_PASSWORD or
/// BAKEOFF_POSTGRES_PASSWORD.
#[derive(Args, Debug)]
pub struct Init {
    /// CSV or TSV, whatever separates its fields, or lines of JSON (any may be .gz, .zst or .zip), Parquet or Arrow
    /// IPC; a folder of such files, of one kind; a file of CREATE TABLE statements and queries, .cql or .sql; or a live
    /// table: cassandra://HOST[:PORT]/KEYSPACE.TABLE, or postgres://USER@HOST/DATABASE with --table
    file: PathBuf,

    /// New file to write to, instead of the standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// File with a sample of the rows of the table that a file of statements makes, in any form that rows may have
    /// [default: rows are made, by guesses]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,

    #[command(flatten)]
    asked: TableFileOptions,

    #[command(flatten)]
    live: LiveOptions,
}

/// What is known of a table besides a file of rows.
struct Known<'a> {
    /// The live table that the file is a sample of.
    sampled: Option<&'a Sampled>,
    /// The statements that make it.
    statements: Option<&'a Statements>,
    /// Its name, as `--table` says it.
    table: Option<&'a str>,
    /// Language of what is asked of it, where that does not say it itself.
    language: Language,
}

impl Init {
    pub fn run(self) -> Result<Exit> {
        let ending = self.file.extension().unwrap_or_default();
        if ending.eq_ignore_ascii_case("toml") && self.file.is_file() {
            return Err(Misuse::new(anyhow!(
                "{0} is a workload already: `bakeoff run {0} --dry-run` shows what it does",
                self.file.display()
            ))
            .into());
        }
        let out = self.out.as_deref().map(OutFile::create_new).transpose()?;
        let given = self.asked.of_files();
        let table = self.live.table();
        let statements = Statements::open(&self.file, self.data.as_deref(), table, &given)?;
        let names_table = statements.is_some() || self.asked.has_file_of_questions();
        let source = {
            let out = self.out.as_deref();
            self.live.source(&self.file, out, &given, names_table)?
        };
        let mut sampled = match source {
            Source::File => None,
            Source::Sampled(sampled) => Some(sampled),
            Source::Interrupted => return Ok(Exit::Interrupted),
        };
        let progress = Progress::begin("reading the file");
        let file = sampled
            .as_ref()
            .map_or(self.file.as_path(), |sampled| sampled.path());
        let is_of_cql = self.file.to_string_lossy().starts_with(CQL_ADDRESS);
        let usual = if is_of_cql {
            Language::Cql
        } else {
            Language::Sql
        };
        let known = Known {
            sampled: sampled.as_deref(),
            statements: statements.as_ref(),
            table,
            language: statements.as_ref().map_or(usual, Statements::language),
        };
        let written = write(file, self.out.as_deref(), &self.asked, &known)?;
        progress.finish();
        if sampled.is_some() && was_asked_to_stop() {
            return Ok(Exit::Interrupted);
        }
        match (out, &self.out) {
            (Some(mut file), Some(path)) => {
                file.write_all(written.text.as_bytes())
                    .with_context(|| format!("cannot write {}", path.display()))?;
                file.complete()?;
            }
            _ => std::io::stdout().write_all(written.text.as_bytes())?,
        }
        if let Some(sampled) = &mut sampled {
            sampled.keep();
        }
        tell(&self.file, &written.found);
        if let Some(out) = &self.out {
            // A smaller file is tried as a whole.
            let rows = if written.found.is_large() {
                " --rows 10000"
            } else {
                ""
            };
            print_line(format_args!(
                "wrote {0}; next: bakeoff run {0}{rows} --dry-run",
                out.display()
            ));
        }
        Ok(Exit::Complete)
    }
}

/// A workload for a file of rows, and what was found of the file.
pub struct Written {
    pub found: Inferred,
    pub text: String,
}

/// Finds out what a file of rows is, and writes the text of a workload for it, which was checked. `out` is the file
/// that the text is for; the standard output without it.
///
/// # Errors
/// Fails if the file cannot be read, and with a misuse that names the option to give if something cannot be found in
/// it, if a question is none about the table, or if the file is the address of a live table.
pub fn write_for(file: &Path, out: Option<&Path>, asked: &TableFileOptions) -> Result<Written> {
    if live::is_address(file) {
        // It is not repeated, since it may have a password.
        return Err(Misuse::new(anyhow!(
            "an address of a live table is no file: write its workload with `bakeoff init ADDRESS --out FILE.toml`, \
             and name FILE.toml instead"
        ))
        .into());
    }
    if is_of_statements(file) {
        return Err(Misuse::new(anyhow!(
            "{0} has statements and no rows to decide by: write a workload with `bakeoff init {0} --out FILE.toml`, \
             with --data ROWS or with rows that are made, and name FILE.toml instead",
            file.display()
        ))
        .into());
    }
    let known = Known {
        sampled: None,
        statements: None,
        table: None,
        language: Language::Sql,
    };
    write(file, out, asked, &known)
}

/// Writes the text of a workload for a file of rows, or for a table that is known otherwise.
fn write(
    file: &Path,
    out: Option<&Path>,
    options: &TableFileOptions,
    known: &Known<'_>,
) -> Result<Written> {
    let mut questions = options.questions(known.language)?;
    let is_of_file = known.statements.is_none() && known.sampled.is_none();
    if is_of_file && known.table.is_some() && questions.log.is_none() {
        return Err(Misuse::new(anyhow!(
            "--table is for statements: a file that makes tables, or a log of queries as --questions, and these are \
             neither: leave it out"
        ))
        .into());
    }
    let data = known.statements.map_or(Some(file), Statements::data);
    let named = match data {
        Some(data) => name_from(out, data)?,
        None => file.display().to_string(),
    };
    let mut found = match known.statements {
        Some(statements) => of_statements(statements, options, &mut questions)?,
        None => of_rows(file, options, known, &mut questions)?,
    };
    draw_values(&mut questions, &found, known.language)?;
    let designs = designs_for(&mut found, &questions.questions);
    let text = found.workload(&named, &designs, &questions.questions);
    let asked_by = questions.option();
    check(
        &text,
        out.unwrap_or(Path::new("init.toml")),
        asked_by.as_deref(),
    )?;
    Ok(Written { found, text })
}

/// Draws values where questions that are asked for have markers.
fn draw_values(questions: &mut AskedOfTable, found: &Inferred, language: Language) -> Result<()> {
    let option = questions.option().unwrap_or_default();
    for (index, question) in questions.questions.iter_mut().enumerate() {
        let drawn = with_drawn_values(question, found, language).map_err(|why| {
            let called = match &question.name {
                Some(name) => format!("question {name}"),
                None => format!("statement {}", index + 1),
            };
            Misuse::new(anyhow!("{option}: {called}: {why}"))
        })?;
        if let Some(drawn) = drawn {
            *question = drawn;
        }
    }
    Ok(())
}

/// Returns what is known of a table that statements make, and makes their queries the questions unless others are
/// asked for.
fn of_statements(
    statements: &Statements,
    options: &TableFileOptions,
    questions: &mut AskedOfTable,
) -> Result<Inferred> {
    let mut of = statements.found(options)?;
    check_found(&of.found)?;
    if let Some(log) = &questions.log {
        let option = questions.option().unwrap_or_default();
        let table = log.table(Some(&of.table));
        let table = table.map_err(|why| Misuse::new(anyhow!("{option}: {why}")))?;
        questions.questions = Picked::of_log(log, &table, &option, &mut of.found)?.questions;
    } else if let Some(table) = &questions.table {
        of.found.table.clone_from(table);
    } else if questions.questions.is_empty() {
        questions.questions = Picked::of_file(statements, &mut of)?.questions;
    }
    Ok(of.found)
}

/// Finds out what a file of rows is, with what is known of the live table that it is a sample of, and makes questions
/// of a log.
fn of_rows(
    file: &Path,
    options: &TableFileOptions,
    known: &Known<'_>,
    questions: &mut AskedOfTable,
) -> Result<Inferred> {
    let mut asked = options.asked();
    asked.questions = questions.texts();
    if let Some(sampled) = known.sampled {
        sampled.ask(&mut asked);
    }
    let mut found = infer(file, &asked).map_err(to_cli_error)?;
    if let Some(sampled) = known.sampled {
        found = sampled.complete(found);
    }
    if let Some(log) = &questions.log {
        let option = questions.option().unwrap_or_default();
        let of_origin = { found.origin.as_ref() }.map(|origin| origin.table.as_str());
        let wanted = of_origin.or(known.table).map(AskedTable::parse);
        let table = log.table(wanted.as_ref());
        let table = table.map_err(|why| Misuse::new(anyhow!("{option}: {why}")))?;
        found.table = plain_name(&table.name, "data");
        check_found(&found)?;
        questions.questions = Picked::of_log(log, &table, &option, &mut found)?.questions;
    } else if let Some(table) = &questions.table {
        found.table.clone_from(table);
    }
    Ok(found)
}

/// Prints what was found of a file, and what the user should look at.
pub fn tell(file: &Path, found: &Inferred) {
    let key: Vec<&str> = { found.partition_key.iter().chain(&found.order_key) }
        .map(String::as_str)
        .collect();
    let (of, row) = match &found.origin {
        Some(origin) => (origin.name.clone(), "sampled row"),
        None => (file.display().to_string(), "row"),
    };
    let rows = match &found.made {
        None => plural(found.rows, row),
        Some(_) => "no rows".to_owned(),
    };
    let in_file = { found.columns.iter() }.filter(|column| column.constant.is_none());
    print_line(format_args!(
        "{of}: {rows}, {}, key ({})",
        plural(in_file.count() as u64, "column"),
        key.join(", ")
    ));
    if found.made.is_some() {
        print_line(format_args!(
            "note: its rows are made by guesses, which [data.columns] has: put in better ones, or name real rows with \
             --data FILE"
        ));
    }
    for note in found.notes.iter().cloned().chain(found.repeated_keys()) {
        print_line(format_args!("note: {note}"));
    }
    for left_out in found.left_out.iter().take(MOST_NOTES) {
        print_line(format_args!("note: left out: {left_out}"));
    }
    if found.left_out.len() > MOST_NOTES {
        print_line(format_args!(
            "note: left out: {} more, which [table.columns] names",
            found.left_out.len() - MOST_NOTES
        ));
    }
    if found.bad_rows > 0 && !found.is_typed {
        match found.bad_rows {
            1 => print_line(format_args!(
                "note: 1 row does not fit or lacks its key; it is set aside (bad_rows)"
            )),
            rows => print_line(format_args!(
                "note: at most {rows} rows do not fit or lack their key; they are set aside (bad_rows)"
            )),
        }
    }
}

/// Writes a number with its noun: `1 row`, `301 rows`.
fn plural(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Returns the name of the file in a workload that is written to `out`, to which it is relative.
fn name_from(out: Option<&Path>, file: &Path) -> Result<String> {
    let folder = out.and_then(Path::parent).unwrap_or(Path::new(""));
    let own_folder = file.parent().unwrap_or(Path::new(""));
    let named = if folder == own_folder {
        PathBuf::from(file.file_name().unwrap_or(file.as_os_str()))
    } else if folder == Path::new("") {
        file.to_owned()
    } else {
        let absolute = std::path::absolute(file);
        absolute.with_context(|| format!("cannot find the folder of {}", file.display()))?
    };
    let named = named.into_os_string().into_string();
    named.map_err(|name| {
        let name = name.display();
        anyhow!("{name}: a workload is text and cannot have this name, which is not UTF-8: rename the file")
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn one_is_not_several() {
        assert_eq!(plural(1, "column"), "1 column");
        assert_eq!(
            [plural(0, "row"), plural(1_000, "row")],
            ["0 rows", "1000 rows"]
        );
    }

    #[test]
    fn a_file_is_named_from_the_folder_of_the_workload() {
        let name =
            |out: Option<&str>, file: &str| name_from(out.map(Path::new), Path::new(file)).unwrap();
        assert_eq!(name(None, "a.csv"), "a.csv");
        assert_eq!(name(None, "data/a.csv"), "data/a.csv");
        assert_eq!(name(Some("w.toml"), "data/a.csv"), "data/a.csv");
        assert_eq!(name(Some("data/w.toml"), "data/a.csv"), "a.csv");
        assert_eq!(name(Some("/x/w.toml"), "/y/a.csv"), "/y/a.csv");
        assert!(name(Some("x/w.toml"), "a.csv").starts_with('/'));
        let no_text = std::ffi::OsStr::from_bytes(b"a\xff.csv");
        let error = name_from(None, Path::new(no_text)).unwrap_err();
        assert!(error.to_string().contains("rename the file"), "{error}");
    }
}
