//! The loads by which a decision compares designs where a workload has operations: how they fit into the budget, and in
//! which folders they are.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use bakeoff_driver::drive::{Schedule, keeps_rows, longest_load};
use bakeoff_stats::drive::{DriveRecord, DriveRun};
use bakeoff_workload::Mix;
use clap::Args;

use crate::cmd::options::choice::{parse_rate, parse_rows};
use crate::exit::Misuse;

/// Name of the folder of loads in that of a decision. If they were stopped, the next ones are in `load-2`, and so on.
pub const LOAD: &str = "load";
/// Most rounds of loads, as many as a report asks for, and fewest.
const MOST_ROUNDS: u32 = 7;
const FEWEST_ROUNDS: u32 = 2;
/// Fewest rounds in which a difference can be settled: beyond them, longer loads are worth more than another round.
const ROUNDS_TO_SETTLE: u32 = 5;
/// The longest load.
const LONGEST: Duration = Duration::from_secs(60);
/// The shortest load from which there are figures.
const RELEASED: Duration = Duration::from_secs(5);
/// The shortest one if no warm-up precedes it, so that it contains one, which is then left out.
const RELEASED_COLD: Duration = Duration::from_secs(30);
/// The shortest loads of this build. One without optimisation, as for tests, measures nothing.
const SHORTEST: Duration = if cfg!(debug_assertions) {
    Duration::from_secs(1)
} else {
    RELEASED
};
const SHORTEST_COLD: Duration = if cfg!(debug_assertions) {
    Duration::from_secs(2)
} else {
    RELEASED_COLD
};

/// Operations of a kind in a load at a rate, so that a thousand are left for a p99 without the warm-up.
const FOR_P99: f64 = 1_500.0;
/// Most seconds of a load at a low rate.
const MOST_SECONDS: f64 = 3_600.0;

/// Options of the loads of a decision.
#[derive(Args, Debug, Clone)]
pub struct LoadOptions {
    /// For a workload with operations: how many are due in each second, such as 2k. Designs are then compared by the
    /// p99 of their slowest operation at this rate [default: as fast as they go, compared by operations a second]
    #[arg(
        long,
        value_name = "R",
        value_parser = parse_rate_of_loads,
        allow_negative_numbers = true,
        conflicts_with = "prices"
    )]
    pub rate: Option<f64>,

    /// For a workload with operations: how many are in flight at a time [default: 32; with --rate 1024]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub in_flight: Option<u32>,

    /// For a workload with operations: how many rows are loaded before them, on top of the budget [default: `rows` of
    /// its [scale]]
    #[arg(long, value_name = "N", value_parser = parse_rows, allow_negative_numbers = true)]
    pub rows: Option<u64>,
}

impl LoadOptions {
    /// Returns the first of the options that is given.
    pub fn given(&self) -> Option<&'static str> {
        let rate = self.rate.map(|_| "--rate");
        let in_flight = self.in_flight.map(|_| "--in-flight");
        rate.or(in_flight).or(self.rows.map(|_| "--rows"))
    }
}

/// Reads a rate at which operations can be due.
fn parse_rate_of_loads(text: &str) -> Result<f64, String> {
    let rate = parse_rate(text)?;
    match Schedule::constant(rate) {
        Ok(_) => Ok(rate),
        Err(why) => Err(why.to_string()),
    }
}

