use std::sync::Arc;

use arrow::array::AsArray;
use arrow::compute::concat_batches;
use arrow::datatypes::{Int32Type, Int64Type};
use arrow::record_batch::RecordBatch;

use super::super::sensor::{Sensor, table};
use super::{Part, Survey};
use crate::source::{RowBatches, RowSource};
use crate::{Result, Table};

/// Sensors that are not known to take turns, as rows of a file are not.
struct Unknown(Sensor);

impl RowSource for Unknown {
    fn schema(&self) -> arrow::datatypes::SchemaRef {
        self.0.schema()
    }
    fn known_rows(&self) -> Option<u64> {
        None
    }
    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        self.0.read(from, batch_rows)
    }
    fn may_repeat_keys(&self) -> bool {
        false
    }
    fn seeks(&self) -> bool {
        false
    }
}

/// 20 sensors, each at the times 1 to 40.
const ROWS: u64 = 800;

fn sources() -> [Arc<dyn RowSource>; 2] {
    [
        Arc::new(Sensor::new(1, 20)),
        Arc::new(Unknown(Sensor::new(1, 20))),
    ]
}

fn part(source: &Arc<dyn RowSource>, series: u32, time: u32) -> Part {
    let survey = Survey::of(source.as_ref(), &table(), ROWS).unwrap();
    Part::of(source.clone(), &table(), &survey, (series, time), None).unwrap()
}

fn all(part: &Part, from: u64, batch_rows: usize) -> RecordBatch {
    let mut next = from;
    let batches: Vec<RecordBatch> = { part.read(from, batch_rows).unwrap() }
        .map(|batch| {
            let batch = batch.unwrap();
            assert_eq!(batch.first_row, next);
            assert!((1..=batch_rows).contains(&batch.rows.num_rows()));
            next += batch.rows.num_rows() as u64;
            batch.rows
        })
        .collect();
    concat_batches(&part.schema(), &batches).unwrap()
}

fn distinct(rows: &RecordBatch) -> (usize, i64) {
    let sensors = rows.column(0).as_primitive::<Int32Type>();
    let sensors: std::collections::BTreeSet<i32> = sensors.values().iter().copied().collect();
    let times = rows.column(1).as_primitive::<Int64Type>();
    (sensors.len(), times.values().iter().copied().max().unwrap())
}

#[test]
fn a_survey_counts_series_and_time() {
    for source in sources() {
        let survey = Survey::of(source.as_ref(), &table(), ROWS).unwrap();
        assert_eq!((survey.series(), survey.length()), (Some(20), Some(40)));
        let first = Survey::of(source.as_ref(), &table(), 7).unwrap();
        assert_eq!((first.series(), first.length()), (Some(7), Some(1)));
        let none = Survey::of(source.as_ref(), &table(), 0).unwrap();
        assert_eq!((none.series(), none.length()), (Some(0), None));
    }
}

#[test]
fn a_part_has_a_share_of_the_series_and_the_first_part_of_the_time() {
    for source in sources() {
        for (series, time, expected) in [
            (1, 1, (20, 40)),
            (2, 1, (10, 40)),
            (3, 1, (7, 40)),
            (1, 4, (20, 10)),
            (4, 2, (5, 20)),
            (1_000, 1, (1, 40)),
            (1, 1_000, (20, 1)),
        ] {
            let part = part(&source, series, time);
            let rows = all(&part, 0, 1_000);
            assert_eq!(distinct(&rows), expected, "1/{series}, 1/{time}");
            let (sensors, times) = expected;
            assert_eq!(part.rows(), sensors as u64 * times as u64);
            assert_eq!(rows.num_rows() as u64, part.rows());
        }
    }
}

#[test]
fn smaller_shares_are_within_larger_ones() {
    let [source, _] = sources();
    let ids = |series| {
        let rows = all(&part(&source, series, 1), 0, 100);
        let sensors = rows.column(0).as_primitive::<Int32Type>();
        let ids: std::collections::BTreeSet<i32> = sensors.values().iter().copied().collect();
        ids
    };
    assert!(ids(4).is_subset(&ids(2)));
}

#[test]
fn rows_do_not_depend_on_batches_or_on_where_reading_starts() {
    for source in sources() {
        let part = part(&source, 2, 2);
        assert_eq!(part.rows(), 200);
        let whole = all(&part, 0, 1_000);
        assert_eq!(whole, all(&part, 0, 7));
        for from in [1, 9, 10, 57, 199] {
            let rest = whole.slice(from, 200 - from);
            assert_eq!(all(&part, from as u64, 3), rest, "from {from}");
        }
        assert_eq!(part.read(200, 5).unwrap().count(), 0);
    }
}

#[test]
fn only_where_series_take_turns_can_a_row_be_looked_up() {
    let [turns, unknown] = sources();
    assert!(part(&turns, 2, 1).seeks());
    assert!(!part(&unknown, 2, 1).seeks());
}

#[test]
fn a_known_number_of_rows_is_not_counted_again() {
    let [source, _] = sources();
    let survey = Survey::of(source.as_ref(), &table(), ROWS).unwrap();
    let known = Part::of(source.clone(), &table(), &survey, (2, 1), Some(11)).unwrap();
    assert_eq!(all(&known, 0, 100).num_rows(), 11);
}

#[test]
fn a_table_without_times_has_no_length_and_is_not_cut_by_time() {
    let [source, _] = sources();
    let untimed = Table {
        order_key: Vec::new(),
        ..table()
    };
    let survey = Survey::of(source.as_ref(), &untimed, ROWS).unwrap();
    assert_eq!(survey.length(), None);
    let part = Part::of(source.clone(), &untimed, &survey, (2, 4), None).unwrap();
    assert_eq!(part.rows(), 400);
}
