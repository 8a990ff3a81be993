use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_driver::drive::{Call, Done};
use bakeoff_stats::FailureKind;
use bakeoff_workload::{RowSource, Workload, source};

use super::*;
use crate::TargetOptions;

/// Five sensors take turns with a reading every 10 s.
pub const SERIES: &str = r#"
title = "Series"
[table]
name = "series"
columns = { sensor = "text", time = "timestamp", value = "int" }
partition_key = ["sensor"]
order_key = ["time"]
[data]
generator = "columns"
[data.columns]
sensor = { sequence = { cycle = 5 }, prefix = "s" }
time = { sequence = { start = "2026-01-01T00:00:00Z", step = "10s", every = 5 } }
value = { uniform = [0, 1_000_000] }
[scale]
rows = 50
[mix]
[[mix.operations]]
action = "read-row"
weight = 100
"#;

const WHOLE: ReadRows = ReadRows::Partition {
    limit: None,
    descending: false,
};
const BACKWARDS: ReadRows = ReadRows::Partition {
    limit: None,
    descending: true,
};
/// Rows of the third sensor.
const THIRD: [u64; 10] = [2, 7, 12, 17, 22, 27, 32, 37, 42, 47];

/// Returns a workload, and the options of a load that begins with these of its rows.
pub fn workload_with(text: &str, loaded: Range<u64>) -> (Workload, TargetOptions) {
    let workload = Workload::parse(text, Path::new("series.toml")).unwrap();
    let source: Arc<dyn RowSource> = source::open(&workload, None).unwrap().into();
    let count = workload.scale.default_rows;
    let values = source::row_values(&workload, source, count).unwrap();
    let options = TargetOptions {
        keys_repeat: source::keys_repeat(&workload, &*values, count, 1),
        values,
        mix: Arc::new(workload.mix.clone().unwrap()),
        loaded,
        in_flight_per_worker: 1,
        request_time_limit: Duration::from_secs(1),
        consistency: None,
    };
    (workload, options)
}

fn rows_of(text: &str, loaded: Range<u64>) -> Rows {
    let (workload, options) = workload_with(text, loaded);
    Rows::of_table(&workload.table, &options)
}

fn series() -> Rows {
    rows_of(SERIES, 0..50)
}

/// The cells of a row as they are on the wire, with something added to its value.
fn cells(rows: &Rows, row: u64, added: i32) -> Vec<Option<Vec<u8>>> {
    let cell = |selected: &Selected| {
        let Selected::Column(column) = selected else {
            panic!("a table without a blob")
        };
        match rows.values.value(*column, row, Version::First) {
            Value::Text(text) => Some(text.into_bytes()),
            Value::Timestamp(time) => Some(time.to_be_bytes().to_vec()),
            Value::Int(number) if rows.table.is_key(&rows.table.columns[*column].name) => {
                Some(number.to_be_bytes().to_vec())
            }
            Value::Int(number) => Some((number + added).to_be_bytes().to_vec()),
            other => panic!("{other:?}"),
        }
    };
    rows.selected.iter().map(cell).collect()
}

/// Checks a read of a row whose reply has the given rows.
fn read(rows: &Rows, drawn: u64, wanted: ReadRows, came: &[u64]) -> Result<Done, Failure> {
    let call = Call {
        number: 0,
        operation: 0,
        row: drawn,
        row_step: 1,
        row_exists: true,
    };
    let checker = Checker {
        rows,
        operation: "read",
        call: &call,
    };
    let mut walk = Walk::new(rows, drawn, wanted);
    for row in came {
        let cells = cells(rows, *row, 0);
        walk.row(&checker, cells.iter().map(|cell| Ok(cell.as_deref())))?;
    }
    let done = Done {
        rows: came.len() as u64,
        ..Done::default()
    };
    checker.whole(wanted, Some(walk), done)
}

/// Returns the message about a missing row, if there is one.
fn missing(rows: &Rows, drawn: u64, wanted: ReadRows, came: &[u64]) -> Option<String> {
    let failure = read(rows, drawn, wanted, came).err()?;
    assert_eq!(failure.kind, FailureKind::Missing, "{failure}");
    Some(failure.message)
}

fn without(row: u64) -> Vec<u64> {
    THIRD.into_iter().filter(|other| *other != row).collect()
}

fn reversed(rows: &[u64]) -> Vec<u64> {
    rows.iter().rev().copied().collect()
}

#[test]
fn a_whole_partition_is_accepted() {
    let rows = series();
    assert_eq!(missing(&rows, 22, WHOLE, &THIRD), None);
    assert_eq!(missing(&rows, 22, BACKWARDS, &reversed(&THIRD)), None);
    assert_eq!(
        missing(&rows, 27, ReadRows::From { limit: 9 }, &THIRD[5..]),
        None
    );
}

