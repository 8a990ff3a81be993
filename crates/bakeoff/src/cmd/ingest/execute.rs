//! Carries out an ingest: finds or makes the table, reads and writes rows, and sums up.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use arrow::record_batch::RecordBatch;
use bakeoff_engines::RateLimit;
use bakeoff_engines::tables::{
    Access, Column, Columnar, ColumnarOptions, Connection, Definition, Ingested, Keys, Location,
    Options, Rows, Source, TableError, Tables,
};
use bakeoff_report::units;

use super::after::{self, Filled, Looked};
use super::{Ingest, before, definition};
use crate::cmd::options::rate_limit;
use crate::cmd::to_cli_error;
use crate::exit::{Exit, Misuse};
use crate::interrupt::asked_to_stop_leaving;
use crate::machine;
use crate::progress::{Progress, Unit};
use crate::stderr::print_line;
use crate::terminal::stdout;

/// Most columns of a new table that are listed one by one.
const COLUMNS_SHOWN: usize = 16;

/// Memory for queries, which only copy rows of another table and neither group nor sort.
const QUERY_MEMORY_BYTES: usize = 64 << 20;

/// Message about what a second Ctrl-C leaves behind.
const LEFT_BEHIND: &str = "interrupted again: some of the rows may be in the table; run the same command \
    again to ingest all of them";

pub async fn execute(options: Ingest) -> Result<Exit> {
    let into = options.into.clone();
    let mut ingesting = tokio::spawn(ingest(options));
    tokio::select! {
        done = &mut ingesting => done?.map(|()| Exit::Complete),
        () = asked_to_stop_leaving(LEFT_BEHIND) => {
            ingesting.abort();
            print_line(format_args!(
                "interrupted: some of the rows may be in the table; run the same command again to \
                 ingest all of them, which replaces those; chunks that were written but not \
                 committed stay until `bakeoff table sweep {into}` removes them"
            ));
            Ok(Exit::Interrupted)
        }
    }
}

async fn ingest(options: Ingest) -> Result<()> {
    before::check_distinct(&options).map_err(Misuse::new)?;
    let limit = options
        .rate_limit
        .limit_of(&options.cluster, &options.into)?;
    let reads = options.limit_of_reading()?;
    let progress = Progress::begin("opening the source");
    let connection = Arc::new(Connection::new(options.cluster.cluster()));
    let columnar = ColumnarOptions {
        consistency: options.consistency,
        cache_bytes: 0,
        rate_limit: limit.clone(),
    };
    let found = find(&options, &connection, &columnar).await?;
    if let Some(table) = &found {
        progress.aside(|| say(&table.notes()));
    }
    let source = open(&options, &connection, reads.is_some()).await?;
    let (definition, columns) = match &found {
        Some(table) => {
            let definition = Definition::clone(table.definition());
            let filled = filled_columns(&options, &source, &definition, &progress)?;
            (definition, filled)
        }
        None => {
            before::check_doubts(&options, source.doubts()).map_err(Misuse::new)?;
            let definition = definition::new(&options, &source).map_err(Misuse::new)?;
            let columns = definition.columns.clone();
            (definition, columns)
        }
    };
    let total = source.total_rows();
    let about = About {
        guessed_from: source.guessed_from(),
        keys: source.keys().cloned(),
    };
    let mut rows = source
        .read(&columns, &keys(&definition))
        .await
        .map_err(to_cli_error)?;
    let is_new = found.is_none();
    // Rows that do not fit are mostly among the first, so those are read before the table is made.
    let first = first_rows(&options, &definition, &mut rows, is_new).await?;
    let table = match found {
        Some(table) => table,
        None => {
            let made = connection.create_columnar(&options.into, definition, &columnar);
            let table = made.await.map_err(to_cli_error)?;
            progress.aside(|| say_made(&options, &about, table.definition()));
            table
        }
    };
    let said = table.notes();
    progress.aside(|| say(rows.notes()));
    progress.aside(|| {
        say(&before::without_values(
            &options,
            table.definition(),
            &columns,
        ))
    });
    progress.aside(|| {
        if let Some(limit) = &limit {
            print_line(rate_limit::describe(limit));
        }
        if let Some(limit) = &reads {
            let rows = limit.rows_per_second();
            print_line(format_args!(
                "at most {rows} rows/s are read (--rate-limit)"
            ));
        }
    });
    let began = Instant::now();
    let mut looked = Looked::new(about.guessed_from.is_some());
    progress.step("ingesting");
    let at = |rows| progress.at(rows, total, Unit::Rows);
    let mut from = Read {
        first,
        rows: &mut rows,
        limit: reads.as_deref(),
    };
    let ingested = fill(&options, &table, &mut from, &mut looked, at).await?;
    progress.finish();
    let line = summary(&options, &ingested, began.elapsed());
    writeln!(stdout(), "{line}")?;
    let filled = Filled {
        into: &options.into,
        table: &table,
        is_new,
        rows: ingested.rows,
        span: looked.span,
    };
    say(looked.note().as_slice());
    say(&rows.notes_on_rows());
    let since = table
        .notes()
        .into_iter()
        .filter(|note| !said.contains(note));
    say(&since.collect::<Vec<_>>());
    say(&after::notes(filled).await);
    Ok(())
}

