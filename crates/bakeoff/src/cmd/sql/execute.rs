//! Carrying out a query: tables opened, rows written, and what it came to.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use bakeoff_engines::tables::{
    ChunkCounts, Connection, Location, Options, Progress, Query, TableError, Tables,
};
use bakeoff_report::units;

use super::output::{Destination, Written};
use super::progress::message;
use super::snippet;
use crate::cmd::told;
use crate::exit::{Exit, Misuse};
use crate::interrupt::asked_to_stop_leaving;
use crate::progress::Progress as CommandProgress;
use crate::stderr::tell;

/// How long an interrupted query may take to put its file away.
const END_WAIT: Duration = Duration::from_secs(2);
const END_POLL: Duration = Duration::from_millis(10);
/// The state that a second Ctrl-C leaves behind.
const LEFT_BEHIND: &str = "interrupted again: of a file for --out, the part that was written may \
    still be beside it, with a name that begins with a dot";

pub struct Plan {
    pub sql: String,
    /// With what queries call them, where that is not their own name.
    pub tables: Vec<(Option<String>, Location)>,
    pub connection: Connection,
    pub options: Options,
    pub destination: Destination,
}

/// Asks to the end or to an interruption.
pub async fn execute(plan: Plan) -> Result<Exit> {
    // A task of its own, so that neither a reader who waits nor a long computation keeps a signal
    // out.
    let mut asking = tokio::spawn(ask(plan));
    tokio::select! {
        done = &mut asking => done?.map(|()| Exit::Complete),
        () = asked_to_stop_leaving(LEFT_BEHIND) => {
            asking.abort();
            // Not by the runtime's clock: all of its threads may be busy.
            let since = Instant::now();
            while !asking.is_finished() && since.elapsed() < END_WAIT {
                std::thread::sleep(END_POLL);
            }
            tell("interrupted");
            Ok(Exit::Interrupted)
        }
    }
}

async fn ask(plan: Plan) -> Result<()> {
    let shown = CommandProgress::begin("opening tables");
    let mut tables = Tables::new(Arc::new(plan.connection), plan.options).map_err(told)?;
    for (name, location) in &plan.tables {
        tables.add(name.as_deref(), location).await.map_err(told)?;
    }
    let began = Instant::now();
    let mut query = match tables
        .query(&plan.sql, plan.destination.wanted_rows())
        .await
        .map_err(told)?
    {
        Ok(query) => query,
        Err(error) => return Err(Misuse::of(anyhow!(snippet::of(&plan.sql, &error))).into()),
    };
    let progress = query.watch();
    shown.what("asking");
    shown.watch(move |elapsed| message(&progress(), elapsed));
    let written = write(&mut query, plan.destination, &shown).await;
    shown.finish();
    let written = written.map_err(|trouble| trouble.told(&plan.sql))?;
    for note in query.notes().iter().chain(&written.notes) {
        tell(format_args!("note: {note}"));
    }
    tell(format_args!(
        "{}",
        summary(&query, &written, began.elapsed())
    ));
    Ok(())
}

/// Why a result could not be written: it could not be computed, or not be put where it was to go.
enum Trouble {
    Table(TableError),
    Output(anyhow::Error),
}

impl Trouble {
    fn told(self, sql: &str) -> anyhow::Error {
        match self {
            Trouble::Table(TableError::Sql(error)) => {
                Misuse::of(anyhow!(snippet::of(sql, &error))).into()
            }
            Trouble::Table(error) => told(error),
            Trouble::Output(error) => error,
        }
    }
}

impl From<TableError> for Trouble {
    fn from(error: TableError) -> Self {
        Trouble::Table(error)
    }
}

impl From<anyhow::Error> for Trouble {
    fn from(error: anyhow::Error) -> Self {
        Trouble::Output(error)
    }
}

async fn write(
    query: &mut Query,
    destination: Destination,
    shown: &CommandProgress,
) -> Result<Written, Trouble> {
    // Before a heading is written: a query that fails has mostly no rows at all.
    let mut next = query.next().await?;
    let mut output = destination.begin(query.schema(), query.explains())?;
    while let Some(rows) = next {
        // It may have to wait for whoever reads.
        let more = tokio::task::block_in_place(|| beside(shown, || output.write(&rows)))?;
        if !more {
            break;
        }
        next = query.next().await?;
    }
    Ok(tokio::task::block_in_place(|| {
        beside(shown, || output.finish())
    })?)
}

/// Writes rows, without what is redrawn in between where both are on the terminal.
fn beside<T>(shown: &CommandProgress, write: impl FnOnce() -> T) -> T {
    if std::io::stdout().is_terminal() {
        shown.aside(write)
    } else {
        write()
    }
}

/// `3 rows in 0.52 s; 4,160,000 rows scanned, 8.00 M/s`
fn summary(query: &Query, written: &Written, took: Duration) -> String {
    let seconds = took.as_secs_f64();
    let rows = if query.explains() {
        "planned".to_owned()
    } else {
        units::plural(written.rows, "row", "rows")
    };
    let mut line = format!("{rows} in {seconds:.2} s");
    let Progress { rows_scanned, .. } = query.watch()();
    if let Some(scanned) = rows_scanned.filter(|_| !query.explains()) {
        let rate = units::rate(scanned as f64 / seconds.max(1e-6));
        let scanned = units::plural(scanned, "row", "rows");
        line.push_str(&format!("; {scanned} scanned, {rate}/s"));
    }
    if let Some(counts) = query.chunks().filter(|_| !query.explains()) {
        line.push_str(&chunks(&counts));
    }
    line
}

/// `; 3 of 127 chunks read, 120 answered, 1.20 MiB, 0 of 6 blobs from memory`
fn chunks(counts: &ChunkCounts) -> String {
    let ChunkCounts {
        all,
        read,
        answered,
        bytes,
        cache_hits,
        cache_misses,
    } = counts;
    if *all == 0 {
        return "; no chunk was read".to_owned();
    }
    let blobs = cache_hits + cache_misses;
    format!(
        "; {} of {} read, {} answered by statistics, {}, {} of {} from memory",
        units::count(*read),
        units::plural(*all, "chunk", "chunks"),
        units::count(*answered),
        units::bytes(*bytes as f64),
        units::count(*cache_hits),
        units::plural(blobs, "blob", "blobs"),
    )
}
