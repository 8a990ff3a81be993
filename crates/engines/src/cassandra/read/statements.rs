//! The cache of prepared statements that read a table.

use std::collections::HashMap;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::time::Duration;

use scylla::client::session::Session;
use scylla::errors::PrepareError;
use scylla::statement::prepared::PreparedStatement;
use scylla::statement::{Consistency, Statement};
use tokio::sync::Mutex;

/// Time limit of one page, unless another one is asked for.
const PAGE_TIME_LIMIT: Duration = Duration::from_secs(60);

/// The prepared statements of a session that read one table.
pub struct Statements {
    pub session: Arc<Session>,
    /// Consistency level of all reads; `None` uses the session's.
    consistency: Option<Consistency>,
    page_rows: i32,
    page_time_limit: Duration,
    prepared: Mutex<HashMap<String, PreparedStatement>>,
}

impl Statements {
    pub fn new(
        session: Arc<Session>,
        consistency: Option<Consistency>,
        page_rows: i32,
    ) -> Arc<Self> {
        Arc::new(Statements {
            session,
            consistency,
            page_rows,
            page_time_limit: PAGE_TIME_LIMIT,
            prepared: Mutex::default(),
        })
    }

    /// Returns the same statements with another consistency level.
    pub fn with_consistency(&self, consistency: Option<Consistency>) -> Arc<Self> {
        Arc::new(Statements {
            session: Arc::clone(&self.session),
            consistency,
            page_rows: self.page_rows,
            page_time_limit: self.page_time_limit,
            prepared: Mutex::default(),
        })
    }

    /// Returns the same statements with another time limit of one page, if there is one.
    pub fn with_page_time_limit(&self, limit: Option<Duration>) -> Arc<Self> {
        Arc::new(Statements {
            session: Arc::clone(&self.session),
            consistency: self.consistency,
            page_rows: self.page_rows,
            page_time_limit: limit.unwrap_or(self.page_time_limit),
            prepared: Mutex::default(),
        })
    }

    /// Prepares a statement once, and returns it from the cache afterwards.
    pub async fn prepare(&self, cql: &str) -> Result<PreparedStatement, PrepareError> {
        let mut prepared = self.prepared.lock().await;
        if let Some(statement) = prepared.get(cql) {
            return Ok(statement.clone());
        }
        let mut statement = Statement::new(cql).with_page_size(self.page_rows);
        statement.set_request_timeout(Some(self.page_time_limit));
        statement.set_is_idempotent(true);
        if let Some(consistency) = self.consistency {
            statement.set_consistency(consistency);
        }
        let statement = self.session.prepare(statement).await?;
        prepared.insert(cql.to_owned(), statement.clone());
        Ok(statement)
    }
}

impl Debug for Statements {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Statements")
    }
}
