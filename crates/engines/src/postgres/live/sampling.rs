//! Reading of a sample of the rows of a table, from pages that are spread over it.

use arrow::record_batch::RecordBatch;
use tokio_postgres::Transaction;
use tokio_postgres::error::SqlState;

use super::catalog::{Found, RelationKind, Size};
use crate::live::{MOST_BYTES, SampleRequest};
use crate::postgres::connect::{PostgresServer, reason};
use crate::postgres::decode;
use crate::rate_limit::Pace;
use crate::tables::TableError;

/// The rows that are asked for at first, when their size is not known, and at most at a time.
const FIRST_ROWS: usize = 100;
const MOST_ROWS: usize = 1_000;
/// The bytes that are asked for at a time.
const BYTES_AT_ONCE: usize = 4 << 20;
/// The pages that are looked at to learn how many rows a table has that was never analyzed.
const PROBED_PAGES: f64 = 100.0;
/// How many times more rows than are asked for are read at most, since a sample of pages has about as many.
const MOST_TIMES: f64 = 1.25;
/// The bytes of a page unless the server was built for others.
const PAGE_BYTES: f64 = 8_192.0;
/// How often more pages are sampled if no row is in those that were, and how many times more.
const MORE_TIMES: u32 = 3;
const MORE_PAGES: f64 = 8.0;
/// The number by which pages are chosen, so that they are the same ones each time.
const SEED: u32 = 19;

/// A sample of the rows of a table.
#[derive(Debug, Default)]
pub struct Sample {
    pub rows: Vec<RecordBatch>,
    count: u64,
    /// The share of the pages that were read, in percent; `None` if rows were read from the first on.
    percent: Option<f64>,
    /// Whether rows of these pages were left, which are those of the last ones.
    is_cut: bool,
    /// Whether all rows of the table were read.
    is_whole: bool,
    /// The number of all rows of the table, and how that is known.
    pub all: Option<(u64, String)>,
}

impl Sample {
    /// Says how the sample was taken.
    pub fn in_words(&self, server: &PostgresServer) -> String {
        let count = self.count;
        let which = match self.percent {
            _ if self.is_whole => format!("all {count} rows that were there"),
            Some(percent) => {
                let cut = if self.is_cut {
                    ", but for those of the last of these, which were too many and are often the newest"
                } else {
                    ""
                };
                format!("{count} rows of {percent:.4}% of its pages (TABLESAMPLE SYSTEM){cut}")
            }
            None => format!(
                "the first {count} rows, which may be no fair sample, since none could be had of its pages"
            ),
        };
        format!("Sample: {which}. They were read at {server}, in a transaction that only reads.")
    }
}

/// The rows that one statement returned.
struct Returned {
    rows: Vec<RecordBatch>,
    count: u64,
    /// Whether there were no more.
    is_all: bool,
}

/// Why rows cannot be read.
enum ReadError {
    Server(tokio_postgres::Error),
    /// A value that cannot be decoded.
    Value(String),
}

impl From<tokio_postgres::Error> for ReadError {
    fn from(error: tokio_postgres::Error) -> Self {
        ReadError::Server(error)
    }
}

impl ReadError {
    /// Returns the error of a table, with what to do.
    fn about(self, table: &Found) -> TableError {
        let why = match self {
            ReadError::Value(why) => why,
            ReadError::Server(error) => {
                let advice = match error.code() {
                    Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
                        "; have its owner run GRANT SELECT on it TO this user"
                    }
                    Some(&SqlState::QUERY_CANCELED | &SqlState::LOCK_NOT_AVAILABLE) => {
                        "; it is large or busy: ask for fewer rows with --sample, or try again later"
                    }
                    _ => "",
                };
                format!("{}{advice}", reason(&error))
            }
        };
        TableError::Failed(format!("cannot read {table}: {why}"))
    }

    /// Returns whether the pages of a table cannot be sampled, as those of compressed chunks.
    fn is_of_sampling(&self) -> bool {
        let unsupported = [SqlState::FEATURE_NOT_SUPPORTED, SqlState::WRONG_OBJECT_TYPE];
        match self {
            ReadError::Server(error) => error.code().is_some_and(|code| unsupported.contains(code)),
            ReadError::Value(_) => false,
        }
    }
}

