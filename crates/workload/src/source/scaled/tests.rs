use std::collections::{BTreeMap, HashSet};

use arrow::array::{
    BooleanArray, Float64Array, Int32Array, Int64Array, StringArray, TimestampMillisecondArray,
};
use arrow::compute::concat_batches;
use arrow::datatypes::Float64Type;

use super::*;
use crate::{Column, SampleSize};

const HOUR: i64 = 3_600_000;

/// A sample in memory.
struct Rows(RecordBatch);

impl RowSource for Rows {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    fn known_rows(&self) -> Option<u64> {
        None
    }

    fn read(&self, _from: u64, _batch_rows: usize) -> Result<RowBatches> {
        let batch = RowBatch {
            first_row: 0,
            rows: self.0.clone(),
        };
        Ok(Box::new([Ok(batch)].into_iter()))
    }

    fn may_repeat_keys(&self) -> bool {
        true
    }
}

pub(super) fn table(columns: &[(&str, ColumnType)], partition: &[&str], order: &[&str]) -> Table {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Table {
        name: "t".to_owned(),
        columns: { columns.iter() }
            .map(|(name, kind)| Column {
                name: (*name).to_owned(),
                kind: *kind,
            })
            .collect(),
        partition_key: owned(partition),
        order_key: owned(order),
    }
}

fn scale(
    table: &Table,
    columns: Vec<ArrayRef>,
    along: SampleAxis,
    to: SampleSize,
    seed: u64,
) -> Result<Scaled> {
    grow(table, columns, ScaleSample::along(along, to), seed)
}

pub(super) fn grow(
    table: &Table,
    columns: Vec<ArrayRef>,
    scaled: ScaleSample,
    seed: u64,
) -> Result<Scaled> {
    let batch = RecordBatch::try_new(table.schema(), columns).unwrap();
    Scaled::new(Box::new(Rows(batch)), table, seed, &scaled)
}

/// Sensors that take turns for this many hours: name, kind of the sensor, time, level with nulls, meter, and id.
pub(super) fn sensors(sensors: i64, hours: i64) -> (Table, Vec<ArrayRef>) {
    let table = table(
        &[
            ("sensor", ColumnType::Text),
            ("kind", ColumnType::Text),
            ("time", ColumnType::Timestamp),
            ("level", ColumnType::Double),
            ("state", ColumnType::Text),
            ("meter", ColumnType::Bigint),
            ("id", ColumnType::Int),
        ],
        &["sensor"],
        &["time"],
    );
    let rows = || (0..sensors * hours).map(move |row| (row % sensors, row / sensors));
    let mut draws = Stream::new(&[42]);
    let levels = rows().map(|(sensor, hour)| {
        let noise = draws.below(1_000) as f64 / 1_000.0;
        let level = 10.0 * sensor as f64 + (hour % 24) as f64 + noise;
        ((sensor + hour) % 7 != 0).then_some((level * 1_000.0).round() / 1_000.0)
    });
    let levels: Float64Array = levels.collect();
    let states =
        rows().map(|(sensor, hour)| ["on", "off", "idle"][((sensor + hour / 5) % 3) as usize]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(
            rows().map(|(sensor, _)| format!("s-{sensor}")),
        )),
        Arc::new(StringArray::from_iter_values(
            rows().map(|(sensor, _)| ["wind", "rain"][(sensor % 2) as usize]),
        )),
        Arc::new(TimestampMillisecondArray::from_iter_values(
            rows().map(|(_, hour)| hour * HOUR),
        )),
        Arc::new(levels),
        Arc::new(StringArray::from_iter_values(states)),
        Arc::new(Int64Array::from_iter_values(rows().map(
            |(sensor, hour)| 1_000 * sensor + 3 * hour + hour * hour % 3,
        ))),
        Arc::new(Int32Array::from_iter_values(0..(sensors * hours) as i32)),
    ];
    (table, columns)
}

