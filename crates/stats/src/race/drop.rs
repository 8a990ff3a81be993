//! From dominated designs to those that are dropped.

use crate::compare::{Beaten, Dropped};
use crate::decide::{DecisionInput, Dominated, Objective};

/// Fewest designs that are dropped together for one of them to be measured on as a control.
const FEWEST_FOR_CONTROL: usize = 3;

/// Designs that a race keeps although they are dominated.
pub struct Kept {
    /// Designs that others are compared with: the baseline, and those that have a twin.
    pub ids: Vec<String>,
    /// Whether an earlier look chose a control.
    pub has_control: bool,
}

/// Returns the designs to drop, the best of them as a control: with fewer designs around them, the
/// others have more of caches and memory, and a control shows it.
pub fn dropped(found: Vec<Dominated>, input: &DecisionInput, kept: &Kept) -> Vec<Dropped> {
    let mut found = found;
    found.retain(|dominated| !kept.ids.contains(&dominated.design));
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let has_control = !kept.has_control && found.len() >= FEWEST_FOR_CONTROL;
    { found.into_iter().enumerate() }
        .map(|(place, dominated)| Dropped {
            is_control: has_control && place == 0,
            beaten: beaten(&dominated, input),
            design: dominated.design,
            by: dominated.by,
            rows: input.measured_rows,
            at_rung: false,
            rounds: Some(input.rounds),
        })
        .collect()
}

fn beaten(dominated: &Dominated, input: &DecisionInput) -> Vec<Beaten> {
    let gaps = dominated.gaps.iter();
    gaps.map(|gap| Beaten {
        objective: name(gap.objective, input),
        times: gap.times,
        at_least: gap.at_least,
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
