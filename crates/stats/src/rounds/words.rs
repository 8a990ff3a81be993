//! What a comparison shows of each design, in a word and a ratio.

use serde::Serialize;

use super::best::Field;
use super::method::Interval;

/// Figure of a design as a multiple of the best one's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgainstBest {
    pub design: String,
    pub ratio: f64,
    /// Bounds of the ratio to whichever design is truly the best; `None` below five rounds.
    pub interval: Option<(f64, f64)>,
    pub difference: Difference,
    /// Number of rounds that the design has in common with the best one.
    pub rounds: u32,
    /// Ratio to the design that is in use today, if the rule names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_baseline: Option<AgainstBaseline>,
}

/// Figure of a design as a multiple of the baseline's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgainstBaseline {
    pub ratio: f64,
    pub interval: Option<(f64, f64)>,
    pub difference: Difference,
}

/// Conclusion from the interval of a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Difference {
    /// No other design is faster by more than what is the same.
    Best,
    /// The difference is shown to be none.
    Same,
    Slower,
    /// Faster than the best one: a yardstick or a design with failures, or against the baseline.
    Faster,
    NotSettled,
}

/// Ratios of designs, and what they are put into words by.
pub struct Words<'a> {
    pub designs: Vec<&'a str>,
    pub field: Field,
    /// Number of rounds that each design has in common with each other one.
    pub rounds: Vec<Vec<usize>>,
    pub same_within: f64,
    pub baseline: Option<&'a str>,
}

impl Words<'_> {
    /// Returns what is known of each design; nothing if none may be the best.
    pub fn of_all(&self) -> Vec<AgainstBest> {
        let Some(best) = self.field.best() else {
            return Vec::new();
        };
        let intervals = self.field.to_best().into_iter().enumerate();
        intervals
            .map(|(table, interval)| self.of(table, best, interval))
            .collect()
    }

    /// Returns the id of the best design.
    pub fn best(&self) -> Option<String> {
        self.field.best().map(|best| self.designs[best].to_owned())
    }

    fn of(&self, table: usize, best: usize, to_best: Interval) -> AgainstBest {
        AgainstBest {
            design: self.designs[table].to_owned(),
            ratio: to_best.centre.exp(),
            interval: to_best.bounds(),
            difference: match to_best.difference(self.same_within) {
                Difference::Same if table == best => Difference::Best,
                difference => difference,
            },
            rounds: u32::try_from(self.rounds[table][best]).unwrap_or(u32::MAX),
            to_baseline: self.to_baseline(table),
        }
    }

    fn to_baseline(&self, table: usize) -> Option<AgainstBaseline> {
        let is_baseline = |design: &&str| Some(*design) == self.baseline;
        let baseline = self.designs.iter().position(is_baseline)?;
        let interval = self.field.ratios[table][baseline];
        (table != baseline).then(|| AgainstBaseline {
            ratio: interval.centre.exp(),
            interval: interval.bounds(),
            difference: interval.difference(self.same_within),
        })
    }
}

impl AgainstBest {
    /// Returns the same for a figure of which more is better, if this is of its inverse: 0.5 in the place
    /// of 2. Words stay, so that *slower* is always the worse one.
    pub fn of_rate(self) -> AgainstBest {
        AgainstBest {
            ratio: self.ratio.recip(),
            interval: self.interval.map(inverted),
            to_baseline: self.to_baseline.map(|baseline| AgainstBaseline {
                ratio: baseline.ratio.recip(),
                interval: baseline.interval.map(inverted),
                ..baseline
            }),
            ..self
        }
    }
}

fn inverted((low, high): (f64, f64)) -> (f64, f64) {
    (high.recip(), low.recip())
}

impl Interval {
    /// Returns the bounds of the ratio itself, if there are any.
    pub fn bounds(self) -> Option<(f64, f64)> {
        let is_known = self.low.is_finite() && self.high.is_finite();
        is_known.then(|| (self.low.exp(), self.high.exp()))
    }

    /// Returns what is shown, if differences up to this relative one are none.
    pub fn difference(self, same_within: f64) -> Difference {
        // Equal times are the same even where nothing but they is.
        let same = same_within.ln_1p() + 1e-12;
        match (self.low, self.high) {
            (low, high) if low >= -same && high <= same => Difference::Same,
            (low, _) if low > same => Difference::Slower,
            (_, high) if high < -same => Difference::Faster,
            _ => Difference::NotSettled,
        }
    }
}
