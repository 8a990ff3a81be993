//! Twins and smaller tables are loaded and asked like the designs' own ones, and fail alone.

use std::fs;
use std::time::{Duration, Instant};

use bakeoff_driver::{Budget, FurtherTables};
use bakeoff_stats::{Instance, InstanceKind, Ladder, Outcome, Record, Role};
use bakeoff_workload::Growth;

use super::bench::{Bench, NONE, Records};
use super::fake::{Act, Call, Fake, FakeInstances};

const ROUNDS: u32 = 2;
const TWINS: FurtherTables = FurtherTables {
    twins: true,
    ..NONE
};
/// Of 30,000 rows: 10,000 and 3,333.
const THREE_SCALES: FurtherTables = FurtherTables {
    scales: Some(Ladder { count: 3, ratio: 3 }),
    star: false,
    twins: false,
};

fn bench(further: FurtherTables) -> Bench {
    let mut bench = Bench::new();
    bench.settings.rounds = Some(ROUNDS);
    bench.settings.further = further;
    bench
}

fn chosen(records: &Records) -> Vec<Instance> {
    let mut chosen = records.0.iter().filter_map(|record| match record {
        Record::Instances { instances } => Some(instances.clone()),
        _ => None,
    });
    let first = chosen.next().unwrap();
    assert!(chosen.next().is_none(), "chosen once");
    first
}

fn ids(records: &Records) -> Vec<String> {
    let mut ids: Vec<String> = chosen(records).into_iter().map(|i| i.id).collect();
    ids.sort();
    ids
}

async fn complete(bench: &Bench, fakes: &[Fake], instances: &mut FakeInstances) -> Records {
    bench.run_with(fakes, instances).await.unwrap();
    bench.records()
}

#[tokio::test]
async fn smaller_tables_hold_the_first_rows_and_are_asked_about_them_in_every_round() {
    let (bench, mut instances) = (bench(THREE_SCALES), FakeInstances::default());
    let fakes = ["a", "b"].map(Fake::new);
    let records = complete(&bench, &fakes, &mut instances).await;
    let all = [
        "a",
        "a#10000rows",
        "a#3333rows",
        "b",
        "b#10000rows",
        "b#3333rows",
    ];
    // Each answer holds the number of rows, so a right one is about the table's own.
    records.assert_complete(&all, ROUNDS);
    for (id, rows) in [("a#3333rows", 3_333), ("b#10000rows", 10_000)] {
        assert_eq!(instances.tables[id].rows(), rows, "{id}");
    }
    let slices = records.slices("a#10000rows");
    let slices: Vec<u64> = slices.iter().map(|slice| slice.rows).collect();
    assert_eq!(
        slices,
        [5_000, 5_000],
        "the slices of `a`, as far as it goes"
    );
}

#[tokio::test]
async fn parameters_are_drawn_from_the_rows_of_the_smaller_table() {
    let (bench, mut instances) = (bench(THREE_SCALES), FakeInstances::default());
    complete(&bench, &[Fake::new("a")], &mut instances).await;
    let asked = instances.tables["a#3333rows"].asked();
    let times = asked
        .iter()
        .filter_map(|(_, sql)| sql.split("time < ").nth(1));
    let times: Vec<u64> = times.map(|time| time.parse().unwrap()).collect();
    assert!(
        times.len() > 3 && times.iter().all(|time| *time < 3_333),
        "{times:?}"
    );
}

/// Ten sensors in turn, with the time at which all of them are read.
const STAR: FurtherTables = FurtherTables {
    scales: Some(Ladder { count: 3, ratio: 2 }),
    star: true,
    twins: false,
};

fn star() -> Bench {
    let mut bench = bench(STAR);
    bench.source.sensors = 10;
    bench.workload.scale.full_rows = 360_000;
    bench.workload.scale.grows = Some(Growth {
        series: 4.0,
        time: 3.0,
    });
    bench
}

