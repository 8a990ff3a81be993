//! Loading: the same slices of rows into every design, in random order slice by slice, so that
//! drift and warming up hit all alike.

use std::time::{Duration, Instant};

use arrow::record_batch::RecordBatch;
use bakeoff_stats::{During, LoadSlice, Record, RowsLeft, Step};

use super::context::{Context, RunError};
use super::partitions;
use super::smaller::rows_to_forecast;
use super::state::SliceBounds;
use crate::call::if_whole;
use crate::order::shuffled;
use crate::reader::Reader;
use crate::{Design, Meter};

/// Rows that are read at a time, and the size of the first slice.
pub const READ_ROWS: u64 = 5_000;
/// No slice has more rows than this, so that progress is seen and a resumed run repeats little.
const SLICE_ROWS_LIMIT: u64 = 100_000;
/// No slice is larger in memory than this.
const SLICE_BYTES_LIMIT: usize = 32 << 20;
/// Rows beyond those that are loaded which are counted in a file.
const COUNTED_BEYOND: u64 = 1_000_000;

/// Loads until the rows asked for are in, the source ends, or the budget's share is used up.
/// Returns how many rows every live design holds.
pub async fn load(run: &mut Context<'_>) -> Result<u64, RunError> {
    run.observer.phase("loading");
    let began = Instant::now();
    let mut pace = Pace::new();
    let mut reader = Reader::new(run.source.clone(), READ_ROWS as usize);
    let (mut slice, mut first_row) = (0, 0);
    loop {
        let recorded = recorded(run, slice);
        let Some(wanted) = recorded
            .map(|s| s.rows)
            .or_else(|| next_slice(run, &pace, first_row))
        else {
            break;
        };
        let needing = needing(run, slice);
        match (recorded, needing.is_empty()) {
            (Some(bounds), true) => first_row += bounds.rows,
            (None, true) => break,
            (_, false) => {
                let Some(rows) = reader.take(first_row, wanted).await? else {
                    break;
                };
                let bounds = SliceBounds {
                    first_row,
                    rows: rows.num_rows() as u64,
                };
                if run.log.state().begun_slice(slice) != Some(bounds) {
                    run.log.record(Record::SliceBegun {
                        slice,
                        first_row,
                        rows: bounds.rows,
                    })?;
                }
                let started = Instant::now();
                load_slice(run, slice, bounds, &rows, needing).await?;
                pace.note(bounds.rows, started.elapsed(), rows.get_array_memory_size());
                partitions::count(run, first_row, &rows)?;
                first_row += bounds.rows;
                run.observer.between_steps();
            }
        }
        slice += 1;
    }
    if first_row == 0 && !run.live().is_empty() {
        return Err(RunError::NoRows(run.workload.name.clone()));
    }
    // A count of rows that no design holds would be taken for that of all by those that come after.
    if run.live().is_empty() {
        return Ok(first_row);
    }
    let (rows, took) = (first_row, began.elapsed());
    let mut left = None;
    if run.log.state().loaded_rows.is_none() {
        let (is_all, more) = rows_left(run, rows).await?;
        left = more;
        run.log.record(Record::LoadingDone { rows, left, is_all })?;
    }
    run.observer.done(&loaded(rows, left), took);
    Ok(rows)
}

/// Returns whether all rows of the data are loaded, and those beyond, which are counted up to a limit only.
async fn rows_left(run: &Context<'_>, loaded: u64) -> Result<(bool, Option<RowsLeft>), RunError> {
    let (source, most) = (run.source.clone(), loaded.saturating_add(COUNTED_BEYOND));
    let counting = tokio::task::spawn_blocking(move || source.count_rows(most));
    let of = counting
        .await
        .map_err(|e| RunError::Reader(e.to_string()))??;
    let by_budget = run.budget_decides() && loaded < run.workload.scale.full_rows;
    let is_all = of.is_some_and(|of| of <= loaded);
    let left = match of {
        _ if is_all => None,
        None if !by_budget => None,
        _ => Some(RowsLeft {
            of,
            counted: run.source.known_rows().is_some() || of.is_some_and(|of| of < most),
            by_budget,
        }),
    };
    Ok((is_all, left))
}

fn loaded(rows: u64, left: Option<RowsLeft>) -> String {
    let of = match left {
        Some(RowsLeft {
            of: Some(of),
            counted,
            ..
        }) => format!(" of {}{of}", if counted { "" } else { "at least " }),
        _ => String::new(),
    };
    let why = match left {
        Some(left) if left.by_budget => ", its part of the budget allowed no more",
        _ => "",
    };
    format!("loaded {rows}{of} rows{why}")
}

