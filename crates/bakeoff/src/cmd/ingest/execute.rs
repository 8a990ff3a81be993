//! Carrying out an ingest: the table found or made, rows read and written, and what it came to.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use arrow::record_batch::RecordBatch;
use bakeoff_engines::tables::{
    Access, Column, Columnar, ColumnarOptions, Connection, Definition, Ingested, Keys, Location,
    Options, Rows, Source, TableError, Tables,
};
use bakeoff_report::units;

use super::after::{self, Filled, Span};
use super::{Ingest, before, definition};
use crate::cmd::told;
use crate::exit::{Exit, Misuse};
use crate::interrupt::asked_to_stop_leaving;
use crate::machine;
use crate::progress::{Progress, Unit};
use crate::stderr::tell;

/// Columns of a new table that are listed one by one.
const COLUMNS_SHOWN: usize = 16;

/// Memory for what reading another table groups or sorts: nothing.
const QUERY_MEMORY_BYTES: usize = 64 << 20;

/// The state that a second Ctrl-C leaves behind.
const LEFT_BEHIND: &str = "interrupted again: some of the rows may be in the table; the same command \
    again brings all of them";

pub async fn execute(options: Ingest) -> Result<Exit> {
    let into = options.into.clone();
    let mut ingesting = tokio::spawn(ingest(options));
    tokio::select! {
        done = &mut ingesting => done?.map(|()| Exit::Complete),
        () = asked_to_stop_leaving(LEFT_BEHIND) => {
            ingesting.abort();
            tell(format_args!(
                "interrupted: some of the rows may be in the table; the same command again brings \
                 all of them, and replaces those; what was written and did not get into the table \
                 stays beside it until `bakeoff table sweep {into}` removes it"
            ));
            Ok(Exit::Interrupted)
        }
    }
}

