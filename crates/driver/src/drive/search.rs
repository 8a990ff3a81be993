//! Search for the highest rate at which an objective holds.

use std::error::Error;

use async_trait::async_trait;
use bakeoff_stats::Tally;
use bakeoff_stats::drive::{Judged, RateEstimate, Threshold};

use super::{Driven, Objective, Rate};

/// Share of the scheduled rate that a load has to reach; otherwise it misses the objective.
const REACHED_SHARE: f64 = 0.98;
/// First rate to be tried, as a share of the closed loop's.
const FIRST_SHARE: f64 = 0.8;
/// Growth of response times, in seconds each second, above which a load misses the objective, if the growth
/// is larger with 95% certainty. The growth is the share by which the rate is too high. A smaller one is
/// far below what a search can resolve, and a growing table alone may cause it.
const MAX_CLIMB: f64 = 0.005;
/// Factors between successive rates until one load has met the objective and another one has missed it.
const BRACKET_STEPS: [f64; 5] = [1.36, 1.85, 10.0, 10.0, 500.0];
/// Quantiles of the threshold's distribution at which loads are placed, in turn. Loads off the middle show
/// how steep the curve is; without them the interval stays wide, however many loads are at the middle.
const QUANTILES: [f64; 3] = [0.5, 0.8, 0.2];

/// Carries out loads for a search.
#[async_trait]
pub trait Probe: Send {
    /// Drives a load at a rate, or in a closed loop if there is none.
    async fn drive(&mut self, rate: Option<Rate>) -> Result<Probed, ProbeError>;

    /// Takes the judgement of the last load, before the next one begins.
    ///
    /// # Errors
    /// If it cannot be recorded; then the search ends.
    fn judged(&mut self, _result: &ProbeResult) -> Result<(), ProbeError> {
        Ok(())
    }
}

pub type ProbeError = Box<dyn Error + Send + Sync>;

/// Measurements of one load of a search.
#[derive(Debug)]
pub struct Probed {
    /// Tally of each operation after the warm-up, in the order of `Mix::operations`.
    pub operations: Vec<Tally>,
    /// Operations of this process that became due per second.
    pub scheduled_rate: f64,
    /// Operations of this process that were sent per second.
    pub rate_reached: f64,
    /// Number of operations that were due and never sent.
    pub unsent: u64,
    /// Lower bound of the growth of response times, in seconds each second; `None` for a load that is too
    /// short.
    pub least_climb: Option<f64>,
}

impl Probed {
    /// Takes the results of a load, and the tallies of its operations after the warm-up.
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

/// Precision of a search.
#[derive(Debug, Clone, Copy)]
pub struct SearchSettings {
    /// Width of the 95% interval at which the search stops, as a share of the rate.
    pub tolerance: f64,
    /// Largest number of loads, including the closed loop at the beginning.
    pub max_probes: usize,
    /// Lowest rate that is tried.
    pub lowest: Rate,
}

impl SearchSettings {
    /// Makes the default settings: a search stops at an interval of 10%, or after 25 loads. With these,
    /// two searches agree within 10% on a server whose knee varies by 15% from load to load.
    pub fn new(lowest: Rate) -> Self {
        SearchSettings {
            tolerance: 0.1,
            max_probes: 25,
            lowest,
        }
    }
}

/// Judgement of one load of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    /// Rate of the load; `None` for the closed loop, which is not judged.
    pub rate: Option<Rate>,
    /// Operations that were sent per second.
    pub rate_reached: f64,
    /// Text of each limit, with the measured statistic in nanoseconds.
    pub measured: Vec<(String, Option<f64>)>,
    /// Reasons why the load missed the objective; empty if it met it.
    pub missed: Vec<String>,
    /// Whether the load says nothing about its rate, since it had too few operations for a quantile and missed
    /// nothing else.
    pub undecided: bool,
}

impl ProbeResult {
    /// Returns whether the load met the objective.
    pub fn holds(&self) -> bool {
        self.missed.is_empty()
    }
}

/// Reason why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyStopped {
    /// The interval is narrow enough.
    Narrow,
    /// The largest number of loads was reached.
    ProbesUsed,
    /// Even the lowest rate that was tried missed the objective.
    Impossible,
    /// The objective held at the highest rate that can be set.
    HighestRate,
    /// No operation of the closed loop succeeded.
    NothingSucceeded,
    /// There were too few operations for a quantile at the rates that would have to be tried.
    TooFewOperations,
}

