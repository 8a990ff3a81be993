//! Retrying requests, and the errors when that does not help.
//!
//! Every request can be repeated: each write carries its own timestamp, so that one that arrives late or
//! twice changes nothing.

use std::fmt::Display;
use std::time::Duration;

use scylla::errors::{DbError, ExecutionError, PrepareError, RequestAttemptError};
use tokio::time::Instant;

use crate::machine::sleep;
use crate::{Error, Result};

/// The number of times that a request is sent.
pub(super) const ATTEMPTS_AT_MOST: u32 = 6;

/// The pause after the first attempt; each later one is [`PAUSE_GROWTH`] times as long, up to
/// [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const PAUSE_GROWTH: u32 = 3;
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Sends a request until it is answered or refused, or has been sent often enough. `doing` says what is
/// being done.
///
/// # Errors
/// Fails with `Server` with what was being done, how often it was tried, and why it failed the last time.
pub(super) async fn retried<T, F>(
    doing: &(dyn Display + Sync),
    attempt: impl FnMut() -> F,
) -> Result<T>
where
    F: Future<Output = Result<T, ExecutionError>>,
{
    retried_after(pauses(), doing, attempt).await
}

/// Returns the pauses between attempts.
fn pauses() -> impl Iterator<Item = Duration> {
    let longer = |pause: &Duration| Some((*pause * PAUSE_GROWTH).min(LONGEST_PAUSE));
    std::iter::successors(Some(FIRST_PAUSE), longer).take(ATTEMPTS_AT_MOST as usize - 1)
}

async fn retried_after<T, F>(
    mut pauses: impl Iterator<Item = Duration>,
    doing: &(dyn Display + Sync),
    mut attempt: impl FnMut() -> F,
) -> Result<T>
where
    F: Future<Output = Result<T, ExecutionError>>,
{
    let began = Instant::now();
    let mut attempts = 0;
    loop {
        let error = match attempt().await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        attempts += 1;
        if !may_pass(&error) {
            return Err(refused(doing, &error));
        }
        let Some(pause) = pauses.next() else {
            return Err(given_up(doing, attempts, began.elapsed(), &error));
        };
        tracing::debug!("{doing}, attempt {attempts}: {error}; again in {pause:?}");
        sleep(pause).await;
    }
}

fn given_up(
    doing: &(dyn Display + Sync),
    attempts: u32,
    took: Duration,
    error: &ExecutionError,
) -> Error {
    let seconds = took.as_secs_f64();
    let reason = format!(
        "given up after {attempts} attempts in {seconds:.1} s: {error}; check that the nodes are up \
         and not overloaded (`nodetool status`), and try again"
    );
    server(doing, reason)
}

fn refused(doing: &(dyn Display + Sync), error: &ExecutionError) -> Error {
    server(doing, format!("{error}{}", advice(error)))
}

/// Returns what the reader of an error can do, if there is something.
fn advice(error: &ExecutionError) -> &'static str {
    let of_attempt = match error {
        ExecutionError::LastAttemptError(attempt)
        | ExecutionError::PrepareError(PrepareError::AllAttemptsFailed {
            first_attempt: attempt,
        }) => attempt,
        _ => return "",
    };
    match of_attempt {
        RequestAttemptError::DbError(DbError::Unauthorized | DbError::AuthenticationError, _) => {
            "; connect as a user who may do this"
        }
        RequestAttemptError::DbError(DbError::ReadFailure { .. }, _) => {
            "; the log of the node says why"
        }
        _ => "",
    }
}

/// Makes an error of the server.
pub(super) fn server(doing: &(dyn Display + Sync), reason: impl Into<String>) -> Error {
    Error::Server {
        doing: doing.to_string(),
        reason: reason.into(),
    }
}

/// Returns whether the same request may be answered a little later.
fn may_pass(error: &ExecutionError) -> bool {
    match error {
        ExecutionError::RequestTimeout(_)
        | ExecutionError::EmptyPlan
        | ExecutionError::ConnectionPoolError(_)
        | ExecutionError::SchemaAgreementError(_)
        | ExecutionError::MetadataError(_)
        | ExecutionError::PrepareError(PrepareError::ConnectionPoolError(_)) => true,
        ExecutionError::LastAttemptError(attempt)
        | ExecutionError::PrepareError(PrepareError::AllAttemptsFailed {
            first_attempt: attempt,
        }) => attempt_may_pass(attempt),
        _ => false,
    }
}

fn attempt_may_pass(error: &RequestAttemptError) -> bool {
    match error {
        RequestAttemptError::BrokenConnectionError(_)
        | RequestAttemptError::UnableToAllocStreamId => true,
        RequestAttemptError::DbError(error, _) => matches!(
            error,
            DbError::Unavailable { .. }
                | DbError::ReadTimeout { .. }
                | DbError::WriteTimeout { .. }
                | DbError::WriteFailure { .. }
                | DbError::Overloaded
                | DbError::RateLimitReached { .. }
                | DbError::IsBootstrapping
                // The driver would ask another node, and some requests are sent without its retries.
                | DbError::ServerError
                | DbError::TruncateError
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use scylla::statement::Consistency;

    use super::*;

    fn by_server(error: DbError) -> ExecutionError {
        RequestAttemptError::DbError(error, "as reported".to_owned()).into()
    }

    fn unavailable() -> ExecutionError {
        by_server(DbError::Unavailable {
            consistency: Consistency::LocalQuorum,
            required: 2,
            alive: 1,
        })
    }

    async fn failing(times: u32, error: impl Fn() -> ExecutionError) -> (u32, Result<u32>) {
        let attempts = Cell::new(0);
        let pauses = pauses().map(|pause| pause / 100);
        let answer = retried_after(pauses, &"reading rows", || {
            attempts.set(attempts.get() + 1);
            let failed = attempts.get() <= times;
            let answer = if failed {
                Err(error())
            } else {
                Ok(attempts.get())
            };
            async { answer }
        });
        let answer = answer.await;
        (attempts.get(), answer)
    }

    #[test]
    fn pauses_grow() {
        let pauses: Vec<u128> = pauses().map(|pause| pause.as_millis()).collect();
        assert_eq!(pauses, [100, 300, 900, 2700, 5000]);
    }

    #[tokio::test]
    async fn what_passes_is_waited_for() {
        let (_, answer) = failing(3, unavailable).await;
        assert_eq!(answer.unwrap(), 4);
    }

    #[tokio::test]
    async fn an_error_of_one_node_is_not_the_end() {
        for error in [DbError::ServerError, DbError::TruncateError] {
            let (_, answer) = failing(1, || by_server(error.clone())).await;
            assert_eq!(answer.unwrap(), 2, "{error}");
        }
    }

    #[tokio::test]
    async fn what_does_not_pass_is_given_up_with_all_that_is_known() {
        let (attempts, answer) = failing(u32::MAX, unavailable).await;
        assert_eq!(attempts, ATTEMPTS_AT_MOST);
        let message = answer.unwrap_err().to_string();
        assert!(
            message.starts_with("reading rows: given up after 6 attempts in "),
            "{message}"
        );
        assert!(message.contains("nodetool status"), "{message}");
    }

    #[tokio::test]
    async fn what_is_refused_is_not_tried_again() {
        let (attempts, answer) = failing(u32::MAX, || by_server(DbError::Unauthorized)).await;
        assert_eq!(attempts, 1);
        let message = answer.unwrap_err().to_string();
        assert!(
            message.contains("as reported; connect as a user"),
            "{message}"
        );
    }
}
