//! Writes the workload of a decision: what there is to know of the rows, the questions, and the proposed designs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use bakeoff_engines::OptionGroup;
use bakeoff_engines::registry::engine;
use bakeoff_stats::propose::Proposals;
use bakeoff_workload::{Data, DesignId, Workload};

use super::record::Record;
use super::{Decide, WORKLOAD};
use crate::cmd::options::data::{DataOptions, choose};
use crate::cmd::{init, propose, small_runtime};
use crate::exit::Misuse;
use crate::out_file::OutFile;
use crate::progress::Progress;
use crate::shipped::{Chosen, WORKLOADS};
use crate::stderr::print_line;

/// Rows that the rules of proposals look at, as those of `bakeoff propose`.
const ROWS: u64 = 65_536;
/// Ending of the name of a workload file.
const ENDING: &str = "toml";

/// What a decision is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A file of rows, or what else `bakeoff init` takes.
    Rows,
    /// A workload file, or a shipped one.
    Workload,
}

impl Source {
    /// Tells what the command line names.
    ///
    /// # Errors
    /// Fails with a misuse if there is neither such a file nor such a workload, and says what was probably meant.
    pub fn of(from: &Path) -> Result<Source> {
        let is_workload = from
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case(ENDING));
        if is_workload {
            return Ok(Source::Workload);
        }
        let text = from.to_string_lossy();
        // A folder hides no name, as elsewhere.
        let is_hidden = from.is_dir() && WORKLOADS.get(&text).is_some();
        if (from.exists() && !is_hidden) || text.contains("://") {
            return Ok(Source::Rows);
        }
        match choose(&WORKLOADS, from)? {
            Chosen::Shipped(_) => Ok(Source::Workload),
            Chosen::File { hint } => Err(Misuse::new(anyhow!(
                "there is no file {}{hint}: name a file of rows, or a workload that ends in .{ENDING} or is in \
                 `bakeoff list`",
                from.display()
            ))
            .into()),
        }
    }

    /// Returns a name for the folder of the decision.
    pub fn name(self, from: &Path) -> String {
        let name = from.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.split('.').next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let plain: String = stem
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .collect();
        let kind = match self {
            Source::Rows => "rows",
            Source::Workload => "workload",
        };
        if plain.is_empty() {
            kind.to_owned()
        } else {
            plain
        }
    }
}

/// Writes the workload with the proposed designs into the folder, unless it is there.
///
/// # Errors
/// Fails with a misuse if the file, the questions or the workload cannot be used, and otherwise if no design can be
/// measured here, or the folder cannot be written to. Nothing is made before all of that is known.
pub fn prepare(options: &Decide, source: &Source, record: &Record, dir: &Path) -> Result<()> {
    let path = dir.join(WORKLOAD);
    if path.exists() {
        return Ok(());
    }
    let runtime = small_runtime()?;
    let workload = match source {
        Source::Rows => of_rows(options, &path)?,
        Source::Workload => {
            let read = DataOptions::default();
            runtime.block_on(read.workload_with_queries(&options.from))?
        }
    };
    check(&workload)?;
    let progress = Progress::begin("reading the first rows");
    let data = DataOptions::default();
    let proposals = runtime.block_on(propose::proposals(&workload, &data, ROWS));
    progress.finish();
    let mut proposals = proposals?;
    proposals.designs.retain(|design| design.answers_questions);
    forget_named(options, &mut proposals);
    let (text, left_out) = propose::with_proposed(&path, &workload, &proposals)?;
    std::fs::create_dir_all(dir)
        .with_context(|| format!("cannot make {}, the folder of the decision", dir.display()))?;
    record.write(dir)?;
    let mut file = OutFile::replace(&path)?;
    file.write_all(text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))?;
    file.complete()?;
    tell(&path, &proposals, left_out);
    Ok(())
}

/// Writes and reads the workload of a file of rows.
fn of_rows(options: &Decide, path: &Path) -> Result<Workload> {
    let progress = Progress::begin("reading the file");
    let written = init::write_for(&options.from, Some(path), &options.asked);
    progress.finish();
    let written = written?;
    init::tell(&options.from, &written.found);
    Workload::parse(&written.text, path).map_err(|error| Misuse::new(error.into()).into())
}

/// Checks that a workload has questions, and rows that are there.
fn check(workload: &Workload) -> Result<()> {
    let path = workload.path.display();
    let missing = if workload.queries.is_empty() {
        format!("{path} has no questions to decide by; its [mix] is for `bakeoff drive`")
    } else if matches!(workload.data, Data::FileFromCommandLine) {
        format!(
            "{path} has no rows of its own: name the file of rows in its [data], as file = \"readings.csv\", or decide \
             for that file"
        )
    } else {
        return Ok(());
    };
    Err(Misuse::new(anyhow!(missing)).into())
}

/// Forgets what is missing on this machine for designs whose server the user names.
fn forget_named(options: &Decide, proposals: &mut Proposals) {
    let mut named = Vec::new();
    if options.cluster.option().is_some() {
        named.push(OptionGroup::Cassandra);
    }
    if options.postgres.option().is_some() {
        named.push(OptionGroup::Postgres);
    }
    for design in &mut proposals.designs {
        let Ok(id) = design.design.parse::<DesignId>() else {
            continue;
        };
        let groups = engine(&id).map_or(&[][..], |engine| engine.option_groups(&id));
        if groups.iter().any(|group| named.contains(group)) {
            design.not_here = None;
        }
    }
}

/// Prints which designs will be measured, and which will not since their engines are not here.
fn tell(path: &Path, proposals: &Proposals, left_out: usize) {
    print_line(format_args!(
        "wrote {} with {} designs, by the rules that `bakeoff propose` names",
        path.display(),
        proposals.designs.len() - left_out
    ));
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    for why in proposals
        .designs
        .iter()
        .filter_map(|d| d.not_here.as_deref())
    {
        *missing.entry(why).or_default() += 1;
    }
    for (why, designs) in missing {
        print_line(format_args!("note: {designs} designs are left out: {why}"));
    }
}

/// Returns the options with which a run of the workload in the folder finds the rows: those of a workload file are named
/// from its own folder.
///
/// # Errors
/// Fails if the workload cannot be read any more, or the current folder is not known.
pub fn data_words(from: &Path) -> Result<Vec<OsString>> {
    let mut words = Vec::new();
    for file in data_files(from)? {
        words.extend(["--data".into(), file.into_os_string()]);
    }
    Ok(words)
}

/// Returns the files of rows of a workload, from the root on; none for a file of rows, whose workload names it so.
fn data_files(from: &Path) -> Result<Vec<PathBuf>> {
    if Source::of(from)? == Source::Rows {
        return Ok(Vec::new());
    }
    let workload = DataOptions::default().workload(from)?;
    let Data::Files(files) = &workload.data else {
        return Ok(Vec::new());
    };
    let absolute = files.iter().map(std::path::absolute);
    let absolute: std::io::Result<Vec<PathBuf>> = absolute.collect();
    absolute.context("cannot find the current folder")
}