#[tokio::test]
async fn a_star_has_shares_of_the_series_and_of_the_time() {
    let (bench, mut instances) = (star(), FakeInstances::default());
    let records = complete(&bench, &[Fake::new("a")], &mut instances).await;
    let rows = [
        ("a#s2t1", 15_000),
        ("a#s4t1", 9_000),
        ("a#s1t2", 15_000),
        ("a#s1t4", 7_500),
        ("a#s4t4", 2_250),
    ];
    for (id, rows) in rows {
        assert_eq!(instances.tables[id].rows(), rows, "{id}");
    }
    // Each answer holds the number of rows, so a right one is about the table's own.
    let mut all: Vec<&str> = rows.iter().map(|(id, _)| *id).collect();
    all.push("a");
    records.assert_complete(&all, ROUNDS);
    let axes = records.0.iter().find_map(|record| match record {
        Record::Axes(axes) => Some(axes.clone()),
        _ => None,
    });
    let axes = axes.unwrap();
    assert_eq!((axes.series, axes.time), (Some(10), Some(3_000)));
    assert_eq!(axes.to_full, (4.0, 3.0));
}

#[tokio::test]
async fn parameters_are_drawn_from_the_time_of_the_smaller_table() {
    let (bench, mut instances) = (star(), FakeInstances::default());
    complete(&bench, &[Fake::new("a")], &mut instances).await;
    let asked = instances.tables["a#s1t4"].asked();
    let times = asked
        .iter()
        .filter_map(|(_, sql)| sql.split("time < ").nth(1));
    let times: Vec<u64> = times.map(|time| time.parse().unwrap()).collect();
    assert!(
        times.len() > 3 && times.iter().all(|time| *time < 750),
        "{times:?}"
    );
}

#[tokio::test]
async fn a_share_that_has_no_more_rows_than_another_is_left_out() {
    let (mut bench, mut instances) = (star(), FakeInstances::default());
    bench.source.sensors = 2;
    let records = complete(&bench, &[Fake::new("a")], &mut instances).await;
    let of_series: Vec<String> = { ids(&records).into_iter() }
        .filter(|id| id.ends_with("t1"))
        .collect();
    assert_eq!(
        of_series,
        ["a#s2t1"],
        "a quarter of two sensors is one, too"
    );
}

#[tokio::test]
async fn a_star_that_was_stopped_goes_on_with_the_same_rows() {
    let (whole, mut instances) = (star(), FakeInstances::default());
    let own = Fake::new("a");
    let all = complete(&whole, std::slice::from_ref(&own), &mut instances).await;
    let chosen_at = |record: &Record| matches!(record, Record::Instances { .. });
    let chosen_at = all.0.iter().position(chosen_at).unwrap();
    for kept in [chosen_at, chosen_at + 1, chosen_at + 9] {
        let again = star();
        cut(&whole, &again, kept);
        let own = revived(&own, &all.0[..kept], true);
        let mut left = FakeInstances::default();
        let records = complete(&again, &[own], &mut left).await;
        assert_eq!(chosen(&records), chosen(&all), "after {kept}");
        assert_eq!(left.tables["a#s4t4"].rows(), 2_250, "after {kept}");
    }
}

#[tokio::test]
async fn the_fastest_and_the_middle_design_get_twins_with_all_rows() {
    let (bench, mut instances) = (bench(TWINS), FakeInstances::default());
    let slow = |id: &str, milliseconds| {
        Fake::acting(id, move |call| match call {
            Call::Load(_) => Act::Take(Duration::from_millis(milliseconds)),
            _ => Act::Well,
        })
    };
    // So far apart that no pause of a busy machine changes their order.
    let fakes = [slow("slow", 200), slow("fast", 0), slow("middle", 60)];
    let records = complete(&bench, &fakes, &mut instances).await;
    assert_eq!(ids(&records), ["fast#twin", "middle#twin"]);
    assert_eq!(instances.tables["fast#twin"].rows(), 30_000);
    let all = ["slow", "fast", "middle", "fast#twin", "middle#twin"];
    records.assert_complete(&all, ROUNDS);
}

