//! Runs with a known truth, measured with noise.

use super::{Ladder, ROWS, near};
use crate::compare::summary::HeldOut;
use crate::random::SplitMix64;

const RUNS: u64 = 40;

/// True seconds by rows.
type Truth = fn(f64) -> f64;

const TRUTHS: [Truth; 8] = [
    |_| 0.003,
    |n| 0.0004 * n.ln(),
    |n| 0.002 + 3e-8 * n,
    |n| 0.001 + 2e-7 * n,
    |n| 4e-7 * n,
    |n| 0.003 + 1e-9 * n * n.ln(),
    |n| 2e-8 * n * n.ln(),
    |n| 0.001 + 0.00005 * n.ln() + 1e-8 * n,
];

/// Truths that no shape of the fit has, some with a bend.
const OTHERS: [Truth; 6] = [
    |n| 1e-6 * n.powf(0.7),
    |n| 0.001 + 1e-5 * n.sqrt(),
    |n| 1e-6 * n.powf(0.9),
    |n| 0.003 + 2e-8 * (n - 40_000.0).max(0.0),
    |n| 1e-7 * n / (1.0 + 60_000.0 / n),
    |n| 0.002 * (1.0 + 0.8 * (-n / 50_000.0).exp()) + 3e-9 * n,
];

/// Noise of the logarithm of a time.
#[derive(Clone, Copy)]
struct Noise {
    round: f64,
    own: f64,
    /// Share of answers that take four times as long.
    stalls: f64,
    table: f64,
}

const QUIET: Noise = Noise {
    round: 0.1,
    own: 0.05,
    stalls: 0.0,
    table: 0.02,
};
const STALLING: Noise = Noise {
    stalls: 0.08,
    own: 0.1,
    ..QUIET
};

/// Run in which both designs answer both queries, with a truth drawn for each, and their twins.
fn simulated(
    random: &mut SplitMix64,
    noise: Noise,
    truths_to_draw: &[Truth],
) -> (Ladder, Vec<(String, String, Truth)>) {
    let mut ladder = Ladder::of(&ROWS);
    let rounds: Vec<f64> = (0..7).map(|_| noise.round * random.normal()).collect();
    let mut truths = Vec::new();
    for (design, query) in [
        ("a/x", "scan"),
        ("a/x", "key"),
        ("a/y", "scan"),
        ("a/y", "key"),
    ] {
        let truth = truths_to_draw[random.below(truths_to_draw.len())];
        truths.push((design.to_owned(), query.to_owned(), truth));
        let tables = ROWS.map(|rows| (ladder.table(design, rows), rows));
        let twin = (format!("{design}#twin"), ROWS[4]);
        for (table, rows) in tables.into_iter().chain([twin]) {
            let of_table = noise.table * random.normal();
            for (round, common) in rounds.iter().enumerate() {
                let stall = if random.uniform() < noise.stalls {
                    4.0
                } else {
                    1.0
                };
                let ln = common + of_table + noise.own * random.normal();
                let seconds = truth(rows as f64) * ln.exp() * stall;
                ladder.answer(&table, query, round as u32, seconds, None);
            }
        }
    }
    (ladder, truths)
}

/// How good the forecasts of some runs are at a multiple of their rows.
struct Score {
    /// Share of the pairs that have a forecast.
    known: f64,
    /// Share of the intervals that hold the truth, and of those that hold the largest scale.
    held: f64,
    covered: f64,
    /// Median of the errors.
    error: f64,
}

fn score(noise: Noise, truths: &[Truth], times: u64) -> Score {
    let (mut held, mut covered, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..RUNS {
        let (mut ladder, truths) = simulated(&mut SplitMix64::new(seed), noise, truths);
        ladder.full_rows = times * ROWS[4];
        let forecast = ladder.forecast();
        for (design, query, truth) in truths {
            let time = forecast.design(&design).unwrap().time(&query).unwrap();
            covered.extend(time.held_out.as_ref().map(HeldOut::is_covered));
            if let Some(known) = time.known() {
                let truth = truth(ladder.full_rows as f64);
                held.push((known.interval.0..=known.interval.1).contains(&truth));
                errors.push((known.seconds / truth).ln().abs());
            }
        }
    }
    errors.sort_by(f64::total_cmp);
    Score {
        known: held.len() as f64 / covered.len() as f64,
        held: share(&held),
        covered: share(&covered),
        error: errors[errors.len() / 2],
    }
}

fn share(of: &[bool]) -> f64 {
    of.iter().filter(|is| **is).count() as f64 / of.len() as f64
}

#[test]
fn intervals_hold_the_truth_about_as_often_as_they_say() {
    for (noise, truths, times, most) in [
        (QUIET, &TRUTHS[..], 4, 0.06),
        (QUIET, &TRUTHS, 16, 0.08),
        (STALLING, &TRUTHS, 4, 0.08),
        (STALLING, &TRUTHS, 16, 0.12),
        (QUIET, &OTHERS, 4, 0.45),
    ] {
        let Score {
            known,
            held,
            covered,
            error,
        } = score(noise, truths, times);
        assert!((0.8..=0.98).contains(&held), "{times}: {held}");
        assert!((0.8..=0.98).contains(&covered), "{times}: {covered}");
        assert!(error < most, "{times}: {error}");
        assert!(known > 0.5, "{times}: {known}");
    }
}

#[test]
fn where_no_shape_fits_most_forecasts_from_afar_are_refused() {
    assert!(score(QUIET, &OTHERS, 16).known < 0.4);
}

#[test]
fn the_error_of_tables_comes_from_twins() {
    let mut random = SplitMix64::new(1);
    let noise = Noise {
        table: 0.2,
        own: 0.02,
        ..QUIET
    };
    let squares: Vec<f64> = (0..60)
        .map(|_| {
            let (ladder, _) = simulated(&mut random, noise, &TRUTHS);
            super::super::twins::deviation(&ladder.summary()).powi(2)
        })
        .collect();
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    near(mean.sqrt(), 0.2, 0.15);
}
