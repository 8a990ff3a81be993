use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arrow::array::{AsArray, Int64Array};
use arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_stats::sweep::{Cell, Check};
use bakeoff_stats::{DesignInfo, FailureKind, Footprint, Role, ServerSample};
use bakeoff_workload::source::RowBatches;
use bakeoff_workload::{RowBatch, RowSource};

use super::measure::{Besides, measure, warm_up};
use super::*;
use crate::drive::{Failure, Shard};
use crate::server_watch::ServerWatch;
use crate::{Answer, Design, DesignError};

mod blocks;

/// Numbers from 0 on, in batches that fit no chunk.
struct Numbers(Option<u64>);

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]))
}

fn numbers(values: impl Iterator<Item = i64>) -> RecordBatch {
    let array: Int64Array = values.map(Some).collect();
    RecordBatch::try_from_iter([("n", Arc::new(array) as _)]).unwrap()
}

impl RowSource for Numbers {
    fn schema(&self) -> SchemaRef {
        schema()
    }

    fn known_rows(&self) -> Option<u64> {
        self.0
    }

    fn read(&self, from: u64, _: usize) -> bakeoff_workload::Result<RowBatches> {
        let end = self.0.unwrap_or(u64::MAX >> 1);
        let batches = (from..end).step_by(700).map(move |first_row| {
            let last = (first_row + 700).min(end);
            let rows = numbers(first_row as i64..last as i64);
            Ok(RowBatch { first_row, rows })
        });
        Ok(Box::new(batches))
    }

    fn may_repeat_keys(&self) -> bool {
        false
    }
}

/// Numbers whose reader panics after the first batches.
struct Panicking;

impl RowSource for Panicking {
    fn schema(&self) -> SchemaRef {
        schema()
    }

    fn known_rows(&self) -> Option<u64> {
        None
    }

    fn read(&self, from: u64, rows: usize) -> bakeoff_workload::Result<RowBatches> {
        let batches = Numbers(None).read(from, rows)?;
        Ok(Box::new(batches.enumerate().map(|(number, batch)| {
            assert!(number < 20, "a broken page");
            batch
        })))
    }

    fn may_repeat_keys(&self) -> bool {
        false
    }
}

/// Fault of a table of a test.
#[derive(Clone, Copy, PartialEq)]
pub enum Fault {
    Nothing,
    /// Every third insert is refused, and written all the same.
    SomeAreRefused,
    AllAreRefused,
    /// The rows of one insert are acknowledged and not kept.
    OneIsLost,
    NoInsertEnds,
    /// More than two workers cannot connect.
    TooManyWorkers,
    NoCount,
    Panics,
}

#[derive(Default)]
pub struct Kept {
    pub rows: Mutex<Vec<i64>>,
    /// Values that were in the table when it was emptied.
    pub dropped: Mutex<Vec<i64>>,
    inserts: AtomicU64,
    connections: AtomicU64,
}

pub struct Fake {
    pub info: DesignInfo,
    pub fault: Fault,
    pub kept: Arc<Kept>,
}

#[derive(Clone)]
struct FakeInserts(Fault, Arc<Kept>);

#[async_trait]
impl Design for Fake {
    fn info(&self) -> &DesignInfo {
        &self.info
    }
    fn keeps_duplicates(&self) -> bool {
        true
    }
    async fn create(&self) -> Result<(), DesignError> {
        *self.kept.dropped.lock().unwrap() = std::mem::take(&mut *self.kept.rows.lock().unwrap());
        Ok(())
    }
    async fn survives(&self) -> bool {
        true
    }
    async fn load(&self, _: u64, _: &RecordBatch) -> Result<(), DesignError> {
        Err(DesignError::new("a sweep loads nothing"))
    }
    async fn settle(&self) -> Result<String, DesignError> {
        Err(DesignError::new("a sweep settles nothing"))
    }
    async fn footprint(&self) -> Result<Footprint, DesignError> {
        Err(DesignError::new("a sweep measures no storage"))
    }
    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        assert_eq!(sql, "SELECT count(*) AS counted FROM \"t\"");
        if self.fault == Fault::NoCount {
            return Err(DesignError::new("no count"));
        }
        let count = self.kept.rows.lock().unwrap().len() as i64;
        let batches = vec![numbers(std::iter::once(count))];
        Ok(Answer {
            batches,
            rows_scanned: None,
            ..Answer::default()
        })
    }
    async fn inserts(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        Ok(Some(Arc::new(FakeInserts(
            self.fault,
            Arc::clone(&self.kept),
        ))))
    }
    async fn server_sample(&self) -> Option<ServerSample> {
        Some(ServerSample {
            coordinator_writes: Some(self.kept.inserts.load(Ordering::Relaxed)),
            ..ServerSample::default()
        })
    }
}

