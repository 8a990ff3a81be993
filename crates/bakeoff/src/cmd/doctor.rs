//! `bakeoff doctor`: shows what this machine has for runs, and what installs the rest.

use std::io::Write;

use anyhow::{Context, Result};
use bakeoff_engines::registry::ENGINES;
use bakeoff_engines::servers::survey::{self, Need, Survey};
use clap::Args;

use crate::exit::Exit;
use crate::terminal::stdout;

/// Engine that `bakeoff run formats`, the first command of the documentation, cannot do without.
const MAIN: &str = "cassandra";
/// Name of the need for a folder for results; all other needs are those of servers.
const FOLDER: &str = "folder";

/// Show which engines are installed, and what installs the others; starts nothing
///
/// The exit code is that of a run of `formats` here: 0 if each of its designs can be measured, even if
/// other engines are missing; 3 if Cassandra's cannot; 1 if nothing can be written.
#[derive(Args)]
pub struct Doctor {}

/// The engines and needs found on this machine.
struct Findings {
    engines: Vec<(&'static str, Survey)>,
    machine: Vec<Need>,
}

impl Doctor {
    pub fn run(self) -> Result<Exit> {
        let findings = Findings::look()?;
        let mut out = stdout();
        writeln!(out, "{}", findings.answer())?;
        writeln!(out, "\nEngines:")?;
        for (name, survey) in &findings.engines {
            let state = survey.verdict().unwrap_or("cannot be used");
            writeln!(out, "  {name:<11} {state}")?;
            write_needs(&mut out, "    ", &survey.needs)?;
        }
        writeln!(out, "\nThis machine:")?;
        write_needs(&mut out, "  ", &findings.machine)?;
        Ok(findings.exit())
    }
}

impl Findings {
    fn look() -> Result<Findings> {
        let folder = std::env::current_dir().context("cannot use the current folder")?;
        let runtime = super::small_runtime()?;
        let of_engine = |engine: &&'static dyn bakeoff_engines::Engine| {
            (engine.name(), runtime.block_on(engine.survey()))
        };
        Ok(Findings {
            engines: ENGINES.iter().map(of_engine).collect(),
            machine: survey::machine(&folder),
        })
    }

    fn missing(&self) -> Vec<&'static str> {
        let missing = self.engines.iter().filter(|(_, s)| s.verdict().is_err());
        missing.map(|(name, _)| *name).collect()
    }

    /// Returns the reason why no run could write its results here.
    fn obstacle(&self) -> Option<&str> {
        self.unmet(|need| need.name == FOLDER)
    }

    /// Returns the first need of servers that this machine does not meet.
    fn shortage(&self) -> Option<&str> {
        self.unmet(|need| need.name != FOLDER)
    }

    /// Returns the reason why the first such need is not met.
    fn unmet(&self, is_meant: impl Fn(&&Need) -> bool) -> Option<&str> {
        let mut needs = self.machine.iter().filter(is_meant);
        needs.find_map(|need| need.found.as_ref().err().map(String::as_str))
    }

    fn answer(&self) -> String {
        let missing = self.missing();
        match self.obstacle().or_else(|| self.shortage()) {
            Some(reason) => format!("Not ready: {reason}."),
            None if missing.contains(&MAIN) => {
                let others = missing.iter().filter(|name| **name != MAIN).copied();
                let others = others.collect::<Vec<_>>().join(", ");
                let also = if others.is_empty() {
                    String::new()
                } else {
                    format!("; also missing: {others}")
                };
                format!("Not ready: {MAIN} cannot be used{also}.")
            }
            None if missing.is_empty() => "Ready: every engine can be used.".to_owned(),
            None => format!("Ready, but without {}.", missing.join(" and ")),
        }
    }

    fn exit(&self) -> Exit {
        match self.obstacle() {
            Some(_) => Exit::Failed,
            None if self.shortage().is_some() || self.missing().contains(&MAIN) => Exit::Partial,
            None => Exit::Complete,
        }
    }
}

/// Writes a line for each need, and one more for what was passed over. Missing ones have an exclamation mark,
/// as notes in reports have.
fn write_needs(out: &mut impl Write, indent: &str, needs: &[Need]) -> Result<()> {
    for need in needs {
        match &need.found {
            Ok(found) => writeln!(out, "{indent}{:<10} {found}", need.name)?,
            Err(reason) => writeln!(out, "{indent}! {}: {reason}", need.name)?,
        }
        if let Some(passed_over) = &need.passed_over {
            writeln!(out, "{indent}{:<10} passed over: {passed_over}", "")?;
        }
    }
    Ok(())
}
