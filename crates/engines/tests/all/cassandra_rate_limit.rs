//! Loading within a limit of rows a second, into a real Cassandra that others may depend on.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use bakeoff_engines::registry::engine;
use bakeoff_engines::{CassandraOptions, Cluster, Context, EngineOptions, RateLimit};

use crate::support::{Started, THREADS, places, shared};

/// Designs, and the most rows that they write at once.
const DESIGNS: [(&str, usize); 3] = [
    ("cassandra/narrow", 1),
    ("cassandra/wide", 24),
    ("cassandra/columnar", 288),
];
const ROWS_PER_SECOND: u32 = 400;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_are_loaded_within_the_limit() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster {
        address: server.address().to_string(),
        ..Cluster::default()
    };
    let context = Context {
        run_dir: folder.path().join("run"),
        token: None,
        threads: THREADS,
        keys_repeat: true,
        options: EngineOptions {
            cassandra: CassandraOptions {
                cluster: Some(cluster),
                ..CassandraOptions::default()
            },
            rate_limit: Some(RateLimit::new(NonZeroU32::new(ROWS_PER_SECOND).unwrap())),
            ..EngineOptions::default()
        },
    };
    let id = "cassandra".parse().unwrap();
    let running = engine(&id).unwrap().start(&context).await.unwrap();
    let reported = ("rate limit".to_owned(), "at most 400 rows/s".to_owned());
    assert!(running.info().settings.contains(&reported));
    let started = Started { running, context };
    let table = places();
    for (id, at_once) in DESIGNS {
        let design = started.design(id, &table).await;
        design.create().await.unwrap();
        let began = Instant::now();
        for slice in 0..2 {
            design.load(slice, &table.rows).await.unwrap();
        }
        let paid_for = 2 * table.rows.num_rows() - at_once;
        let least = Duration::from_secs(1) * paid_for as u32 / ROWS_PER_SECOND;
        assert!(began.elapsed() >= least, "{id}: {:?}", began.elapsed());
    }
    started.running.finish(false).await.unwrap();
}
