//! Decisions of runs that ask some questions of some designs only.

use bakeoff_report::decide::terminal::render_whole;
use bakeoff_stats::decide::{AskedOf, Decision, DecisionInput, Timed};

use super::fixture;

/// Writes the whole text on one line.
fn words(input: &DecisionInput) -> String {
    let text = render_whole(&Decision::of(input), None, 100);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A run in which these questions were asked of one design only, which is not the fastest.
fn asked_of_one(questions: &[usize]) -> DecisionInput {
    let mut input = fixture::events();
    input.rule.limits.clear();
    input.measured_rows = input.rows;
    let all = input.designs.len();
    for question in questions {
        input.questions[*question].asked_of = Some(AskedOf { asked: 1, all });
        for design in &mut input.designs {
            if design.id != "parquet?codec=zstd" {
                let answer = &mut design.answers[*question];
                answer.time = Timed::Unknown("it was not asked".to_owned());
                (answer.measured, answer.was_right) = (None, false);
            }
        }
    }
    input
}

#[test]
fn what_some_designs_were_not_asked_ranks_none() {
    let input = asked_of_one(&[4]);
    let all = input.designs.len();
    let words = words(&input);
    assert!(words.starts_with("Take local/columnar."), "{words}");
    assert!(!words.contains("only choice"), "{words}");
    assert!(!words.contains("not ranked"), "{words}");
    let why = format!("alone: albania is asked of 1 of {all} designs.");
    assert!(words.contains(&why), "{words}");
    assert!(words.contains("Ranked by "), "{words}");
}

#[test]
fn the_only_design_with_figures_is_not_the_only_choice() {
    let mut input = asked_of_one(&[4]);
    input.questions[4].asked_of = None;
    let words = words(&input);
    let begin = "Take parquet?codec=zstd, the only design that can be ranked (not settled).";
    assert!(words.starts_with(begin), "{words}");
}
