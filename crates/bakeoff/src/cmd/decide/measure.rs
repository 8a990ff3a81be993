//! The commands that measure the designs of a decision, as the command line reads them: `run` for questions, and
//! `drive` for operations, of all designs where there are no questions, and else of those that the questions lead to.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use bakeoff_driver::drive::{LONGEST_WARM_UP, keeps_rows};
use bakeoff_engines::{Context, EngineOptions};
use bakeoff_workload::Workload;

use super::basis::Asked;
use super::final_plan::Noted;
use super::loads::{Loads, Plan, shortest};
use super::state::{By, is_final_due, run_has_ended};
use super::{Decide, RUN, WORKLOAD, source};
use crate::cmd::drive::Drive;
use crate::cmd::measurement::Measurement;
use crate::cmd::options::data::DataOptions;
use crate::cmd::report::Shown;
use crate::cmd::run::{Run, Servers};
use crate::exit::{Exit, Misuse};
use crate::machine;
use crate::progress::time;
use crate::stderr::print_line;

/// Share of the budget that loads have beside questions, as its inverse.
const LOADS_BESIDE_QUESTIONS: u32 = 4;

impl Decide {
    /// Measures the designs of the workload in the folder, by the commands that do so. What came to its end before is
    /// not measured again. Of some questions the user was told that no row fulfils them.
    ///
    /// # Errors
    /// Fails if the workload cannot be used, or as these commands do.
    pub fn measure(&self, dir: &Path, told_unmet: BTreeSet<String>) -> Result<Exit> {
        let workload = DataOptions::default().workload(&dir.join(WORKLOAD))?;
        let by = By::of(&workload);
        if let Some(long) = self.long_filling(&workload, workload.designs.len()) {
            print_line(format_args!("note: {long}"));
        }
        if by == By::Operations {
            return self.drive(dir, &workload, None);
        }
        if !run_has_ended(dir) {
            if self.race(dir, &workload, told_unmet)? == Exit::Interrupted {
                return Ok(Exit::Interrupted);
            }
        } else if Noted::read(dir)?.is_none() {
            // A command was stopped when its race had ended, and how much of its time was left is not known.
            self.plan_final(dir, &workload, self.budget_of_final(by))?;
        }
        if is_final_due(dir) && self.carry_out_final(dir)? == Exit::Interrupted {
            return Ok(Exit::Interrupted);
        }
        if by == By::Questions {
            return Ok(Exit::Complete);
        }
        match self.short_list(dir)?.as_slice() {
            [] => Ok(Exit::Complete),
            // A final that was tried again leads to the same designs.
            designs if Loads::of(dir).are_of(designs) => Ok(Exit::Complete),
            designs => self.drive(dir, &workload, Some(designs)),
        }
    }

    /// Measures all designs by the questions of the workload, and plans the final for what is left of their budget.
    fn race(&self, dir: &Path, workload: &Workload, told_unmet: BTreeSet<String>) -> Result<Exit> {
        let by = By::of(workload);
        let few = self.too_few_rows(workload, &workload.designs, dir.join(RUN));
        if let Some(few) = &few {
            print_line(format_args!("note: {few}"));
        }
        let budget = self.budget_of_race(dir, by, few.is_some());
        let (goes_on, began) = (dir.join(RUN).exists(), Instant::now());
        let run = self.run_of(dir, budget)?.after_telling(told_unmet);
        let ended = run.run()?;
        if ended == Exit::Interrupted {
            return Ok(ended);
        }
        // How long earlier processes took is not known: a decision that went on has what the final has at least.
        let left = if goes_on {
            self.budget_of_final(by)
        } else {
            self.budget_of_run(by).saturating_sub(began.elapsed())
        };
        self.plan_final(dir, workload, left)?;
        Ok(ended)
    }

    /// Drives these designs with the operations of the workload, or all designs that it has.
    fn drive(&self, dir: &Path, workload: &Workload, designs: Option<&[String]>) -> Result<Exit> {
        let loads = Loads::of(dir);
        if let (Some(stopped), None) = (&loads.stopped, &loads.ended) {
            print_line(format_args!(
                "note: loads do not go on where they were stopped: they begin anew in {}, and what was measured until \
                 then stays in {}",
                loads.next.display(),
                stopped.display()
            ));
        }
        let driven = designs.map_or(workload.designs.len(), <[String]>::len);
        let plan = self.plan(workload, driven);
        if !plan.fits {
            print_line(format_args!(
                "note: {} rounds of loads of {} of each design are driven, although they take longer than there is \
                 time for them",
                plan.rounds,
                time(plan.load)
            ));
        }
        self.loads_of(dir, &loads.next, plan, designs)?.run()
    }

