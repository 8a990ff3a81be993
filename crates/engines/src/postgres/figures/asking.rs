//! Asking one server for rows, and noting why there are none.

use std::time::Duration;

use tokio::time::{Instant, timeout};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::text_row::TextRow;
use crate::nodes::Missing;
use crate::postgres::connect::reason;

/// What makes the statement after it only read, and gives it up after 5 s, or when it waits for a lock for longer than
/// 1 s. It holds for the transaction of both, so that a session that a pooler gives to others keeps nothing of it.
pub const READ_ONLY: &str = "SET TRANSACTION READ ONLY; SET LOCAL statement_timeout TO 5000; \
     SET LOCAL lock_timeout TO 1000; ";
/// Time limit of one statement for a server that does not give up by itself.
const STATEMENT_LIMIT: Duration = Duration::from_secs(10);
/// Time after which a server is asked for nothing more.
const SERVER_LIMIT: Duration = Duration::from_secs(60);
/// What lets a user see the figures of all others.
pub const MONITOR: &str = "GRANT pg_monitor TO the user that connects";

/// A server while it is asked.
pub struct Asking {
    client: Client,
    /// When it was first asked.
    asked: Instant,
    /// Why it is asked no more.
    lost: Option<String>,
    missing: Vec<Missing>,
}

impl Asking {
    pub fn new(client: Client) -> Self {
        Asking {
            client,
            asked: Instant::now(),
            lost: None,
            missing: Vec::new(),
        }
    }

    /// Asks for rows, and notes the reason if there are none to be had.
    pub async fn rows(&mut self, figure: &str, sql: &str) -> Option<Vec<TextRow>> {
        if self.lost.is_none() && self.asked.elapsed() > SERVER_LIMIT {
            self.lost = Some(format!(
                "the server took longer than {SERVER_LIMIT:?} for the figures before"
            ));
        }
        if let Some(reason) = self.lost.clone() {
            self.lacks(figure, reason);
            return None;
        }
        let sql = format!("{READ_ONLY}{sql}");
        let why = match timeout(STATEMENT_LIMIT, self.client.simple_query(&sql)).await {
            Ok(Ok(reply)) => return Some(TextRow::all(&reply)),
            Ok(Err(error)) => {
                let why = in_words(error.code(), reason(&error));
                if self.client.is_closed() {
                    self.lost = Some(why.clone());
                }
                why
            }
            Err(_) => {
                let why = format!("the server gave no answer within {STATEMENT_LIMIT:?}");
                self.lost = Some(why.clone());
                why
            }
        };
        self.lacks(figure, why);
        None
    }

    /// Asks for the one row that there is.
    pub async fn row(&mut self, figure: &str, sql: &str) -> Option<TextRow> {
        self.rows(figure, sql).await?.into_iter().next()
    }

    /// Notes that a figure is not available.
    pub fn lacks(&mut self, figure: &str, reason: impl Into<String>) {
        self.missing.push(Missing {
            figure: figure.to_owned(),
            reason: reason.into(),
        });
    }

    /// Returns what is not available.
    pub fn take_missing(&mut self) -> Vec<Missing> {
        std::mem::take(&mut self.missing)
    }
}

/// Says why a statement has no rows, and what would bring them.
pub(super) fn in_words(code: Option<&SqlState>, reason: String) -> String {
    match code {
        Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
            format!("the user may not read it: {MONITOR} ({reason})")
        }
        Some(
            &SqlState::UNDEFINED_TABLE
            | &SqlState::UNDEFINED_FUNCTION
            | &SqlState::UNDEFINED_COLUMN,
        ) => format!("this version does not have it ({reason})"),
        Some(&SqlState::QUERY_CANCELED) => "it took longer than 5 s".to_owned(),
        Some(&SqlState::LOCK_NOT_AVAILABLE) => {
            "somebody else has locked a table for longer than 1 s".to_owned()
        }
        _ => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_says_what_would_bring_the_figure() {
        let words = |code: &SqlState| in_words(Some(code), "ERROR: no".to_owned());
        let rights = words(&SqlState::INSUFFICIENT_PRIVILEGE);
        assert!(rights.contains("GRANT pg_monitor"), "{rights}");
        let version = words(&SqlState::UNDEFINED_TABLE);
        assert!(version.starts_with("this version"), "{version}");
        assert_eq!(words(&SqlState::QUERY_CANCELED), "it took longer than 5 s");
        assert_eq!(words(&SqlState::DISK_FULL), "ERROR: no");
        assert_eq!(in_words(None, "gone".to_owned()), "gone");
    }
}
