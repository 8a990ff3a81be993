use bakeoff_report::decide::terminal::{MOST_LINES, render, render_of_race};
use bakeoff_stats::decide::{Decision, DecisionInput, Status, Timed};
use unicode_width::UnicodeWidthStr;

use super::fixture;

fn text(input: &DecisionInput) -> String {
    render(&Decision::of(input), 100, false)
}

fn assert_fits(text: &str, columns: usize) {
    assert!(text.lines().count() <= MOST_LINES, "{text}");
    for line in text.lines() {
        assert!(line.width() <= columns, "{} columns: {line}", line.width());
        assert_eq!(line.trim_end(), line);
    }
}

#[test]
fn a_run_of_the_study() {
    insta::assert_snapshot!(text(&fixture::events()));
}

#[test]
fn what_is_not_settled_names_both_and_says_what_would_help() {
    let text = text(&fixture::not_settled());
    assert!(
        text.starts_with("Not settled between local/columnar and parquet?codec=zstd."),
        "{text}"
    );
    assert!(text.contains("would separate it from"), "{text}");
    assert_fits(&text, 100);
}

#[test]
fn nothing_to_recommend_has_its_reasons() {
    insta::assert_snapshot!(text(&fixture::nothing()));
}

#[test]
fn forty_designs_and_sixty_questions_fit() {
    let input = fixture::crowd();
    let decision = Decision::of(&input);
    for width in [1, 60, 80, 100, 1000] {
        assert_fits(&render(&decision, width, false), width.clamp(60, 100));
    }
}

#[test]
fn a_race_takes_no_lines_that_others_need() {
    let race = || Some("Many words about it. ".repeat(40));
    for input in [fixture::crowd(), fixture::events(), fixture::nothing()] {
        let decision = Decision::of(&input);
        for width in [60, 100] {
            let text = render_of_race(&decision, race(), width, false);
            assert_fits(&text, width);
            let has_waits = |text: &str| text.contains("\nWait ");
            assert_eq!(
                has_waits(&text),
                has_waits(&render(&decision, width, false))
            );
        }
    }
}

#[test]
fn colour_changes_nothing_but_the_colour() {
    let decision = Decision::of(&fixture::events());
    let coloured = render(&decision, 100, true);
    let plain = coloured.replace("\x1b[1m", "").replace("\x1b[0m", "");
    let without_blanks = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        without_blanks(&plain),
        without_blanks(&render(&decision, 100, false))
    );
}

#[test]
fn the_first_screen_has_what_a_decider_needs() {
    let text = text(&fixture::events());
    for expected in [
        "Take local/columnar.",
        "This is settled.",
        "Buy",
        "tone_by_actor above",
        "all limits.",
        "GiB",
        "tone_by_actor",
        "Runner-up: parquet?codec=zstd",
        "choose it if",
        "scan wins nothing",
        "cassandra/narrow: 1,091 rows lost",
        "Against   today's cassandra/wide: answers 35× faster, storage 3.4× smaller, loading 17× faster.",
        "Twins differed by up to 6%.",
        "Above 900 M rows nothing is known",
    ] {
        assert!(text.contains(expected), "no {expected} in\n{text}");
    }
}

#[test]
fn a_question_at_fault_is_said_so() {
    let mut input = fixture::events();
    for design in &mut input.designs {
        design.answers[4].time = Timed::Failed("approximate answers differ".to_owned());
    }
    let text = text(&input);
    assert!(text.contains("albania fails with every design"), "{text}");
    assert!(text.starts_with("Take local/columnar."), "{text}");
}

#[test]
fn limits_that_nothing_keeps_are_said_first() {
    let mut input = fixture::events();
    input.rule.limits[0].bound = 1e-6;
    assert!(text(&input).starts_with("No design keeps all limits. local/columnar comes nearest"));
}

#[test]
fn text_from_outside_cannot_move_the_cursor() {
    let mut input = fixture::events();
    input.designs[4].id = "local/\x1b[2Jcolumnar\nsecond line".to_owned();
    input.designs[0].status = Status::Failed("\x1b]0;title\x07 failed\r\n".to_owned());
    let text = text(&input);
    assert!(!text.contains(['\x1b', '\r', '\x07']), "{text}");
    assert_fits(&text, 100);
}
