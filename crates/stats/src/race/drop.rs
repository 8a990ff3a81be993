//! From dominated designs to those that are dropped.

use crate::compare::{Beaten, Dropped};
use crate::decide::{DecisionInput, Dominated, Gap, Objective};

/// Fewest designs that are dropped together for one of them to be measured on as a control.
const FEWEST_FOR_CONTROL: usize = 3;

/// Designs that a race keeps although they are dominated.
pub struct Kept {
    /// Designs that others are compared with: the baseline, and those that have a twin.
    pub ids: Vec<String>,
    /// Whether an earlier look chose a control.
    pub has_control: bool,
}

/// Returns the designs to drop, with a control.
pub fn dropped(found: Vec<Dominated>, input: &DecisionInput, kept: &Kept) -> Vec<Dropped> {
    let mut found = found;
    found.retain(|dominated| !kept.ids.contains(&dominated.design));
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let dropped = found.into_iter().map(|dominated| Dropped {
        is_control: false,
        beaten: beaten(&dominated.gaps, input),
        design: dominated.design,
        by: dominated.by,
        rows: input.measured_rows,
        at_rung: false,
        rounds: Some(input.rounds),
    });
    with_control(dropped.collect(), kept)
}

/// Makes the first design, which is the best one, a control if many are dropped: with fewer designs around
/// them, the others have more of caches and memory, and a control shows it.
pub fn with_control(mut dropped: Vec<Dropped>, kept: &Kept) -> Vec<Dropped> {
    let has_control = !kept.has_control && dropped.len() >= FEWEST_FOR_CONTROL;
    if let Some(best) = dropped.first_mut() {
        best.is_control = has_control;
    }
    dropped
}

/// Names the objectives of gaps.
pub fn beaten(gaps: &[Gap], input: &DecisionInput) -> Vec<Beaten> {
    let gaps = gaps.iter();
    gaps.map(|gap| Beaten {
        objective: name(gap.objective, input),
        times: gap.times,
        at_least: gap.at_least,
        rows: None,
    })
    .collect()
}

fn name(objective: Objective, input: &DecisionInput) -> String {
    match objective {
        Objective::Month => "month".to_owned(),
        Objective::Storage => "storage".to_owned(),
        Objective::Time => "time".to_owned(),
        Objective::Load => "loading".to_owned(),
        Objective::Question(index) => input.questions[index].name.clone(),
    }
}
