//! Objectives: limits on response times and errors that a load has to keep.

use std::fmt;

use bakeoff_stats::Tally;
use bakeoff_stats::quantile::rank;
use bakeoff_workload::{parse_percentage, parse_percentile};
use hdrhistogram::Histogram;

/// Share of failed operations that an objective allows by default.
pub const DEFAULT_ERROR_SHARE: f64 = 0.001;

/// Number of operations that have to be expected beyond a quantile for it to be judged. With fewer, it
/// would vary too much from load to load.
const FEWEST_SLOWER: f64 = 10.0;

/// Limits that all have to hold, judged by response times (from the moment an operation was due).
#[derive(Debug, Clone, PartialEq)]
pub struct Objective {
    limits: Vec<Limit>,
    /// Share that the failed operations have to stay below.
    error_share: f64,
}

#[derive(Debug, Clone, PartialEq)]
struct Limit {
    /// Text of the limit as written.
    text: String,
    /// Index into `Mix::operations`; `None` for all operations together.
    operation: Option<usize>,
    statistic: Statistic,
    /// Bound that the statistic has to stay below, in nanoseconds.
    below: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Statistic {
    /// Quantile from 0 to 1.
    Quantile(f64),
    /// Mean of the operations that succeeded.
    Mean,
    Max,
}

/// Reason why an objective cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObjectiveError {
    #[error(
        "{0:?} is not an objective: write limits such as p99<10ms, read.p99.9<50ms, mean<2ms, \
         max<1s or errors<0.1%, with commas in between"
    )]
    Unreadable(String),
    #[error("{0:?} is not a statistic: use p50, p99, p99.9 (above 0, at most 100), mean or max")]
    Statistic(String),
    #[error("the mix has no operation {name:?}; it has {}", .known.join(", "))]
    Operation { name: String, known: Vec<String> },
    #[error("{0:?} is not a time: give a number and ns, us, ms or s, such as 10ms")]
    Time(String),
    #[error("{0:?} can never hold: the limit has to be above 0")]
    Zero(String),
    #[error("{0:?} is not a share of failed operations: give one above 0% and at most 100%")]
    Errors(String),
    #[error("an objective needs a limit for a response time, such as p99<10ms")]
    NoTime,
}

/// Judgement of a load by an objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Text of each limit, with the measured statistic in nanoseconds. The statistic is `None` if no
    /// operation succeeded, if it is the time of a failed operation, or if there were too few operations
    /// for it.
    pub measured: Vec<(String, Option<f64>)>,
    /// Whether there were too few operations for a quantile. A lower rate has even fewer.
    pub has_too_few: bool,
    /// Whether something was measured that did not hold, rather than that there was too little to measure.
    pub is_missed: bool,
    /// Limits that did not hold, in words; empty if all did.
    pub missed: Vec<String>,
}

impl Objective {
    /// Parses limits such as `p99<10ms,read.p99.9<50ms,errors<0.1%` for a mix with these operations. The
    /// default limit for errors is [`DEFAULT_ERROR_SHARE`].
    ///
    /// # Errors
    /// If a limit cannot be parsed, can never hold, or names an operation that the mix does not have.
    pub fn parse(text: &str, operations: &[&str]) -> Result<Self, ObjectiveError> {
        let mut objective = Objective {
            limits: Vec::new(),
            error_share: DEFAULT_ERROR_SHARE,
        };
        for limit in text.split(',').map(str::trim) {
            let unreadable = || ObjectiveError::Unreadable(limit.to_owned());
            let (subject, bound) = limit.split_once('<').ok_or_else(unreadable)?;
            let (subject, bound) = (subject.trim(), bound.trim());
            if subject.is_empty() || bound.is_empty() {
                return Err(unreadable());
            }
            if subject == "errors" {
                objective.error_share = parse_share(bound)?;
                continue;
            }
            let (operation, statistic) = parse_subject(subject, operations)?;
            let below = parse_time(bound)?;
            if below == 0.0 {
                return Err(ObjectiveError::Zero(limit.to_owned()));
            }
            objective.limits.push(Limit {
                text: limit.to_owned(),
                operation,
                statistic,
                below,
            });
        }
        if objective.limits.is_empty() {
            Err(ObjectiveError::NoTime)
        } else {
            Ok(objective)
        }
    }

