//! Which setting of which design is measured when, and what ends one design or the sweep.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use bakeoff_driver::sweep::over_any_id;
use bakeoff_driver::{Design, shuffled};
use bakeoff_stats::sweep::{Check, SweepRecord};
use bakeoff_stats::{DesignInfo, During, JournalError};

use super::bench::Bench;
use super::fake::{Fake, Fakes, Fault};
use crate::moments::Moments;

fn fakes(designs: &[(&str, Fault)]) -> Fakes {
    Fakes::new(designs.iter().map(|(id, fault)| Fake::new(id, *fault)))
}

#[tokio::test]
async fn all_settings_of_all_designs_are_measured_once_in_an_order_of_the_seed() {
    let bench = Bench::new();
    let mut fakes = fakes(&[("a", Fault::Nothing), ("b", Fault::Nothing)]);
    let records = bench.complete(&mut fakes).await;
    let settings = bench.plan.grid.settings();
    let of_design = |id| settings.iter().map(move |setting| (id, *setting));
    let all: Vec<_> = ["a", "b"].into_iter().flat_map(of_design).collect();
    let expected = shuffled(all.clone(), &[bench.plan.seed, 1]);
    assert_eq!(records.measured(), expected);
    assert_ne!(expected, all);
    for cell in records.cells() {
        assert!(cell.inserted.is_some() && cell.reason.is_none(), "{cell:?}");
    }
    assert!(records.failures().is_empty() && records.warnings().is_empty());
    // One for the look at whether it takes inserts, one for the first warm-up, and for each setting
    // one before and one after it.
    for design in &fakes.designs {
        assert_eq!(design.tables(), 2 + 2 * settings.len() as u32);
    }
    let engines = records
        .0
        .iter()
        .filter(|r| matches!(r, SweepRecord::Engine(_)));
    assert_eq!(engines.count(), 1, "one for both");
}

/// How a fake design is described whose batches hold rows of any partitions.
fn over_any(fakes: &Fakes, design: usize) -> DesignInfo {
    let info = fakes.designs[design].info();
    DesignInfo {
        id: over_any_id(&info.id),
        ..info.clone()
    }
}

#[tokio::test]
async fn batches_over_any_partition_are_measured_next_to_those_of_one() {
    let mut bench = Bench::new();
    let mut fakes = fakes(&[("a", Fault::Nothing), ("b", Fault::Nothing)]);
    bench.plan.over_any = vec![over_any(&fakes, 0)];
    let records = bench.complete(&mut fakes).await;
    let of = |id: &str| {
        let measured = records.measured().into_iter();
        measured.filter(|(design, _)| *design == id).count()
    };
    let settings = bench.plan.grid.settings().len();
    let counts = [
        of("a"),
        of("a#any-partition"),
        of("b"),
        of("b#any-partition"),
    ];
    assert_eq!(counts, [settings, settings, settings, 0]);
    // One to see whether it takes them, one for the first warm-up, and one for each setting.
    let expected = 2 + settings as u32;
    let tables: Vec<u32> = fakes.designs.iter().map(Fake::tables_over_any).collect();
    assert_eq!(tables, [expected, 0]);
}

#[tokio::test]
async fn batches_over_any_partition_alone_leave_out_those_of_one_where_there_are_both() {
    let mut bench = Bench::new();
    let mut fakes = fakes(&[("a", Fault::Nothing), ("b", Fault::Nothing)]);
    bench.plan.over_any = vec![over_any(&fakes, 0)];
    bench.plan.over_partition = false;
    let records = bench.complete(&mut fakes).await;
    let measured = records.measured().into_iter();
    let designs: BTreeSet<&str> = measured.map(|(design, _)| design).collect();
    assert_eq!(designs, BTreeSet::from(["a#any-partition", "b"]));
}

#[tokio::test]
async fn a_design_that_does_not_start_fails_with_both_kinds_of_batches() {
    let mut bench = Bench::new();
    let mut fakes = fakes(&[("a", Fault::Missing), ("b", Fault::Nothing)]);
    bench.plan.over_any = vec![over_any(&fakes, 0)];
    let records = bench.complete(&mut fakes).await;
    let failed: Vec<&str> = records.failures().into_iter().map(|(id, _)| id).collect();
    assert_eq!(failed, ["a", "a#any-partition"]);
}

