//! Answers two questions: how much storage do I need to buy, and how fast can my questions be
//! answered? Both are about the one design that is recommended.

use bakeoff_stats::Summary;
use bakeoff_stats::decide::{Decision, Span};

use super::{advice, growth};
use crate::answer::Answer;
use crate::decide::{slowest, words};
use crate::units;

/// Verdict as long as there is nothing to decide.
const NOTHING_YET: &str = "No design has loaded rows, so there is nothing to recommend.";

/// Returns the recommendation, how sure it is and what to buy, in one paragraph.
pub fn paragraph(summary: &Summary) -> String {
    let Some(decision) = advice::decision(summary) else {
        return NOTHING_YET.to_owned();
    };
    let sentences = [
        Some(words::headline(&decision)),
        words::certainty(&decision),
        words::buy_sentence(&decision),
    ];
    sentences
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the two figures of the recommended design, those that are known. Where there is no forecast, they say for
/// how many rows they are.
pub fn answers(summary: &Summary) -> Vec<Answer> {
    let Some(decision) = &summary.decision else {
        return Vec::new();
    };
    let (storage, time) = (storage_to_buy(decision), time_to_answer(decision));
    let time = time.map(|time| match &decision.no_forecast {
        Some(_) => Answer {
            figure: format!("{} at {} rows", time.figure, units::rows(decision.rows)),
            basis: with_estimate(time.basis, time_of_all_rows(summary, decision)),
            ..time
        },
        None => time,
    });
    storage.into_iter().chain(time).collect()
}

/// Returns how long the recommended design takes to read every row there will be, where times have no forecast: an
/// estimate by the speed of a scan.
pub fn time_of_all_rows(summary: &Summary, decision: &Decision) -> Option<String> {
    decision.no_forecast.as_ref()?;
    let design = &decision.recommended()?.id;
    let seconds = growth::seconds_of_all_rows(summary, design)?;
    Some(format!(
        "{} for a question that reads all {} rows",
        units::duration(seconds),
        units::count(summary.full_rows())
    ))
}

/// Adds an estimate by the speed of a scan to what a figure rests on, if there is one.
pub fn with_estimate(basis: String, estimate: Option<String>) -> String {
    match estimate {
        Some(estimate) => format!("{basis}; an estimate by the speed of a scan: {estimate}"),
        None => basis,
    }
}

/// Returns the storage to buy for the recommended design.
pub fn storage_to_buy(decision: &Decision) -> Option<Answer> {
    let design = decision.recommended()?;
    let copies = units::plural(u64::from(decision.copies), "copy", "copies");
    Some(Answer {
        question: "How much storage do I need to buy?".to_owned(),
        figure: units::bytes(design.storage?.point),
        basis: format!(
            "{}{copies} of {} rows with {}",
            if words::is_in_proportion(decision) {
                "estimate in proportion to the rows: "
            } else {
                ""
            },
            units::count(decision.full_rows),
            design.id
        ),
    })
}

/// Returns how long the slowest question takes with the recommended design.
pub fn time_to_answer(decision: &Decision) -> Option<Answer> {
    let design = decision.recommended()?;
    let (question, longest) = slowest(decision, &design.cells)?;
    let all = decision
        .questions
        .iter()
        .filter(|question| question.share > 0.0);
    let figure = units::duration(longest.point);
    Some(Answer {
        question: "How fast can my questions be answered?".to_owned(),
        figure,
        basis: format!(
            "{} of {question}{}, over {} rows with {}{}",
            if decision.forecasts_times() {
                "forecast"
            } else {
                "median"
            },
            if all.count() > 1 { ", the slowest" } else { "" },
            units::count(decision.rows),
            design.id,
            range(decision, longest)
        ),
    })
}

/// Returns the range in which the forecast of the slowest question with the recommended design lies, behind a blank and in
/// parentheses; nothing if it was measured.
pub fn range_of_slowest(decision: &Decision) -> Option<String> {
    let design = decision.recommended()?;
    let (_, longest) = slowest(decision, &design.cells)?;
    Some(range(decision, longest))
}

fn range(decision: &Decision, forecast: Span) -> String {
    match forecast.interval {
        Some((low, high)) if decision.forecasts_times() && high > low => {
            format!(" ({}–{})", units::duration(low), units::duration(high))
        }
        _ => String::new(),
    }
}
