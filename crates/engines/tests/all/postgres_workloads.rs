//! The shipped workloads with texts of their own for PostgreSQL and TimescaleDB, in small: every
//! query of every layout answers as the oracle does.
//!
//! Without PostgreSQL or TimescaleDB this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use crate::support::small::with_own_texts;
use crate::support::{Started, has_timescale};

const DESIGNS: [&str; 4] = [
    "timescale/hypertable?chunk=12h",
    "postgres/plain",
    "postgres/brin",
    "postgres/partitioned?width=1d",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_text_for_postgresql_is_right() {
    if !has_timescale() {
        return;
    }
    let smalls = with_own_texts().await;
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for engine in ["timescale", "postgres"] {
        let started = Started::new(engine, folder.path().join(engine)).await;
        for small in &smalls {
            for id in DESIGNS.iter().filter(|id| id.starts_with(engine)) {
                wrong.extend(small.wrong_of(&started, id).await);
            }
        }
        started.running.finish(false).await.unwrap();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
