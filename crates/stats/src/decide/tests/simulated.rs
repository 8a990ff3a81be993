//! Runs with a known truth, measured with noise and resampled by rounds.

use super::fixture::{Noisy, answer, design, input};
use crate::decide::{
    Certainty, Comparison, Contender, Decision, DecisionInput, Figure, Minimise, Objective,
};

const RESAMPLES: usize = 300;
const ROUNDS: usize = 12;

/// Designs whose true times are known, each measured in the same noisy rounds. The estimate is the
/// geometric mean, and resamples draw rounds, the same ones for all designs.
fn run(seed: u64, truth: &[(&str, [f64; 2])], own_noise: f64) -> DecisionInput {
    let mut noise = Noisy(seed);
    let draws: Vec<Vec<usize>> = (0..RESAMPLES)
        .map(|_| (0..ROUNDS).map(|_| noise.below(ROUNDS)).collect())
        .collect();
    let rounds: Vec<[f64; 2]> = (0..ROUNDS)
        .map(|_| [0.3 * noise.normal(), 0.3 * noise.normal()])
        .collect();
    let mut designs: Vec<Contender> = Vec::new();
    for (id, seconds) in truth {
        let mut contender = design(id, 1e9, 1e5, &[]);
        for question in 0..2 {
            let logarithms: Vec<f64> = rounds
                .iter()
                .map(|round| seconds[question].ln() + round[question] + own_noise * noise.normal())
                .collect();
            let mean = |rows: &[usize]| {
                let sum: f64 = rows.iter().map(|row| logarithms[*row]).sum();
                (sum / rows.len() as f64).exp()
            };
            let all: Vec<usize> = (0..ROUNDS).collect();
            let resamples = draws.iter().map(|rows| mean(rows)).collect();
            contender
                .answers
                .push(answer(Figure::resampled(mean(&all), resamples)));
        }
        designs.push(contender);
    }
    let mut input = input(Minimise::Time, &[("month", 1.0), ("usa", 1.0)], designs);
    input.rounds = ROUNDS as u32;
    input.measured_rows = input.rows;
    input
}

#[test]
fn a_clear_winner_is_settled_in_spite_of_noise_that_all_share() {
    let truth = [
        ("a", [0.010, 0.030]),
        ("b", [0.015, 0.045]),
        ("c", [0.1, 0.2]),
    ];
    for seed in 0..20 {
        let decision = Decision::of(&run(seed, &truth, 0.05));
        let recommendation = decision.recommendation.unwrap();
        assert_eq!(recommendation.design, "a", "{seed}");
        assert_eq!(recommendation.certainty, Certainty::Settled, "{seed}");
        assert!(recommendation.expected_loss.unwrap() < 0.01);
        assert_eq!(recommendation.runner_up.unwrap().design, "b");
        assert_eq!(recommendation.more, None);
    }
}

#[test]
fn what_is_settled_is_seldom_wrong() {
    let truth = [
        ("a", [0.010, 0.030]),
        ("b", [0.0108, 0.0324]),
        ("c", [0.011, 0.033]),
    ];
    let (mut settled, mut wrong) = (0, 0);
    for seed in 100..300 {
        let recommendation = Decision::of(&run(seed, &truth, 0.15))
            .recommendation
            .unwrap();
        if recommendation.certainty == Certainty::Settled {
            settled += 1;
            wrong += u32::from(recommendation.design != "a");
        }
    }
    assert!(settled > 10, "{settled}");
    assert!(
        f64::from(wrong) <= 0.1 * f64::from(settled),
        "{wrong} of {settled}"
    );
}

#[test]
fn noise_settles_little_and_more_rounds_are_proposed() {
    let truth = [("a", [0.010, 0.030]), ("b", [0.0103, 0.0309])];
    let (mut settled, mut proposed) = (0, 0);
    for seed in 0..40 {
        let recommendation = { Decision::of(&run(seed, &truth, 0.4)).recommendation }.unwrap();
        settled += u32::from(recommendation.certainty == Certainty::Settled);
        if let Some(more) = recommendation.more {
            proposed += 1;
            assert!(recommendation.certainty < Certainty::Settled);
            assert!(more.rounds > 0);
            assert_eq!(more.seconds, Some(2.0 * more.rounds as f64));
        }
    }
    assert!(settled <= 16 && proposed >= 20, "{settled}, {proposed}");
}

#[test]
fn rounds_are_no_advice_where_tables_differ_by_more() {
    let truth = [("a", [0.010, 0.030]), ("b", [0.0103, 0.0309])];
    for seed in 0..40 {
        let mut input = run(seed, &truth, 0.4);
        input.noise.tables = vec![Some(0.5); 2];
        let recommendation = Decision::of(&input).recommendation.unwrap();
        assert_eq!(recommendation.more, None, "{seed}");
    }
}

#[test]
fn equal_designs_are_the_same_and_the_smaller_one_is_taken() {
    let mut input = run(7, &[("a", [0.010, 0.030]), ("b", [0.010, 0.030])], 0.005);
    input.designs[0].storage = Some(Figure::exact(3e9));
    let recommendation = Decision::of(&input).recommendation.unwrap();
    assert_eq!(recommendation.design, "b");
    assert_eq!(recommendation.same, ["a"]);
    assert_eq!(recommendation.certainty, Certainty::Settled);
}

#[test]
fn a_difference_between_twins_is_seldom_claimed() {
    let mut claimed = 0;
    for seed in 0..200 {
        let decision = Decision::of(&run(seed, &[("a", [0.01, 0.03]), ("b", [0.01, 0.03])], 0.1));
        let ratios = decision.recommendation.unwrap().given_up;
        let worse = |ratio: &&crate::decide::Ratio| ratio.comparison == Comparison::Worse;
        claimed += u32::from(ratios.iter().filter(worse).count() > 0);
    }
    assert!(claimed <= 16, "{claimed}");
}

#[test]
fn intervals_of_ratios_hold_the_truth() {
    // Both have the same geometric mean.
    let truth = [("a", [0.010, 0.030]), ("b", [0.020, 0.015])];
    let mut held = 0;
    for seed in 0..200 {
        let decision = Decision::of(&run(seed, &truth, 0.1));
        let ratios = decision.designs.iter().flat_map(|design| &design.ratios);
        let of_the_other = ratios
            .filter(|ratio| ratio.objective == Objective::Time)
            .find(|ratio| ratio.comparison != Comparison::Itself);
        let (low, high) = of_the_other.unwrap().interval.unwrap();
        held += u32::from(low <= 1.0 && 1.0 <= high);
    }
    // 90% in the mean. Resampling twelve rounds takes some of it.
    assert!(held >= 156, "{held}");
}
