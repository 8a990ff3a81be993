use super::super::{Projected, Refusal};
use super::{Ladder, ROWS, failed, near, timed, wrong};
use crate::compare::testing::timed_as;
use crate::compare::{Grows, Record, Step};

fn linear(rows: u64, round: u32) -> f64 {
    (0.002 + 1e-8 * rows as f64) * (1.0 + f64::from(round % 3) / 200.0)
}

fn ladder() -> Ladder {
    let mut ladder = Ladder::of(&ROWS);
    ladder.scans("a/x", linear);
    ladder
}

#[track_caller]
fn refusal(ladder: &Ladder, query: &str) -> Refusal {
    match ladder.time("a/x", query).forecast {
        Projected::Refused(refusal) => refusal,
        Projected::Seconds(projection) => panic!("{projection:?}"),
    }
}

#[test]
fn five_scales_give_a_forecast_with_a_range() {
    let time = ladder().time("a/x", "scan");
    let known = time.known().unwrap();
    near(known.seconds, linear(8 * ROWS[4], 0), 0.05);
    assert!(known.interval.0 < known.seconds && known.seconds < known.interval.1);
    assert_eq!((time.scales, time.from_rows), (5, 4_000));
    assert_eq!(time.to_rows, 256 * 1_024_000);
    assert!(time.basis().starts_with("5 scales, held-out error "));
}

#[test]
fn the_measured_rows_need_no_forecast() {
    let mut ladder = ladder();
    ladder.full_rows = ROWS[4];
    let time = ladder.time("a/x", "scan");
    assert_eq!(time.known().unwrap().seconds, time.measured);
    assert_eq!(time.basis(), "measured");
}

#[test]
fn one_table_shows_no_growth() {
    let mut ladder = Ladder::of(&ROWS[4..]);
    ladder.scans("a/x", linear);
    let refusal = refusal(&ladder, "scan");
    assert_eq!(refusal, Refusal::OneScale { rows: ROWS[4] });
    assert_eq!(
        refusal.to_string(),
        "one table of 1,024,000 rows shows no growth; measure smaller ones, too"
    );
}

#[test]
fn tables_below_two_units_are_not_fitted_and_more_rows_are_asked_for() {
    let mut ladder = ladder();
    ladder.unit_rows = Some(8_000);
    assert_eq!(ladder.time("a/x", "scan").scales, 4);
    ladder.unit_rows = Some(32_768);
    // An eighth of a million rows is enough for four tables, but eight times as many are fewer than all.
    let refusal = refusal(&ladder, "scan");
    assert_eq!(
        refusal.to_string(),
        "1,024,000 rows are too few to forecast 8,192,000 from; load 1,100,000 (--rows 1100000)"
    );
    assert_eq!(ladder.time("a/x", "scan").held_out, None);
}

#[test]
fn more_rows_than_the_data_has_are_not_asked_for() {
    let mut ladder = ladder();
    ladder.unit_rows = Some(32_768);
    ladder.add(Record::LoadingDone {
        rows: ROWS[4],
        left: None,
        is_all: true,
    });
    assert_eq!(
        refusal(&ladder, "scan").to_string(),
        "1,024,000 rows are too few to forecast 8,192,000 from; 1,100,000 are needed, and the data \
         has 1,024,000"
    );
}

#[test]
fn no_forecast_of_more_rows_is_shorter_than_what_was_measured() {
    let mut ladder = Ladder::of(&ROWS);
    let seconds = [0.001, 0.001, 0.001, 0.0012, 0.0013];
    for (rows, seconds) in ROWS.into_iter().zip(seconds) {
        let table = ladder.table("a/x", rows);
        for round in 0..7 {
            ladder.answer(&table, "key", round, seconds, Some(3));
        }
    }
    let time = ladder.time("a/x", "key");
    let known = time.known().unwrap();
    assert_eq!(known.seconds, 0.0013);
    // What is said of other rows agrees with it, and so does the check of the largest table.
    let curve = known.curve.unwrap();
    near(curve.at(ladder.full_rows as f64), 0.0013, 1e-9);
    near(time.held_out.unwrap().predicted, 0.0012, 1e-9);
    let shortest = time.trials.iter().map(|trial| trial.held_out.predicted);
    assert!(shortest.fold(f64::INFINITY, f64::min) >= 0.001 - 1e-9);
}

