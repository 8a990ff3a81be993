//! Two sweeps are compared by the highest rates of their designs.

use super::super::{Between, Caution, FailIf, Failing, Measured, Obstacle, Shown, Value, Worse};
use crate::sweep::testing::{cell, header, shard};
use crate::sweep::{Cell, SweepHeader, SweepRecord, SweepSummary};

/// A sweep with so many rows a second of one worker, twice as many of 8, and as many of 64, in so many rounds.
fn summary(header: &SweepHeader, rows: u64, rounds: u32) -> SweepSummary {
    let mut records = Vec::new();
    for round in 1..=rounds {
        // Rounds differ by some thousandths.
        let rows = rows + u64::from(round % 3) * rows / 500;
        for (workers, times, p99) in [(1, 1, 0.01), (8, 2, 0.03), (64, 2, 0.3)] {
            records.push(SweepRecord::Cell(Cell {
                round,
                ..cell(100, workers, rows * times, p99)
            }));
        }
    }
    SweepSummary::new(header, &records)
}

fn sweep(rows: u64, rounds: u32) -> Measured {
    Measured::of_sweep("sweep", &summary(&header(), rows, rounds))
}

#[test]
fn highest_rates_are_compared_with_allowance_for_the_choice_of_the_setting() {
    let found = Between::of_measured(&sweep(1_000, 9), &sweep(700, 9), None);
    assert_eq!(found.changes.len(), 1, "{:?}", found.changes);
    assert_eq!(found.changes[0].shown, Shown::Slower);
    let lower = FailIf {
        worse: Worse::RateLower,
        limit: 0.1,
    };
    assert!(matches!(found.fail_if(&[lower]), Failing::Worse { .. }));
    let Failing::NotComparable { why } = found.fail_if(&[FailIf {
        worse: Worse::Slower,
        limit: 0.1,
    }]) else {
        panic!("{found:?}");
    };
    assert_eq!(why, ["there are no times that both have"]);
    let (low, high) = found.changes[0].interval.unwrap();
    // With one setting there is nothing to choose.
    let mut single = [sweep(1_000, 9), sweep(700, 9)];
    for sweep in &mut single {
        for figure in sweep.designs.iter_mut().flat_map(|d| &mut d.figures) {
            figure.chosen_from = 1;
        }
    }
    let single = Between::of_measured(&single[0], &single[1], None);
    let (from, to) = single.changes[0].interval.unwrap();
    assert!(low < from && to < high);
}

#[test]
fn the_knee_and_times_at_equal_rates_are_shown() {
    let found = Between::of_measured(&sweep(1_000, 9), &sweep(700, 9), None);
    let counted = |what: &str| {
        let found = found.counted.iter().find(|c| c.what == what);
        found.map(|c| (c.a, c.b))
    };
    let at = |workers| {
        Some(Value::Setting {
            batch_rows: 100,
            workers,
        })
    };
    assert_eq!(counted("setting of the knee"), Some((at(8), at(8))));
    let (a, b) = counted("p99 at 1,402 rows/s, batches of 100").unwrap();
    let (Some(Value::Seconds(a)), Some(Value::Seconds(b))) = (a, b) else {
        panic!("{a:?} {b:?}");
    };
    assert!(a < b, "{a} {b}");
}

#[test]
fn other_data_rule_a_comparison_out_and_other_options_are_told() {
    let other = SweepHeader {
        data: "generator x".to_owned(),
        ..header()
    };
    let found = Between::of_measured(
        &sweep(1_000, 9),
        &Measured::of_sweep("other", &summary(&other, 1_000, 9)),
        None,
    );
    assert!(matches!(found.obstacles[..], [Obstacle::Data { .. }]));
    let other = SweepHeader {
        seconds: 5.0,
        ..shard(0, 2)
    };
    let found = Between::of_measured(
        &sweep(1_000, 9),
        &Measured::of_sweep("other", &summary(&other, 1_000, 9)),
        None,
    );
    let told: Vec<String> = found.cautions.iter().map(ToString::to_string).collect();
    assert!(matches!(found.cautions[..], [.., Caution::Other { .. }]));
    for expected in [
        "seconds: A has 1, B 5",
        "cluster: A has none, B cass-0",
        "shards: A has 1, B 2",
    ] {
        assert!(told.contains(&expected.to_owned()), "{told:?}");
    }
}
