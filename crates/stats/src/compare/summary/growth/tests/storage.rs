use super::{Ladder, ROWS, failed, near};
use crate::compare::Step;

fn stored(bytes: impl Fn(u64) -> f64) -> Ladder {
    let mut ladder = Ladder::of(&ROWS);
    for rows in ROWS {
        let table = ladder.table("a/x", rows);
        ladder.store(&table, rows, bytes(rows) as u64);
    }
    ladder
}

#[test]
fn bytes_have_a_part_that_does_not_grow() {
    let truth = |rows: u64| 50_000.0 + 52.0 * rows as f64;
    let ladder = stored(truth);
    let forecast = ladder.forecast();
    let storage = forecast.design("a/x").unwrap().storage.clone().unwrap();
    near(storage.bytes, 3.0 * truth(8 * ROWS[4]), 1e-5);
    assert_eq!(storage.scales, 5);
    assert_eq!(storage.basis(), "5 scales, held-out error below 0.1%");
    near(storage.curve.unwrap().at(1e6), 3.0 * truth(1_000_000), 1e-5);
}

#[test]
fn the_interval_comes_from_what_the_prediction_was_wrong_by() {
    let ladder = stored(|rows| 52.0 * rows as f64 * if rows == ROWS[4] { 1.05 } else { 1.0 });
    let forecast = ladder.forecast();
    let storage = forecast.design("a/x").unwrap().storage.as_ref().unwrap();
    let (low, high) = storage.interval.unwrap();
    near(high / low, (2.0 * 1.645 * 1.05f64.ln() * 1.5).exp(), 1e-3);
    let held_out = storage.held_out.as_ref().unwrap();
    near(held_out.error(), 1.05f64.ln(), 1e-3);
    assert!(held_out.is_covered());
}

#[test]
fn rows_that_are_further_than_the_tables_are_apart_are_named_as_such() {
    let mut ladder = stored(|rows| 52.0 * rows as f64 + (rows % 7) as f64);
    let is_beyond = |ladder: &Ladder| {
        let forecast = ladder.forecast();
        let storage = forecast.design("a/x").unwrap().storage.clone().unwrap();
        (storage.is_beyond, storage.basis().contains("beyond"))
    };
    // The smallest table has 1/256 of the rows.
    ladder.full_rows = 256 * ROWS[4];
    assert_eq!(is_beyond(&ladder), (false, false));
    ladder.full_rows += 1;
    assert_eq!(is_beyond(&ladder), (true, true));
    ladder.full_rows = 999_999_999_999_999;
    assert_eq!(is_beyond(&ladder), (true, true));
}

#[test]
fn no_part_is_negative() {
    let falling = stored(|rows| 1e6 - 0.1 * rows as f64);
    let storage = falling.forecast().design("a/x").unwrap().storage.clone();
    let storage = storage.unwrap();
    assert_eq!(storage.curve.unwrap().linear, 0.0);
    assert!(storage.bytes > 0.0);
    let steep = stored(|rows| 52.0 * (rows as f64).powf(1.2));
    let storage = steep.forecast().design("a/x").unwrap().storage.clone();
    assert_eq!(storage.unwrap().curve.unwrap().constant, 0.0);
}

#[test]
fn one_table_is_continued_in_proportion() {
    let mut ladder = Ladder::of(&ROWS[4..]);
    ladder.store("a/x", ROWS[4], 10 * ROWS[4]);
    let forecast = ladder.forecast();
    let storage = forecast.design("a/x").unwrap().storage.as_ref().unwrap();
    assert_eq!(storage.bytes, 3.0 * 8.0 * 10.0 * ROWS[4] as f64);
    assert_eq!(storage.interval, None);
    assert_eq!(storage.basis(), "proportional to the rows");
    assert!(forecast.design("a/y").unwrap().storage.is_none());
}

#[test]
fn scales_that_failed_or_are_empty_are_left_out() {
    let mut ladder = stored(|rows| 52.0 * rows as f64);
    let table = ladder.table("a/x", ROWS[1]);
    ladder.add(failed(&table, Step::Settle, None, "it ended"));
    let table = ladder.table("a/x", ROWS[0]);
    ladder.store(&table, ROWS[0], 0);
    let forecast = ladder.forecast();
    let storage = forecast.design("a/x").unwrap().storage.as_ref().unwrap();
    assert_eq!(storage.scales, 3);
    near(storage.bytes, 3.0 * 52.0 * 8.0 * ROWS[4] as f64, 1e-6);
}

#[test]
fn the_measured_rows_have_the_measured_bytes() {
    let mut ladder = stored(|rows| 52.0 * rows as f64 + (rows % 7) as f64 * 1e3);
    ladder.full_rows = ROWS[4];
    let summary = ladder.summary();
    let own = summary.design("a/x").unwrap().bytes_per_row.unwrap();
    let forecast = summary.forecast.as_ref().unwrap();
    let storage = forecast.design("a/x").unwrap().storage.as_ref().unwrap();
    near(storage.bytes, 3.0 * own * ROWS[4] as f64, 1e-12);
    assert_eq!(storage.interval, Some((storage.bytes, storage.bytes)));
}
