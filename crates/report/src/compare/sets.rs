//! What is said of the sets of parameters with which several clients asked, and of how their answers were
//! verified.

use bakeoff_stats::{CheckedSets, Summary};

use crate::units;

pub const TITLE: &str = "Sets of parameters";
/// Columns of the table, next to that of queries.
pub const COLUMNS: [&str; 6] = [
    "Drawn",
    "Different",
    "Asked",
    "Right answer",
    "Designs agree",
    "Not verified",
];

/// Says how answers were verified, and how many were not; `None` where all sets have a right answer because
/// they are few.
pub fn hint(summary: &Summary) -> Option<String> {
    let sets = summary.checked_sets();
    if sets.is_empty() {
        return None;
    }
    let mut hint = "The right answers to the first sets were computed beforehand, and every answer to them is \
                    compared with those. Every answer to another set is compared with the first one of another \
                    design; where the two differ, the right answer is computed and decides."
        .to_owned();
    let unverified: u64 = sets.iter().map(|sets| sets.unverified_answers).sum();
    if unverified > 0 {
        hint += &format!(
            " {} compared with nothing, since no other design answered the same: the numbers of their \
             sets are in the last column.",
            match unverified {
                1 => "1 answer was".to_owned(),
                several => format!("{} answers were", units::count(several)),
            }
        );
    }
    Some(hint)
}

/// Returns the figures of a query.
pub fn cells(sets: &CheckedSets<'_>) -> [String; 6] {
    [
        sets.drawn,
        sets.distinct,
        sets.asked,
        sets.right,
        sets.agreed,
        sets.unverified(),
    ]
    .map(units::count)
}

/// Returns whether some sets were not verified.
pub fn is_lacking(sets: &CheckedSets<'_>) -> bool {
    sets.unverified() > 0
}
