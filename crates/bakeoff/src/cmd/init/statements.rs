//! A file of statements instead of rows: the table that it makes, with rows that are made or those of a sample.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_engines::{AskedTable, Candidate, Language, StatementsFile};
use bakeoff_workload::Error;
use bakeoff_workload::infer::{Declared, Inferred, infer};

use super::live::is_address;
use crate::cmd::options::data::to_cli_error;
use crate::cmd::options::table_file::TableFileOptions;
use crate::exit::Misuse;

/// Options for files of rows that say which columns are the key.
const FOR_KEYS: [&str; 2] = ["--key", "--time"];

/// A file of statements, and what the command line says of it.
pub struct Statements {
    file: StatementsFile,
    /// Its path, for people.
    path: String,
    /// File with a sample of the rows.
    data: Option<PathBuf>,
    /// Name of the table, as `--table` says it.
    table: Option<String>,
}

/// A table that statements make.
pub struct Found {
    pub found: Inferred,
    /// Its name in statements, with its keyspace or schema.
    pub table: AskedTable,
}

/// Returns whether the name of a file says that it has statements.
pub fn is_of_statements(path: &Path) -> bool {
    // A table of a server may be called so, too.
    StatementsFile::language_of(path).is_some() && !path.is_dir() && !is_address(path)
}

impl Statements {
    /// Reads a file of statements; `None` if its name says that it has rows.
    ///
    /// # Errors
    /// Fails if it cannot be read, and with a misuse if something in it cannot be understood, or for options that are
    /// for another file.
    pub fn open(
        path: &Path,
        data: Option<&Path>,
        table: Option<&str>,
        of_files: &[&'static str],
    ) -> Result<Option<Statements>> {
        let language = StatementsFile::language_of(path);
        let Some(language) = language.filter(|_| is_of_statements(path)) else {
            return match data {
                None => Ok(None),
                Some(data) => Err(Misuse::new(anyhow!(
                    "--data {} is a sample for a file of CREATE TABLE statements, whose name ends in .sql or .cql, and \
                     no such file is named: leave it out",
                    data.display()
                ))
                .into()),
            };
        };
        let shown = path.display().to_string();
        let mut of_rows = of_files.iter().filter(|option| !FOR_KEYS.contains(*option));
        if let (Some(option), None) = (of_rows.next(), data) {
            return Err(Misuse::new(anyhow!(
                "{option} says what a file of rows is, and {shown} has statements: name rows with --data FILE, or \
                 leave it out"
            ))
            .into());
        }
        let text = read(path)?;
        let file = StatementsFile::parse(&text, language)
            .map_err(|why| Misuse::new(anyhow!("{shown}: {why}")))?;
        Ok(Some(Statements {
            file,
            path: shown,
            data: data.map(Path::to_owned),
            table: table.map(str::to_owned),
        }))
    }

    pub fn language(&self) -> Language {
        self.file.language()
    }

    /// Returns the file of rows that the workload names, if there is one.
    pub fn data(&self) -> Option<&Path> {
        self.data.as_deref()
    }

    /// Returns what is known of the table.
    ///
    /// # Errors
    /// Fails with a misuse if it is not clear which table is meant, or if it has no key, and if the sample cannot be
    /// read or lacks the key.
    pub fn found(&self, options: &TableFileOptions) -> Result<Found> {
        let mut asked = options.asked();
        let time = asked.time.take();
        let wanted = self.table.as_deref();
        let declared = self
            .file
            .declared(wanted, &self.path, &asked.key, time.as_deref())
            .map_err(|why| Misuse::new(anyhow!("{}: {why}", self.path)))?;
        let table = { self.file.asked_table(wanted) }
            .map_err(|why| Misuse::new(anyhow!("{}: {why}", self.path)))?;
        let Some(data) = &self.data else {
            let found = Inferred::declared(declared);
            return Ok(Found { found, table });
        };
        asked.key.clone_from(&declared.partition_key);
        asked.order = Some(declared.order_key.clone());
        let names_key = !options.asked().key.is_empty();
        let found = infer(data, &asked).map_err(|error| {
            let lacking = lacking_key(&error).filter(|_| !names_key);
            match lacking {
                None => to_cli_error(error),
                Some((called, why)) => Misuse::new(anyhow!(
                    "--data {0}: `{called}` is in the key of {table} in {1}: write this name above its column in {0}, \
                     or name another key with --key COLUMN,...: {why}",
                    data.display(),
                    self.path
                ))
                .into(),
            }
        })?;
        let declared = with_sample(declared, data);
        Ok(Found {
            found: found.declared_as(declared),
            table,
        })
    }

    /// Returns the queries of the file about a table, and the number of those about other ones.
    pub fn candidates(&self, of: &Found) -> (Vec<Candidate>, usize) {
        self.file.candidates(&of.table, &of.found)
    }
}

/// Returns the column of a key that a file lacks, and what is said of it, if that is the error.
fn lacking_key(error: &Error) -> Option<(String, String)> {
    let Error::Usage(message) = error else {
        return None;
    };
    let (called, why) = message.strip_prefix("--key ")?.split_once(": ")?;
    Some((called.to_owned(), why.to_owned()))
}

/// Says at the head of the workload where its rows are from.
fn with_sample(mut declared: Declared, data: &Path) -> Declared {
    let about = format!(
        "Its names, types and key are declared there; the rows are those of {}.",
        data.display()
    );
    declared.origin.about.insert(0, about);
    declared
}

/// Reads a file of statements.
fn read(path: &Path) -> Result<String> {
    let cannot = || format!("cannot read the statements in {}", path.display());
    let length = std::fs::metadata(path).with_context(cannot)?.len();
    if length > StatementsFile::MOST_BYTES {
        return Err(Misuse::new(anyhow!(
            "{}: it has {length} bytes, and a file of statements has at most {}: write the CREATE TABLE and the \
             queries of one table alone, as DESCRIBE TABLE of cqlsh or pg_dump --schema-only print it",
            path.display(),
            StatementsFile::MOST_BYTES
        ))
        .into());
    }
    let bytes = std::fs::read(path).with_context(cannot)?;
    String::from_utf8(bytes).map_err(|_| {
        Misuse::new(anyhow!(
            "{}: it has bytes that are no text in UTF-8, and a file of statements has none: name another one",
            path.display()
        ))
        .into()
    })
}
