//! Points at which another design becomes the best one.

use serde::Serialize;

/// A point beyond which another design is the best one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "of")]
pub enum Flip {
    /// Share of a question, while all others keep their proportions.
    Share {
        question: usize,
        now: f64,
        at: f64,
        design: String,
    },
    /// Price of a GiB for a month.
    StoragePrice { now: f64, at: f64, design: String },
    /// Number of rows at full scale at which two fitted curves cross.
    Rows { now: f64, at: f64, design: String },
}

impl Flip {
    /// Returns the present value, and the one at which the recommendation changes.
    pub fn values(&self) -> (f64, f64) {
        match self {
            Flip::Share { now, at, .. }
            | Flip::StoragePrice { now, at, .. }
            | Flip::Rows { now, at, .. } => (*now, *at),
        }
    }

    /// Returns the design that becomes the best one.
    pub fn design(&self) -> &str {
        match self {
            Flip::Share { design, .. }
            | Flip::StoragePrice { design, .. }
            | Flip::Rows { design, .. } => design,
        }
    }

    /// Returns the logarithm of the factor by which the value would have to change.
    pub(super) fn distance(&self) -> f64 {
        let (now, at) = self.values();
        (at / now).ln().abs()
    }
}

/// Returns the nearest roots below and above. Roots beyond them are of no interest, since the recommendation
/// has changed before.
pub fn nearest_on_both_sides(
    now: f64,
    roots: impl Iterator<Item = (usize, f64)>,
) -> Vec<(usize, f64)> {
    let (below, above): (Vec<_>, Vec<_>) = roots.partition(|(_, at)| *at < now);
    let below = below.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let above = above.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
    below.into_iter().chain(above).collect()
}
