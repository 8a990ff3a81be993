//! The protocol of a comparison, step by step.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bakeoff_stats::{Journal, JournalError, Record, Step};
use bakeoff_workload::{Concurrent, DuplicateKeys, RowSource, Workload};
use futures::FutureExt;

use crate::questions::{Questions, check_expectation};
use crate::state::Log;
use crate::{Budget, Design, DesignError, Observer, Oracle, concurrent, load, measure};

/// Memory that the search for repeated keys may use, in bytes.
const DUPLICATE_SEARCH_BYTES: usize = 128 << 20;

/// What the command line decided.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Rows to load; `None` lets the budget decide.
    pub rows: Option<u64>,
    /// Rounds to measure; `None` lets the budget decide.
    pub rounds: Option<u32>,
    pub budget: Option<Budget>,
    /// The longest that one call to an engine (a slice, a compaction, a query) may take.
    pub call_limit: Duration,
    /// Clients that ask at the same time, after the rounds; `None` for none.
    pub concurrent: Option<Concurrent>,
}

/// What makes a whole run impossible; a single design's trouble is a record instead.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Workload(#[from] bakeoff_workload::Error),
    #[error("cannot compute the right answers: {0}")]
    Oracle(#[from] DesignError),
    #[error("{0}")]
    Expectation(String),
    #[error("{0} has no rows: there is nothing to compare")]
    NoRows(String),
    #[error("the thread that reads the rows stopped: {0}")]
    Reader(String),
    #[error("a client that asked stopped: {0}")]
    Client(String),
}

/// Everything that the steps share.
pub struct Context<'a> {
    pub workload: &'a Workload,
    pub source: Arc<dyn RowSource>,
    pub designs: &'a [Arc<dyn Design>],
    pub settings: &'a Settings,
    pub log: Log<'a>,
    pub observer: &'a dyn Observer,
}

impl<'a> Context<'a> {
    /// Designs that have not failed.
    pub fn live(&self) -> Vec<&'a dyn Design> {
        self.designs
            .iter()
            .map(Arc::as_ref)
            .filter(|d| !self.log.state().design(&d.info().id).failed)
            .collect()
    }

    /// Whether how much is loaded is still open.
    pub fn budget_decides(&self) -> bool {
        let settings = &self.settings;
        let open = settings.rows.is_none() && settings.budget.is_some();
        open && self.log.state().loaded_rows.is_none()
    }

    /// Waits for a call to an engine, within the limit.
    pub async fn limited<T>(
        &self,
        call: impl Future<Output = Result<T, DesignError>>,
    ) -> Result<T, DesignError> {
        within(self.settings.call_limit, call).await
    }

    /// Takes a design out of the race.
    pub fn fail(
        &mut self,
        design: &dyn Design,
        step: Step,
        query: Option<&str>,
        error: DesignError,
    ) -> Result<(), RunError> {
        let reason = match design.dead() {
            Some(why) => format!("{error}; {why}"),
            None => error.0,
        };
        let id = &design.info().id;
        self.observer.trouble(id, &reason);
        Ok(self.log.fail(id, step, query, reason)?)
    }
}

/// What a call came to, judged after the clock has stopped: from an engine of which a part is gone
/// it is the figure of another one.
pub(crate) fn if_whole<T>(
    design: &dyn Design,
    result: Result<T, DesignError>,
) -> Result<T, DesignError> {
    match design.dead() {
        Some(_) if result.is_ok() => Err(DesignError::new("it went on, but not as it began")),
        _ => result,
    }
}

/// Waits for a call to an engine. A panic in a design is that design's failure; the others go on.
pub(crate) async fn within<T>(
    limit: Duration,
    call: impl Future<Output = Result<T, DesignError>>,
) -> Result<T, DesignError> {
    let call = AssertUnwindSafe(call).catch_unwind();
    match tokio::time::timeout(limit, call).await {
        Ok(Ok(ended)) => ended,
        Ok(Err(panic)) => Err(DesignError(describe_panic(panic.as_ref()))),
        Err(_) => Err(DesignError(format!("no end after {limit:?}; given up"))),
    }
}

pub(crate) fn describe_panic(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!(
        "a bug in Bakeoff or in a library of this engine: {}",
        text.unwrap_or("it panicked without a message")
    )
}

/// Runs a comparison to its end, or goes on with one that was stopped: steps that the journal
/// holds are not done again. The journal's header has been written by the caller, who also
/// appends the last record, and who has checked what the workload expects of its first rows
/// ([`check_expectations`]).
pub async fn run(
    workload: &Workload,
    source: Arc<dyn RowSource>,
    designs: &[Arc<dyn Design>],
    oracle: &mut dyn Oracle,
    settings: &Settings,
    journal: &mut Journal,
    observer: &dyn Observer,
) -> Result<(), RunError> {
    let log = Log::new(journal);
    let mut run = Context {
        workload,
        source,
        designs,
        settings,
        log,
        observer,
    };
    create(&mut run).await?;
    // A count of rows that no design holds would be taken for that of all by a run that goes on.
    if run.live().is_empty() {
        return Ok(());
    }
    let rows = load::load(&mut run).await?;
    if run.live().is_empty() {
        return Ok(());
    }
    let duplicates = Arc::new(find_duplicates(&mut run, rows).await?);
    settle(&mut run).await?;
    read_footprints(&mut run).await?;
    oracle.prepare(rows, duplicates).await?;
    check_all_rows(&run, rows, oracle).await?;
    let mut questions = Questions::new(workload, run.source.clone(), rows, oracle);
    measure::verify(&mut run, &mut questions).await?;
    let warm = measure::measure(&mut run, &mut questions).await?;
    concurrent::measure(&mut run, &mut questions, warm).await
}

