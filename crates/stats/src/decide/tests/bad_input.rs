//! Inputs with too little or with something wrong in them.

use super::fixture::{answer, design, input};
use crate::decide::{
    AnswerClass, Cell, Certainty, Contender, Decision, DecisionInput, Doubt, Fallback, Figure,
    ForecastsHeld, Limit, LimitOf, LimitState, Minimise, Status, Timed, WhyLeftOut, WhyOut,
};

fn two_designs() -> DecisionInput {
    let designs = vec![
        design("a", 1e9, 1e5, &[0.010, 0.030]),
        design("b", 2e9, 2e5, &[0.020, 0.060]),
    ];
    input(Minimise::Time, &[("month", 1.0), ("usa", 1.0)], designs)
}

fn recommended(input: &DecisionInput) -> String {
    Decision::of(input).recommendation.unwrap().design
}

fn failed(reason: &str) -> Timed {
    Timed::Failed(reason.to_owned())
}

#[test]
fn nothing_at_all_recommends_nothing() {
    let nothing = input(Minimise::Time, &[], Vec::new());
    let decision = Decision::of(&nothing);
    assert_eq!(decision.recommendation, None);
    assert!(decision.front.is_empty() && decision.flips.is_empty());
}

#[test]
fn one_observation_is_recommended_but_never_settled() {
    let mut input = two_designs();
    for design in &mut input.designs {
        design.answers[0] = answer(Figure::once(0.01));
    }
    let recommendation = Decision::of(&input).recommendation.unwrap();
    assert_eq!(recommendation.design, "a");
    assert_eq!(recommendation.certainty, Certainty::NotSettled);
    assert_eq!(recommendation.confidence, None);
    assert_eq!(recommendation.doubts, [Doubt::ErrorNotKnown]);
    assert!(
        recommendation
            .given_up
            .iter()
            .any(|ratio| ratio.interval.is_none())
    );
}

#[test]
fn few_rounds_settle_nothing_that_is_timed() {
    let mut input = two_designs();
    input.rounds = 4;
    let recommendation = Decision::of(&input).recommendation.unwrap();
    assert_eq!(recommendation.certainty, Certainty::NotSettled);
    assert_eq!(recommendation.doubts, [Doubt::FewRounds(4)]);
    input.rule.minimise = Minimise::Storage;
    let recommendation = Decision::of(&input).recommendation.unwrap();
    assert_eq!(recommendation.certainty, Certainty::Settled);
}

#[test]
fn twins_are_not_missed_where_rounds_are_too_few_to_compare_them() {
    let designs = vec![
        design("a", 1e9, 1e5, &[0.010]),
        design("b", 1e9, 1e5, &[0.011]),
    ];
    let mut near = input(Minimise::Time, &[("month", 1.0)], designs);
    near.noise.twins = None;
    let doubts = |input: &DecisionInput| Decision::of(input).recommendation.unwrap().doubts;
    assert_eq!(doubts(&near), [Doubt::NoTwins]);
    near.rounds = 4;
    assert_eq!(doubts(&near), [Doubt::FewRounds(4)]);
}

#[test]
fn all_equal_is_decided_by_the_id() {
    let same = |id: &str| design(id, 1e9, 1e5, &[0.01, 0.01]);
    let designs = vec![same("c"), same("a"), same("b")];
    let input = input(Minimise::Time, &[("month", 1.0), ("usa", 1.0)], designs);
    let recommendation = Decision::of(&input).recommendation.unwrap();
    assert_eq!(recommendation.design, "a");
    assert_eq!(recommendation.same, ["b", "c"]);
}

#[test]
fn times_of_nothing_and_no_numbers_do_not_spread() {
    let mut input = two_designs();
    input.designs[0].answers[0] = answer(Figure::exact(0.0));
    let decision = Decision::of(&input);
    assert_eq!(decision.recommendation.as_ref().unwrap().design, "a");
    let json = serde_json::to_string(&decision).unwrap();
    assert!(!json.contains("null,null"), "{json}");
    for no_number in [f64::NAN, f64::INFINITY, -1.0] {
        input.designs[0].answers[0] = answer(Figure::exact(no_number));
        let decision = Decision::of(&input);
        assert_eq!(decision.recommendation.unwrap().design, "b");
        let why = WhyOut::NotRanked("month: its times are not numbers".to_owned());
        assert_eq!(decision.designs[0].out, Some(why));
    }
}

#[test]
fn a_design_that_failed_or_answered_wrongly_is_excluded() {
    let mut input = two_designs();
    input.designs[0].status = Status::Failed("the server ended".to_owned());
    let decision = Decision::of(&input);
    assert_eq!(decision.recommendation.unwrap().design, "b");
    assert_eq!(
        decision.designs[0].out,
        Some(WhyOut::Failed("the server ended".to_owned()))
    );

    let mut input = two_designs();
    input.designs[0].answers[1].time = failed("wrong in 4 of 7 rounds");
    let decision = Decision::of(&input);
    assert_eq!(decision.recommendation.unwrap().design, "b");
    let why = WhyOut::FailedQuestion {
        question: 1,
        reason: "wrong in 4 of 7 rounds".to_owned(),
    };
    assert_eq!(decision.designs[0].out, Some(why));
}

