//! Why Cassandra did not answer a statement, in words that say what to do where that is known.

use scylla::errors::{DbError, ExecutionError, RequestAttemptError};

/// How Cassandra says that a call of a function took longer than it allows.
const TOO_LONG: &str = "ran longer than";

/// Describes why a statement failed.
pub fn explained(error: &ExecutionError) -> String {
    if let ExecutionError::RequestTimeout(_) = error {
        return format!(
            "{error}: look at the load and the log of the nodes, then repeat the command, ask of fewer rows, or \
             give `bakeoff sql` more time with --time-out"
        );
    }
    let ExecutionError::LastAttemptError(RequestAttemptError::DbError(reason, message)) = error
    else {
        return error.to_string();
    };
    match reason {
        DbError::FunctionFailure {
            keyspace, function, ..
        } => {
            let advice = if message.contains(TOO_LONG) {
                "; a call that takes longer than user_defined_functions_fail_timeout stops the server: \
                 raise it in [server.cassandra] of the workload, or in cassandra.yaml of a cluster of \
                 yours, or ask of fewer rows"
            } else {
                ""
            };
            format!("the function {keyspace}.{function} failed: {message}{advice}")
        }
        DbError::Unavailable {
            required, alive, ..
        } => format!(
            "the nodes of {alive} copies are there, and the consistency level waits for {required}: start \
             the others, or read at a lower level ({error})"
        ),
        DbError::ReadTimeout {
            received, required, ..
        } => format!(
            "{received} of {required} copies answered in the time that the server waits for them: look at the \
             load and the log of the nodes, raise read_request_timeout and range_request_timeout in \
             cassandra.yaml, or ask of fewer rows ({error})"
        ),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use scylla::statement::Consistency;

    use super::*;

    fn by_server(reason: DbError, message: &str) -> String {
        explained(&RequestAttemptError::DbError(reason, message.to_owned()).into())
    }

    #[test]
    fn a_function_that_takes_too_long_is_named_with_what_to_do() {
        let failure = || DbError::FunctionFailure {
            keyspace: "ks".to_owned(),
            function: "bakeoff_sum_int_state".to_owned(),
            arg_types: vec!["bigint".to_owned(), "int".to_owned()],
        };
        let long = by_server(failure(), "User defined function x ran longer than 1500ms");
        assert!(
            long.starts_with(
                "the function ks.bakeoff_sum_int_state failed: User defined function x"
            ),
            "{long}"
        );
        assert!(long.contains("raise it in [server.cassandra]"), "{long}");
        let wrong = by_server(failure(), "java.lang.NullPointerException");
        assert!(wrong.ends_with("java.lang.NullPointerException"), "{wrong}");
    }

    #[test]
    fn copies_that_are_not_there_are_counted() {
        let unavailable = DbError::Unavailable {
            consistency: Consistency::All,
            required: 3,
            alive: 2,
        };
        let said = by_server(unavailable, "Cannot achieve consistency level ALL");
        assert!(
            said.starts_with(
                "the nodes of 2 copies are there, and the consistency level waits for 3"
            ),
            "{said}"
        );
        assert!(
            said.contains("Cannot achieve consistency level ALL"),
            "{said}"
        );
    }

    #[test]
    fn time_outs_of_the_server_and_of_the_driver_say_what_to_do() {
        let by_nodes = DbError::ReadTimeout {
            consistency: Consistency::Quorum,
            received: 1,
            required: 2,
            data_present: true,
        };
        let said = by_server(by_nodes, "Operation timed out");
        assert!(said.starts_with("1 of 2 copies answered"), "{said}");
        assert!(said.contains("range_request_timeout"), "{said}");
        assert!(said.contains("Operation timed out"), "{said}");
        let said = explained(&ExecutionError::RequestTimeout(Duration::from_secs(60)));
        assert!(said.contains("60000ms"), "{said}");
        assert!(said.ends_with("more time with --time-out"), "{said}");
    }

    #[test]
    fn other_failures_are_said_in_the_words_of_the_driver() {
        let said = by_server(DbError::Invalid, "no such column");
        assert!(said.contains("no such column"), "{said}");
    }
}
