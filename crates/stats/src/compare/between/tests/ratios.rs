//! The ratio of a change is that of the figures beside it, and says what its interval says.

use super::loads::a_load;
use super::*;

/// Rounds with these seconds each.
fn rounds(seconds: &[f64]) -> Vec<(u32, f64)> {
    (1..).zip(seconds.iter().copied()).collect()
}

/// Compares two loads of which all figures have these seconds in their rounds.
fn of_rounds(a: &[f64], b: &[f64]) -> Between {
    let with = |seconds: &[f64]| {
        let mut measured = a_load();
        for figure in measured.designs.iter_mut().flat_map(|d| &mut d.figures) {
            figure.rounds = rounds(seconds);
        }
        measured
    };
    Between::of_measured(&with(a), &with(b), None)
}

/// Checks all changes: the ratio is B divided by A and in its interval, and nothing is called slower or faster whose
/// interval has 1 in it.
fn check(found: &Between) {
    assert!(!found.changes.is_empty());
    for change in &found.changes {
        let quotient = change.b / change.a;
        assert!((change.ratio / quotient - 1.0).abs() < 1e-9, "{change:?}");
        let (ratio, interval) = change.shown_ratio();
        let shown = if change.what.is_rate() {
            change.b.recip() / change.a.recip()
        } else {
            quotient
        };
        assert!((ratio / shown - 1.0).abs() < 1e-9, "{change:?}");
        let Some((low, high)) = interval else {
            assert_eq!(change.shown, Shown::CannotTell, "{change:?}");
            continue;
        };
        assert!(low <= ratio && ratio <= high, "{change:?}");
        if matches!(change.shown, Shown::Slower | Shown::Faster) {
            assert!(high < 1.0 || low > 1.0, "{change:?}");
        }
        let is_slower = if change.what.is_rate() {
            high < 1.0
        } else {
            low > 1.0
        };
        assert!(is_slower || change.shown != Shown::Slower, "{change:?}");
    }
}

#[test]
fn rounds_whose_medians_and_differences_disagree_have_one_ratio() {
    // The medians are 1.0 and 1.5, although the median of the differences of two rounds is none.
    let (a, b) = (
        [1.0, 1.0, 1.0, 1.0, 1.5, 1.5, 1.5],
        [1.0, 1.0, 1.0, 1.5, 1.5, 1.5, 1.5],
    );
    let found = of_rounds(&a, &b);
    check(&found);
    let change = &found.changes[0];
    assert!((change.ratio - 1.0).abs() < 1e-9, "{change:?}");
    assert!((change.a - 1.5_f64.sqrt()).abs() < 1e-9, "{change:?}");
    assert_eq!(change.shown, Shown::CannotTell);
}

#[test]
fn a_rate_has_the_ratio_of_rates_and_a_time_that_of_times() {
    let found = of_rounds(&[1.0; 7], &[2.0; 7]);
    check(&found);
    let ratio = |what: What| {
        let change = found.changes.iter().find(|change| change.what == what);
        let change = change.unwrap();
        assert_eq!(change.shown, Shown::Slower);
        change.shown_ratio()
    };
    let close = |one: f64, other: f64| assert!((one - other).abs() < 1e-9, "{one} {other}");
    let (rate, interval) = ratio(What::Rate("operations".to_owned()));
    close(rate, 0.5);
    close(interval.unwrap().0, 0.5);
    close(ratio(What::Time("read p99".to_owned())).0, 2.0);
}

#[test]
fn runs_and_loads_with_few_rounds_or_uneven_ones_contradict_nothing() {
    for seed in 0..20 {
        let noisy = |seed, factor| Drawn {
            seed,
            factors: [1.0, factor],
            own: 0.1,
            ..DRAWN
        };
        check(&between(&noisy(2 * seed, 1.0), &noisy(2 * seed + 1, 1.4)));
        let mut random = SplitMix64::new(seed);
        let mut drawn = |rounds: usize, factor: f64| -> Vec<f64> {
            let seconds = (0..rounds).map(|_| factor * (0.2 * random.normal()).exp());
            seconds.collect()
        };
        let (a, b) = (drawn(7, 1.0), drawn(9, 1.6));
        check(&of_rounds(&a, &b));
        let few = drawn(3, 1.0);
        check(&of_rounds(&few, &b));
    }
}
