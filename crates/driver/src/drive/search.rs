//! The highest rate at which an objective holds.

use std::error::Error;

use async_trait::async_trait;
use bakeoff_stats::Tally;
use bakeoff_stats::drive::{Judged, RateEstimate, Threshold};

use super::{Driven, Objective, Rate};

/// A load whose rate falls short of what was scheduled by more than this does not hold.
const REACHED_SHARE: f64 = 0.98;
/// The first rate to be tried, as a share of what a closed loop reached.
const FIRST_SHARE: f64 = 0.8;
/// A load does not hold if its response times grow by more than this, in seconds each second, with 95%
/// certainty. The growth is the share by which the rate is too high, so that less of it is far below
/// what a search can tell apart, and may be no more than a table that grows.
const MOST_CLIMB: f64 = 0.005;
/// Steps until a load has held and another one has failed, each from the rate before.
const BRACKET_STEPS: [f64; 5] = [1.36, 1.85, 10.0, 10.0, 500.0];
/// Where the next load is in the distribution of the threshold, in turn: loads at its sides show how
/// steep the curve is, without which the interval stays wide however many are at the middle.
const PLACES: [f64; 3] = [0.5, 0.8, 0.2];

/// Carries out loads for a search.
#[async_trait]
pub trait Probe: Send {
    /// Drives a load at this rate, or in a closed loop where there is none.
    async fn drive(&mut self, rate: Option<Rate>) -> Result<Probed, ProbeError>;

    /// How the load that was driven last did, told before the next one begins.
    ///
    /// # Errors
    /// Where that cannot be written down: then the search ends.
    fn judged(&mut self, _result: &ProbeResult) -> Result<(), ProbeError> {
        Ok(())
    }
}

pub type ProbeError = Box<dyn Error + Send + Sync>;

/// What one load of a search measured.
#[derive(Debug)]
pub struct Probed {
    /// After the warm-up, in the order of `Mix::operations`.
    pub operations: Vec<Tally>,
    /// Operations per second that became due, and that were sent, by this process.
    pub scheduled_rate: f64,
    pub rate_reached: f64,
    /// Operations that were due and never sent.
    pub unsent: u64,
    /// The least growth of response times, in seconds each second; `None` if the load was too short to
    /// tell.
    pub least_climb: Option<f64>,
}

impl Probed {
    /// `operations` are what the load measured after its warm-up.
    pub fn new(driven: &Driven, operations: Vec<Tally>) -> Self {
        Probed {
            operations,
            scheduled_rate: driven.scheduled_rate(),
            rate_reached: driven.rate_reached,
            unsent: driven.unsent,
            least_climb: None,
        }
    }
}

/// How exact a search is to be.
#[derive(Debug, Clone, Copy)]
pub struct SearchSettings {
    /// Width of the 95% interval at which it stops, as a share of the rate.
    pub tolerance: f64,
    /// Loads at most, the closed loop at the beginning included.
    pub max_probes: usize,
    /// Lower rates are not tried.
    pub lowest: Rate,
}

impl SearchSettings {
    /// Stops at 10% or after 25 loads, which two searches on a server whose knee varies by 15% from load
    /// to load need to agree within 10%; lower rates than this are not tried.
    pub fn new(lowest: Rate) -> Self {
        SearchSettings {
            tolerance: 0.1,
            max_probes: 25,
            lowest,
        }
    }
}

/// One load of a search, and how it did.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    /// `None` for the closed loop, which is not judged.
    pub rate: Option<Rate>,
    pub rate_reached: f64,
    /// Each limit with what was measured, in nanoseconds.
    pub measured: Vec<(String, Option<f64>)>,
    /// Why it did not hold; empty if it did.
    pub missed: Vec<String>,
}

