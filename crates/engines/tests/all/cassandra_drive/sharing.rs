//! Keyspaces that several processes share: what each of them may touch, and what they say to each other.

use std::path::Path;
use std::time::Duration;

use bakeoff_workload::DesignId;

use super::readings_reads;
use super::written::{WRITTEN, WRITTEN_TABLES};
use crate::support::load::{Loads, READINGS, ROW_BY_ROW, workload};

/// Checks that tables of other workloads stay, and everything that a workload in CQL finds.
pub async fn nothing_of_others_is_dropped(loads: &Loads, written: &Loads) {
    let other = READINGS.replace("Readings of a test", "Others' readings");
    let other = loads
        .target("cassandra/wide", &workload(&other, ROW_BY_ROW))
        .await;
    let error = other.target.design().unwrap().create().await.unwrap_err().0;
    assert!(
        error.contains("Readings of a test") && error.contains("another --keyspace"),
        "{error}"
    );
    loads.cql("SELECT * FROM drive_test.wide LIMIT 1").await;

    let statements = workload(WRITTEN_TABLES, WRITTEN);
    let again = written.target("cassandra/as-written", &statements).await;
    let error = again.target.design().unwrap().create().await.unwrap_err().0;
    assert!(
        error.contains("people") && error.contains("--no-load"),
        "{error}"
    );
    written
        .cql("SELECT * FROM written_test.people LIMIT 1")
        .await;
    assert!(again.target.design().unwrap().survives().await);
}

pub async fn later_shards_wait_for_the_first(loads: &Loads) {
    let mut context = loads.context.clone();
    context.options.cassandra.keyspace = Some("later_test".to_owned());
    let (workload, second) = (readings_reads(), Duration::from_secs(1));
    let wait = |start, patience| {
        loads
            .running
            .wait_for_tables(&workload, &context, start, patience)
    };
    let error = wait("a", second).await.unwrap_err().to_string();
    assert!(error.contains("shard 1"), "{error}");
    let none = "SELECT * FROM system_schema.keyspaces WHERE keyspace_name = 'later_test'";
    let found = loads.session.query_unpaged(none, ()).await.unwrap();
    assert_eq!(
        found.into_rows_result().unwrap().rows_num(),
        0,
        "it was made by waiting"
    );

    let id: DesignId = "cassandra/wide".parse().unwrap();
    let first = async {
        let design = loads
            .running
            .design(&id, &workload, &context)
            .await
            .unwrap();
        design.create().await.unwrap();
        let announced = loads.running.announce_tables(&workload, &context, "a");
        announced.await.unwrap();
    };
    let (waited, ()) = tokio::join!(wait("a", 60 * second), first);
    waited.unwrap();
    assert!(
        wait("b", second).await.is_err(),
        "another start has tables of its own"
    );
}

/// Checks what the processes of a sweep say to each other.
pub async fn notes_are_found_by_others(loads: &Loads) {
    let workload = readings_reads();
    let mut context = loads.context.clone();
    let running = &loads.running;
    let found = running.find_note(&workload, &context, "sweep 1 plan");
    assert_eq!(found.await.unwrap(), None);
    let text = "made with 'quotes'";
    let left = running.leave_note(&workload, &context, "sweep 1 plan", text);
    left.await.unwrap();
    let found = running.find_note(&workload, &context, "sweep 1 plan");
    assert_eq!(found.await.unwrap().as_deref(), Some(text));
    let other = running.find_note(&workload, &context, "sweep 2 plan");
    assert_eq!(other.await.unwrap(), None);
    // Looking makes no keyspace.
    context.options.cassandra.keyspace = Some("nowhere_test".to_owned());
    let nowhere = running.find_note(&workload, &context, "sweep 1 plan");
    assert!(nowhere.await.is_err());
    let none = "SELECT * FROM system_schema.keyspaces WHERE keyspace_name = 'nowhere_test'";
    let found = loads.session.query_unpaged(none, ()).await.unwrap();
    assert_eq!(found.into_rows_result().unwrap().rows_num(), 0);
}

pub async fn a_shared_keyspace_stays(loads: Loads, address: &str, run_dir: &Path) {
    let elsewhere = run_dir.with_file_name("elsewhere");
    let other = Loads::new(address, &elsewhere, Some("drive_test")).await;
    let loaded = other.target("cassandra/wide", &readings_reads()).await;
    loaded.drive().await.assert_right("shared");
    drop(loaded);
    other.running.finish(false).await.unwrap();
    let tables = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'drive_test'";
    let left = loads.session.query_unpaged(tables, ()).await.unwrap();
    assert!(left.into_rows_result().unwrap().rows_num() > 0);

    loads.cql("CREATE KEYSPACE theirs WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}").await;
    for (name, why) in [
        ("theirs", "does not carry Bakeoff's marker"),
        ("Not ok", "is not a valid keyspace name"),
    ] {
        let mut context = loads.context.clone();
        context.options.cassandra.keyspace = Some(name.to_owned());
        let id: DesignId = "cassandra/wide".parse().unwrap();
        let refused = loads.running.design(&id, &readings_reads(), &context).await;
        let error = refused.err().unwrap().to_string();
        assert!(error.contains(why), "{error}");
    }
    loads.running.finish(false).await.unwrap();
}
