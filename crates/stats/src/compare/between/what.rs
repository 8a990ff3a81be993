//! What a figure is of, and why it may support no conclusion.

use std::fmt;

use serde::Serialize;

use crate::compare::summary::rounds::method::FEWEST_ROUNDS;

/// Subject of a figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    Query(String),
    /// Loading and settling all rows.
    Loading,
    /// Time in a load or a sweep, such as `read p99`, or `read p99 with questions` beside the load.
    Time(String),
    /// Operations or rows a second in a load or a sweep, such as `operations`. The seconds for each of them are
    /// compared.
    Rate(String),
}

/// Reason why it is unknown whether something changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unknown {
    /// One of the runs has fewer than five rounds of it.
    FewRounds,
    /// Loading had too few slices in one of the runs to estimate the error.
    FewSlices,
    /// Neither run has twins, so the difference between tables of one design is unknown.
    NoTwins,
    /// The interval is too wide: it holds both a difference and none.
    Wide,
    /// The interval is too wide, and one of the runs has few rounds of it.
    WideOfFewRounds,
    /// One run lacks the time.
    NotMeasured,
    /// Only run A has the design.
    NoDesign,
    /// Run B does not ask the question, or asks another one by its name.
    NoQuestion,
    /// The runs may not be compared.
    Obstacle,
}

/// Name of the loading of rows among the figures.
pub const LOADING: &str = "loading";

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Query(name) | What::Time(name) | What::Rate(name) => f.write_str(name),
            What::Loading => f.write_str(LOADING),
        }
    }
}

impl What {
    /// Returns whether it is a rate, of which the seconds for one row or operation are compared.
    pub fn is_rate(&self) -> bool {
        matches!(self, What::Loading | What::Rate(_))
    }

    /// Returns a ratio of seconds with its bounds as the ratio of two figures as they are shown: of rates it is that of
    /// the rates.
    pub fn shown_ratio(
        &self,
        ratio: f64,
        interval: Option<(f64, f64)>,
    ) -> (f64, Option<(f64, f64)>) {
        if !self.is_rate() {
            return (ratio, interval);
        }
        let bounds = |(low, high): (f64, f64)| (1.0 / high, 1.0 / low);
        (1.0 / ratio, interval.map(bounds))
    }

    /// Returns whether it is a figure of a load or a sweep.
    fn is_under_load(&self) -> bool {
        matches!(self, What::Time(_) | What::Rate(_))
    }
}

impl Unknown {
    /// Returns the reason for an interval that is too wide.
    pub(super) fn wide(has_few_rounds: bool) -> Unknown {
        if has_few_rounds {
            Unknown::WideOfFewRounds
        } else {
            Unknown::Wide
        }
    }

    /// Describes what would be needed for a conclusion.
    pub fn remedy(self, what: Option<&What>) -> String {
        let is_load = what == Some(&What::Loading);
        let is_under_load = what.is_some_and(What::is_under_load);
        match self {
            Unknown::FewRounds => format!("at least {FEWEST_ROUNDS} rounds in both runs"),
            Unknown::NoTwins => "twins in at least one run".to_owned(),
            Unknown::FewSlices => "a longer load in both runs".to_owned(),
            Unknown::Wide if is_load => "a longer load in both runs".to_owned(),
            Unknown::Wide if is_under_load => "more or longer rounds in both".to_owned(),
            Unknown::Wide => "several runs of each, read by `bakeoff history`".to_owned(),
            Unknown::WideOfFewRounds => "more rounds in both runs".to_owned(),
            Unknown::NotMeasured if is_load => "a whole load in both runs".to_owned(),
            Unknown::NotMeasured if is_under_load => "the figure in both".to_owned(),
            Unknown::NotMeasured => "right answers in both runs".to_owned(),
            Unknown::NoDesign => "the design in B, or a new A without it".to_owned(),
            Unknown::NoQuestion if is_under_load => {
                "the same operation or question in B, or --only with others".to_owned()
            }
            Unknown::NoQuestion => "the same question in B, or --only with others".to_owned(),
            Unknown::Obstacle => "the same rows in the same table".to_owned(),
        }
    }

    /// Describes what would be needed for a conclusion about the latest of many runs.
    pub fn remedy_among_many(self, what: &What) -> String {
        let remedy = match self {
            Unknown::FewRounds => return format!("at least {FEWEST_ROUNDS} rounds in each run"),
            Unknown::NoTwins => "twins in the runs",
            Unknown::FewSlices => "a longer load in each run",
            Unknown::Wide if *what == What::Loading => "a longer load in each run",
            Unknown::Wide => "further runs, with more rounds",
            Unknown::WideOfFewRounds => "more rounds in each run",
            Unknown::NotMeasured | Unknown::NoDesign | Unknown::NoQuestion | Unknown::Obstacle => {
                return self.remedy(Some(what));
            }
        };
        remedy.to_owned()
    }
}
