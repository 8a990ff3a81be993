//! `bakeoff list`: workloads, designs, engines found.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use bakeoff_engines::registry::ENGINES;
use bakeoff_workload::Workload;
use clap::Args;

use crate::exit::Exit;

/// List workloads, layouts with their settings, and the engines found on this machine.
#[derive(Args)]
pub struct List {
    /// Folder with workload files
    #[arg(long, default_value = "workloads")]
    workloads: PathBuf,
}

impl List {
    pub fn run(self) -> Result<Exit> {
        let mut out = std::io::stdout().lock();
        self.list_workloads(&mut out)?;
        list_layouts(&mut out)?;
        list_engines(&mut out)?;
        Ok(Exit::Complete)
    }

    fn list_workloads(&self, out: &mut impl Write) -> Result<()> {
        writeln!(out, "Workloads in {}:", self.workloads.display())?;
        let mut paths = match workload_files(&self.workloads) {
            Ok(paths) => paths,
            Err(error) => {
                writeln!(out, "  none: {error}; name a folder with --workloads\n")?;
                return Ok(());
            }
        };
        paths.sort();
        for path in paths {
            match Workload::read(&path) {
                Ok(workload) => {
                    writeln!(out, "  {:<28} {}", path.display(), workload.title)?;
                    writeln!(out, "    for {}", commands(&workload))?;
                    for design in &workload.designs {
                        writeln!(out, "    {design}")?;
                    }
                }
                Err(error) => writeln!(out, "  {:<28} {error}", path.display())?,
            }
        }
        Ok(writeln!(out)?)
    }
}

/// TOML files of a folder and of the folders in it.
fn workload_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        match path.extension().is_some_and(|e| e == "toml") {
            true => files.push(path),
            // Links to folders are not followed, so that none is met twice.
            false if entry.file_type()?.is_dir() => files.extend(workload_files(&path)?),
            false => {}
        }
    }
    Ok(files)
}

/// The commands that have something to do with a workload.
fn commands(workload: &Workload) -> &'static str {
    match (workload.queries.is_empty(), workload.mix.is_some()) {
        (false, false) => "bakeoff run",
        (true, true) => "bakeoff drive",
        _ => "bakeoff run, bakeoff drive",
    }
}

fn list_layouts(out: &mut impl Write) -> Result<()> {
    writeln!(out, "Layouts (a design is layout?setting=value&...):")?;
    for layout in ENGINES.iter().flat_map(|engine| engine.layouts()) {
        writeln!(out, "  {:<20} {}", layout.name, layout.what)?;
        if !layout.settings.is_empty() {
            writeln!(out, "  {:<20} {}", "", layout.settings)?;
        }
    }
    Ok(writeln!(out)?)
}

fn list_engines(out: &mut impl Write) -> Result<()> {
    writeln!(out, "Engines:")?;
    let runtime = super::small_runtime()?;
    for engine in ENGINES {
        match runtime.block_on(engine.availability()) {
            Ok(version) => writeln!(out, "  {:<20} {version}", engine.name())?,
            Err(missing) => writeln!(out, "  {:<20} not available: {missing}", engine.name())?,
        }
    }
    Ok(())
}
