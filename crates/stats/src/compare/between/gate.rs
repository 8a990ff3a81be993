//! The outcome for continuous integration: slower, not slower, or undecided.

use serde::Serialize;

use super::{Absent, Between, Change, Missing, Shown, Side, Unknown, What};

/// Outcome of the question whether a run is slower than another by more than a limit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Gate {
    /// Some figures are shown to be slower by more than the limit.
    Slower { slower: Vec<Change> },
    /// All figures are shown to be slower by less than the limit, if at all.
    NotSlower,
    /// No figure is shown to be slower, but some may be.
    CannotTell { open: Vec<Undecided> },
}

/// Figure that may or may not be slower by more than a limit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Undecided {
    /// Design; empty if the runs must not be compared at all.
    pub design: String,
    pub what: Option<What>,
    pub why: Unknown,
    /// Greatest ratio that is still possible.
    pub at_most: Option<f64>,
}

impl Between {
    /// Returns whether B is slower than A by more than this relative limit, such as 0.05.
    ///
    /// To show that something is slower, intervals are needed that all hold at once. To show that nothing
    /// is slower, no correction for their number is needed, since each bound by itself has to show it
    /// (Berger: Multiparameter hypothesis testing and acceptance sampling, 1982). What A measured and B does
    /// not is undecided: it may be what was slow.
    pub fn fail_if_slower(&self, limit: f64) -> Gate {
        let most = 1.0 + limit;
        let is_slower = |change: &&Change| {
            let low = change.interval.map(|(low, _)| low);
            change.is_of_the_design() && low.is_some_and(|low| low > most)
        };
        let slower: Vec<Change> = self.changes.iter().filter(is_slower).cloned().collect();
        if !slower.is_empty() {
            return Gate::Slower { slower };
        }
        let is_open = |change: &&Change| change.at_most.is_none_or(|high| high >= most);
        let open = self
            .changes
            .iter()
            .filter(is_open)
            .map(Undecided::from_change);
        let missing = self
            .missing
            .iter()
            .filter(|missing| missing.side == Side::B)
            .map(Undecided::missing);
        let absent = self.absent.iter().map(Undecided::absent);
        let open: Vec<Undecided> = self
            .no_comparison()
            .into_iter()
            .chain(open)
            .chain(missing)
            .chain(absent)
            .collect();
        if open.is_empty() {
            return Gate::NotSlower;
        }
        Gate::CannotTell { open }
    }

    /// Returns the figures that support no conclusion.
    pub fn undecided(&self) -> Vec<Undecided> {
        let open = self.changes.iter().filter(|c| c.shown == Shown::CannotTell);
        open.map(Undecided::from_change).collect()
    }

    /// Returns an undecided outcome if nothing could be compared.
    fn no_comparison(&self) -> Option<Undecided> {
        let why = if !self.obstacles.is_empty() {
            Unknown::Obstacle
        } else if self.changes.is_empty() {
            Unknown::NotMeasured
        } else {
            return None;
        };
        Some(Undecided {
            design: String::new(),
            what: None,
            why,
            at_most: None,
        })
    }
}

impl Undecided {
    /// Describes what would be needed for a conclusion.
    pub fn remedy(&self) -> String {
        self.why.remedy(self.what.as_ref())
    }

    fn from_change(change: &Change) -> Undecided {
        Undecided {
            design: change.design.clone(),
            what: Some(change.what.clone()),
            why: change
                .unknown
                .unwrap_or_else(|| Unknown::wide(change.has_few_rounds)),
            at_most: change.at_most,
        }
    }

    fn missing(missing: &Missing) -> Undecided {
        Undecided {
            design: missing.design.clone(),
            what: Some(What::Query(missing.query.clone())),
            why: Unknown::NotMeasured,
            at_most: None,
        }
    }

    fn absent(absent: &Absent) -> Undecided {
        Undecided {
            design: absent.design.clone(),
            what: Some(absent.what.clone()),
            why: absent.why,
            at_most: None,
        }
    }
}

impl Change {
    /// Returns whether the interval is that of the design, and not only of the tables that were measured.
    pub(super) fn is_of_the_design(&self) -> bool {
        let is_wide = matches!(self.unknown, Some(Unknown::Wide | Unknown::WideOfFewRounds));
        self.shown != Shown::CannotTell || is_wide
    }
}
