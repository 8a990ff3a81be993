//! Servers that get the log, what it is kept for, and how a standby follows.

use super::asking::{Asking, MONITOR};
use super::model::{Following, Replica, Slot};
use super::text_row::TextRow;

/// The end of the log that a server can send: of a standby, what it has received.
const END: &str =
    "CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END";

pub async fn replicas(asking: &mut Asking) -> Option<Vec<Replica>> {
    let sql = format!(
        "SELECT application_name, client_addr, state, sync_state, \
         pg_wal_lsn_diff({END}, replay_lsn) AS behind, \
         extract(epoch FROM replay_lag) AS lag FROM pg_stat_replication ORDER BY application_name, client_addr"
    );
    let rows = asking.rows("replicas", &sql).await?;
    let replicas: Vec<Replica> = rows.iter().map(replica).collect();
    if replicas.iter().any(|replica| replica.state.is_none()) {
        let reason = format!("the user does not see what others receive: {MONITOR}");
        asking.lacks("state and lag of replicas", reason);
    }
    Some(replicas)
}

fn replica(row: &TextRow) -> Replica {
    let lag_bytes = row.distance("behind");
    // There is no lag to measure of one that has everything and gets nothing new.
    let is_level = lag_bytes == Some(0);
    Replica {
        name: row.text("application_name").unwrap_or_default(),
        address: row.text("client_addr"),
        state: row.text("state"),
        sync_state: row.text("sync_state"),
        lag_bytes,
        lag_seconds: row.number("lag").or(is_level.then_some(0.0)),
    }
}

pub async fn slots(asking: &mut Asking) -> Option<Vec<Slot>> {
    let sql = format!(
        "SELECT slot_name, active, pg_wal_lsn_diff({END}, restart_lsn) AS kept \
         FROM pg_replication_slots ORDER BY slot_name"
    );
    let rows = asking.rows("replication slots", &sql).await?;
    let slots = rows.iter().filter_map(|row| {
        Some(Slot {
            name: row.text("slot_name")?,
            active: row.truth("active"),
            kept_bytes: row.distance("kept"),
        })
    });
    Some(slots.collect())
}

/// The status of the receiver is hidden from those who may not see it, while its process is not.
const FOLLOWING: &str = "SELECT r.pid, r.status, r.sender_host, r.sender_port, \
     pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) AS behind, \
     extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) AS seconds \
     FROM (SELECT 1) AS one LEFT JOIN pg_stat_wal_receiver r ON true";

/// Reads how a standby follows its primary.
pub async fn following(asking: &mut Asking) -> Option<Following> {
    let row = asking.row("following", FOLLOWING).await?;
    let following = following_of(&row);
    if following.status.is_none() {
        let reason = match row.count("pid") {
            Some(_) => format!("the user does not see the receiver: {MONITOR}"),
            None => "no process receives the primary's log: see the standby's own log".to_owned(),
        };
        asking.lacks("status of the standby", reason);
    }
    Some(following)
}

fn following_of(row: &TextRow) -> Following {
    let behind_bytes = row.distance("behind");
    // Without a process that receives the log nothing is known of what the primary has written since.
    let has_all = behind_bytes == Some(0) && row.count("pid").is_some();
    let place = |(host, port): (String, String)| format!("{host}:{port}");
    Following {
        status: row.text("status"),
        primary: row
            .text("sender_host")
            .zip(row.text("sender_port"))
            .map(place),
        behind_bytes,
        behind_seconds: if has_all {
            Some(0.0)
        } else {
            row.number("seconds")
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replica_that_has_everything_is_not_behind() {
        let row = |behind, lag: &[(&str, &str)]| {
            let cells = [("application_name", "standby1"), ("behind", behind)];
            replica(&TextRow::of(&[&cells[..], lag].concat()))
        };
        assert_eq!(row("0", &[]).lag_seconds, Some(0.0));
        assert_eq!(row("9", &[]).lag_seconds, None);
        assert_eq!(row("9", &[("lag", "2.5")]).lag_seconds, Some(2.5));
    }

    #[test]
    fn a_standby_that_has_replayed_all_is_not_behind_however_long_ago_that_was() {
        let row = |behind| {
            let cells = [
                ("pid", "7"),
                ("behind", behind),
                ("seconds", "3600"),
                ("sender_host", "db1"),
                ("sender_port", "5432"),
            ];
            following_of(&TextRow::of(&cells))
        };
        assert_eq!(row("0").behind_seconds, Some(0.0));
        assert_eq!(row("16").behind_seconds, Some(3600.0));
        assert_eq!(row("16").primary.as_deref(), Some("db1:5432"));
        assert_eq!(row("16").status, None);
        let cut_off = following_of(&TextRow::of(&[("behind", "0"), ("seconds", "3600")]));
        assert_eq!(cut_off.behind_seconds, Some(3600.0));
    }
}
