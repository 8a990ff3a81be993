//! The highest rate that holds an objective, found on one design.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use async_trait::async_trait;
use bakeoff_driver::drive::{
    Found, Objective, Probe, ProbeError, Probed, Rate, Schedule, SearchSettings, Stop, Target,
    WhyStopped, search,
};
use bakeoff_stats::drive::{DriveRecord, FoundRate, ProbeRecord};

use super::Arrivals;
use super::execute::{Plan, load_plan};
use super::trial::Recorder;

/// A rate below this is of no use to anybody, in operations per second.
const LOWEST_RATE: f64 = 1.0;

/// Searches, and writes down each load with how it did.
pub async fn highest_rate(
    recorder: &mut Recorder<'_>,
    target: Arc<dyn Target>,
    objective: &Objective,
    plan: &Plan<'_>,
    round: u32,
    stop: &Stop,
) -> Result<()> {
    let mut probe = Probing {
        recorder,
        target: target.clone(),
        plan,
        round,
        stop,
        trials: Vec::new(),
    };
    let settings = SearchSettings::new(Rate::new(LOWEST_RATE)?);
    let found = search(objective, &mut probe, settings).await;
    let trials = probe.trials;
    let found = found.map_err(|error| anyhow!(error))?;
    let design = target.info().id.clone();
    for (trial, result) in trials.iter().zip(&found.probes) {
        recorder.log.append(&DriveRecord::Probe(ProbeRecord {
            design: design.clone(),
            trial: *trial,
            rate: result.rate.map(Rate::per_second),
            rate_reached: result.rate_reached,
            measured: result.measured.clone(),
            missed: result.missed.clone(),
        }))?;
    }
    let found = record(design, round, objective, &found);
    Ok(recorder.log.append(&DriveRecord::Found(found))?)
}

fn record(design: String, round: u32, objective: &Objective, found: &Found) -> FoundRate {
    FoundRate {
        design,
        round,
        objective: objective.to_string(),
        rate: found.rate.map(Rate::per_second),
        failed_at: found.interval.1.map(Rate::per_second),
        probes: found.probes.len() as u32,
        why: in_words(found.why_stopped).to_owned(),
    }
}

fn in_words(why: WhyStopped) -> &'static str {
    match why {
        WhyStopped::Narrow => "the interval is narrow enough",
        WhyStopped::ProbesUsed => "all probes were used",
        WhyStopped::Impossible => "not even the lowest rate that was tried held",
        WhyStopped::HighestRate => "the highest rate that can be asked for held",
        WhyStopped::NothingSucceeded => "no operation succeeded",
    }
}

/// Loads on one design, one after the other.
struct Probing<'a, 'b, 'c> {
    recorder: &'a mut Recorder<'b>,
    target: Arc<dyn Target>,
    plan: &'a Plan<'c>,
    round: u32,
    stop: &'a Stop,
    trials: Vec<u32>,
}

#[async_trait]
impl Probe for Probing<'_, '_, '_> {
    async fn drive(&mut self, rate: Option<Rate>) -> Result<Probed, ProbeError> {
        let schedule = match rate {
            None => Schedule::ClosedLoop,
            Some(rate) => {
                let constant = Schedule::constant(rate.per_second())?;
                match self.plan.options.arrivals {
                    Arrivals::Constant => constant,
                    Arrivals::Poisson => constant.at_random()?,
                }
            }
        };
        let mut load = load_plan(self.plan, schedule);
        if rate.is_none() {
            load.in_flight = self.plan.load.closed_loop_in_flight();
        }
        let expected = load.expected_rate();
        let trial = self
            .recorder
            .trial(self.target.clone(), self.round, &load, self.stop)
            .await?;
        if trial.driven.stopped {
            return Err("stopped".into());
        }
        self.trials.push(trial.number);
        Ok(Probed {
            operations: self.recorder.steady_part(&trial)?,
            scheduled_rate: expected.unwrap_or(trial.driven.rate_reached),
            rate_reached: trial.driven.rate_reached,
            unsent: trial.driven.unsent,
        })
    }
}