#[tokio::test]
async fn each_round_measures_every_setting_once_in_an_order_of_its_own() {
    let mut bench = Bench::new();
    bench.plan.rounds = 3;
    let mut fakes = fakes(&[("a", Fault::Nothing), ("b", Fault::Nothing)]);
    let records = bench.complete(&mut fakes).await;
    let settings = bench.plan.grid.settings();
    let of_design = |id| settings.iter().map(move |setting| (id, *setting));
    let all: Vec<_> = ["a", "b"].into_iter().flat_map(of_design).collect();
    let order = |round: u32| shuffled(all.clone(), &[bench.plan.seed, u64::from(round)]);
    assert_eq!(records.measured(), [order(1), order(2), order(3)].concat());
    assert_ne!(order(1), order(2));
    let rounds: Vec<u32> = records.cells().iter().map(|cell| cell.round).collect();
    let expected = [1, 2, 3].map(|round| vec![round; all.len()]).concat();
    assert_eq!(rounds, expected);
}

#[tokio::test]
async fn a_design_that_is_not_available_or_takes_no_inserts_fails_alone() {
    let mut fakes = fakes(&[
        ("absent", Fault::Missing),
        ("a", Fault::Nothing),
        ("closed", Fault::NoInserts),
    ]);
    let records = Bench::new().complete(&mut fakes).await;
    let no_inserts = "making the table failed: it takes no inserts from several workers";
    let expected = [
        ("absent", "its engine is not installed"),
        ("closed", no_inserts),
    ];
    assert_eq!(records.failures(), expected);
    let measured = records.measured();
    assert_eq!(measured.len(), 4);
    assert!(measured.iter().all(|(id, _)| *id == "a"), "{measured:?}");
}

#[tokio::test]
async fn a_design_whose_engine_dies_is_out_and_the_others_are_measured() {
    // With the table of its second setting: before it are that of the look, that of the warm-up,
    // and two of the first setting.
    let mut fakes = fakes(&[("bad", Fault::DiesWithTable(5)), ("a", Fault::Nothing)]);
    let records = Bench::new().complete(&mut fakes).await;
    assert_eq!(records.failures(), [("bad", "its engine is gone")]);
    let cells = records.cells();
    let of_bad: Vec<_> = cells.iter().filter(|cell| cell.design == "bad").collect();
    let [first, second] = of_bad[..] else {
        panic!("{of_bad:?}");
    };
    assert_eq!(first.reason, None);
    assert_eq!(second.reason.as_deref(), Some("its engine is gone"));
    assert_eq!(cells.len() - of_bad.len(), 4, "all settings of the other");
}

#[tokio::test]
async fn a_design_that_cannot_warm_up_with_the_middle_setting_does_so_with_its_next_one() {
    // The middle setting has four workers.
    let mut bench = Bench::new();
    let few = Fake::new("few", Fault::FewWorkers(1));
    let records = bench.complete(&mut Fakes::new([few.clone()])).await;
    let first_fits = records.measured()[0].1.workers == 1;
    assert_eq!(records.warnings().is_empty(), first_fits);
    // It has no other one.
    bench = Bench::new();
    bench.plan.grid.workers = vec![4];
    let none = Fake::new("none", Fault::FewWorkers(1));
    let records = bench.complete(&mut Fakes::new([none])).await;
    let [warning] = records.warnings()[..] else {
        panic!("{:?}", records.warnings());
    };
    assert!(warning.starts_with("none did not warm up: "), "{warning}");
    assert!(warning.contains("too many clients"), "{warning}");
    assert_eq!(records.cells().len(), 2);
    assert!(records.failures().is_empty());
}

