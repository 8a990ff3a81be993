//! Carries out queries: opens tables, writes rows, and sums up.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use bakeoff_engines::tables::{
    ChunkCounts, Connection, Location, Options, Progress, Query, TableError, Tables,
};
use bakeoff_engines::{OneOfSeveral, several_statements};
use bakeoff_report::units;

use super::output::{Destination, Written};
use super::progress::message;
use super::snippet;
use crate::cmd::to_cli_error;
use crate::exit::{Exit, Misuse};
use crate::interrupt::written_or_interrupted;
use crate::progress::Progress as CommandProgress;
use crate::stderr::print_line;

pub struct Plan {
    /// The query, or several with semicolons between them.
    pub sql: String,
    /// Tables, each with the name that queries use for it if that is not its own.
    pub tables: Vec<(Option<String>, Location)>,
    pub connection: Arc<Connection>,
    pub options: Options,
    pub destination: Destination,
}

/// Answers the queries until the end, an error or an interruption.
pub async fn execute(plan: Plan) -> Result<Exit> {
    written_or_interrupted(tokio::spawn(ask(plan))).await
}

async fn ask(plan: Plan) -> Result<()> {
    let several = several_statements(&plan.sql).map_err(|why| Misuse::new(anyhow!(why)))?;
    if several.is_empty() {
        return answer(&plan, &plan.sql, plan.destination.clone(), None).await;
    }
    let destination = plan.destination.of_several(several.len());
    let destination = destination.map_err(Misuse::new)?;
    for (index, question) in several.iter().enumerate() {
        let heading = heading(index, question);
        let sql = question.in_its_place();
        let answered = answer(&plan, &sql, destination.clone(), Some(&heading)).await;
        answered.with_context(|| match &question.name {
            Some(name) => format!("question {name}"),
            None => heading.trim_start().to_owned(),
        })?;
    }
    Ok(())
}

/// Returns what stands above the answer to one of several questions.
fn heading(index: usize, question: &OneOfSeveral<'_>) -> String {
    let space = if index == 0 { "" } else { "\n" };
    match &question.name {
        Some(name) => format!("{space}{name}"),
        None => format!("{space}question {}", index + 1),
    }
}

/// Answers one query, below its heading if it has one, with tables of its own, as if it were the only one.
async fn answer(
    plan: &Plan,
    sql: &str,
    destination: Destination,
    heading: Option<&str>,
) -> Result<()> {
    let shown = CommandProgress::begin("opening tables");
    let connection = Arc::clone(&plan.connection);
    let mut tables = Tables::new(connection, plan.options.clone()).map_err(to_cli_error)?;
    for (name, location) in &plan.tables {
        tables
            .add(name.as_deref(), location)
            .await
            .map_err(to_cli_error)?;
    }
    let began = Instant::now();
    let mut query = match tables
        .query(sql, destination.wanted_rows())
        .await
        .map_err(to_cli_error)?
    {
        Ok(query) => query,
        Err(error) => {
            return Err(Misuse::new(anyhow!(snippet::with_mark(&plan.sql, &error))).into());
        }
    };
    let progress = query.watch();
    shown.step("asking");
    shown.watch(move |elapsed| message(&progress(), elapsed));
    let written = write(&mut query, destination, heading, &shown).await;
    shown.finish();
    let written = written.map_err(|trouble| trouble.into_cli_error(&plan.sql))?;
    for note in query.notes().iter().chain(&written.notes) {
        print_line(format_args!("note: {note}"));
    }
    print_line(format_args!(
        "{}",
        summary(&query, &written, began.elapsed())
    ));
    Ok(())
}

/// The reason why a result could not be written: an error in computing it, or in the output.
enum Trouble {
    Table(TableError),
    Output(anyhow::Error),
}

impl Trouble {
    fn into_cli_error(self, sql: &str) -> anyhow::Error {
        match self {
            Trouble::Table(TableError::Sql(error)) => {
                Misuse::new(anyhow!(snippet::with_mark(sql, &error))).into()
            }
            Trouble::Table(error) => to_cli_error(error),
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
    heading: Option<&str>,
    shown: &CommandProgress,
) -> Result<Written, Trouble> {
    // The first rows come before any output: a query that fails usually has no rows at all.
    let mut next = query.next().await?;
    if let Some(heading) = heading {
        tokio::task::block_in_place(|| without_progress(shown, || write_heading(heading)))?;
    }
    let mut output = destination.begin(query.schema(), query.explains())?;
    while let Some(rows) = next {
        // Writing may have to wait for the reader.
        let more = tokio::task::block_in_place(|| without_progress(shown, || output.write(&rows)))?;
        if !more {
            break;
        }
        next = query.next().await?;
    }
    Ok(tokio::task::block_in_place(|| {
        without_progress(shown, || output.finish())
    })?)
}

fn write_heading(heading: &str) -> Result<()> {
    writeln!(std::io::stdout(), "{heading}")?;
    Ok(())
}

/// Writes rows while progress is hidden if both are on the terminal.
fn without_progress<T>(shown: &CommandProgress, write: impl FnOnce() -> T) -> T {
    if std::io::stdout().is_terminal() {
        shown.aside(write)
    } else {
        write()
    }
}

/// Sums up a query: `3 rows in 0.52 s; 4,160,000 rows scanned, 8.00 M/s`.
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

/// Sums up chunks: `; 3 of 127 chunks read, 120 answered by statistics, 1.20 MiB, 0 of 6 blobs from memory`.
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