    /// Returns the design that the questions in the folder lead to, and the next one.
    fn short_list(&self, dir: &Path) -> Result<Vec<String>> {
        let asked = Asked::read(dir, &Shown::from(self.wanted()?))?;
        Ok(asked.best_two())
    }

    /// Returns how often so many designs are driven with the operations of a workload, and for how long.
    pub fn plan(&self, workload: &Workload, designs: usize) -> Plan {
        let shortest = shortest(self.load.rate, workload.mix.as_ref());
        let budget = self.budget_of_loads(By::of(workload));
        Plan::of(budget, designs, shortest, self.is_warmed_up(workload))
    }

    /// Checks that the loads of so many designs are not far longer than the budget, as at a rate at which operations for
    /// a p99 are long in coming.
    ///
    /// # Errors
    /// Fails with a misuse that says how much longer they are.
    pub fn check_time_of_loads(&self, workload: &Workload, designs: usize) -> Result<()> {
        let by = By::of(workload);
        let driven = by.driven(designs);
        let Some(rate) = self.load.rate.filter(|_| driven > 0) else {
            return Ok(());
        };
        let plan = self.plan(workload, driven);
        if !plan.is_far_too_long() {
            return Ok(());
        }
        let all = plan.time(driven);
        let warm_ups = LONGEST_WARM_UP.saturating_mul(u32::try_from(driven).unwrap_or(u32::MAX));
        let of_loads = all.saturating_add(warm_ups);
        let budget = match by {
            By::Both => of_loads.saturating_mul(LOADS_BESIDE_QUESTIONS),
            By::Questions | By::Operations => of_loads,
        };
        Err(Misuse::new(anyhow!(
            "at --rate {rate} a load takes {} until it has enough operations for a p99, and all loads {}: give a higher \
             --rate, or a --budget above {}",
            time(plan.load),
            time(all),
            time(budget)
        ))
        .into())
    }

    /// Returns whether a warm-up precedes the loads, which is as fast as the server goes and has to leave all rows.
    pub fn is_warmed_up(&self, workload: &Workload) -> bool {
        let limit = self.rate_limit_of_writing();
        let limit = limit.limit(&self.cluster, self.postgres.url());
        let is_limited = limit.is_ok_and(|limit| limit.is_some());
        !is_limited && workload.mix.as_ref().is_none_or(keeps_rows)
    }

    /// Returns the time for the loads of a workload.
    pub fn budget_of_loads(&self, by: By) -> Duration {
        match by {
            By::Both => self.budget / LOADS_BESIDE_QUESTIONS,
            By::Questions | By::Operations => self.budget,
        }
    }

    /// Returns the time for the questions of a workload.
    pub fn budget_of_run(&self, by: By) -> Duration {
        match by {
            By::Both => self.budget - self.budget / LOADS_BESIDE_QUESTIONS,
            By::Questions | By::Operations => self.budget,
        }
    }

    /// Returns the run that measures all designs of the workload in the folder by its questions.
    ///
    /// # Errors
    /// Fails if the command line refuses it.
    pub fn run_of(&self, dir: &Path, budget: Duration) -> Result<Run> {
        self.run_with(&["--race"], dir, RUN, budget)
    }

    /// Returns a run with these options of the workload in the folder `dir`, for the folder of this name in it.
    ///
    /// # Errors
    /// Fails if the command line refuses it.
    pub fn run_with(
        &self,
        options: &[&str],
        dir: &Path,
        name: &str,
        budget: Duration,
    ) -> Result<Run> {
        let mut words = Words::new("run", dir, self)?;
        words.0.extend(options.iter().map(OsString::from));
        words.add("--budget", format!("{}ms", budget.as_millis().max(1)));
        words.add("--out", dir.join(name));
        words.add_prices(self);
        match Measurement::read(words.0) {
            Ok(Measurement::Run(run)) => Ok(run.for_decision(self.servers())),
            Ok(_) => Err(anyhow!("cannot begin the run")),
            Err(why) => Err(anyhow!("cannot begin the run: {why}")),
        }
    }

    /// Returns the loads that drive these designs of the workload in the folder `dir` with its operations, or all of
    /// them, for the folder `out`.
    ///
    /// # Errors
    /// Fails with a misuse if the command line refuses them.
    pub fn loads_of(
        &self,
        dir: &Path,
        out: &Path,
        plan: Plan,
        designs: Option<&[String]>,
    ) -> Result<Drive> {
        let mut words = Words::new("drive", dir, self)?;
        if let Some(designs) = designs {
            words.add("--designs", designs.join(","));
        }
        words.add("--rounds", plan.rounds.to_string());
        words.add("--for", format!("{}ms", plan.load.as_millis().max(1)));
        words.add("--out", out);
        if let Some(rate) = self.load.rate {
            words.add("--rate", rate.to_string());
        }
        if let Some(in_flight) = self.load.in_flight {
            words.add("--in-flight", in_flight.to_string());
        }
        if let Some(rows) = self.load.rows {
            words.add("--rows", rows.to_string());
        }
        words.add_prices(self);
        match Measurement::read(words.0) {
            Ok(Measurement::Drive(drive)) => Ok(drive.for_decision(self.servers())),
            Ok(_) => Err(anyhow!("cannot begin the loads")),
            Err(why) => Err(Misuse::new(anyhow!("cannot begin the loads: {why}")).into()),
        }
    }

