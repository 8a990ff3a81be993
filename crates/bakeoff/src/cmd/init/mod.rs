//! `bakeoff init`: writes a commented workload for a file of rows, for a table of a running server, or for one that
//! statements make.

mod checked;
mod grown;
mod live;
mod mixed;
mod picked;
mod statements;
mod told;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_engines::{AskedTable, Language, StatementsFile, in_shell, with_drawn_values};
use bakeoff_workload::infer::{Inferred, infer, plain_name};
use clap::Args;

use crate::cmd::options::data::to_cli_error;
use crate::cmd::options::table_file::{AskedOfTable, TableFileOptions};
use crate::exit::{Exit, Misuse};
use crate::interrupt::was_asked_to_stop;
use crate::out_file::OutFile;
use crate::progress::Progress;
use crate::stderr::print_line;
use checked::{check, check_found, designs_for, write_usual_uuids};
use grown::grow;
use live::{LiveOptions, Sampled, Source};
use mixed::{Rest, add_mix};
use picked::Picked;
use statements::Statements;

pub use live::{Reading, SampleOptions, is_address};
pub use statements::is_of_statements;
pub use told::tell;

/// What an address begins with whose server understands CQL.
const CQL_ADDRESS: &str = "cassandra://";

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
    /// Whether a log of queries becomes a mix of operations, too.
    performs: bool,
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
        let request = Request {
            from: &self.file,
            out: self.out.as_deref(),
            data: self.data.as_deref(),
            asked: &self.asked,
            live: self.live.reading(),
            performs: true,
        };
        let Some(mut written) = write_for(&request)? else {
            return Ok(Exit::Interrupted);
        };
        match (out, &self.out) {
            (Some(mut file), Some(path)) => {
                file.write_all(written.text.as_bytes())
                    .with_context(|| format!("cannot write {}", path.display()))?;
                file.complete()?;
            }
            _ => std::io::stdout().write_all(written.text.as_bytes())?,
        }
        written.keep_sample();
        tell(&self.file, &written.found);
        if let Some(out) = &self.out {
            // A smaller file is tried as a whole.
            let rows = if written.found.is_large() {
                " --rows 10000"
            } else {
                ""
            };
            let named = in_shell(&out.display().to_string());
            let drive = match written.found.mix {
                Some(_) => format!(", and bakeoff drive {named} --dry-run"),
                None => String::new(),
            };
            print_line(format_args!(
                "wrote {}; next: bakeoff run {named}{rows} --dry-run{drive}",
                out.display()
            ));
        }
        Ok(Exit::Complete)
    }
}

/// What a workload is written for, as the options of a command say it.
pub struct Request<'a> {
    /// File of rows or of statements, or the address of a live table.
    pub from: &'a Path,
    /// File that the text is for; the standard output without it.
    pub out: Option<&'a Path>,
    /// File with a sample of the rows of the table that statements make.
    pub data: Option<&'a Path>,
    /// What is said of a file of rows, and what is asked.
    pub asked: &'a TableFileOptions,
    /// What is said of a live table.
    pub live: Reading<'a>,
    /// Whether a log of queries becomes a mix of operations for `bakeoff drive`, too.
    pub performs: bool,
}

/// A workload for a table, and what was found of it.
pub struct Written {
    pub found: Inferred,
    pub text: String,
    /// The file with a sample of a live table.
    sampled: Option<Box<Sampled>>,
}

impl Written {
    /// Lets the sample of a live table stay, once the workload that names it is there. Else it is removed.
    pub fn keep_sample(&mut self) {
        if let Some(sampled) = &mut self.sampled {
            sampled.keep();
        }
    }
}

/// Returns the language of questions about a table, where they do not say it themselves.
pub fn language_of(from: &Path) -> Language {
    if from.to_string_lossy().starts_with(CQL_ADDRESS) {
        return Language::Cql;
    }
    let of_statements = StatementsFile::language_of(from).filter(|_| is_of_statements(from));
    of_statements.unwrap_or(Language::Sql)
}

