//! Queries one after the other, each with a time limit and a pause before it.

use std::time::Duration;

use scylla::client::session::Session;
use scylla::cluster::Node;
use scylla::errors::{DbError, ExecutionError, PrepareError, RequestAttemptError};
use scylla::policies::load_balancing::{NodeIdentifier, SingleTargetLoadBalancingPolicy};
use scylla::response::query_result::QueryRowsResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::{Consistency, Statement};

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
    let mut statement = Statement::new(cql);
    statement.set_request_timeout(Some(QUERY_LIMIT));
    statement.set_consistency(Consistency::LocalOne);
    if let Some(node) = node {
        let only = NodeIdentifier::HostId(node.host_id);
        let policy = SingleTargetLoadBalancingPolicy::new(only, None);
        statement.set_load_balancing_policy(Some(policy));
    }
    let reply = session.query_unpaged(statement, values).await;
    let reply = reply.map_err(|error| in_words(&error))?;
    reply.into_rows_result().map_err(|e| e.to_string())
}

fn in_words(error: &ExecutionError) -> String {
    match error {
        ExecutionError::RequestTimeout(limit) => format!("no answer within {limit:?}"),
        ExecutionError::LastAttemptError(RequestAttemptError::DbError(
            DbError::Unauthorized,
            message,
        ))
        | ExecutionError::PrepareError(PrepareError::AllAttemptsFailed {
            first_attempt: RequestAttemptError::DbError(DbError::Unauthorized, message),
        }) => format!("--username has no right to read it: {message}"),
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
