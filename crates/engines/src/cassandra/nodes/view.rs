//! Rows of a system view by the names of their columns, since versions of Cassandra have different ones.

use std::collections::HashMap;

use scylla::errors::{DbError, ExecutionError, RequestAttemptError};
use scylla::response::query_result::QueryRowsResult;
use scylla::value::{CqlValue, Row};

use super::figures::{Latency, Spread};
use super::latency::micros;
use crate::cassandra::cluster::one_node::{failed_attempt, no_right};

/// A row of a view; a column that the version lacks has no value.
#[derive(Debug, Default)]
pub struct ViewRow(HashMap<String, CqlValue>);

impl ViewRow {
    /// Reads the rows of a reply.
    ///
    /// # Errors
    /// Says why the reply is not understood.
    pub fn all(reply: &QueryRowsResult) -> Result<Vec<ViewRow>, String> {
        let specs = reply.column_specs();
        let names: Vec<String> = specs.iter().map(|spec| spec.name().to_owned()).collect();
        let failed = |e: &dyn std::fmt::Display| format!("its rows are not understood: {e}");
        let mut rows = Vec::new();
        for row in reply.rows::<Row>().map_err(|e| failed(&e))? {
            let row = row.map_err(|e| failed(&e))?;
            let cells = names.iter().cloned().zip(row.columns);
            let known = cells.filter_map(|(name, value)| Some((name, value?)));
            rows.push(ViewRow(known.collect()));
        }
        Ok(rows)
    }

