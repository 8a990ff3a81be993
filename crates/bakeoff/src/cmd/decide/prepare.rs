//! Writes the workload of a decision: what there is to know of the rows, the questions or operations, and the proposed
//! designs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use bakeoff_engines::propose::{is_unmet, leave_same};
use bakeoff_engines::registry::engine;
use bakeoff_engines::{Context, EngineOptions, OptionGroup, check_ranges, plain_queries};
use bakeoff_report::propose::{behind_in_words, same_in_words};
use bakeoff_stats::propose::{Calibration, Proposals};
use bakeoff_workload::infer::Inferred;
use bakeoff_workload::{Data, DesignId, Workload};

use super::loads::without_operations;
use super::operations;
use super::record::Record;
use super::source::Source;
use super::state::By;
use super::{Decide, SAMPLE, WORKLOAD};
use crate::cmd::options::data::DataOptions;
use crate::cmd::{init, propose, small_runtime};
use crate::exit::Misuse;
use crate::machine;
use crate::out_file::OutFile;
use crate::progress::Progress;
use crate::stderr::print_line;

/// Rows that the rules of proposals look at, as those of `bakeoff propose`.
const ROWS: u64 = 65_536;

/// What a decision would measure.
pub struct Prepared {
    /// The workload as it is asked for, which finds its rows.
    pub workload: Workload,
    /// Text of the workload with the proposed designs that can be used here.
    text: String,
    /// The proposed designs that answer the questions and take the operations, as far as there are some, and fit the
    /// rows, also those of which something is not here.
    pub proposals: Proposals,
    /// Number of those of which something is not here.
    left_out: usize,
    /// The workload as it was written for what is none, with the sample of a live table.
    written: Option<init::Written>,
}

/// Writes the workload with the proposed designs into the folder, unless it is there. Returns the names of the questions
/// that were told to be fulfilled by no row; `None` if the user asked to stop while a live table was read.
///
/// # Errors
/// Fails as [`Prepared::of`] does, and if the folder cannot be written to. Nothing but the sample of a live table is
/// made before all else is known.
pub fn prepare(
    options: &Decide,
    source: &Source,
    record: &Record,
    dir: &Path,
) -> Result<Option<BTreeSet<String>>> {
    let path = dir.join(WORKLOAD);
    if path.exists() {
        return Ok(Some(BTreeSet::new()));
    }
    if source.is_live() {
        begin_sample(dir, record)?;
    }
    let Some(mut prepared) = Prepared::of(options, source, &path)? else {
        return Ok(None);
    };
    make_folder(dir)?;
    record.write(dir)?;
    let mut file = OutFile::replace(&path)?;
    file.write_all(prepared.text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))?;
    file.complete()?;
    if let Some(written) = &mut prepared.written {
        written.keep_sample();
    }
    print_line(format_args!(
        "wrote {} with {} designs, by the rules that `bakeoff propose` names",
        path.display(),
        prepared.proposals.designs.len() - prepared.left_out
    ));
    tell_missing(&prepared.proposals);
    Ok(Some(told_unmet(&prepared)))
}

/// Returns the names of the questions of which a note has said that no row fulfils their condition.
fn told_unmet(prepared: &Prepared) -> BTreeSet<String> {
    let notes = &prepared.proposals.notes;
    let names = prepared.workload.queries.iter().map(|query| &query.name);
    names
        .filter(|name| notes.iter().any(|note| is_unmet(name, note)))
        .cloned()
        .collect()
}

/// Makes the folder for the sample of a live table, with the note of whose it is, and without a sample of a command
/// that was killed.
fn begin_sample(dir: &Path, record: &Record) -> Result<()> {
    make_folder(dir)?;
    record.write(dir)?;
    let sample = dir.join(SAMPLE);
    match std::fs::remove_file(&sample) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot replace {}", sample.display()))
        }
        _ => Ok(()),
    }
}

fn make_folder(dir: &Path) -> Result<()> {
    std::fs::create_dir_all(dir)
        .with_context(|| format!("cannot make {}, the folder of the decision", dir.display()))
}

impl Prepared {
    /// Finds out what there is to know of the rows and the questions, and which designs to measure, for a workload
    /// that is to be written to `path`. Nothing is written but the sample of a live table, beside it. `None` if the
    /// user asked to stop while that was read.
    ///
    /// # Errors
    /// Fails with a misuse if the file, the questions or the workload cannot be used, and otherwise if a live table
    /// cannot be read, or no design can be measured here.
    pub fn of(options: &Decide, source: &Source, path: &Path) -> Result<Option<Prepared>> {
        let runtime = small_runtime()?;
        let (workload, written) = match source {
            Source::Rows | Source::Statements | Source::Live => {
                let Some(written) = init::write_for(&options.request(path))? else {
                    return Ok(None);
                };
                init::tell(&options.from, &written.found);
                let parsed = Workload::parse(&written.text, path);
                let mut workload = parsed.map_err(|error| Misuse::new(error.into()))?;
                plain_queries(&mut workload);
                (workload, Some(written))
            }
            Source::Workload => {
                let read = DataOptions::default();
                let read = runtime.block_on(read.workload_with_queries(&options.from))?;
                (read, None)
            }
        };
        check(options, &workload)?;
        let calibration = options.calibration();
        let progress = Progress::begin("reading the first rows");
        let data = DataOptions::default();
        let proposals = propose::proposals(&workload, &data, ROWS, calibration.as_ref());
        let proposals = runtime.block_on(proposals);
        progress.finish();
        let mut proposals = proposals?;
        propose::tell_notes(&proposals);
        let found = written.as_ref().map(|written| &written.found);
        if let Some(span) = found.and_then(Inferred::milliseconds_of_file) {
            leave_same(&mut proposals, &workload.table, span as f64);
        }
        let by = By::of(&workload);
        if by != By::Operations {
            proposals.designs.retain(|design| design.answers_questions);
        }
        if by != By::Questions {
            let loaded = options.rows_of_loads(&workload);
            operations::keep_driven(&workload, loaded, &mut proposals)?;
        }
        let dir = path.parent().unwrap_or(Path::new("."));
        runtime.block_on(forget_named(options, dir, &mut proposals))?;
        leave_out_misfits(&workload, &mut proposals)?;
        let (text, left_out) = propose::with_proposed(path, &workload, &proposals)?;
        options.check_time_of_loads(&workload, proposals.designs.len() - left_out)?;
        Ok(Some(Prepared {
            workload,
            text,
            proposals,
            left_out,
            written,
        }))
    }

