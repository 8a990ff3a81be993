//! Schedules, which say when operations become due.

use std::fmt;
use std::time::Duration;

/// Highest rate that can be set, in operations per second.
pub const MAX_RATE: f64 = 1e9;

/// Factor from operations per second to operations per million seconds. A rate is a whole number of the
/// latter, so that due times are computed without drift.
const MICRO: f64 = 1e6;

/// Time after which a load that ends by itself would be cut off. It is longer than any such load, and short enough
/// for sums of nanoseconds.
pub const NO_TIME_LIMIT: Duration = Duration::from_secs(365 * 24 * 3_600);

/// Rate of a whole load in operations per second, above 0 and at most [`MAX_RATE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate {
    per_million_seconds: u64,
}

/// Schedule by which the operations of a load become due. Rates are those of the whole load, over all
/// threads and shards.
#[derive(Debug, Clone, PartialEq)]
pub enum Schedule {
    /// Begins the next operation when one ends, as fast as the server and the limit of operations in
    /// flight allow.
    ClosedLoop,
    /// Begins the next operation when one ends, as a closed loop does, until so many of them were begun.
    Operations { count: u64 },
    /// Sends operations at equal distances.
    Constant { rate: Rate },
    /// Sends operations at exponentially distributed distances, like many independent users (a Poisson
    /// process).
    Poisson { rate: Rate },
    /// Raises or lowers the rate linearly over the load's duration; one end may be `None` for 0.
    Ramp {
        from: Option<Rate>,
        to: Option<Rate>,
    },
    /// Applies several constant rates in turn, each for an equal part of the load's duration.
    Steps { rates: Vec<Rate> },
    /// Begins the next operation when one ends, as a closed loop does, but performs one operation alone,
    /// once on each of the rows, and then ends.
    Pass(Pass),
}

/// A pass of an operation through the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// Index into `Mix::operations`.
    pub operation: usize,
    /// Number of rows, from the first one on.
    pub rows: u64,
}

/// Reason why a text or number is no rate or schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    #[error(
        "a rate of {0} operations/s is not possible: give one above 0 and at most 1G (10^9); for \
         as many as the server takes, leave the rate out and limit the operations in flight"
    )]
    Rate(String),
    #[error(
        "{0:?} is not a rate: give operations per second such as 500, 5k or 1.5M, a ramp such as \
         1k..10k, or steps such as 1k,2k,4k"
    )]
    Unreadable(String),
    #[error("a ramp from 0 to 0 has no operations: give a rate at one end at least")]
    EmptyRamp,
    #[error("{0} steps are too many: give at most 1000")]
    TooManySteps(usize),
    #[error("random arrivals need one constant rate: leave them out with a ramp or steps")]
    RandomArrivals,
}

impl Rate {
    /// The rate [`MAX_RATE`].
    pub const HIGHEST: Rate = Rate {
        per_million_seconds: (MAX_RATE * MICRO) as u64,
    };

    /// Makes a rate, rounded to a millionth of an operation per second.
    ///
    /// # Errors
    /// If it is not a number, rounds to 0, or is above [`MAX_RATE`].
    pub fn new(operations_per_second: f64) -> Result<Self, ScheduleError> {
        let micro = (operations_per_second * MICRO).round();
        // The condition is written so that it refuses a NaN, too.
        if !(micro >= 1.0 && operations_per_second <= MAX_RATE) {
            return Err(ScheduleError::Rate(operations_per_second.to_string()));
        }
        Ok(Rate {
            per_million_seconds: micro as u64,
        })
    }

    /// Parses a rate such as `500`, `5k`, `1.5M` or `1G`.
    ///
    /// # Errors
    /// If it is not a number, or [`Rate::new`] refuses it.
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        Rate::new(parse_number(text)?)
    }

    /// Returns the rate in operations per second.
    pub fn per_second(self) -> f64 {
        self.per_million_seconds as f64 / MICRO
    }

    pub(super) fn per_million_seconds(self) -> u64 {
        self.per_million_seconds
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ops/s", shown(self.per_second()))
    }
}