#[test]
fn a_question_that_fails_everywhere_leaves_the_verdict() {
    let mut input = two_designs();
    for design in &mut input.designs {
        design.answers[1].time = failed("approximate answers differ");
    }
    let decision = Decision::of(&input);
    assert_eq!(decision.recommendation.as_ref().unwrap().design, "a");
    let why = WhyLeftOut::FailsEverywhere("approximate answers differ".to_owned());
    assert_eq!(decision.questions[1].left_out, Some(why));
    assert_eq!(
        (decision.questions[0].share, decision.questions[1].share),
        (1.0, 0.0)
    );
}

#[test]
fn a_question_that_the_only_design_fails_is_the_designs_fault() {
    let mut input = two_designs();
    input.designs.truncate(1);
    input.designs[0].answers[1].time = failed("time-out");
    let decision = Decision::of(&input);
    assert_eq!(decision.recommendation, None);
    assert!(matches!(
        decision.designs[0].out,
        Some(WhyOut::FailedQuestion { .. })
    ));
}

#[test]
fn lost_rows_exclude_a_design_and_a_yardstick_is_none() {
    let mut input = two_designs();
    input.designs[0].rows_lost = 1_091;
    input.designs[0].keeps_rows_if = Some("add a column".to_owned());
    input.designs.push(Contender {
        status: Status::Yardstick,
        ..design("in-memory", 1.0, 1e9, &[0.001, 0.001])
    });
    let decision = Decision::of(&input);
    assert_eq!(decision.recommendation.unwrap().design, "b");
    let why = WhyOut::RowsLost {
        rows: 1_091,
        keeps_rows_if: Some("add a column".to_owned()),
    };
    assert_eq!(decision.designs[0].out, Some(why));
    assert_eq!(decision.designs[2].out, Some(WhyOut::Yardstick));
}

#[test]
fn answers_from_metadata_and_empty_ones_win_nothing() {
    let mut input = two_designs();
    // By this question alone, b would win.
    input.designs[1].answers[0] = answer(Figure::exact(1e-6));
    input.designs[1].answers[0].class = AnswerClass::FromMetadata;
    let decision = Decision::of(&input);
    assert_eq!(decision.recommendation.as_ref().unwrap().design, "a");
    let why = WhyLeftOut::FromMetadata(vec!["b".to_owned()]);
    assert_eq!(decision.questions[0].left_out, Some(why));
    let times_best = |design: usize| match &decision.designs[design].cells[0] {
        Cell::Time { times_best, .. } => *times_best,
        other => panic!("{other:?}"),
    };
    assert_eq!((times_best(0), times_best(1)), (None, None));

    for design in &mut input.designs {
        design.answers[0].class = AnswerClass::AlwaysEmpty;
    }
    let decision = Decision::of(&input);
    assert_eq!(
        decision.questions[0].left_out,
        Some(WhyLeftOut::AlwaysEmpty)
    );
}

#[test]
fn where_no_question_counts_storage_decides() {
    let mut input = two_designs();
    for answer in input
        .designs
        .iter_mut()
        .flat_map(|design| &mut design.answers)
    {
        answer.class = AnswerClass::FromMetadata;
    }
    let decision = Decision::of(&input);
    let expected = Fallback {
        wanted: Minimise::Time,
        instead: Minimise::Storage,
    };
    assert_eq!(decision.fallback, Some(expected));
    let recommendation = decision.recommendation.unwrap();
    assert_eq!(recommendation.design, "a");
    assert_eq!(recommendation.certainty, Certainty::NotSettled);
    assert_eq!(recommendation.doubts, [Doubt::NotByTheRule]);
}

#[test]
fn without_prices_the_cost_of_a_month_gives_way_to_time() {
    let mut input = two_designs();
    input.rule.minimise = Minimise::Month;
    let decision = Decision::of(&input);
    assert_eq!(decision.minimised(), Minimise::Time);
    let recommendation = decision.recommendation.unwrap();
    assert_eq!(recommendation.design, "a");
    assert_eq!(recommendation.certainty, Certainty::Settled);
    for (design, month) in input.designs.iter_mut().zip([500.0, 400.0]) {
        design.month = Some(Figure::exact(month));
    }
    assert_eq!(Decision::of(&input).fallback, None);
    assert_eq!(recommended(&input), "b");
}

