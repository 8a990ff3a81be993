//! `bakeoff calibrate`: measures what storing and reading cost on this machine with each kind of designs.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use bakeoff_engines::registry::engine;
use bakeoff_engines::{Context, EngineOptions};
use bakeoff_report::propose::calibrated;
use bakeoff_stats::propose::Calibration;
use bakeoff_workload::{DesignId, with_designs};
use clap::Args;

use super::measurement::Measurement;
use super::options::choice::parse_rows;
use super::{propose, small_runtime};
use crate::calibration::{self, RUN};
use crate::exit::Exit;
use crate::machine;
use crate::out_file::OutFile;
use crate::stderr::print_line;
use crate::terminal::stdout;

/// What is measured, but for the designs.
const WORKLOAD: &str = include_str!("calibrate/workload.toml");
/// One design of each kind that can be estimated: of those that find the rows of a series by the key, or read all.
const DESIGNS: [&str; 9] = [
    "cassandra/wide",
    "cassandra/blob",
    "cassandra/columnar",
    "local/columnar",
    "parquet?codec=zstd",
    "duckdb/table",
    "duckdb/parquet?codec=zstd",
    "postgres/plain",
    "timescale/hypertable",
];

/// Names of the folders of a calibration that has not ended, of one that another one replaces, and of the lock.
const NEXT: &str = "next";
const OLD: &str = "old";
const LOCK: &str = "lock";

/// Measure what storing and reading cost on this machine, so that `propose` and `decide` leave out what is far behind
///
/// A small table is loaded into one design of each kind, and four questions are asked, in about a minute with the start
/// of the servers. The figures stay in the folder of what outlives a run. By them `propose` and `decide` estimate what the
/// questions of a workload take, and leave out designs that another one of the same engine is estimated to beat by far in
/// everything: in each question, in bytes and in loading.
#[derive(Args, Debug)]
pub struct Calibrate {
    /// Rows to load into each design: with fewer, less is known of large tables
    #[arg(long, value_name = "N", value_parser = parse_rows, default_value = "100k", allow_negative_numbers = true)]
    rows: u64,
}

impl Calibrate {
    pub fn run(self) -> Result<Exit> {
        let folder = calibration::folder()?;
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        let _lock = lock(&folder)?;
        // It takes the place of the last one as a whole, once it has ended. Another one may have been killed.
        let next = folder.join(NEXT);
        remove(&next)?;
        let (last, old) = (calibration::last(&folder), folder.join(OLD));
        if old.exists() && !last.exists() {
            move_to(&old, &last)?;
        }
        std::fs::create_dir(&next).with_context(|| format!("cannot make {}", next.display()))?;
        let ended = self.measure(&next);
        let taken = match ended {
            Ok(Exit::Interrupted) => {
                print_line(format_args!("nothing of this calibration is kept"));
                Ok(false)
            }
            Ok(_) => take(&next, &last),
            Err(_) => Ok(false),
        };
        if !matches!(taken, Ok(true)) {
            remove(&next)?;
        }
        taken?;
        ended
    }

    /// Measures the designs that can be used here, in a folder.
    fn measure(&self, folder: &Path) -> Result<Exit> {
        let designs = small_runtime()?.block_on(usable(folder));
        let path = folder.join("workload.toml");
        let mut file = OutFile::create_new(&path)?;
        let text = with_designs(WORKLOAD, &designs)?;
        file.write_all(text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        file.complete()?;
        let words: Vec<OsString> = vec![
            "run".into(),
            path.into(),
            "--no-twins".into(),
            "--scales".into(),
            "1".into(),
            "--rows".into(),
            self.rows.to_string().into(),
            "--out".into(),
            folder.join(RUN).into(),
        ];
        match Measurement::read(words) {
            Ok(Measurement::Run(run)) => run.without_tables().run(),
            Ok(_) => Err(anyhow!("cannot begin the run")),
            Err(why) => Err(anyhow!("cannot begin the run: {why}")),
        }
    }
}

/// Keeps two calibrations from measuring at the same time, until the file is closed.
///
/// # Errors
/// Fails if another one goes on.
fn lock(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK);
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(anyhow!("another calibration goes on: wait for its end"))
        }
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

/// Puts a calibration that ended in the place of the last one, and prints it. Returns whether it is kept: one in which
/// something failed does not replace another one.
fn take(next: &Path, last: &Path) -> Result<bool> {
    let summary = calibration::read(next)?;
    for (design, failure) in summary.failures() {
        print_line(format_args!("{}: {}", design.info.id, failure.reason));
    }
    let measured = Calibration::of(&summary);
    if measured.paces.is_empty() {
        return Err(anyhow!(
            "no design answered all questions over enough rows: give more --rows; `bakeoff doctor` says what is missing"
        ));
    }
    if summary.failures().next().is_some() && last.exists() {
        print_line(format_args!(
            "the last calibration stays, since something failed: {}",
            last.display()
        ));
        return Ok(false);
    }
    // A kill in between loses the older one at most.
    let old = last.with_file_name(OLD);
    remove(&old)?;
    if last.exists() {
        move_to(last, &old)?;
    }
    move_to(next, last)?;
    remove(&old)?;
    writeln!(stdout(), "{}", calibrated(&measured))?;
    print_line(format_args!(
        "wrote {}; `propose` and `decide` use it",
        last.display()
    ));
    Ok(true)
}

fn move_to(from: &Path, to: &Path) -> Result<()> {
    std::fs::rename(from, to)
        .with_context(|| format!("cannot move {} to {}", from.display(), to.display()))
}

/// Removes a folder, if it is there.
fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Returns the designs whose engine, and what they need of it, is on this machine, with nothing beside them.
async fn usable(folder: &Path) -> Vec<(String, String)> {
    let context = Context {
        run_dir: folder.join(RUN),
        token: None,
        threads: machine::cores(),
        keys_repeat: false,
        options: EngineOptions::default(),
    };
    let mut usable = Vec::new();
    for design in DESIGNS {
        let Ok(id) = design.parse::<DesignId>() else {
            continue;
        };
        let is_here = match engine(&id) {
            Ok(engine) => engine.availability().await.is_ok(),
            Err(_) => false,
        };
        if is_here && propose::lacking(&id, &context).await.is_none() {
            usable.push((design.to_owned(), "calibrated".to_owned()));
        }
    }
    usable
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::propose::{COLUMN, COLUMNS, FEW, SERIES};
    use bakeoff_workload::Workload;

    use super::*;

    #[test]
    fn the_workload_has_the_questions_that_figures_are_taken_of() {
        let designs = DESIGNS.map(|design| (design.to_owned(), "calibrated".to_owned()));
        let text = with_designs(WORKLOAD, &designs).unwrap();
        let workload = Workload::parse(&text, Path::new("workload.toml")).unwrap();
        let names = workload.queries.iter().map(|query| query.name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), [FEW, SERIES, COLUMN, COLUMNS]);
        assert_eq!(workload.designs.len(), DESIGNS.len());
        bakeoff_engines::check_designs(&workload).unwrap();
    }
}
