//! Queries one after the other, each with a time limit and a pause before it.

use std::time::Duration;

use scylla::client::session::Session;
use scylla::cluster::Node;
use scylla::errors::{DbError, ExecutionError, RequestAttemptError};
use scylla::response::query_result::QueryRowsResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::{Consistency, Statement};
use tokio::time::Instant;

use crate::cassandra::cluster::one_node::{failed_attempt, for_node, no_right};

/// Pause before each query, so that at most a hundred are sent in a second.
const PAUSE: Duration = Duration::from_millis(10);
/// Time limit of one query.
const QUERY_LIMIT: Duration = Duration::from_secs(2);

/// Asks any node, or this one if it is named.
///
/// # Errors
/// Says why there is no answer.
pub async fn rows(
    session: &Session,
    node: Option<&Node>,
    cql: &str,
    values: impl SerializeRow,
) -> Result<QueryRowsResult, String> {
    tokio::time::sleep(PAUSE).await;
    let mut statement = match node {
        Some(node) => for_node(cql, node.host_id),
        None => Statement::new(cql),
    };
    statement.set_request_timeout(Some(QUERY_LIMIT));
    statement.set_consistency(Consistency::LocalOne);
    let reply = session.query_unpaged(statement, values).await;
    let reply = reply.map_err(|error| in_words(&error))?;
    reply.into_rows_result().map_err(|e| e.to_string())
}

/// Whether a node is still asked: one that was silent once takes the whole time limit each time.
#[derive(Default)]
pub struct Patience {
    /// Why it is asked no more.
    lost: Option<String>,
}

impl Patience {
    /// Asks a node by one query, unless it was silent before.
    ///
    /// # Errors
    /// Says why there is no answer, or why there was none before.
    pub async fn ask<T>(
        &mut self,
        query: impl Future<Output = Result<T, String>>,
    ) -> Result<T, String> {
        if let Some(reason) = &self.lost {
            return Err(reason.clone());
        }
        let began = Instant::now();
        let answer = query.await;
        if began.elapsed() >= QUERY_LIMIT {
            self.lost = answer.as_ref().err().cloned();
        }
        answer
    }
}

fn in_words(error: &ExecutionError) -> String {
    match (error, failed_attempt(error)) {
        (ExecutionError::RequestTimeout(limit), _) => format!("no answer within {limit:?}"),
        (_, Some(RequestAttemptError::DbError(DbError::Unauthorized, message))) => {
            no_right(message)
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_node_that_was_silent_once_is_asked_no_more() {
        let mut patience = Patience::default();
        let refused = async { Err::<u64, String>("no right".to_owned()) };
        assert_eq!(patience.ask(refused).await, Err("no right".to_owned()));
        let answers = async { Ok::<u64, String>(7) };
        assert_eq!(patience.ask(answers).await, Ok(7));
        let silent = async {
            tokio::time::sleep(QUERY_LIMIT).await;
            Err::<u64, String>("no answer".to_owned())
        };
        assert_eq!(patience.ask(silent).await, Err("no answer".to_owned()));
        let answers = async { Ok::<u64, String>(7) };
        assert_eq!(patience.ask(answers).await, Err("no answer".to_owned()));
    }

    #[test]
    fn a_missing_right_is_named_with_the_option() {
        let message = "User bench has no SELECT permission on <table shop.orders>";
        let refused = RequestAttemptError::DbError(DbError::Unauthorized, message.to_owned());
        let words = in_words(&ExecutionError::LastAttemptError(refused));
        assert_eq!(
            words,
            format!("--username has no right to read it: {message}")
        );
        let late = in_words(&ExecutionError::RequestTimeout(QUERY_LIMIT));
        assert_eq!(late, "no answer within 2s");
    }
}
