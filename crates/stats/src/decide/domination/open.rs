//! Designs that another one beats in everything but a few questions, which a race therefore asks first.

use super::{Field, Gap, Objective, Scales};

/// Largest share of the questions that count in which a design may not be shown to be beaten. Beyond it,
/// asking these first is hardly less than asking everything. It is chosen, not derived.
const MOST_OPEN: f64 = 0.5;

/// A design that another one beats by every objective but a few questions.
#[derive(Debug, Clone, PartialEq)]
pub struct NearlyDominated {
    pub design: String,
    pub by: String,
    /// Its cost by the rule's objective.
    pub cost: f64,
    /// Gaps by the objectives that are shown.
    pub gaps: Vec<Gap>,
    /// Indices of the questions that are not, of which there is at least one.
    pub open: Vec<usize>,
}

impl NearlyDominated {
    /// Finds all pairs of such a design and one that nearly beats it, where figures are looked at this many
    /// times in all.
    pub fn find(scales: &Scales<'_>, looks: usize) -> Vec<NearlyDominated> {
        let Some(field) = Field::of(scales, looks) else {
            return Vec::new();
        };
        let designs: Vec<usize> = field.last.contest.remaining().collect();
        let mut found = Vec::new();
        for design in &designs {
            let others = designs.iter().filter(|other| *other != design);
            found.extend(others.filter_map(|other| field.nearly_beaten(*design, *other)));
        }
        found
    }
}

/// Returns the gaps between two designs in these questions, given by their indices, if the first one is
/// worse in all of them. Figures are looked at this many times in all.
pub fn gaps_in(
    scales: &Scales<'_>,
    questions: &[usize],
    (design, other): (&str, &str),
    looks: usize,
) -> Option<Vec<Gap>> {
    let field = Field::of(scales, looks)?;
    let contest = &field.last.contest;
    let place = |id: &str| {
        let mut remaining = contest.remaining();
        remaining.find(|index| contest.input.designs[*index].id == id)
    };
    let (design, other) = (place(design)?, place(other)?);
    let objectives = contest.objectives();
    let mut gaps = Vec::with_capacity(questions.len());
    for objective in questions.iter().copied().map(Objective::Question) {
        let compared = field.compare(objective, design, other);
        let (gap, is_shown) = compared.filter(|_| objectives.contains(&objective))?;
        if !is_shown {
            return None;
        }
        gaps.push(gap);
    }
    Some(gaps)
}

impl Field<'_> {
    /// Compares two designs by all objectives. Returns `None` unless the first one is beaten in all of them
    /// but a few questions.
    fn nearly_beaten(&self, design: usize, other: usize) -> Option<NearlyDominated> {
        let contest = &self.last.contest;
        let objectives = contest.objectives();
        if !self.limits_are_compared(&objectives) {
            return None;
        }
        let questions = { objectives.iter() }
            .filter(|objective| matches!(objective, Objective::Question(_)))
            .count();
        let (mut gaps, mut open) = (Vec::new(), Vec::new());
        for objective in objectives {
            match (self.compare(objective, design, other)?, objective) {
                ((gap, true), _) => gaps.push(gap),
                ((_, false), Objective::Question(question)) => open.push(question),
                ((_, false), _) => return None,
            }
        }
        let is_few = !open.is_empty() && open.len() as f64 <= MOST_OPEN * questions as f64;
        let id = |design: usize| contest.input.designs[design].id.clone();
        let cost = contest.point(contest.objective?, design)?;
        is_few.then(|| NearlyDominated {
            design: id(design),
            by: id(other),
            cost,
            gaps,
            open,
        })
    }
}
