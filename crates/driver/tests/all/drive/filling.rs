//! Tables that are filled and brought to rest before they are driven.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use bakeoff_driver::PartitionKey;
use bakeoff_driver::drive::Shard;
use bakeoff_stats::drive::{DriveRecord, Partitions};
use bakeoff_workload::ColumnType;

use super::bench::{Bench, Driven, Fakes};
use super::fake::{Fake, MILLISECOND, until};
use crate::compare::fake::{Act, Call, Fake as Table};

/// Three slices.
const ROWS: u64 = 25_000;

/// A bench that fills tables and drives nothing.
fn bench() -> Bench {
    let mut bench = Bench::new();
    bench.settings.load.rows = ROWS;
    bench.settings.rounds = 0;
    bench
}

fn design(table: Table) -> Driven {
    Driven::new(table, Fake::taking(MILLISECOND))
}

/// Designs of which the second one acts so when it is called so.
fn beside_bad(act: Act, when: impl Fn(&Call) -> bool + Send + Sync + 'static) -> Fakes {
    let script = move |call: &Call| if when(call) { act } else { Act::Well };
    let bad = design(Table::acting("bad", script));
    Fakes::new([Driven::well("a"), bad, Driven::well("c")])
}

#[tokio::test]
async fn tables_are_filled_one_by_one_and_settle_when_all_are_filled() {
    let calls: Arc<Mutex<Vec<(&str, Call)>>> = Arc::default();
    let designs = ["a", "b"].map(|id| {
        let calls = calls.clone();
        design(Table::acting(id, move |call| {
            calls.lock().unwrap().push((id, call.clone()));
            Act::Well
        }))
    });
    let mut fakes = Fakes::new(designs);
    let records = bench().complete(&mut fakes).await;
    let filling = [Call::Create, Call::Load(0), Call::Load(1), Call::Load(2)];
    let filled = |id| filling.clone().map(|call| (id, call)).to_vec();
    let settled = ["a", "b"].map(|id| (id, Call::Settle)).to_vec();
    let measured = ["a", "b"].map(|id| (id, Call::Footprint)).to_vec();
    let expected = [filled("a"), filled("b"), settled, measured].concat();
    assert_eq!(*calls.lock().unwrap(), expected);
    assert_eq!(records.populated(), [("a", ROWS), ("b", ROWS)]);
    for design in &fakes.designs {
        assert_eq!(design.table.rows(), ROWS);
    }
    let engines = records
        .0
        .iter()
        .filter(|r| matches!(r, DriveRecord::Engine(_)));
    assert_eq!(engines.count(), 1, "one for both");
    assert!(records.trials().is_empty());
}

#[tokio::test]
async fn a_design_that_fails_on_the_way_is_out_and_the_others_are_driven() {
    let cases: [(Act, Call, &str); 5] = [
        (Act::Fail, Call::Create, "refused"),
        (Act::Fail, Call::Load(1), "loading bad: refused"),
        (
            Act::Die,
            Call::Load(1),
            "its server ended: its engine is gone",
        ),
        (
            Act::Panic,
            Call::Load(0),
            "loading bad: a bug in Bakeoff or in a library of this engine: a bug in a design",
        ),
        (
            Act::Fail,
            Call::Settle,
            "bringing its table to rest failed: refused",
        ),
    ];
    for (act, when, reason) in cases {
        let mut fakes = beside_bad(act, move |call| *call == when);
        let mut bench = bench();
        bench.settings.rounds = 1;
        let records = bench.complete(&mut fakes).await;
        assert_eq!(records.failures(), [("bad", reason)]);
        let mut driven = records.trials();
        driven.sort();
        assert_eq!(driven, ["a", "c"].map(|id| (id.to_owned(), 1)));
    }
}

#[tokio::test]
async fn a_table_that_takes_too_long_fails_its_design_and_the_others_are_driven() {
    for (when, begin) in [
        (
            Call::Load(1),
            "loading bad: it did not end within 1s: look at",
        ),
        (
            Call::Settle,
            "bringing its table to rest failed: it did not end within ",
        ),
    ] {
        let mut fakes = beside_bad(Act::Hang, move |call| *call == when);
        let mut bench = bench();
        bench.settings.rounds = 1;
        bench.settings.call_limit = Duration::from_secs(1);
        let records = bench.complete(&mut fakes).await;
        let [("bad", why)] = records.failures()[..] else {
            panic!("{:?}", records.failures());
        };
        assert!(why.starts_with(begin), "{why}");
        assert!(why.ends_with("allow more time with --limit"), "{why}");
        let mut driven = records.trials();
        driven.sort();
        assert_eq!(driven, ["a", "c"].map(|id| (id.to_owned(), 1)));
    }
}

