//! The highest rate at which an objective holds.

use std::error::Error;

use async_trait::async_trait;
use bakeoff_stats::Tally;

use super::{Driven, Objective, Rate};

/// A load whose rate falls short of what was scheduled by more than this does not hold.
const REACHED_SHARE: f64 = 0.98;
/// The first rate to be tried, as a share of what a closed loop reached.
const FIRST_SHARE: f64 = 0.8;
/// Steps to the other end of the bracket, each from the rate before. After a step of
/// 1.04^(2^k), k bisections make the interval 4 % wide: 3, 4 and 6 of them for the first steps, so
/// that 12 loads are enough for any rate above 3.2 % of what the closed loop reached.
const BRACKET_STEPS: [f64; 5] = [1.36, 1.85, 10.0, 10.0, 500.0];

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
}

impl Probed {
    /// `operations` are what the load measured after its warm-up.
    pub fn new(driven: &Driven, operations: Vec<Tally>) -> Self {
        Probed {
            operations,
            scheduled_rate: driven.scheduled_rate(),
            rate_reached: driven.rate_reached,
            unsent: driven.unsent,
        }
    }
}

/// How exact a search is to be.
#[derive(Debug, Clone, Copy)]
pub struct SearchSettings {
    /// Width of the interval at which it stops, as a share of the rate.
    pub tolerance: f64,
    /// Loads at most, the closed loop at the beginning included.
    pub max_probes: usize,
    /// Lower rates are not tried.
    pub lowest: Rate,
}

impl SearchSettings {
    /// Stops at 4 % (which with a little noise keeps the answer, its lower end, within 5 % of the
    /// truth) or after 12 loads; lower rates than this are not tried.
    pub fn new(lowest: Rate) -> Self {
        SearchSettings {
            tolerance: 0.04,
            max_probes: 12,
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
    /// The interval is narrow enough, and the rate held at least twice.
    Narrow,
    /// No further load was allowed.
    ProbesUsed,
    /// Not even the lowest rate that was tried held.
    Impossible,
    /// The highest rate that can be asked for held.
    HighestRate,
    /// Nothing succeeded in the closed loop.
    NothingSucceeded,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The highest rate that held, and below which none failed; `None` if there is none.
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
/// in growing steps, until it has a rate that holds and one that fails, and then bisects the
/// logarithm of the rate. A failure that all else depends on is repeated, and so is the final
/// rate: the later result counts, and where that contradicts the search goes on.
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
}

enum Step {
    Try(Rate),
    Stop(WhyStopped),
}

impl Search {
    /// The result is the last of the probes.
    fn keep(&mut self, objective: &Objective, rate: Option<Rate>, probed: &Probed) -> &ProbeResult {
        let judgement = objective.judge(&probed.operations);
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
        let (held, failed) = self.interval();
        match (held, failed) {
            (None, Some(failed)) if failed <= self.settings.lowest => {
                Step::Stop(WhyStopped::Impossible)
            }
            (Some(held), None) if held >= Rate::HIGHEST => Step::Stop(WhyStopped::HighestRate),
            (Some(held), Some(failed)) => self.narrow(held, failed, left),
            _ if left == 0 => Step::Stop(match held {
                Some(_) => WhyStopped::ProbesUsed,
                None => WhyStopped::Impossible,
            }),
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

    /// With a rate that holds and one that fails.
    fn narrow(&mut self, held: Rate, failed: Rate, left: usize) -> Step {
        self.steps = 0;
        let (low, high) = (held.per_second(), failed.per_second());
        let width = 1.0 + self.settings.tolerance;
        let narrow = high / low <= width;
        if narrow && self.times(held, true) > 1 {
            return Step::Stop(WhyStopped::Narrow);
        }
        match left {
            0 => Step::Stop(WhyStopped::ProbesUsed),
            // The last load is for repeating the rate that is the answer.
            1 => Step::Try(held),
            // A rate that failed when it was repeated is close to the answer.
            _ if !narrow && self.times(failed, true) > 0 => {
                Step::Try(self.rate((low * high).sqrt().max(high / width.sqrt())))
            }
            _ if !narrow => Step::Try(self.rate((low * high).sqrt())),
            3.. if self.all_depends_on(failed) => Step::Try(failed),
            _ => Step::Try(held),
        }
    }

    /// Whether this failure came once, and all lower rates after it held: then it may have been an
    /// accident, and the interval would be too low as a whole.
    fn all_depends_on(&self, failed: Rate) -> bool {
        let lower_failed = self.judged().any(|(rate, holds)| rate < failed && !holds);
        self.times(failed, false) == 1 && !lower_failed && self.times(failed, true) == 0
    }

    fn judged(&self) -> impl Iterator<Item = (Rate, bool)> {
        self.probes
            .iter()
            .filter_map(|p| Some((p.rate?, p.holds())))
    }

    /// How often this rate held or failed.
    fn times(&self, rate: Rate, holds: bool) -> usize {
        self.judged()
            .filter(|probe| *probe == (rate, holds))
            .count()
    }

    /// The highest rate that held below the lowest that failed, and that one. Of several loads at
    /// one rate the last one counts.
    fn interval(&self) -> (Option<Rate>, Option<Rate>) {
        let last = |rate: Rate| self.judged().filter(|(r, _)| *r == rate).last();
        let latest = |wanted: bool| {
            let rates = self.judged().map(|(rate, _)| rate);
            rates.filter(move |rate| last(*rate) == Some((*rate, wanted)))
        };
        let failed = latest(false).min();
        let held = latest(true).filter(|rate| failed.is_none_or(|failed| *rate < failed));
        (held.max(), failed)
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
        let (held, failed) = self.interval();
        Found {
            rate: held,
            failed_at: failed,
            probes: self.probes,
            why_stopped,
        }
    }
}
