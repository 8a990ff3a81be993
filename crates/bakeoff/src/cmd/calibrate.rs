//! `bakeoff calibrate`: measures what storing and reading cost on this machine with each kind of designs.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use bakeoff_engines::registry::engine;
use bakeoff_engines::{Context, EngineOptions};
use bakeoff_report::propose::calibrated;
use bakeoff_workload::{DesignId, with_designs};
use clap::Args;

use super::measurement::Measurement;
use super::options::choice::parse_duration;
use super::{propose, small_runtime};
use crate::calibration::{self, RUN};
use crate::exit::Exit;
use crate::machine;
use crate::out_file::OutFile;
use crate::stderr::print_line;
use crate::terminal::stdout;

/// What is measured, but for the designs.
const WORKLOAD: &str = include_str!("calibrate/workload.toml");
/// One design of each kind that can be estimated.
const DESIGNS: [&str; 10] = [
    "cassandra/wide",
    "cassandra/narrow",
    "cassandra/blob",
    "cassandra/columnar",
    "local/columnar",
    "parquet?codec=zstd",
    "duckdb/table",
    "duckdb/parquet?codec=zstd",
    "postgres/plain",
    "timescale/hypertable",
];

/// Measure what storing and reading cost on this machine, so that `propose` and `decide` leave out what is far behind
///
/// A small table is loaded into one design of each kind, and four questions are asked. The figures stay in the folder of
/// what outlives a run. By them `propose` and `decide` estimate what the questions of a workload take, and leave out
/// designs that another one is estimated to beat by far in everything: in each question, in bytes and in loading.
#[derive(Args, Debug)]
pub struct Calibrate {
    /// Time for measuring; starting servers comes on top
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = parse_duration)]
    budget: Duration,
}

impl Calibrate {
    pub fn run(self) -> Result<Exit> {
        let folder = calibration::folder()?;
        let above = folder.parent().unwrap_or(Path::new("/"));
        std::fs::create_dir_all(above)
            .with_context(|| format!("cannot make {}", above.display()))?;
        // It takes the place of the last one as a whole, once it has ended.
        let new = tempfile::Builder::new()
            .prefix("calibration-")
            .tempdir_in(above)
            .with_context(|| format!("cannot make a folder in {}", above.display()))?;
        let ended = self.measure(new.path())?;
        if ended == Exit::Interrupted {
            print_line(format_args!("interrupted: what was measured before stays"));
            return Ok(ended);
        }
        let measured = calibration::read(new.path())?;
        if measured.paces.is_empty() {
            return Err(anyhow!(
                "no design answered all questions: `bakeoff doctor` says what is missing"
            ));
        }
        if folder.exists() {
            std::fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        let new = new.keep();
        std::fs::rename(&new, &folder)
            .with_context(|| format!("cannot move {} to {}", new.display(), folder.display()))?;
        writeln!(stdout(), "{}", calibrated(&measured))?;
        print_line(format_args!(
            "wrote {}; `propose` and `decide` use it",
            folder.display()
        ));
        Ok(ended)
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
        let budget = format!("{}ms", self.budget.as_millis().max(1));
        let words: [OsString; 9] = [
            "run".into(),
            path.into(),
            "--no-twins".into(),
            "--scales".into(),
            "1".into(),
            "--budget".into(),
            budget.into(),
            "--out".into(),
            folder.join(RUN).into(),
        ];
        match Measurement::read(words.to_vec()) {
            Ok(Measurement::Run(run)) => run.without_tables().run(),
            Ok(_) => Err(anyhow!("cannot begin the run")),
            Err(why) => Err(anyhow!("cannot begin the run: {why}")),
        }
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