/// Rounds a rate for display, since the rates that a search computes have many digits.
fn shown(per_second: f64) -> f64 {
    if per_second >= 100.0 {
        (per_second * 10.0).round() / 10.0
    } else if per_second >= 1.0 {
        (per_second * 1_000.0).round() / 1_000.0
    } else {
        per_second
    }
}

fn parse_number(text: &str) -> Result<f64, ScheduleError> {
    let text = text.trim();
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1e3),
        Some((at, 'M')) => (&text[..at], 1e6),
        Some((at, 'G')) => (&text[..at], 1e9),
        _ => (text, 1.0),
    };
    let number: f64 = digits
        .replace('_', "")
        .parse()
        .map_err(|_| ScheduleError::Unreadable(text.to_owned()))?;
    Ok(number * unit)
}

impl Schedule {
    /// Makes a schedule with a constant rate.
    ///
    /// # Errors
    /// If [`Rate::new`] refuses the rate.
    pub fn constant(operations_per_second: f64) -> Result<Self, ScheduleError> {
        let rate = Rate::new(operations_per_second)?;
        Ok(Schedule::Constant { rate })
    }

    /// Parses a constant rate (`5k`), a ramp (`1k..10k`) or steps (`1k,2k,4k`).
    ///
    /// # Errors
    /// If the text is none of them, or a rate is impossible.
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        if let Some((from, to)) = text.split_once("..") {
            let (from, to) = (parse_end(from)?, parse_end(to)?);
            if from.is_none() && to.is_none() {
                return Err(ScheduleError::EmptyRamp);
            }
            return Ok(Schedule::Ramp { from, to });
        }
        if text.contains(',') {
            let rates: Vec<Rate> = text.split(',').map(Rate::parse).collect::<Result<_, _>>()?;
            if rates.len() > 1000 {
                return Err(ScheduleError::TooManySteps(rates.len()));
            }
            return Ok(Schedule::Steps { rates });
        }
        let rate = Rate::parse(text)?;
        Ok(Schedule::Constant { rate })
    }

    /// Returns a schedule with the same rate and random arrivals.
    ///
    /// # Errors
    /// If the schedule has more than one rate, or none.
    pub fn at_random(self) -> Result<Self, ScheduleError> {
        match self {
            Schedule::Constant { rate } | Schedule::Poisson { rate } => {
                Ok(Schedule::Poisson { rate })
            }
            _ => Err(ScheduleError::RandomArrivals),
        }
    }

    /// Returns whether nothing is due by the clock, and the mix is performed.
    pub fn is_closed_loop(&self) -> bool {
        matches!(self, Schedule::ClosedLoop | Schedule::Operations { .. })
    }

    /// Returns the number of operations of the mix after which the load ends, if it ends by their number.
    pub fn operations(&self) -> Option<u64> {
        match self {
            Schedule::Operations { count } => Some(*count),
            _ => None,
        }
    }

    /// Returns whether the load ends with its last operation, and not after a time.
    pub fn ends_by_itself(&self) -> bool {
        matches!(self, Schedule::Operations { .. } | Schedule::Pass(_))
    }

    /// Returns the pass, if the schedule is one.
    pub fn pass(&self) -> Option<Pass> {
        match self {
            Schedule::Pass(pass) => Some(*pass),
            _ => None,
        }
    }

    /// Returns the mean number of operations that become due over a duration; `None` where nothing
    /// is due by the clock.
    pub fn expected_operations(&self, duration: Duration) -> Option<f64> {
        let seconds = duration.as_secs_f64();
        Some(match self {
            Schedule::ClosedLoop | Schedule::Operations { .. } | Schedule::Pass(_) => return None,
            Schedule::Constant { rate } | Schedule::Poisson { rate } => rate.per_second() * seconds,
            Schedule::Ramp { from, to } => (ramp_end(*from) + ramp_end(*to)) / 2.0 * seconds,
            Schedule::Steps { rates } => {
                let sum: f64 = rates.iter().map(|rate| rate.per_second()).sum();
                sum / rates.len() as f64 * seconds
            }
        })
    }
}

/// Returns the rate at one end of a ramp, in operations per second.
fn ramp_end(rate: Option<Rate>) -> f64 {
    rate.map_or(0.0, Rate::per_second)
}

