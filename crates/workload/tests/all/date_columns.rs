//! Columns of dates: what is read into them, what is refused, how they are made, and when a file becomes one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Date32Array, Date64Array, TimestampMillisecondArray};
use arrow::datatypes::{DataType, Date32Type};
use bakeoff_workload::infer::{Asked, Inferred, infer};
use bakeoff_workload::{ColumnType, Error, Value, Version, Workload, source};

use crate::scaled_sample::{parse, read};
use crate::typed_columns::{assert_refused, made, parquet_of_series};

const TABLE: &str = "[table]\nname = 't'\npartition_key = ['sensor']\norder_key = ['time']\n\
                     [table.columns]\nsensor = 'text'\ntime = 'timestamp'\nday = 'date'\n";
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// Writes a Parquet file of one series that has a row each hour, with these days.
fn parquet(folder: &Path, days: ArrayRef) -> PathBuf {
    parquet_of_series(folder, (1, HOUR), ("day", days))
}

/// Reads the days of a file.
fn days(path: PathBuf, data: &str) -> Result<Vec<Option<i32>>, Error> {
    let workload = parse(data, TABLE).unwrap();
    let source = source::open(&workload, Some(path))?;
    let mut days = Vec::new();
    for batch in source.read(0, 10)? {
        let rows = batch?.rows;
        assert_eq!(rows.schema().field(2).data_type(), &DataType::Date32);
        days.extend(rows.column(2).as_primitive::<Date32Type>().iter());
    }
    Ok(days)
}

const ANY: &str = "requires = '--data'";

#[test]
fn stored_days_stay_and_times_have_to_be_midnights() {
    let folder = tempfile::tempdir().unwrap();
    let of = |days: ArrayRef| parquet(folder.path(), days);
    let some = vec![Some(-719_162), None, Some(2_932_896)];
    let stored = of(Arc::new(Date32Array::from(some.clone())));
    assert_eq!(days(stored, ANY).unwrap(), some);
    let midnights = of(Arc::new(TimestampMillisecondArray::from(vec![
        -DAY,
        3 * DAY,
    ])));
    assert_eq!(days(midnights, ANY).unwrap(), [Some(-1), Some(3)]);
    let in_milliseconds = of(Arc::new(Date64Array::from(vec![DAY])));
    assert_eq!(days(in_milliseconds, ANY).unwrap(), [Some(1)]);

    let noon = of(Arc::new(TimestampMillisecondArray::from(vec![0, DAY / 2])));
    let error = days(noon, ANY).unwrap_err().to_string();
    assert!(error.contains("row 2: column `day`"), "{error}");
    assert!(error.ends_with("is not exactly a date"), "{error}");
    for day in [-719_163, 2_932_897, i32::MIN] {
        let outside = of(Arc::new(Date32Array::from(vec![0, day])));
        let error = days(outside, ANY).unwrap_err().to_string();
        assert!(error.contains("row 2: column `day`"), "{error}");
        assert!(error.contains("of the years 1 to 9999"), "{error}");
    }
}