    /// Returns a text; `None` if there is no such column or value.
    pub fn text(&self, column: &str) -> Option<String> {
        match self.0.get(column)? {
            CqlValue::Text(text) | CqlValue::Ascii(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// Returns a number that is not negative and finite; Cassandra has -1 or NaN for what it does not know.
    pub fn number(&self, column: &str) -> Option<f64> {
        let number = match self.0.get(column)? {
            CqlValue::Int(number) => f64::from(*number),
            CqlValue::BigInt(number) => *number as f64,
            CqlValue::Float(number) => f64::from(*number),
            CqlValue::Double(number) => *number,
            _ => return None,
        };
        (number.is_finite() && number >= 0.0).then_some(number)
    }

    /// Returns a whole number that is not negative.
    pub fn count(&self, column: &str) -> Option<u64> {
        match self.0.get(column)? {
            CqlValue::Int(number) => u64::try_from(*number).ok(),
            CqlValue::BigInt(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Returns the bytes of a column of whole mebibytes.
    pub fn mebibytes(&self) -> Option<u64> {
        self.count("mebibytes")?.checked_mul(1 << 20)
    }

    /// Returns what a view of latencies shows, whose unit depends on the version.
    pub fn latency(&self, version: &str) -> Latency {
        let time = |column| micros(version, self.number(column)?);
        Latency {
            count: self.count("count"),
            per_second: self.number("per_second"),
            p50_micros: time("p50th_ms"),
            p99_micros: time("p99th_ms"),
            max_micros: time("max_ms"),
        }
    }

    /// Returns what a view of numbers per read shows.
    pub fn spread(&self) -> Spread {
        Spread {
            count: self.count("count"),
            p50: self.number("p50th"),
            p99: self.number("p99th"),
            max: self.number("max"),
        }
    }
}

/// Why a node did not answer a query.
#[derive(Debug, PartialEq, Eq)]
pub struct Unanswered {
    pub reason: String,
    /// Whether another query would have no answer either.
    pub is_lost: bool,
}

impl Unanswered {
    /// Puts an error of the driver in words.
    pub fn new(error: &ExecutionError) -> Self {
        match error {
            ExecutionError::RequestTimeout(limit) => Unanswered {
                reason: format!("the node gave no answer within {limit:?}"),
                is_lost: true,
            },
            ExecutionError::EmptyPlan | ExecutionError::ConnectionPoolError(_) => Unanswered {
                reason: format!("the node cannot be connected to: {error}"),
                is_lost: true,
            },
            _ => match failed_attempt(error) {
                Some(attempt) => Unanswered::by_attempt(attempt),
                None => Unanswered {
                    reason: error.to_string(),
                    is_lost: false,
                },
            },
        }
    }

    fn by_attempt(error: &RequestAttemptError) -> Self {
        let (reason, is_lost) = match error {
            RequestAttemptError::DbError(DbError::Unauthorized, message) => {
                (no_right(message), false)
            }
            RequestAttemptError::DbError(DbError::Invalid, message) if is_absence(message) => (
                "this version of Cassandra has no such view".to_owned(),
                false,
            ),
            RequestAttemptError::BrokenConnectionError(_) => {
                (format!("the connection to the node broke: {error}"), true)
            }
            _ => (error.to_string(), false),
        };
        Unanswered { reason, is_lost }
    }
}

/// Returns whether a message of the server says that there is no such table or keyspace.
fn is_absence(message: &str) -> bool {
    let message = message.to_lowercase();
    message.contains("does not exist") || message.contains("unconfigured table")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn row(cells: &[(&str, CqlValue)]) -> ViewRow {
        let cells = cells.iter().cloned();
        ViewRow(
            cells
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }

    #[test]
    fn what_a_version_lacks_or_does_not_know_has_no_value() {
        let row = row(&[
            ("mebibytes", CqlValue::BigInt(3)),
            ("count", CqlValue::BigInt(-1)),
            ("p99th", CqlValue::Double(f64::NAN)),
            ("max", CqlValue::Text("7".to_owned())),
        ]);
        assert_eq!(row.mebibytes(), Some(3 << 20));
        assert_eq!(row.spread(), Spread::default());
        assert_eq!(row.text("name"), None);
    }

    #[test]
    fn partitions_of_gigabytes_have_their_bytes() {
        let of = |mebibytes| row(&[("mebibytes", CqlValue::BigInt(mebibytes))]).mebibytes();
        assert_eq!(of(2741), Some(2741 << 20));
        assert_eq!(of(i64::MAX), None, "more than there can be");
    }

    #[test]
    fn latencies_have_the_unit_of_their_version() {
        let row = row(&[
            ("count", CqlValue::BigInt(8)),
            ("p50th_ms", CqlValue::Double(0.001)),
            ("p99th_ms", CqlValue::Double(0.004)),
            ("max_ms", CqlValue::Double(0.02)),
            ("per_second", CqlValue::Double(1.5)),
        ]);
        let known = row.latency("5.0.9");
        assert_eq!(known.p99_micros, Some(4000.0));
        assert_eq!(known.count, Some(8));
        assert_eq!(known.per_second, Some(1.5));
        let unknown = row.latency("4.0.17");
        assert_eq!((unknown.p50_micros, unknown.max_micros), (None, None));
        assert_eq!(unknown.count, Some(8), "a count has no unit");
    }

    fn by_server(error: DbError, message: &str) -> Unanswered {
        let attempt = RequestAttemptError::DbError(error, message.to_owned());
        Unanswered::new(&attempt.into())
    }

    #[test]
    fn a_version_without_a_view_is_told_from_a_user_without_rights() {
        let absent = by_server(DbError::Invalid, "table disk_usage does not exist");
        assert_eq!(absent.reason, "this version of Cassandra has no such view");
        let absent = by_server(DbError::Invalid, "unconfigured table disk_usage");
        assert_eq!(absent.reason, "this version of Cassandra has no such view");
        let message = "User bench has no SELECT permission on <table system_views.caches>";
        let refused = by_server(DbError::Unauthorized, message);
        assert!(refused.reason.contains("no right") && refused.reason.contains(message));
        let other = by_server(DbError::Invalid, "Undefined column name");
        assert!(
            other.reason.contains("Undefined column name"),
            "{}",
            other.reason
        );
        assert!(!absent.is_lost && !refused.is_lost && !other.is_lost);
    }

    #[test]
    fn a_node_that_does_not_answer_is_asked_no_more() {
        let late = Unanswered::new(&ExecutionError::RequestTimeout(Duration::from_secs(2)));
        assert_eq!(late.reason, "the node gave no answer within 2s");
        assert!(late.is_lost);
        assert!(Unanswered::new(&ExecutionError::EmptyPlan).is_lost);
    }
}
