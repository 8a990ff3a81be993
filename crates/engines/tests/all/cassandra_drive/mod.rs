//! Tests of loads on a real Cassandra: every action on every layout writes and reads the right values,
//! wrong and missing rows are reported, statements as written work, and each kind of failure is
//! counted as what it is.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

mod rows;
mod server;
mod sharing;
mod written;

use bakeoff_workload::Workload;

use crate::support::load::{Loaded, Loads, READINGS, ROW_BY_ROW, workload};
use crate::support::shared;
use rows::*;
use server::*;
use sharing::*;
use written::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mixes_on_a_real_cassandra() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let address = server.address().to_string();
    let run_dir = folder.path().join("run");
    let loads = Loads::new(&address, &run_dir, Some("drive_test")).await;

    for id in LAYOUTS {
        every_action_is_right(&loads, id).await;
        wrong_and_missing_rows_are_reported(&loads, id).await;
        rows_may_go(&loads, id).await;
    }
    queries_see_new_buckets(&loads).await;
    queries_have_their_consistency(&loads).await;
    let written = Loads::new(&address, &run_dir, Some("written_test")).await;
    written_statements_work(&written).await;
    what_does_not_fit_is_refused(&written).await;
    views_are_settled(&written).await;
    nothing_of_others_is_dropped(&loads, &written).await;
    later_shards_wait_for_the_first(&loads).await;
    notes_are_found_by_others(&loads).await;
    written.running.finish(false).await.unwrap();
    time_outs_are_counted(&loads).await;
    too_few_replicas_are_counted(&loads).await;
    the_server_is_sampled(&loads, &server).await;
    a_shared_keyspace_stays(loads, &address, &run_dir).await;
}

fn readings_reads() -> Workload {
    workload(READINGS, ROW_BY_ROW)
}

fn table_of(loaded: &Loaded) -> String {
    let info = loaded.target.info();
    let create = info
        .statements
        .iter()
        .find(|s| s.starts_with("CREATE TABLE drive_test"));
    create.unwrap().split(' ').nth(2).unwrap().to_owned()
}