#[test]
fn texts_are_days_or_their_midnights() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let read = |cells: &[&str], data: &str| {
        let lines = cells
            .iter()
            .enumerate()
            .map(|(row, cell)| format!("a,{row},{cell}\n"));
        let text = format!("sensor,time,day\n{}", lines.collect::<String>());
        std::fs::write(&path, text).unwrap();
        days(path.clone(), data)
    };
    let cells = ["2026-05-01", "", "2026-05-02T00:00:00Z", "9999-12-31"];
    let expected = [Some(20_574), None, Some(20_575), Some(2_932_896)];
    assert_eq!(read(&cells, ANY).unwrap(), expected);
    // A zone moves times, and no days.
    let berlin = format!("{ANY}\nzone = 'Europe/Berlin'");
    assert_eq!(read(&cells[..1], &berlin).unwrap(), [Some(20_574)]);
    let format = format!("{ANY}\nformat = {{ day = '%d.%m.%Y' }}");
    assert_eq!(read(&["01.05.2026"], &format).unwrap(), [Some(20_574)]);
    for (cell, words) in [
        ("2026-02-30", "`2026-02-30` is not a date (2014-02-14"),
        ("0", "`0` is not a date"),
        (
            "2026-05-01T08:00:00",
            "is a time within a day, and a date has none: make the column `timestamp`",
        ),
    ] {
        let error = read(&[cell], ANY).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn days_of_a_file_are_dates_unless_rows_are_ordered_by_them() {
    let folder = tempfile::tempdir().unwrap();
    let stored = Date32Array::from_iter_values(0..60);
    let path = parquet(folder.path(), Arc::new(stored));
    let kind_of = |found: &Inferred| {
        let day = found.columns.iter().find(|column| column.name == "day");
        day.unwrap().kind
    };
    let found = infer(&path, &Asked::default()).unwrap();
    assert_eq!(kind_of(&found), ColumnType::Date);
    let text = found.workload("rows.parquet", &["memory".to_owned()], &[]);
    assert!(text.contains("day = \"date\""), "{text}");
    let workload = Workload::parse(&text, Path::new("x.toml")).unwrap();
    assert_eq!(workload.table.column("day").unwrap().kind, ColumnType::Date);

    let asked = Asked {
        time: Some("day".to_owned()),
        key: vec!["sensor".to_owned()],
        ..Asked::default()
    };
    let found = infer(&path, &asked).unwrap();
    assert_eq!(kind_of(&found), ColumnType::Timestamp);
}

#[test]
fn a_date_is_not_the_time_of_the_rows() {
    let table = TABLE.replace("['time']", "['day']");
    let error = parse(ANY, &table).unwrap_err().to_string();
    assert!(
        error.contains("`day` is a `date`, and the first column of the order key is the time"),
        "{error}"
    );
    for (from, to) in [
        ("['time']", "['time', 'day']"),
        ("['sensor']", "['sensor', 'day']"),
    ] {
        parse(ANY, &TABLE.replace(from, to)).unwrap();
    }
}

#[test]
fn generated_dates_are_the_same_in_batches_and_one_by_one_and_find_their_rows() {
    let table = "[table]\nname = 't'\npartition_key = ['k', 'day']\n[table.columns]\nk = 'text'\n\
                 day = 'date'\nc = 'date'\n";
    let data = "generator = 'columns'\n[data.columns]\nk = { sequence = { cycle = 5 }, prefix = 'k' }\n\
                day = { sequence = { start = '2026-05-01', step = '1d', every = 5 } }\n\
                c = { choice = ['1969-12-31', 2026-05-01] }";
    let workload = parse(data, table).unwrap();
    let (_, values) = made(&workload, 1..3, ColumnType::Date);
    for row in 0..20 {
        let key = [0, 1].map(|column| values.value(column, row, Version::First));
        assert_eq!(key[1], Value::Date(20_574 + row as i32 / 5));
        assert_eq!(values.row_of(&key), Some(row));
    }
    let refused = [
        (
            "'1969-12-31'",
            "5",
            "is not a value of column `c`, which is date",
        ),
        ("'1d'", "'12h'", "`step` has to be whole days"),
        ("'2026-05-01', step", "5, step", "a sequence of dates has"),
        (
            "every = 5",
            "cycle = 3_000_000",
            "the sequence reaches a day behind the year 9999",
        ),
        (
            "sequence = { start = '2026-05-01', step = '1d', every = 5 }",
            "uniform = [1, 2]",
            "`uniform` makes no date",
        ),
    ];
    assert_refused(data, table, &refused);
}

#[test]
fn the_dates_of_a_sample_go_on_with_its_times() {
    let folder = tempfile::tempdir().unwrap();
    // Each row has the day of its time, for four days.
    let stored = Date32Array::from_iter_values((0..96).map(|row| row / 24));
    let path = parquet(folder.path(), Arc::new(stored));
    let data = "requires = '--data'\nscale_sample = { rows = 288, along = 'time' }";
    let workload = parse(data, TABLE).unwrap();
    let rows = read(&*source::open(&workload, Some(path)).unwrap());
    assert_eq!(rows.num_rows(), 288);
    let days = rows.column(2).as_primitive::<Date32Type>().values();
    assert_eq!(days[..96].iter().max(), Some(&3));
    assert!(days[96..192].iter().all(|day| (4..8).contains(day)));
    assert!(days[192..].iter().all(|day| (8..12).contains(day)));
}
