//! One setting of a sweep: a new table, a warm-up, the measured time, the rows counted.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use bakeoff_stats::sweep::{Cell, Check, Failures, InsertTally, Inserted};
use bakeoff_workload::RowSource;

use super::Inserts;
use super::burst::{Worker, burst, connect};
use super::feed::Feed;
use crate::{Design, DesignError};

/// The longest that making a table, or counting its rows, may take.
const CALL_LIMIT: Duration = Duration::from_secs(600);
/// Rows of all workers' batches together, which are in memory at the same time.
const MOST_ROWS_ON_THEIR_WAY: u64 = 4_000_000;

/// A batch size with a number of workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    pub batch_rows: u64,
    pub workers: u32,
}

impl Setting {
    /// Rows of which each worker has a batch to warm up with and one to be measured by.
    pub fn needed_rows(self) -> u64 {
        2 * self.rows_on_their_way()
    }

    /// Why it cannot be measured with that many rows, where their number is known.
    pub fn obstacle(self, known_rows: Option<u64>) -> Option<String> {
        self.too_many_rows()
            .or_else(|| self.too_few_rows(known_rows?))
    }

    fn rows_on_their_way(self) -> u64 {
        self.batch_rows * u64::from(self.workers)
    }

    fn too_few_rows(self, known: u64) -> Option<String> {
        let needed = self.needed_rows();
        (known < needed).then(|| {
            format!("two batches for each worker are {needed} rows, and the data have {known}")
        })
    }

    fn too_many_rows(self) -> Option<String> {
        let rows = self.rows_on_their_way();
        (rows > MOST_ROWS_ON_THEIR_WAY).then(|| {
            format!(
                "a batch for each worker is {rows} rows, more than the {MOST_ROWS_ON_THEIR_WAY} \
                 that may be in memory"
            )
        })
    }
}

/// What is the same for all settings of a sweep.
pub struct Sweeping {
    pub source: Arc<dyn RowSource>,
    /// Name of the workload's table.
    pub table: String,
    pub warm_up: Duration,
    /// Time in which inserts begin after the warm-up.
    pub length: Duration,
    /// The longest that one insert may take.
    pub time_out: Duration,
}

/// Makes the table of a design, and asks how it takes inserts from many workers.
///
/// # Errors
/// If its table cannot be made, or takes none, in words.
pub async fn check_inserts(design: &dyn Design) -> Result<(), String> {
    table(design).await.map(|_| ())
}

/// Measures a setting. Whatever goes wrong is in the cell, and all of it ends within limits.
pub async fn measure(design: &dyn Design, sweeping: &Sweeping, setting: Setting) -> Cell {
    let mut cell = Cell {
        design: design.info().id.clone(),
        batch_rows: setting.batch_rows,
        workers: setting.workers,
        inserted: None,
        failures: Failures::default(),
        check: None,
        reason: { setting.obstacle(sweeping.source.known_rows()) }.map(|why| not_measured(&why)),
    };
    if cell.reason.is_none() {
        let filled = fill(design, sweeping, setting, &mut cell).await;
        cell.reason = filled.err().or_else(|| cell.reason.take());
        cell.reason = design.dead().or(cell.reason);
    }
    cell
}

/// Lets a design warm up on a table that is then thrown away. Inserts that fail are reported by the
/// first setting that is measured.
///
/// # Errors
/// If no insert could begin, in words.
pub async fn warm_up(
    design: &dyn Design,
    sweeping: &Sweeping,
    setting: Setting,
    length: Duration,
) -> Result<(), String> {
    if let Some(why) = setting.too_many_rows() {
        return Err(not_measured(&why));
    }
    let inserts = table(design).await?;
    let feed = sweeping.feed(&inserts, setting);
    let workers = connect(&inserts, setting.workers).await;
    let workers = workers.map_err(|failures| unconnected(&failures, setting))?;
    burst(workers, &feed, length, sweeping.time_out).await;
    Ok(())
}

impl Sweeping {
    fn feed(&self, inserts: &Arc<dyn Inserts>, setting: Setting) -> Arc<Feed> {
        let (source, inserts) = (Arc::clone(&self.source), Arc::clone(inserts));
        Arc::new(Feed::start(source, inserts, setting.batch_rows as usize))
    }
}

