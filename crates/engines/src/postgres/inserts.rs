//! Inserting batches of rows from many workers. Each worker has a connection, and each batch is one
//! binary COPY in one transaction.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::DesignError;
use bakeoff_driver::drive::Failure;
use bakeoff_driver::sweep::{Inserter, Inserts};
use bakeoff_stats::FailureKind;
use bytes::Bytes;
use futures::SinkExt;
use tokio::sync::Mutex;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error, Statement};

use super::connect::{PostgresServer, reason};
use super::load::{Loader, encoded};

pub struct CopyInserts {
    pub server: PostgresServer,
    pub settings: String,
    pub copy: String,
    pub loader: Arc<Loader>,
    /// The numbers of the ranges whose partitions exist.
    pub prepared: Mutex<BTreeSet<i64>>,
}

#[async_trait]
impl Inserts for CopyInserts {
    async fn prepare(&self, rows: &RecordBatch) -> Result<(), DesignError> {
        let needed = self.loader.ranges_of(rows)?;
        let mut prepared = self.prepared.lock().await;
        if needed.is_subset(&prepared) {
            return Ok(());
        }
        let client = self.loader.connection().await?;
        self.loader.make_partitions(&client, rows).await?;
        prepared.extend(needed);
        Ok(())
    }

    async fn connect(&self) -> Result<Box<dyn Inserter>, Failure> {
        let connected = self.server.connect(&self.settings).await;
        let client = connected.map_err(|e| Failure::new(FailureKind::Connection, e.0))?;
        let copy = client.prepare(&self.copy).await.map_err(|e| failure(&e))?;
        let loader = Arc::clone(&self.loader);
        Ok(Box::new(CopyInserter {
            client,
            copy,
            loader,
        }))
    }
}

struct CopyInserter {
    client: Client,
    copy: Statement,
    /// The loader of the same table.
    loader: Arc<Loader>,
}

#[async_trait]
impl Inserter for CopyInserter {
    async fn insert(&mut self, rows: &RecordBatch) -> Result<(), Failure> {
        let rejected = |message: String| Failure::new(FailureKind::Rejected, message);
        let bytes = encoded(rows, self.loader.table())
            .map_err(|e| rejected(format!("rows cannot be sent to PostgreSQL: {e}")))?;
        let copy = async {
            let sink = self.client.copy_in::<_, Bytes>(&self.copy).await?;
            let mut sink = std::pin::pin!(sink);
            sink.send(bytes).await?;
            sink.finish().await
        };
        let copied = copy.await.map_err(|e| failure(&e))?;
        if copied == rows.num_rows() as u64 {
            Ok(())
        } else {
            Err(rejected(format!(
                "PostgreSQL accepted {copied} of {} rows",
                rows.num_rows()
            )))
        }
    }
}

fn failure(error: &Error) -> Failure {
    let message = format!("COPY into PostgreSQL failed: {}", reason(error));
    Failure::new(kind(error.code()), message)
}

/// Returns the kind of a server's error. Without a code, the connection broke.
pub fn kind(code: Option<&SqlState>) -> FailureKind {
    let Some(code) = code else {
        return FailureKind::Connection;
    };
    match code.code() {
        // A statement that the server's timeout cancelled, and a lock that was not available in time.
        "57014" | "55P03" => FailureKind::TimedOut,
        // The server is shutting down, has crashed or is starting up.
        "57P01" | "57P02" | "57P03" | "57P05" => FailureKind::Connection,
        // Out of connections, memory, disk space or another limited resource.
        code if code.starts_with("53") => FailureKind::Overloaded,
        code if code.starts_with("08") => FailureKind::Connection,
        // A serialization failure, and a deadlock.
        "40001" | "40P01" => FailureKind::Conflict,
        _ => FailureKind::Rejected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_its_kind() {
        let cases = [
            (Some(SqlState::QUERY_CANCELED), FailureKind::TimedOut),
            (Some(SqlState::ADMIN_SHUTDOWN), FailureKind::Connection),
            (
                Some(SqlState::TOO_MANY_CONNECTIONS),
                FailureKind::Overloaded,
            ),
            (Some(SqlState::DISK_FULL), FailureKind::Overloaded),
            (Some(SqlState::CONNECTION_FAILURE), FailureKind::Connection),
            (
                Some(SqlState::T_R_SERIALIZATION_FAILURE),
                FailureKind::Conflict,
            ),
            (Some(SqlState::T_R_DEADLOCK_DETECTED), FailureKind::Conflict),
            (
                Some(SqlState::T_R_INTEGRITY_CONSTRAINT_VIOLATION),
                FailureKind::Rejected,
            ),
            (Some(SqlState::CHECK_VIOLATION), FailureKind::Rejected),
            (None, FailureKind::Connection),
        ];
        for (code, expected) in cases {
            assert_eq!(kind(code.as_ref()), expected, "{code:?}");
        }
    }
}
