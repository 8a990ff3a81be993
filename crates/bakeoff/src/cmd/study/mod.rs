//! `bakeoff study`: repeats a published study and writes what still holds.

mod carry_out;
mod convert;
mod definition;
mod estimate;
mod follow;
mod missing;
mod plan;
mod record;
mod results;
mod words;
mod write;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use bakeoff_report::study::{GoingOn, Page};
use bakeoff_stats::study::{Measured, StepResult, Study as Published};
use bakeoff_workload::{Error, Study as StudyFile, StudySize, StudyStep, Workload};
use clap::Args;

use self::plan::Plan;
use self::record::Record;
use crate::cmd::completions;
use crate::cmd::options::choice::parse_duration;
use crate::cmd::options::data::choose;
use crate::cmd::options::no_workload;
use crate::cmd::report::PAGE;
use crate::exit::{Exit, Misuse, explain};
use crate::machine;
use crate::page_file;
use crate::shipped::{Chosen, STUDIES, Shipped, WORKLOADS};
use crate::stderr::print_line;
use crate::terminal::stdout;

pub use self::follow::{follow, is_one};

/// Repeat a published study whole and write a page: what still holds, by which figures. Alone it
/// lists the studies.
///
/// Every step is one `run`, `drive` or `sweep` with a folder of its own. The same command on the same folder
/// goes on where it was stopped, and steps that were measured are kept.
#[derive(Args, Debug)]
pub struct Study {
    /// Study: a file, or a name out of `bakeoff list`
    #[arg(add = completions::studies())]
    study: Option<PathBuf>,

    /// Time for all steps together, for example 10m; needed unless --full is given
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, conflicts_with = "full")]
    budget: Option<Duration>,

    /// Measure what the authors measured, as long as that takes
    #[arg(long)]
    full: bool,

    /// Folder of the study [default: runs/STUDY]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write the page again from the folder of a study, and measure nothing
    #[arg(long, value_name = "DIR", conflicts_with_all = ["budget", "full", "out", "dry_run", "follow"])]
    from: Option<PathBuf>,

    /// Write the page to this Markdown file, too, with its charts in a folder beside it
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    page: Option<PathBuf>,

    /// Keep study.html in the study's folder up to date, and the page of the step that is measured, to which it links:
    /// both reload themselves, and are written between steps, never while something is timed
    #[arg(long)]
    follow: bool,

    /// Print the steps with their commands, the time that they take and the designs that cannot be measured here, and
    /// touch nothing
    #[arg(long)]
    dry_run: bool,
}

impl Study {
    pub fn run(self) -> Result<Exit> {
        let Some(asked) = &self.study else {
            return self.list();
        };
        let (file, text) = read(asked)?;
        if let Some(page) = &self.page {
            write::charts_of(page)?;
            page_file::check(page)?;
        }
        if let Some(dir) = &self.from {
            return self.rewrite(asked, &file, dir);
        }
        let size = self.size()?;
        let mut plan = Plan::new(&file, size, self.out.as_deref())?;
        plan.follow = self.follow;
        plan.check()?;
        if self.dry_run {
            return plan.print();
        }
        let _held = carry_out::hold(&plan.dir)?;
        definition::write(&plan.dir, &file.name, &text)?;
        let study = InFolder {
            asked,
            file: &file,
            record: &plan.record,
            dir: &plan.dir,
        };
        let begins = |step: &StudyStep, folder: &Path| {
            if self.follow {
                study.show_step(&step.name, folder);
            }
        };
        let ended = carry_out::carry_out(&plan, begins);
        let written = study.write(self.page.as_deref());
        let ended = ended?;
        written?;
        Ok(exit_of(ended, &study.results()))
    }

    /// Lists the studies that come with Bakeoff.
    fn list(&self) -> Result<Exit> {
        let options = [
            (self.budget.is_some(), "--budget"),
            (self.full, "--full"),
            (self.out.is_some(), "--out"),
            (self.from.is_some(), "--from"),
            (self.page.is_some(), "--page"),
            (self.follow, "--follow"),
            (self.dry_run, "--dry-run"),
        ];
        if let Some((_, option)) = options.iter().find(|(is_given, _)| *is_given) {
            return Err(Misuse::new(anyhow!(
                "{option} is for a study: name one, such as `bakeoff study s1 --budget 10m`"
            ))
            .into());
        }
        let mut out = stdout();
        writeln!(
            out,
            "Studies (`bakeoff study s1 --budget 10m` repeats one):"
        )?;
        for Shipped { name, text } in STUDIES.files {
            let study = StudyFile::parse(text, Path::new(name))?;
            let from = &study.publication;
            writeln!(out, "  {name:<8} {}", study.title)?;
            writeln!(
                out,
                "  {:<8} {} ({}): {}",
                "", from.author, from.year, from.title
            )?;
        }
        Ok(Exit::Complete)
    }

    fn size(&self) -> Result<StudySize> {
        match (self.budget, self.full) {
            (Some(budget), _) => Ok(StudySize::Budget(budget)),
            (None, true) => Ok(StudySize::Full),
            (None, false) => Err(Misuse::new(anyhow!(
                "say how much to measure: --budget 10m, or --full for what the authors measured"
            ))
            .into()),
        }
    }

