//! The loads by which a decision compares designs where a workload has operations: how they fit into the budget, and in
//! which folders they are.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use bakeoff_driver::drive::longest_load;
use bakeoff_stats::drive::{DriveRecord, DriveRun};
use clap::Args;

use crate::cmd::options::choice::parse_rate;
use crate::exit::Misuse;

/// Name of the folder of loads in that of a decision. If they were stopped, the next ones are in `load-2`, and so on.
const LOAD: &str = "load";
/// Most rounds of loads, as many as a report asks for, and fewest.
const MOST_ROUNDS: u32 = 7;
const FEWEST_ROUNDS: u32 = 2;
/// The longest load.
const LONGEST: Duration = Duration::from_secs(60);
/// The shortest load from which there are figures. A build without optimisation, as for tests, measures nothing.
const SHORTEST: Duration = if cfg!(debug_assertions) {
    Duration::from_secs(1)
} else {
    Duration::from_secs(5)
};

/// Options of the loads of a decision.
#[derive(Args, Debug, Clone)]
pub struct LoadOptions {
    /// For a workload with operations and no questions: operations due in each second, such as 2k. Designs are then
    /// compared by the p99 of their slowest operation at this rate [default: as fast as they go, compared by
    /// operations a second]
    #[arg(
        long,
        value_name = "R",
        value_parser = parse_rate,
        allow_negative_numbers = true,
        conflicts_with = "prices"
    )]
    pub rate: Option<f64>,

    /// For such a workload, too: operations in flight at a time [default: 32; with --rate 1024]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub in_flight: Option<u32>,
}

impl LoadOptions {
    /// Returns the first of the options that is given.
    pub fn given(&self) -> Option<&'static str> {
        let rate = self.rate.map(|_| "--rate");
        rate.or(self.in_flight.map(|_| "--in-flight"))
    }
}

/// Says that an option of loads is given for what has no operations, or is decided by its questions.
pub fn without_operations(option: &str, from: &Path) -> anyhow::Error {
    let told = anyhow!(
        "{option} is for a workload with operations and no questions, and {} is none: leave it out",
        from.display()
    );
    Misuse::new(told).into()
}

/// How often each design is driven, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    pub rounds: u32,
    /// Length of each load.
    pub load: Duration,
    /// Whether all loads, with the warm-up of each design, take no longer than the budget.
    pub fits: bool,
}

impl Plan {
    /// Shares out a budget between so many designs: as many rounds as there may be of loads that are long enough.
    pub fn of(budget: Duration, designs: usize) -> Plan {
        let of_design = budget / u32::try_from(designs.max(1)).unwrap_or(u32::MAX);
        let load = |rounds| longest_load(of_design, rounds).min(LONGEST);
        let mut possible = (FEWEST_ROUNDS..=MOST_ROUNDS).rev();
        let found = possible.find(|rounds| load(*rounds) >= SHORTEST);
        let rounds = found.unwrap_or(FEWEST_ROUNDS);
        Plan {
            rounds,
            load: load(rounds).max(SHORTEST),
            fits: found.is_some(),
        }
    }
}

/// The loads that are in the folder of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loads {
    /// Folder of those that came to their end.
    pub ended: Option<PathBuf>,
    /// Folder of the last ones that were stopped.
    pub stopped: Option<PathBuf>,
    /// Folder for the next ones, which is not there yet.
    pub next: PathBuf,
}

impl Loads {
    /// Looks for the loads in the folder of a decision.
    pub fn of(dir: &Path) -> Loads {
        let mut loads = Loads {
            ended: None,
            stopped: None,
            next: dir.join(LOAD),
        };
        let mut number = 1;
        while loads.next.symlink_metadata().is_ok() {
            number += 1;
            let further = dir.join(format!("{LOAD}-{number}"));
            let there = std::mem::replace(&mut loads.next, further);
            if has_ended(&there) {
                loads.ended = Some(there);
            } else {
                loads.stopped = Some(there);
            }
        }
        loads
    }

    /// Returns whether any load has begun.
    pub fn have_begun(&self) -> bool {
        self.ended.is_some() || self.stopped.is_some()
    }
}

/// Returns whether a folder holds loads that came to their end.
fn has_ended(dir: &Path) -> bool {
    let run = DriveRun::open(dir).ok();
    run.is_some_and(|run| matches!(run.records().last(), Some(DriveRecord::Finished { .. })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_shared_out_between_designs_and_more_rounds_come_before_longer_loads() {
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        let few = Plan::of(minutes(15), 2);
        assert_eq!((few.rounds, few.fits), (MOST_ROUNDS, true));
        assert!(few.load > SHORTEST && few.load <= LONGEST, "{few:?}");
        // No load is longer than needed.
        assert_eq!(Plan::of(minutes(600), 1).load, LONGEST);
        let mut fewest = few;
        for designs in 3..=40 {
            let plan = Plan::of(minutes(2), designs);
            assert!(plan.rounds <= fewest.rounds, "{designs} designs: {plan:?}");
            assert!(plan.load >= SHORTEST, "{designs} designs: {plan:?}");
            let loads = plan.load * plan.rounds * designs as u32;
            assert!(!plan.fits || loads <= minutes(2), "{designs} designs: {plan:?}");
            fewest = plan;
        }
        // What cannot fit is said.
        let least = Plan {
            rounds: FEWEST_ROUNDS,
            load: SHORTEST,
            fits: false,
        };
        assert_eq!(Plan::of(Duration::from_secs(1), 40), least);
        assert_eq!(Plan::of(Duration::ZERO, 0), least);
    }

    #[test]
    fn loads_that_were_stopped_stay_and_the_next_ones_have_another_folder() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let loads = Loads::of(dir);
        assert!(!loads.have_begun());
        assert_eq!(loads.next, dir.join("load"));
        std::fs::create_dir(dir.join("load")).unwrap();
        std::fs::create_dir(dir.join("load-2")).unwrap();
        let loads = Loads::of(dir);
        assert!(loads.have_begun());
        assert_eq!(loads.ended, None);
        assert_eq!(loads.stopped, Some(dir.join("load-2")));
        assert_eq!(loads.next, dir.join("load-3"));
    }
}