#[test]
fn a_row_that_is_missing_anywhere_is_noticed() {
    let rows = series();
    for row in THIRD.into_iter().filter(|row| *row != 22) {
        let message = Some(format!("read: row {row} is missing from the reply"));
        assert_eq!(missing(&rows, 22, WHOLE, &without(row)), message);
        assert_eq!(
            missing(&rows, 22, BACKWARDS, &reversed(&without(row))),
            message
        );
        if row > 22 {
            let from: Vec<u64> = without(row).into_iter().filter(|row| *row >= 22).collect();
            assert_eq!(
                missing(&rows, 22, ReadRows::From { limit: 9 }, &from),
                message
            );
        }
    }
    let drawn = missing(&rows, 22, ReadRows::From { limit: 2 }, &[27, 32]);
    assert_eq!(
        drawn.as_deref(),
        Some("read: row 22 is missing from the reply")
    );
}

#[test]
fn a_limit_cuts_off_what_comes_later() {
    let rows = series();
    let limited = |descending| ReadRows::Partition {
        limit: Some(3),
        descending,
    };
    assert_eq!(missing(&rows, 32, limited(false), &[2, 7, 12]), None);
    assert_eq!(missing(&rows, 2, limited(true), &[47, 42, 37]), None);
    assert_eq!(
        missing(&rows, 7, ReadRows::From { limit: 3 }, &[7, 12, 17]),
        None
    );
    let message = |row| Some(format!("read: row {row} is missing from the reply"));
    assert_eq!(missing(&rows, 7, limited(false), &[2, 7]), message(12));
    assert_eq!(missing(&rows, 2, limited(true), &[42, 37, 32]), message(47));
}

#[test]
fn rows_that_the_load_inserts_may_be_there_or_not() {
    let rows = series();
    let with = |more: &[u64]| [&THIRD[..], more].concat();
    for more in [&[52][..], &[57], &[52, 62]] {
        let came = with(more);
        assert_eq!(missing(&rows, 22, WHOLE, &came), None);
        assert_eq!(missing(&rows, 22, BACKWARDS, &reversed(&came)), None);
    }
    let gap = [&without(47)[..], &[52]].concat();
    assert!(missing(&rows, 22, WHOLE, &gap).is_some());
    assert!(missing(&rows, 22, BACKWARDS, &reversed(&gap)).is_some());
}

#[test]
fn a_bucket_and_another_process_s_rows_end_a_partition() {
    // Three readings of a sensor are in one bucket.
    let mut rows = series();
    let time = rows.table.column_index("time").unwrap();
    rows.bucket = Some((time, 30_000));
    assert_eq!(missing(&rows, 22, WHOLE, &[17, 22, 27]), None);
    assert_eq!(missing(&rows, 22, BACKWARDS, &[27, 22, 17]), None);
    let message = missing(&rows, 22, WHOLE, &[17, 22]);
    assert_eq!(
        message.as_deref(),
        Some("read: row 27 is missing from the reply")
    );

    let rows = rows_of(SERIES, 20..35);
    assert_eq!(missing(&rows, 22, WHOLE, &[7, 22, 27, 32, 42]), None);
    assert!(missing(&rows, 22, WHOLE, &[22, 32]).is_some());
}

#[test]
fn rows_that_may_be_gone_are_not_asked_for() {
    let removing = SERIES.replace(
        "weight = 100",
        "weight = 50\n[[mix.operations]]\naction = \"delete-row\"\nweight = 50",
    );
    let rows = rows_of(&removing, 0..50);
    assert_eq!(missing(&rows, 22, WHOLE, &[2, 47]), None);
}

#[test]
fn a_wrong_cell_is_noticed_where_keys_are_a_cycle() {
    let cycle = SERIES.replace("every = 5 }", "every = 5, cycle = 10 }");
    let rows = rows_of(&cycle, 0..50);
    let call = Call {
        number: 0,
        operation: 0,
        row: 22,
        row_step: 1,
        row_exists: true,
    };
    let checker = Checker {
        rows: &rows,
        operation: "read",
        call: &call,
    };
    let check = |added| {
        let cells = cells(&rows, 22, added);
        checker.row(22, cells.iter().map(|cell| Ok(cell.as_deref())))
    };
    assert_eq!(check(0), Ok(()));
    let failure = check(1).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Wrong);
    assert!(
        failure.message.contains("column `value` of row 22 is"),
        "{failure}"
    );
}
