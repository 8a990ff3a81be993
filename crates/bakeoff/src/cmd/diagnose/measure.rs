//! Measures the designs that a diagnosis proposes for a table, with a copy of some of its rows, on a Cassandra of our
//! own.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use bakeoff_engines::registry::engine;
use bakeoff_engines::table_copy::TableCopy;
use bakeoff_report::COLUMNS;
use bakeoff_report::diagnose::{cures_json, render_cures};
use bakeoff_stats::Run;
use bakeoff_stats::diagnose::{Cures, Diagnosis, Proposed};
use bakeoff_stats::drive::DriveRun;
use bakeoff_workload::DesignId;

use super::proposed::{Designs, looked_up, proposals};
use crate::cmd::measure::folder;
use crate::cmd::measurement::Measurement;
use crate::cmd::small_runtime;
use crate::exit::{Exit, explain};
use crate::interrupt::was_asked_to_stop;
use crate::out_file::OutFile;
use crate::stderr::print_line;
use crate::terminal;

/// Names in the folder of a measurement.
const ROWS: &str = "rows.parquet";
const WORKLOAD: &str = "copy.toml";
const RUN: &str = "run";
const LOAD: &str = "drive";
const CURES: &str = "cures.json";
/// Share of the time for questions that are asked one at a time, in percent; the mix has the rest.
const RUN_PERCENT: u32 = 60;
/// Most rounds of the mix, and fewest ones with which differences have intervals.
const ROUNDS: u32 = 7;
const FEWEST_ROUNDS: u32 = 5;
/// Part of the mix's time in which operations are performed; servers and loading take the rest.
const DRIVEN: f64 = 0.6;
/// Shortest time of one round of a design.
const SHORTEST_ROUND: Duration = Duration::from_secs(2);

/// A measurement that was asked for.
#[derive(Debug)]
pub struct Measure {
    /// Time of all of it.
    pub budget: Duration,
    pub dir: PathBuf,
    /// Rows to copy at most.
    pub rows: u64,
}

impl Measure {
    /// Chooses the folder, which is new or empty.
    ///
    /// # Errors
    /// Fails if the folder that was named holds something.
    pub fn new(budget: Duration, out: Option<&Path>, table: &str, rows: u64) -> Result<Measure> {
        let name = format!("diagnose-{}", table.to_lowercase());
        let dir = folder::choose(out, &name, folder::is_new)?;
        if !folder::is_empty(&dir) {
            bail!(
                "--out {}: it is there and is not an empty folder; name a new one",
                dir.display()
            );
        }
        Ok(Measure { budget, dir, rows })
    }

    /// Checks that a Cassandra can be started here for what the diagnosis proposes; `None` if it proposes nothing.
    ///
    /// # Errors
    /// Fails if none can be started, with what is missing.
    pub fn begin(&self, diagnosis: &Diagnosis) -> Result<Option<Begun<'_>>> {
        let proposed = proposals(diagnosis);
        let mut ids = proposed.iter().flat_map(|(_, designs)| designs);
        let Some(first) = ids.next() else {
            print_line("nothing to measure: no finding has a setting of the table as its cure");
            return Ok(None);
        };
        let survey = small_runtime()?.block_on(engine(first)?.survey_design(first));
        if let Err(why) = survey.verdict() {
            bail!("--measure starts a Cassandra on this machine, which it cannot: {why}");
        }
        std::fs::create_dir_all(&self.dir)
            .with_context(|| format!("cannot make the folder {}", self.dir.display()))?;
        Ok(Some(Begun {
            measure: self,
            engine: first.engine.clone(),
            proposed,
        }))
    }
}

/// A measurement whose rows are to be copied.
pub struct Begun<'a> {
    measure: &'a Measure,
    engine: String,
    proposed: Vec<(Proposed, Vec<DesignId>)>,
}

impl Begun<'_> {
    /// Returns the file that the rows are copied to.
    pub fn rows_file(&self) -> PathBuf {
        self.measure.dir.join(ROWS)
    }

    /// Measures the designs over the copied rows, and prints and writes for each finding whether a setting helps.
    ///
    /// # Errors
    /// Fails if the present design cannot be measured, or none was.
    pub fn finish(self, copy: &TableCopy) -> Result<Exit> {
        tell(copy);
        let path = self.measure.dir.join(WORKLOAD);
        let lookups = looked_up(&self.proposed, copy);
        let present = copy.present(&self.engine);
        let designs = Designs::new(&present, self.proposed, |ids| {
            copy.workload(ids, &lookups, ROWS)
        })?;
        let text = copy.workload(&designs.ids(), &lookups, ROWS);
        let mut file = OutFile::create_new(&path)?;
        file.write_all(text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        file.complete()?;
        if designs.others.is_empty() {
            print_line(
                "nothing to measure: the table has what is proposed, or no design can have it",
            );
            self.measure.show(&designs, copy)?;
            return Ok(Exit::Complete);
        }
        let ended = self.measure.run(&path, &designs)?;
        if was_asked_to_stop() {
            return Ok(Exit::Interrupted);
        }
        self.measure.show(&designs, copy)?;
        Ok(ended)
    }
}

