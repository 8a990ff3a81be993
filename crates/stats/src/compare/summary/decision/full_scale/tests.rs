use crate::compare::summary::growth::tests::{Ladder, ROWS};
use crate::decide::{Cell, Certainty, Decision, Flip, Minimise};

/// Two designs of which `a/x` has the lower fixed part and `a/y` the lower growth.
fn crossing() -> Ladder {
    let mut ladder = Ladder::of(&ROWS);
    let noise = |round: u32| 1.0 + f64::from(round % 3) / 100.0;
    ladder.scans("a/x", |rows, round| {
        (0.001 + 4e-8 * rows as f64) * noise(round)
    });
    ladder.scans("a/y", |rows, round| {
        (0.05 + 1e-8 * rows as f64) * noise(round)
    });
    ladder
}

fn decision(ladder: &Ladder) -> Decision {
    ladder.summary().decision.unwrap()
}

#[test]
fn the_fastest_design_at_full_scale_is_taken_though_it_is_not_the_fastest_now() {
    let mut ladder = crossing();
    ladder.full_rows = ROWS[4];
    assert_eq!(decision(&ladder).recommended().unwrap().id, "a/x");
    ladder.full_rows = 16 * ROWS[4];
    let decision = decision(&ladder);
    assert!(decision.forecasts_times());
    let recommended = decision.recommended().unwrap();
    assert_eq!(recommended.id, "a/y");
    let Cell::Time {
        seconds,
        measured,
        basis,
        ..
    } = &recommended.cells[0]
    else {
        panic!("{:?}", recommended.cells);
    };
    assert!((0.06..0.062).contains(&measured.unwrap()));
    let truth = 0.05 + 1e-8 * 16.0 * ROWS[4] as f64;
    let (low, high) = seconds.interval.unwrap();
    assert!(low < truth * 1.02 && truth < high, "{seconds:?}");
    assert!(basis.starts_with("5 scales, held-out error "), "{basis}");
}

#[test]
fn the_rows_at_which_the_designs_cross_are_reported_within_the_range() {
    let mut ladder = crossing();
    ladder.full_rows = 16 * ROWS[4];
    let decision = decision(&ladder);
    let known = decision.known_rows.as_ref().unwrap();
    assert_eq!((known.from, known.to), (4_000, 256 * ROWS[4]));
    let [Flip::Rows { at, design, .. }, ..] = decision.flips.as_slice() else {
        panic!("{:?}", decision.flips);
    };
    assert_eq!(design, "a/x");
    assert!((0.049 / 3e-8 / at - 1.0).abs() < 0.1, "{at}");
}

#[test]
fn without_a_forecast_the_measured_times_decide_and_the_reason_is_reported() {
    let mut ladder = crossing();
    ladder.unit_rows = Some(100_000);
    assert_eq!(ladder.summary().rows_to_forecast(), Some(1_600_000));
    let decision = decision(&ladder);
    assert!(!decision.forecasts_times());
    assert_eq!(decision.recommended().unwrap().id, "a/x");
    assert_eq!(decision.not_measured[0], "times at full scale");
    assert_eq!(
        decision.no_forecast.unwrap(),
        "1,024,000 rows are too few to forecast 8,192,000 from; load 1,600,000 (--rows 1600000)"
    );
    assert_eq!(decision.known_rows, None);
}

#[test]
fn a_design_does_not_win_because_another_one_has_no_forecast() {
    let mut ladder = crossing();
    for round in 0..7 {
        ladder.answer("a/x", "key", round, 0.001, Some(3));
    }
    for rows in ROWS {
        let table = ladder.table("a/y", rows);
        (0..7).for_each(|round| ladder.answer(&table, "key", round, 0.002, Some(3)));
    }
    let decision = decision(&ladder);
    assert!(!decision.forecasts_times());
    assert!(decision.no_forecast.is_some());
    assert_eq!(decision.recommended().unwrap().id, "a/x");
}

#[test]
fn a_forecast_that_is_too_wide_to_be_shown_makes_the_decision_uncertain_and_does_not_prevent_it() {
    let mut ladder = Ladder::of(&ROWS);
    let steady = |rows: u64, round: u32| 1e-6 * rows as f64 * (1.0 + f64::from(round % 3) / 100.0);
    let jumps = [1.0, 6.0, 1.0, 6.0, 1.0];
    ladder.scans("a/x", steady);
    ladder.scans("a/y", |rows, round| {
        jumps[ROWS.iter().position(|r| *r == rows).unwrap()] * steady(rows, round)
    });
    let forecast = ladder.summary().forecast.unwrap();
    let wild = forecast.design("a/y").unwrap().time("scan").unwrap();
    assert!(wild.known().is_none() && wild.ranked().is_ok(), "{wild:?}");
    let decision = decision(&ladder);
    assert!(decision.forecasts_times());
    let recommendation = decision.recommendation.as_ref().unwrap();
    assert_ne!(recommendation.certainty, Certainty::Settled);
}

#[test]
fn the_same_journal_gives_the_same_decision() {
    let ladder = crossing();
    assert_eq!(decision(&ladder), decision(&ladder));
}

#[test]
fn storage_of_two_designs_is_not_wrong_in_the_same_way() {
    let mut ladder = crossing();
    // The largest tables are a fifth larger than the smaller ones foretell.
    let bytes = |rows: u64| 52.0 * rows as f64 * if rows == ROWS[4] { 1.2 } else { 1.0 };
    for (design, factor) in [("a/x", 1.0), ("a/y", 1.001)] {
        for rows in ROWS {
            let table = ladder.table(design, rows);
            ladder.store(&table, rows, (factor * bytes(rows)) as u64);
        }
    }
    let mut input = ladder.summary().decision_input().unwrap();
    input.rule.minimise = Minimise::Storage;
    let recommendation = Decision::of(&input).recommendation.unwrap();
    // Either may be the smaller one, so that it is about as good as a toss of a coin.
    let confidence = recommendation.confidence.unwrap();
    assert!((0.4..0.7).contains(&confidence), "{confidence}");
    assert_eq!(recommendation.certainty, Certainty::NotSettled);
}