/// Result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Estimate from all loads together; `None` unless some met the objective and others missed it.
    pub estimate: Option<RateEstimate>,
    /// Highest rate up to the estimate at which a load met the objective, or the lowest one if all are
    /// above the estimate; `None` if none did. A load that met it at a higher rate was lucky.
    pub rate: Option<Rate>,
    /// Lowest rate above `rate` at which a load missed the objective.
    pub failed_at: Option<Rate>,
    /// Judgements of all loads, in the order in which they were driven.
    pub probes: Vec<ProbeResult>,
    pub why_stopped: WhyStopped,
}

/// Searches for the highest rate at which the objective holds.
///
/// A closed loop shows roughly how much the server can take. From there the search goes up or down in
/// growing steps, until one load has met the objective and another one has missed it. Each further load is
/// placed where the threshold may be according to the loads so far, until its interval is narrow.
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
    /// Number of steps so far to find the other end of the bracket.
    steps: usize,
    /// Whether the last load at a rate had too few operations for a quantile.
    has_too_few: bool,
}

enum Step {
    Try(Rate),
    Stop(WhyStopped),
}

impl Search {
    /// Judges a load, and returns its result, which is kept.
    fn keep(&mut self, objective: &Objective, rate: Option<Rate>, probed: &Probed) -> &ProbeResult {
        let judgement = objective.judge(&probed.operations, probed.unsent);
        self.has_too_few = rate.is_some() && judgement.has_too_few;
        let mut missed = judgement.missed;
        let of_limits = missed.len();
        if rate.is_some() && probed.unsent > 0 {
            missed.push(format!("{} operations could not be sent", probed.unsent));
        }
        if rate.is_some() && probed.rate_reached < REACHED_SHARE * probed.scheduled_rate {
            missed.push(format!(
                "{:.0} of {:.0} operations/s were reached",
                probed.rate_reached, probed.scheduled_rate
            ));
        }
        if let Some(climb) = probed.least_climb
            && rate.is_some()
            && climb > MAX_CLIMB
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
            undecided: self.has_too_few && !judgement.is_missed && missed.len() == of_limits,
            missed,
        });
        &self.probes[self.probes.len() - 1]
    }

    /// Chooses the next step from the judgements so far.
    fn next(&mut self) -> Step {
        let left = self.settings.max_probes.saturating_sub(self.probes.len());
        let held = self.rates(true).reduce(Rate::max);
        let failed = self.rates(false).reduce(Rate::min);
        match (held, failed) {
            // Lower rates have even fewer.
            (None, _) if self.has_too_few => Step::Stop(WhyStopped::TooFewOperations),
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

    /// Chooses the next step once some loads have met the objective and others have missed it.
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
        // At a rate that had too few operations, and below, a load would say nothing; but above one that held
        // they were too few by chance.
        let least_held = self.rates(true).reduce(Rate::min);
        let is_below = |rate: &Rate| least_held.is_none_or(|held| *rate < held);
        let silent = self.undecided().filter(is_below).reduce(Rate::max);
        let says_something = |rate: &Rate| silent.is_none_or(|silent| *rate > silent);
        let in_turn = QUANTILES
            .into_iter()
            .cycle()
            .skip(self.probes.len() % QUANTILES.len());
        let rates = in_turn.map(|quantile| self.rate(threshold.quantile(quantile)));
        match rates.take(QUANTILES.len()).find(says_something) {
            Some(rate) => Step::Try(rate),
            None => Step::Stop(WhyStopped::TooFewOperations),
        }
    }

    /// Returns the rates of the loads that say nothing.
    fn undecided(&self) -> impl Iterator<Item = Rate> {
        let undecided = self.probes.iter().filter(|probe| probe.undecided);
        undecided.filter_map(|probe| probe.rate)
    }

    fn threshold(&self) -> Option<Threshold> {
        let loads = self.judged().map(|(rate, held)| Judged {
            rate: rate.per_second(),
            held,
        });
        Threshold::of(&loads.collect::<Vec<_>>())
    }

    fn judged(&self) -> impl Iterator<Item = (Rate, bool)> {
        let judged = self.probes.iter().filter(|probe| !probe.undecided);
        judged.filter_map(|probe| Some((probe.rate?, probe.holds())))
    }

    /// Returns the rates of the loads that met the objective, or of those that missed it.
    fn rates(&self, holds: bool) -> impl Iterator<Item = Rate> {
        self.judged()
            .filter(move |(_, held)| *held == holds)
            .map(|(rate, _)| rate)
    }

    /// Returns the factor of the next step of the bracket.
    fn bracket(&mut self) -> f64 {
        let step = BRACKET_STEPS[self.steps.min(BRACKET_STEPS.len() - 1)];
        self.steps += 1;
        step
    }

    fn rate(&self, per_second: f64) -> Rate {
        // A rate is not a number only if a measured one was not; then the lowest rate is safe.
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
        // If all rates that held are above the estimate, the lowest of them is the nearest.
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
