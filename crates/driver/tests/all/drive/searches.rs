//! Searches for the highest rate, and what they record.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bakeoff_driver::DesignError;
use bakeoff_driver::drive::{Done, Objective, SearchFor};
use bakeoff_stats::drive::{DriveRecord, FoundRate, ProbeRecord};

use super::bench::{Bench, Driven, Fakes, Records, calling};
use super::fake::{Fake, MILLISECOND};
use crate::compare::fake::Fake as Table;

/// No operation takes less than this.
const IMPOSSIBLE: &str = "mean<1ns";

fn searching(mut bench: Bench, objective: &str) -> Bench {
    bench.settings.load.in_flight = 1024;
    bench.settings.search = Some(SearchFor {
        objective: Objective::parse(objective, &["read"]).unwrap(),
        at_random: false,
    });
    bench
}

fn probes(records: &Records) -> Vec<&ProbeRecord> {
    let probes = records.0.iter().filter_map(|record| match record {
        DriveRecord::Probe(probe) => Some(probe),
        _ => None,
    });
    probes.collect()
}

fn found(records: &Records) -> Vec<&FoundRate> {
    let found = records.0.iter().filter_map(|record| match record {
        DriveRecord::Found(found) => Some(found),
        _ => None,
    });
    found.collect()
}

#[tokio::test]
async fn a_search_warms_up_and_records_each_load_that_it_judges() {
    let bench = searching(Bench::new(), IMPOSSIBLE);
    let mut fakes = Fakes::new([Driven::well("a")]);
    let records = bench.complete(&mut fakes).await;
    assert!(records.failures().is_empty(), "{:?}", records.failures());
    let (probes, trials) = (probes(&records), records.trials().len());
    let warm_ups = trials - probes.len();
    assert!((2..=6).contains(&warm_ups), "{warm_ups} of {trials}");
    // The first one is a closed loop, and each rate after it is lower than the one before.
    for (nth, probe) in probes.iter().enumerate() {
        assert_eq!(probe.trial as usize, warm_ups + nth + 1);
        assert_eq!(probe.rate.is_none(), nth == 0);
        assert!(!probe.missed.is_empty());
    }
    assert!(probes[1..].is_sorted_by(|one, next| one.rate > next.rate));
    let [found] = found(&records)[..] else {
        panic!("not one result");
    };
    assert_eq!((found.design.as_str(), found.round), ("a", 1));
    assert_eq!((found.rate, found.probes as usize), (None, probes.len()));
    assert_eq!(
        found.why,
        "even the lowest rate that was tried missed the objective"
    );
    let last = matches!(records.0.last(), Some(DriveRecord::Found(_)));
    assert!(last, "{:?}", records.0.last());
    // No two loads have the same operations.
    let sent = fakes.designs[0].load.sent.lock().unwrap();
    let numbers: BTreeSet<u64> = sent.iter().map(|call| call.number).collect();
    assert_eq!(numbers.len(), sent.len());
}

#[tokio::test]
async fn closed_loops_of_a_search_have_fewer_operations_in_flight() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (sent, peak) = (now.clone(), most.clone());
    let fake = Fake::new(move |_| {
        peak.fetch_max(sent.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let ended = sent.clone();
        Box::pin(async move {
            tokio::time::sleep(30 * MILLISECOND).await;
            ended.fetch_sub(1, Ordering::SeqCst);
            Ok(Done::default())
        })
    });
    let mut bench = searching(Bench::new(), IMPOSSIBLE);
    let (stop, seconds) = (bench.stop.clone(), AtomicUsize::new(0));
    bench.shown = Box::new(move || {
        if seconds.fetch_add(1, Ordering::SeqCst) == 0 {
            stop.stop();
        }
    });
    let design = Driven::new(Table::new("a"), fake);
    bench.complete(&mut Fakes::new([design])).await;
    let most = most.load(Ordering::SeqCst);
    assert!((5..=64).contains(&most), "{most}");
}

#[tokio::test]
async fn a_search_that_is_stopped_has_found_nothing_and_has_not_failed() {
    let bench = searching(Bench::endless(), "p99<10s");
    let stop = bench.stop.clone();
    let design = Driven::new(Table::new("a"), calling(200, move || stop.stop()));
    let records = bench.complete(&mut Fakes::new([design])).await;
    assert_eq!(records.stopped(), [true]);
    assert!(found(&records).is_empty() && records.failures().is_empty());
}

#[tokio::test]
async fn a_design_that_fails_during_its_search_is_out_and_the_others_are_searched() {
    let mut bench = searching(Bench::new(), IMPOSSIBLE);
    bench.settings.rounds = 2;
    // The third load finds no connection.
    let third = Fake::taking(MILLISECOND).connecting(|before| match before {
        0 | 1 => Ok(()),
        _ => Err(DesignError::new("too many clients")),
    });
    let bad = Driven::new(Table::new("bad"), third);
    let records = bench
        .complete(&mut Fakes::new([bad, Driven::well("b")]))
        .await;
    let [("bad", reason)] = records.failures()[..] else {
        panic!("{:?}", records.failures());
    };
    assert!(reason.contains("too many clients"), "{reason}");
    let of_bad = records
        .trials()
        .iter()
        .filter(|(id, _)| id == "bad")
        .count();
    assert_eq!(of_bad, 2);
    let found: Vec<(&str, u32)> = found(&records)
        .into_iter()
        .map(|found| (found.design.as_str(), found.round))
        .collect();
    assert_eq!(found, [("b", 1), ("b", 2)]);
}