impl Measure {
    /// Asks questions one at a time, and performs a mix. Returns how the questions ended.
    fn run(&self, workload: &Path, designs: &Designs) -> Result<Exit> {
        let asked = self.budget * RUN_PERCENT / 100;
        let words = [OsString::from("--budget"), seconds(asked)];
        let ended = self.carry_out("run", workload, words.to_vec(), RUN)?;
        let driven = designs.driven();
        if was_asked_to_stop() || driven.len() < 2 {
            return Ok(ended);
        }
        let mix = self.budget.saturating_sub(asked).mul_f64(DRIVEN);
        let (rounds, time) = rounds(mix / driven.len() as u32);
        let words = ["--in-flight", "32", "--rounds"].map(OsString::from);
        let mut words = words.to_vec();
        words.extend([
            OsString::from(rounds.to_string()),
            OsString::from("--for"),
            seconds(time),
        ]);
        words.extend([OsString::from("--designs"), driven.join(",").into()]);
        // What the questions have shown counts without the mix, too.
        if let Err(error) = self.carry_out("drive", workload, words, LOAD) {
            print_line(format_args!(
                "the mix was not measured: {}",
                explain(&error)
            ));
        }
        Ok(ended)
    }

    /// Carries out a command as the command line would.
    fn carry_out(
        &self,
        command: &str,
        workload: &Path,
        options: Vec<OsString>,
        folder: &str,
    ) -> Result<Exit> {
        let mut words: Vec<OsString> = vec![command.into(), workload.into()];
        words.extend(options);
        words.extend([OsString::from("--out"), self.dir.join(folder).into()]);
        let measurement = Measurement::read(words);
        let failed = |why: String| anyhow!("cannot begin `bakeoff {command}`: {why}");
        measurement.map_err(failed)?.carry_out()
    }

    /// Prints what the measurements show of each finding, and writes it for programs.
    fn show(&self, designs: &Designs, copy: &TableCopy) -> Result<()> {
        let (run, load) = (self.dir.join(RUN), self.dir.join(LOAD));
        let run = Run::is_one(&run).then(|| Run::open(&run)).transpose()?;
        let run = run.map(|run| run.summary()).transpose()?;
        let load = DriveRun::is_one(&load).then(|| DriveRun::open(&load));
        let load = load.transpose()?.map(|load| load.summary()).transpose()?;
        // Its time may allow fewer rows than were copied.
        let asked = run.as_ref().map_or(copy.rows, |run| run.rows);
        let cures = Cures::new(&designs.present, &designs.proposed, run, load);
        let mut out = terminal::stdout();
        writeln!(out, "\n{}", render_cures(&cures, asked, COLUMNS))?;
        let path = self.dir.join(CURES);
        let mut file = OutFile::create_new(&path)?;
        writeln!(file, "{}", cures_json(&cures, copy.rows, &copy.notes)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
        file.complete()?;
        writeln!(out, "\nFigures, rows and workload: {}", self.dir.display())?;
        Ok(())
    }
}

/// Says what was copied, and what the copy lacks.
fn tell(copy: &TableCopy) {
    let share = if copy.is_whole { "all" } else { "some" };
    print_line(format_args!(
        "copied {} rows of the table, {share} that it has; measuring on a Cassandra of Bakeoff's own",
        copy.rows
    ));
    for note in &copy.notes {
        print_line(format_args!("note: {note}"));
    }
}

/// Divides the time of a design into rounds, as many as are long enough. Returns their number and the time of each.
fn rounds(time: Duration) -> (u32, Duration) {
    let fitting = (time.as_secs() / SHORTEST_ROUND.as_secs()).min(u64::from(ROUNDS)) as u32;
    let rounds = fitting.max(FEWEST_ROUNDS);
    (rounds, (time / rounds).max(SHORTEST_ROUND))
}

/// Writes a time as an option takes it.
fn seconds(time: Duration) -> OsString {
    format!("{}s", time.as_secs().max(1)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Misuse;

    #[test]
    fn a_folder_that_holds_something_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let new = |dir: &Path| Measure::new(Duration::from_secs(60), Some(dir), "t", 10);
        assert_eq!(new(folder.path()).unwrap().dir, folder.path());
        std::fs::write(folder.path().join("a"), "b").unwrap();
        let error = new(folder.path()).unwrap_err();
        assert!(!error.is::<Misuse>(), "the folder is no mistake: {error}");
        assert!(error.to_string().contains("not an empty folder"), "{error}");
        assert!(new(&folder.path().join("a")).is_err());
    }

    #[test]
    fn a_short_time_has_fewer_rounds_and_never_too_few() {
        let of = |seconds| rounds(Duration::from_secs(seconds));
        assert_eq!(of(70), (7, Duration::from_secs(10)));
        assert_eq!(of(12), (6, Duration::from_secs(2)));
        assert_eq!(of(1), (5, SHORTEST_ROUND));
    }

    #[test]
    fn times_are_whole_seconds() {
        assert_eq!(seconds(Duration::from_millis(90_700)), "90s");
        assert_eq!(seconds(Duration::ZERO), "1s");
    }
}
