//! `bakeoff merge`: joins the folders of processes that drove one table together.

use std::path::PathBuf;

use anyhow::{Context, Result};
use bakeoff_stats::drive::{DriveRun, merge};
use clap::Args;

use super::report;
use crate::exit::Exit;
use crate::progress::Progress;

/// Join the run folders of several processes that drove one table (`bakeoff drive --shard`).
#[derive(Args)]
pub struct Merge {
    /// Folders that `bakeoff drive` wrote to, one for each shard
    #[arg(required = true)]
    dirs: Vec<PathBuf>,

    /// Folder for the joined load
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Merge {
    pub fn run(self) -> Result<Exit> {
        let progress = Progress::begin("reading the shards");
        // All are read to their ends first, so that a damaged one leaves no incomplete result behind.
        for dir in &self.dirs {
            DriveRun::open(dir)?
                .summary()
                .with_context(|| format!("reading {}", dir.display()))?;
        }
        progress.step("joining them");
        merge(&self.dirs, &self.out)?;
        progress.finish();
        report::render_drive(&self.out, &report::Shown::default())
    }
}