/// Opens the table to fill, if it exists, in a keyspace that is made if that was asked for.
async fn find(
    options: &Ingest,
    connection: &Connection,
    columnar: &ColumnarOptions,
) -> Result<Option<Arc<Columnar>>> {
    if let Some(copies) = options.create_keyspace {
        let made = connection.create_keyspace(&options.into, copies);
        made.await.map_err(to_cli_error)?;
    }
    let found = connection.open_columnar(&options.into, Access::Write, columnar);
    found.await.map_err(to_cli_error)
}

/// Returns the columns of an existing table that the source fills, and prints which become text.
fn filled_columns(
    options: &Ingest,
    source: &Source,
    table: &Definition,
    progress: &Progress,
) -> Result<Vec<Column>> {
    let filled = definition::filled(options, source, table).map_err(Misuse::new)?;
    let as_text = before::kept_as_text(options, source.columns(), &filled);
    progress.aside(|| say(as_text.as_slice()));
    Ok(filled)
}

/// Reads the first rows and, for a new table, checks that their keys suit it.
async fn first_rows(
    options: &Ingest,
    table: &Definition,
    rows: &mut Rows,
    is_new: bool,
) -> Result<Option<RecordBatch>> {
    let first = rows.next().await.transpose();
    if !is_new {
        return first.map_err(|error| to_cli_error(with_remedy(error, &options.into)));
    }
    let first = first.map_err(to_cli_error)?;
    if let Some(rows) = &first {
        before::check_keys(options, table, rows).map_err(Misuse::new)?;
    }
    Ok(first)
}

/// Facts about a source that notes about a new table need.
struct About {
    /// Rows that the types were guessed from, if they were.
    guessed_from: Option<usize>,
    /// Key of the source, if it is a table.
    keys: Option<Keys>,
}

fn say(notes: &[String]) {
    for note in notes {
        print_line(format_args!("note: {note}"));
    }
}

fn keys(table: &Definition) -> Vec<&str> {
    let keys = table.partition_key.iter().chain(&table.order_key);
    keys.map(String::as_str).collect()
}

/// Opens the source, which is read one part after another if it is read within a limit.
async fn open(options: &Ingest, connection: &Arc<Connection>, is_limited: bool) -> Result<Source> {
    let opened = match (&options.file, &options.from) {
        (Some(path), _) => Source::open(path, options.sample.0, &options.said_of_text()),
        (None, Some(location)) => {
            let reading = Options {
                consistency: options.consistency,
                page_time_limit: None,
                threads: if is_limited { 1 } else { machine::cores() },
                memory_bytes: QUERY_MEMORY_BYTES,
                cache_bytes: 0,
            };
            let tables = Tables::new(connection.clone(), reading).map_err(to_cli_error)?;
            Source::from_table(tables, location).await
        }
        (None, None) => Err(TableError::Asked("there is nothing to ingest".to_owned())),
    };
    opened.map_err(to_cli_error)
}

/// Prints the new table, how its types were guessed, and what its key leaves out.
fn say_made(options: &Ingest, about: &About, table: &Definition) {
    print_line(format_args!("made {}: {}", options.into, described(table)));
    let before = about
        .keys
        .iter()
        .flat_map(|k| k.partition.iter().chain(&k.order));
    let keys: Vec<String> = keys(table).into_iter().map(str::to_lowercase).collect();
    let left_out: Vec<&str> = before
        .filter(|k| !keys.contains(k))
        .map(String::as_str)
        .collect();
    if !left_out.is_empty() {
        print_line(format_args!(
            "note: the key of the source also has {}: of rows that differ only there, the last one \
             is kept",
            left_out.join(", ")
        ));
    }
    if let Some(rows) = about.guessed_from {
        let all = match options.sample.0 {
            Some(sample) if rows >= sample => "the first",
            _ => "all",
        };
        let rows = units::plural(rows as u64, "row", "rows");
        print_line(format_args!(
            "its types are guessed from {all} {rows}, except those that --types names"
        ));
    }
}

