//! Which rows a command takes.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use bakeoff_engines::{check_designs, check_queries};
use bakeoff_workload::source::RowSource;
use bakeoff_workload::{Data, Error, Workload, source};
use clap::Args;

use crate::exit::Misuse;
use crate::shipped::{Chosen, Shelf, Shipped, WORKLOADS};
use crate::stderr::tell;

#[derive(Args, Debug)]
pub struct DataOptions {
    /// Data file (CSV, TSV, either gzipped, or Parquet) instead of the workload's own
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,

    /// An option of the workload's generator instead of what its file says, for example hosts=4000
    /// (repeat for several)
    #[arg(long, value_name = "KEY=VALUE", conflicts_with = "data")]
    set: Vec<String>,
}

impl DataOptions {
    /// The workload of a file, or the one of that name that comes with Bakeoff, with the options
    /// of its generator.
    ///
    /// # Errors
    /// A misuse if it cannot be read, or says something impossible.
    pub fn workload(&self, asked: &Path) -> Result<Workload> {
        let (workload, hint) = match choose(&WORKLOADS, asked)? {
            Chosen::Shipped(Shipped { name, text }) => {
                let workload = Workload::parse_with(text, Path::new(name), &self.set);
                (workload, String::new())
            }
            Chosen::File { hint } => (Workload::read_with(asked, &self.set), hint),
        };
        workload.map_err(|error| match error {
            Error::Read { .. } => Misuse::of(anyhow!("{error}{hint}")).into(),
            error => Misuse::of(error.into()).into(),
        })
    }

    /// The same workload, whose designs suit it, and of which every query can be planned.
    pub async fn workload_with_queries(&self, asked: &Path) -> Result<Workload> {
        let workload = self.workload(asked)?;
        check_designs(&workload).map_err(|error| Misuse::of(error.into()))?;
        let checked = check_queries(&workload).await;
        checked.map_err(|error| Misuse::of(error.into()))?;
        Ok(workload)
    }

    /// The rows of a workload, from the data file if one is named.
    pub fn open(&self, workload: &Workload) -> Result<Box<dyn RowSource>> {
        Ok(source::open(workload, self.data.clone())?)
    }

    /// The file that rows come from, if they do.
    pub fn file<'a>(&'a self, workload: &'a Workload) -> Option<&'a Path> {
        match (&self.data, &workload.data) {
            (Some(path), _) | (None, Data::File(path)) => Some(path),
            _ => None,
        }
    }

    /// Where rows come from, for a report.
    pub fn described(&self, workload: &Workload) -> String {
        match (self.file(workload), &workload.data) {
            (Some(path), _) => path.display().to_string(),
            (None, Data::Generator(generator)) => format!("generator {generator}"),
            (None, _) => String::new(),
        }
    }
}

/// What the command line names: a file, or what comes with Bakeoff. Where both could be meant, one
/// line says which it is.
///
/// # Errors
/// A misuse if it names neither, with what was probably meant.
pub fn choose(shelf: &Shelf, asked: &Path) -> Result<Chosen> {
    let (chosen, note) = shelf
        .choose(asked)
        .map_err(|message| Misuse::of(anyhow!(message)))?;
    if let Some(note) = note {
        tell(format_args!("note: {note}"));
    }
    Ok(chosen)
}
