//! The highest rate that holds an objective, found on one design.

use async_trait::async_trait;
use bakeoff_stats::drive::{DriveRecord, FoundRate, ProbeRecord};

use super::context::{SearchFor, Trouble};
use super::turn::Turn;
use super::{
    Found, Objective, Probe, ProbeError, ProbeResult, Probed, Rate, Schedule, SearchSettings,
    WhyStopped, search,
};

/// A rate below this is of no use, in operations per second.
const LOWEST_RATE: f64 = 1.0;

/// Operations in flight of the closed loops, unless there are more threads, which need one each.
const CLOSED_LOOP_IN_FLIGHT: u32 = 64;
/// Closed loops before a search, at most. A server that has just started does a fraction of what it
/// does later, and all rates that are tried follow from that.
const MOST_WARM_UPS: u32 = 6;
/// A server whose throughput grows by less from one closed loop to the next is warm.
const WARM_GROWTH: f64 = 1.1;

/// Searches the highest rate on a design, and writes down each load with how it did as soon as that
/// is known.
///
/// # Errors
/// A load failed or was stopped, or a record cannot be written.
pub async fn find(turn: Turn<'_, '_>, asked: &SearchFor) -> Result<(), Trouble> {
    let (design, round) = (turn.design.target.info().id.clone(), turn.round);
    let mut probing = Probing { turn, asked };
    probing.warm_up().await?;
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
    turn: Turn<'a, 'b>,
    asked: &'c SearchFor,
}

impl Probing<'_, '_, '_> {
    /// Drives closed loops, which are not judged, until the server does no more than before.
    async fn warm_up(&mut self) -> Result<(), Trouble> {
        let mut before = 0.0;
        for _ in 0..MOST_WARM_UPS {
            let probed = self.drive(None).await?;
            if is_warm(before, probed.rate_reached) {
                break;
            }
            before = probed.rate_reached;
        }
        Ok(())
    }

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

/// By the throughput of two closed loops, one after the other. One that does nothing never warms up.
fn is_warm(before: f64, now: f64) -> bool {
    now <= 0.0 || now <= WARM_GROWTH * before
}

/// Operations in flight of a closed loop: each thread needs one.
fn in_flight(threads: u32) -> u32 {
    CLOSED_LOOP_IN_FLIGHT.max(threads)
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
        Ok(Probed::new(&trial.driven, operations))
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
        };
        Ok(trials.log.append(&DriveRecord::Probe(probe))?)
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
    #[test]
    fn each_thread_has_an_operation_of_a_closed_loop() {
        assert_eq!(in_flight(1), 64);
        assert_eq!(in_flight(1_024), 1_024);
    }
}