/// Describes a table: `time timestamp, value double; partition key series, order key time`.
fn described(table: &Definition) -> String {
    let column = |c: &Column| format!("{} {}", c.name, c.kind);
    let columns = match table.columns.len() {
        ..=COLUMNS_SHOWN => table
            .columns
            .iter()
            .map(column)
            .collect::<Vec<_>>()
            .join(", "),
        more => format!("{more} columns"),
    };
    let partition = table.partition_key.join(", ");
    let order = if table.order_key.is_empty() {
        " without an order key: one row for each partition key".to_owned()
    } else {
        format!(", order key {}", table.order_key.join(", "))
    };
    let bucket = table.bucket.map_or(String::new(), |width| {
        format!(
            ", buckets of {}",
            definition::width_in_words(table, width.get())
        )
    });
    format!("{columns}; partition key {partition}{order}{bucket}")
}

/// The rows of a source.
struct Read<'a> {
    /// Those that were read before the table was made.
    first: Option<RecordBatch>,
    rows: &'a mut Rows,
    /// Limit on the rows that are read each second.
    limit: Option<&'a RateLimit>,
}

impl Read<'_> {
    /// Returns the next rows, after waiting as long as the last ones take at the limit.
    async fn next(&mut self, last: usize) -> Result<Option<RecordBatch>, TableError> {
        if let Some(limit) = self.limit {
            limit.wait_for(last).await;
        }
        self.rows.next().await.transpose()
    }
}

async fn fill(
    options: &Ingest,
    table: &Arc<Columnar>,
    from: &mut Read<'_>,
    looked: &mut Looked,
    at: impl Fn(u64),
) -> Result<Ingested> {
    let mut ingest = table.ingest();
    let mut next = Ok(from.first.take());
    loop {
        let mut last = 0;
        let written = match next {
            Ok(None) => break,
            Ok(Some(batch)) => {
                last = batch.num_rows();
                looked.extend(table.definition(), &batch)?;
                ingest.write(&batch).await.map_err(TableError::from)
            }
            Err(error) => Err(with_remedy(error, &options.into)),
        };
        written.map_err(|error| not_all(error, ingest.so_far().rows))?;
        at(ingest.so_far().rows);
        next = from.next(last).await;
    }
    let read = ingest.so_far().rows;
    let finished = ingest.finish().await;
    finished.map_err(|error| not_all(error.into(), read))
}

/// Adds to a value that does not fit an existing table what to do if the table is wrong.
fn with_remedy(error: TableError, into: &Location) -> TableError {
    match error {
        TableError::Misfit(text) => TableError::Misfit(format!(
            "{text}; if the table is wrong, remove it with `bakeoff table drop {into}` and choose its \
             types with --types"
        )),
        error => error,
    }
}

/// Adds to an error that some of the rows before it may be in the table.
fn not_all(error: TableError, rows: u64) -> anyhow::Error {
    let error = to_cli_error(error);
    if rows == 0 {
        return error;
    }
    let rows = units::plural(rows, "row", "rows");
    let text = format!(
        "{error}; some of the {rows} before it may be in the table: ingesting again replaces them"
    );
    if error.is::<Misuse>() {
        Misuse::new(anyhow!(text)).into()
    } else {
        anyhow!(text)
    }
}

/// Sums up: `4,160,000 rows into dir:events in 12.3 s, 338 k rows/s: 128 chunks, 59.2 B a row, 235 MiB`.
fn summary(options: &Ingest, ingested: &Ingested, took: Duration) -> String {
    let Ingested {
        rows,
        chunks,
        bytes,
    } = *ingested;
    let seconds = took.as_secs_f64();
    let row_bytes = bytes as f64 / rows.max(1) as f64;
    format!(
        "{} into {} in {seconds:.1} s, {} rows/s: {}, {row_bytes:.1} B a row, {}",
        units::plural(rows, "row", "rows"),
        options.into,
        units::rate(rows as f64 / seconds.max(1e-6)),
        units::plural(chunks, "chunk", "chunks"),
        units::bytes(bytes as f64),
    )
}