/// Checks the answers that the workload file expects over the first rows of its data, which needs no
/// engine: are these the rows that the file was written for? What it expects of all rows is checked
/// where there are no more than `certain`, which are loaded in any case: of a part it says nothing.
///
/// # Errors
/// [`RunError::Expectation`] names the query; others tell that the rows cannot be read or asked.
pub async fn check_expectations(
    workload: &Workload,
    source: &Arc<dyn RowSource>,
    certain: u64,
    oracle: &mut dyn Oracle,
) -> Result<(), RunError> {
    let queries = workload.queries.iter();
    let expecting: Vec<_> = queries
        .filter_map(|query| Some((query, query.expect.as_ref()?)))
        .collect();
    let mut all = None;
    if expecting
        .iter()
        .any(|(_, expected)| expected.rows.is_none())
    {
        all = count_all(source.clone(), certain).await?;
    }
    let mut prepared = None;
    for (query, expectation) in expecting {
        let Some(rows) = expectation.rows.or(all) else {
            continue;
        };
        if prepared != Some(rows) {
            let no_duplicates = Arc::new(DuplicateKeys::none());
            oracle.prepare(rows, no_duplicates).await?;
            prepared = Some(rows);
        }
        check_expectation(query, expectation, oracle).await?;
    }
    Ok(())
}

/// The number of all rows of a source; `None` if there are more than `most`.
async fn count_all(source: Arc<dyn RowSource>, most: u64) -> Result<Option<u64>, RunError> {
    let counted = tokio::task::spawn_blocking(move || source.count_rows(most.saturating_add(1)));
    let counted = counted
        .await
        .map_err(|e| RunError::Reader(e.to_string()))??;
    Ok(counted.filter(|rows| *rows <= most))
}

/// Checks expectations over all rows where a budget allowed all of them, which was not certain
/// before.
async fn check_all_rows(run: &Context<'_>, rows: u64, oracle: &dyn Oracle) -> Result<(), RunError> {
    let queries = run.workload.queries.iter();
    let expecting: Vec<_> = queries
        .filter_map(|query| Some((query, query.expect.as_ref()?)))
        .filter(|(_, expectation)| expectation.rows.is_none())
        .collect();
    if expecting.is_empty() || !are_all(run.source.clone(), rows).await? {
        return Ok(());
    }
    for (query, expectation) in expecting {
        check_expectation(query, expectation, oracle).await?;
    }
    Ok(())
}

/// Whether a source ends after this many rows.
async fn are_all(source: Arc<dyn RowSource>, rows: u64) -> Result<bool, RunError> {
    if let Some(known) = source.known_rows() {
        return Ok(known == rows);
    }
    let next = tokio::task::spawn_blocking(move || source.read(rows, 1)?.next().transpose());
    let next = next.await.map_err(|e| RunError::Reader(e.to_string()))??;
    Ok(next.is_none())
}

async fn create(run: &mut Context<'_>) -> Result<(), RunError> {
    run.observer.phase("creating tables");
    for design in run.live() {
        let id = design.info().id.clone();
        if is_still_there(run, design).await {
            continue;
        }
        match run.limited(design.create()).await {
            Ok(()) => run.log.record(Record::Created { design: id })?,
            Err(error) => run.fail(design, Step::Create, None, error)?,
        }
    }
    Ok(())
}

/// Whether an earlier process made this table and left it so that loading can go on.
async fn is_still_there(run: &Context<'_>, design: &dyn Design) -> bool {
    let state = run.log.state();
    // A slice that was loaded but not recorded leaves rows behind. They are loaded again, unless
    // a budget now ends loading before them.
    if !state.design(&design.info().id).created || run.budget_decides() {
        return false;
    }
    let survives = run.limited(async { Ok(design.survives().await) });
    survives.await.unwrap_or(false)
}

async fn find_duplicates(run: &mut Context<'_>, rows: u64) -> Result<DuplicateKeys, RunError> {
    if !run.source.may_repeat_keys() {
        return Ok(DuplicateKeys::none());
    }
    run.observer.phase("looking for repeated keys");
    let (source, table) = (run.source.clone(), run.workload.table.clone());
    let found = tokio::task::spawn_blocking(move || {
        DuplicateKeys::find(source.as_ref(), &table, Some(rows), DUPLICATE_SEARCH_BYTES)
    });
    let found = found.await.map_err(|e| RunError::Reader(e.to_string()))??;
    if !run.log.state().duplicates_known {
        run.log.record(Record::DuplicateKeys {
            rows: found.count(),
        })?;
    }
    Ok(found)
}

/// Settles every design.
async fn settle(run: &mut Context<'_>) -> Result<(), RunError> {
    run.observer.phase("settling (flush, compaction, sorting)");
    let began = Instant::now();
    for design in run.live() {
        let id = design.info().id.clone();
        if run.log.state().design(&id).settled {
            continue;
        }
        let started = Instant::now();
        match run.limited(design.settle()).await {
            Ok(how) => {
                let seconds = started.elapsed().as_secs_f64();
                run.log.record(Record::Settled {
                    design: id,
                    seconds,
                    how,
                })?;
            }
            Err(error) => run.fail(design, Step::Settle, None, error)?,
        }
    }
    run.observer.done("settled", began.elapsed());
    Ok(())
}

/// Reads what every design takes, once all are at rest.
async fn read_footprints(run: &mut Context<'_>) -> Result<(), RunError> {
    for design in run.live() {
        if run.log.state().design(&design.info().id).footprint {
            continue;
        }
        match run.limited(design.footprint()).await {
            Ok(footprint) => run.log.record(Record::Footprint(footprint))?,
            Err(error) => run.fail(design, Step::Footprint, None, error)?,
        }
    }
    Ok(())
}
