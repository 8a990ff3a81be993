//! Prints what `--dry-run` shows.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
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
            for statement in &design.statements {
                writeln!(out, "  {statement}")?;
            }
        }
        for line in self.after {
            writeln!(out, "{line}")?;
        }
        Ok(Exit::Complete)
    }
}
