//! Designs that read the table of another one: it is made, loaded and measured once, and fails for all of them.

use async_trait::async_trait;
use bakeoff_driver::{Candidates, Design, DesignError, FurtherTables, start_designs};
use bakeoff_stats::{EngineInfo, Journal, Ladder, Record, Run, Step};

use super::bench::{Bench, NONE, QUERIES, Records};
use super::fake::{Act, Call, Fake, FakeInstances};
use super::resume::{ROUNDS, bench, cut, revived};

/// A design with a table, and one that reads it.
fn own_and_reader() -> [Fake; 2] {
    let own = Fake::new("own");
    let reader = Fake::new("reader").reading(&own);
    [own, reader]
}

fn failing_to_load() -> Fake {
    Fake::acting("own", |call| match call {
        Call::Load(1) => Act::Fail,
        _ => Act::Well,
    })
}

fn is_answer(call: &Call) -> bool {
    matches!(call, Call::Answer { .. })
}

/// Number of records of tables that are made, loaded, settled and measured, which name a design.
fn records_of_table(records: &Records, design: &str) -> usize {
    let is_of = |record: &&Record| match record {
        Record::Loaded(slice) => slice.design == design,
        Record::Settled { design: of, .. } => of == design,
        Record::Footprint(footprint) => footprint.design == design,
        Record::Space(space) => space.design == design,
        _ => false,
    };
    records.0.iter().filter(is_of).count()
}

#[tokio::test]
async fn a_table_that_two_designs_read_is_made_loaded_and_measured_once() {
    let (bench, [own, reader]) = (Bench::new(), own_and_reader());
    let records = bench.complete(&[own.clone(), reader.clone()]).await;
    records.assert_complete(&["own", "reader"], 3);
    assert!(reader.calls().iter().all(is_answer), "{:?}", reader.calls());
    // Three slices, settled, with its space and its size.
    assert_eq!(records_of_table(&records, "own"), 6);
    assert_eq!(records_of_table(&records, "reader"), 0);

    let summary = Run::open(bench.folder.path()).unwrap().summary().unwrap();
    let [own, reader] = ["own", "reader"].map(|id| summary.design(id).unwrap());
    assert_eq!(reader.rows_loaded, 30_000);
    assert_eq!(reader.load_seconds, own.load_seconds);
    assert!(reader.bytes_per_row.is_some());
    assert_eq!(reader.bytes_per_row, own.bytes_per_row);
}

/// Goes on after `kept` records of a run, of whose table a kill left what they say or nothing, and checks that the end
/// is as if nothing had happened.
async fn go_on(whole: &(Bench, Fake, Records), kept: usize, survives: bool) {
    let (bench, own, all) = whole;
    let done = &all.0[..kept];
    let bench = cut(bench, kept);
    let own = revived(own, done, survives);
    let reader = Fake::new("reader").reading(&own);
    let records = bench.complete(&[own.clone(), reader.clone()]).await;

    records.assert_complete(&["own", "reader"], ROUNDS);
    assert_eq!(own.rows(), 15_000);
    assert!(reader.calls().iter().all(is_answer), "{:?}", reader.calls());
    let is_verified = |query: &str| reader.calls().iter().any(|call| call.asks(query, 0));
    assert!(survives || QUERIES.into_iter().all(is_verified));
    let summary = Run::open(bench.folder.path()).unwrap().summary().unwrap();
    assert_eq!(summary.design("reader").unwrap().rows_loaded, 15_000);
}

#[tokio::test]
async fn a_killed_run_goes_on_with_a_table_that_is_shared() {
    let (bench, [own, reader]) = (bench(), own_and_reader());
    let records = bench.complete(&[own.clone(), reader]).await;
    let (all, whole) = (records.0.len(), (bench, own, records));
    assert!(all > 15, "{all}");
    for survives in [true, false] {
        for kept in 1..=all {
            println!("{kept} of {all} records, the table survives: {survives}");
            go_on(&whole, kept, survives).await;
        }
    }
}

#[tokio::test]
async fn a_table_that_cannot_be_loaded_fails_for_all_that_read_it_and_for_no_others() {
    let own = failing_to_load();
    let reader = Fake::new("reader").reading(&own);
    let records = bench().complete(&[own, reader, Fake::new("other")]).await;
    let why = "it reads the table of own, which failed: refused";
    let failures = [
        ("own", Step::Load, None, "refused"),
        ("reader", Step::Load, None, why),
    ];
    assert_eq!(records.failures(), failures);
    records.assert_complete(&["other"], ROUNDS);
}

