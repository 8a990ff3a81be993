//! What the files say of a design that is not recommended for all rows, as the end of the output does.

use bakeoff_report::units::{self, plural};
use bakeoff_stats::decide::{Certainty, Decision, Doubt, LimitState};

/// Says what a design is by the rows that were measured; `None` if it is recommended for all rows.
pub fn caution(decision: &Decision) -> Option<String> {
    decision.no_forecast.as_ref()?;
    let taken = decision.recommendation.as_ref()?;
    let design = &taken.design;
    let at = format!("at {} rows", units::rows(decision.rows));
    let none = format!(
        "there is no forecast for {} yet",
        plural(decision.full_rows, "row", "rows")
    );
    if taken.is_nearest_to_limits {
        return Some(format!(
            "{design} comes nearest to the limits {at}; {none}."
        ));
    }
    let is_by_the_rule = !taken.doubts.contains(&Doubt::NotByTheRule);
    if decision.is_unfinished || !is_by_the_rule {
        return Some(format!("{design} is ahead {at}; {none}."));
    }
    let mut limits = taken.limits.iter().copied();
    let is_unsure = taken.certainty == Certainty::NotSettled && limits.any(LimitState::is_unsure);
    let condition = if is_unsure {
        " if it keeps the limits"
    } else {
        ""
    };
    Some(format!(
        "To take for now{condition}: {design}, by what was measured {at}; {none}."
    ))
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::decide::Recommendation;

    use super::*;
    use crate::cmd::decide::fixture::decision;

    /// What is said of the decision with a change of what it has of the design.
    fn said(change: impl FnOnce(&mut Recommendation)) -> String {
        let mut decision = decision();
        change(decision.recommendation.as_mut().unwrap());
        caution(&decision).unwrap()
    }

    #[test]
    fn what_is_said_agrees_with_the_end_of_the_output() {
        let none = "there is no forecast for 7,324,550 rows yet.";
        let taken = "local/columnar, by what was measured at 205 k rows;";
        let expected = format!("To take for now: {taken} {none}");
        assert_eq!(said(|_| {}), expected);
        let unsure = said(|design| design.limits = vec![LimitState::ProbablyKept]);
        let expected = format!("To take for now if it keeps the limits: {taken} {none}");
        assert_eq!(unsure, expected);
        let nearest = said(|design| design.is_nearest_to_limits = true);
        let expected = format!("local/columnar comes nearest to the limits at 205 k rows; {none}");
        assert_eq!(nearest, expected);
        let by_others = said(|design| design.doubts = vec![Doubt::NotByTheRule]);
        let expected = format!("local/columnar is ahead at 205 k rows; {none}");
        assert_eq!(by_others, expected);
        let mut forecast = decision();
        forecast.no_forecast = None;
        assert_eq!(caution(&forecast), None);
    }
}
