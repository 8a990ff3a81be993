//! Samples of a server that runs already, by a user without rights.

use bakeoff_stats::ServerSample;

use super::Theirs;
use crate::postgres::sampled::until;
use crate::support::events;

const ID: &str = "postgres/plain";
/// The statements of samples, and no others of this process.
const SAMPLING: &str = "usename = 'bench' AND query LIKE '%statement_timeout TO 500;%'";

pub(super) async fn what_a_user_may_not_see_is_left_out_and_named(theirs: &Theirs) {
    let owner = theirs.client("metrics").await;
    let has_log = "SELECT to_regclass('pg_catalog.pg_stat_wal') IS NOT NULL";
    let has_log: bool = owner.query_one(has_log, &[]).await.unwrap().get(0);
    if has_log {
        let revoke = "REVOKE SELECT ON pg_stat_wal FROM PUBLIC";
        owner.batch_execute(revoke).await.unwrap();
    }
    let started = theirs.started("postgres").await;
    let design = started.design(ID, &events()).await;
    design.create().await.unwrap();
    let names = |sample: &ServerSample, figure: &str| {
        let mut notes = sample.notes.iter();
        let place = format!("{figure} of {}: ", theirs.address("metrics"));
        notes.any(|note| note.starts_with(&place) && note.contains("GRANT pg_monitor"))
    };
    let is_told = |sample: &ServerSample| {
        let database = sample.database.unwrap_or_default();
        let hidden = "active and waiting connections";
        database.commits.is_some() && database.checkpoints.is_some() && names(sample, hidden)
    };
    // A server that is kept busy may not answer in time.
    let is_named =
        |sample: &ServerSample| is_told(sample) && (!has_log || names(sample, "bytes of the log"));
    let sample = until(design.as_ref(), is_named).await;
    let database = sample.database.unwrap();
    assert!(database.blocks_hit.is_some() && database.rows_read.is_some());
    // The owner is connected, and what is done there is hidden.
    assert!(database.open_connections >= Some(1), "{sample:?}");
    assert_eq!(database.active_connections, None, "{sample:?}");
    let used = (sample.cpu_seconds, sample.disk_written_bytes);
    assert_eq!(used, (None, None), "the server is not ours");
    if has_log {
        assert_eq!(database.log_bytes, None, "{sample:?}");
        let grant = "GRANT SELECT ON pg_stat_wal TO PUBLIC";
        owner.batch_execute(grant).await.unwrap();
        let again = design.server_sample().await.unwrap();
        let log = again.database.unwrap_or_default().log_bytes;
        assert_eq!(log, None, "each refusal would be in the server's log");
    }

    // A connection that was ended is replaced, and on the new one everything is asked for.
    let end = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {SAMPLING}");
    assert_eq!(owner.query(&end, &[]).await.unwrap().len(), 1);
    let is_asked_again = |sample: &ServerSample| {
        let log = sample.database.unwrap_or_default().log_bytes;
        is_told(sample) && (log.is_some() || !has_log)
    };
    let sample = until(design.as_ref(), is_asked_again).await;
    assert!(!names(&sample, "bytes of the log"), "{sample:?}");
    drop(design);
    started.running.finish(false).await.unwrap();
}
