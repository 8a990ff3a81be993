//! `bakeoff propose`: says by the rules of experts which designs are worth measuring for a workload.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use bakeoff_engines::propose::{Request, propose};
use bakeoff_engines::registry::engine;
use bakeoff_engines::{Context, EngineOptions, check_designs, in_shell};
use bakeoff_report::COLUMNS;
use bakeoff_report::propose::{commands, comment, json, render};
use bakeoff_stats::propose::{Calibration, Misfit, Proposal, Proposals};
use bakeoff_workload::{Data, DesignId, RowSource, Workload, with_designs};
use clap::Args;

use crate::cmd::options::all_designs::AllDesignsOptions;
use crate::cmd::options::choice::parse_rows;
use crate::cmd::options::data::{DataOptions, to_cli_error};
use crate::cmd::{completions, small_runtime};
use crate::exit::{Exit, Misuse};
use crate::machine;
use crate::out_file::OutFile;
use crate::progress::Progress;
use crate::stderr::print_line;
use crate::terminal;

/// Say by the rules of experts which designs are worth measuring for a workload, and what is known to go wrong
///
/// The rules look at what the questions and the mix ask for, and at the first rows of the data. Nothing is started.
/// Each design has its rule, who states it, and why; with --ddl and in JSON its tables, too. Where experts disagree
/// both are proposed, since only measuring tells.
#[derive(Args, Debug)]
pub struct Propose {
    /// Workload: a file, or a name out of `bakeoff list`
    #[arg(add = completions::workloads())]
    workload: PathBuf,

    /// New file to write to: the workload with these designs in place of its own
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Rows to look at, from the first one on: as many as show all partitions, or where they end
    #[arg(long, value_name = "N", value_parser = parse_rows, default_value = "65536", allow_negative_numbers = true)]
    rows: u64,

    /// Print the statements that make the tables of each design, too
    #[arg(long)]
    ddl: bool,

    /// Print JSON instead of text
    #[arg(long, conflicts_with = "ddl")]
    json: bool,

    #[command(flatten)]
    all: AllDesignsOptions,

    #[command(flatten)]
    data: DataOptions,
}

impl Propose {
    pub fn run(self) -> Result<Exit> {
        small_runtime()?.block_on(self.propose())
    }

    async fn propose(&self) -> Result<Exit> {
        let workload = self.data.workload_to_answer(&self.workload).await?;
        let out = match &self.out {
            Some(out) => {
                self.check_folder(&workload, out)?;
                Some(OutFile::create_new(out)?)
            }
            None => None,
        };
        let calibration = self.all.calibration();
        let progress = Progress::begin("reading the first rows");
        let proposals = proposals(&workload, &self.data, self.rows, calibration.as_ref()).await;
        progress.finish();
        let proposals = proposals?;
        tell_notes(&proposals);
        let text = if self.json {
            terminal::json(&json(&proposals)?)
        } else {
            render(&proposals, self.ddl, COLUMNS)
        };
        writeln!(terminal::stdout(), "{text}")?;
        match (out, &self.out) {
            (Some(file), Some(path)) => self.write(file, path, &workload, &proposals)?,
            _ => print_line(format_args!(
                "to measure them: add --out FILE, which writes the workload with these designs"
            )),
        }
        Ok(Exit::Complete)
    }

    /// Checks that the new file finds the data files of the workload, whose names are relative to it.
    ///
    /// # Errors
    /// Fails with a misuse that names the folder where it does.
    fn check_folder(&self, workload: &Workload, out: &Path) -> Result<()> {
        if !matches!(workload.data, Data::Files(_)) {
            return Ok(());
        }
        let folder = |path: &Path| match path.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let (own, new) = (folder(&workload.path), folder(out));
        // A folder that is not there is named when the file is made.
        let are_same = match (own.canonicalize(), new.canonicalize()) {
            (Ok(own), Ok(new)) => own == new,
            _ => true,
        };
        if are_same {
            return Ok(());
        }
        let error = anyhow!(
            "--out {}: the workload's data files are found from its own folder: write the new file into {}",
            out.display(),
            own.display()
        );
        Err(Misuse::new(error).into())
    }

