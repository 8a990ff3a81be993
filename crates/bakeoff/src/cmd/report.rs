//! `bakeoff report`: renders a saved run again, from its folder alone.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_report::{drive, html, json, sweep, terminal};
use bakeoff_stats::drive::{DriveDesign, DriveRun, DriveSummary};
use bakeoff_stats::sweep::{SweepRun, SweepSummary};
use bakeoff_stats::{Prices, Run};
use clap::Args;

use crate::cmd::options::prices::PriceOptions;
use crate::exit::{Exit, Misuse};
use crate::progress::Progress;

/// Widths between which a table is laid out, in characters.
const WIDTHS: std::ops::RangeInclusive<usize> = 80..=160;

/// Render a saved run again: the tables here, report.html and run.json in its folder.
#[derive(Args)]
pub struct Report {
    /// The folder that `bakeoff run`, `drive`, `merge` or `sweep` wrote to
    dir: PathBuf,

    #[command(flatten)]
    prices: PriceOptions,
}

impl Report {
    pub fn run(self) -> Result<Exit> {
        let prices = self.prices.read()?;
        let (is_load, is_sweep) = (DriveRun::is_one(&self.dir), SweepRun::is_one(&self.dir));
        match () {
            () if prices.is_some() && (is_load || is_sweep) => {
                let told = "--prices is for what `bakeoff run` measured; this folder is of a load";
                Err(Misuse::of(anyhow!(told)).into())
            }
            () if is_load => render_drive(&self.dir),
            () if is_sweep => render_sweep(&self.dir),
            () => render(&self.dir, prices),
        }
    }
}

/// Prints the tables of a run, writes the files, and says how complete it is.
pub fn render(dir: &Path, prices: Option<Prices>) -> Result<Exit> {
    let progress = Progress::begin(&format!("reading {}", dir.display()));
    let run = Run::open(dir)?;
    let summary = match prices {
        Some(prices) => run.summary()?.priced(prices),
        None => run.summary()?,
    };
    let files = Files {
        html: html::render(&summary),
        json: json::render(&summary, run.records())?,
    };
    files.write(dir, &progress, |color| {
        terminal::render(&summary, width(), color)
    })?;
    let measured = |d: &bakeoff_stats::DesignSummary| d.queries.iter().any(|q| q.time.is_some());
    Ok(match () {
        () if summary.interrupted && !summary.finished => Exit::Interrupted,
        () if !summary.designs.iter().any(measured) => Exit::Failed,
        () if summary.designs.iter().any(|d| !d.failures.is_empty()) => Exit::Partial,
        () => Exit::Complete,
    })
}

/// The same for a load.
pub fn render_drive(dir: &Path) -> Result<Exit> {
    let progress = Progress::begin(&format!("reading {}", dir.display()));
    let run = DriveRun::open(dir)?;
    let summary = run.summary()?;
    let files = Files {
        html: drive::html::render(&summary),
        json: drive::json::render(&summary, run.records())?,
    };
    files.write(dir, &progress, |color| {
        drive::terminal::render(&summary, width(), color)
    })?;
    Ok(exit_of(&summary))
}

fn exit_of(summary: &DriveSummary) -> Exit {
    // That no rate holds an objective is a result, too.
    let succeeded = |d: &DriveDesign| {
        !d.found.is_empty() || d.figures.as_ref().is_some_and(|f| f.successes() > 0)
    };
    match () {
        () if summary.interrupted && !summary.finished => Exit::Interrupted,
        () if !summary.designs.iter().any(succeeded) => Exit::Failed,
        () if summary.designs.iter().any(|d| !d.failures.is_empty()) => Exit::Partial,
        () if summary.designs.iter().any(too_many_failed) => Exit::Partial,
        () => Exit::Complete,
    }
}

/// Whether its response times are no result, since too many operations failed. A search judges that
/// by its objective.
fn too_many_failed(design: &DriveDesign) -> bool {
    let figures = design.figures.as_ref();
    design.found.is_empty() && figures.is_some_and(|f| f.too_many_failed())
}

/// The same for a sweep.
pub fn render_sweep(dir: &Path) -> Result<Exit> {
    let progress = Progress::begin(&format!("reading {}", dir.display()));
    let run = SweepRun::open(dir)?;
    let summary = run.summary();
    let files = Files {
        html: sweep::html::render(&summary),
        json: sweep::json::render(&summary, run.records())?,
    };
    files.write(dir, &progress, |color| {
        sweep::terminal::render(&summary, width(), color)
    })?;
    Ok(exit_of_sweep(&summary))
}

/// That some settings are not available is a result; that rows are missing, or a design, is not.
fn exit_of_sweep(summary: &SweepSummary) -> Exit {
    let is_wrong = |c: &bakeoff_stats::sweep::Cell| c.check.as_ref().is_some_and(|c| c.is_wrong());
    match () {
        () if summary.interrupted && !summary.finished => Exit::Interrupted,
        () if !summary.designs.iter().any(|d| d.best.is_some()) => Exit::Failed,
        () if summary.cells().any(is_wrong) => Exit::Partial,
        () if summary.designs.iter().any(|d| !d.failures.is_empty()) => Exit::Partial,
        () => Exit::Complete,
    }
}

/// The parts of a report beside its tables in the terminal.
struct Files {
    html: String,
    json: String,
}

impl Files {
    /// Writes them, and prints the tables with the files' places.
    fn write(
        &self,
        dir: &Path,
        progress: &Progress,
        tables: impl Fn(bool) -> String,
    ) -> Result<()> {
        let write = |name: &str, text: &str| {
            let path = dir.join(name);
            std::fs::write(&path, text)
                .with_context(|| format!("cannot write {}", path.display()))?;
            Ok::<PathBuf, anyhow::Error>(path)
        };
        let html = write("report.html", &self.html)?;
        let json = write("run.json", &self.json)?;
        progress.finish();
        let mut out = std::io::stdout().lock();
        let color = out.is_terminal() && std::env::var_os("NO_COLOR").is_none();
        writeln!(out, "{}", tables(color))?;
        writeln!(
            out,
            "Report: {}\nData:   {}",
            html.display(),
            json.display()
        )?;
        Ok(())
    }
}

/// Columns of the terminal, within what tables are laid out for.
fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    size.map_or(100, |size| usize::from(size.ws_col))
        .clamp(*WIDTHS.start(), *WIDTHS.end())
}