    /// Returns the designs that would be measured.
    ///
    /// # Errors
    /// Fails if the text is no workload, which was checked.
    pub fn designs(&self, path: &Path) -> Result<Vec<DesignId>> {
        Ok(Workload::parse(&self.text, path)?.designs)
    }
}

/// Checks that a workload says where its rows are, and that options are for it.
fn check(options: &Decide, workload: &Workload) -> Result<()> {
    if matches!(workload.data, Data::FileFromCommandLine) {
        return Err(Misuse::new(anyhow!(
            "{} does not say where its rows are: name the file of rows in its [data], as file = \"readings.csv\", or \
             decide for that file",
            workload.path.display()
        ))
        .into());
    }
    match (By::of(workload), options.load.given()) {
        (By::Questions, Some(option)) => Err(without_operations(option, &options.from)),
        (By::Questions, None) => Ok(()),
        (By::Operations | By::Both, _) => operations::check_servers(options),
    }
}

impl Decide {
    /// Returns what designs cost on this machine, if that may leave some out: it says nothing of servers elsewhere.
    fn calibration(&self) -> Option<Calibration> {
        let is_elsewhere = self.cluster.option().is_some() || self.postgres.option().is_some();
        if is_elsewhere {
            None
        } else {
            self.all_designs.calibration()
        }
    }
}

/// Forgets what is missing on this machine for designs whose server the user names, but not what that server lacks. A
/// dry run does not ask it.
///
/// # Errors
/// Fails with a misuse if the name of a server cannot be used.
async fn forget_named(options: &Decide, dir: &Path, proposals: &mut Proposals) -> Result<()> {
    let mut named = Vec::new();
    if options.cluster.option().is_some() {
        named.push(OptionGroup::Cassandra);
    }
    if options.postgres.option().is_some() {
        named.push(OptionGroup::Postgres);
    }
    let mut of_engines = EngineOptions::default();
    of_engines.cassandra.cluster = options.cluster.cluster();
    options.postgres.put_into(&mut of_engines)?;
    let context = Context {
        run_dir: dir.to_owned(),
        token: None,
        threads: machine::cores(),
        keys_repeat: false,
        options: of_engines,
    };
    for design in &mut proposals.designs {
        let Ok(id) = design.design.parse::<DesignId>() else {
            continue;
        };
        let groups = engine(&id).map_or(&[][..], |engine| engine.option_groups(&id));
        if groups.iter().any(|group| named.contains(group)) {
            design.not_here = if options.dry_run {
                None
            } else {
                propose::lacking(&id, &context).await
            };
        }
    }
    Ok(())
}

/// Leaves out designs that would need more partitions or folders than there may be, and says so: a run refuses them.
///
/// # Errors
/// Fails if the rows cannot be opened.
fn leave_out_misfits(workload: &Workload, proposals: &mut Proposals) -> Result<()> {
    let source = DataOptions::default().open(workload)?;
    let rows = workload.scale.full_rows;
    let all: Vec<DesignId> = { proposals.designs.iter() }
        .filter_map(|design| design.design.parse().ok())
        .collect();
    // Rows are read once where none is left out, and else for each design that divides them.
    if check_ranges(&all, workload, source.as_ref(), rows).is_ok_and(|misfits| misfits.is_empty()) {
        return Ok(());
    }
    let baseline = workload.decide.baseline.as_ref().map(DesignId::to_string);
    let mut kept = Vec::new();
    for design in std::mem::take(&mut proposals.designs) {
        let id: Vec<DesignId> = design.design.parse::<DesignId>().into_iter().collect();
        let misfits = check_ranges(&id, workload, source.as_ref(), rows);
        // What cannot be read, and a baseline that does not fit, are the run's to refuse.
        let misfits = misfits.unwrap_or_default();
        if misfits.is_empty() || baseline.as_ref() == Some(&design.design) {
            kept.push(design);
        } else {
            print_line(format_args!("note: left out: {}", misfits.join("; ")));
        }
    }
    proposals.designs = kept;
    Ok(())
}

/// Prints which designs will not be measured since what they need is not here, they do not suit, or their tables would
/// hardly differ from that of another one.
pub fn tell_missing(proposals: &Proposals) {
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    for why in proposals
        .designs
        .iter()
        .filter_map(|d| d.not_here.as_deref())
    {
        *missing.entry(why).or_default() += 1;
    }
    for (why, designs) in missing {
        let are = if designs == 1 {
            "design is"
        } else {
            "designs are"
        };
        print_line(format_args!("note: {designs} {are} left out: {why}"));
    }
    for (why, designs) in proposals.misfits_by_reason() {
        let designs = designs.join(", ");
        print_line(format_args!("note: left out: {designs}: {why}"));
    }
    for behind in behind_in_words(proposals) {
        print_line(format_args!("note: left out: {behind}"));
    }
    for same in same_in_words(proposals) {
        print_line(format_args!("note: not measured apart: {same}"));
    }
}
