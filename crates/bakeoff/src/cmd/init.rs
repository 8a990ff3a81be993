//! `bakeoff init`: writes a commented workload for a file of rows.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_engines::registry::ENGINES;
use bakeoff_engines::{NewTable, check_designs, check_queries, plain_queries};
use bakeoff_workload::infer::{Asked, Inferred, infer};
use bakeoff_workload::{TextForm, Workload};
use clap::Args;

use crate::cmd::options::data::to_cli_error;
use crate::cmd::small_runtime;
use crate::exit::{Exit, Misuse};
use crate::out_file::OutFile;
use crate::progress::Progress;
use crate::stderr::print_line;

/// Columns that are left out and that the terminal names, at most.
const MOST_NOTES: usize = 3;

/// Write a commented workload for a file of yours, which runs as it is
///
/// The whole file is read: for the types of its columns, for what stands for no value, and for a key. What cannot
/// be found is an error that names the option to give.
#[derive(Args, Debug)]
pub struct Init {
    /// CSV or TSV, whatever separates its fields (either may be .gz, .zst or .zip), or Parquet
    file: PathBuf,

    /// New file to write to, instead of the standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Column by which rows are ordered in time [default: the times with the most different values]
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,

    /// Columns whose rows belong together, such as the name of a sensor [default: those that with the time tell
    /// rows apart]
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    key: Vec<String>,

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

    /// The first line of the file names its columns, even if some names are numbers or times [default: if none is]
    #[arg(long, conflicts_with = "no_header")]
    header: bool,

    /// The first line of the file is a row
    #[arg(long)]
    no_header: bool,

    /// Character between the fields of the file, or tab [default: the one that divides all lines alike]
    #[arg(long, value_name = "CHARACTER", value_parser = TextForm::parse_delimiter)]
    delimiter: Option<u8>,
}

impl Init {
    pub fn run(self) -> Result<Exit> {
        let out = self.out.as_deref().map(OutFile::create_new).transpose()?;
        let progress = Progress::begin("reading the file");
        let asked = Asked {
            time: self.time.clone(),
            key: self.key.clone(),
            null: self.null.clone(),
            header: match (self.header, self.no_header) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
            delimiter: self.delimiter,
        };
        let named = name_from(self.out.as_deref(), &self.file)?;
        let inferred = infer(&self.file, &asked).map_err(to_cli_error)?;
        let path = self.out.as_deref().unwrap_or(Path::new("init.toml"));
        let text = inferred.workload(&named, &designs(&inferred), &self.question);
        check(&text, path)?;
        progress.finish();
        match out {
            Some(mut file) => {
                file.write_all(text.as_bytes())
                    .with_context(|| format!("cannot write {}", path.display()))?;
                file.complete()?;
            }
            None => std::io::stdout().write_all(text.as_bytes())?,
        }
        self.tell(&inferred);
        Ok(Exit::Complete)
    }

    /// Prints what was found, and what the user should look at.
    fn tell(&self, found: &Inferred) {
        let key: Vec<&str> = { found.partition_key.iter().chain(&found.order_key) }
            .map(String::as_str)
            .collect();
        print_line(format_args!(
            "{}: {} rows, {} columns, key ({})",
            self.file.display(),
            found.rows,
            found.columns.len(),
            key.join(", ")
        ));
        for note in found.notes.iter().cloned().chain(found.repeated_keys()) {
            print_line(format_args!("note: {note}"));
        }
        for left_out in found.left_out.iter().take(MOST_NOTES) {
            print_line(format_args!("note: left out: {left_out}"));
        }
        if found.left_out.len() > MOST_NOTES {
            print_line(format_args!(
                "note: left out: {} others, which [table.columns] names",
                found.left_out.len() - MOST_NOTES
            ));
        }
        if found.bad_rows > 0 && !found.is_typed {
            print_line(format_args!(
                "note: at most {} rows do not fit or lack their key; they are set aside (bad_rows)",
                found.bad_rows
            ));
        }
        if let Some(out) = &self.out {
            print_line(format_args!(
                "wrote {0}; next: bakeoff run {0} --rows 10000 --dry-run",
                out.display()
            ));
        }
    }
}

/// Returns the designs with which the workload begins.
fn designs(found: &Inferred) -> Vec<String> {
    let table = NewTable {
        columns: found.columns.len(),
        is_ordered: !found.order_key.is_empty(),
        days: found.days(),
    };
    let engines = ENGINES.iter();
    engines
        .flat_map(|engine| engine.to_begin_with(&table))
        .collect()
}

/// Checks a workload that was written, so that only one that runs is ever shown.
///
/// # Errors
/// Fails with a misuse if a question is none about the table, and if anything else is wrong.
fn check(text: &str, path: &Path) -> Result<()> {
    let parsed = Workload::parse(text, path);
    let mut workload = parsed.map_err(|error| Misuse::new(error.into()))?;
    check_designs(&workload).map_err(|error| Misuse::new(error.into()))?;
    plain_queries(&mut workload);
    let checked = small_runtime()?.block_on(check_queries(&workload));
    checked.map_err(|error| Misuse::new(error.into()))?;
    Ok(())
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
