//! Conditions under which a run is to fail against another one: a difference that is certain.

use serde::Serialize;

use super::{Between, Change, Side, Unknown, What};

/// What a condition is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Worse {
    /// The time of a query or an operation, or of a question beside a load, is longer.
    Slower,
    /// A row takes more bytes.
    Larger,
    /// Fewer rows are loaded, operations done, or questions beside a load answered, a second.
    RateLower,
}

/// A condition: worse by more than a relative limit, such as 0.1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FailIf {
    pub worse: Worse,
    pub limit: f64,
}

/// Outcome of conditions.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Failing {
    /// Some figures are certain to be worse by more than their limit.
    Worse { certain: Vec<Certain> },
    /// What a condition is about cannot be compared, or not all of it.
    NotComparable { why: Vec<String> },
    /// Nothing is certain to be worse; so many figures may or may not be.
    NotShown { open: usize },
}

/// A figure that is certain to be worse.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Certain {
    #[serde(flatten)]
    pub condition: FailIf,
    pub design: String,
    /// Query, or loading; `None` for storage.
    pub what: Option<What>,
    /// Ratio of B to A: of times, of bytes, or of rows a second.
    pub ratio: f64,
    /// Bounds of the ratio; `None` for bytes, which are counted.
    pub interval: Option<(f64, f64)>,
}

impl Between {
    /// Returns whether B is certain to be worse than A in what the conditions say. Intervals have to lie beyond
    /// the limit as a whole; all of them hold at once with a probability of 95%.
    pub fn fail_if(&self, conditions: &[FailIf]) -> Failing {
        let certain = conditions
            .iter()
            .flat_map(|condition| self.certain(*condition));
        let certain: Vec<Certain> = certain.collect();
        if !certain.is_empty() {
            return Failing::Worse { certain };
        }
        let mut why: Vec<String> = Vec::new();
        for reason in conditions.iter().flat_map(|c| self.not_compared(c.worse)) {
            if !why.contains(&reason) {
                why.push(reason);
            }
        }
        if !why.is_empty() {
            return Failing::NotComparable { why };
        }
        let open = conditions.iter().map(|condition| self.open(*condition));
        Failing::NotShown { open: open.sum() }
    }

    fn certain(&self, condition: FailIf) -> Vec<Certain> {
        let of_changes = self.changes_of(condition.worse).filter_map(|change| {
            let interval = change.interval.filter(|_| change.is_of_the_design())?;
            let (ratio, interval) = oriented(condition.worse, change.ratio, interval);
            is_beyond(condition, interval).then(|| Certain {
                condition,
                design: change.design.clone(),
                what: Some(change.what.clone()),
                ratio,
                interval: Some(interval),
            })
        });
        let of_storage = self.storage.iter().filter(|change| {
            condition.worse == Worse::Larger && change.ratio > 1.0 + condition.limit
        });
        let of_storage = of_storage.map(|change| Certain {
            condition,
            design: change.design.clone(),
            what: None,
            ratio: change.ratio,
            interval: None,
        });
        of_changes.chain(of_storage).collect()
    }

    /// Returns the changes that a condition is about; none for storage.
    fn changes_of(&self, worse: Worse) -> impl Iterator<Item = &Change> {
        let changes = self.changes.iter();
        changes.filter(move |change| is_about(worse, &change.what))
    }

    /// Returns why something that a condition is about is not compared.
    fn not_compared(&self, worse: Worse) -> Vec<String> {
        if !self.obstacles.is_empty() {
            return self.obstacles.iter().map(ToString::to_string).collect();
        }
        let lost = self
            .missing
            .iter()
            .filter(|missing| worse == Worse::Slower && missing.side == Side::B);
        let lost = lost.map(|m| format!("B has no time for {} with {}", m.query, m.design));
        let absent = self
            .absent
            .iter()
            .filter(|absent| is_about(worse, &absent.what) || absent.why == Unknown::NoDesign);
        let absent = absent.map(|absent| match absent.why {
            Unknown::NoDesign => format!("B has no {}", absent.design),
            _ => format!("B does not measure {} with {}", absent.what, absent.design),
        });
        let unknown = self.without_bytes.iter().filter(|_| worse == Worse::Larger);
        let unknown = unknown.map(|design| format!("the bytes of {design} are not known in B"));
        let mut why: Vec<String> = lost.chain(absent).chain(unknown).collect();
        let is_compared = self.changes_of(worse).next().is_some();
        let (is_there, figures) = match worse {
            Worse::Slower if self.of.is_run() => (is_compared, "times of queries"),
            Worse::Slower => (is_compared, "times"),
            Worse::RateLower if self.of.is_run() => (is_compared, "rates of loading"),
            Worse::RateLower => (is_compared, "rates"),
            Worse::Larger => (!self.storage.is_empty(), "bytes"),
        };
        if !is_there {
            why.push(format!("there are no {figures} that both have"));
        }
        why
    }

    /// Counts the figures that are neither certain to be worse nor certain not to be.
    fn open(&self, condition: FailIf) -> usize {
        let is_open = |change: &&Change| {
            let known = change.interval.filter(|_| change.is_of_the_design());
            known.is_none_or(|interval| {
                let (_, (low, high)) = oriented(condition.worse, change.ratio, interval);
                match condition.worse {
                    Worse::RateLower => low < 1.0 - condition.limit,
                    Worse::Slower | Worse::Larger => high > 1.0 + condition.limit,
                }
            })
        };
        self.changes_of(condition.worse).filter(is_open).count()
    }
}

/// Returns whether a condition is about a figure; none is about storage.
fn is_about(worse: Worse, what: &What) -> bool {
    match worse {
        Worse::Slower => !what.is_rate(),
        Worse::RateLower => what.is_rate(),
        Worse::Larger => false,
    }
}

/// Returns a ratio of times with its bounds as that of what a condition is about.
fn oriented(worse: Worse, ratio: f64, (low, high): (f64, f64)) -> (f64, (f64, f64)) {
    match worse {
        Worse::RateLower => (1.0 / ratio, (1.0 / high, 1.0 / low)),
        Worse::Slower | Worse::Larger => (ratio, (low, high)),
    }
}

fn is_beyond(condition: FailIf, (low, high): (f64, f64)) -> bool {
    match condition.worse {
        Worse::RateLower => high < 1.0 - condition.limit,
        Worse::Slower | Worse::Larger => low > 1.0 + condition.limit,
    }
}
