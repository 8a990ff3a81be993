//! Answers two questions: how much storage do I need to buy, and how fast can my questions be
//! answered? Both are about the one design that is recommended.

use bakeoff_stats::Summary;
use bakeoff_stats::decide::Decision;

use crate::answer::Answer;
use crate::decide::{slowest, words};
use crate::units;

/// Verdict as long as there is nothing to decide.
const NOTHING_YET: &str = "No design has loaded rows, so there is nothing to recommend.";

/// Returns the recommendation, how sure it is and what to buy, in one paragraph.
pub fn paragraph(summary: &Summary) -> String {
    let Some(decision) = &summary.decision else {
        return NOTHING_YET.to_owned();
    };
    let sentences = [
        Some(words::headline(decision)),
        words::certainty(decision),
        words::buy_sentence(decision),
    ];
    sentences
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the two figures of the recommended design, those that are known.
pub fn answers(summary: &Summary) -> Vec<Answer> {
    let decision = summary.decision.as_ref();
    let answers = decision.map(|decision| [storage_to_buy(decision), time_to_answer(decision)]);
    answers.into_iter().flatten().flatten().collect()
}

/// Returns the storage to buy for the recommended design.
pub fn storage_to_buy(decision: &Decision) -> Option<Answer> {
    let design = decision.recommended()?;
    let copies = units::plural(u64::from(decision.copies), "copy", "copies");
    Some(Answer {
        question: "How much storage do I need to buy?".to_owned(),
        figure: units::bytes(design.storage?.point),
        basis: format!(
            "{copies} of {} rows with {}",
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
            "{} of {question}{}, over {} rows with {}",
            if decision.forecasts_times() {
                "forecast"
            } else {
                "median"
            },
            if all.count() > 1 { ", the slowest" } else { "" },
            units::count(decision.rows),
            design.id
        ),
    })
}