#[tokio::test]
async fn what_was_measured_before_an_interruption_is_kept_and_not_gone_on_with() {
    let bench = Bench::new();
    // In the table of the second setting.
    let fake = Fake::new("a", Fault::HangsInTable(5));
    let mut fakes = Fakes::new([fake.clone()]);
    let hangs = async {
        while !fake.hangs() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        ended = bench.sweep(&mut fakes) => panic!("not interrupted: {ended:?}"),
        () = hangs => {}
    }
    let records = bench.records();
    assert_eq!(records.cells().len(), 1);
    assert!(records.failures().is_empty());
    let again = bench.sweep(&mut fakes).await.unwrap_err();
    assert!(matches!(again, JournalError::Occupied { .. }), "{again}");
    assert_eq!(fake.tables(), 5, "the second command touched nothing");
}

#[tokio::test]
async fn an_observer_has_a_moment_after_each_setting_that_is_on_record() {
    let bench = Bench::new();
    let mut fakes = fakes(&[("a", Fault::Nothing)]);
    let seen: Mutex<Vec<usize>> = Mutex::default();
    let moments = Moments(|| seen.lock().unwrap().push(bench.records().cells().len()));
    bench.sweep_watched(&mut fakes, &moments).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [1, 2, 3, 4]);
}

#[tokio::test]
async fn the_server_is_sampled_in_the_measured_time_of_a_setting() {
    let mut fakes = Fakes::new([Fake::new("a", Fault::Nothing).with_samples()]);
    let records = Bench::new().complete(&mut fakes).await;
    let mut seen = 0;
    for pair in records.0.windows(2) {
        let SweepRecord::Server(window) = &pair[0] else {
            continue;
        };
        let SweepRecord::Cell(cell) = &pair[1] else {
            panic!("{pair:?}");
        };
        let expected = During::Setting {
            batch_rows: cell.batch_rows,
            workers: cell.workers,
            round: 1,
            rows: cell.inserted.as_ref().unwrap().rows,
        };
        assert_eq!((&window.design, &window.during), (&cell.design, &expected));
        // On a slow machine a sample may become due in the middle of a setting.
        if window.samples[0].seconds > 0.0 {
            continue;
        }
        // All rows of the measured time are between the first sample and the last one, and none of the warm-up.
        let writes = window.samples.iter().map(|s| s.server.coordinator_writes);
        let writes: Vec<u64> = writes.map(Option::unwrap).collect();
        let rows = window.during.rows().unwrap();
        assert_eq!(writes[writes.len() - 1] - writes[0], rows);
        seen += 1;
    }
    assert!(seen > 0, "the first sample is always due");
}

#[tokio::test]
async fn the_table_of_the_last_setting_of_each_design_is_brought_to_rest_if_asked() {
    let mut bench = Bench::new();
    (bench.plan.rounds, bench.plan.reads_bytes) = (2, true);
    let mut fakes = Fakes::new([
        Fake::new("a", Fault::Nothing).with_bytes(),
        Fake::new("b", Fault::Nothing),
    ]);
    let records = bench.complete(&mut fakes).await;
    let is_of_a =
        |record: &SweepRecord| matches!(record, SweepRecord::Cell(cell) if cell.design == "a");
    let last = records.0.iter().rposition(is_of_a).unwrap();
    let (SweepRecord::AtRest(at_rest), SweepRecord::Cell(cell)) =
        (&records.0[last - 1], &records.0[last])
    else {
        panic!("{:?}", records.0);
    };
    assert_eq!(at_rest.footprint.design, "a");
    assert_eq!(
        (at_rest.batch_rows, at_rest.workers, at_rest.round),
        (cell.batch_rows, cell.workers, 2)
    );
    let Some(Check::Right { acknowledged, .. }) = cell.check else {
        panic!("{cell:?}");
    };
    assert_eq!(at_rest.rows, acknowledged);
    let bytes = at_rest.footprint.engine_bytes;
    assert_eq!(bytes, Some(10 * acknowledged), "before it is emptied");
    let all = records.0.iter();
    let at_rest = all.filter(|record| matches!(record, SweepRecord::AtRest(_)));
    assert_eq!(at_rest.count(), 1);
    // What fails is no failure of the design.
    let why = "b: bringing its table to rest failed: a sweep settles nothing";
    assert_eq!(records.warnings(), [why]);
    assert!(records.failures().is_empty());
    assert_eq!(records.cells().len(), 16);
}