/// Reads a sample of what `selection` says of a table, in a transaction in which nothing changes.
///
/// # Errors
/// The table cannot be read, or that takes longer than the time limit of a statement.
pub async fn sample(
    transaction: &mut Transaction<'_>,
    table: &Found,
    selection: &str,
    size: Size,
    request: &SampleRequest,
) -> Result<Sample, TableError> {
    let sample = read(transaction, table, selection, size, request).await;
    sample.map_err(|error| error.about(table))
}

async fn read(
    transaction: &mut Transaction<'_>,
    table: &Found,
    selection: &str,
    size: Size,
    request: &SampleRequest,
) -> Result<Sample, ReadError> {
    let from = table.quoted();
    let is_sampled = table.kind != RelationKind::Other && size.pages > 0;
    let mut all = size.rows;
    if is_sampled && all.is_none() {
        all = probed(transaction, &from, size.pages).await?;
    }
    let most = (request.rows as f64 * MOST_TIMES) as u64;
    let mut percent = percent(request.rows, all, size.pages);
    let mut sample = Sample::default();
    for _ in 0..=MORE_TIMES {
        if !is_sampled || percent >= 100.0 {
            break;
        }
        let sql = format!(
            "SELECT {selection} FROM {from} TABLESAMPLE SYSTEM ({percent:.6}) REPEATABLE ({SEED}) LIMIT {most}"
        );
        let Some(returned) = within_savepoint(transaction, &sql, request).await? else {
            break;
        };
        if returned.count > 0 {
            sample.percent = Some(percent);
            sample.is_cut = !returned.is_all || returned.count >= most;
            sample.count = returned.count;
            sample.rows = returned.rows;
            break;
        }
        percent *= MORE_PAGES;
    }
    if sample.count == 0 {
        let sql = format!("SELECT {selection} FROM {from} LIMIT {most}");
        let returned = fetched(transaction, &sql, request).await?;
        sample.is_whole = returned.is_all && returned.count < most;
        sample.count = returned.count;
        sample.rows = returned.rows;
    }
    sample.all = all_rows(&sample, all, size);
    Ok(sample)
}

/// Returns the share of so many pages, in percent, that has so many rows of all. Half of the most bytes are read of
/// pages, since a value may have more bytes as text than in its page.
fn percent(rows: u64, all: Option<f64>, pages: u64) -> f64 {
    let of_rows = all.map_or(100.0, |all| 100.0 * rows as f64 / all.max(1.0));
    let of_bytes = 50.0 * MOST_BYTES as f64 / (pages as f64 * PAGE_BYTES).max(1.0);
    of_rows.min(of_bytes)
}

/// Returns the number of all rows of a table, and how that is known.
fn all_rows(sample: &Sample, estimated: Option<f64>, size: Size) -> Option<(u64, String)> {
    if sample.is_whole {
        return Some((sample.count, "all rows that the table had".to_owned()));
    }
    let how = match size.rows {
        Some(_) => "an estimate, from PostgreSQL's statistics (reltuples) and the table's size now",
        None => "an estimate, from the rows of a few pages, since the table was never analyzed",
    };
    estimated.map(|rows| ((rows as u64).max(sample.count), how.to_owned()))
}