/// Parses one end of a ramp, which may be 0.
fn parse_end(text: &str) -> Result<Option<Rate>, ScheduleError> {
    match parse_number(text)? {
        0.0 => Ok(None),
        rate => Rate::new(rate).map(Some),
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::ClosedLoop => f.write_str("as fast as it goes"),
            Schedule::Operations { count } => {
                write!(f, "{count} operations as fast as they go")
            }
            Schedule::Pass(pass) => write!(f, "each of {} rows once", pass.rows),
            Schedule::Constant { rate } => rate.fmt(f),
            Schedule::Poisson { rate } => write!(f, "{rate} at random"),
            Schedule::Ramp { from, to } => {
                write!(f, "{} to {} ops/s", ramp_end(*from), ramp_end(*to))
            }
            Schedule::Steps { rates } => {
                for (i, rate) in rates.iter().enumerate() {
                    write!(f, "{}{}", if i > 0 { ", " } else { "" }, rate.per_second())?;
                }
                f.write_str(" ops/s")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(per_second: f64) -> Rate {
        Rate::new(per_second).unwrap()
    }

    #[test]
    fn a_rate_is_shown_without_meaningless_digits() {
        let texts = [999.297_62, 2_500.5, 5_000.0, 12.34567, 0.001].map(|r| rate(r).to_string());
        let expected = ["999.3", "2500.5", "5000", "12.346", "0.001"];
        assert_eq!(texts, expected.map(|r| format!("{r} ops/s")));
    }

    #[test]
    fn rates_ramps_and_steps_are_read() {
        let parse = |text| Schedule::parse(text).unwrap();
        assert_eq!(
            parse("5k"),
            Schedule::Constant {
                rate: rate(5_000.0)
            }
        );
        assert_eq!(parse("1.5M"), Schedule::Constant { rate: rate(1.5e6) });
        assert_eq!(
            parse("2_500"),
            Schedule::Constant {
                rate: rate(2_500.0)
            }
        );
        assert_eq!(parse("0.5"), Schedule::Constant { rate: rate(0.5) });
        let (from, to) = (Some(rate(1e3)), Some(rate(1e4)));
        assert_eq!(parse("1k..10k"), Schedule::Ramp { from, to });
        assert_eq!(parse("0..10k"), Schedule::Ramp { from: None, to });
        let rates = vec![rate(1e3), rate(2e3), rate(4e3)];
        assert_eq!(parse("1k,2k, 4k"), Schedule::Steps { rates });
        assert_eq!(
            parse("1G").at_random().unwrap(),
            Schedule::Poisson { rate: rate(1e9) }
        );
    }

    #[test]
    fn impossible_rates_are_refused_with_advice() {
        for text in [
            "0", "-5", "NaN", "inf", "1.1G", "1e-9", "1k,0", "-1..5", "5..NaN",
        ] {
            let error = Schedule::parse(text).unwrap_err();
            assert!(matches!(error, ScheduleError::Rate(_)), "{text}: {error}");
            assert!(error.to_string().contains("above 0"), "{error}");
        }
        for text in ["", "k", "fast", "1k..", "..5", "1,,2", "5x", "1..2..3"] {
            let error = Schedule::parse(text).unwrap_err();
            assert!(
                matches!(error, ScheduleError::Unreadable(_)),
                "{text}: {error}"
            );
        }
        assert_eq!(Schedule::parse("0..0"), Err(ScheduleError::EmptyRamp));
        let ramp = Schedule::parse("1..2").unwrap();
        assert_eq!(ramp.at_random(), Err(ScheduleError::RandomArrivals));
    }

    #[test]
    fn expected_operations_are_the_area_below_the_rate() {
        let expected = |text| {
            let schedule = Schedule::parse(text).unwrap();
            schedule.expected_operations(Duration::from_secs(30))
        };
        assert_eq!(expected("100"), Some(3_000.0));
        assert_eq!(expected("0..100"), Some(1_500.0));
        assert_eq!(expected("10,20,60"), Some(900.0));
        let closed = Schedule::ClosedLoop.expected_operations(Duration::from_secs(30));
        assert_eq!(closed, None);
    }
}
