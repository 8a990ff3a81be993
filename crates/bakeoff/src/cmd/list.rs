//! `bakeoff list`: lists workloads, studies, price lists, layouts, settings of servers and engines.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bakeoff_engines::registry::ENGINES;
use bakeoff_workload::{PriceList, Study, Workload, server_keys};
use clap::Args;

use crate::exit::Exit;
use crate::shipped::{PRICES, STUDIES, Shipped, WORKLOADS};
use crate::terminal::stdout;

/// List workloads, studies, price lists, layouts and servers with their settings, and the engines found here
#[derive(Args)]
pub struct List {
    /// List the workload files in this folder and below, instead of those that come with Bakeoff
    #[arg(long, value_name = "DIR")]
    workloads: Option<PathBuf>,
}

impl List {
    pub fn run(self) -> Result<Exit> {
        let mut out = stdout();
        match &self.workloads {
            Some(folder) => list_folder(&mut out, folder)?,
            None => list_shipped(&mut out)?,
        }
        list_layouts(&mut out)?;
        list_server_keys(&mut out)?;
        list_engines(&mut out)?;
        Ok(Exit::Complete)
    }
}

fn list_shipped(out: &mut impl Write) -> Result<()> {
    writeln!(
        out,
        "Workloads, available in any folder (`bakeoff show NAME` prints one to change):"
    )?;
    let (groups, alone): (Vec<Shipped>, Vec<Shipped>) = WORKLOADS
        .files
        .iter()
        .partition(|file| file.name.contains('/'));
    for Shipped { name, text } in alone.into_iter().chain(groups) {
        list_workload(out, name, Workload::parse(text, Path::new(name)))?;
    }
    writeln!(out, "\nPublished studies, for `bakeoff study`:")?;
    for Shipped { name, text } in STUDIES.files {
        match Study::parse(text, Path::new(name)) {
            Ok(study) => writeln!(out, "  {name:<22} {}", study.title)?,
            Err(error) => writeln!(out, "  {name:<22} {error}")?,
        }
    }
    writeln!(out, "\nPrice lists, for --prices:")?;
    for Shipped { name, text } in PRICES.files {
        match PriceList::parse(text, Path::new(name)) {
            Ok(list) => writeln!(out, "  {name:<22} {}", list.title)?,
            Err(error) => writeln!(out, "  {name:<22} {error}")?,
        }
    }
    Ok(writeln!(out)?)
}

fn list_folder(out: &mut impl Write, folder: &Path) -> Result<()> {
    let mut found = workload_files(folder)
        .with_context(|| format!("cannot read the folder {} of --workloads", folder.display()))?;
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    writeln!(out, "Workloads in {}:", folder.display())?;
    for (path, unreadable) in found {
        let name = path.display().to_string();
        match unreadable {
            Some(error) => writeln!(out, "  {name:<22} cannot be read: {error}")?,
            None => list_workload(out, &name, Workload::read(&path))?,
        }
    }
    Ok(writeln!(out)?)
}

fn list_workload(
    out: &mut impl Write,
    name: &str,
    workload: bakeoff_workload::Result<Workload>,
) -> Result<()> {
    match workload {
        Ok(workload) => writeln!(
            out,
            "  {name:<22} {:<10} {}",
            commands(&workload),
            workload.title
        )?,
        Err(error) => writeln!(out, "  {name:<22} {error}")?,
    }
    Ok(())
}

/// A workload file, or a folder that cannot be read.
type Entry = (PathBuf, Option<std::io::Error>);

/// Finds the TOML files in a folder and below.
fn workload_files(folder: &Path) -> std::io::Result<Vec<Entry>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // Links to folders are not followed, so that none is listed twice.
        if entry.file_type()?.is_dir() {
            match workload_files(&path) {
                Ok(more) => found.extend(more),
                Err(error) => found.push((path, Some(error))),
            }
        } else if path.extension().is_some_and(|e| e == "toml") {
            found.push((path, None));
        }
    }
    Ok(found)
}

/// Returns the commands that a workload is for.
fn commands(workload: &Workload) -> &'static str {
    match (workload.queries.is_empty(), workload.mix.is_some()) {
        (true, false) => "generate",
        (false, false) => "run",
        (true, true) => "drive",
        _ => "run, drive",
    }
}

fn list_layouts(out: &mut impl Write) -> Result<()> {
    writeln!(out, "Layouts (a design is layout?setting=value&...):")?;
    for layout in ENGINES.iter().flat_map(|engine| engine.layouts()) {
        writeln!(out, "  {:<22} {}", layout.name, layout.what)?;
        if !layout.settings.is_empty() {
            writeln!(out, "  {:<22} {}", "", layout.settings)?;
        }
    }
    Ok(writeln!(out)?)
}

fn list_server_keys(out: &mut impl Write) -> Result<()> {
    writeln!(
        out,
        "Keys of cassandra.yaml, for [server.cassandra] of a workload:"
    )?;
    let mut by_values: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for key in server_keys() {
        by_values.entry(key.values).or_default().push(key.name);
    }
    for (values, mut names) in by_values {
        names.sort_unstable();
        writeln!(out, "  {values}\n{:<22} {}", "", names.join(", "))?;
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
