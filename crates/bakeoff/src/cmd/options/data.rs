//! Defines options that choose the rows of a command.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use bakeoff_engines::{check_designs, check_queries};
use bakeoff_workload::source::RowSource;
use bakeoff_workload::{Data, Error, Workload, source};
use clap::Args;

use crate::exit::Misuse;
use crate::shipped::{Chosen, Shelf, Shipped, WORKLOADS};
use crate::stderr::print_line;

#[derive(Args, Debug)]
pub struct DataOptions {
    /// Data file (CSV, TSV, either gzipped, or Parquet) instead of the workload's own
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,

    /// Set an option of the workload's generator, for example hosts=4000 (repeat for several)
    #[arg(long, value_name = "KEY=VALUE", conflicts_with = "data")]
    set: Vec<String>,
}

impl DataOptions {
    /// Reads a workload from a file, or the shipped one of that name, and applies the options of its
    /// generator.
    ///
    /// # Errors
    /// Fails with a misuse if it cannot be read or is invalid.
    pub fn workload(&self, asked: &Path) -> Result<Workload> {
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
        let workload = self.workload(asked)?;
        check_designs(&workload).map_err(|error| Misuse::new(error.into()))?;
        let checked = check_queries(&workload).await;
        checked.map_err(|error| Misuse::new(error.into()))?;
        Ok(workload)
    }

    /// Opens the rows of a workload, from the data file if one is named.
    pub fn open(&self, workload: &Workload) -> Result<Box<dyn RowSource>> {
        Ok(source::open(workload, self.data.clone())?)
    }

    /// Returns the file that rows come from, if they come from one.
    pub fn file<'a>(&'a self, workload: &'a Workload) -> Option<&'a Path> {
        match (&self.data, &workload.data) {
            (Some(path), _) | (None, Data::File(path)) => Some(path),
            _ => None,
        }
    }

    /// Describes for a report where rows come from.
    pub fn described(&self, workload: &Workload) -> String {
        match (self.file(workload), &workload.data) {
            (Some(path), _) => path.display().to_string(),
            (None, Data::Generator(generator)) => format!("generator {generator}"),
            (None, _) => String::new(),
        }
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