pub(super) fn read(source: &Scaled, from: u64, batch_rows: usize) -> RecordBatch {
    let batches: Vec<RecordBatch> = { source.read(from, batch_rows).unwrap() }
        .map(|batch| batch.unwrap().rows)
        .collect();
    concat_batches(&source.schema(), &batches).unwrap()
}

pub(super) fn texts(rows: &RecordBatch, column: usize) -> Vec<String> {
    let cells = rows.column(column).as_string::<i32>().iter();
    cells
        .map(|cell| cell.unwrap_or("null").to_owned())
        .collect()
}

pub(super) fn whole(rows: &RecordBatch, column: usize) -> Vec<i64> {
    let cells = arrow::compute::cast(rows.column(column), &arrow::datatypes::DataType::Int64);
    cells.unwrap().as_primitive::<Int64Type>().values().to_vec()
}

pub(super) fn counts(texts: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for text in texts {
        *counts.entry(text.as_str()).or_default() += 1;
    }
    counts
}

fn scaled_sensors(along: SampleAxis, to: SampleSize) -> (RecordBatch, RecordBatch) {
    let (table, columns) = sensors(4, 72);
    let sample = RecordBatch::try_new(table.schema(), columns.clone()).unwrap();
    let source = scale(&table, columns, along, to, 1).unwrap();
    (sample, read(&source, 0, 100))
}

#[test]
fn the_first_rows_are_the_sample_in_its_order() {
    for along in [SampleAxis::Time, SampleAxis::Series] {
        let (sample, rows) = scaled_sensors(along, SampleSize::Rows(1_000));
        assert_eq!(rows.num_rows(), 1_000);
        assert_eq!(rows.slice(0, sample.num_rows()), sample);
    }
}

#[test]
fn a_row_is_the_same_wherever_reading_begins_and_depends_on_the_seed() {
    let (table, columns) = sensors(4, 72);
    let of_seed = |seed| {
        let to = SampleSize::Rows(2_000);
        scale(&table, columns.clone(), SampleAxis::Time, to, seed).unwrap()
    };
    let source = of_seed(1);
    let all = read(&source, 0, 64);
    for (from, batch_rows) in [
        (0, 2_000),
        (1, 7),
        (287, 3),
        (1_999, 1),
        (2_000, 5),
        (5_000, 5),
    ] {
        let rest = all.slice(
            (from as usize).min(2_000),
            2_000_usize.saturating_sub(from as usize),
        );
        assert_eq!(read(&source, from, batch_rows), rest, "from {from}");
    }
    assert_eq!(read(&of_seed(1), 0, 2_000), all);
    assert_ne!(read(&of_seed(2), 0, 2_000), all);
}

#[test]
fn series_go_on_in_time_with_their_gaps_and_their_values() {
    let (sample, rows) = scaled_sensors(SampleAxis::Time, SampleSize::Times(5.0));
    assert_eq!(rows.num_rows(), 5 * sample.num_rows());
    assert_eq!(counts(&texts(&rows, 0)).len(), 4);
    for sensor in 0..4_i64 {
        let own = |column: usize| {
            let of = texts(&rows, 0).into_iter().zip(whole(&rows, column));
            let own = of.filter(|(name, _)| *name == format!("s-{sensor}"));
            own.map(|(_, value)| value).collect::<Vec<_>>()
        };
        let hours: Vec<i64> = (0..360).map(|hour| hour * HOUR).collect();
        assert_eq!(own(2), hours);
        assert!(own(5).is_sorted(), "a meter does not run backwards");
        let meter = own(5);
        assert!(meter[359] - meter[0] > 4 * (meter[71] - meter[0]));
    }
    assert_eq!(whole(&rows, 6), (0..1_440).collect::<Vec<_>>(), "ids go on");
    assert!(
        texts(&rows, 0)
            .iter()
            .zip(texts(&rows, 1))
            .all(|(sensor, kind)| {
                (kind == "wind") == (sensor.ends_with('0') || sensor.ends_with('2'))
            })
    );
}

