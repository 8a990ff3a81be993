//! Measurement of one setting of a sweep: creates a table, warms up, inserts for the measured time, and
//! counts the rows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use bakeoff_stats::sweep::{AtRest, Cell, Check, Failures, InsertTally, Inserted};
use bakeoff_stats::{During, Footprint, ServerWindow};
use bakeoff_workload::RowSource;
use bakeoff_workload::literal::quoted;

use super::Inserts;
use super::blocks::Blocks;
use super::burst::{Worker, burst, connect};
use super::feed::Feed;
use crate::drive::Shard;
use crate::server_watch::ServerWatch;
use crate::{Design, DesignError};

/// Longest time that creating a table, or counting its rows, may take.
const CALL_LIMIT: Duration = Duration::from_secs(600);
/// Largest number of rows in the batches of all workers together, which are in memory at the same time.
const MAX_ROWS_IN_FLIGHT: u64 = 4_000_000;

/// A batch size with a number of workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    pub batch_rows: u64,
    pub workers: u32,
}

impl Setting {
    /// Returns the number of rows that give each worker one batch for the warm-up and one to be timed.
    pub fn needed_rows(self) -> u64 {
        2 * self.rows_in_flight()
    }

    /// Returns the number of rows of a source of which each of several processes has as many as
    /// [`Setting::needed_rows`].
    pub fn needed_rows_of_all(self, shard: Shard) -> u64 {
        Blocks::new(self.batch_rows, shard).rows_for(self.needed_rows())
    }

    /// Returns why a process cannot measure the setting with its rows of a source of `known_rows` rows; `None` if
    /// it can, as far as their number is known.
    pub fn obstacle(self, known_rows: Option<u64>, shard: Shard) -> Option<String> {
        self.too_many_rows()
            .or_else(|| self.too_few_rows(known_rows?, shard))
    }

    fn rows_in_flight(self) -> u64 {
        self.batch_rows * u64::from(self.workers)
    }

    fn too_few_rows(self, known: u64, shard: Shard) -> Option<String> {
        let needed = self.needed_rows();
        let own = Blocks::new(self.batch_rows, shard).own_rows(known);
        let whose = if shard.is_whole() {
            String::new()
        } else {
            format!(" for shard {shard}")
        };
        (own < needed).then(|| {
            format!("two batches for each worker are {needed} rows, and the data have {own}{whose}")
        })
    }

    fn too_many_rows(self) -> Option<String> {
        let rows = self.rows_in_flight();
        (rows > MAX_ROWS_IN_FLIGHT).then(|| {
            format!(
                "a batch for each worker is {rows} rows, more than the {MAX_ROWS_IN_FLIGHT} \
                 that may be in memory"
            )
        })
    }
}

/// Options that all settings of a sweep have in common.
pub struct Sweeping {
    pub source: Arc<dyn RowSource>,
    /// Part of the rows that this process inserts.
    pub shard: Shard,
    /// Name of the workload's table.
    pub table: String,
    pub warm_up: Duration,
    /// Measured time after the warm-up, during which inserts begin.
    pub length: Duration,
    /// Longest time that one insert may take.
    pub time_out: Duration,
}

/// What came of a setting.
pub struct Measured {
    pub cell: Cell,
    /// Figures of the server in the measured time, if it was sampled.
    pub server: Option<ServerWindow>,
    /// Bytes of the table, or why they are not known; `None` if they were not asked for, or it has no rows.
    pub at_rest: Option<Result<AtRest, String>>,
}

/// What is asked of a setting besides the figures of the client.
pub struct Besides<'a> {
    pub watch: &'a ServerWatch,
    /// Whether the table is brought to rest at the end, and its bytes are read.
    pub rests: bool,
}

/// Checks that a design can create its table, and takes inserts from many workers.
///
/// # Errors
/// If it cannot or does not, in words.
pub async fn check_inserts(design: &dyn Design) -> Result<(), String> {
    table(design).await.map(|_| ())
}

/// Measures a setting in a round. Failures are recorded in the cell, and every step has a time limit.
pub async fn measure(
    design: &dyn Design,
    sweeping: &Sweeping,
    setting: Setting,
    round: u32,
    besides: Besides<'_>,
) -> Measured {
    let cell = Cell {
        design: design.info().id.clone(),
        batch_rows: setting.batch_rows,
        workers: setting.workers,
        round,
        inserted: None,
        failures: Failures::default(),
        check: None,
        reason: setting
            .obstacle(sweeping.source.known_rows(), sweeping.shard)
            .map(|why| not_measured(&why)),
    };
    let mut measured = Measured {
        cell,
        server: None,
        at_rest: None,
    };
    if measured.cell.reason.is_none() {
        let filled = fill(design, sweeping, setting, besides, &mut measured).await;
        design.look().await;
        measured.cell.reason = design.dead().or(filled.err());
    }
    measured
}

/// Warms up a design on a table that is then dropped. Inserts that fail are not reported here, since
/// the first measured setting reports its own.
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
    /// Begins to generate the rows of this process for a setting.
    pub(super) fn feed(&self, inserts: &Arc<dyn Inserts>, setting: Setting) -> Arc<Feed> {
        let (source, inserts) = (Arc::clone(&self.source), Arc::clone(inserts));
        let batch_rows = setting.batch_rows as usize;
        Arc::new(Feed::start(source, inserts, batch_rows, self.shard))
    }
}

pub(super) fn not_measured(why: &str) -> String {
    format!("not measured: {why}")
}

