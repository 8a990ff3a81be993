//! Plans a study: the command and the folder of each step, and the time that they take.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use bakeoff_workload::{DesignId, Study, StudyFigure, StudySize, StudyStep, Workload};

use super::estimate::{Asked, in_earlier_runs};
use super::missing::Missing;
use super::record::Record;
use super::words::{command, in_words};
use super::{read_workload, results};
use crate::cmd::measure::folder;
use crate::cmd::measurement::Measurement;
use crate::cmd::run::Run;
use crate::exit::{Exit, Misuse};
use crate::terminal::stdout;

/// The option by which a step keeps its page up to date.
const FOLLOW: &str = "--follow";

/// The steps of a study at a size, and where they go.
pub struct Plan<'a> {
    pub study: &'a Study,
    pub record: Record,
    pub dir: PathBuf,
    /// Whether each step updates its own page while it runs.
    pub follow: bool,
    size: StudySize,
}

impl<'a> Plan<'a> {
    /// Plans the study for the folder asked for, or for `runs/STUDY`, or the first of `runs/STUDY-2`, ... that is
    /// free or holds the same study at the same size.
    ///
    /// # Errors
    /// Fails if the folder holds another study, or the same at another size.
    pub fn new(study: &'a Study, size: StudySize, out: Option<&Path>) -> Result<Plan<'a>> {
        let record = Record::new(study, size);
        let is_free = |dir: &Path| match Record::read(dir) {
            Ok(Some(there)) => there.is_same(&record),
            Ok(None) => !dir.exists(),
            Err(_) => false,
        };
        let dir = match out {
            Some(out) => out.to_owned(),
            None => folder::first_free(&study.name, is_free),
        };
        check_folder(&dir, &record)?;
        Ok(Plan {
            study,
            record,
            dir,
            follow: false,
            size,
        })
    }

    /// Checks every step before the first one begins: its command line, its workload, and that these have what the
    /// study's statements are decided by: designs, and queries or operations.
    ///
    /// # Errors
    /// Fails with a misuse that names the step.
    pub fn check(&self) -> Result<()> {
        for step in &self.study.steps {
            let mut workload = read_workload(Path::new(&step.workload))?;
            let measurement = self.measurement(step, &self.dir)?;
            let designs = asked_of(&measurement, &mut workload).map_err(|error| {
                Misuse::new(error.context(format!("step {} of the study", step.name)))
            })?;
            let checked = self.study.check_step(step, &workload);
            let checked = checked.and_then(|()| self.study.check_designs(step, &designs));
            checked.map_err(|message| Misuse::new(anyhow!(message)))?;
            if let Measurement::Run(run) = &measurement {
                self.check_asked(step, run)?;
            }
        }
        Ok(())
    }

    /// Checks that a comparison asks the designs the queries that statements need of them.
    ///
    /// # Errors
    /// Fails with a misuse that names a query that is not asked.
    fn check_asked(&self, step: &StudyStep, run: &Run) -> Result<()> {
        let claims = self.study.claims.iter();
        let of_step = claims
            .filter_map(|claim| claim.comparison.as_ref())
            .filter(|comparison| comparison.step == step.name);
        for comparison in of_step {
            let of = (&comparison.of, &comparison.of_design);
            let to = comparison.to.as_ref().map(|to| (&to.0, &to.1));
            for (figure, design) in std::iter::once(of).chain(to) {
                let (StudyFigure::Query(query) | StudyFigure::Answered(query)) = figure else {
                    continue;
                };
                if !run.asks(query, design) {
                    return Err(Misuse::new(anyhow!(
                        "step {} of the study: a statement needs {query} of {design}, which is not asked: name both in \
                         --queries",
                        step.name
                    ))
                    .into());
                }
            }
        }
        Ok(())
    }

    /// Returns the measurement of a step as the command line reads it, for the step's folder.
    ///
    /// # Errors
    /// Fails with a misuse if the command line would refuse it, or it would load a library or reach a server that the
    /// study's file has chosen.
    pub fn measurement(&self, step: &StudyStep, dir: &Path) -> Result<Measurement> {
        let words = step.arguments(self.size).into_iter().map(OsString::from);
        let mut words: Vec<OsString> = words.collect();
        words.extend(["--out".into(), dir.as_os_str().to_owned()]);
        if self.follow && !words.iter().any(|word| word == FOLLOW) {
            words.push(FOLLOW.into());
        }
        let read = Measurement::read(words).and_then(|read| match refused(&read) {
            Some(why) => Err(why),
            None => Ok(read),
        });
        read.map_err(|why| Misuse::new(anyhow!("step {} of the study: {why}", step.name)).into())
    }

    /// Prints the steps with their commands and times, and what is missing for their designs.
    pub fn print(&self) -> Result<Exit> {
        let mut out = stdout();
        writeln!(
            out,
            "Nothing is touched. The study would write to {}",
            self.dir.display()
        )?;
        let mut missing = Missing::new()?;
        for (index, step) in self.study.steps.iter().enumerate() {
            let mut workload = read_workload(Path::new(&step.workload))?;
            let designs = asked_of(&self.measurement(step, &self.dir)?, &mut workload)?;
            let dir = results::folder(&self.dir, index, &step.name);
            writeln!(out, "\n{}. {}: {}", index + 1, step.name, step.what)?;
            writeln!(out, "   {}", command(&step.arguments(self.size), &[], &dir))?;
            writeln!(out, "   {}", self.time(index, &designs, &workload)?)?;
            for line in missing.for_designs(&designs)? {
                writeln!(out, "   {line}")?;
            }
        }
        Ok(Exit::Complete)
    }

    /// Says how long a step takes, as far as that is known before rows are loaded.
    fn time(&self, index: usize, designs: &[DesignId], workload: &Workload) -> Result<String> {
        let step = &self.study.steps[index];
        let measuring = match self.measurement(step, &self.dir)? {
            Measurement::Run(run) => match run.time() {
                Some(budget) => return Ok(format!("up to {}", in_words(budget))),
                None => {
                    let place = (index, step.name.as_str());
                    let estimate = asked(&run, designs, workload)
                        .and_then(|asked| in_earlier_runs(&self.study.name, place, &asked));
                    let unknown = "as long as loading and rounds take; the first rows show it";
                    return Ok(estimate.unwrap_or_else(|| unknown.to_owned()));
                }
            },
            Measurement::Drive(drive) => drive.time_of_loads(workload)?,
            Measurement::Sweep(sweep) => sweep.time_of_settings(workload)?,
        };
        let before = "starting servers and loading rows come on top";
        Ok(match (measuring, self.size) {
            (None, _) => "as long as its search, its passes or its operations take".to_owned(),
            (Some(time), StudySize::Full) => format!("{} of measuring; {before}", in_words(time)),
            (Some(time), StudySize::Budget(all)) => format!(
                "{} of measuring, out of {}; {before}",
                in_words(time),
                in_words(step.budget(all))
            ),
        })
    }
}

/// Returns why a study, which may be someone else's, cannot have this measurement.
fn refused(measurement: &Measurement) -> Option<String> {
    let (drivers, server) = match measurement {
        Measurement::Run(run) => (run.loads_drivers(), run.server()),
        Measurement::Drive(drive) => (false, drive.server()),
        Measurement::Sweep(sweep) => (false, sweep.server()),
    };
    if drivers {
        return Some(
            "--adbc loads libraries, and which ones a study may not say: repeat the step with `bakeoff run` and a \
             file of your own"
                .to_owned(),
        );
    }
    let option = server?;
    Some(format!(
        "{option} names a server that your password would be sent to, and which one a study may not say: repeat the \
         step by a command of your own with {option}"
    ))
}

/// Returns what a comparison measures; `None` if its command does not say how many rows, or how many rounds.
fn asked<'a>(run: &'a Run, designs: &'a [DesignId], workload: &'a Workload) -> Option<Asked<'a>> {
    Some(Asked {
        run,
        designs,
        workload,
        rows: run.rows_to_load(workload)?,
        rounds: run.rounds()?,
    })
}

/// Leaves out of a workload the queries that a measurement does not ask, and returns the designs that it measures.
///
/// # Errors
/// Fails with a misuse for a query that does not exist, and for what [`Measurement::designs`] refuses.
fn asked_of(measurement: &Measurement, workload: &mut Workload) -> Result<Vec<DesignId>> {
    if let Measurement::Run(run) = measurement {
        run.choose_queries(workload)?;
    }
    measurement.designs(workload)
}

/// Checks that a folder is new or empty, or holds what the same command began.
fn check_folder(dir: &Path, record: &Record) -> Result<()> {
    match Record::read(dir)? {
        Some(there) if there.is_same(record) => Ok(()),
        Some(there) => bail!(
            "{} holds the study {} {}, with other commands than these: repeat that one, or name another \
             folder with --out",
            dir.display(),
            there.study,
            there.size_in_words()
        ),
        None if folder::is_empty(dir) => Ok(()),
        None => bail!(
            "{} is not an empty folder and holds no study; name a new one with --out",
            dir.display()
        ),
    }
}
