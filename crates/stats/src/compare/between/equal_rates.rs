//! Times of inserts of two sweeps at rates that both reach. Workers of a sweep insert as fast as they can, so that
//! times of the same setting are those of different rates.

use super::counted::{Counted, Value};
use crate::thousands::thousands;

/// Shares of the highest rate that both reach, at which times are compared.
const SHARES: [f64; 2] = [0.5, 1.0];

/// Times of inserts with one size of batches, by the rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    pub batch_rows: u64,
    /// Rows a second and the p99 of inserts in seconds, for each number of workers in ascending order.
    pub points: Vec<(f64, f64)>,
}

/// Returns the times of a design at rates that both sweeps reach, for each size of batches that both have.
pub fn times(design: &str, a: &[Curve], b: &[Curve]) -> Vec<Counted> {
    let mut times = Vec::new();
    for one in a {
        let Some(other) = b.iter().find(|other| other.batch_rows == one.batch_rows) else {
            continue;
        };
        let Some(highest) = one.highest().zip(other.highest()) else {
            continue;
        };
        let highest = highest.0.min(highest.1);
        for rate in SHARES.map(|share| share * highest) {
            let values = (one.at(rate), other.at(rate));
            if let (Some(a), Some(b)) = values {
                let rate = thousands(rate.round() as u64);
                times.push(Counted {
                    design: design.to_owned(),
                    what: format!("p99 at {rate} rows/s, batches of {}", one.batch_rows),
                    a: Some(Value::Seconds(a)),
                    b: Some(Value::Seconds(b)),
                });
            }
        }
    }
    times
}

impl Curve {
    fn highest(&self) -> Option<f64> {
        self.points.iter().map(|(rate, _)| *rate).reduce(f64::max)
    }

    /// Returns the time at a rate, in proportion between the two numbers of workers around it, the fewest if there are
    /// several; `None` below the lowest rate that was measured, and above all.
    fn at(&self, rate: f64) -> Option<f64> {
        let exactly = self.points.iter().find(|(measured, _)| *measured == rate);
        if let Some((_, seconds)) = exactly {
            return Some(*seconds);
        }
        let around = |pair: &&[(f64, f64)]| pair[0].0 <= rate && rate <= pair[1].0;
        let pair = self.points.windows(2).find(around)?;
        let ((from, fast), (to, slow)) = (pair[0], pair[1]);
        let share = if to > from {
            (rate - from) / (to - from)
        } else {
            1.0
        };
        Some(fast + share * (slow - fast))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(f64, f64)]) -> Curve {
        Curve {
            batch_rows: 100,
            points: points.to_vec(),
        }
    }

    #[test]
    fn times_are_compared_at_rates_that_both_reach() {
        let a = curve(&[(1_000.0, 0.01), (8_000.0, 0.02), (7_000.0, 0.9)]);
        let b = curve(&[(1_000.0, 0.01), (4_000.0, 0.04)]);
        let found = times("a/x", &[a], &[b]);
        let names: Vec<&str> = found.iter().map(|c| c.what.as_str()).collect();
        assert_eq!(
            names,
            [
                "p99 at 2,000 rows/s, batches of 100",
                "p99 at 4,000 rows/s, batches of 100"
            ]
        );
        assert_eq!(found[1].b, Some(Value::Seconds(0.04)));
        let Some(Value::Seconds(between)) = found[1].a else {
            panic!("{found:?}");
        };
        assert!((between - (0.01 + 0.01 * 3.0 / 7.0)).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_said_of_rates_below_all_and_of_other_batches() {
        let a = curve(&[(4_000.0, 0.01)]);
        let b = curve(&[(1_000.0, 0.01), (5_000.0, 0.04)]);
        // Half of 4,000 rows a second is less than A ever did.
        assert_eq!(
            times("a/x", std::slice::from_ref(&a), std::slice::from_ref(&b)).len(),
            1
        );
        let other = Curve { batch_rows: 1, ..b };
        assert_eq!(times("a/x", &[a], &[other]), []);
    }
}
