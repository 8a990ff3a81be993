//! Words advice so that its reader can follow it: `bakeoff decide` takes neither rows nor tables of a run, which its
//! budget chooses.

use std::borrow::Cow;
use std::time::Duration;

use bakeoff_stats::Summary;
use bakeoff_stats::decide::Decision;

use crate::units;

/// The budget that is advised to a decision without a forecast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LongerBudget {
    /// As many times this one, of which the run made what it could, as it takes more rows.
    InProportionTo(Duration),
    /// This one, with which the best two designs would be measured once more.
    ForFinal(Duration),
}

/// Returns whether the run was made by `bakeoff decide`.
pub fn is_of_decide(summary: &Summary) -> bool {
    let mut words = summary.header.command.split_whitespace();
    words.nth(1) == Some("decide")
}

/// Returns the decision of a run, if there is one, with advice that the command of the run can follow.
pub fn decision(summary: &Summary) -> Option<Cow<'_, Decision>> {
    let decision = summary.decision.as_ref()?;
    if is_of_decide(summary) {
        Some(Cow::Owned(with_budget(summary, decision, None)))
    } else {
        Some(Cow::Borrowed(decision))
    }
}

/// Returns a reason why there is no forecast, with advice that the command of the run can follow.
pub fn reason(summary: &Summary, reason: &str) -> String {
    if is_of_decide(summary) {
        by_budget(summary, reason, None)
    } else {
        reason.to_owned()
    }
}

/// Returns the decision with a longer budget in place of options for rows and tables: how long, if that is known.
pub fn with_budget(
    summary: &Summary,
    decision: &Decision,
    longer: Option<LongerBudget>,
) -> Decision {
    let reason = decision.no_forecast.as_deref();
    Decision {
        no_forecast: reason.map(|reason| by_budget(summary, reason, longer)),
        ..decision.clone()
    }
}

fn by_budget(summary: &Summary, reason: &str, longer: Option<LongerBudget>) -> String {
    let is_of_options = |advice: &str| {
        ["load ", "measure "]
            .iter()
            .any(|word| advice.starts_with(word))
    };
    match reason.rsplit_once("; ") {
        Some((fact, advice)) if is_of_options(advice) => {
            format!("{fact}; {}", advised(summary, longer))
        }
        _ => reason.to_owned(),
    }
}

/// Advises a longer budget: about how long, where that is known. A page has no other figure than the end of the decision,
/// whose budget is not that of its run, and does not know whether a final was measured after it.
fn advised(summary: &Summary, longer: Option<LongerBudget>) -> String {
    if let Some(LongerBudget::ForFinal(budget)) = longer {
        let budget = units::budget(budget.as_secs_f64());
        return format!("a --budget of about {budget} is enough for a final of the best two");
    }
    let Some((rows, times)) = needed(summary) else {
        return "a longer --budget may do, since it measures more rows and rounds".to_owned();
    };
    let takes = format!("it takes {}", units::plural(rows, "row", "rows"));
    match longer {
        Some(LongerBudget::InProportionTo(budget)) => {
            let budget = units::budget(budget.as_secs_f64() * times);
            format!("{takes}, and so a --budget of about {budget}")
        }
        Some(LongerBudget::ForFinal(_)) | None => format!(
            "{takes}, in a final or with a longer --budget, as the end of the decision says"
        ),
    }
}

/// Returns the rows that a forecast takes, and by how much longer the budget has to be for them: in proportion to those
/// that were measured within it, or within what they took beyond it.
fn needed(summary: &Summary) -> Option<(u64, f64)> {
    let rows = summary.rows_to_forecast()?;
    let budget = summary.header.budget_seconds.filter(|budget| *budget > 0.0);
    let over = match (summary.seconds, budget) {
        (Some(took), Some(budget)) => (took / budget).max(1.0),
        _ => 1.0,
    };
    let is_more = summary.rows > 0 && rows > summary.rows;
    is_more.then(|| (rows, over * rows as f64 / summary.rows as f64))
}
