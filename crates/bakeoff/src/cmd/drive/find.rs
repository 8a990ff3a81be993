//! The highest rate that holds an objective, found on one design.

use anyhow::{Result, anyhow};
use async_trait::async_trait;
use bakeoff_driver::drive::{
    Found, Objective, Probe, ProbeError, ProbeResult, Probed, Rate, Schedule, SearchSettings, Stop,
    WhyStopped, search,
};
use bakeoff_stats::drive::{DriveRecord, FoundRate, ProbeRecord};

use super::Arrivals;
use super::execute::Plan;
use super::load::Load;
use super::rounds::{Driving, load_plan};
use super::trial::Recorder;

/// A rate below this is of no use to anybody, in operations per second.
const LOWEST_RATE: f64 = 1.0;

/// Closed loops before a search, at most. A server that has just started does a fraction of what it
/// does later, and all rates that are tried follow from that.
const MOST_WARM_UPS: u32 = 6;
/// A server whose throughput grows by less from one closed loop to the next is warm.
const WARM_GROWTH: f64 = 1.1;

/// Searches, and writes down each load with how it did as soon as that is known.
pub async fn highest_rate(
    recorder: &mut Recorder<'_>,
    driving: &mut Driving,
    objective: &Objective,
    plan: &Plan<'_>,
    round: u32,
    stop: &Stop,
) -> Result<()> {
    let design = driving.target.info().id.clone();
    let mut probe = Probing {
        recorder,
        driving,
        plan,
        round,
        stop,
        probes: 0,
    };
    probe.warm_up().await?;
    let settings = SearchSettings::new(Rate::new(LOWEST_RATE)?);
    let found = search(objective, &mut probe, settings).await;
    let found = found.map_err(|error| anyhow!(error))?;
    let found = record(design, round, objective, &found);
    Ok(recorder.log.append(&DriveRecord::Found(found))?)
}

fn record(design: String, round: u32, objective: &Objective, found: &Found) -> FoundRate {
    FoundRate {
        design,
        round,
        objective: objective.to_string(),
        rate: found.rate.map(Rate::per_second),
        failed_at: found.failed_at.map(Rate::per_second),
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
    driving: &'a mut Driving,
    plan: &'a Plan<'c>,
    round: u32,
    stop: &'a Stop,
    /// So far.
    probes: u32,
}

impl Probing<'_, '_, '_> {
    /// Drives closed loops, which are not judged, until the server does no more than before.
    async fn warm_up(&mut self) -> Result<()> {
        let mut before = 0.0;
        for _ in 0..MOST_WARM_UPS {
            let probed = self.drive(None).await.map_err(|error| anyhow!(error))?;
            if is_warm(before, probed.rate_reached) {
                break;
            }
            before = probed.rate_reached;
        }
        Ok(())
    }
}

/// By the throughput of two closed loops, one after the other. One that does nothing never warms up.
fn is_warm(before: f64, now: f64) -> bool {
    now <= 0.0 || now <= WARM_GROWTH * before
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
        let mut load = load_plan(self.plan, schedule, self.round, self.probes);
        self.probes += 1;
        if rate.is_none() {
            load.in_flight = Load::first_in_flight(self.plan.options.threads);
        }
        let trial = self
            .driving
            .load(self.recorder, self.round, load, self.stop)
            .await?;
        if trial.driven.stopped {
            return Err("stopped".into());
        }
        let operations = self.recorder.steady_part(&trial)?;
        Ok(Probed::new(&trial.driven, operations))
    }

    fn judged(&mut self, result: &ProbeResult) -> Result<(), ProbeError> {
        let probe = ProbeRecord {
            design: self.driving.target.info().id.clone(),
            trial: self.recorder.trials,
            rate: result.rate.map(Rate::per_second),
            rate_reached: result.rate_reached,
            measured: result.measured.clone(),
            missed: result.missed.clone(),
        };
        Ok(self.recorder.log.append(&DriveRecord::Probe(probe))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_warm_when_it_does_no_more_than_before() {
        assert!(!is_warm(0.0, 9_000.0), "nothing to compare it with");
        assert!(!is_warm(9_000.0, 29_000.0));
        assert!(is_warm(54_000.0, 56_000.0));
        assert!(is_warm(54_000.0, 40_000.0));
        assert!(is_warm(0.0, 0.0), "it does nothing");
    }
}
