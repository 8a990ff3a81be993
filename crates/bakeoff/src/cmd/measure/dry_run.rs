//! Prints what `--dry-run` shows.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use bakeoff_engines::registry::ENGINES;
use bakeoff_engines::{Context, Engine};
use bakeoff_stats::DesignInfo;

use crate::exit::Exit;
use crate::terminal::stdout;

/// A measurement that is only shown, with everything that it would touch.
pub struct DryRun<'a> {
    /// Kind of measurement, in one word.
    pub what: &'a str,
    /// Run folder.
    pub dir: &'a Path,
    /// Lines between the folder and the designs.
    pub before: &'a [String],
    pub designs: &'a [DesignInfo],
    /// Lines after the designs.
    pub after: &'a [String],
}

impl DryRun<'_> {
    pub fn print(&self) -> Result<Exit> {
        let mut out = stdout();
        writeln!(
            out,
            "Nothing is touched. The {} would write to {}",
            self.what,
            self.dir.display()
        )?;
        for line in self.before {
            writeln!(out, "{line}")?;
        }
        for design in self.designs {
            writeln!(out, "\n{}", design.id)?;
            let of = { design.table_of.as_ref() }
                .and_then(|of| self.designs.iter().find(|other| other.id == *of));
            if let Some(of) = of {
                writeln!(out, "  reads the table of {}", of.id)?;
            }
            let is_said =
                |statement: &&String| of.is_some_and(|of| of.statements.contains(statement));
            for statement in design.statements.iter().filter(|s| !is_said(s)) {
                writeln!(out, "  {statement}")?;
            }
        }
        for line in self.after {
            writeln!(out, "{line}")?;
        }
        Ok(Exit::Complete)
    }
}

/// Returns what a measurement would touch or start in addition to its folder, given which engines have designs; one
/// server may serve several engines.
pub fn would_touch(has_designs: impl Fn(&str) -> bool, context: &Context) -> Vec<String> {
    let is_asked = |engine: &&&dyn Engine| has_designs(engine.name());
    let engines = ENGINES.iter().filter(is_asked);
    let mut touched: Vec<String> = engines.filter_map(|e| e.would_touch(context)).collect();
    touched.dedup();
    touched
}
