//! Running SQL as it is written.

use bakeoff_driver::{ANSWER_BYTES, Answer, DesignError, IncomingAnswer};
use futures::StreamExt;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{CancelToken, Client, Row, RowStream};

use super::connect::{PostgresServer, reason};
use super::decode;

/// The approximate memory that a row takes in addition to its cells, in bytes.
const ROW_BYTES: usize = 128;
/// The approximate memory that a cell takes in addition to its value, in bytes.
const CELL_BYTES: usize = 24;
/// The highest memory that the rows of an answer may take before they become columns, in bytes.
const HELD_BYTES: usize = 2 * ANSWER_BYTES;

/// Begins the transaction of a question, in which nothing can be written. It is rolled back.
const BEGIN: &str = "BEGIN READ ONLY";

/// Runs a query in a transaction that only reads, and reads its answer to the last row. The transaction
/// stays open.
pub async fn answer(client: &Client, sql: &str) -> Result<Answer, DesignError> {
    let failed = |e: tokio_postgres::Error| DesignError(format!("PostgreSQL: {}", reason(&e)));
    let mut rows = std::pin::pin!(ask(client, sql).await.map_err(failed)?);
    let mut answer = IncomingAnswer::default();
    let (mut held, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next().await.transpose().map_err(failed)? {
        bytes += decode::bytes(&row) + ROW_BYTES + row.len() * CELL_BYTES;
        held.push(row);
        if bytes > HELD_BYTES {
            add(&mut answer, &held)?;
            held.clear();
            bytes = 0;
        }
    }
    add(&mut answer, &held)?;
    Ok(answer.complete())
}

/// Runs a query as [`answer`] does, and counts the rows of its answer and the bytes of their values.
pub async fn count(client: &Client, sql: &str) -> Result<(u64, u64), tokio_postgres::Error> {
    let mut rows = std::pin::pin!(ask(client, sql).await?);
    let (mut count, mut bytes) = (0, 0);
    while let Some(row) = rows.next().await.transpose()? {
        count += 1;
        bytes += decode::bytes(&row) as u64;
    }
    Ok((count, bytes))
}

/// Begins the transaction of a query, and asks it.
async fn ask(client: &Client, sql: &str) -> Result<RowStream, tokio_postgres::Error> {
    let nothing = std::iter::empty::<(&(dyn ToSql + Sync), Type)>();
    // Both are sent, in this order, before the first is awaited: the transaction takes no round trip.
    let (begin, asking) = (
        client.batch_execute(BEGIN),
        client.query_typed_raw(sql, nothing),
    );
    let (begun, rows) = futures::future::join(begin, asking).await;
    begun?;
    rows
}

fn add(answer: &mut IncomingAnswer, rows: &[Row]) -> Result<(), DesignError> {
    let batch = decode::batch(rows).map_err(DesignError)?;
    answer.add(batch).map_err(DesignError)
}

/// Awaits the work of a connection. If it fails, or the caller stops waiting, the server is asked to
/// cancel it, since otherwise it would go on and load the server uncounted.
pub async fn cancelled_on_failure<T, E>(
    server: &PostgresServer,
    client: &Client,
    doing: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let mut cancelling = Cancelling {
        server,
        token: Some(client.cancel_token()),
    };
    let done = doing.await;
    if done.is_ok() {
        cancelling.token = None;
    }
    done
}

/// Asks the server, when it is dropped, to cancel the work of a connection unless that is done.
struct Cancelling<'a> {
    server: &'a PostgresServer,
    token: Option<CancelToken>,
}

impl Drop for Cancelling<'_> {
    fn drop(&mut self) {
        if let Some(token) = self.token.take() {
            let server = self.server.clone();
            tokio::spawn(async move { server.cancel(token).await });
        }
    }
}