    /// Judges operations in the order of `Mix::operations`. Operations that failed count as infinitely
    /// slow. So do those that were due and never sent, in each limit, since they may have been of any
    /// kind.
    pub fn judge(&self, operations: &[Tally], unsent: u64) -> Judgement {
        let mut judgement = Judgement {
            measured: Vec::new(),
            has_too_few: false,
            is_missed: false,
            missed: Vec::new(),
        };
        let mut all = Tally::default();
        operations.iter().for_each(|tally| all += tally);
        for limit in &self.limits {
            let tally = limit.operation.and_then(|o| operations.get(o));
            let measured = limit.measure(tally.unwrap_or(&all), unsent);
            let is_too_few = matches!(measured, Measured::TooFew(_));
            judgement.has_too_few |= is_too_few;
            if let Some(why) = measured.missed(limit) {
                judgement.is_missed |= !is_too_few;
                judgement.missed.push(format!("{}: {why}", limit.text));
            }
            let nanoseconds = measured.nanoseconds();
            judgement.measured.push((limit.text.clone(), nanoseconds));
        }
        let ended = all.successes() + all.failed();
        let share = all.failed() as f64 / ended.max(1) as f64;
        if share > 0.0 && share >= self.error_share {
            let (allowed, failed) = (self.error_share * 100.0, share * 100.0);
            let missed = format!("errors<{allowed}%: {failed:.3} % failed");
            judgement.missed.push(missed);
            judgement.is_missed = true;
        }
        judgement
    }
}

impl Judgement {
    /// Returns whether all limits held.
    pub fn holds(&self) -> bool {
        self.missed.is_empty()
    }
}

/// Measured value of a limit's statistic.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measured {
    /// Time in nanoseconds.
    Time(f64),
    NothingSucceeded,
    /// The statistic is the time of an operation that failed or was never sent; holds the number of both.
    Infinite(u64),
    /// There are too few operations for the quantile; holds their number.
    TooFew(u64),
}

impl Measured {
    fn nanoseconds(self) -> Option<f64> {
        match self {
            Measured::Time(nanoseconds) => Some(nanoseconds),
            Measured::NothingSucceeded | Measured::Infinite(_) | Measured::TooFew(_) => None,
        }
    }

    /// Returns why the limit does not hold, in words.
    fn missed(self, limit: &Limit) -> Option<String> {
        match self {
            Measured::Time(nanoseconds) => {
                (nanoseconds >= limit.below).then(|| milliseconds(nanoseconds))
            }
            Measured::NothingSucceeded => Some("no operation succeeded".to_owned()),
            Measured::Infinite(1) => Some("1 operation failed or was never sent".to_owned()),
            Measured::Infinite(count) => {
                Some(format!("{count} operations failed or were never sent"))
            }
            Measured::TooFew(count) => Some(format!(
                "too few operations for {} ({count}; {:.0} are needed)",
                limit.statistic,
                limit.statistic.fewest()
            )),
        }
    }
}

impl Limit {
    fn measure(&self, tally: &Tally, unsent: u64) -> Measured {
        let response = &tally.response;
        let infinite = tally.failed() + unsent;
        let all = response.len() + infinite;
        if response.is_empty() {
            return Measured::NothingSucceeded;
        }
        // Half an operation less, since 1 - 0.99 and the like are not exact.
        if (all as f64) < self.statistic.fewest() - 0.5 {
            return Measured::TooFew(all);
        }
        let time = match self.statistic {
            Statistic::Quantile(quantile) => finite_quantile(response, quantile, infinite),
            Statistic::Mean => Some(response.mean()),
            Statistic::Max => (infinite == 0).then(|| response.max() as f64),
        };
        time.map_or(Measured::Infinite(infinite), Measured::Time)
    }
}