async fn fill(
    design: &dyn Design,
    sweeping: &Sweeping,
    setting: Setting,
    besides: Besides<'_>,
    measured: &mut Measured,
) -> Result<(), String> {
    let cell = &mut measured.cell;
    let inserts = table(design).await?;
    let feed = sweeping.feed(&inserts, setting);
    let workers = match connect(&inserts, setting.workers).await {
        Ok(workers) => workers,
        Err(failures) => {
            cell.failures = failures;
            return Err(unconnected(&cell.failures, setting));
        }
    };
    let inserting = insert(design, workers, &feed, sweeping, cell, besides.watch);
    let (acknowledged, server) = inserting.await;
    measured.server = server;
    cell.check = Some(check(design, sweeping, acknowledged, cell.failures.rows).await);
    if besides.rests && acknowledged > 0 {
        measured.at_rest = Some(at_rest(design, cell, acknowledged).await);
    }
    // Work that the server still has with these rows would slow down other settings, so they are
    // dropped at once. If that fails, this design's next setting will report it.
    let _ = limited(design.create()).await;
    match (feed.broken().await, &cell.inserted) {
        (Some(why), _) => Err(why),
        (None, Some(_)) => Ok(()),
        (None, None) => Err(why_none(&cell.failures)),
    }
}

/// Brings the table of a setting to rest, and reads its bytes.
async fn at_rest(design: &dyn Design, cell: &Cell, rows: u64) -> Result<AtRest, String> {
    let settled = limited(design.settle()).await;
    let how = settled.map_err(|error| format!("bringing its table to rest failed: {error}"))?;
    let read = limited(design.footprint()).await;
    let read = read.map_err(|error| format!("reading the bytes of its table failed: {error}"))?;
    Ok(AtRest {
        batch_rows: cell.batch_rows,
        workers: cell.workers,
        round: cell.round,
        rows,
        how,
        footprint: Footprint {
            design: cell.design.clone(),
            ..read
        },
    })
}

/// Says why nothing was inserted in the measured time.
pub(super) fn why_none(failures: &Failures) -> String {
    match failures.messages.first() {
        Some(message) => format!("no insert succeeded after the warm-up: {message}"),
        None => "not measured: the rows ended before each worker had inserted a batch after \
                 the warm-up; it needs more rows, or a shorter --warm-up"
            .to_owned(),
    }
}

/// Inserts for the warm-up and for the measured time. Returns the number of rows acknowledged in both, and the figures
/// of the server in the measured time.
async fn insert(
    design: &dyn Design,
    workers: Vec<Worker>,
    feed: &Arc<Feed>,
    sweeping: &Sweeping,
    cell: &mut Cell,
    watch: &ServerWatch,
) -> (u64, Option<ServerWindow>) {
    let time_out = sweeping.time_out;
    let (workers, warmed) = burst(workers, feed, sweeping.warm_up, time_out).await;
    let mut watched = watch.begin(design).await;
    let inserting = burst(workers, feed, sweeping.length, time_out);
    let began = Instant::now();
    let (_, measured) = watch.during(design, &mut watched, inserting).await;
    let took = began.elapsed().as_secs_f64();
    let setting = during(cell, &measured);
    let server = watch.end(design, watched, setting, took).await;
    cell.inserted = inserted(&measured, cell.workers);
    let mut all = InsertTally::default();
    all += &warmed;
    all += &measured;
    cell.failures = all.failures();
    (all.rows(), server)
}

/// Describes the measured time of a setting in which so much was inserted.
pub(super) fn during(cell: &Cell, measured: &InsertTally) -> During {
    During::Setting {
        batch_rows: cell.batch_rows,
        workers: cell.workers,
        round: cell.round,
        rows: measured.rows(),
    }
}

/// Sums up what this number of workers inserted. If the rows ran out early, some of them may not have inserted any
/// after the warm-up: then it is no figure of theirs.
pub(super) fn inserted(measured: &InsertTally, workers: u32) -> Option<Inserted> {
    let has_worked = |i: &Inserted| !i.rows_ran_out || i.inserts >= u64::from(workers);
    measured.inserted(workers).filter(has_worked)
}

/// Creates the empty table, replacing the one of the setting before.
async fn table(design: &dyn Design) -> Result<Arc<dyn Inserts>, String> {
    let made = async {
        design.create().await?;
        let inserts = design.inserts().await?;
        inserts.ok_or_else(|| DesignError::new("it takes no inserts from several workers"))
    };
    let made = limited(made).await;
    made.map_err(|e| format!("making the table failed: {e}"))
}

/// Counts the rows of the table, and compares them with those that were acknowledged.
pub(super) async fn check(
    design: &dyn Design,
    sweeping: &Sweeping,
    acknowledged: u64,
    failed: u64,
) -> Check {
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
    let sql = format!("SELECT count(*) AS counted FROM {}", quoted(table));
    let answer = design.answer(&sql).await;
    design.after_answer().await;
    let answer = answer?;
    let counts = answer.batches.iter().filter(|batch| batch.num_rows() == 1);
    let mut counts = counts.filter_map(|b| b.column(0).as_primitive_opt::<Int64Type>());
    let counted = counts.next().and_then(|c| u64::try_from(c.value(0)).ok());
    counted.ok_or_else(|| DesignError(format!("`{sql}` returned no number")))
}

/// Waits for a call up to a limit.
pub(super) async fn limited<T>(
    call: impl Future<Output = Result<T, DesignError>>,
) -> Result<T, DesignError> {
    let ended = tokio::time::timeout(CALL_LIMIT, call).await;
    ended.unwrap_or_else(|_| Err(DesignError(format!("it did not end within {CALL_LIMIT:?}"))))
}

pub(super) fn unconnected(failures: &Failures, setting: Setting) -> String {
    let message = failures.messages.first().map_or("", String::as_str);
    format!(
        "not measured: not all of {} workers could connect: {message}",
        setting.workers
    )
}