/// Says that an option of loads is given for what has no operations.
pub fn without_operations(option: &str, from: &Path) -> anyhow::Error {
    let told = anyhow!(
        "{option} is for a workload with operations, and {} has none: leave it out",
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
    /// Shares out a budget between so many designs, each of which may be warmed up: up to five rounds of loads that are
    /// at least `shortest` long, and more rounds only of loads that are twice as long.
    pub fn of(budget: Duration, designs: usize, shortest: Duration, is_warmed_up: bool) -> Plan {
        let of_design = budget / u32::try_from(designs.max(1)).unwrap_or(u32::MAX);
        let longest = LONGEST.max(shortest);
        let load = |rounds: u32| {
            let load = if is_warmed_up {
                longest_load(of_design, rounds)
            } else {
                of_design / rounds
            };
            load.min(longest)
        };
        let most = |rounds: RangeInclusive<u32>, shortest: Duration| {
            rounds.rev().find(|rounds| load(*rounds) >= shortest)
        };
        let many = most(ROUNDS_TO_SETTLE..=MOST_ROUNDS, 2 * shortest);
        let found = many.or_else(|| most(FEWEST_ROUNDS..=ROUNDS_TO_SETTLE, shortest));
        let rounds = found.unwrap_or(FEWEST_ROUNDS);
        Plan {
            rounds,
            load: load(rounds).max(shortest),
            fits: found.is_some(),
        }
    }

    /// Returns whether the loads do not fit since each has to be longer than any other load would be.
    pub fn is_far_too_long(&self) -> bool {
        !self.fits && self.load > LONGEST
    }

    /// Returns how long all loads of so many designs take, without warm-ups.
    pub fn time(&self, designs: usize) -> Duration {
        let designs = u32::try_from(designs).unwrap_or(u32::MAX);
        self.load
            .saturating_mul(self.rounds.saturating_mul(designs))
    }
}

/// Returns the shortest load from which there are figures: at a rate one with enough operations of the most frequent
/// kind for a p99.
pub fn shortest(rate: Option<f64>, mix: Option<&Mix>) -> Duration {
    let least = if mix.is_none_or(keeps_rows) {
        SHORTEST
    } else {
        SHORTEST_COLD
    };
    let operations = mix.map_or(&[][..], |mix| mix.operations.as_slice());
    let shares = operations.iter().map(|operation| operation.weight);
    let (Some(rate), Some(share)) = (rate, shares.reduce(f64::max)) else {
        return least;
    };
    let seconds = (FOR_P99 / (rate * share)).clamp(0.0, MOST_SECONDS);
    Duration::from_secs_f64(seconds).max(least)
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

    /// Returns whether those that came to their end are of these designs, and of no others.
    pub fn are_of(&self, designs: &[String]) -> bool {
        let ended = self.ended.as_deref();
        let ended = ended.and_then(|folder| DriveRun::open(folder).ok());
        ended.is_some_and(|run| {
            let driven = &run.header().designs;
            driven.len() == designs.len() && driven.iter().all(|info| designs.contains(&info.id))
        })
    }
}

/// Returns whether a folder holds loads that came to their end.
fn has_ended(dir: &Path) -> bool {
    let run = DriveRun::open(dir).ok();
    run.is_some_and(|run| matches!(run.records().last(), Some(DriveRecord::Finished { .. })))
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::{Action, Keys, Operation};

    use super::*;
    use crate::cmd::decide::fixture::ended_in;

    fn plan(budget: Duration, designs: usize) -> Plan {
        Plan::of(budget, designs, SHORTEST, true)
    }

    #[test]
    fn a_budget_is_shared_out_between_designs_and_more_rounds_come_before_longer_loads() {
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        let few = plan(minutes(15), 2);
        assert_eq!((few.rounds, few.fits), (MOST_ROUNDS, true));
        assert!(few.load > SHORTEST && few.load <= LONGEST, "{few:?}");
        // No load is longer than needed.
        assert_eq!(plan(minutes(600), 1).load, LONGEST);
        let mut fewer = few;
        for designs in 3..=40_u32 {
            let more = plan(minutes(2), designs as usize);
            assert!(more.rounds <= fewer.rounds, "{designs} designs: {more:?}");
            assert!(more.load >= SHORTEST, "{designs} designs: {more:?}");
            let takes = more.load * more.rounds * designs;
            assert!(!more.fits || takes <= minutes(2), "{designs}: {more:?}");
            fewer = more;
        }
        // What cannot fit is said.
        let least = Plan {
            rounds: FEWEST_ROUNDS,
            load: SHORTEST,
            fits: false,
        };
        assert_eq!(plan(Duration::from_secs(1), 40), least);
        assert_eq!(plan(Duration::ZERO, 0), least);
        // Without a warm-up all of it is for loads.
        let cold = Plan::of(minutes(2), 2, SHORTEST_COLD, false);
        assert!(cold.fits && cold.load >= SHORTEST_COLD, "{cold:?}");
        assert!(minutes(1) - cold.load * cold.rounds < Duration::from_millis(1));
    }

    #[test]
    fn loads_of_a_release_build_are_as_long_as_documented() {
        let seconds = Duration::from_secs;
        for minutes in [1, 2, 5, 15, 60, 600] {
            let budget = seconds(60 * minutes);
            for designs in 1..=20 {
                let warm = Plan::of(budget, designs, RELEASED, true);
                let cold = Plan::of(budget, designs, RELEASED_COLD, false);
                let context = format!("{minutes} minutes, {designs} designs: {warm:?}, {cold:?}");
                assert!(
                    warm.load >= seconds(5) && warm.load <= seconds(60),
                    "{context}"
                );
                assert!(warm.rounds <= 5 || warm.load >= seconds(10), "{context}");
                assert!(
                    cold.load >= seconds(30) && cold.load <= seconds(60),
                    "{context}"
                );
                assert!(cold.rounds <= 5 || cold.load == seconds(60), "{context}");
                assert!(warm.rounds <= 7 && cold.rounds <= 7, "{context}");
            }
        }
        let expected = Plan {
            rounds: 3,
            load: Duration::from_millis(37_500),
            fits: true,
        };
        assert_eq!(Plan::of(seconds(900), 8, RELEASED_COLD, false), expected);
    }

    #[test]
    fn a_load_at_a_rate_is_long_enough_for_a_p99() {
        let operation = |weight: f64| Operation {
            name: "read".to_owned(),
            weight,
            action: Action::ReadRow,
            keys: Keys::Uniform,
            consistency: None,
            ttl_seconds: None,
            batch: 1,
        };
        let mut mix = Mix {
            operations: vec![operation(0.25), operation(0.75)],
            schema: Vec::new(),
            populate: Vec::new(),
            background: Vec::new(),
        };
        assert_eq!(shortest(None, Some(&mix)), SHORTEST);
        assert_eq!(shortest(Some(1e6), Some(&mix)), SHORTEST);
        let long = shortest(Some(20.0), Some(&mix));
        assert_eq!(long, Duration::from_secs(100), "15 of them in a second");
        let minute = Duration::from_secs(60);
        assert_eq!(Plan::of(minute, 1, long, true).load, long);
        let longest = shortest(Some(1e-300), Some(&mix));
        assert_eq!(longest, Duration::from_secs(3_600));
        // What deletes is not warmed up.
        mix.operations[0].action = Action::DeleteRow;
        for rate in [None, Some(1e6)] {
            assert_eq!(shortest(rate, Some(&mix)), SHORTEST_COLD);
        }
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

    #[test]
    fn loads_that_ended_are_of_their_designs_alone() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let are_of = |designs: &[&str]| {
            let designs: Vec<String> = designs.iter().map(|id| (*id).to_owned()).collect();
            Loads::of(dir).are_of(&designs)
        };
        let both = ["cassandra/narrow", "cassandra/wide"];
        assert!(!are_of(&both), "none have ended");
        ended_in(&dir.join(LOAD), "drive");
        assert!(are_of(&both));
        for others in [&both[..1], &["cassandra/narrow", "memory"]] {
            assert!(!are_of(others), "{others:?}");
        }
    }
}
