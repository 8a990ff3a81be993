//! Figures of designs in rounds, and the ratios between them.

use super::best::Field;
use super::method::{Interval, Method, TableNoise};
use super::paired::Paired;

/// Figure of a design of which less is better, as the comparison needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub design: String,
    /// Number of each round with its figure, in the order of the rounds.
    pub rounds: Vec<(u32, f64)>,
    pub median: f64,
    /// Whether the design may be the best one.
    pub may_be_best: bool,
}

impl Table {
    pub fn paired(&self, other: &Table) -> Paired {
        Paired::new(&self.rounds, &other.rounds)
    }

    /// Returns the ratio to another table, by their medians where no round is common to both.
    pub fn ratio(&self, other: &Table, method: &Method, noise: Option<TableNoise>) -> Interval {
        let paired = self.paired(other);
        method
            .interval(&paired, noise)
            .unwrap_or_else(|| Interval::unknown((self.median / other.median).ln()))
    }
}

impl Interval {
    /// Makes an interval that says nothing beyond its centre.
    pub fn unknown(centre: f64) -> Interval {
        Interval {
            centre: if centre.is_finite() { centre } else { 0.0 },
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        }
    }
}

/// Returns the ratios of all tables to each other.
pub fn field(tables: &[Table], method: &Method, noise: Option<TableNoise>) -> Field {
    let of = |one: &Table| {
        let others = tables.iter();
        others
            .map(|other| one.ratio(other, method, noise))
            .collect()
    };
    Field {
        may_be_best: tables.iter().map(|table| table.may_be_best).collect(),
        ratios: tables.iter().map(of).collect(),
    }
}

/// Returns the number of rounds that each table has in common with each other one.
pub fn common_rounds(tables: &[Table]) -> Vec<Vec<usize>> {
    let of = |one: &Table| {
        let others = tables.iter();
        others.map(|other| one.paired(other).rounds()).collect()
    };
    tables.iter().map(of).collect()
}

/// Returns the number of comparisons with the best and, where one of the tables is the baseline, with
/// that one, too.
pub fn comparisons(tables: &[Table], baseline: Option<&str>) -> usize {
    let with_best = tables.len().saturating_sub(1);
    let has_baseline = tables.iter().any(|t| Some(t.design.as_str()) == baseline);
    with_best * (1 + usize::from(has_baseline))
}

/// Returns each pair of tables once.
pub fn all_pairs(tables: &[Table]) -> Vec<Paired> {
    let later = |(index, one): (usize, &Table)| -> Vec<Paired> {
        let others = tables[index + 1..].iter();
        others.map(|other| one.paired(other)).collect()
    };
    tables.iter().enumerate().flat_map(later).collect()
}