    /// Writes the workload with the proposed designs that can be used here, and says how to measure them.
    fn write(
        &self,
        mut file: OutFile,
        path: &Path,
        workload: &Workload,
        proposals: &Proposals,
    ) -> Result<()> {
        let (text, left_out) = with_proposed(path, workload, proposals)?;
        file.write_all(text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        file.complete()?;
        if left_out > 0 {
            print_line(format_args!(
                "note: not in {}, since what they need is not here: {left_out} of {} designs",
                path.display(),
                proposals.designs.len()
            ));
        }
        // What was read with these options is measured with them, too.
        let mut words = vec![path.display().to_string()];
        words.extend(self.data.arguments());
        let words: Vec<String> = words.iter().map(|word| in_shell(word)).collect();
        let next = commands(proposals, &words.join(" "));
        print_line(format_args!(
            "wrote {}; next: {}",
            path.display(),
            next.join("; ")
        ));
        Ok(())
    }
}

/// Prints what is odd about the questions.
pub fn tell_notes(proposals: &Proposals) {
    for note in &proposals.notes {
        print_line(format_args!("note: {note}"));
    }
}

/// Applies the rules to a workload, and notes what keeps designs from being used on this machine. Of its rows the first
/// ones are looked at. With a calibration, designs that are estimated to be far behind are left out.
///
/// # Errors
/// Fails if the rows cannot be opened or read, or a question cannot be planned.
pub async fn proposals(
    workload: &Workload,
    data: &DataOptions,
    rows: u64,
    calibration: Option<&Calibration>,
) -> Result<Proposals> {
    let has_none =
        matches!(workload.data, Data::FileFromCommandLine) && data.files(workload).is_empty();
    let source: Option<Box<dyn RowSource>> = if has_none {
        None
    } else {
        Some(data.open(workload)?)
    };
    let mut options = EngineOptions::default();
    options.cassandra.server = workload.server.clone();
    let here = std::env::current_dir().context("cannot find the current folder")?;
    let context = Context {
        run_dir: here.join("runs").join(&workload.name),
        token: None,
        threads: machine::cores(),
        keys_repeat: source.as_ref().is_none_or(|s| s.may_repeat_keys()),
        options,
    };
    let request = Request {
        workload,
        source: source.as_deref(),
        rows,
        memory_bytes: machine::describe().memory_bytes,
        calibration,
        context: &context,
    };
    let mut proposals = propose(&request).await.map_err(to_cli_error)?;
    note_what_is_not_here(&mut proposals.designs, &context).await;
    if let Some(calibration) = calibration {
        let baseline = workload.decide.baseline.as_ref().map(DesignId::to_string);
        proposals.leave_far_behind(calibration, baseline.as_deref());
    }
    proposals.leave_most();
    Ok(proposals)
}

/// Returns the text of a workload with those of the proposed designs that can be used here, for the file `path`, and
/// how many designs it lacks.
///
/// # Errors
/// Fails if none can be used here, or if the text would be no workload; with a misuse that names the question if none
/// can be asked all of them, or if that holds for the baseline.
pub fn with_proposed(
    path: &Path,
    workload: &Workload,
    proposals: &Proposals,
) -> Result<(String, usize)> {
    let baseline = workload.decide.baseline.as_ref().map(DesignId::to_string);
    let mut misfits = proposals.misfits.iter();
    let unfit = misfits.find(|misfit| baseline.as_ref() == Some(&misfit.design));
    if let Some(Misfit { design, why }) = unfit {
        return Err(Misuse::new(anyhow!(
            "{design}, the baseline of [decide], does not suit: {why}"
        ))
        .into());
    }
    let is_written =
        |design: &&Proposal| design.not_here.is_none() || baseline.as_ref() == Some(&design.design);
    let written = proposals.designs.iter().filter(is_written);
    let written: Vec<(String, String)> = written
        .map(|design| (design.design.clone(), comment(design)))
        .collect();
    if written.is_empty() {
        return Err(none_left(path, proposals));
    }
    let text = with_designs(&workload.text, &written).map_err(to_cli_error)?;
    let checked = Workload::parse(&text, path).and_then(|workload| check_designs(&workload));
    checked
        .with_context(|| format!("what would be written to {} is no workload", path.display()))?;
    Ok((text, proposals.designs.len() - written.len()))
}

/// Says why none of the proposed designs can be written to `path`.
fn none_left(path: &Path, proposals: &Proposals) -> anyhow::Error {
    let path = path.display();
    let misfits = proposals.misfits_by_reason().into_iter();
    let misfits: Vec<String> = misfits
        .map(|(why, designs)| format!("{}: {why}", designs.join(", ")))
        .collect();
    if proposals.designs.is_empty() && !misfits.is_empty() {
        let told = anyhow!(
            "no design suits, so that {path} is not written: {}",
            misfits.join("; ")
        );
        return Misuse::new(told).into();
    }
    let others = if misfits.is_empty() {
        String::new()
    } else {
        format!("; others do not suit: {}", misfits.join("; "))
    };
    anyhow!(
        "no design can be used on this machine, so that {path} is not written: `bakeoff doctor` says what is \
         missing{others}"
    )
}

/// Notes with each design what keeps it from being used on this machine: its engine, or what it alone needs.
async fn note_what_is_not_here(designs: &mut [Proposal], context: &Context) {
    let mut reasons: HashMap<String, Option<String>> = HashMap::new();
    for design in designs {
        let Ok(id) = design.design.parse::<DesignId>() else {
            continue;
        };
        let reason = match reasons.get(&id.engine) {
            Some(known) => known.clone(),
            None => match engine(&id) {
                Ok(engine) => engine.availability().await.err(),
                Err(error) => Some(error.to_string()),
            },
        };
        design.not_here = match &reason {
            Some(of_engine) => Some(of_engine.clone()),
            None => lacking(&id, context).await,
        };
        reasons.insert(id.engine, reason);
    }
}

/// Returns what a design needs that its engine does not, and that is not there.
pub async fn lacking(id: &DesignId, context: &Context) -> Option<String> {
    let checked = match engine(id) {
        Ok(engine) => engine.check_design(id, context).await,
        Err(error) => Err(error),
    };
    checked.err().map(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::propose::Reason;

    use super::*;

    const WORKLOAD: &str = r#"
        title = "Rooms"
        designs = ["memory"]
        [table]
        name = "readings"
        partition_key = ["room"]
        order_key = ["time"]
        [table.columns]
        room = "text"
        time = "timestamp"
        [data]
        file = "readings.csv"
        [[queries]]
        name = "near"
        sql = "SELECT levenshtein(room, 'fern') AS far FROM readings"
        [scale]
        rows = 10
        full_rows = 10
    "#;

    /// What is said of proposals, of which none suits but these.
    fn told(text: &str, designs: Vec<Proposal>) -> (String, bool) {
        let path = Path::new("new.toml");
        let workload = Workload::parse(text, path).unwrap();
        let misfit = |design: &str| Misfit {
            design: design.to_owned(),
            why: "query near: PostgreSQL has no `levenshtein`".to_owned(),
        };
        let proposals = Proposals {
            designs,
            misfits: vec![misfit("postgres/plain"), misfit("postgres/brin")],
            ..Proposals::default()
        };
        let error = with_proposed(path, &workload, &proposals).unwrap_err();
        (error.to_string(), error.is::<Misuse>())
    }

    #[test]
    fn a_question_that_no_design_can_be_asked_is_named_with_what_is_lacking() {
        let why = "postgres/plain, postgres/brin: query near: PostgreSQL has no `levenshtein`";
        assert_eq!(
            told(WORKLOAD, Vec::new()),
            (
                format!("no design suits, so that new.toml is not written: {why}"),
                true
            )
        );
        let elsewhere = Proposal {
            design: "parquet".to_owned(),
            reasons: vec![Reason {
                rule: "codec",
                says: String::new(),
                source: "",
            }],
            ddl: Vec::new(),
            answers_questions: true,
            takes_operations: false,
            not_here: Some("it was not built".to_owned()),
            estimated: Vec::new(),
        };
        let (text, is_misuse) = told(WORKLOAD, vec![elsewhere]);
        assert!(text.contains("`bakeoff doctor` says"), "{text}");
        assert!(
            text.ends_with(&format!("others do not suit: {why}")),
            "{text}"
        );
        assert!(!is_misuse, "another machine may have it");
    }

    #[test]
    fn a_baseline_that_does_not_suit_is_named() {
        let text = WORKLOAD.replace("[\"memory\"]", "[\"memory\", \"postgres/plain\"]");
        let text = format!("{text}\n[decide]\nbaseline = \"postgres/plain\"\n");
        let (told, is_misuse) = told(&text, Vec::new());
        assert!(
            told.starts_with("postgres/plain, the baseline of [decide], does not suit: query near"),
            "{told}"
        );
        assert!(is_misuse);
    }
}