#[tokio::test]
async fn a_table_may_come_to_rest_for_as_long_as_it_was_loaded() {
    let script = |call: &Call| match call {
        Call::Load(_) => Act::Take(400 * MILLISECOND),
        Call::Settle => Act::Take(1_100 * MILLISECOND),
        _ => Act::Well,
    };
    let mut bench = bench();
    bench.settings.call_limit = Duration::from_secs(1);
    let mut fakes = Fakes::new([design(Table::acting("a", script))]);
    let records = bench.complete(&mut fakes).await;
    let failures = records.failures();
    assert!(failures.is_empty(), "{failures:?}");
    assert_eq!(records.populated(), [("a", ROWS)]);
}

#[tokio::test]
async fn a_size_that_cannot_be_read_is_a_warning() {
    let mut fakes = beside_bad(Act::Fail, |call| *call == Call::Footprint);
    let mut bench = bench();
    bench.settings.rounds = 1;
    let records = bench.complete(&mut fakes).await;
    assert!(records.failures().is_empty());
    let warning = DriveRecord::Warning {
        message: "refused".to_owned(),
    };
    assert!(records.0.contains(&warning));
    assert_eq!(records.trials().len(), 3);
}

#[tokio::test]
async fn a_design_whose_engine_is_not_available_fails_alone() {
    let mut fakes = Fakes::new(["a", "b"].map(Driven::well));
    fakes.missing.push("a".to_owned());
    let records = bench().complete(&mut fakes).await;
    let reason = "its engine is not installed";
    assert_eq!(records.failures(), [("a", reason)]);
    assert_eq!(records.populated(), [("b", ROWS)]);
    assert!(fakes.designs[0].table.calls().is_empty());
}

#[tokio::test]
async fn rows_that_end_too_early_or_cannot_be_read_fail_the_design() {
    let mut bench = bench();
    bench.source.end = 12_000;
    let records = bench.complete(&mut Fakes::new([Driven::well("a")])).await;
    let reason = "the data end after 12000 of 25000 rows: ask for fewer with --rows";
    assert_eq!(records.failures(), [("a", reason)]);

    let mut bench = self::bench();
    bench.source.broken = Some(17_000);
    let mut fakes = Fakes::new([Driven::well("a")]);
    let records = bench.complete(&mut fakes).await;
    let [("a", reason)] = records.failures()[..] else {
        panic!("{:?}", records.failures());
    };
    assert!(reason.contains("a broken row"), "{reason}");
    assert_eq!(fakes.designs[0].table.rows(), 10_000, "the slice before");
}

#[tokio::test]
async fn stopping_while_a_table_is_filled_drives_nothing_and_fails_none() {
    let mut bench = bench();
    bench.settings.rounds = 1;
    let hanging = Table::hanging("a", |call| *call == Call::Load(1));
    let table = hanging.clone();
    let mut fakes = Fakes::new([design(hanging), Driven::well("b")]);
    let stopping = async {
        until(|| table.calls().contains(&Call::Load(1))).await;
        bench.stop.stop();
    };
    let (driven, ()) = futures::join!(bench.drive(&mut fakes), stopping);
    driven.unwrap();
    let records = bench.records();
    assert!(records.failures().is_empty());
    assert!(records.populated().is_empty() && records.trials().is_empty());
    assert!(fakes.designs[1].table.calls().is_empty());
}

/// The tables of one of two shards, which begin together.
async fn shard(index: u32, table: Table) -> (Fakes, Vec<(String, u64)>) {
    let mut bench = bench();
    bench.settings.load.shard = Shard { index, of: 2 };
    bench.settings.load.start_at = Some(SystemTime::now() + Duration::from_secs(3_600));
    let mut fakes = Fakes::new([design(table)]);
    let records = bench.complete(&mut fakes).await;
    assert!(records.failures().is_empty(), "{:?}", records.failures());
    let populated = records.populated().into_iter();
    let populated = populated.map(|(id, rows)| (id.to_owned(), rows));
    (fakes, populated.collect())
}

#[tokio::test]
async fn the_first_shard_makes_the_table_and_announces_it_before_it_loads_its_rows() {
    let (fakes, populated) = shard(0, Table::new("a")).await;
    assert_eq!(fakes.shards, [("announce", vec![Call::Create])]);
    assert_eq!(populated, [("a".to_owned(), ROWS / 2)]);
    // A table that others still fill neither settles nor is measured.
    let calls = [Call::Create, Call::Load(0), Call::Load(1)];
    assert_eq!(fakes.designs[0].table.calls(), calls);
}