#[tokio::test]
async fn a_kill_between_the_failures_of_a_table_and_of_who_reads_it_hides_none() {
    let whole = bench();
    let own = failing_to_load();
    let reader = Fake::new("reader").reading(&own);
    let records = whole.complete(&[own, reader, Fake::new("other")]).await;
    let is_failure = |record: &Record| matches!(record, Record::Failed { .. });
    let first = records.0.iter().position(is_failure).unwrap();

    let bench = cut(&whole, first + 1);
    let [own, reader] = own_and_reader();
    let records = bench
        .complete(&[own.clone(), reader.clone(), Fake::new("other")])
        .await;
    let failures = records.failures();
    assert_eq!(failures.len(), 2, "{failures:?}");
    let why = "it reads the table of own, which failed";
    assert_eq!(failures[1], ("reader", Step::Load, None, why));
    assert_eq!((own.calls(), reader.calls()), (Vec::new(), Vec::new()));
    records.assert_complete(&["other"], ROUNDS);
}

#[tokio::test]
async fn a_table_that_is_gone_with_a_design_that_failed_later_is_not_read() {
    let whole = bench();
    let own = Fake::acting("own", |call| match call {
        Call::Answer { .. } => Act::Die,
        _ => Act::Well,
    });
    let reader = Fake::new("reader").reading(&own);
    let records = whole.complete(&[own.clone(), reader]).await;
    let failed = records.failures();
    assert!(failed.iter().all(|(design, ..)| *design == "own"));
    let is_failure = |record: &Record| matches!(record, Record::Failed { .. });
    let first = records.0.iter().position(is_failure).unwrap();

    for survives in [true, false] {
        let bench = cut(&whole, first + 1);
        let own = revived(&own, &records.0, survives);
        let reader = Fake::new("reader").reading(&own);
        let records = bench.complete(&[own.clone(), reader.clone()]).await;
        assert!(own.calls().is_empty());
        if survives {
            records.assert_complete(&["reader"], ROUNDS);
            continue;
        }
        let why = "it reads the table of own, which failed and is not there any more";
        let failures = records.failures();
        assert_eq!(failures.last(), Some(&("reader", Step::Create, None, why)));
        assert!(reader.calls().is_empty());
    }
}

#[tokio::test]
async fn a_wrong_answer_of_one_design_is_no_failure_of_another_one_that_reads_the_same_table() {
    let own = Fake::acting("own", |call| match call {
        Call::Answer { .. } => Act::Wrong,
        _ => Act::Well,
    });
    let reader = Fake::new("reader").reading(&own);
    let records = bench().complete(&[own, reader]).await;
    assert!(records.failures().is_empty());
    records.assert_complete(&["reader"], ROUNDS);
}

#[tokio::test]
async fn smaller_tables_are_shared_like_the_designs_own_and_a_twin_is_loaded_of_it_alone() {
    let (mut bench, fakes) = (bench(), own_and_reader());
    bench.settings.further = FurtherTables {
        scales: Some(Ladder { count: 2, ratio: 3 }),
        twins: true,
        ..NONE
    };
    let mut instances = FakeInstances {
        like: fakes.to_vec(),
        ..FakeInstances::default()
    };
    bench.run_with(&fakes, &mut instances).await.unwrap();
    let tables = [
        "own",
        "own#5000rows",
        "own#twin",
        "reader",
        "reader#5000rows",
    ];
    bench.records().assert_complete(&tables, ROUNDS);
    let made: Vec<&String> = instances.tables.keys().collect();
    assert_eq!(made, ["own#5000rows", "own#twin", "reader#5000rows"]);
    let smaller = instances.tables["reader#5000rows"].calls();
    assert!(smaller.iter().all(is_answer), "{smaller:?}");
}

/// Designs, of which some cannot be started.
struct Startable(Vec<(Fake, bool)>);

#[async_trait]
impl Candidates for Startable {
    type Ready = Box<dyn Design>;

    fn ids(&self) -> Vec<String> {
        self.0
            .iter()
            .map(|(fake, _)| fake.id().to_owned())
            .collect()
    }

    async fn start_engine(&mut self, _: usize) -> Result<Option<EngineInfo>, DesignError> {
        Ok(None)
    }

    async fn make(&mut self, design: usize) -> Result<Box<dyn Design>, DesignError> {
        let (fake, can_start) = &self.0[design];
        if *can_start {
            Ok(Box::new(fake.clone()))
        } else {
            Err(DesignError::new("no such layout"))
        }
    }
}

#[tokio::test]
async fn a_design_is_not_started_without_the_one_whose_table_it_reads() {
    let [own, reader] = own_and_reader();
    let mut candidates = Startable(vec![
        (own, false),
        (reader, true),
        (Fake::new("other"), true),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::create_or_resume(folder.path(), "f").unwrap();
    let started = start_designs(&mut candidates, &mut journal).await.unwrap();
    let ids: Vec<&str> = started
        .iter()
        .map(|design| design.info().id.as_str())
        .collect();
    assert_eq!(ids, ["other"]);
    let records = Records(journal.records().to_vec());
    let failures = [
        ("own", Step::Start, None, "no such layout"),
        (
            "reader",
            Step::Start,
            None,
            "it reads the table of own, which was not started",
        ),
    ];
    assert_eq!(records.failures(), failures);
}