#[test]
fn a_copy_has_the_shares_the_nulls_and_the_times_of_the_day_of_the_sample() {
    let (sample, rows) = scaled_sensors(SampleAxis::Time, SampleSize::Times(4.0));
    let length = sample.num_rows();
    for copy in 1..4 {
        let copy = rows.slice(copy * length, length);
        assert_eq!(copy.column(3).null_count(), sample.column(3).null_count());
        let (states, of_sample) = (texts(&copy, 4), texts(&sample, 4));
        assert_eq!(counts(&states).len(), 3);
        for (state, rows) in counts(&of_sample) {
            // Runs of states get longer and shorter.
            assert!(
                counts(&states)[state].abs_diff(rows) < length / 10,
                "{state}"
            );
        }
        assert_ne!(copy.column(3), sample.column(3));
        let levels = copy.column(3).as_primitive::<Float64Type>();
        for (row, hour) in whole(&copy, 2).into_iter().enumerate() {
            if !levels.is_null(row) {
                let level = levels.value(row);
                let sensor = (row % 4) as f64;
                let of_the_day = (hour / HOUR % 24) as f64;
                let distance = level - 10.0 * sensor - of_the_day;
                // Up to 6% of the range of all levels away.
                assert!((-3.3..4.3).contains(&distance), "{level} at {of_the_day}");
                let written = level.to_string();
                assert!(
                    written.split_once('.').is_none_or(|(_, d)| d.len() <= 3),
                    "{written}"
                );
            }
        }
    }
}

#[test]
fn further_series_have_names_of_their_own_and_the_times_of_the_sample() {
    let (sample, rows) = scaled_sensors(SampleAxis::Series, SampleSize::Series(20));
    assert_eq!(rows.num_rows(), 5 * sample.num_rows());
    let names = texts(&rows, 0);
    let of_name = counts(&names);
    assert_eq!(of_name.len(), 20);
    assert!(of_name.values().all(|rows| *rows == 72));
    assert!(of_name.contains_key("s-19"), "{of_name:?}");
    let all = [whole(&sample, 2).repeat(5), whole(&rows, 2)];
    assert_eq!(all[0], all[1]);
    let keys: HashSet<(String, i64)> = names.into_iter().zip(whole(&rows, 2)).collect();
    assert_eq!(keys.len(), rows.num_rows());
    assert_eq!(counts(&texts(&rows, 1))["wind"], rows.num_rows() / 2);
}

#[test]
fn values_that_are_all_different_stay_so_and_few_values_stay_few() {
    let (_, rows) = scaled_sensors(SampleAxis::Time, SampleSize::Times(8.0));
    let levels = rows.column(3).as_primitive::<Float64Type>();
    let different: HashSet<u64> = levels.iter().flatten().map(f64::to_bits).collect();
    let all = levels.len() - levels.null_count();
    assert!(
        different.len() > all * 8 / 10,
        "{} of {all}",
        different.len()
    );
    assert_eq!(counts(&texts(&rows, 4)).len(), 3);
}

#[test]
fn a_factor_of_a_tenth_more_asks_for_no_row_beyond_it() {
    let (table, columns) = sensors(10, 10);
    for (factor, rows) in [(1.0, 100), (1.1, 110), (1.101, 111)] {
        let times = SampleSize::Times(factor);
        let scaled = scale(&table, columns.clone(), SampleAxis::Time, times, 1).unwrap();
        assert_eq!(scaled.known_rows(), Some(rows), "{factor}");
    }
}

#[test]
fn a_length_of_time_becomes_rows() {
    let day = SampleSize::Milliseconds(6 * 24 * HOUR as u64);
    let (sample, rows) = scaled_sensors(SampleAxis::Time, day);
    assert_eq!(rows.num_rows(), 2 * sample.num_rows());
}

