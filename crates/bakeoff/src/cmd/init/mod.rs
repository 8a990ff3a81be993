//! `bakeoff init`: writes a commented workload for a file of rows, or for a table of a running server.

mod live;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_engines::registry::ENGINES;
use bakeoff_engines::{NewTable, check_designs, check_queries, plain_queries};
use bakeoff_workload::infer::{Inferred, infer};
use bakeoff_workload::{Error, Workload};
use clap::Args;

use crate::cmd::options::data::to_cli_error;
use crate::cmd::options::table_file::TableFileOptions;
use crate::cmd::small_runtime;
use crate::exit::{Exit, Misuse};
use crate::interrupt::was_asked_to_stop;
use crate::out_file::OutFile;
use crate::progress::Progress;
use crate::stderr::print_line;
use live::{LiveOptions, Sampled, Source};

/// Columns that are left out and that the terminal names, at most.
const MOST_NOTES: usize = 3;

/// Write a commented workload for your file or a live table, which runs as it is
///
/// The whole file is read: for the types of its columns, for what stands for no value, and for a key. What cannot
/// be found is an error that names the option to give. Of a live table, of which rows are only read, a sample is
/// written to a Parquet file beside the workload; passwords come from BAKEOFF_CASSANDRA_PASSWORD or
/// BAKEOFF_POSTGRES_PASSWORD.
#[derive(Args, Debug)]
pub struct Init {
    /// CSV or TSV, whatever separates its fields, or lines of JSON (any may be .gz, .zst or .zip), Parquet or Arrow
    /// IPC; a folder of such files, of one kind; or a live table: cassandra://HOST[:PORT]/KEYSPACE.TABLE, or
    /// postgres://USER@HOST/DATABASE with --table
    file: PathBuf,

    /// New file to write to, instead of the standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    asked: TableFileOptions,

    #[command(flatten)]
    live: LiveOptions,
}

impl Init {
    pub fn run(self) -> Result<Exit> {
        let out = self.out.as_deref().map(OutFile::create_new).transpose()?;
        let given = self.asked.of_files();
        let source = self.live.source(&self.file, self.out.as_deref(), &given)?;
        let mut sampled = match source {
            Source::File => None,
            Source::Sampled(sampled) => Some(sampled),
            Source::Interrupted => return Ok(Exit::Interrupted),
        };
        let progress = Progress::begin("reading the file");
        let file = sampled
            .as_ref()
            .map_or(self.file.as_path(), |sampled| sampled.path());
        let written = write(file, self.out.as_deref(), &self.asked, sampled.as_deref())?;
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
            print_line(format_args!(
                "wrote {0}; next: bakeoff run {0} --rows 10000 --dry-run",
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
    write(file, out, asked, None)
}

/// Writes the text of a workload for a file of rows, with what is known of the live table that it is a sample of.
fn write(
    file: &Path,
    out: Option<&Path>,
    options: &TableFileOptions,
    sampled: Option<&Sampled>,
) -> Result<Written> {
    let questions = options.questions()?;
    let named = name_from(out, file)?;
    let mut asked = options.asked();
    if let Some(sampled) = sampled {
        sampled.ask(&mut asked);
    }
    let mut found = infer(file, &asked).map_err(to_cli_error)?;
    if let Some(sampled) = sampled {
        found = sampled.complete(found);
    }
    if let Some(table) = &questions.table {
        found.table.clone_from(table);
    }
    let text = found.workload(&named, &designs(&found), &questions.questions);
    let asked_by = questions.option();
    check(
        &text,
        out.unwrap_or(Path::new("init.toml")),
        asked_by.as_deref(),
    )?;
    Ok(Written { found, text })
}

/// Prints what was found of a file, and what the user should look at.
pub fn tell(file: &Path, found: &Inferred) {
    let key: Vec<&str> = { found.partition_key.iter().chain(&found.order_key) }
        .map(String::as_str)
        .collect();
    let (of, rows) = match &found.origin {
        Some(origin) => (origin.name.clone(), "sampled rows"),
        None => (file.display().to_string(), "rows"),
    };
    let in_file = { found.columns.iter() }.filter(|column| column.constant.is_none());
    print_line(format_args!(
        "{of}: {} {rows}, {} columns, key ({})",
        found.rows,
        in_file.count(),
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
}

/// Returns the designs with which the workload begins.
fn designs(found: &Inferred) -> Vec<String> {
    let table = NewTable {
        columns: found.columns.len(),
        is_ordered: !found.order_key.is_empty(),
        days: found.days(),
        step_of_one_series: found.step_of_one_series(),
    };
    let engines = ENGINES.iter();
    let like_it = found
        .origin
        .iter()
        .filter_map(|origin| origin.design.clone());
    let mut designs: Vec<String> = like_it.collect();
    for design in engines.flat_map(|engine| engine.to_begin_with(&table)) {
        if !designs.contains(&design) {
            designs.push(design);
        }
    }
    designs
}

/// Checks a workload that was written, so that only one that runs is ever shown. `asked_by` is the option that its
/// questions come from.
///
/// # Errors
/// Fails with a misuse if a question is none about the table, and if anything else is wrong. It names the option in
/// place of the workload, which is not made.
fn check(text: &str, path: &Path, asked_by: Option<&str>) -> Result<()> {
    let told = |error: Error| match (asked_by, error) {
        (None, error) => Misuse::new(error.into()),
        (Some(option), Error::Workload { message, .. }) => {
            Misuse::new(anyhow!("{option}: {message}"))
        }
        (Some(option), error) => Misuse::new(anyhow::Error::new(error).context(option.to_owned())),
    };
    let mut workload = Workload::parse(text, path).map_err(told)?;
    check_designs(&workload).map_err(told)?;
    plain_queries(&mut workload);
    let checked = small_runtime()?.block_on(check_queries(&workload));
    checked.map_err(told)?;
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

    #[test]
    fn a_question_about_no_column_names_its_option_and_not_a_file_that_is_not_made() {
        let text = r#"
            title = "Rooms"
            designs = ["memory"]
            [table]
            name = "readings"
            partition_key = ["room"]
            order_key = ["time"]
            [table.columns]
            room = "text"
            time = "timestamp"
            temp = "double"
            [data]
            file = "readings.csv"
            [[queries]]
            name = "warmest"
            sql = "SELECT max(tmep) AS m FROM readings"
            [scale]
            rows = 10
            full_rows = 10
        "#;
        let told = |asked_by: Option<&str>| {
            let error = check(text, Path::new("runs/q/workload.toml"), asked_by).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            told(Some("--questions q.sql")),
            "--questions q.sql: query warmest: there is no column `tmep`; did you mean `temp`?"
        );
        let of_workload = told(None);
        assert!(
            of_workload.starts_with("runs/q/workload.toml:"),
            "{of_workload}"
        );
    }
}
