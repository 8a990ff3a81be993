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

#[test]
fn events_until_just_before_midnight_go_on_the_next_day() {
    const MINUTE: i64 = 60_000;
    let (table, _) = users(&[]);
    // Three days of a row a minute, from 0:00:09 on to 23:59:55, so that another minute would be in the fourth day.
    let minutes = (0..3 * 24 * 60).map(|minute| 9_000 + minute * MINUTE);
    let mut times: Vec<i64> = minutes.collect();
    times.push(3 * DAY_MILLISECONDS - 5_000);
    let rows = times.len() as u64;
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(times.iter().map(|_| "u"))),
        Arc::new(TimestampMillisecondArray::from(times)),
    ];
    let six_days = SampleSize::Milliseconds(6 * DAY_MILLISECONDS as u64);
    let source = grow(
        &table,
        columns,
        ScaleSample::along(SampleAxis::Time, six_days),
        1,
    )
    .unwrap();
    assert_eq!(source.known_rows(), Some(2 * rows));
}

/// A table of users with the days at which each of them did something, and their rows in the order of time.
fn users(days: &[(i64, &str)]) -> (Table, Vec<ArrayRef>) {
    let table = table(
        &[("user", ColumnType::Text), ("time", ColumnType::Timestamp)],
        &["user"],
        &["time"],
    );
    let names = days.iter().map(|(_, user)| *user);
    let times = days.iter().map(|(day, _)| day * DAY_MILLISECONDS);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(names)),
        Arc::new(TimestampMillisecondArray::from_iter_values(times)),
    ];
    (table, columns)
}

#[test]
fn series_of_few_rows_make_no_hole_and_no_row_comes_after_the_time_that_is_asked_for() {
    // A row a day, and four in each of the last five days; `often` has the most rows, and is 20 days away from itself.
    let names: Vec<String> = (0..115).map(|user| format!("u-{user}")).collect();
    let mut days: Vec<(i64, &str)> = (0..95)
        .map(|day| (day, names[day as usize].as_str()))
        .collect();
    for day in [10, 30, 50] {
        days[day].1 = "often";
    }
    let last = (0..20).map(|row| (95 + row as i64 / 4, names[95 + row].as_str()));
    days.extend(last);
    let (table, columns) = users(&days);
    let length = SampleSize::Milliseconds(250 * DAY_MILLISECONDS as u64);
    let scaled = ScaleSample::along(SampleAxis::Time, length);
    let source = grow(&table, columns, scaled, 1).unwrap();
    // Two whole copies, and of the third one the first 50 days, which have fewer rows than half of it.
    assert_eq!(source.known_rows(), Some(2 * 115 + 50));
    let mut times = whole(&read(&source, 0, 1_000), 1);
    times.dedup();
    let all = (0..250).map(|day| day * DAY_MILLISECONDS);
    assert_eq!(times, all.collect::<Vec<_>>());
}

#[test]
fn sensors_that_report_one_after_the_other_go_on_at_their_usual_distance() {
    const MINUTE: i64 = 60_000;
    let table = table(
        &[
            ("sensor", ColumnType::Text),
            ("time", ColumnType::Timestamp),
        ],
        &["sensor"],
        &["time"],
    );
    // Three sensors, each of which has a row an hour, one minute after the other.
    let rows = || (0..30_i64).map(|row| (row % 3, (row / 3 * 60 + row % 3) * MINUTE));
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(
            rows().map(|(sensor, _)| format!("s-{sensor}")),
        )),
        Arc::new(TimestampMillisecondArray::from_iter_values(
            rows().map(|(_, time)| time),
        )),
    ];
    let scaled = ScaleSample::along(SampleAxis::Time, SampleSize::Times(2.0));
    let source = grow(&table, columns, scaled, 1).unwrap();
    let times = whole(&read(&source, 0, 100), 1);
    let expected = (0..60_i64).map(|row| (row / 3 * 60 + row % 3) * MINUTE);
    assert_eq!(times, expected.collect::<Vec<_>>());
}
