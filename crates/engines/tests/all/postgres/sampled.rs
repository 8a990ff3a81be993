//! Samples of a server while it works: what it counts, and what it uses if it is ours.

use std::time::{Duration, Instant};

use bakeoff_driver::Design;
use bakeoff_stats::ServerSample;

use super::NOTICED_WITHIN;
use crate::support::{Started, Table};

/// Time between two looks at a server whose counts come late.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// A server of ours tells its work and what it uses, and everything that is asked for.
pub(super) async fn what_a_server_of_ours_does_and_uses(started: &Started, table: &Table) {
    let design = started.design("postgres/plain", table).await;
    // A server that is kept busy may not answer in time, which is a note.
    let before = until(design.as_ref(), |sample| sample.notes.is_empty()).await;
    let counted = before.database.unwrap();
    let rows = table.rows.num_rows() as u64;
    design.create().await.unwrap();
    design.load(0, &table.rows).await.unwrap();
    design.settle().await.unwrap();
    let after = until(design.as_ref(), |sample| {
        let database = sample.database.unwrap_or_default();
        database.rows_written >= counted.rows_written.map(|written| written + rows)
            && database.log_bytes > counted.log_bytes
            && database.checkpoints > counted.checkpoints
            // Of a session that has ended only whole ticks of 10 ms are known.
            && sample.cpu_seconds > before.cpu_seconds
            && sample.notes.is_empty()
    })
    .await;
    let database = after.database.unwrap();
    assert!(database.commits > counted.commits, "{before:?} {after:?}");
    let levels = [
        database.open_connections,
        database.active_connections,
        database.waiting_connections,
    ];
    assert!(levels.iter().all(Option::is_some), "{after:?}");
    assert!(database.blocks_asked() > counted.blocks_asked());
    assert!(after.resident_bytes > Some(1 << 20), "{after:?}");
    assert!(after.disk_written_bytes >= before.disk_written_bytes);
    assert!(after.load_average.is_some(), "{after:?}");
}

/// Samples until one is as it is to be.
pub(super) async fn until(
    design: &dyn Design,
    is_right: impl Fn(&ServerSample) -> bool,
) -> ServerSample {
    let began = Instant::now();
    loop {
        let sample = design.server_sample().await.unwrap();
        if is_right(&sample) {
            return sample;
        }
        assert!(began.elapsed() < NOTICED_WITHIN, "{sample:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
