//! What further rounds would show.

use super::fixture::{answer, design, input};
use crate::decide::{
    Contender, Decision, DecisionInput, Figure, Minimise, Settling, TEN_MINUTES, is_settled,
};

/// Deviation of the logarithm of a time over resamples.
const DEVIATION: f64 = 0.1;

/// A leader at one second beside ten designs with this time, after five rounds.
fn five_rounds(seconds: f64) -> DecisionInput {
    let noisy = |id: &str, seconds: f64, deviation: f64| {
        let sides = [deviation.exp(), (-deviation).exp()];
        let resamples = sides.iter().cycle().take(400);
        let resamples = resamples.map(|factor| seconds * factor).collect();
        let answers = vec![answer(Figure::resampled(seconds, resamples))];
        Contender {
            answers,
            ..design(id, 1e9, 1e5, &[])
        }
    };
    let others = ('b'..='k').map(|id| noisy(&id.to_string(), seconds, DEVIATION));
    let designs = std::iter::once(noisy("a", 1.0, 0.0)).chain(others);
    let mut input = input(Minimise::Time, &[("month", 1.0)], designs.collect());
    (input.rounds, input.measured_rows) = (5, input.rows);
    input
}

#[test]
fn a_clear_lead_that_five_rounds_cannot_show_for_all_designs_takes_a_few_more() {
    let input = five_rounds(2.1);
    assert!(!is_settled(&input));
    let settling = Settling::within(&input, 40.0).unwrap();
    assert_eq!((settling.rounds, settling.settles.len()), (20, 10));
    assert!(settling.leaves.is_empty(), "{:?}", settling.leaves);
    for more in &settling.settles {
        assert!((1..=20).contains(&more.rounds), "{more:?}");
        assert_eq!(more.seconds, Some(2.0 * more.rounds as f64));
    }
}

#[test]
fn a_lead_within_the_tolerance_stays_open() {
    let settling = Settling::within(&five_rounds(1.04), 40.0).unwrap();
    assert!(settling.settles.is_empty(), "{:?}", settling.settles);
    assert_eq!(settling.leaves.len(), 10);
    // No round fits.
    let none = Settling::within(&five_rounds(2.1), 1.0).unwrap();
    assert_eq!((none.rounds, none.leaves.len()), (0, 10));
}

/// A leader at one second beside a design that takes this many times as long, with this deviation of the logarithm over
/// resamples, and with tables of one design that differ as much.
fn beside(times: f64, deviation: f64, tables: f64) -> DecisionInput {
    let mut input = five_rounds(times);
    input.designs.truncate(2);
    let sides = [deviation.exp(), (-deviation).exp()];
    let resamples = { sides.iter().cycle().take(400) }.map(|factor| times * factor);
    input.designs[1].answers = vec![answer(Figure::resampled(times, resamples.collect()))];
    input.noise.tables = vec![Some(tables)];
    input
}

#[test]
fn all_that_is_said_of_more_rounds_is_the_same() {
    let (mut some, mut none) = (0, 0);
    for times in [1.0, 1.02, 1.06, 1.2, 1.49, 2.1] {
        for deviation in [0.02, 0.1, 0.25, 0.55, 1.5] {
            for (tables, seconds) in [0.0, 0.02, 0.1, 0.5]
                .into_iter()
                .flat_map(|tables| [0.01, 2.0, 100.0].map(|seconds| (tables, seconds)))
            {
                let mut input = beside(times, deviation, tables);
                input.seconds_a_round = Some(seconds);
                let of = format!("{times} {deviation} {tables} {seconds}");
                let recommendation = Decision::of(&input).recommendation.unwrap();
                if recommendation.confidence.unwrap() >= 0.95 {
                    assert_eq!(recommendation.more, None, "{of}");
                    continue;
                }
                let other = recommendation.runner_up.unwrap().design;
                let ten = Settling::within(&input, TEN_MINUTES).unwrap();
                let settles = ten.settles.iter().find(|more| more.against == other);
                match &recommendation.more {
                    Some(more) if more.rounds <= ten.rounds => {
                        some += 1;
                        assert!(!ten.leaves.contains(&other), "{of}");
                        assert!(settles.is_none_or(|settles| settles == more), "{of}");
                    }
                    Some(_) => assert_eq!(settles, None, "{of}"),
                    None => {
                        none += 1;
                        assert_eq!(settles, None, "{of}");
                    }
                }
            }
        }
    }
    assert!(some > 0 && none > 0, "{some} {none}");
}

#[test]
fn fewer_rounds_than_show_a_difference_are_no_advice() {
    // One of ten resamples says that the other design is better.
    let logarithms = [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, -0.06_f64];
    let resamples = logarithms.iter().cycle().take(400);
    let resamples = resamples.map(|ln| ln.exp()).collect();
    let mut input = beside(1.3, 0.0, 0.0);
    input.designs[1].answers = vec![answer(Figure::resampled(1.3, resamples))];
    for rounds in 1..=4 {
        input.rounds = rounds;
        let more = Decision::of(&input).recommendation.unwrap().more.unwrap();
        let all = u64::from(rounds) + more.rounds;
        assert!(all >= 5, "{rounds}: {more:?}");
        assert_eq!(more.seconds, Some(2.0 * more.rounds as f64));
    }
}
