//! Comparison of two runs of one workload: whether they may be compared at all, and then what became
//! faster or slower; and of many runs, when it did.
//!
//! Two runs have other tables, servers and days, so their rounds are not paired: they are two
//! independent samples. Equal parameters in rounds of the same number make the truth vary less than
//! that assumes, so intervals are wider than they need to be, not narrower.

mod change;
mod days;
mod differs;
mod gate;
mod history;
mod sections;

use serde::Serialize;

use super::Summary;
use super::summary::rounds::method::FEWEST_ROUNDS;
use change::Run;

pub use change::{Change, Missing, Shown, StorageChange, Unknown, What};
pub use differs::{Caution, Obstacle, Side};
pub use gate::{Gate, Undecided};
pub use history::{Group, History, Point, Series, Shift};

/// Comparison of a run B with a run A.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Between {
    pub a: RunAbout,
    pub b: RunAbout,
    /// Reasons why nothing is compared.
    pub obstacles: Vec<Obstacle>,
    /// Differences that have to be known to read the changes.
    pub cautions: Vec<Caution>,
    /// Changes of times and of loading, in the order of A's header; intervals hold all true ratios at
    /// once with a probability of 95%.
    pub changes: Vec<Change>,
    /// Changes of storage, which is counted and so has no error.
    pub storage: Vec<StorageChange>,
    /// Times that one run has and the other one lacks.
    pub missing: Vec<Missing>,
}

/// What is to be known of a run beside its figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunAbout {
    pub name: String,
    pub workload: String,
    pub started_at: String,
    pub bakeoff_version: String,
    pub rows: u64,
    pub rounds: u32,
}

impl Between {
    /// Compares run B with run A; the names are those that the reader knows them by.
    pub fn of(a: (&str, &Summary), b: (&str, &Summary)) -> Between {
        let obstacles = differs::obstacles(a.1, b.1);
        let mut between = Between {
            a: RunAbout::of(a.0, a.1),
            b: RunAbout::of(b.0, b.1),
            cautions: differs::cautions(a.1, b.1),
            changes: Vec::new(),
            storage: Vec::new(),
            missing: Vec::new(),
            obstacles,
        };
        if between.obstacles.is_empty() {
            let (a, b) = (Run::new(a.1), Run::new(b.1));
            between.changes = a.changes_to(&b, a.comparisons_with(&b));
            between.storage = a.storage_to(&b);
            between.missing = a.missing_to(&b);
        }
        between
    }

    /// Returns the change of a query's time on a design.
    pub fn change(&self, design: &str, query: &str) -> Option<&Change> {
        let is_it = |change: &&Change| {
            change.design == design && matches!(&change.what, What::Query(name) if name == query)
        };
        self.changes.iter().find(is_it)
    }

    /// Returns the number of changes that are shown to be this.
    pub fn count(&self, shown: Shown) -> usize {
        { self.changes.iter() }
            .filter(|change| change.shown == shown)
            .count()
    }
}

impl RunAbout {
    fn of(name: &str, run: &Summary) -> RunAbout {
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
