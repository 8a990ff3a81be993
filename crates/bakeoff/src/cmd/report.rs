//! `bakeoff report`: renders a saved run again, from its folder alone.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bakeoff_report::{html, json, terminal};
use bakeoff_stats::Run;
use clap::Args;

use crate::exit::Exit;

/// Widths between which a table is laid out, in characters.
const WIDTHS: std::ops::RangeInclusive<usize> = 80..=160;

/// Render a saved run again: the tables here, report.html and run.json in its folder.
#[derive(Args)]
pub struct Report {
    /// The folder that `bakeoff run` wrote to
    dir: PathBuf,
}

impl Report {
    pub fn run(self) -> Result<Exit> {
        render(&self.dir)
    }
}

/// Prints the tables, writes the files, and says how complete the run is.
pub fn render(dir: &Path) -> Result<Exit> {
    let run = Run::open(dir)?;
    let summary = run.summary()?;
    let write = |name: &str, text: &str| {
        let path = dir.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok::<PathBuf, anyhow::Error>(path)
    };
    let html = write("report.html", &html::render(&summary))?;
    let json = write("run.json", &json::render(&summary, run.records())?)?;
    let mut out = std::io::stdout().lock();
    let color = out.is_terminal() && std::env::var_os("NO_COLOR").is_none();
    writeln!(out, "{}", terminal::render(&summary, width(), color))?;
    writeln!(
        out,
        "Report: {}\nData:   {}",
        html.display(),
        json.display()
    )?;
    let measured = |d: &bakeoff_stats::DesignSummary| d.queries.iter().any(|q| q.time.is_some());
    Ok(match () {
        () if summary.interrupted && !summary.finished => Exit::Interrupted,
        () if !summary.designs.iter().any(measured) => Exit::Failed,
        () if summary.designs.iter().any(|d| !d.failures.is_empty()) => Exit::Partial,
        () => Exit::Complete,
    })
}

/// Columns of the terminal, within what tables are laid out for.
fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    size.map_or(100, |size| usize::from(size.ws_col))
        .clamp(*WIDTHS.start(), *WIDTHS.end())
}