/// Returns a quantile of the times in a histogram and of `infinite` infinite ones; `None` if the quantile
/// is infinite.
fn finite_quantile(response: &Histogram<u64>, quantile: f64, infinite: u64) -> Option<f64> {
    let finite = response.len() as f64;
    let rank = rank(finite + infinite as f64, quantile);
    // The middle of the rank's share, since its upper end may be rounded up to the next rank.
    let share = (rank - 0.5) / finite;
    (rank <= finite).then(|| response.value_at_quantile(share) as f64)
}

impl Statistic {
    /// Returns the smallest number of operations by which it can be judged. The largest time and the mean
    /// can be judged by any number.
    fn fewest(self) -> f64 {
        match self {
            Statistic::Quantile(quantile) if quantile < 1.0 => FEWEST_SLOWER / (1.0 - quantile),
            Statistic::Quantile(_) | Statistic::Mean | Statistic::Max => 0.0,
        }
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Rounded, since 0.999 * 100 is slightly more than 99.9.
            Statistic::Quantile(quantile) => write!(f, "p{}", (quantile * 1e8).round() / 1e6),
            Statistic::Mean => f.write_str("mean"),
            Statistic::Max => f.write_str("max"),
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for limit in &self.limits {
            write!(f, "{}, ", limit.text)?;
        }
        write!(f, "errors<{}%", self.error_share * 100.0)
    }
}

fn milliseconds(nanoseconds: f64) -> String {
    format!("{:.3} ms", nanoseconds / 1e6)
}

fn parse_subject(
    subject: &str,
    operations: &[&str],
) -> Result<(Option<usize>, Statistic), ObjectiveError> {
    if let Some(statistic) = parse_statistic(subject) {
        return Ok((None, statistic));
    }
    // Names of operations may contain dots, as percentiles do: a mix may have both `read` and `read.hot`.
    let named = || {
        operations.iter().enumerate().filter_map(|(index, name)| {
            let statistic = subject.strip_prefix(name)?.strip_prefix('.')?;
            Some((index, statistic))
        })
    };
    let parsed = named().filter_map(|(index, rest)| Some((Some(index), parse_statistic(rest)?)));
    // The longest name that fits is the right one: a shorter one is only a part of it.
    if let Some(found) = parsed.max_by_key(|(index, _)| index.map(|i| operations[i].len())) {
        return Ok(found);
    }
    if let Some((_, statistic)) = named().min_by_key(|(_, statistic)| statistic.len()) {
        return Err(ObjectiveError::Statistic(statistic.to_owned()));
    }
    let statistic_after = |dot: usize| parse_statistic(&subject[dot + 1..]).is_some();
    let dots = subject.match_indices('.').map(|(at, _)| at);
    match dots.into_iter().find(|dot| statistic_after(*dot)) {
        Some(dot) => Err(ObjectiveError::Operation {
            name: subject[..dot].to_owned(),
            known: operations.iter().map(|&name| name.to_owned()).collect(),
        }),
        None => Err(ObjectiveError::Statistic(subject.to_owned())),
    }
}

fn parse_statistic(text: &str) -> Option<Statistic> {
    match text {
        "mean" => Some(Statistic::Mean),
        "max" => Some(Statistic::Max),
        _ => {
            let percent = parse_percentile(text)?;
            (percent > 0.0).then_some(Statistic::Quantile(percent / 100.0))
        }
    }
}

/// Parses a time with its unit, and returns it in nanoseconds.
fn parse_time(text: &str) -> Result<f64, ObjectiveError> {
    let units = [
        ("ns", 1.0),
        ("us", 1e3),
        ("µs", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
    ];
    units
        .iter()
        .find_map(|(unit, factor)| {
            let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
            (number.is_finite() && number >= 0.0).then_some(number * factor)
        })
        .ok_or_else(|| ObjectiveError::Time(text.to_owned()))
}

fn parse_share(text: &str) -> Result<f64, ObjectiveError> {
    match parse_percentage(text) {
        Some(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent / 100.0),
        _ => Err(ObjectiveError::Errors(text.to_owned())),
    }
}

#[cfg(test)]
mod tests;
