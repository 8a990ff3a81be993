//! Classification of the driver's errors into the kinds of failure that a load counts.

use bakeoff_driver::drive::Failure;
use bakeoff_stats::FailureKind;
use scylla::errors::{DbError, ExecutionError, PrepareError, RequestAttemptError};

/// Makes a failure of an operation from the driver's error, with the server's own message.
pub fn failure(operation: &str, error: &ExecutionError) -> Failure {
    Failure::new(kind(error), format!("{operation}: {error}"))
}

fn kind(error: &ExecutionError) -> FailureKind {
    match error {
        ExecutionError::RequestTimeout(_) => FailureKind::TimedOut,
        ExecutionError::EmptyPlan | ExecutionError::ConnectionPoolError(_) => {
            FailureKind::Connection
        }
        ExecutionError::LastAttemptError(attempt) => attempt_kind(attempt),
        // After a restart of the server, the driver prepares the statement again.
        ExecutionError::PrepareError(PrepareError::ConnectionPoolError(_)) => {
            FailureKind::Connection
        }
        ExecutionError::PrepareError(PrepareError::AllAttemptsFailed { first_attempt }) => {
            attempt_kind(first_attempt)
        }
        _ => FailureKind::Rejected,
    }
}

fn attempt_kind(error: &RequestAttemptError) -> FailureKind {
    match error {
        RequestAttemptError::DbError(error, _) => server_error_kind(error),
        RequestAttemptError::BrokenConnectionError(_)
        | RequestAttemptError::UnableToAllocStreamId => FailureKind::Connection,
        _ => FailureKind::Rejected,
    }
}

/// Classifies an error that a server replied with.
pub fn server_error_kind(error: &DbError) -> FailureKind {
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
        RequestAttemptError::DbError(error, "as reported".to_owned()).into()
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
        assert!(message.contains("as reported"), "{message}");
    }
}
