use bakeoff_report::decide::terminal::{MOST_LINES, render, render_of_race, render_whole};
use bakeoff_stats::decide::{
    Decision, DecisionInput, Figure, Limit, LimitOf, Minimise, Status, Timed,
};
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

/// The questions that the text shows the times of.
fn questions_shown(text: &str) -> usize {
    let waits = text.split("\nWait ").nth(1).unwrap_or_default();
    let lines = waits.lines().skip(1);
    let of_part = lines.take_while(|line| line.starts_with(' '));
    let is_question = |line: &&str| !line.trim_start().starts_with("and ");
    of_part.filter(is_question).count()
}

#[test]
fn two_questions_are_shown_whatever_else_there_is_to_say() {
    let mut input = fixture::crowd();
    input.no_forecast = Some("a reason of many words ".repeat(20));
    for width in [60, 80, 100] {
        let race = Some("Many words about it. ".repeat(40));
        let text = render_of_race(&Decision::of(&input), race, width, false);
        assert_fits(&text, width);
        assert!(questions_shown(&text) >= 2, "{text}");
        for part in ["\nLeft out ", "\nNoise ", "\nUnknown ", "\nRace "] {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
    }
}

#[test]
fn without_a_forecast_the_design_comes_first_and_then_what_to_load() {
    let mut input = fixture::events();
    input.measured_rows = 100_000;
    input.rows = 100_000;
    input.no_forecast = Some("100,000 rows are too few; load all of them".to_owned());
    for width in [60, 80, 100] {
        let text = render(&Decision::of(&input), width, false);
        let words: Vec<&str> = text.split_whitespace().collect();
        let all = "Take local/columnar for now: it is best at 100 k rows (settled). There is no forecast for \
                   4,160,000 rows yet: 100,000 rows are too few; load all of them. Rule";
        assert!(words.join(" ").starts_with(all), "{text}");
        assert!(!text.contains("recommended"), "{text}");
    }
    for design in &mut input.designs {
        design.status = Status::Failed("out of disk".to_owned());
    }
    let none = "No design can be recommended at 100 k rows. For 4,160,000 rows nothing is";
    assert!(text(&input).starts_with(none), "{}", text(&input));
}

#[test]
fn a_lead_that_is_less_than_twins_differ_by_is_not_given() {
    let mut input = fixture::events();
    input.noise.twins = Some(0.55);
    let full = text(&input);
    let begin = "Take local/columnar. That it is best, or within 5% of it, is settled.";
    assert!(full.starts_with(begin), "{full}");
    input.measured_rows = 100_000;
    input.rows = 100_000;
    input.no_forecast = Some("100,000 rows are too few".to_owned());
    let measured = text(&input);
    let begin =
        "Take local/columnar for now: it is best at 100 k rows, or within 5% of it (settled).";
    assert!(measured.starts_with(begin), "{measured}");
    for text in [full, measured] {
        let words: Vec<&str> = text.split_whitespace().collect();
        let told = "Runner-up: parquet?codec=zstd; twins differ by more than these two.";
        assert!(words.join(" ").contains(told), "{text}");
        assert!(!text.contains("the time."), "{text}");
    }
}

#[test]
fn nothing_is_cut_for_a_file() {
    let decision = Decision::of(&fixture::crowd());
    assert!(render(&decision, 100, false).contains('…'));
    let race = "Many words about it. ".repeat(40);
    let text = render_whole(&decision, Some(race.clone()), 100);
    assert!(!text.contains('…'), "{text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains(race.trim()), "{text}");
    // No question is summed up with others.
    for question in 10..60 {
        assert!(
            text.contains(&format!("very_long_indeed_{question} ")),
            "{question}"
        );
    }
}

#[test]
fn a_run_of_yardsticks_alone_says_why_there_is_no_choice() {
    let mut input = fixture::events();
    for design in &mut input.designs {
        design.status = Status::Yardstick;
    }
    let begin = "No design can be recommended: all are yardsticks, which store no rows, or not all of their columns.";
    for no_forecast in [None, Some("6 rows are too few".to_owned())] {
        input.no_forecast = no_forecast;
        let text = text(&input);
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").starts_with(begin), "{text}");
    }
}

#[test]
fn the_only_design_that_can_be_ranked_is_compared_with_none() {
    let mut input = fixture::events();
    let only = "local/columnar";
    input.designs.retain(|design| design.id == only);
    let at_full_scale = text(&input);
    let begin = format!("Take {only}, the only choice.");
    assert!(at_full_scale.starts_with(&begin), "{at_full_scale}");
    assert!(
        at_full_scale.contains("nothing is compared with it"),
        "{at_full_scale}"
    );
    for word in ["settled.", "Give up", "Runner-up", "resamples"] {
        assert!(!at_full_scale.contains(word), "{word}:\n{at_full_scale}");
    }

    input.no_forecast = Some("6 rows are too few".to_owned());
    (input.measured_rows, input.rows) = (6, 6);
    input.designs[0].storage = Some(Figure::exact(1e9));
    let of_few_rows = text(&input);
    let begin = format!("Take {only} for now: it is the only choice at 6 rows.");
    assert!(of_few_rows.starts_with(&begin), "{of_few_rows}");
    assert!(
        of_few_rows.contains("(in proportion to the rows) for"),
        "{of_few_rows}"
    );
}

#[test]
fn nothing_is_given_up_as_far_as_that_is_shown() {
    let mut input = fixture::events();
    input.rule.limits.clear();
    let two = ["local/columnar", "cassandra/columnar"];
    input.designs.retain(|d| two.contains(&d.id.as_str()));
    let cost = |id: &str| if id == two[0] { 1.0 } else { 2.0 };
    for design in &mut input.designs {
        let cost = cost(&design.id);
        design.storage = Some(Figure::exact(cost));
        design.load = Some(Figure::exact(1.0 / cost));
        for answer in &mut design.answers {
            answer.time = Timed::Seconds(Figure::exact(cost));
        }
    }
    let shown = text(&input);
    let everything = "\nGive up   Nothing: it is the best, or the same, in everything.\n";
    assert!(shown.contains(everything), "{shown}");

    for design in &mut input.designs {
        design.answers[3].time = Timed::Seconds(Figure::once(cost(&design.id)));
    }
    let not_shown = text(&input);
    let but_one = "\nGive up   Nothing that is shown: usa is not settled.\n";
    assert!(not_shown.contains(but_one), "{not_shown}");
}

#[test]
fn a_month_without_prices_and_one_that_is_not_known_are_told_apart() {
    let mut input = fixture::events();
    input.rule.minimise = Minimise::Month;
    let words = |input: &DecisionInput| {
        let text = text(input);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(words(&input).contains("No prices were given, so the cost of a month cannot decide."));
    input.no_month = Some("parquet: the CPU time of scan is not known".to_owned());
    let expected = "The cost of a month is not known for any design (parquet: the CPU time of scan";
    assert!(words(&input).contains(expected), "{}", words(&input));
}

#[test]
fn a_month_of_which_only_the_least_is_known_is_marked() {
    let mut input = fixture::events();
    input.price = fixture::crowd().price;
    for design in &mut input.designs {
        design.month = Some(Figure::once(1_851.0));
        design.is_month_least = true;
    }
    let text = text(&input);
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains("≥ 1,851 EUR a month"), "{text}");
}

#[test]
fn a_limit_on_a_quantile_is_shown_with_the_quantile() {
    let mut input = fixture::events();
    input.rule.limits[0].of = LimitOf::Question {
        index: 2,
        quantile: Some(0.8),
    };
    for design in &mut input.designs {
        design.answers[2].quantiles = vec![(0.8, Figure::once(0.041))];
    }
    let text = text(&input);
    assert!(text.contains("probably kept: p80 41.0 ms"), "{text}");
}

#[test]
fn where_no_question_counts_the_rule_says_so() {
    let mut input = fixture::nothing();
    for question in &mut input.questions {
        question.weight = 0.0;
    }
    let text = text(&input);
    let expected = "Rule      The shortest answers, but no question counts;";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn what_failed_elsewhere_is_said_after_the_confidence() {
    let mut input = fixture::events();
    input.designs[4].troubles = vec!["local/columnar#twin gave no right answer to usa".to_owned()];
    let text = text(&input);
    let begin = "Take local/columnar. This is likely, not settled.";
    assert!(text.starts_with(begin), "{text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    let doubt = "It keeps all limits. But local/columnar#twin gave no right answer to usa.";
    assert!(words.join(" ").contains(doubt), "{text}");
}

#[test]
fn what_was_dropped_for_a_design_that_failed_is_said_before_the_runner_up() {
    let mut input = fixture::events();
    input.designs[5].answers[3].time = Timed::Unknown("it was not measured".to_owned());
    input.dropped_in_vain = vec!["parquet?codec=zstd".to_owned()];
    let text = text(&input);
    let words: Vec<&str> = text.split_whitespace().collect();
    let doubt = "But parquet?codec=zstd was dropped for a design that failed later: measure it again. \
                 Runner-up:";
    assert!(words.join(" ").contains(doubt), "{text}");
    let begin = "Take local/columnar. This is likely, not settled.";
    assert!(text.starts_with(begin), "{text}");
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
        "parquet?codec=zstd if tone_by_actor is above",
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
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "albania decides nothing: every design that can be recommended fails at it";
    assert!(words.contains(said), "{text}");
    assert!(text.starts_with("Take local/columnar."), "{text}");
}

#[test]
fn a_limit_that_is_perhaps_kept_is_the_doubt_and_no_other_design() {
    let mut input = fixture::events();
    // It loads 187,000 rows a second, give or take 6%.
    input.rule.limits[1] = Limit {
        text: "load > 185k rows/s".to_owned(),
        of: LimitOf::Load,
        bound: 185_000.0,
    };
    let begin = "Take local/columnar if it keeps load > 185k rows/s. This is not settled.";
    let full = text(&input);
    assert!(full.starts_with(begin), "{full}");
    input.measured_rows = input.rows;
    input.no_forecast = Some("load all rows".to_owned());
    let measured = text(&input);
    let begin = "Take local/columnar for now if it keeps load > 185k rows/s: it is then best at 4.16 M rows (not";
    assert!(measured.starts_with(begin), "{measured}");
    for text in [full, measured] {
        assert!(!text.contains("would hardly separate"), "{text}");
        assert!(!text.contains("would show more"), "{text}");
    }
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