async fn ingest(options: Ingest) -> Result<()> {
    let progress = Progress::begin("opening what is read");
    let connection = Arc::new(Connection::new(options.cluster.cluster()));
    let columnar = ColumnarOptions {
        consistency: options.consistency,
        cache_bytes: 0,
    };
    before::check_distinct(&options).map_err(Misuse::of)?;
    if let Some(copies) = options.create_keyspace {
        let made = connection.create_keyspace(&options.into, copies);
        made.await.map_err(told)?;
    }
    let found = connection.open_columnar(&options.into, Access::Write, &columnar);
    let found = found.await.map_err(told)?;
    let source = open(&options, &connection).await?;
    let (definition, columns) = match &found {
        Some(table) => {
            let definition = Definition::clone(table.definition());
            let filled = definition::filled(&options, &source, &definition);
            let filled = filled.map_err(Misuse::of)?;
            let as_text = before::kept_as_text(&options, source.columns(), &filled);
            progress.aside(|| say(as_text.as_slice()));
            (definition, filled)
        }
        None => {
            let definition = definition::new(&options, &source).map_err(Misuse::of)?;
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
        .map_err(told)?;
    // Rows that do not fit are mostly among the first: then no table is left behind.
    let first = rows.next().await.transpose();
    let first = match &found {
        Some(_) => first.map_err(|error| told(with_remedy(error, &options.into)))?,
        None => first.map_err(told)?,
    };
    let is_new = found.is_none();
    if let (None, Some(rows)) = (&found, &first) {
        before::check_keys(&options, &definition, rows).map_err(Misuse::of)?;
    }
    let table = match found {
        Some(table) => table,
        None => {
            let made = connection.create_columnar(&options.into, definition, &columnar);
            let table = made.await.map_err(told)?;
            progress.aside(|| say_made(&options, &about, table.definition()));
            table
        }
    };
    progress.aside(|| say(rows.notes()));
    progress.aside(|| {
        say(&before::without_values(
            &options,
            table.definition(),
            &columns,
        ))
    });
    let began = Instant::now();
    let mut span = Span::default();
    progress.what("ingesting");
    let at = |rows| progress.at(rows, total, Unit::Rows);
    let ingested = fill(&options, &table, (first, rows), &mut span, at).await?;
    progress.finish();
    let line = summary(&options, &ingested, began.elapsed());
    writeln!(std::io::stdout(), "{line}")?;
    let filled = Filled {
        into: &options.into,
        table: &table,
        is_new,
        rows: ingested.rows,
        span,
    };
    say(&after::notes(filled).await);
    Ok(())
}

/// What is known of a source.
struct About {
    guessed_from: Option<usize>,
    keys: Option<Keys>,
}

fn say(notes: &[String]) {
    for note in notes {
        tell(format_args!("note: {note}"));
    }
}

fn keys(table: &Definition) -> Vec<&str> {
    let keys = table.partition_key.iter().chain(&table.order_key);
    keys.map(String::as_str).collect()
}

async fn open(options: &Ingest, connection: &Arc<Connection>) -> Result<Source> {
    let opened = match (&options.file, &options.from) {
        (Some(path), _) => Source::open(path, options.sample.0),
        (None, Some(location)) => {
            let reading = Options {
                consistency: options.consistency,
                threads: machine::cores(),
                memory_bytes: QUERY_MEMORY_BYTES,
                cache_bytes: 0,
            };
            let tables = Tables::new(connection.clone(), reading).map_err(told)?;
            Source::from_table(tables, location).await
        }
        (None, None) => Err(TableError::Asked("there is nothing to ingest".to_owned())),
    };
    opened.map_err(told)
}

/// What was made, how sure its types are, and what its key leaves out.
fn say_made(options: &Ingest, about: &About, table: &Definition) {
    tell(format_args!("made {}: {}", options.into, described(table)));
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
        tell(format_args!(
            "note: the key of the source has {}, too: of rows that differ only there, the last one \
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
        tell(format_args!(
            "its types are guessed from {all} {rows}, where --types does not say them"
        ));
    }
}

/// `time timestamp, value double; partition key series, order key time`
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

async fn fill(
    options: &Ingest,
    table: &Arc<Columnar>,
    (first, mut rows): (Option<RecordBatch>, Rows),
    span: &mut Span,
    at: impl Fn(u64),
) -> Result<Ingested> {
    let mut ingest = table.ingest();
    let mut next = Ok(first);
    loop {
        let written = match next {
            Ok(None) => break,
            Ok(Some(batch)) => {
                span.extend(table.definition(), &batch)?;
                ingest.write(&batch).await.map_err(TableError::from)
            }
            Err(error) => Err(with_remedy(error, &options.into)),
        };
        written.map_err(|error| not_all(error, ingest.so_far().rows))?;
        at(ingest.so_far().rows);
        next = rows.next().await.transpose();
    }
    let read = ingest.so_far().rows;
    let finished = ingest.finish().await;
    finished.map_err(|error| not_all(error.into(), read))
}

/// A value that does not fit a table that is there, and what can be done if the table is wrong.
fn with_remedy(error: TableError, into: &Location) -> TableError {
    match error {
        TableError::Misfit(text) => TableError::Misfit(format!(
            "{text}; if the table is wrong, `bakeoff table drop {into}` removes it, and --types \
             says what it is to be"
        )),
        error => error,
    }
}

/// What of the rows before an error is there.
fn not_all(error: TableError, rows: u64) -> anyhow::Error {
    let told = told(error);
    match rows {
        0 => told,
        rows => {
            let rows = units::plural(rows, "row", "rows");
            let text = format!(
                "{told}; of the {rows} before, some may be in the table: ingesting again replaces \
                 them"
            );
            if told.is::<Misuse>() {
                Misuse::of(anyhow!(text)).into()
            } else {
                anyhow!(text)
            }
        }
    }
}

/// `4,160,000 rows into dir:events in 12.3 s, 338 k rows/s: 128 chunks, 59.2 B a row, 235 MiB`
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
