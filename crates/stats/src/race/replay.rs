//! A race played over the journal of a run that measured everything: what it would have recommended,
//! and in what share of the time.
//!
//! Rounds are drawn from those of the run with replacement, all designs and queries alike, so that each
//! seed is another race among the same designs. The rungs are the smaller tables of the run, so it has to
//! have some of the sizes that a race asks for.

mod exhaustive;

use std::collections::BTreeSet;

use super::{LOOKS, OPEN_ROUND, RUNG_ROUND, RUNG_ROUNDS, claims, drops, look, open_drops, rungs};
use crate::compare::{
    Claim, Dropped, Instance, InstanceKind, Record, Summary, SummaryError, Timing,
};
use crate::decide::regret;
use crate::random::SplitMix64;
use exhaustive::{Exhaustive, seconds_of};

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
    /// The same of the whole run, with the same further tables.
    pub all_seconds: f64,
}

/// The further tables of the run with which a race is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Played {
    /// All of them.
    AsItWas,
    /// Twins alone, as if the run had no smaller tables, which take much of its time. The race has its rungs.
    WithoutSmaller,
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

/// Plays a race with these further tables and with the rounds that this seed draws.
///
/// # Errors
/// The run is no exhaustive one, or too small for a race.
pub fn replay(records: &[Record], seed: u64, played: Played) -> Result<Replay, ReplayError> {
    let run = Exhaustive::of(records)?;
    let mut race = Race {
        run: &run,
        played,
        random: SplitMix64::new(seed),
        records: run.header(),
        loaded: BTreeSet::new(),
        seconds: 0.0,
    };
    let mut dropped = race.climb()?;
    race.ask_open(&mut dropped)?;
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
        all_seconds: run.seconds(|table| played == Played::AsItWas || !run.is_smaller(table)),
    })
}

/// A race that is being played.
struct Race<'a> {
    run: &'a Exhaustive<'a>,
    played: Played,
    random: SplitMix64,
    records: Vec<Record>,
    /// Tables that are there, since each is loaded once.
    loaded: BTreeSet<String>,
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
            let is_asked = |timing: &Timing| ids.contains(&timing.design);
            self.warm_up(is_asked);
            for round in 0..RUNG_ROUNDS {
                self.ask(is_asked, RUNG_ROUND + round);
            }
        }
        let found = drops(&self.records, &run.rungs)?;
        self.drop(&found);
        Ok(found)
    }

    /// Loads the designs that are left, and plays the questions that the rungs left open.
    fn ask_open(&mut self, dropped: &mut Vec<Dropped>) -> Result<(), ReplayError> {
        let own = self.own(dropped);
        self.load(&own);
        let claims = claims(&self.records, &self.run.rungs)?;
        if claims.is_empty() {
            return Ok(());
        }
        let is_asked = |timing: &Timing| { claims.iter() }.any(|claim| is_of(claim, timing));
        self.records.push(Record::OpenQuestions {
            claims: claims.clone(),
        });
        self.warm_up(is_asked);
        for round in 0..RUNG_ROUNDS {
            self.ask(is_asked, OPEN_ROUND + round);
        }
        let found = open_drops(&self.records)?;
        self.drop(&found);
        dropped.extend(found);
        Ok(())
    }

    /// Plays the rounds of what is left, and returns their number.
    fn finish(&mut self, dropped: &mut Vec<Dropped>) -> Result<u32, ReplayError> {
        let instances = self.further(dropped);
        let mut ids: BTreeSet<String> = instances.iter().map(|i| i.id.clone()).collect();
        ids.extend(self.own(dropped));
        self.records.push(Record::Instances { instances });
        self.load(&ids);
        self.warm_up(|timing| ids.contains(&timing.design));
        let last = LOOKS[LOOKS.len() - 1];
        for round in 0..last {
            self.ask(|timing| ids.contains(&timing.design), round);
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

    /// Returns the designs that are left.
    fn own(&self, dropped: &[Dropped]) -> BTreeSet<String> {
        let designs = self.run.summary.designs.iter();
        designs
            .map(|design| design.info.id.clone())
            .filter(|id| !is_out(dropped, id))
            .collect()
    }

    /// Returns the further tables of designs that are left.
    fn further(&self, dropped: &[Dropped]) -> Vec<Instance> {
        let instances = self
            .run
            .summary
            .instances
            .iter()
            .map(|further| &further.instance);
        let is_played = |instance: &Instance| {
            self.played == Played::AsItWas || instance.kind == InstanceKind::Twin
        };
        let left = instances.filter(|instance| !is_out(dropped, &instance.design));
        left.filter(|instance| is_played(instance))
            .cloned()
            .collect()
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

    /// Loads tables that are not there yet.
    fn load(&mut self, ids: &BTreeSet<String>) {
        let new: BTreeSet<String> = ids.difference(&self.loaded).cloned().collect();
        for record in self.run.tables(&new) {
            self.seconds += seconds_of(record);
            self.records.push(record.clone());
        }
        self.loaded.extend(new);
    }

    /// Warms up for these questions.
    fn warm_up(&mut self, is_asked: impl Fn(&Timing) -> bool) {
        let least = WARM_UP_AT_LEAST.min(self.run.warm_up);
        self.seconds += self.run.warm_up_of(is_asked).max(least);
    }

    /// Asks these questions in a round, with the times of one that is drawn.
    fn ask(&mut self, is_asked: impl Fn(&Timing) -> bool, round: u32) {
        let drawn = self.run.rounds[self.random.below(self.run.rounds.len())];
        for timing in self.run.times(drawn).filter(|timing| is_asked(timing)) {
            self.seconds += timing.seconds;
            let timing = Timing {
                round,
                ..timing.clone()
            };
            self.records.push(Record::Timed(timing));
        }
    }
}

/// Returns whether a time is that of a question that a claim leaves open.
fn is_of(claim: &Claim, timing: &Timing) -> bool {
    let is_design = [&claim.design, &claim.by].contains(&&timing.design);
    is_design && claim.questions.contains(&timing.query)
}

fn is_out(dropped: &[Dropped], design: &str) -> bool {
    dropped.iter().any(|d| d.design == design && !d.is_control)
}