impl ProbeResult {
    pub fn holds(&self) -> bool {
        self.missed.is_empty()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyStopped {
    /// The interval is narrow enough.
    Narrow,
    /// No further load was allowed.
    ProbesUsed,
    /// Not even the lowest rate that was tried held.
    Impossible,
    /// The highest rate that can be asked for held.
    HighestRate,
    /// Nothing succeeded in the closed loop.
    NothingSucceeded,
    /// A quantile cannot be judged of so few operations, and lower rates have even fewer.
    TooFewOperations,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// By all loads together; `None` unless some held and some other failed.
    pub estimate: Option<RateEstimate>,
    /// The highest rate that held, of those up to the estimate: what held above it was lucky. `None` if
    /// none did.
    pub rate: Option<Rate>,
    /// The lowest rate above it that failed.
    pub failed_at: Option<Rate>,
    /// In the order in which they were driven.
    pub probes: Vec<ProbeResult>,
    pub why_stopped: WhyStopped,
}

/// Searches the highest rate at which the objective holds.
///
/// A closed loop shows about how much the server can take. From there the search steps up or down,
/// in growing steps, until a load has held and another one has failed. Each further load is where
/// those so far say that the threshold may be, until its interval is narrow.
///
/// # Errors
/// If a load could not be driven.
pub async fn search(
    objective: &Objective,
    probe: &mut dyn Probe,
    settings: SearchSettings,
) -> Result<Found, ProbeError> {
    let mut search = Search {
        settings,
        probes: Vec::new(),
        capacity: 0.0,
        steps: 0,
        has_too_few: false,
    };
    let closed = probe.drive(None).await?;
    let succeeded: u64 = closed.operations.iter().map(Tally::successes).sum();
    search.capacity = closed.rate_reached;
    probe.judged(search.keep(objective, None, &closed))?;
    if succeeded == 0 || search.capacity <= 0.0 {
        return Ok(search.found(WhyStopped::NothingSucceeded));
    }
    loop {
        match search.next() {
            Step::Try(rate) => {
                let probed = probe.drive(Some(rate)).await?;
                probe.judged(search.keep(objective, Some(rate), &probed))?;
            }
            Step::Stop(why) => return Ok(search.found(why)),
        }
    }
}

struct Search {
    settings: SearchSettings,
    probes: Vec<ProbeResult>,
    /// Operations per second of the closed loop.
    capacity: f64,
    /// Steps so far to the other end of the bracket.
    steps: usize,
    /// Whether the last load had too few operations for a quantile.
    has_too_few: bool,
}

enum Step {
    Try(Rate),
    Stop(WhyStopped),
}

impl Search {
    /// The result is the last of the probes.
    fn keep(&mut self, objective: &Objective, rate: Option<Rate>, probed: &Probed) -> &ProbeResult {
        let judgement = objective.judge(&probed.operations, probed.unsent);
        self.has_too_few = judgement.has_too_few;
        let mut missed = judgement.missed;
        if rate.is_some() && probed.unsent > 0 {
            missed.push(format!("{} operations could not be sent", probed.unsent));
        }
        if rate.is_some() && probed.rate_reached < REACHED_SHARE * probed.scheduled_rate {
            missed.push(format!(
                "{:.0} of {:.0} operations/s were reached",
                probed.rate_reached, probed.scheduled_rate
            ));
        }
        if let Some(climb) = probed
            .least_climb
            .filter(|climb| rate.is_some() && *climb > MOST_CLIMB)
        {
            missed.push(format!(
                "response times still climbed at the end, by {:.0} ms each second or more",
                climb * 1_000.0
            ));
        }
        self.probes.push(ProbeResult {
            rate,
            rate_reached: probed.rate_reached,
            measured: judgement.measured,
            missed,
        });
        &self.probes[self.probes.len() - 1]
    }

    fn next(&mut self) -> Step {
        let left = self.settings.max_probes.saturating_sub(self.probes.len());
        let held = self.rates(true).reduce(Rate::max);
        let failed = self.rates(false).reduce(Rate::min);
        match (held, failed) {
            (None, Some(_)) if self.has_too_few => Step::Stop(WhyStopped::TooFewOperations),
            (None, Some(failed)) if failed <= self.settings.lowest => {
                Step::Stop(WhyStopped::Impossible)
            }
            (Some(held), None) if held >= Rate::HIGHEST => Step::Stop(WhyStopped::HighestRate),
            (None, _) if left == 0 => Step::Stop(WhyStopped::Impossible),
            (Some(_), None) if left == 0 => Step::Stop(WhyStopped::ProbesUsed),
            (Some(_), Some(_)) => self.narrow(left),
            (None, None) => Step::Try(self.rate(self.capacity * FIRST_SHARE)),
            (None, Some(failed)) => {
                let step = self.bracket();
                Step::Try(self.rate(failed.per_second() / step))
            }
            (Some(held), None) => {
                let step = self.bracket();
                Step::Try(self.rate(held.per_second() * step))
            }
        }
    }

    /// With loads that held and some that failed.
    fn narrow(&self, left: usize) -> Step {
        let Some(threshold) = self.threshold() else {
            return Step::Stop(WhyStopped::ProbesUsed);
        };
        let (low, high) = threshold.interval();
        if high / low <= 1.0 + self.settings.tolerance {
            return Step::Stop(WhyStopped::Narrow);
        }
        if left == 0 {
            return Step::Stop(WhyStopped::ProbesUsed);
        }
        let place = PLACES[self.probes.len() % PLACES.len()];
        Step::Try(self.rate(threshold.quantile(place)))
    }

    fn threshold(&self) -> Option<Threshold> {
        let loads = self.judged().map(|(rate, held)| Judged {
            rate: rate.per_second(),
            held,
        });
        Threshold::of(&loads.collect::<Vec<_>>())
    }

    fn judged(&self) -> impl Iterator<Item = (Rate, bool)> {
        self.probes
            .iter()
            .filter_map(|p| Some((p.rate?, p.holds())))
    }

    /// The rates that held, or those that failed.
    fn rates(&self, holds: bool) -> impl Iterator<Item = Rate> {
        let those = self.judged().filter(move |(_, held)| *held == holds);
        those.map(|(rate, _)| rate)
    }

    /// The factor of the next step of the bracket.
    fn bracket(&mut self) -> f64 {
        let step = BRACKET_STEPS[self.steps.min(BRACKET_STEPS.len() - 1)];
        self.steps += 1;
        step
    }

    fn rate(&self, per_second: f64) -> Rate {
        // Not a number only if the measured rates were not; the lowest is safe.
        let rate = Rate::new(per_second.min(Rate::HIGHEST.per_second()));
        rate.unwrap_or(self.settings.lowest)
            .max(self.settings.lowest)
    }

    fn found(self, why_stopped: WhyStopped) -> Found {
        let estimate = self.threshold().map(|threshold| {
            let (low, high) = threshold.interval();
            let rate = threshold.rate();
            RateEstimate { rate, low, high }
        });
        let is_up_to = |rate: &Rate| estimate.is_none_or(|e| rate.per_second() <= e.rate);
        let held = self.rates(true).filter(is_up_to).reduce(Rate::max);
        // Where all that held is above the estimate, the lowest of it is the nearest.
        let held = held.or_else(|| self.rates(true).reduce(Rate::min));
        let is_above = |rate: &Rate| held.is_none_or(|held| *rate > held);
        Found {
            estimate,
            rate: held,
            failed_at: self.rates(false).filter(is_above).reduce(Rate::min),
            probes: self.probes,
            why_stopped,
        }
    }
}