#[async_trait]
impl Inserts for FakeInserts {
    async fn connect(&self) -> Result<Box<dyn Inserter>, Failure> {
        let before = self.1.connections.fetch_add(1, Ordering::Relaxed);
        if self.0 == Fault::TooManyWorkers && before >= 2 {
            Err(Failure::new(FailureKind::Connection, "too many clients"))
        } else {
            Ok(Box::new(self.clone()))
        }
    }
}

#[async_trait]
impl Inserter for FakeInserts {
    async fn insert(&mut self, rows: &RecordBatch) -> Result<(), Failure> {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let number = self.1.inserts.fetch_add(1, Ordering::Relaxed);
        let refused = Err(Failure::new(FailureKind::Overloaded, "not now"));
        match (self.0, number) {
            (Fault::AllAreRefused, _) => return refused,
            (Fault::OneIsLost, 0) => return Ok(()),
            (Fault::NoInsertEnds, _) => std::future::pending().await,
            (Fault::Panics, _) => panic!("as the test has it"),
            _ => {}
        }
        let values = rows.column(0).as_primitive::<Int64Type>().values();
        self.1.rows.lock().unwrap().extend(values);
        match (self.0, number % 3) {
            (Fault::SomeAreRefused, 0) => refused,
            _ => Ok(()),
        }
    }
}

struct Swept {
    cell: Cell,
    rows: Vec<i64>,
}

async fn swept(fault: Fault, batch_rows: u64, workers: u32) -> Swept {
    let setting = Setting {
        batch_rows,
        workers,
    };
    swept_of(fault, setting, None, Duration::from_millis(60)).await
}

async fn swept_of(
    fault: Fault,
    setting: Setting,
    known_rows: Option<u64>,
    length: Duration,
) -> Swept {
    let (design, sweeping) = (fake(fault), sweeping(known_rows, length));
    let cell = cell_of(&design, &sweeping, setting).await;
    // It leaves an empty table.
    assert!(design.kept.rows.lock().unwrap().is_empty());
    let rows = design.kept.dropped.lock().unwrap().clone();
    Swept { cell, rows }
}

/// Measures a setting, and returns what the client has of it.
pub async fn cell_of(design: &Fake, sweeping: &Sweeping, setting: Setting) -> Cell {
    let besides = Besides {
        watch: &ServerWatch::default(),
        rests: false,
    };
    measure(design, sweeping, setting, 1, besides).await.cell
}

pub fn fake(fault: Fault) -> Fake {
    Fake {
        info: DesignInfo {
            id: "fake".to_owned(),
            engine: "fake".to_owned(),
            role: Role::Store,
            server: false,
            settings: Vec::new(),
            statements: Vec::new(),
            unit_rows: None,
            not_asked: Vec::new(),
            stored_by: None,
            table_of: None,
        },
        fault,
        kept: Arc::default(),
    }
}

pub fn sweeping(known_rows: Option<u64>, length: Duration) -> Sweeping {
    Sweeping {
        source: Arc::new(Numbers(known_rows)),
        shard: Shard::WHOLE,
        table: "t".to_owned(),
        warm_up: Duration::ZERO,
        length,
        time_out: Duration::from_millis(300),
    }
}

#[tokio::test]
async fn each_row_is_inserted_once_whatever_the_batch() {
    for batch_rows in [1, 300, 10_000] {
        let Swept { cell, mut rows } = swept(Fault::Nothing, batch_rows, 3).await;
        rows.sort_unstable();
        assert_eq!(rows, (0..rows.len() as i64).collect::<Vec<_>>());
        let inserted = cell.inserted.unwrap();
        assert_eq!(inserted.rows, inserted.inserts * batch_rows);
        assert!(inserted.p50 >= 0.001 && !inserted.rows_ran_out);
        let counted = rows.len() as u64;
        // The warm-up's rows are there, too, and in no figure.
        assert!(inserted.rows < counted);
        assert_eq!(cell.check, Some(Check::new(counted, counted, 0)));
        assert_eq!(cell.reason, None);
    }
}

