//! Defines options that choose the rows of a command.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use bakeoff_engines::{check_designs, check_queries, plain_queries, tie_notes};
use bakeoff_workload::source::RowSource;
use bakeoff_workload::{Data, Error, TextForm, Workload, source};
use clap::Args;

use crate::cmd::options::no_workload;
use crate::exit::Misuse;
use crate::shipped::{Chosen, Shelf, Shipped, WORKLOADS};
use crate::stderr::print_line;

#[derive(Args, Debug, Default)]
pub struct DataOptions {
    /// Data file instead of the workload's own: CSV, TSV or lines of JSON, any packed (.gz, .zst, .zip), Parquet or
    /// Arrow IPC; or a folder of such files (repeat for several of one kind, whose rows follow each other)
    #[arg(long, value_name = "FILE")]
    data: Vec<PathBuf>,

    /// The first line of the data file is a row; its columns are those of the table, in their order
    #[arg(long, conflicts_with = "set")]
    no_header: bool,

    /// Character between the fields of the data file, or tab, or spaces, whatever its name says
    #[arg(long, value_name = "CHARACTER", value_parser = TextForm::parse_delimiter, conflicts_with = "set")]
    delimiter: Option<u8>,

    /// Set an option of the workload's generator, for example hosts=4000 (repeat for several)
    #[arg(long, value_name = "KEY=VALUE", conflicts_with = "data")]
    set: Vec<String>,
}

impl DataOptions {
    /// Reads a workload like [`DataOptions::workload_of_rows`], which has to ask something.
    ///
    /// # Errors
    /// Fails with a misuse also if it has neither questions nor operations.
    pub fn workload(&self, asked: &Path) -> Result<Workload> {
        let workload = self.workload_of_rows(asked)?;
        if workload.queries.is_empty() && workload.mix.is_none() {
            let message =
                "the workload asks nothing: add [[queries]] with name and sql, or a [mix]";
            let error = Error::Workload {
                path: workload.path,
                line: 1,
                column: 1,
                message: message.to_owned(),
            };
            return Err(Misuse::new(error.into()).into());
        }
        Ok(workload)
    }

    /// Reads a workload from a file, or the shipped one of that name, and applies the options of its
    /// generator or of its data file. It may have rows alone.
    ///
    /// # Errors
    /// Fails with a misuse if it cannot be read or is invalid, or if it has no file that these options are about.
    pub fn workload_of_rows(&self, asked: &Path) -> Result<Workload> {
        let mut workload = self.read(asked)?;
        let are_given = self.no_header || self.delimiter.is_some();
        if are_given && self.data.is_empty() && matches!(workload.data, Data::Generator(_)) {
            let error = anyhow!(
                "--no-header and --delimiter say how a data file is read, but {} generates its rows: \
                 name a file with --data, or leave them out",
                workload.name
            );
            return Err(Misuse::new(error).into());
        }
        let form = &mut workload.text_form;
        form.no_header |= self.no_header;
        form.delimiter = self.delimiter.or(form.delimiter);
        Ok(workload)
    }

    fn read(&self, asked: &Path) -> Result<Workload> {
        no_workload::refuse(asked)?;
        let (workload, hint) = match choose(&WORKLOADS, asked)? {
            Chosen::Shipped(Shipped { name, text }) => {
                let workload = Workload::parse_with(text, Path::new(name), &self.set);
                (workload, String::new())
            }
            Chosen::File { hint } => (Workload::read_with(asked, &self.set), hint),
        };
        workload.map_err(|error| match error {
            Error::Read { .. } => Misuse::new(anyhow!("{error}{hint}")).into(),
            error => Misuse::new(error.into()).into(),
        })
    }

    /// Reads a workload like [`DataOptions::workload`], and checks its designs and plans its queries.
    pub async fn workload_with_queries(&self, asked: &Path) -> Result<Workload> {
        let mut workload = self.workload(asked)?;
        check_designs(&workload).map_err(|error| Misuse::new(error.into()))?;
        plain_queries(&mut workload);
        let checked = check_queries(&workload).await;
        checked.map_err(|error| Misuse::new(error.into()))?;
        Ok(workload)
    }

    /// Reads a workload like [`DataOptions::workload_with_queries`], and prints a note for each question whose answers
    /// may be called wrong, since it takes a value of one row of several that tie.
    pub async fn workload_to_answer(&self, asked: &Path) -> Result<Workload> {
        let workload = self.workload_with_queries(asked).await?;
        for note in tie_notes(&workload).await {
            print_line(format_args!("note: {note}"));
        }
        Ok(workload)
    }

    /// Opens the rows of a workload, from data files if any are named.
    ///
    /// # Errors
    /// Fails with a misuse if the workload needs a file and none is named, or if the file cannot be read or does not
    /// fit the table.
    pub fn open(&self, workload: &Workload) -> Result<Box<dyn RowSource>> {
        let opened = if self.data.is_empty() {
            source::open(workload, None)
        } else {
            source::open_data(workload, &self.data)
        };
        opened.map_err(to_cli_error)
    }

    /// Lists these options as arguments of another command that takes them.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        let mut add = |option: &str, value: String| arguments.extend([option.to_owned(), value]);
        for file in &self.data {
            add("--data", file.display().to_string());
        }
        for set in &self.set {
            add("--set", set.clone());
        }
        if let Some(delimiter) = self.delimiter {
            add("--delimiter", TextForm::delimiter_name(delimiter));
        }
        if self.no_header {
            arguments.push("--no-header".to_owned());
        }
        arguments
    }

    /// Returns the files that rows come from, if they come from any.
    pub fn files<'a>(&'a self, workload: &'a Workload) -> &'a [PathBuf] {
        match &workload.data {
            _ if !self.data.is_empty() => &self.data,
            Data::Files(files) => files,
            Data::Generator(_) | Data::FileFromCommandLine => &[],
        }
    }

    /// Describes for a report where rows come from.
    pub fn described(&self, workload: &Workload) -> String {
        let mut described = match (self.files(workload), &workload.data) {
            ([], Data::Generator(generator)) => format!("generator {generator}"),
            ([], _) => String::new(),
            ([file], _) => file.display().to_string(),
            ([first, others @ ..], _) => format!("{} and {} more", first.display(), others.len()),
        };
        // What the workload says of its files is in the report anyway.
        if self.no_header {
            described.push_str(" --no-header");
        }
        if let Some(delimiter) = self.delimiter {
            let name = TextForm::delimiter_name(delimiter);
            described.push_str(&format!(" --delimiter {name:?}"));
        }
        described
    }
}

/// Converts an error of rows; what another command line would avoid becomes a misuse.
pub fn to_cli_error(error: Error) -> anyhow::Error {
    match error {
        Error::Usage(_) => Misuse::new(error.into()).into(),
        error => error.into(),
    }
}

/// Finds what the command line names: a file, or a shipped one. Prints a note if both could be meant.
///
/// # Errors
/// Fails with a misuse if it names neither, and says what was probably meant.
pub fn choose(shelf: &Shelf, asked: &Path) -> Result<Chosen> {
    let (chosen, note) = shelf
        .choose(asked)
        .map_err(|message| Misuse::new(anyhow!(message)))?;
    if let Some(note) = note {
        print_line(format_args!("note: {note}"));
    }
    Ok(chosen)
}
