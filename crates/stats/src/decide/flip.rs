//! Points at which another design becomes the best one.

use serde::Serialize;

/// A point beyond which another design is the best one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "of")]
pub enum Flip {
    /// The share of a question, all others keeping their proportions.
    Share {
        question: usize,
        now: f64,
        at: f64,
        design: String,
    },
    /// The price of a GiB for a month.
    StoragePrice { now: f64, at: f64, design: String },
    /// The rows at full scale, where two fitted curves cross.
    Rows { now: f64, at: f64, design: String },
}

impl Flip {
    /// The value that holds now, and the one at which the recommendation changes.
    pub fn values(&self) -> (f64, f64) {
        match self {
            Flip::Share { now, at, .. }
            | Flip::StoragePrice { now, at, .. }
            | Flip::Rows { now, at, .. } => (*now, *at),
        }
    }

    pub fn design(&self) -> &str {
        match self {
            Flip::Share { design, .. }
            | Flip::StoragePrice { design, .. }
            | Flip::Rows { design, .. } => design,
        }
    }

    /// How far away it is: the factor by which the value would have to change.
    pub(super) fn distance(&self) -> f64 {
        let (now, at) = self.values();
        (at / now).ln().abs()
    }
}

/// The first root below and above: beyond it the recommendation has changed already.
pub fn nearest_on_both_sides(
    now: f64,
    roots: impl Iterator<Item = (usize, f64)>,
) -> Vec<(usize, f64)> {
    let (below, above): (Vec<_>, Vec<_>) = roots.partition(|(_, at)| *at < now);
    let below = below.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let above = above.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
    below.into_iter().chain(above).collect()
}