#[tokio::test]
async fn refused_inserts_are_counted_and_in_no_figure() {
    let Swept { cell, rows } = swept(Fault::SomeAreRefused, 10, 4).await;
    let [(kind, failed)] = cell.failures.kinds[..] else {
        panic!("{cell:?}");
    };
    assert_eq!(kind, FailureKind::Overloaded);
    assert_eq!(cell.failures.rows, 10 * failed);
    assert_eq!(cell.failures.messages, ["not now"]);
    // They were written all the same, which is not wrong.
    let Some(Check::Right {
        counted,
        acknowledged,
    }) = cell.check
    else {
        panic!("{cell:?}");
    };
    assert_eq!(counted, rows.len() as u64);
    assert_eq!(counted, acknowledged + 10 * failed);
}

#[tokio::test]
async fn acknowledged_rows_that_are_missing_are_reported() {
    let cell = swept(Fault::OneIsLost, 10, 1).await.cell;
    assert!(cell.check.unwrap().is_wrong());
    let cell = swept(Fault::NoCount, 10, 1).await.cell;
    assert!(cell.check.unwrap().is_wrong());
}

#[tokio::test]
async fn a_warm_up_inserts_or_says_why_not() {
    let length = Duration::from_millis(60);
    let sweeping = sweeping(None, length);
    let setting = |batch_rows, workers| Setting {
        batch_rows,
        workers,
    };
    let design = fake(Fault::Nothing);
    let warmed = warm_up(&design, &sweeping, setting(10, 4), length).await;
    assert_eq!(warmed, Ok(()));
    assert!(design.kept.inserts.load(Ordering::Relaxed) >= 4);
    let design = fake(Fault::TooManyWorkers);
    let warmed = warm_up(&design, &sweeping, setting(10, 4), length).await;
    let reason = warmed.unwrap_err();
    assert!(reason.contains("too many clients"), "{reason}");
    let warmed = warm_up(&design, &sweeping, setting(100_000, 4_000), length).await;
    assert!(warmed.unwrap_err().contains("400000000 rows"));
}

#[tokio::test]
async fn a_setting_in_which_nothing_succeeds_has_a_reason_and_no_figure() {
    for (fault, kind, words) in [
        (Fault::AllAreRefused, FailureKind::Overloaded, "not now"),
        (
            Fault::NoInsertEnds,
            FailureKind::TimedOut,
            "no acknowledgement within 300ms",
        ),
        (
            Fault::TooManyWorkers,
            FailureKind::Connection,
            "not all of 4 workers could connect: too many clients",
        ),
        (Fault::Panics, FailureKind::Rejected, "broke off"),
    ] {
        let cell = swept(fault, 10, 4).await.cell;
        assert_eq!(cell.inserted, None);
        assert_eq!(cell.failures.kinds[0].0, kind);
        let reason = cell.reason.unwrap();
        assert!(reason.contains(words), "{reason}");
    }
}

#[tokio::test]
async fn the_end_of_the_rows_is_reported() {
    let of_rows = |known_rows, workers| {
        let setting = Setting {
            batch_rows: 10,
            workers,
        };
        // Nothing waits that long: the rows end before.
        let length = Duration::from_secs(600);
        swept_of(Fault::Nothing, setting, Some(known_rows), length)
    };
    let reason = of_rows(79, 4).await.cell.reason.unwrap();
    assert!(
        reason.contains("are 80 rows, and the data have 79"),
        "{reason}"
    );
    let some = of_rows(215, 1).await.cell;
    assert!(some.inserted.unwrap().rows_ran_out);
    // What is left is no whole batch.
    assert_eq!(some.check, Some(Check::new(210, 210, 0)));
}

#[tokio::test]
async fn a_source_that_panics_is_not_taken_for_the_end_of_its_rows() {
    let sweeping = Sweeping {
        source: Arc::new(Panicking),
        ..sweeping(None, Duration::from_secs(600))
    };
    let setting = Setting {
        batch_rows: 10,
        workers: 1,
    };
    let cell = cell_of(&fake(Fault::Nothing), &sweeping, setting).await;
    let reason = cell.reason.unwrap();
    assert!(reason.starts_with("making rows failed: a bug"), "{reason}");
    assert!(reason.ends_with("a broken page"), "{reason}");
}
