//! Queries one after the other, each with a time limit and a pause before it.

use std::time::Duration;

use scylla::client::session::Session;
use scylla::cluster::Node;
use scylla::errors::{DbError, ExecutionError, RequestAttemptError};
use scylla::response::query_result::QueryRowsResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::{Consistency, Statement};

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