fn not_measured(why: &str) -> String {
    format!("not measured: {why}")
}

async fn fill(
    design: &dyn Design,
    sweeping: &Sweeping,
    setting: Setting,
    cell: &mut Cell,
) -> Result<(), String> {
    let inserts = table(design).await?;
    let feed = sweeping.feed(&inserts, setting);
    let workers = match connect(&inserts, setting.workers).await {
        Ok(workers) => workers,
        Err(failures) => {
            cell.failures = failures;
            return Err(unconnected(&cell.failures, setting));
        }
    };
    let acknowledged = insert(workers, &feed, sweeping, cell).await;
    cell.check = Some(check(design, sweeping, acknowledged, cell.failures.rows).await);
    // What a server still does about these rows would be in other settings' times. What goes wrong
    // is reported by this design's next setting.
    let _ = limited(design.create()).await;
    match (feed.broken().await, &cell.inserted) {
        (Some(why), _) => Err(why),
        (None, Some(_)) => Ok(()),
        (None, None) => Err(match cell.failures.messages.first() {
            Some(message) => format!("no insert succeeded after the warm-up: {message}"),
            None => "not measured: the rows ended before each worker had inserted a batch after \
                     the warm-up; it needs more rows, or a shorter --warm-up"
                .to_owned(),
        }),
    }
}

/// Warm-up and measured time; returns how many rows were acknowledged in both.
async fn insert(
    workers: Vec<Worker>,
    feed: &Arc<Feed>,
    sweeping: &Sweeping,
    cell: &mut Cell,
) -> u64 {
    let time_out = sweeping.time_out;
    let (workers, warmed) = burst(workers, feed, sweeping.warm_up, time_out).await;
    let (_, measured) = burst(workers, feed, sweeping.length, time_out).await;
    // Where the warm-up took most rows, some workers had none.
    let has_worked = |i: &Inserted| !i.rows_ran_out || i.inserts >= u64::from(cell.workers);
    cell.inserted = measured.inserted(cell.workers).filter(has_worked);
    let mut all = InsertTally::default();
    all += &warmed;
    all += &measured;
    cell.failures = all.failures();
    all.rows()
}

/// Makes the empty table again.
async fn table(design: &dyn Design) -> Result<Arc<dyn Inserts>, String> {
    let made = async {
        design.create().await?;
        let inserts = design.inserts().await?;
        inserts.ok_or_else(|| DesignError::new("it takes no inserts from several workers"))
    };
    let made = limited(made).await;
    made.map_err(|e| format!("making the table failed: {e}"))
}

async fn check(design: &dyn Design, sweeping: &Sweeping, acknowledged: u64, failed: u64) -> Check {
    if sweeping.source.may_repeat_keys() && !design.keeps_duplicates() {
        return Check::NotDone {
            why: "several rows may have the same key, of which the last is kept".to_owned(),
        };
    }
    match limited(count(design, &sweeping.table)).await {
        Ok(counted) => Check::new(counted, acknowledged, failed),
        Err(error) => Check::Failed {
            why: error.to_string(),
        },
    }
}

async fn count(design: &dyn Design, table: &str) -> Result<u64, DesignError> {
    let table = table.replace('"', "\"\"");
    let sql = format!("SELECT count(*) AS counted FROM \"{table}\"");
    let answer = design.answer(&sql).await?;
    let counts = answer.batches.iter().filter(|batch| batch.num_rows() == 1);
    let mut counts = counts.filter_map(|b| b.column(0).as_primitive_opt::<Int64Type>());
    let counted = counts.next().and_then(|c| u64::try_from(c.value(0)).ok());
    counted.ok_or_else(|| DesignError(format!("`{sql}` gave no number")))
}

async fn limited<T>(call: impl Future<Output = Result<T, DesignError>>) -> Result<T, DesignError> {
    let ended = tokio::time::timeout(CALL_LIMIT, call).await;
    ended.unwrap_or_else(|_| Err(DesignError(format!("no end within {CALL_LIMIT:?}"))))
}

fn unconnected(failures: &Failures, setting: Setting) -> String {
    let message = failures.messages.first().map_or("", String::as_str);
    format!(
        "not measured: not all of {} workers could connect: {message}",
        setting.workers
    )
}