/// Finds out what a table is, and writes the text of a workload for it, which was checked. `None` if the user asked to
/// stop while a live table was read.
///
/// # Errors
/// Fails if the file or the table cannot be read, and with a misuse that names the option to give if something cannot
/// be found, if a question is none about the table, or if options do not go together.
pub fn write_for(request: &Request<'_>) -> Result<Option<Written>> {
    let given = request.asked.of_files();
    let table = request.live.table();
    let statements = Statements::open(request.from, request.data, table, &given)?;
    let names_table = statements.is_some() || request.asked.has_file_of_questions();
    let live = request.live;
    let source = live.source(request.from, request.out, &given, names_table)?;
    let sampled = match source {
        Source::File => None,
        Source::Sampled(sampled) => Some(sampled),
        Source::Interrupted => return Ok(None),
    };
    let progress = Progress::begin("reading the file");
    let file = { sampled.as_ref() }.map_or(request.from, |sampled| sampled.path());
    let known = Known {
        sampled: sampled.as_deref(),
        statements: statements.as_ref(),
        table,
        language: { statements.as_ref() }
            .map_or_else(|| language_of(request.from), Statements::language),
        performs: request.performs,
    };
    let written = write(file, request.out, request.asked, &known);
    progress.finish();
    let (found, text) = written?;
    if sampled.is_some() && was_asked_to_stop() {
        return Ok(None);
    }
    Ok(Some(Written {
        found,
        text,
        sampled,
    }))
}

/// Writes the text of a workload for a file of rows, or for a table that is known otherwise.
fn write(
    file: &Path,
    out: Option<&Path>,
    options: &TableFileOptions,
    known: &Known<'_>,
) -> Result<(Inferred, String)> {
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
    if data.is_none() && options.grow().is_some() {
        return Err(Misuse::new(anyhow!(
            "--grow is for a sample of rows, and these are made without end: leave it out, or name rows with --data \
             FILE"
        ))
        .into());
    }
    let named = match data {
        Some(data) => name_from(out, data)?,
        None => file.display().to_string(),
    };
    let mut found = match known.statements {
        Some(statements) => of_statements(statements, options, known, &mut questions)?,
        None => of_rows(file, options, known, &mut questions)?,
    };
    let mix = found.mix.take();
    draw_values(&mut questions, &found, known.language)?;
    write_usual_uuids(&found, &mut questions.questions);
    let path = out.unwrap_or(Path::new("init.toml"));
    if let Some(words) = options.grow() {
        grow(&mut found, words, &named, path)?;
    }
    let mut designs = designs_for(&mut found, &questions.questions);
    if let Some(mix) = mix {
        let rest = Rest {
            named: &named,
            path,
            questions: &questions.questions,
        };
        designs = add_mix(&mut found, &mix, designs, &rest);
    }
    let text = found.workload(&named, &designs, &questions.questions);
    let asked_by = questions.option();
    check(&text, path, asked_by.as_deref())?;
    Ok((found, text))
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
    known: &Known<'_>,
    questions: &mut AskedOfTable,
) -> Result<Inferred> {
    let mut of = statements.found(options)?;
    check_found(&of.found)?;
    if let Some(log) = &questions.log {
        let option = questions.option().unwrap_or_default();
        let table = log.table(Some(&of.table));
        let table = table.map_err(|why| Misuse::new(anyhow!("{option}: {why}")))?;
        let picked = Picked::of_log(log, &table, &option, &mut of.found, known.performs)?;
        questions.questions = picked.questions;
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
    asked.named = questions.named();
    asked.questions = questions.number();
    asked.found_by = questions.found_by();
    match known.sampled {
        Some(sampled) => sampled.ask(&mut asked),
        None => options.check_has_rows(file)?,
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
        let picked = Picked::of_log(log, &table, &option, &mut found, known.performs)?;
        questions.questions = picked.questions;
    } else if let Some(table) = &questions.table {
        found.table.clone_from(table);
    }
    Ok(found)
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