#[test]
fn a_forecast_that_was_refused_is_not_ranked_and_takes_certainty_away() {
    let mut input = two_designs();
    input.designs.push(design("c", 1e9, 1e5, &[0.001, 0.001]));
    input.designs[2].answers[0].time = Timed::Unknown("needs 3,000,000 rows".to_owned());
    let decision = Decision::of(&input);
    let recommendation = decision.recommendation.unwrap();
    assert_eq!(recommendation.design, "a");
    assert_eq!(recommendation.certainty, Certainty::Likely);
    assert_eq!(
        recommendation.doubts,
        [Doubt::NotRanked(vec!["c".to_owned()])]
    );
    let why = WhyOut::NotRanked("month: needs 3,000,000 rows".to_owned());
    assert_eq!(decision.designs[2].out, Some(why));
}

#[test]
fn a_forecast_that_was_refused_for_all_leaves_the_question_out() {
    let mut input = two_designs();
    for design in &mut input.designs {
        design.answers[0].time = Timed::Unknown("too few rows".to_owned());
    }
    let decision = Decision::of(&input);
    let why = WhyLeftOut::Unknown("too few rows".to_owned());
    assert_eq!(decision.questions[0].left_out, Some(why));
    assert_eq!(decision.recommendation.unwrap().design, "a");
}

fn limit(of: LimitOf, bound: f64) -> Limit {
    Limit {
        text: "a limit".to_owned(),
        of,
        bound,
    }
}

#[test]
fn a_limit_excludes_the_best_design() {
    let mut input = two_designs();
    input.rule.limits = vec![limit(LimitOf::Load, 150_000.0)];
    let decision = Decision::of(&input);
    let recommendation = decision.recommendation.unwrap();
    assert_eq!(recommendation.design, "b");
    assert_eq!(recommendation.limits, [LimitState::Kept]);
    assert!(!recommendation.is_nearest_to_limits);
    assert_eq!(decision.designs[0].limits, [LimitState::Broken(1.5)]);
    assert!(decision.flips.is_empty(), "{:?}", decision.flips);
}

#[test]
fn limits_that_nothing_keeps_choose_the_nearest() {
    let mut input = two_designs();
    let of_month = LimitOf::Question {
        index: 0,
        quantile: None,
    };
    input.rule.limits = vec![limit(LimitOf::Load, 300_000.0), limit(of_month, 0.019)];
    // a breaks them by 3 and not at all, b by 1.5 and 1.05.
    let recommendation = Decision::of(&input).recommendation.unwrap();
    assert_eq!(recommendation.design, "b");
    assert!(recommendation.is_nearest_to_limits);
    assert!(matches!(recommendation.limits[0], LimitState::Broken(by) if by == 1.5));
}

#[test]
fn a_limit_on_a_quantile_that_was_not_measured_is_not_known() {
    let mut input = two_designs();
    let p99 = LimitOf::Question {
        index: 0,
        quantile: Some(0.99),
    };
    input.rule.limits = vec![limit(p99, 0.05)];
    let recommendation = Decision::of(&input).recommendation.unwrap();
    assert_eq!(recommendation.limits, [LimitState::NotKnown]);
    assert_eq!(recommendation.certainty, Certainty::Likely);
    input.designs[0].answers[0].quantiles = vec![(0.99, Figure::exact(0.06))];
    assert_eq!(recommended(&input), "b");
}

#[test]
fn missing_answers_and_questions_without_weight_do_not_panic() {
    let mut input = two_designs();
    input.designs[1].answers.truncate(1);
    assert_eq!(recommended(&input), "a");
    for question in &mut input.questions {
        question.weight = 0.0;
    }
    let decision = Decision::of(&input);
    assert_eq!(decision.questions[0].left_out, Some(WhyLeftOut::NoWeight));
    assert_eq!(decision.minimised(), Minimise::Storage);
}

#[test]
fn a_baseline_that_did_not_take_part_is_compared_with_nothing() {
    let mut input = two_designs();
    input.rule.baseline = Some("z".to_owned());
    assert!(
        Decision::of(&input)
            .recommendation
            .unwrap()
            .to_baseline
            .is_empty()
    );
    input.rule.baseline = Some("b".to_owned());
    let ratios = Decision::of(&input).recommendation.unwrap().to_baseline;
    assert_eq!(ratios[0].times, 0.5);
}

#[test]
fn nothing_is_settled_by_forecasts_of_which_too_few_held() {
    let mut input = two_designs();
    let mut certainty = |held, checked| {
        input.forecasts = Some(ForecastsHeld { held, checked });
        let recommendation = Decision::of(&input).recommendation.unwrap();
        (recommendation.certainty, recommendation.doubts)
    };
    let missed = vec![Doubt::ForecastsMissed];
    assert_eq!(certainty(6, 9), (Certainty::Likely, missed));
    assert_eq!(certainty(8, 9), (Certainty::Settled, Vec::new()));
    // Two of four say nothing.
    assert_eq!(certainty(2, 4), (Certainty::Settled, Vec::new()));
}