    /// Writes the page from what is in a folder.
    fn rewrite(&self, asked: &Path, file: &StudyFile, dir: &Path) -> Result<Exit> {
        let record = Record::read_there(dir)?;
        if record.study != file.name {
            bail!(
                "{} is the folder of the study {}, not of {}",
                dir.display(),
                record.study,
                file.name
            );
        }
        let study = InFolder {
            asked,
            file,
            record: &record,
            dir,
        };
        study.write(self.page.as_deref())?;
        Ok(exit_of(None, &study.results()))
    }
}

/// A study and the folder with what was measured of it, of which pages are made.
struct InFolder<'a> {
    /// What names the study on a command line.
    asked: &'a Path,
    file: &'a StudyFile,
    record: &'a Record,
    dir: &'a Path,
}

impl InFolder<'_> {
    /// Returns the results of all steps, as far as there are any.
    fn results(&self) -> Vec<StepResult> {
        results::of_record(self.file, self.record, self.dir)
    }

    /// Writes the page to the folder, and to the file of --page, and prints where it is.
    fn write(&self, further: Option<&Path>) -> Result<()> {
        let (study, results) = (convert::study(self.file), self.results());
        let written = write::write(&self.page(&study, &results), self.dir, further)?;
        let mut out = stdout();
        for path in written {
            writeln!(out, "Page: {}", path.display())?;
        }
        Ok(())
    }

    /// Writes the page to the folder as one that stays, and nothing else.
    fn write_html(&self) -> Result<()> {
        let (study, results) = (convert::study(self.file), self.results());
        write::write_html(&self.page(&study, &results), self.dir)
    }

    /// Writes the page of a study that goes on with this step, or says why it cannot: the study does not end for its
    /// page.
    fn show_step(&self, step: &str, folder: &Path) {
        let (study, results) = (convert::study(self.file), self.results());
        // Relative to the page of the study, so that a copy of the folder has the link, too.
        let within = folder.strip_prefix(self.dir).unwrap_or(folder);
        let link = within.join(PAGE).display().to_string();
        let step = GoingOn {
            name: step,
            page: &link,
        };
        match write::write_so_far(&self.page(&study, &results), self.dir, &step) {
            Ok(()) => say(&format!(
                "the page of the study, which reloads itself: {}",
                self.dir.join(write::HTML).display()
            )),
            Err(error) => say(&format!(
                "the page of the study is not up to date: {}",
                explain(&error)
            )),
        }
    }

    /// Returns what the page is made of.
    fn page<'p>(&self, study: &'p Published, steps: &'p [StepResult]) -> Page<'p> {
        Page {
            study,
            size: self.record.size_in_words(),
            command: words::command(
                &["study".to_owned(), self.asked.display().to_string()],
                &self.record.size_options(),
                self.dir,
            ),
            version: machine::VERSION,
            steps,
        }
    }
}

/// Reads a study from a file, or the shipped one of that name, with its text.
fn read(asked: &Path) -> Result<(StudyFile, String)> {
    match choose(&STUDIES, asked)? {
        Chosen::Shipped(Shipped { name, text }) => {
            let study = StudyFile::parse(text, Path::new(name));
            let study = study.map_err(|error| Misuse::new(error.into()))?;
            Ok((study, text.to_owned()))
        }
        Chosen::File { hint } => {
            let study = StudyFile::read(asked).map_err(|error| with_hint(error, &hint))?;
            let text = std::fs::read_to_string(asked)
                .with_context(|| format!("cannot read {}", asked.display()))?;
            Ok((study, text))
        }
    }
}

/// Reads the workload of a step as its command does.
fn read_workload(asked: &Path) -> Result<Workload> {
    no_workload::refuse(asked)?;
    match choose(&WORKLOADS, asked)? {
        Chosen::Shipped(Shipped { name, text }) => {
            let workload = Workload::parse(text, Path::new(name));
            workload.map_err(|error| with_hint(error, ""))
        }
        Chosen::File { hint } => Workload::read(asked).map_err(|error| with_hint(error, &hint)),
    }
}

fn with_hint(error: Error, hint: &str) -> anyhow::Error {
    match error {
        Error::Read { .. } => Misuse::new(anyhow!("{error}{hint}")).into(),
        error => Misuse::new(error.into()).into(),
    }
}

/// Returns the exit code of all steps together. `ended` is the worst end of those that were carried out now.
fn exit_of(ended: Option<Exit>, results: &[StepResult]) -> Exit {
    let is_so =
        |step: &StepResult, what: fn(&Measured) -> bool| step.measured.as_ref().is_some_and(what);
    let is_good = |step: &StepResult| {
        step.failed.is_none()
            && is_so(step, Measured::is_whole)
            && !is_so(step, Measured::has_failures)
    };
    let has_figures = |step: &StepResult| is_so(step, Measured::has_figures);
    match ended {
        Some(Exit::Interrupted) => Exit::Interrupted,
        _ if !results.iter().any(has_figures) => Exit::Failed,
        None if results.iter().all(is_good) => Exit::Complete,
        _ => Exit::Partial,
    }
}

/// Prints a line about the progress of the steps.
fn say(text: &str) {
    print_line(text);
}
