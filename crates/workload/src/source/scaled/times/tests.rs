use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, TimestampMillisecondArray};

use super::super::tests::{grow, read, table, whole};
use super::*;
use crate::{RowSource, SampleAxis, SampleSize, ScaleSample};

#[test]
fn holes_and_equal_times_do_not_change_the_usual_distance() {
    assert_eq!(median_distance(vec![0, 10, 20, 90, 100, 110]), Some(10));
    assert_eq!(median_distance(vec![20, 0, 0, 0, 0, 10]), Some(10));
    assert_eq!(median_distance(vec![5, 12]), Some(7));
    assert_eq!(median_distance(vec![5, 5]), None);
    assert_eq!(median_distance(Vec::new()), None);
}

#[test]
fn an_hour_without_rows_comes_again_and_makes_no_other_hole() {
    const MINUTE: i64 = 60_000;
    let table = table(
        &[
            ("sensor", ColumnType::Text),
            ("time", ColumnType::Timestamp),
        ],
        &["sensor"],
        &["time"],
    );
    // Ten days of a row each ten minutes, without the hour from 5:00 on of the fourth day.
    let hole = 3 * 144 + 30..3 * 144 + 36;
    let steps = (0..1_440_i64).filter(|step| !hole.contains(step));
    let times: Vec<i64> = steps.map(|step| step * 10 * MINUTE).collect();
    let names = times.iter().map(|_| "s");
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(names)),
        Arc::new(TimestampMillisecondArray::from(times)),
    ];
    let month = SampleSize::Milliseconds(30 * DAY_MILLISECONDS as u64);
    let scaled = ScaleSample::along(SampleAxis::Time, month);
    let source = grow(&table, columns, scaled, 1).unwrap();
    assert_eq!(source.known_rows(), Some(3 * 1_434));
    let times = whole(&read(&source, 0, 1_000), 1);
    let steps = times.windows(2).map(|pair| (pair[0], pair[1] - pair[0]));
    let holes: Vec<(i64, i64)> = steps.filter(|(_, step)| *step != 10 * MINUTE).collect();
    let expected = [3, 13, 23].map(|day| {
        let before = day * DAY_MILLISECONDS + (4 * 60 + 50) * MINUTE;
        (before, 70 * MINUTE)
    });
    assert_eq!(holes, expected);
    assert_eq!(
        times.last(),
        Some(&(30 * DAY_MILLISECONDS - 10 * MINUTE)),
        "the month ends at its last step"
    );
}