/// Estimates the rows of a table from those of a few of its pages.
async fn probed(
    transaction: &mut Transaction<'_>,
    from: &str,
    pages: u64,
) -> Result<Option<f64>, ReadError> {
    let percent = (100.0 * PROBED_PAGES / pages as f64).min(100.0);
    let sql = format!(
        "SELECT count(*) FROM {from} TABLESAMPLE SYSTEM ({percent:.6}) REPEATABLE ({SEED})"
    );
    let savepoint = transaction.transaction().await?;
    let counted = savepoint.query_one(&sql, &[]).await;
    match counted.map_err(ReadError::from) {
        Ok(row) => {
            savepoint.commit().await?;
            let rows: i64 = row.get(0);
            Ok((rows > 0).then(|| rows as f64 * 100.0 / percent))
        }
        Err(error) if error.is_of_sampling() => {
            savepoint.rollback().await?;
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Reads the rows of a statement; `None` if the table's pages cannot be sampled.
async fn within_savepoint(
    transaction: &mut Transaction<'_>,
    sql: &str,
    request: &SampleRequest,
) -> Result<Option<Returned>, ReadError> {
    let savepoint = transaction.transaction().await?;
    match fetched(&savepoint, sql, request).await {
        Ok(returned) => {
            savepoint.commit().await?;
            Ok(Some(returned))
        }
        Err(error) if error.is_of_sampling() => {
            savepoint.rollback().await?;
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Reads the rows of a statement some at a time, until there are no more or they are too large.
async fn fetched(
    transaction: &Transaction<'_>,
    sql: &str,
    request: &SampleRequest,
) -> Result<Returned, ReadError> {
    let statement = transaction.prepare(sql).await?;
    let portal = transaction.bind(&statement, &[]).await?;
    let pace = Pace::within(request.rate_limit.as_ref());
    let mut returned = Returned {
        rows: Vec::new(),
        count: 0,
        is_all: false,
    };
    let (mut bytes, mut asked) = (0, FIRST_ROWS);
    while bytes < MOST_BYTES {
        pace.wait(asked).await;
        let rows = transaction.query_portal(&portal, asked as i32).await?;
        bytes += rows.iter().map(decode::bytes).sum::<usize>();
        returned.count += rows.len() as u64;
        if !rows.is_empty() {
            returned
                .rows
                .push(decode::batch(&rows).map_err(ReadError::Value)?);
        }
        if rows.len() < asked {
            returned.is_all = true;
            break;
        }
        asked = rows_at_once(returned.count as usize, bytes);
    }
    Ok(returned)
}

/// Returns how many rows are asked for, after so many of so many bytes.
fn rows_at_once(rows: usize, bytes: usize) -> usize {
    let row_bytes = bytes.div_ceil(rows.max(1)).max(1);
    (BYTES_AT_ONCE / row_bytes).clamp(1, MOST_ROWS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_large_rows_are_asked_for_at_a_time() {
        assert_eq!(rows_at_once(100, 5_000), MOST_ROWS);
        assert_eq!(rows_at_once(100, 100 << 20), 4);
        assert_eq!(rows_at_once(1, 1 << 30), 1);
        assert_eq!(rows_at_once(0, 0), MOST_ROWS);
    }

    #[test]
    fn pages_have_the_rows_and_no_more_bytes_than_are_read() {
        assert_eq!(percent(1_000, Some(10_000.0), 100), 10.0);
        assert_eq!(percent(1_000, Some(100.0), 100), 1_000.0);
        assert_eq!(percent(1_000, None, 0), 100.0);
        // 1 GiB with few rows, of which 128 MiB of pages are read.
        assert_eq!(percent(1_000, Some(1_000.0), 131_072), 12.5);
    }

    #[test]
    fn a_sample_that_lacks_its_last_pages_says_so() {
        let server = PostgresServer::looked_at("postgres://me@db1/db", None, None).unwrap();
        let part = Sample {
            count: 7,
            percent: Some(2.0),
            ..Sample::default()
        };
        let words = part.in_words(&server);
        assert!(
            words.starts_with("Sample: 7 rows of 2.0000% of its pages (TABLESAMPLE SYSTEM). They"),
            "{words}"
        );
        let cut = Sample {
            is_cut: true,
            ..part
        };
        let words = cut.in_words(&server);
        assert!(
            words.contains("but for those of the last of these"),
            "{words}"
        );
    }

    #[test]
    fn the_number_of_all_rows_says_how_it_is_known() {
        let analyzed = Size {
            pages: 10,
            rows: Some(5_000.0),
        };
        let never = Size {
            rows: None,
            ..analyzed
        };
        let part = Sample {
            count: 100,
            percent: Some(2.0),
            ..Sample::default()
        };
        let of = |sample: &Sample, estimated, size| all_rows(sample, estimated, size);
        let (rows, how) = of(&part, Some(5_000.0), analyzed).unwrap();
        assert_eq!(rows, 5_000);
        assert!(how.contains("reltuples"), "{how}");
        let (rows, how) = of(&part, Some(7.0), never).unwrap();
        assert_eq!(rows, 100, "no fewer than were read");
        assert!(how.contains("never analyzed"), "{how}");
        assert_eq!(of(&part, None, never), None);
        let whole = Sample {
            is_whole: true,
            ..part
        };
        assert_eq!(of(&whole, Some(5_000.0), analyzed).unwrap().0, 100);
    }
}