#[test]
fn a_scale_that_failed_or_answered_wrongly_or_has_no_rounds_is_left_out() {
    let mut broken = ladder();
    let smallest = broken.table("a/x", ROWS[0]);
    broken.add(failed(&smallest, Step::Load, None, "disk full"));
    assert_eq!(broken.time("a/x", "scan").scales, 4);
    let second = broken.table("a/x", ROWS[1]);
    broken.add(timed_as(&second, "scan", 0.1, wrong()));
    // A wrong round is no time, but others are.
    assert_eq!(broken.time("a/x", "scan").scales, 4);
    broken.add(failed(&second, Step::Measure, None, "it ended"));
    assert_eq!(
        refusal(&broken, "scan"),
        Refusal::TooFewScales { scales: 3 }
    );
    let mut without = Ladder::of(&ROWS);
    without.add(timed("a/x", "scan", 1.0));
    assert_eq!(
        refusal(&without, "scan"),
        Refusal::TooFewScales { scales: 1 }
    );
}

#[test]
fn a_design_that_failed_or_did_not_answer_has_no_forecast() {
    let mut ladder = ladder();
    let forecast = ladder.forecast();
    assert!(forecast.design("a/x").unwrap().time("key").is_none());
    ladder.add(failed("a/x", Step::Measure, None, "it ended"));
    assert!(ladder.forecast().design("a/x").is_none());
}

#[test]
fn rows_outside_of_the_range_are_refused_with_what_to_load() {
    let mut ladder = ladder();
    ladder.full_rows = 300 * ROWS[4];
    let refused = refusal(&ladder, "scan").to_string();
    let expected = "307,200,000 rows are too far from 1,024,000 to forecast; \
        load 1,200,000 (--rows 1200000)";
    assert_eq!(refused, expected);
    ladder.full_rows = 100;
    let refused = refusal(&ladder, "scan");
    assert!(matches!(refused, Refusal::TooNear { from: 4_000, .. }));
    ladder.full_rows = 100_000;
    let within = ladder.time("a/x", "scan");
    near(within.known().unwrap().seconds, linear(100_000, 0), 0.05);
}

#[test]
fn an_interval_wider_than_three_times_is_refused() {
    let mut ladder = Ladder::of(&ROWS);
    let jumps = [1.0, 9.0, 2.0, 30.0, 4.0];
    ladder.scans("a/x", |rows, _| {
        jumps[ROWS.iter().position(|r| *r == rows).unwrap()] * 0.01
    });
    assert!(matches!(refusal(&ladder, "scan"), Refusal::TooWide { .. }));
}

/// Answers to `key` from every table that read this many rows.
fn keys(read: impl Fn(u64) -> Option<u64>) -> Ladder {
    let mut ladder = ladder();
    for rows in ROWS {
        let table = ladder.table("a/x", rows);
        for round in 0..7 {
            let seconds = 0.001 * (1.0 + f64::from(round % 3) / 100.0);
            ladder.answer(&table, "key", round, seconds, read(rows));
        }
    }
    ladder
}

#[test]
fn what_reads_the_same_rows_takes_the_same_time() {
    for ladder in [keys(|_| Some(10)), keys(|_| None)] {
        let time = ladder.time("a/x", "key");
        let known = time.known().unwrap();
        near(known.seconds, time.measured, 0.02);
        assert_eq!(known.curve.unwrap().linear, 0.0);
    }
}