#[tokio::test]
async fn designs_that_fail_store_nothing_or_have_one_table_only_get_no_others() {
    let mut bench = bench(TWINS);
    bench.settings.further.scales = THREE_SCALES.scales;
    let broken = Fake::acting("broken", |call| match call {
        Call::Load(1) => Act::Fail,
        _ => Act::Well,
    });
    let fakes = [
        broken,
        Fake::new("yardstick").with_role(Role::Volatile),
        Fake::new("written"),
        Fake::new("a"),
    ];
    let mut instances = FakeInstances {
        alone: vec!["written".to_owned()],
        ..FakeInstances::default()
    };
    let records = complete(&bench, &fakes, &mut instances).await;
    assert_eq!(ids(&records), ["a#10000rows", "a#3333rows", "a#twin"]);
}

#[tokio::test]
async fn no_further_tables_are_recorded_as_none() {
    let bench = bench(NONE);
    let records = bench.complete(&[Fake::new("a")]).await;
    assert!(chosen(&records).is_empty());
}

#[tokio::test]
async fn a_further_table_that_fails_leaves_its_design_in_the_run() {
    for step in [Call::Create, Call::Load(1), Call::Settle, Call::Footprint] {
        let (bench, mut instances) = (bench(TWINS), FakeInstances::default());
        let failing = step.clone();
        let twin = Fake::acting("a#twin", move |call| {
            if *call == failing {
                Act::Fail
            } else {
                Act::Well
            }
        });
        instances.tables.insert("a#twin".to_owned(), twin);
        let records = complete(&bench, &[Fake::new("a")], &mut instances).await;
        let failures = records.failures();
        assert!(
            failures.iter().all(|failure| failure.0 == "a#twin"),
            "{failures:?}"
        );
        assert_eq!(failures.len(), 1, "{step:?}");
        records.assert_complete(&["a"], ROUNDS);
    }
}

#[tokio::test]
async fn a_further_table_that_could_not_be_made_is_made_when_the_run_is_resumed() {
    let bench = bench(TWINS);
    let own = Fake::new("a").surviving(true);
    let mut instances = FakeInstances {
        is_missing: true,
        ..FakeInstances::default()
    };
    let records = complete(&bench, std::slice::from_ref(&own), &mut instances).await;
    records.assert_complete(&["a"], ROUNDS);
    instances.is_missing = false;
    let records = complete(&bench, &[own], &mut instances).await;
    records.assert_complete(&["a", "a#twin"], ROUNDS);
}

#[tokio::test]
async fn a_wrong_answer_of_a_smaller_table_is_recorded_as_its_own() {
    let (bench, mut instances) = (bench(THREE_SCALES), FakeInstances::default());
    let wrong = Fake::acting("a#3333rows", |call| {
        if call.asks("all", 0) {
            Act::Wrong
        } else {
            Act::Well
        }
    });
    instances.tables.insert("a#3333rows".to_owned(), wrong);
    let records = complete(&bench, &[Fake::new("a")], &mut instances).await;
    let outcome = records.answered("a#3333rows", "all");
    assert!(
        matches!(outcome, Some(Outcome::Wrong { .. })),
        "{outcome:?}"
    );
    assert_eq!(records.right_times("a", "all"), ROUNDS as usize);
    assert_eq!(records.right_times("a#3333rows", "some"), ROUNDS as usize);
}