#[tokio::test]
async fn later_shards_wait_for_the_table_and_load_only_their_rows() {
    let (fakes, populated) = shard(1, Table::new("a").surviving(true)).await;
    assert_eq!(fakes.shards, [("wait", Vec::new())]);
    assert_eq!(populated, [("a".to_owned(), ROWS / 2)]);
    let calls = [Call::Load(0), Call::Load(1)];
    assert_eq!(fakes.designs[0].table.calls(), calls);
}

#[tokio::test]
async fn tables_of_an_earlier_command_are_driven_as_they_are() {
    let mut bench = bench();
    bench.settings.fills_tables = false;
    let mut fakes = Fakes::new([design(Table::new("a").surviving(true))]);
    let records = bench.complete(&mut fakes).await;
    assert!(records.failures().is_empty() && records.populated().is_empty());
    assert_eq!(fakes.designs[0].table.calls(), [Call::Footprint]);
    assert!(fakes.shards.is_empty());
}

#[tokio::test]
async fn tables_of_which_a_server_tells_are_looked_at_again_after_the_loads() {
    let mut bench = bench();
    bench.settings.rounds = 2;
    let told = design(Table::new("told").with_statistics());
    let mut fakes = Fakes::new([told, Driven::well("untold")]);
    let records = bench.complete(&mut fakes).await;
    let after = |record: &DriveRecord| match record {
        DriveRecord::FootprintAfter(footprint) => Some(footprint.design.clone()),
        _ => None,
    };
    let place = |is: fn(&DriveRecord) -> bool| records.0.iter().rposition(is).unwrap();
    let last_load = place(|record| matches!(record, DriveRecord::TrialEnded(_)));
    assert!(place(|record| matches!(record, DriveRecord::FootprintAfter(_))) > last_load);
    let looked: Vec<String> = records.0.iter().filter_map(after).collect();
    assert_eq!(looked, ["told"]);
}

#[tokio::test]
async fn a_drive_that_is_stopped_waits_for_no_last_look() {
    let mut bench = bench();
    bench.settings.rounds = 1;
    let looks = AtomicU32::new(0);
    let hangs = move |call: &Call| match call {
        Call::Footprint if looks.fetch_add(1, Ordering::Relaxed) > 0 => Act::Hang,
        _ => Act::Well,
    };
    let mut fakes = Fakes::new([design(Table::acting("a", hangs).with_statistics())]);
    let (table, stop) = (fakes.designs[0].table.clone(), bench.stop.clone());
    let looks_again = || {
        let calls = table.calls().into_iter();
        calls.filter(|call| *call == Call::Footprint).count() > 1
    };
    let stopping = async {
        until(looks_again).await;
        stop.stop();
    };
    let both = async { futures::join!(bench.drive(&mut fakes), stopping) };
    let ended = tokio::time::timeout(Duration::from_secs(50), both).await;
    let (driven, ()) = ended.expect("it waits for the look");
    driven.unwrap();
    assert!(bench.records().failures().is_empty());
}

/// Rows of a table by their sensor, which is the column at this place.
fn by_sensor(id: &str, place: usize) -> Driven {
    let key = PartitionKey {
        columns: vec![(place, ColumnType::Int)],
        bucket: None,
        words: "sensor".to_owned(),
    };
    design(Table::new(id).with_partitions(key))
}

#[tokio::test]
async fn rows_and_requests_are_counted_by_partition() {
    let mut bench = bench();
    bench.source.sensors = 10;
    let mut fakes = Fakes::new([by_sensor("a", 0), Driven::well("b"), by_sensor("c", 9)]);
    let records = bench.complete(&mut fakes).await;
    let known = records.0.iter().filter_map(|record| match record {
        DriveRecord::Partitions(partitions) => Some(partitions),
        _ => None,
    });
    let known: Vec<&Partitions> = known.collect();
    // The second one has no partitions, and the third one failed.
    let [of_a] = known[..] else {
        panic!("{known:?}");
    };
    assert_eq!(
        (of_a.design.as_str(), of_a.key.as_deref()),
        ("a", Some("sensor"))
    );
    let rows = of_a.rows.unwrap();
    assert_eq!((rows.partitions, rows.p50, rows.max), (10, 2_500, 2_500));
    assert_eq!((rows.shares.counted, rows.one_in), (ROWS, 1));
    // All rows by number are of the same sensor.
    let requests = of_a.requests.unwrap();
    assert_eq!((requests.keys, requests.first), (1, 1.0));
    assert!(of_a.bytes.is_empty());
    let failures = records.failures();
    assert!(
        failures.len() == 1 && failures[0].1.contains("no column 9"),
        "{failures:?}"
    );
}
