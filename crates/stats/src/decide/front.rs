//! The front: designs that no other one beats in all objectives, with the advantages of each.

use serde::Serialize;

use super::contest::Contest;
use super::objective::Objective;
use super::ratio::{Comparison, Ratio};

/// Largest number of designs that are shown, so that a reader can weigh them against each other.
const SHOWN: usize = 4;

/// A design that is worth choosing under another rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    pub design: String,
    pub is_recommended: bool,
    /// Objectives by which it is better than the recommended design, the greatest difference first.
    pub advantages: Vec<Advantage>,
}

/// An objective by which a design is better than the recommended one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advantage {
    pub objective: Objective,
    /// Cost of the recommended design as a multiple of this one's.
    pub times: f64,
    /// Whether the difference is shown, and not only estimated.
    pub is_settled: bool,
}

/// The front of a contest.
pub struct Front {
    /// Indices of the designs, always including the recommended one.
    pub designs: Vec<usize>,
    /// Indices of the designs to show, the recommended one first.
    pub shown: Vec<usize>,
}

impl Front {
    /// Finds the designs of the front, and those to show.
    pub fn new(contest: &Contest<'_>, recommended: usize) -> Front {
        let objectives = contest.objectives();
        let is_beaten = |design: usize| {
            let mut others = contest.remaining().filter(|other| *other != design);
            others.any(|other| beats(contest, &objectives, other, design))
        };
        let designs: Vec<usize> = contest
            .remaining()
            .filter(|design| *design == recommended || !is_beaten(*design))
            .collect();
        let shown = shown(contest, &objectives, &designs, recommended);
        Front { designs, shown }
    }

    /// Returns the number of designs on the front that are not shown.
    pub fn not_shown(&self) -> usize {
        self.designs.len().saturating_sub(self.shown.len())
    }
}

/// Returns whether `one` is better than `other` by some objective and worse by none, up to the difference
/// that the rule calls the same.
fn beats(contest: &Contest<'_>, objectives: &[Objective], one: usize, other: usize) -> bool {
    let same = 1.0 + contest.input.rule.same_within;
    let mut is_better = false;
    for objective in objectives {
        let costs = (
            contest.point(*objective, one),
            contest.point(*objective, other),
        );
        let (Some(one), Some(other)) = costs else {
            continue;
        };
        if one > other * same {
            return false;
        }
        is_better |= one * same < other;
    }
    is_better
}

/// Returns the best design by each objective: first those of tables, then the questions by their share.
fn shown(
    contest: &Contest<'_>,
    objectives: &[Objective],
    front: &[usize],
    recommended: usize,
) -> Vec<usize> {
    let share = |objective: &Objective| match objective {
        Objective::Question(question) => contest.shares[*question],
        _ => f64::INFINITY,
    };
    let mut by_weight = objectives.to_vec();
    by_weight.sort_by(|a, b| share(b).total_cmp(&share(a)));
    let mut shown = vec![recommended];
    for objective in by_weight {
        let best = front
            .iter()
            .filter_map(|design| Some((*design, contest.point(objective, *design)?)))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((design, _)) = best
            && !shown.contains(&design)
            && shown.len() < SHOWN
            && !advantages(contest, design, recommended).is_empty()
        {
            shown.push(design);
        }
    }
    shown
}

/// Returns the objectives by which a design is clearly better than the recommended one.
pub fn advantages(contest: &Contest<'_>, design: usize, recommended: usize) -> Vec<Advantage> {
    let same = 1.0 + contest.input.rule.same_within;
    let of_recommended = |objective| contest.ratio(objective, recommended, design);
    let is_clear = |ratio: &Ratio| ratio.times > same;
    let mut advantages: Vec<Advantage> = contest
        .objectives()
        .into_iter()
        .filter_map(of_recommended)
        .filter(is_clear)
        .map(|ratio| Advantage {
            objective: ratio.objective,
            times: ratio.times,
            is_settled: ratio.comparison == Comparison::Worse,
        })
        .collect();
    // Equal advantages keep the order of the objectives.
    advantages.sort_by(|a, b| b.times.total_cmp(&a.times));
    advantages
}
