//! `bakeoff merge`: joins the folders of processes that drove or swept one table together.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_stats::drive::{self, DriveRun};
use bakeoff_stats::sweep::{self, SweepRun};
use clap::Args;

use super::report;
use crate::exit::Exit;
use crate::progress::Progress;

/// Join the run folders of several processes that drove or swept one table (`bakeoff drive --shard`,
/// `bakeoff sweep --shard`).
#[derive(Args)]
pub struct Merge {
    /// Folders that `bakeoff drive` or `bakeoff sweep` wrote to, one for each shard
    #[arg(required = true)]
    dirs: Vec<PathBuf>,

    /// Folder for the joined load or sweep
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Merge {
    pub fn run(self) -> Result<Exit> {
        let progress = Progress::begin("reading the shards");
        if are_sweeps(&self.dirs)? {
            sweep::merge(&self.dirs, &self.out)?;
            progress.finish();
            return report::render_sweep(&self.out, &report::Shown::default());
        }
        // All are read to their ends first, so that a damaged one leaves no incomplete result behind.
        for dir in &self.dirs {
            DriveRun::open(dir)?
                .summary()
                .with_context(|| format!("reading {}", dir.display()))?;
        }
        progress.step("joining them");
        drive::merge(&self.dirs, &self.out)?;
        progress.finish();
        report::render_drive(&self.out, &report::Shown::default())
    }
}

/// Returns whether all folders are of sweeps.
///
/// # Errors
/// Fails if only some are.
fn are_sweeps(dirs: &[PathBuf]) -> Result<bool> {
    let is_sweep = |dir: &&PathBuf| SweepRun::is_one(dir);
    let Some(sweep) = dirs.iter().find(is_sweep) else {
        return Ok(false);
    };
    let other: Option<&Path> = dirs.iter().find(|dir| !is_sweep(dir)).map(PathBuf::as_path);
    match other {
        Some(other) => bail!(
            "{} holds a sweep, and {} does not: join either sweeps or loads",
            sweep.display(),
            other.display()
        ),
        None => Ok(true),
    }
}
