//! Requests that one node answers and no other, and why it does not.

use std::sync::Arc;

use scylla::errors::{ExecutionError, PrepareError, RequestAttemptError};
use scylla::policies::load_balancing::{
    LoadBalancingPolicy, NodeIdentifier, SingleTargetLoadBalancingPolicy,
};
use scylla::statement::Statement;
use uuid::Uuid;

/// Returns the policy that sends requests to the node with this id, and to no other.
pub fn only(host_id: Uuid) -> Arc<dyn LoadBalancingPolicy> {
    SingleTargetLoadBalancingPolicy::new(NodeIdentifier::HostId(host_id), None)
}

/// Makes a statement that only the node with this id is asked.
pub fn for_node(cql: &str, host_id: Uuid) -> Statement {
    let mut statement = Statement::new(cql);
    statement.set_load_balancing_policy(Some(only(host_id)));
    statement
}

/// Returns how the attempt failed to execute or to prepare a statement; `None` if none was made, or none has ended.
pub fn failed_attempt(error: &ExecutionError) -> Option<&RequestAttemptError> {
    match error {
        ExecutionError::LastAttemptError(attempt)
        | ExecutionError::PrepareError(PrepareError::AllAttemptsFailed {
            first_attempt: attempt,
        }) => Some(attempt),
        _ => None,
    }
}

/// Says that a user may not read something, with the message of the server.
pub fn no_right(message: &str) -> String {
    format!("--username has no right to read it: {message}")
}
