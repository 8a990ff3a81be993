//! Sessions and long transactions.

use super::asking::{Asking, MONITOR};
use super::model::{LongTransaction, Sessions};
use super::text_row::TextRow;

/// What the server shows of other users' sessions to those who may not see them.
pub(super) const HIDDEN: &str = "query = '<insufficient privilege>'";

/// Returns the statement that counts the connections of clients.
fn sessions_sql() -> String {
    format!(
        "SELECT count(*) AS open, current_setting('max_connections') AS most, \
         count(*) FILTER (WHERE state = 'active') AS active, \
         count(*) FILTER (WHERE state LIKE 'idle in transaction%') AS idle_in_transaction, \
         count(*) FILTER (WHERE wait_event_type = 'Lock') AS waiting, \
         count(*) FILTER (WHERE {HIDDEN}) AS hidden \
         FROM pg_stat_activity WHERE datid IS NOT NULL AND pid <> pg_backend_pid() \
         AND (backend_type = 'client backend' OR {HIDDEN})"
    )
}

const LONG_TRANSACTIONS: &str = "SELECT pid, usename, datname, state, \
     extract(epoch FROM now() - xact_start) AS seconds FROM pg_stat_activity \
     WHERE xact_start < now() - interval '60 seconds' AND backend_type = 'client backend' \
     ORDER BY xact_start LIMIT 10";

/// Reads how many sessions there are, and which transactions are long, which nobody knows who may not see them all.
pub async fn sessions(asking: &mut Asking) -> (Option<Sessions>, Option<Vec<LongTransaction>>) {
    let Some(row) = asking.row("sessions", &sessions_sql()).await else {
        return (None, None);
    };
    let sessions = sessions_of(&row);
    if sessions.active.is_none() {
        let reason = format!("the user does not see the sessions of others: {MONITOR}");
        asking.lacks("active sessions", reason.as_str());
        asking.lacks("long transactions", reason);
        return (Some(sessions), None);
    }
    let rows = asking.rows("long transactions", LONG_TRANSACTIONS).await;
    let long = rows.map(|rows| rows.iter().map(long_transaction).collect());
    (Some(sessions), long)
}

fn sessions_of(row: &TextRow) -> Sessions {
    let sees_all = row.count("hidden") == Some(0);
    let of_all = |column: &str| row.count(column).filter(|_| sees_all);
    Sessions {
        open: row.count("open"),
        limit: row.count("most"),
        active: of_all("active"),
        idle_in_transaction: of_all("idle_in_transaction"),
        waiting: of_all("waiting"),
    }
}

fn long_transaction(row: &TextRow) -> LongTransaction {
    LongTransaction {
        process: row.count("pid"),
        user: row.text("usename"),
        database: row.text("datname"),
        state: row.text("state"),
        seconds: row.number("seconds"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_that_are_hidden_are_not_counted_as_idle() {
        let row = |hidden| {
            TextRow::of(&[
                ("open", "7"),
                ("most", "100"),
                ("active", "0"),
                ("idle_in_transaction", "0"),
                ("waiting", "0"),
                ("hidden", hidden),
            ])
        };
        let all = sessions_of(&row("0"));
        assert_eq!((all.open, all.active), (Some(7), Some(0)));
        let some = sessions_of(&row("3"));
        assert_eq!((some.open, some.limit), (Some(7), Some(100)));
        assert_eq!((some.active, some.waiting), (None, None));
    }
}
