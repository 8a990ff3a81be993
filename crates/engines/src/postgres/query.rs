//! Asking SQL as it is written.

use bakeoff_driver::{Answer, DesignError};
use futures::StreamExt;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{CancelToken, Client};

use super::connect::{PostgresServer, reason};
use super::decode;
use crate::sql::{ANSWER_BYTES, too_large};

/// Asks, and holds the answer to its last row. It ends on the server when the caller gives up
/// waiting: what went on would use the server with nobody counting it.
pub async fn answer(
    server: &PostgresServer,
    client: &Client,
    sql: &str,
) -> Result<Answer, DesignError> {
    let mut cancelling = Cancelling {
        server,
        token: Some(client.cancel_token()),
    };
    let answer = ask(client, sql).await;
    cancelling.token = None;
    answer
}

async fn ask(client: &Client, sql: &str) -> Result<Answer, DesignError> {
    let failed = |e: tokio_postgres::Error| DesignError(format!("PostgreSQL: {}", reason(&e)));
    let nothing = std::iter::empty::<(&(dyn ToSql + Sync), Type)>();
    let rows = client.query_typed_raw(sql, nothing).await.map_err(failed)?;
    let mut rows = std::pin::pin!(rows);
    let (mut held, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next().await.transpose().map_err(failed)? {
        bytes += decode::bytes(&row);
        held.push(row);
        if bytes > ANSWER_BYTES {
            return Err(DesignError(too_large()));
        }
    }
    let batch = decode::batch(&held).map_err(DesignError)?;
    Ok(Answer {
        batches: vec![batch],
        rows_scanned: None,
    })
}

/// Has the server end what was asked, unless it was answered.
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
