//! A race played over the journal of a run that measured everything: what it would have recommended,
//! and in what share of the time.
//!
//! Rounds are drawn from those of the run with replacement, all designs and queries alike, so that each
//! seed is another race among the same designs. The rungs are the smaller tables of the run, so it has to
//! have some of the sizes that a race asks for.

use std::collections::BTreeSet;

use super::{LOOKS, RUNG_ROUND, RUNG_ROUNDS, drops, look, rungs};
use crate::compare::{Dropped, Instance, InstanceKind, Record, Summary, SummaryError, Timing};
use crate::decide::regret;
use crate::random::SplitMix64;

/// The least that warming up takes before rounds are timed, in seconds.
const WARM_UP_AT_LEAST: f64 = 10.0;

/// The outcome of a race.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    pub recommended: String,
    /// How much more the recommended design costs than the best one by all figures of the run, relative
    /// to that.
    pub regret: f64,
    pub dropped: Vec<Dropped>,
    pub rounds: u32,
    /// Seconds of loading, settling, warming up and asking.
    pub seconds: f64,
    /// The same of the whole run.
    pub all_seconds: f64,
}

/// A reason why no race can be played over a run.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Summary(#[from] SummaryError),
    #[error("the run is a race itself; play it over a run of the same command without --race")]
    IsRace,
    #[error("the run has {rounds} rounds that all designs answered, and a race needs {}", LOOKS[0])]
    FewRounds { rounds: u32 },
    #[error(
        "the run has no smaller tables of {rows} rows, which a race begins with; measure it with \
         --scales 4x4"
    )]
    NoRung { rows: u64 },
    #[error("nothing can be recommended from the run")]
    NothingToRecommend,
}

/// Plays a race with the rounds that this seed draws.
///
/// # Errors
/// The run is no exhaustive one, or too small for a race.
pub fn replay(records: &[Record], seed: u64) -> Result<Replay, ReplayError> {
    let run = Exhaustive::of(records)?;
    let mut race = Race {
        run: &run,
        random: SplitMix64::new(seed),
        records: run.header(),
        asked: Vec::new(),
        seconds: 0.0,
    };
    let mut dropped = race.climb()?;
    let rounds = race.finish(&mut dropped)?;
    let recommended = Summary::from_records(&race.records)?;
    let recommended = { recommended.decision }
        .and_then(|decision| decision.recommendation)
        .ok_or(ReplayError::NothingToRecommend)?
        .design;
    let regret = run
        .summary
        .decision_input()
        .and_then(|all| regret(&all, &recommended));
    Ok(Replay {
        regret: regret.ok_or(ReplayError::NothingToRecommend)?,
        recommended,
        dropped,
        rounds,
        seconds: race.seconds,
        all_seconds: run.seconds(),
    })
}

/// A run that measured everything.
struct Exhaustive<'a> {
    records: &'a [Record],
    summary: Summary,
    rungs: Vec<u64>,
    rounds: Vec<u32>,
    warm_up: f64,
}

impl<'a> Exhaustive<'a> {
    fn of(records: &'a [Record]) -> Result<Exhaustive<'a>, ReplayError> {
        let summary = Summary::from_records(records)?;
        if summary.race.is_some() {
            return Err(ReplayError::IsRace);
        }
        let rounds = rounds_of(records);
        let known = summary.decision_input().map_or(0, |input| input.rounds);
        if known < LOOKS[0] {
            return Err(ReplayError::FewRounds { rounds: known });
        }
        let rungs = rungs(summary.rows);
        let has = |rows: &u64| {
            let mut kinds = summary
                .instances
                .iter()
                .map(|further| further.instance.kind);
            kinds.any(|kind| kind == InstanceKind::Smaller { rows: *rows })
        };
        if let Some(rows) = rungs.iter().find(|rows| !has(rows)) {
            return Err(ReplayError::NoRung { rows: *rows });
        }
        let warm_up = records.iter().map(|record| match record {
            Record::WarmedUp { seconds, .. } => *seconds,
            _ => 0.0,
        });
        Ok(Exhaustive {
            records,
            warm_up: warm_up.sum(),
            summary,
            rungs,
            rounds,
        })
    }

    fn header(&self) -> Vec<Record> {
        let race = Record::Race { rungs: Vec::new() };
        self.records.iter().take(1).cloned().chain([race]).collect()
    }

    fn seconds(&self) -> f64 {
        let asked = self.records.iter().map(seconds_of);
        asked.sum::<f64>() + self.warm_up
    }

    /// Returns what loading and settling these tables, and checking their answers, left in the journal.
    fn tables(&self, ids: &BTreeSet<String>) -> impl Iterator<Item = &'a Record> {
        let is_of = move |record: &&Record| {
            let id = table_of(record);
            !matches!(record, Record::Timed(_)) && id.is_some_and(|id| ids.contains(id))
        };
        self.records
            .iter()
            .filter(is_of)
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Returns the times of these tables in a round of the run.
    fn times(&self, ids: &BTreeSet<String>, round: u32) -> Vec<&'a Timing> {
        let timings = self.records.iter().filter_map(|record| match record {
            Record::Timed(timing) if timing.round == round => Some(timing),
            _ => None,
        });
        timings
            .filter(|timing| ids.contains(&timing.design))
            .collect()
    }

    fn at_rung(&self, rows: u64) -> Vec<Instance> {
        let instances = self
            .summary
            .instances
            .iter()
            .map(|further| &further.instance);
        let of_rung = instances.filter(|i| i.kind == InstanceKind::Smaller { rows });
        of_rung.cloned().collect()
    }
}

