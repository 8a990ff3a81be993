//! Search for the highest rate at which an objective holds, on one design.

use async_trait::async_trait;
use bakeoff_stats::drive::{DriveRecord, FoundRate, ProbeRecord};

use super::context::{SearchFor, Trouble};
use super::turn::Turn;
use super::warm_up::{in_flight, warm_up};
use super::{
    Found, Objective, Probe, ProbeError, ProbeResult, Probed, Rate, Schedule, SearchSettings,
    WhyStopped, search,
};

/// Lowest rate that is tried, in operations per second.
const LOWEST_RATE: f64 = 1.0;

/// Searches for the highest rate on a design, and records each load with its judgement as soon as that
/// is known.
///
/// # Errors
/// A load failed or was stopped, or a record cannot be written.
pub async fn find(turn: Turn<'_, '_>, asked: &SearchFor) -> Result<(), Trouble> {
    let (design, round) = (turn.design.target.info().id.clone(), turn.round);
    let mut probing = Probing { turn, asked };
    warm_up(&mut probing.turn).await?;
    let settings = SearchSettings::new(Rate::new(LOWEST_RATE)?);
    let found = search(&asked.objective, &mut probing, settings).await?;
    let found = record(design, round, &asked.objective, &found);
    Ok(probing.turn.trials.log.append(&DriveRecord::Found(found))?)
}

fn record(design: String, round: u32, objective: &Objective, found: &Found) -> FoundRate {
    FoundRate {
        design,
        round,
        objective: objective.to_string(),
        rate: found.rate.map(Rate::per_second),
        failed_at: found.failed_at.map(Rate::per_second),
        estimate: found.estimate,
        probes: found.probes.len() as u32,
        why: describe_end(found.why_stopped).to_owned(),
    }
}

/// Describes in words why a search ended.
fn describe_end(why: WhyStopped) -> &'static str {
    match why {
        WhyStopped::Narrow => "the interval is narrow enough",
        WhyStopped::ProbesUsed => "all probes were used",
        WhyStopped::Impossible => "even the lowest rate that was tried missed the objective",
        WhyStopped::HighestRate => "the objective held at the highest rate that can be set",
        WhyStopped::NothingSucceeded => "no operation succeeded",
        WhyStopped::TooFewOperations => {
            "its loads had too few operations for the quantile: make them longer with --for"
        }
    }
}

/// Carries out the loads of a search on one design, one after the other.
struct Probing<'a, 'b, 'c> {
    turn: Turn<'a, 'b>,
    asked: &'c SearchFor,
}

impl Probing<'_, '_, '_> {
    fn schedule(&self, rate: Option<Rate>) -> Result<Schedule, Trouble> {
        let Some(rate) = rate else {
            return Ok(Schedule::ClosedLoop);
        };
        let constant = Schedule::constant(rate.per_second())?;
        if self.asked.at_random {
            Ok(constant.at_random()?)
        } else {
            Ok(constant)
        }
    }
}

#[async_trait]
impl Probe for Probing<'_, '_, '_> {
    async fn drive(&mut self, rate: Option<Rate>) -> Result<Probed, ProbeError> {
        let mut load = self.turn.plan(self.schedule(rate)?);
        if rate.is_none() {
            load.in_flight = in_flight(load.threads);
        }
        let trial = self.turn.drive(load).await?;
        if trial.driven.stopped {
            return Err("stopped".into());
        }
        let operations = self.turn.trials.steady_part(&trial)?;
        Ok(Probed {
            least_climb: trial.least_climb(),
            ..Probed::new(&trial.driven, operations)
        })
    }

    fn judged(&mut self, result: &ProbeResult) -> Result<(), ProbeError> {
        let trials = &mut self.turn.trials;
        let probe = ProbeRecord {
            design: self.turn.design.target.info().id.clone(),
            trial: trials.count,
            rate: result.rate.map(Rate::per_second),
            rate_reached: result.rate_reached,
            measured: result.measured.clone(),
            missed: result.missed.clone(),
            undecided: result.undecided,
        };
        Ok(trials.log.append(&DriveRecord::Probe(probe))?)
    }
}
