//! The driver's errors as kinds of failure that a load counts.

use bakeoff_driver::drive::Failure;
use bakeoff_stats::FailureKind;
use scylla::errors::{DbError, ExecutionError, PrepareError, RequestAttemptError};

/// What failed, in the words of the server where it said something.
pub fn failure(operation: &str, error: &ExecutionError) -> Failure {
    Failure::new(kind(error), format!("{operation}: {error}"))
}

fn kind(error: &ExecutionError) -> FailureKind {
    match error {
        ExecutionError::RequestTimeout(_) => FailureKind::TimedOut,
        ExecutionError::EmptyPlan | ExecutionError::ConnectionPoolError(_) => {
            FailureKind::Connection
        }
        ExecutionError::LastAttemptError(attempt) => of_attempt(attempt),
        // A server that was started anew is told the statement again.
        ExecutionError::PrepareError(PrepareError::ConnectionPoolError(_)) => {
            FailureKind::Connection
        }
        ExecutionError::PrepareError(PrepareError::AllAttemptsFailed { first_attempt }) => {
            of_attempt(first_attempt)
        }
        _ => FailureKind::Rejected,
    }
}

fn of_attempt(error: &RequestAttemptError) -> FailureKind {
    match error {
        RequestAttemptError::DbError(error, _) => of_server(error),
        RequestAttemptError::BrokenConnectionError(_)
        | RequestAttemptError::UnableToAllocStreamId => FailureKind::Connection,
        _ => FailureKind::Rejected,
    }
}

/// Kind of what a server refused.
pub fn of_server(error: &DbError) -> FailureKind {
    match error {
        DbError::ReadTimeout { .. } | DbError::WriteTimeout { .. } => FailureKind::TimedOut,
        DbError::Unavailable { .. } | DbError::IsBootstrapping => FailureKind::Unavailable,
        DbError::Overloaded | DbError::RateLimitReached { .. } => FailureKind::Overloaded,
        _ => FailureKind::Rejected,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use scylla::errors::BadQuery;
    use scylla::statement::Consistency;

    use super::*;

    fn by_server(error: DbError) -> ExecutionError {
        RequestAttemptError::DbError(error, "as told".to_owned()).into()
    }

    #[test]
    fn each_error_has_its_kind() {
        let consistency = Consistency::Quorum;
        let unavailable = by_server(DbError::Unavailable {
            consistency,
            required: 2,
            alive: 1,
        });
        let read_timeout = by_server(DbError::ReadTimeout {
            consistency,
            received: 0,
            required: 1,
            data_present: false,
        });
        let cases = [
            (read_timeout, FailureKind::TimedOut),
            (
                ExecutionError::RequestTimeout(Duration::from_secs(1)),
                FailureKind::TimedOut,
            ),
            (unavailable, FailureKind::Unavailable),
            (by_server(DbError::Overloaded), FailureKind::Overloaded),
            (by_server(DbError::Invalid), FailureKind::Rejected),
            (
                RequestAttemptError::UnableToAllocStreamId.into(),
                FailureKind::Connection,
            ),
            (ExecutionError::EmptyPlan, FailureKind::Connection),
            (
                BadQuery::PartitionKeyExtraction.into(),
                FailureKind::Rejected,
            ),
        ];
        for (error, expected) in cases {
            assert_eq!(failure("read", &error).kind, expected, "{error}");
        }
    }

    #[test]
    fn a_message_names_the_operation_and_what_the_server_said() {
        let message = failure("write", &by_server(DbError::Invalid)).message;
        assert!(message.starts_with("write: "), "{message}");
        assert!(message.contains("as told"), "{message}");
    }
}
