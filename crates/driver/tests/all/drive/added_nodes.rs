//! Nodes that are added while a load runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bakeoff_driver::DesignError;
use bakeoff_driver::drive::Stop;
use bakeoff_stats::drive::{DriveRecord, DriveRun, NodeAdded};

use super::bench::{Bench, Driven, Fakes, Records};
use super::fake::{Fake, MILLISECOND};
use crate::compare::fake::Fake as Table;

/// An endless load in which a node is added after a millisecond.
fn bench() -> Bench {
    let mut bench = Bench::endless();
    bench.settings.add_node_after = Some(MILLISECOND);
    bench
}

/// A design whose node comes to this end, with which the load is stopped.
fn adding(stop: Stop, joined: Result<Option<u64>, DesignError>) -> Driven {
    let load = Fake::taking(MILLISECOND).adding(move || {
        stop.stop();
        joined.clone()
    });
    Driven::new(Table::new("a"), load)
}

fn added(records: &Records) -> Vec<&NodeAdded> {
    let added = records.0.iter().filter_map(|record| match record {
        DriveRecord::NodeAdded(added) => Some(added),
        _ => None,
    });
    added.collect()
}

fn warnings(records: &Records) -> Vec<&str> {
    let warnings = records.0.iter().filter_map(|record| match record {
        DriveRecord::Warning { message } => Some(message.as_str()),
        _ => None,
    });
    warnings.collect()
}

#[tokio::test]
async fn a_node_is_added_during_a_load_and_recorded_after_its_end() {
    let bench = bench();
    let design = adding(bench.stop.clone(), Ok(Some(7)));
    let records = bench.complete(&mut Fakes::new([design])).await;
    let [added] = added(&records)[..] else {
        panic!("one node was to be added");
    };
    assert_eq!((added.trial, added.design.as_str()), (1, "a"));
    assert_eq!((added.streamed_bytes, &added.failed), (Some(7), &None));
    assert!(added.ended.unwrap() >= added.began && added.began >= 0.001);
    assert!(warnings(&records).is_empty(), "{:?}", warnings(&records));
    let place = |is: fn(&DriveRecord) -> bool| records.0.iter().position(is).unwrap();
    let ended = place(|record| matches!(record, DriveRecord::TrialEnded(_)));
    assert!(ended < place(|record| matches!(record, DriveRecord::NodeAdded(_))));
    let run = DriveRun::open(bench.folder.path()).unwrap();
    let summary = run.summary().unwrap();
    assert_eq!(summary.nodes_added, std::slice::from_ref(added));
}

#[tokio::test]
async fn a_node_that_does_not_join_is_a_warning_with_its_reason() {
    let bench = bench();
    let failed = Err(DesignError::new("out of memory"));
    let design = adding(bench.stop.clone(), failed);
    let records = bench.complete(&mut Fakes::new([design])).await;
    assert_eq!(added(&records)[0].failed.as_deref(), Some("out of memory"));
    assert_eq!(
        warnings(&records),
        ["the node that was added did not join: out of memory"]
    );
    assert!(records.failures().is_empty(), "{:?}", records.failures());
}

#[tokio::test]
async fn a_load_does_not_wait_for_a_node_that_never_joins() {
    let mut bench = bench();
    bench.settings.load.duration = Duration::from_millis(200);
    // Its node never joins.
    let design = Driven::well("a");
    let records = bench.complete(&mut Fakes::new([design])).await;
    assert_eq!(records.stopped(), [false]);
    // On a machine that is stalled for as long as the load lasts, the node is not even started.
    for added in added(&records) {
        assert_eq!(added.ended, None);
        assert!(added.failed.as_deref().unwrap().contains("the load ended"));
        assert_eq!(warnings(&records).len(), 1);
    }
}

#[tokio::test]
async fn no_node_is_added_while_a_server_warms_up() {
    let mut bench = bench();
    bench.settings.warms_up = true;
    bench.settings.load.duration = 200 * MILLISECOND;
    bench.settings.add_node_after = Some(Duration::ZERO);
    let added_so_far = Arc::new(AtomicUsize::new(0));
    let counted = added_so_far.clone();
    let load = Fake::taking(MILLISECOND).adding(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(None)
    });
    let design = Driven::new(Table::new("a").with_server(), load);
    let records = bench.complete(&mut Fakes::new([design])).await;
    let starts = records.starts();
    assert!(starts.len() > 1 && starts[0].warm_up, "{starts:?}");
    let last = starts.last().unwrap().trial;
    let trials: Vec<u32> = added(&records).iter().map(|added| added.trial).collect();
    assert_eq!(trials, [last]);
    assert_eq!(added_so_far.load(Ordering::Relaxed), 1);
}
