//! The commands that measure the designs of a decision, as the command line reads them: `run` for questions, and
//! `drive` for operations where there are no questions.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use anyhow::{Result, anyhow};
use bakeoff_workload::Workload;

use super::loads::{Loads, Plan, shortest};
use super::{Decide, RUN, WORKLOAD, source};
use crate::cmd::drive::Drive;
use crate::cmd::measurement::Measurement;
use crate::cmd::options::data::DataOptions;
use crate::cmd::run::{Run, Servers};
use crate::exit::{Exit, Misuse};
use crate::progress::time;
use crate::stderr::print_line;

/// What the designs of a workload are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Questions,
    /// The operations of a mix, where there are no questions.
    Operations,
}

impl By {
    /// Returns what the designs of a workload are compared by. One without questions has a mix.
    pub fn of(workload: &Workload) -> By {
        if workload.queries.is_empty() {
            By::Operations
        } else {
            By::Questions
        }
    }
}

impl Decide {
    /// Measures the designs of the workload in the folder, by the command that does so.
    ///
    /// # Errors
    /// Fails if the workload cannot be used, or as that command does.
    pub fn measure(&self, dir: &Path) -> Result<Exit> {
        let workload = DataOptions::default().workload(&dir.join(WORKLOAD))?;
        if By::of(&workload) == By::Questions {
            return self.run_of(dir)?.run();
        }
        let loads = Loads::of(dir);
        if let Some(stopped) = &loads.stopped {
            print_line(format_args!(
                "note: loads do not go on where they were stopped: they begin anew in {}, and what was measured until \
                 then stays in {}",
                loads.next.display(),
                stopped.display()
            ));
        }
        let plan = self.plan(&workload, workload.designs.len());
        if !plan.fits {
            print_line(format_args!(
                "note: {} rounds of loads of {} of each design are driven, although they take longer than {}",
                plan.rounds,
                time(plan.load),
                time(self.budget)
            ));
        }
        self.loads_of(dir, &loads.next, plan)?.run()
    }

    /// Returns how often so many designs are driven with the operations of a workload, and for how long.
    pub fn plan(&self, workload: &Workload, designs: usize) -> Plan {
        let shortest = shortest(self.load.rate, workload.mix.as_ref());
        Plan::of(self.budget, designs, shortest)
    }

    /// Returns the run that measures the designs of the workload in the folder by its questions.
    ///
    /// # Errors
    /// Fails if the command line refuses it.
    pub fn run_of(&self, dir: &Path) -> Result<Run> {
        let mut words = Words::new("run", dir, self)?;
        words.0.push("--race".into());
        let budget = format!("{}ms", self.budget.as_millis().max(1));
        words.add("--budget", budget);
        words.add("--out", dir.join(RUN));
        words.add_prices(self);
        match Measurement::read(words.0) {
            Ok(Measurement::Run(run)) => Ok(run.on_servers(self.servers())),
            Ok(_) => Err(anyhow!("cannot begin the run")),
            Err(why) => Err(anyhow!("cannot begin the run: {why}")),
        }
    }

    /// Returns the loads that drive the designs of the workload in the folder `dir` with its operations, for the folder
    /// `out`.
    ///
    /// # Errors
    /// Fails with a misuse if the command line refuses them.
    pub fn loads_of(&self, dir: &Path, out: &Path, plan: Plan) -> Result<Drive> {
        let mut words = Words::new("drive", dir, self)?;
        words.add("--rounds", plan.rounds.to_string());
        words.add("--for", format!("{}ms", plan.load.as_millis().max(1)));
        words.add("--out", out);
        if let Some(rate) = self.load.rate {
            words.add("--rate", rate.to_string());
        }
        if let Some(in_flight) = self.load.in_flight {
            words.add("--in-flight", in_flight.to_string());
        }
        words.add_prices(self);
        match Measurement::read(words.0) {
            Ok(Measurement::Drive(drive)) => Ok(drive.on_servers(self.servers())),
            Ok(_) => Err(anyhow!("cannot begin the loads")),
            Err(why) => Err(Misuse::new(anyhow!("cannot begin the loads: {why}")).into()),
        }
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
