//! Which rows a command takes.

use std::path::{Path, PathBuf};

use anyhow::Result;
use bakeoff_workload::source::RowSource;
use bakeoff_workload::{Data, Error, Workload, source};
use clap::Args;

use crate::exit::Misuse;

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
    /// The workload of a file, with the options of its generator.
    pub fn workload(&self, path: &Path) -> Result<Workload> {
        Workload::read_with(path, &self.set).map_err(|error| match error {
            Error::Usage(_) => Misuse::of(error.into()).into(),
            error => error.into(),
        })
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
