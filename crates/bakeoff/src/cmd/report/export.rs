//! Writes the measured values of a run, a load or a sweep for other tools: as metrics of Prometheus, and as a Parquet
//! file.

mod table;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_report::values::{Values, of_drive, of_run, of_sweep, prometheus};
use bakeoff_stats::Run;
use bakeoff_stats::drive::DriveRun;
use bakeoff_stats::sweep::SweepRun;
use clap::Args;

use crate::exit::Misuse;
use crate::out_file::OutFile;
use crate::terminal::stdout;

/// End of the names of records of runs, which no export may replace.
const RECORDS: &str = "jsonl";

#[derive(Args, Debug)]
pub struct ExportOptions {
    /// Also write the figures of each design and query as metrics, in the text format of Prometheus
    #[arg(long, value_name = "FILE")]
    prometheus: Option<PathBuf>,

    /// Also write every measured value as a row of a Parquet file: run, kind, design, query, round, name, value, unit
    #[arg(long, value_name = "FILE")]
    parquet: Option<PathBuf>,
}

impl ExportOptions {
    /// Checks that no file would replace what is on record of a run, or the other file.
    ///
    /// # Errors
    /// Fails with a misuse for such a file.
    pub fn check(&self) -> Result<()> {
        let prometheus = self.prometheus.iter().map(|path| ("--prometheus", path));
        let parquet = self.parquet.iter().map(|path| ("--parquet", path));
        for (option, path) in prometheus.chain(parquet) {
            if path.extension().is_some_and(|end| end == RECORDS) {
                let taken = anyhow!(
                    "{option} {}: files of this name hold what is on record of runs; choose another name",
                    path.display()
                );
                return Err(Misuse::new(taken).into());
            }
        }
        match (&self.prometheus, &self.parquet) {
            (Some(one), Some(other)) if one == other => {
                let same = anyhow!(
                    "--prometheus and --parquet both name {}: name two files",
                    one.display()
                );
                Err(Misuse::new(same).into())
            }
            _ => Ok(()),
        }
    }

    /// Writes the files that are asked for, from the folder of a run, and prints their names.
    ///
    /// # Errors
    /// Fails if the folder cannot be read, or a file not be written.
    pub fn write(&self, dir: &Path) -> Result<()> {
        if self.prometheus.is_none() && self.parquet.is_none() {
            return Ok(());
        }
        let values = read(dir)?;
        if let Some(path) = &self.prometheus {
            write_file(path, prometheus::render(&values).as_bytes())?;
            writeln!(stdout(), "Metrics: {}", path.display())?;
        }
        if let Some(path) = &self.parquet {
            let bytes = table::in_parquet(&values);
            let bytes = bytes.with_context(|| format!("cannot write {}", path.display()))?;
            write_file(path, &bytes)?;
            writeln!(stdout(), "Values:  {}", path.display())?;
        }
        Ok(())
    }
}

/// Reads the values of a run, a load or a sweep.
fn read(dir: &Path) -> Result<Values> {
    let name = name_of(dir);
    if DriveRun::is_one(dir) {
        return Ok(of_drive(&DriveRun::open(dir)?.summary()?, &name));
    }
    if SweepRun::is_one(dir) {
        return Ok(of_sweep(&SweepRun::open(dir)?.summary(), &name));
    }
    Ok(of_run(&Run::open(dir)?.summary()?, &name))
}

/// Returns the last part of a folder's path, also of `.`, or all of it if there is none.
fn name_of(dir: &Path) -> String {
    let whole = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let last = whole.file_name().map(|name| name.to_string_lossy());
    last.map_or_else(|| dir.display().to_string(), |name| name.into_owned())
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = OutFile::create(path)?;
    file.write_all(bytes)
        .with_context(|| format!("cannot write {}", path.display()))?;
    file.complete()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_runs_are_not_replaced() {
        let options = |prometheus: &str, parquet: &str| ExportOptions {
            prometheus: Some(PathBuf::from(prometheus)),
            parquet: Some(PathBuf::from(parquet)),
        };
        options("a.prom", "a.parquet").check().unwrap();
        for refused in [
            options("runs/formats/journal.jsonl", "a.parquet"),
            options("a.prom", "drive.jsonl"),
        ] {
            let error = refused.check().unwrap_err().to_string();
            assert!(error.contains("choose another name"), "{error}");
        }
        let error = options("a", "a").check().unwrap_err().to_string();
        assert!(error.contains("name two files"), "{error}");
    }

    #[test]
    fn a_folder_is_named_by_the_end_of_its_path() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("formats-2");
        std::fs::create_dir(&run).unwrap();
        assert_eq!(name_of(&run), "formats-2");
        assert_eq!(name_of(&run.join(".")), "formats-2");
        assert_eq!(name_of(Path::new("nowhere/formats")), "formats");
    }
}
