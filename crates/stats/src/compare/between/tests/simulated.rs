//! Shares of intervals that hold the truth, and of changes that are found, for simulated runs.

use super::*;

/// Pairs of runs whose second design is slower by 30% in B.
fn pairs(base: &Drawn, count: u64) -> impl Iterator<Item = Between> {
    (0..count).map(|seed| {
        let of = |seed, factor| Drawn {
            seed,
            factors: [1.0, factor],
            ..base.clone()
        };
        between(&of(2 * seed, 1.0), &of(2 * seed + 1, 1.3))
    })
}

fn holds(between: &Between) -> bool {
    between.changes.iter().all(|change| {
        let truth = if change.design == "a/y" { 1.3 } else { 1.0 };
        let (low, high) = change.interval.unwrap();
        low <= truth && truth <= high
    })
}

#[test]
fn all_intervals_hold_at_once_in_95_of_100_pairs_of_runs() {
    for (rounds, own, tables) in [
        (5, 0.1, 0.0),
        (9, 0.1, 0.05),
        (9, 0.02, 0.1),
        (15, 0.2, 0.0),
    ] {
        let base = Drawn {
            rounds,
            own,
            tables,
            ..DRAWN
        };
        let held = pairs(&base, 100).filter(holds).count();
        assert!(held >= 95, "{rounds} {own} {tables}: {held}");
    }
}

#[test]
fn a_slower_design_is_found_and_an_equal_one_is_the_same() {
    let quiet = Drawn {
        own: 0.005,
        ..DRAWN
    };
    for found in pairs(&quiet, 20) {
        for query in QUERIES {
            assert_eq!(found.change("a/y", query).unwrap().shown, Shown::Slower);
            assert_eq!(found.change("a/x", query).unwrap().shown, Shown::Same);
        }
    }
    let faster = between(
        &DRAWN,
        &Drawn {
            seed: 5,
            factors: [0.5, 1.0],
            ..DRAWN
        },
    );
    assert_eq!(faster.change("a/x", "scan").unwrap().shown, Shown::Faster);
    let loading = faster.changes.iter().find(|c| c.what == What::Loading);
    assert_eq!(loading.unwrap().shown, Shown::Faster);
}

#[test]
fn equal_runs_are_seldom_called_different() {
    let noisy = Drawn {
        own: 0.1,
        tables: 0.1,
        ..DRAWN
    };
    let claims = (0..100).filter(|seed| {
        let of = |seed| Drawn {
            seed,
            ..noisy.clone()
        };
        let found = between(&of(2 * seed), &of(2 * seed + 1));
        found.count(Shown::Slower) + found.count(Shown::Faster) > 0
    });
    assert!(claims.count() <= 5);
}

#[test]
fn bounds_of_the_gate_hold_by_themselves_in_95_of_100() {
    let base = Drawn {
        own: 0.1,
        tables: 0.05,
        ..DRAWN
    };
    let all: Vec<f64> = pairs(&base, 100)
        .filter_map(|between| between.change("a/x", "scan").unwrap().at_most)
        .collect();
    let above = all.iter().filter(|high| **high >= 1.0).count();
    assert!(above >= 95, "{above}");
    let narrower = pairs(&base, 20).all(|between| {
        let change = between.change("a/x", "scan").unwrap();
        change.at_most.unwrap() <= change.interval.unwrap().1
    });
    assert!(narrower);
}
