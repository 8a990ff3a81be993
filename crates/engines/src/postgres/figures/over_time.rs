//! What a server counts of its own work, in statements that take milliseconds: it is asked every second or two.

use bakeoff_stats::DatabaseSample;

use super::activity::HIDDEN;
use super::asking::MONITOR;
use super::text_row::TextRow;
use super::work::{FOURTEEN, checkpoints_sql};

/// Only the database that is connected to is looked at, as for an account.
const DATABASE: &str = "SELECT xact_commit AS commits, xact_rollback AS rollbacks, tup_returned AS rows_read, \
     tup_inserted + tup_updated + tup_deleted AS rows_written, blks_hit, blks_read, temp_bytes, deadlocks \
     FROM pg_stat_database WHERE datname = current_database()";
const LOG: &str = "SELECT wal_bytes FROM pg_stat_wal";
/// Name of the figures that others' sessions hide.
const SESSIONS: &str = "active and waiting connections";

/// A view that a server has, and the name of what it tells.
#[derive(Debug)]
pub struct View {
    pub figure: &'static str,
    pub sql: String,
}

/// Returns the views of a version, by its `server_version_num`.
pub fn views(version: u64) -> Vec<View> {
    let view = |figure, sql: &str| View {
        figure,
        sql: sql.to_owned(),
    };
    let mut views = vec![
        view("work of the database", DATABASE),
        view("checkpoints", checkpoints_sql(version)),
        view("connections", &connections_sql()),
    ];
    if version >= FOURTEEN {
        views.push(view("bytes of the log", LOG));
    }
    views
}

/// Returns the statement that reads the one row of each of several views, which have no column of the same name.
pub fn together(views: &[&View]) -> String {
    let each = views.iter().zip(1..);
    let each = each.map(|(view, number)| format!("({}) AS view_{number}", view.sql));
    let each: Vec<String> = each.collect();
    format!("SELECT * FROM {}", each.join(", "))
}

/// Returns the statement that counts the connections of clients to the database, without the one that asks. The server
/// hides of what kind the sessions of others are from those who may not see them.
fn connections_sql() -> String {
    format!(
        "SELECT count(*) AS open, count(*) FILTER (WHERE state = 'active') AS active, \
         count(*) FILTER (WHERE wait_event_type = 'Lock') AS waiting, count(*) FILTER (WHERE {HIDDEN}) AS hidden \
         FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() \
         AND (backend_type = 'client backend' OR {HIDDEN})"
    )
}

/// Reads a sample from the rows of views, and names with the reason what it lacks because of their contents.
pub fn sample_of(rows: &[TextRow]) -> (DatabaseSample, Option<(&'static str, String)>) {
    let count = |column: &str| rows.iter().find_map(|row| row.count(column));
    let sum = |one: &str, other: &str| count(one)?.checked_add(count(other)?);
    let hidden = count("hidden");
    let of_all = |column: &str| count(column).filter(|_| hidden == Some(0));
    let sample = DatabaseSample {
        commits: count("commits"),
        rollbacks: count("rollbacks"),
        rows_read: count("rows_read"),
        rows_written: count("rows_written"),
        blocks_hit: count("blks_hit"),
        blocks_read: count("blks_read"),
        blocks_written: sum("written", "buffers_clean"),
        temporary_bytes: count("temp_bytes"),
        deadlocks: count("deadlocks"),
        log_bytes: count("wal_bytes"),
        checkpoints: sum("timed", "requested"),
        open_connections: count("open"),
        active_connections: of_all("active"),
        waiting_connections: of_all("waiting"),
    };
    let hides = hidden > Some(0);
    let missing = hides.then(|| {
        let why = format!("the user does not see the sessions of others: {MONITOR}");
        (SESSIONS, why)
    });
    (sample, missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_is_asked_for_what_it_has() {
        let figures = |version| -> Vec<&'static str> {
            let views = views(version);
            views.iter().map(|view| view.figure).collect()
        };
        assert!(!figures(130_014).contains(&"bytes of the log"));
        assert!(figures(140_000).contains(&"bytes of the log"));
        for (version, view) in [
            (160_004, "pg_stat_bgwriter"),
            (170_002, "pg_stat_checkpointer"),
        ] {
            let all = views(version);
            assert!(all[1].sql.contains(view), "{version}: {all:?}");
        }
    }

    #[test]
    fn one_statement_asks_several_views() {
        let view = |sql: &str| View {
            figure: "a",
            sql: sql.to_owned(),
        };
        let (one, other) = (view("SELECT 1 AS a"), view("SELECT 2 AS b"));
        assert_eq!(
            together(&[&one, &other]),
            "SELECT * FROM (SELECT 1 AS a) AS view_1, (SELECT 2 AS b) AS view_2"
        );
    }

    #[test]
    fn rows_of_views_become_a_sample_and_what_is_absent_is_unknown() {
        let database = TextRow::of(&[
            ("commits", "7"),
            ("rows_written", "12"),
            ("blks_hit", "90"),
            ("blks_read", "10"),
            ("temp_bytes", "-1"),
        ]);
        let checkpoints = TextRow::of(&[
            ("timed", "2"),
            ("requested", "3"),
            ("written", "40"),
            ("buffers_clean", "2"),
        ]);
        let log = TextRow::of(&[("wal_bytes", "123456789012345")]);
        let (sample, missing) = sample_of(&[database, checkpoints, log]);
        let expected = DatabaseSample {
            commits: Some(7),
            rows_written: Some(12),
            blocks_hit: Some(90),
            blocks_read: Some(10),
            blocks_written: Some(42),
            checkpoints: Some(5),
            log_bytes: Some(123_456_789_012_345),
            ..DatabaseSample::default()
        };
        assert_eq!((sample, missing), (expected, None));
        assert_eq!(sample_of(&[]), (DatabaseSample::default(), None));
    }

    #[test]
    fn connections_that_are_hidden_are_not_counted_as_idle() {
        let row = |hidden| {
            TextRow::of(&[
                ("open", "7"),
                ("active", "2"),
                ("waiting", "1"),
                ("hidden", hidden),
            ])
        };
        let (all, missing) = sample_of(&[row("0")]);
        assert_eq!(
            (all.active_connections, all.waiting_connections),
            (Some(2), Some(1))
        );
        assert_eq!(missing, None);
        let (some, missing) = sample_of(&[row("3")]);
        assert_eq!(
            (some.open_connections, some.active_connections),
            (Some(7), None)
        );
        let (figure, why) = missing.unwrap();
        assert_eq!(figure, SESSIONS);
        assert!(why.contains("GRANT pg_monitor"), "{why}");
    }
}