#[test]
fn the_way_that_predicted_better_is_taken_where_more_rows_are_read() {
    // The rows read jump where the time does, so the time follows from them.
    let read = |rows: u64| rows / if rows < 100_000 { 4 } else { 2 };
    let mut ladder = Ladder::of(&ROWS);
    for rows in ROWS {
        let table = ladder.table("a/x", rows);
        for round in 0..7 {
            let seconds = 0.001 + 1e-7 * read(rows) as f64;
            ladder.answer(&table, "scan", round, seconds, Some(read(rows)));
        }
    }
    let time = ladder.time("a/x", "scan");
    let known = time.known().unwrap();
    let truth = 0.001 + 1e-7 * read(ladder.full_rows) as f64;
    assert!(
        known.interval.0 < truth && truth < known.interval.1,
        "{known:?}"
    );
}

#[test]
fn where_several_things_grow_and_none_is_said_only_scans_are_forecast() {
    let mut ladder = keys(|_| Some(10));
    ladder.grows = None;
    assert_eq!(refusal(&ladder, "key"), Refusal::SeveralWays);
    assert!(ladder.time("a/x", "scan").known().is_some());
}

#[test]
fn a_sample_that_grows_is_forecast_from_the_rows_that_have_all_of_its_series() {
    let mut ladder = keys(|_| Some(10));
    let measured = *ladder.rows.last().unwrap();
    for (from, is_known) in [(measured, true), (measured + 1, false)] {
        ladder.grows = Some(Grows::RowsFrom { rows: from });
        assert!(ladder.time("a/x", "scan").known().is_some());
        assert_eq!(ladder.time("a/x", "key").known().is_some(), is_known);
    }
    let Refusal::TooFewRows { rows, load, .. } = refusal(&ladder, "key") else {
        panic!("{}", refusal(&ladder, "key"));
    };
    assert_eq!(rows, measured);
    assert!(load.rows > measured, "{load:?}");
}

#[test]
fn smaller_tables_say_nothing_about_more_series() {
    let more_series = Some(Grows::Along {
        series: 40.0,
        time: 3.0,
    });
    let mut ladder = keys(|_| Some(10));
    ladder.grows = more_series;
    let refused = refusal(&ladder, "key");
    assert_eq!(refused, Refusal::MoreSeries { times: 40.0 });
    assert!(refused.to_string().contains("40× the series"));
    assert!(ladder.time("a/x", "scan").known().is_some());
    let mut reads_more = keys(|rows| Some(rows / 100));
    reads_more.grows = more_series;
    assert!(reads_more.time("a/x", "key").known().is_some());
    ladder.grows = Some(Grows::Along {
        series: 1.0,
        time: 3.0,
    });
    assert!(ladder.time("a/x", "key").known().is_some());
}

#[test]
fn times_of_nothing_and_equal_times_are_no_trouble() {
    for seconds in [0.0, 0.5] {
        let mut ladder = Ladder::of(&ROWS);
        ladder.scans("a/x", |_, _| seconds);
        let time = ladder.time("a/x", "scan");
        let known = time.known().unwrap();
        assert!((known.seconds - seconds).abs() < 1e-6, "{known:?}");
        assert!(known.interval.0.is_finite() && known.spread < 0.01);
    }
}

#[test]
fn a_round_and_none_are_no_trouble() {
    let mut once = Ladder::of(&ROWS);
    for rows in ROWS {
        let table = once.table("a/x", rows);
        once.answer(&table, "scan", 0, linear(rows, 0), Some(rows));
    }
    near(
        once.time("a/x", "scan").known().unwrap().seconds,
        linear(8 * ROWS[4], 0),
        0.05,
    );
    assert!(Ladder::of(&ROWS).forecast().designs[0].times.is_empty());
    let mut nan = ladder();
    nan.answer("a/x", "key", 0, f64::NAN, Some(1));
    assert!(nan.forecast().design("a/x").unwrap().time("key").is_none());
}
