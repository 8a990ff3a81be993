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

/// Time limit of one page.
const PAGE_TIME_LIMIT: Duration = Duration::from_secs(60);

/// The prepared statements of a session that read one table.
pub struct Statements {
    pub session: Arc<Session>,
    /// Consistency level of all reads; `None` uses the session's.
    consistency: Option<Consistency>,
    page_rows: i32,
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
            prepared: Mutex::default(),
        })
    }

    /// Returns the same statements with another consistency level.
    pub fn with_consistency(&self, consistency: Option<Consistency>) -> Arc<Self> {
        Statements::new(Arc::clone(&self.session), consistency, self.page_rows)
    }

    /// Prepares a statement once, and returns it from the cache afterwards.
    pub async fn prepare(&self, cql: &str) -> Result<PreparedStatement, PrepareError> {
        let mut prepared = self.prepared.lock().await;
        if let Some(statement) = prepared.get(cql) {
            return Ok(statement.clone());
        }
        let mut statement = Statement::new(cql).with_page_size(self.page_rows);
        statement.set_request_timeout(Some(PAGE_TIME_LIMIT));
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
