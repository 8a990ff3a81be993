//! What a race says of further rounds, beside what its decision does.

use bakeoff_stats::decide::{
    Answer, AnswerClass, Contender, Decision, DecisionInput, Figure, Minimise, Noise, Question,
    Rule, Settling, Status, TEN_MINUTES, Timed,
};

use super::settling;
use crate::decide::words;

/// A design whose only question takes these seconds, with this deviation of the logarithm over resamples.
fn design(id: &str, seconds: f64, deviation: f64) -> Contender {
    let sides = [deviation.exp(), (-deviation).exp()];
    let resamples = { sides.iter().cycle().take(200) }.map(|factor| seconds * factor);
    let time = Figure::resampled(seconds, resamples.collect());
    Contender {
        id: id.to_owned(),
        status: Status::Right,
        rows_lost: 0,
        keeps_rows_if: None,
        storage: Some(Figure::exact(1e9)),
        settled: None,
        load: None,
        month: None,
        is_month_least: false,
        troubles: Vec::new(),
        answers: vec![Answer {
            class: AnswerClass::Scan,
            time: Timed::Seconds(time),
            was_right: true,
            measured: None,
            quantiles: Vec::new(),
            basis: String::new(),
        }],
    }
}

/// Five rounds of two designs, of which the second one takes this many times as long.
fn input(times: f64, deviation: f64, tables: f64) -> DecisionInput {
    DecisionInput {
        rule: Rule {
            is_stated: true,
            minimise: Minimise::Time,
            has_weights: false,
            limits: Vec::new(),
            same_within: 0.05,
            baseline: None,
        },
        rows: 30_000,
        full_rows: 30_000,
        measured_rows: 30_000,
        copies: 1,
        questions: vec![Question {
            name: "month".to_owned(),
            weight: 1.0,
            asked_of: None,
        }],
        designs: vec![design("a", 1.0, 0.0), design("b", times, deviation)],
        price: None,
        rounds: 5,
        seconds_a_round: Some(2.0),
        noise: Noise {
            twins: Some(0.01),
            tables: vec![Some(tables)],
            ..Noise::default()
        },
        known_rows: None,
        no_forecast: None,
        no_month: None,
        dropped_in_vain: Vec::new(),
        forecasts: None,
        not_measured: Vec::new(),
    }
}

#[test]
fn advice_to_measure_longer_and_advice_not_to_exclude_each_other() {
    let (mut helps, mut does_not) = (0, 0);
    let all = [1.0, 1.02, 1.06, 1.2, 1.49, 2.1]
        .into_iter()
        .flat_map(|times| [0.02, 0.1, 0.25, 0.55, 1.5].map(|deviation| (times, deviation)));
    for (times, deviation) in all {
        for (tables, seconds) in [
            (0.0, 2.0),
            (0.0, 0.01),
            (0.1, 0.01),
            (0.1, 100.0),
            (0.5, 2.0),
        ] {
            for no_forecast in [None, Some("30,000 rows are too few".to_owned())] {
                let mut input = input(times, deviation, tables);
                input.seconds_a_round = Some(seconds);
                if no_forecast.is_some() {
                    input.full_rows = 1_000_000;
                }
                input.no_forecast = no_forecast;
                let certainty = words::certainty(&Decision::of(&input)).unwrap();
                let race = settling(&Settling::within(&input, TEN_MINUTES).unwrap(), false);
                let both = format!("{certainty} {race}");
                let would = both.contains("would separate it from")
                    || both.contains("would tell the leading one from");
                let would_not = both.contains("would hardly separate it from");
                assert!(!(would && would_not), "{both}");
                assert!(!both.contains("separate them"), "{both}");
                helps += usize::from(would);
                does_not += usize::from(would_not);
            }
        }
    }
    assert!(helps > 0 && does_not > 0, "{helps} {does_not}");
}