/// A race that is being played.
struct Race<'a> {
    run: &'a Exhaustive<'a>,
    random: SplitMix64,
    records: Vec<Record>,
    /// Tables of the rungs, which are loaded once.
    asked: Vec<String>,
    seconds: f64,
}

impl Race<'_> {
    /// Plays the rungs and returns what they drop.
    fn climb(&mut self) -> Result<Vec<Dropped>, ReplayError> {
        let run = self.run;
        for rows in &run.rungs {
            let instances = run.at_rung(*rows);
            let ids: BTreeSet<String> = instances.iter().map(|i| i.id.clone()).collect();
            self.records.push(Record::Race { rungs: instances });
            self.load(&ids);
            for round in 0..RUNG_ROUNDS {
                self.ask(&ids, RUNG_ROUND + round);
            }
            self.asked.extend(ids);
        }
        let found = drops(&self.records, &run.rungs)?;
        self.drop(&found);
        Ok(found)
    }

    /// Plays the rounds of what is left, and returns their number.
    fn finish(&mut self, dropped: &mut Vec<Dropped>) -> Result<u32, ReplayError> {
        let instances = self.further(dropped);
        let mut ids: BTreeSet<String> = instances.iter().map(|i| i.id.clone()).collect();
        let designs = self
            .run
            .summary
            .designs
            .iter()
            .map(|design| design.info.id.clone());
        ids.extend(designs.filter(|id| !is_out(dropped, id)));
        self.records.push(Record::Instances { instances });
        self.load(&ids);
        let last = LOOKS[LOOKS.len() - 1];
        for round in 0..last {
            self.ask(&ids, round);
            if !LOOKS.contains(&(round + 1)) {
                continue;
            }
            let look = look(&self.records)?;
            if look.stop.is_some() {
                return Ok(round + 1);
            }
            self.drop(&look.dropped);
            dropped.extend(look.dropped);
            ids.retain(|id| !is_out(dropped, self.design_of(id)));
        }
        Ok(last)
    }

    /// Returns the further tables of designs that are left.
    fn further(&self, dropped: &[Dropped]) -> Vec<Instance> {
        let instances = self
            .run
            .summary
            .instances
            .iter()
            .map(|further| &further.instance);
        let left = instances.filter(|instance| !is_out(dropped, &instance.design));
        left.cloned().collect()
    }

    fn design_of<'b>(&'b self, id: &'b str) -> &'b str {
        let mut instances = self
            .run
            .summary
            .instances
            .iter()
            .map(|further| &further.instance);
        let found = instances.find(|instance| instance.id == id);
        found.map_or(id, |instance| &instance.design)
    }

    fn drop(&mut self, dropped: &[Dropped]) {
        let records = dropped
            .iter()
            .cloned()
            .map(|d| Record::Dropped(Box::new(d)));
        self.records.extend(records);
    }

    /// Loads tables that are not there yet, and warms all of these up. Warming up takes the share of the
    /// run's that these tables have of the times of a round.
    fn load(&mut self, ids: &BTreeSet<String>) {
        let new: BTreeSet<String> = { ids.iter() }
            .filter(|id| !self.asked.contains(id))
            .cloned()
            .collect();
        for record in self.run.tables(&new) {
            self.seconds += seconds_of(record);
            self.records.push(record.clone());
        }
        let of_round = |ids: &dyn Fn(&str) -> bool| -> f64 {
            let timed =
                self.run.records.iter().filter(
                    |record| matches!(record, Record::Timed(timing) if ids(&timing.design)),
                );
            timed.map(seconds_of).sum()
        };
        let share = of_round(&|id| ids.contains(id)) / of_round(&|_| true).max(f64::MIN_POSITIVE);
        let least = WARM_UP_AT_LEAST.min(self.run.warm_up);
        self.seconds += (self.run.warm_up * share).max(least);
    }

    /// Asks these tables in a round, with the times of one that is drawn.
    fn ask(&mut self, ids: &BTreeSet<String>, round: u32) {
        let drawn = self.run.rounds[self.random.below(self.run.rounds.len())];
        for timing in self.run.times(ids, drawn) {
            self.seconds += timing.seconds;
            let timing = Timing {
                round,
                ..timing.clone()
            };
            self.records.push(Record::Timed(timing));
        }
    }
}

fn is_out(dropped: &[Dropped], design: &str) -> bool {
    dropped.iter().any(|d| d.design == design && !d.is_control)
}

fn rounds_of(records: &[Record]) -> Vec<u32> {
    let rounds: BTreeSet<u32> = { records.iter() }
        .filter_map(|record| match record {
            Record::Timed(timing) => Some(timing.round),
            _ => None,
        })
        .collect();
    rounds.into_iter().collect()
}

/// Returns the table that a record is about.
fn table_of(record: &Record) -> Option<&str> {
    match record {
        Record::Created { design }
        | Record::Settled { design, .. }
        | Record::Failed { design, .. } => Some(design),
        Record::Loaded(slice) => Some(&slice.design),
        Record::Footprint(size) => Some(&size.design),
        Record::Answered(answer) => Some(&answer.design),
        Record::Timed(timing) => Some(&timing.design),
        _ => None,
    }
}

/// Returns how long a step took. Checking answers has no time in a journal and is counted nowhere.
fn seconds_of(record: &Record) -> f64 {
    match record {
        Record::Loaded(slice) => slice.seconds,
        Record::Settled { seconds, .. } => *seconds,
        Record::Timed(timing) => timing.seconds,
        _ => 0.0,
    }
}
