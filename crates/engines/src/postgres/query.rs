//! Asking SQL as it is written.

use bakeoff_driver::{Answer, DesignError};
use futures::StreamExt;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{CancelToken, Client};

use super::connect::{PostgresServer, reason};
use super::decode;
use crate::sql::{ANSWER_BYTES, too_large};

/// What a row and each of its cells take beside their values, about.
const ROW_BYTES: usize = 128;
const CELL_BYTES: usize = 24;
/// What the rows of an answer may take until they are columns, in bytes.
const HELD_BYTES: usize = 4 * ANSWER_BYTES;

/// Asks, and holds the answer to its last row.
pub async fn answer(client: &Client, sql: &str) -> Result<Answer, DesignError> {
    let failed = |e: tokio_postgres::Error| DesignError(format!("PostgreSQL: {}", reason(&e)));
    let nothing = std::iter::empty::<(&(dyn ToSql + Sync), Type)>();
    let rows = client.query_typed_raw(sql, nothing).await.map_err(failed)?;
    let mut rows = std::pin::pin!(rows);
    let (mut held, mut bytes, mut around) = (Vec::new(), 0, 0);
    while let Some(row) = rows.next().await.transpose().map_err(failed)? {
        bytes += decode::bytes(&row);
        around += ROW_BYTES + row.len() * CELL_BYTES;
        held.push(row);
        if bytes > ANSWER_BYTES || bytes + around > HELD_BYTES {
            return Err(DesignError(too_large()));
        }
    }
    let batch = decode::batch(&held).map_err(DesignError)?;
    Ok(Answer {
        batches: vec![batch],
        rows_scanned: None,
    })
}

/// Awaits what a connection does. Where that fails, or the caller gives up waiting, the server is to
/// end it: what went on would use the server with nobody counting it.
pub async fn ended_with_us<T>(
    server: &PostgresServer,
    client: &Client,
    doing: impl Future<Output = Result<T, DesignError>>,
) -> Result<T, DesignError> {
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

/// Has the server end what a connection does, unless it is done.
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
