//! What further rounds would show.

use super::fixture::{answer, design, input};
use crate::decide::{Contender, DecisionInput, Figure, Minimise, Settling, is_settled};

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
