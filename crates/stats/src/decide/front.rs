//! The designs that nothing beats in everything, and what speaks for each of them.

use serde::Serialize;

use super::contest::Contest;
use super::objective::Objective;
use super::ratio::{Comparison, Ratio};

/// A report shows no more designs than a reader can weigh against each other.
const SHOWN: usize = 4;

/// A design that is worth choosing under another rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    pub design: String,
    pub is_recommended: bool,
    /// By what it is better than the recommended design, the greatest difference first.
    pub advantages: Vec<Advantage>,
}

/// An objective by which a design is better than the recommended one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advantage {
    pub objective: Objective,
    /// How many times the recommended design's cost is its own.
    pub times: f64,
    /// Whether that is more than an estimate.
    pub is_settled: bool,
}

/// The front of a contest.
pub struct Front {
    /// By the index of the design; the recommended one is always among them.
    pub designs: Vec<usize>,
    /// The designs to show, the recommended one first.
    pub shown: Vec<usize>,
}

impl Front {
    pub fn of(contest: &Contest<'_>, recommended: usize) -> Front {
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

    /// Designs of the front for which there is no room.
    pub fn not_shown(&self) -> usize {
        self.designs.len().saturating_sub(self.shown.len())
    }
}

/// Whether `one` is nowhere worse than `other`, but for what the rule calls the same, and somewhere better.
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

/// The best design by each objective, those of tables first, then by the questions that are asked most.
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

/// Where a design is clearly better than the recommended one.
pub fn advantages(contest: &Contest<'_>, design: usize, recommended: usize) -> Vec<Advantage> {
    let same = 1.0 + contest.input.rule.same_within;
    let of_recommended = |objective| contest.ratio(objective, recommended, design);
    let is_clear = |ratio: &Ratio| ratio.times > same;
    let mut advantages: Vec<Advantage> = { contest.objectives().into_iter() }
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
