//! The connections over which a workload's SQL is asked. Nothing of one question reaches the next: each is a
//! transaction that only reads and is rolled back, and then its connection is reset.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::try_join_all;
use tokio_postgres::Client;

use super::connect::{PostgresServer, session_statements};
use crate::EngineError;

/// What every session of questions has in addition, so that literals mean the same on every server and no
/// question outlives this process by long. The last setting is unknown before PostgreSQL 14.
const SETTINGS: &str = "SET default_transaction_read_only TO on; \
    SET standard_conforming_strings TO on; \
    SELECT set_config(name, '10s', false) FROM pg_settings WHERE name = 'client_connection_check_interval'";
/// Ends the transaction of a question, and what a session may keep beyond it: settings, temporary tables,
/// locks, and the like.
const END: [&str; 2] = ["ROLLBACK", "DISCARD ALL"];
/// The time limit for resetting a connection.
const RESET_TIME_LIMIT: Duration = Duration::from_secs(30);

/// Connections for questions: as many as were ever used at the same time.
pub struct Asking {
    server: PostgresServer,
    settings: String,
    /// Connections that are as good as new.
    ready: Mutex<Vec<Client>>,
    /// Connections with what the last question has left on them.
    used: Mutex<Vec<Client>>,
}

impl Asking {
    /// Makes connections with these settings when they are needed.
    pub fn new(server: PostgresServer, settings: &str) -> Self {
        Asking {
            server,
            settings: format!("{settings}; {SETTINGS}"),
            ready: Mutex::default(),
            used: Mutex::default(),
        }
    }

    /// Makes so many connections, so that no question has to wait until one is made.
    ///
    /// # Errors
    /// Fails if the server takes no connection.
    pub async fn open(&self, connections: usize) -> Result<(), EngineError> {
        let opening = (0..connections).map(|_| self.server.connect(&self.settings));
        let opened = try_join_all(opening).await?;
        locked(&self.ready).extend(opened);
        Ok(())
    }

    pub fn server(&self) -> &PostgresServer {
        &self.server
    }

    /// Takes a connection that no question has left anything on, or makes one.
    pub async fn take(&self) -> Result<Client, EngineError> {
        if locked(&self.ready).is_empty() {
            self.reset_one().await;
        }
        let ready = locked(&self.ready).pop();
        match ready.filter(|client| !client.is_closed()) {
            Some(client) => Ok(client),
            None => self.server.connect(&self.settings).await,
        }
    }

    /// Takes a connection back whose question was answered to its end. One that was not is dropped instead,
    /// since the next question would wait for it.
    pub fn put_back(&self, client: Client) {
        locked(&self.used).push(client);
    }

    /// Makes one used connection ready again, if there is one.
    pub async fn reset_one(&self) {
        let Some(client) = locked(&self.used).pop() else {
            return;
        };
        // A connection that cannot be reset is dropped, and the next question makes another one.
        let reset = tokio::time::timeout(RESET_TIME_LIMIT, reset(&client, &self.settings)).await;
        match reset {
            Ok(Ok(())) => locked(&self.ready).push(client),
            Ok(Err(error)) => tracing::debug!("a connection was not reset: {error}"),
            Err(_) => tracing::debug!("a connection was not reset within {RESET_TIME_LIMIT:?}"),
        }
    }

    /// Closes all connections.
    pub fn close(&self) {
        locked(&self.ready).clear();
        locked(&self.used).clear();
    }
}

/// Makes a connection as good as new. `DISCARD ALL` has to be a message by itself.
async fn reset(client: &Client, settings: &str) -> Result<(), tokio_postgres::Error> {
    for statement in END {
        client.batch_execute(statement).await?;
    }
    client.batch_execute(&session_statements(settings)).await
}

fn locked(clients: &Mutex<Vec<Client>>) -> MutexGuard<'_, Vec<Client>> {
    clients.lock().unwrap_or_else(PoisonError::into_inner)
}