/// The rows of a slice that a design has, or may have a part of: where a budget decides how much is
/// loaded, tables were recreated, and have no part of it.
fn recorded(run: &Context<'_>, slice: u64) -> Option<SliceBounds> {
    let state = run.log.state();
    let begun = || state.begun_slice(slice).filter(|_| !run.budget_decides());
    state.slice(slice).or_else(begun)
}

/// Rows of the next slice that no design has loaded yet; `None` when enough is loaded.
fn next_slice(run: &Context<'_>, pace: &Pace, first_row: u64) -> Option<u64> {
    let state = run.log.state();
    let target = state.loaded_rows.or(run.settings.rows);
    // A budget never loads more than the workload's full scale.
    let most = target.unwrap_or(run.workload.scale.full_rows);
    let left = most.saturating_sub(first_row);
    let mut rows = pace.rows.min(left);
    if let (None, Some(budget)) = (target, run.settings.budget)
        && first_row > 0
    {
        let live = run.live_tables();
        let fewest = rows_to_forecast(live.iter().map(|design| design.info()));
        let further = run.settings.further;
        let work = further.work(&run.workload.scale, first_row + rows, &fewest);
        while !budget.allows_loading(pace.expected(rows), work) {
            rows /= 2;
            if rows < READ_ROWS {
                return None;
            }
        }
    }
    (rows > 0).then_some(rows)
}

fn needing<'a>(run: &Context<'a>, slice: u64) -> Vec<&'a dyn Design> {
    let mut designs = run.live_tables();
    designs.retain(|d| run.log.state().design(&d.info().id).slices <= slice);
    shuffled(designs, &[run.workload.seed, slice])
}

async fn load_slice(
    run: &mut Context<'_>,
    slice: u64,
    bounds: SliceBounds,
    rows: &RecordBatch,
    designs: Vec<&dyn Design>,
) -> Result<(), RunError> {
    for design in designs {
        load_one(run, design, slice, bounds, rows).await?;
    }
    Ok(())
}

/// Loads a slice into one design; one that does not take it fails alone.
pub async fn load_one(
    run: &mut Context<'_>,
    design: &dyn Design,
    slice: u64,
    bounds: SliceBounds,
    rows: &RecordBatch,
) -> Result<(), RunError> {
    let id = &design.info().id;
    let mut watched = run.watch(design).await;
    let (meter, started) = (Meter::start(design), Instant::now());
    let loading = run.highest.during(design, design.load(slice, rows));
    let loading = run.limited(loading);
    let loaded = run.server.during(design, &mut watched, loading).await;
    let (seconds, cpu) = (started.elapsed().as_secs_f64(), meter.stop(design));
    design.look().await;
    if let Err(error) = if_whole(design, loaded) {
        return run.fail(design, Step::Load, None, error);
    }
    run.highest.after_slice(design, slice).await;
    run.log.record(Record::Loaded(LoadSlice {
        design: id.clone(),
        slice,
        first_row: bounds.first_row,
        rows: bounds.rows,
        seconds,
        cpu,
    }))?;
    let during = During::Load {
        slice,
        rows: bounds.rows,
    };
    run.record_server(design, watched, during, seconds).await?;
    let all = run.log.state().loaded_rows.or(run.settings.rows);
    let total = all.filter(|_| run.is_own_table(design));
    let loaded = bounds.first_row + bounds.rows;
    run.observer.loading(id, loaded, total);
    Ok(())
}

/// How large slices are, and how long the last one took. Their size depends on the rows alone: it is part
/// of what makes a design fast or slow, and must not depend on which others take part.
struct Pace {
    rows: u64,
    seconds_per_row: f64,
}

impl Pace {
    fn new() -> Self {
        Pace {
            rows: READ_ROWS,
            seconds_per_row: 0.0,
        }
    }

    fn expected(&self, rows: u64) -> Duration {
        Duration::from_secs_f64(self.seconds_per_row * rows as f64)
    }

    fn note(&mut self, rows: u64, took: Duration, bytes: usize) {
        self.seconds_per_row = took.as_secs_f64() / rows.max(1) as f64;
        let small = rows * 2 <= SLICE_ROWS_LIMIT && bytes * 2 <= SLICE_BYTES_LIMIT;
        if small {
            self.rows = self.rows.max(rows * 2);
        }
    }
}