#[test]
fn one_row_makes_further_series_and_has_no_further_time() {
    let (table, columns) = sensors(1, 1);
    let by = |along| scale(&table, columns.clone(), along, SampleSize::Rows(50), 1);
    let rows = read(&by(SampleAxis::Series).unwrap(), 0, 8);
    assert_eq!(counts(&texts(&rows, 0)).len(), 50);
    let error = by(SampleAxis::Time).err().unwrap().to_string();
    assert!(error.contains("fewer than two different times"), "{error}");
}

#[test]
fn series_of_one_row_each_go_on_in_time() {
    let (table, columns) = sensors(50, 1);
    let mut columns = columns;
    columns[2] = Arc::new(TimestampMillisecondArray::from_iter_values(
        (0..50).map(|n| n * 60_000),
    ));
    let source = scale(&table, columns, SampleAxis::Time, SampleSize::Times(3.0), 1).unwrap();
    let rows = read(&source, 0, 1_000);
    assert_eq!(counts(&texts(&rows, 0)).len(), 50);
    assert_eq!(
        whole(&rows, 2),
        (0..150).map(|n| n * 60_000).collect::<Vec<_>>()
    );
    assert_eq!(source.in_order_of_time_beyond(), Some(50));
}

#[test]
fn what_cannot_be_continued_is_refused_with_what_to_do() {
    let error = |table: &Table, columns: Vec<ArrayRef>, along, to| {
        scale(table, columns, along, to, 1)
            .err()
            .unwrap()
            .to_string()
    };
    let (table_of_sensors, columns) = sensors(4, 72);
    let few = error(
        &table_of_sensors,
        columns.clone(),
        SampleAxis::Time,
        SampleSize::Rows(10),
    );
    assert!(
        few.contains("to grow to 10 rows, but has 288 already"),
        "{few}"
    );
    let short = SampleSize::Milliseconds(HOUR as u64);
    let short = error(&table_of_sensors, columns, SampleAxis::Time, short);
    assert!(short.contains("but has 3.00 days already"), "{short}");

    let flags: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
    let times: ArrayRef = Arc::new(Int32Array::from(vec![1, 1 << 30]));
    let both = [("flag", ColumnType::Boolean), ("time", ColumnType::Int)];
    let by_flag = table(&both, &["flag"], &["time"]);
    let columns = || vec![flags.clone(), times.clone()];
    let unnamed = error(&by_flag, columns(), SampleAxis::Series, SampleSize::Rows(9));
    assert!(
        unnamed.contains("further series cannot be named"),
        "{unnamed}"
    );
    let late = error(&by_flag, columns(), SampleAxis::Time, SampleSize::Rows(9));
    assert!(
        late.contains("its times would be greater than their type holds"),
        "{late}"
    );

    let both = [("flag", ColumnType::Boolean), ("at", ColumnType::Timestamp)];
    let no_time_in_key = table(&both, &["flag"], &[]);
    let times: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![1, 2]));
    let columns = vec![flags.clone(), times];
    let same = error(
        &no_time_in_key,
        columns,
        SampleAxis::Time,
        SampleSize::Rows(9),
    );
    assert!(same.contains("would have the keys of the sample"), "{same}");

    let ids: ArrayRef = Arc::new(Int32Array::from(vec![0, i32::MAX / 2]));
    let by_id = table(&[("id", ColumnType::Int)], &["id"], &[]);
    let large = error(&by_id, vec![ids], SampleAxis::Series, SampleSize::Rows(90));
    assert!(
        large.contains("the values of column `id` would be greater"),
        "{large}"
    );
}

#[test]
fn a_sample_that_is_too_large_is_refused_before_it_is_read_to_its_end() {
    let (table, columns) = sensors(4, 72);
    let rows = Rows(RecordBatch::try_new(table.schema(), columns).unwrap());
    let error = Sample::read(&rows, &table, 1_000)
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("take fewer rows of it"), "{error}");
}
