//! Words advice so that its reader can follow it: `bakeoff decide` takes neither rows nor tables of a run, which its
//! budget chooses.

use std::borrow::Cow;
use std::time::Duration;

use bakeoff_stats::Summary;
use bakeoff_stats::decide::Decision;

use crate::units;

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

/// Returns the decision with a longer budget in place of options for rows and tables: how long, if the budget is known,
/// or how many times as long.
pub fn with_budget(summary: &Summary, decision: &Decision, budget: Option<Duration>) -> Decision {
    let reason = decision.no_forecast.as_deref();
    Decision {
        no_forecast: reason.map(|reason| by_budget(summary, reason, budget)),
        ..decision.clone()
    }
}

fn by_budget(summary: &Summary, reason: &str, budget: Option<Duration>) -> String {
    let is_of_options = |advice: &str| {
        ["load ", "measure "]
            .iter()
            .any(|word| advice.starts_with(word))
    };
    match reason.rsplit_once("; ") {
        Some((fact, advice)) if is_of_options(advice) => {
            format!("{fact}; {}", longer_budget(summary, budget))
        }
        _ => reason.to_owned(),
    }
}

/// Advises a longer budget: about how long, where it is known how many rows it takes.
fn longer_budget(summary: &Summary, budget: Option<Duration>) -> String {
    let Some((rows, times)) = needed(summary) else {
        return "a longer --budget may do, since it measures more rows and rounds".to_owned();
    };
    let long = match budget {
        Some(budget) => format!("of about {}", units::budget(budget.as_secs_f64() * times)),
        None => format!("about {} times as long", units::count(times.ceil() as u64)),
    };
    let rows = units::plural(rows, "row", "rows");
    format!("it takes {rows}, and so a --budget {long}")
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
