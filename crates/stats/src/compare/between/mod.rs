//! Comparison of runs of one workload, and of loads and sweeps. Of two of them it finds whether they may be
//! compared at all, and what became faster or slower; of many runs, also when that happened.
//!
//! Two runs have different tables, servers and days, so their rounds are not paired: they are two
//! independent samples. Rounds of the same number have equal parameters, so they vary less than
//! independent ones, and intervals are wider than they need to be, not narrower.
//!
//! A figure of a run is the centre of its rounds, and a ratio that of two such centres, so that the ratio is always
//! that of the figures beside it.

mod by_factors;
mod change;
mod conditions;
mod counted;
mod days;
mod differences;
mod differs;
mod equal_rates;
mod fail_if;
mod gate;
mod history;
mod loads;
mod measured;
mod measured_changes;
mod of_load;
mod of_sweep;
mod sections;
mod what;

use serde::Serialize;

use super::Summary;
use super::summary::rounds::method::FEWEST_ROUNDS;
use change::Run;
use what::LOADING;

pub use by_factors::{BaseTime, ByFactors, ScaledDesign, ScaledRecords, ScaledScan, ScaledTime};
pub use change::{Absent, Change, Missing, Shown, StorageChange};
pub use counted::{Counted, Value};
pub use differences::{Caution, Obstacle, Side};
pub use fail_if::{Certain, FailIf, Failing, Worse};
pub use gate::{Gate, Undecided};
pub use history::{Group, History, Point, Series, Shift};
pub use measured::{Measured, MeasuredDesign, MeasuredFigure, Measurement};
pub use what::{Unknown, What};

/// Comparison of a run B with a run A.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Between {
    pub a: RunAbout,
    pub b: RunAbout,
    /// What both are.
    #[serde(skip_serializing_if = "Measurement::is_run")]
    pub of: Measurement,
    /// Names of the figures to which the comparison is limited; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
    /// Reasons why nothing is compared.
    pub obstacles: Vec<Obstacle>,
    /// Differences that have to be known to read the changes.
    pub cautions: Vec<Caution>,
    /// Changes of times and of loading, in the order of A's header; intervals hold all true ratios at
    /// once with a probability of 95%.
    pub changes: Vec<Change>,
    /// Changes of storage, which is counted and so has no error.
    pub storage: Vec<StorageChange>,
    /// Designs of both runs whose bytes only A knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_bytes: Vec<String>,
    /// Times that only one of the runs has.
    pub missing: Vec<Missing>,
    /// Figures of A that B does not measure.
    pub absent: Vec<Absent>,
    /// Figures of a load or a sweep that have no interval.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<Counted>,
}

/// Description of a run, without its figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunAbout {
    pub name: String,
    pub workload: String,
    pub started_at: String,
    pub bakeoff_version: String,
    /// Rows of the table; 0 for a sweep that makes as many as it takes.
    pub rows: u64,
    pub rounds: u32,
}

impl Between {
    /// Compares run B with run A, each with the name that its reader knows it by.
    pub fn of(a: (&str, &Summary), b: (&str, &Summary)) -> Between {
        Between::of_figures(a, b, None)
    }

    /// Compares the figures with these names, or all of them; intervals are corrected for the number of
    /// those alone.
    pub fn of_figures(
        a: (&str, &Summary),
        b: (&str, &Summary),
        only: Option<Vec<String>>,
    ) -> Between {
        let obstacles = differs::obstacles(a.1, b.1);
        let mut between = Between {
            a: RunAbout::new(a.0, a.1),
            b: RunAbout::new(b.0, b.1),
            of: Measurement::Run,
            cautions: differs::cautions(a.1, b.1),
            changes: Vec::new(),
            storage: Vec::new(),
            without_bytes: Vec::new(),
            missing: Vec::new(),
            absent: Vec::new(),
            counted: Vec::new(),
            obstacles,
            only,
        };
        if between.obstacles.is_empty() {
            let only = between.only.as_deref();
            let (a, b) = (Run::new(a.1, only), Run::new(b.1, only));
            between.changes = a.changes_to(&b, a.comparisons_with(&b));
            between.storage = a.storage_to(&b);
            between.without_bytes = a.without_bytes_in(&b);
            between.missing = a.missing_to(&b);
            between.absent = a.absent_in(&b);
        }
        between
    }

    /// Returns the names of the figures that either run may have: its queries, and loading.
    pub fn figures(a: &Summary, b: &Summary) -> Vec<String> {
        let queries = a.header.queries.iter().chain(&b.header.queries);
        let mut names: Vec<String> = Vec::new();
        for name in queries.map(|query| query.name.as_str()).chain([LOADING]) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// Returns the change of a query's time on a design.
    pub fn change(&self, design: &str, query: &str) -> Option<&Change> {
        let what = What::Query(query.to_owned());
        self.changes
            .iter()
            .find(|change| change.design == design && change.what == what)
    }

    /// Returns the number of changes with this conclusion.
    pub fn count(&self, shown: Shown) -> usize {
        self.changes
            .iter()
            .filter(|change| change.shown == shown)
            .count()
    }
}

impl RunAbout {
    fn new(name: &str, run: &Summary) -> RunAbout {
        RunAbout {
            name: name.to_owned(),
            workload: run.header.workload.clone(),
            started_at: run.header.started_at.clone(),
            bakeoff_version: run.header.bakeoff_version.clone(),
            rows: run.rows,
            rounds: run.rounds,
        }
    }
}

#[cfg(test)]
mod tests;