    /// Returns the context in which engines describe and measure the designs of a workload.
    ///
    /// # Errors
    /// Fails with a misuse if the name of a server or the limit of rows cannot be used.
    pub fn context(&self, workload: &Workload, run_dir: PathBuf) -> Result<Context> {
        let mut of_engines = EngineOptions::default();
        of_engines.cassandra.cluster = self.cluster.cluster();
        of_engines.cassandra.server = workload.server.clone();
        self.postgres.put_into(&mut of_engines)?;
        let limit = self.rate_limit_of_writing();
        of_engines.rate_limit = limit.limit(&self.cluster, self.postgres.url())?;
        Ok(Context {
            run_dir,
            token: None,
            threads: machine::cores(),
            keys_repeat: true,
            options: of_engines,
        })
    }

    /// Returns the servers of the user's on which designs are measured.
    fn servers(&self) -> Servers {
        Servers {
            cluster: self.cluster.clone(),
            postgres: self.postgres.clone(),
            rate_limit: self.rate_limit_of_writing(),
        }
    }
}

/// Words of a command.
struct Words(Vec<OsString>);

impl Words {
    /// Begins a command with the workload in the folder, and where its rows are.
    fn new(command: &str, dir: &Path, options: &Decide) -> Result<Words> {
        let mut words: Vec<OsString> = vec![command.into(), dir.join(WORKLOAD).into_os_string()];
        words.extend(source::data_words(&options.from)?);
        Ok(Words(words))
    }

    fn add(&mut self, option: &str, value: impl AsRef<OsStr>) {
        self.0.push(option.into());
        self.0.push(value.as_ref().to_owned());
    }

    fn add_prices(&mut self, options: &Decide) {
        if let Some(list) = options.prices.list() {
            self.add("--prices", list);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cmd::decide::fixture::decide;
    use crate::shipped::WORKLOADS;

    #[test]
    fn a_budget_is_for_one_measurement_or_shared_out_between_two() {
        let decide = decide(&["readings", "--budget", "20m"]);
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        assert_eq!(decide.budget_of_run(By::Questions), minutes(20));
        assert_eq!(decide.budget_of_loads(By::Operations), minutes(20));
        assert_eq!(decide.budget_of_run(By::Both), minutes(15));
        assert_eq!(decide.budget_of_loads(By::Both), minutes(5));
    }

    #[test]
    fn a_rate_at_which_loads_would_last_far_beyond_the_budget_is_refused() {
        let checked = |name: &str, options: &[&str]| {
            let text = WORKLOADS.get(name).unwrap().text;
            let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
            let decide = decide(&[&[name][..], options].concat());
            decide.check_time_of_loads(&workload, 3)
        };
        let why = |name: &str| checked(name, &["--rate", "1"]).unwrap_err().to_string();
        // Half of the operations are reads: 3,000 s for 1,500 of them.
        let alone = why("ycsb/a");
        let all = "a load takes 50m until it has enough operations for a p99, and all loads 5h: ";
        assert!(alone.contains(all), "{alone}");
        assert!(alone.contains("or a --budget above 5h"), "{alone}");
        let beside = why("readings");
        assert!(beside.contains(" a --budget above "), "{beside}");
        for options in [
            &["--rate", "1", "--budget", "6h"][..],
            &["--rate", "500"],
            &[],
        ] {
            assert!(checked("ycsb/a", options).is_ok(), "{options:?}");
        }
    }

    #[test]
    fn loads_are_of_the_designs_that_are_named() {
        let text = WORKLOADS.get("readings").unwrap().text;
        let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
        let named = "cassandra/wide?chunk=4KiB".to_owned();
        for options in [
            &["readings"][..],
            &["readings", "--rate", "2.5k", "--in-flight", "64"],
            &["readings", "--prices", "study-2018"],
        ] {
            let decide = decide(options);
            let plan = decide.plan(&workload, 1);
            let folder = Path::new("out");
            let designs = std::slice::from_ref(&named);
            let drive = decide.loads_of(folder, &folder.join("load"), plan, Some(designs));
            let driven = drive.unwrap().designs(&workload).unwrap();
            let driven: Vec<String> = driven.iter().map(ToString::to_string).collect();
            assert_eq!(driven, [named.as_str()], "{options:?}");
        }
    }
}