#[tokio::test]
async fn a_budget_leaves_time_for_further_tables() {
    let rows_with = async |further| {
        let mut bench = bench(further);
        bench.settings.rows = None;
        let source_rows = 200_000;
        bench.workload.scale.full_rows = source_rows;
        bench.settings.budget = Some(Budget::new(Instant::now(), Duration::from_secs(4)));
        let slow = Fake::acting("a", |call| match call {
            Call::Load(_) => Act::Take(Duration::from_millis(150)),
            _ => Act::Well,
        });
        let mut instances = FakeInstances::default();
        bench.run_with(&[slow], &mut instances).await.unwrap();
        bench.records().loaded_rows().unwrap()
    };
    let (alone, with_twin) = (rows_with(NONE).await, rows_with(TWINS).await);
    assert!(with_twin < alone, "{with_twin} of {alone}");
}

/// A run is killed after each of its records in turn and goes on; whether the tables are still there
/// or not, it ends as if nothing had happened.
#[tokio::test]
async fn a_killed_run_goes_on_after_every_record() {
    let mut whole = bench(TWINS);
    whole.settings.rows = Some(15_000);
    whole.settings.further.scales = Some(Ladder { count: 2, ratio: 2 });
    let mut instances = FakeInstances::default();
    let own = Fake::new("a");
    let all = complete(&whole, std::slice::from_ref(&own), &mut instances).await;
    let tables = ["a", "a#7500rows", "a#twin"];
    all.assert_complete(&tables, ROUNDS);
    for kept in 1..=all.0.len() {
        for survives in [true, false] {
            let mut again = bench(whole.settings.further);
            again.settings = whole.settings.clone();
            cut(&whole, &again, kept);
            let done = &all.0[..kept];
            let own = revived(&own, done, survives);
            let mut left = FakeInstances::default();
            for (id, table) in &instances.tables {
                left.tables
                    .insert(id.clone(), revived(table, done, survives));
            }
            let records = complete(&again, &[own], &mut left).await;
            records.assert_complete(&tables, ROUNDS);
            assert_eq!(
                left.tables["a#7500rows"].rows(),
                7_500,
                "after {kept}, {survives}"
            );
            assert_eq!(chosen(&records).len(), 2);
        }
    }
}

fn cut(whole: &Bench, cut: &Bench, records: usize) {
    let journal = |bench: &Bench| bench.folder.path().join("journal.jsonl");
    let text = fs::read_to_string(journal(whole)).unwrap();
    let lines: String = text.split_inclusive('\n').take(records).collect();
    fs::write(journal(cut), lines).unwrap();
}

/// The table in a new process, with the rows of these records if it survives.
fn revived(whole: &Fake, done: &[Record], survives: bool) -> Fake {
    let fake = Fake::new(whole.id()).surviving(survives);
    for record in done.iter().filter(|_| survives) {
        if let Record::Loaded(slice) = record
            && slice.design == whole.id()
        {
            let rows = whole.table().slices[&slice.slice].clone();
            fake.table().slices.insert(slice.slice, rows);
        }
    }
    fake
}

#[tokio::test]
async fn clients_ask_the_designs_own_tables_only() {
    let mut bench = bench(TWINS);
    bench.settings.concurrent = Some(bakeoff_workload::Concurrent {
        clients: 2,
        permutations: 2,
        limit: Duration::from_secs(5),
        ..bakeoff_workload::Concurrent::default()
    });
    let mut instances = FakeInstances::default();
    let records = complete(&bench, &[Fake::new("a")], &mut instances).await;
    let asked = records.0.iter().filter_map(|record| match record {
        Record::Concurrent(asked) => Some(asked.design.as_str()),
        _ => None,
    });
    let asked: Vec<&str> = asked.collect();
    assert!(!asked.is_empty() && asked.iter().all(|design| *design == "a"));
}

#[test]
fn further_tables_are_named_after_their_design() {
    let twin = Instance::twin("parquet?codec=zstd");
    assert_eq!(twin.id, "parquet?codec=zstd#twin");
    let smaller = Instance::smaller("a", 50);
    assert_eq!(smaller.kind, InstanceKind::Smaller { rows: 50 });
    assert_eq!(smaller.id, "a#50rows");
}
