//! What a run without trouble does, in which order, on which rows, with which questions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bakeoff_driver::RunError;
use bakeoff_stats::{Record, Role};

use super::bench::{self, Bench, Records};
use super::fake::{Act, Call, Fake, FakeInstances};
use crate::moments::Moments;

fn three() -> [Fake; 3] {
    ["a", "b", "c"].map(Fake::new)
}

/// Kinds of records in order, with how many of a kind follow each other.
fn outline(records: &Records) -> Vec<(&'static str, usize)> {
    let mut outline: Vec<(&str, usize)> = Vec::new();
    for record in &records.0 {
        let kind = kind(record);
        match outline.last_mut() {
            Some((last, count)) if *last == kind => *count += 1,
            _ => outline.push((kind, 1)),
        }
    }
    outline
}

fn kind(record: &Record) -> &'static str {
    match record {
        Record::Started(_) => "started",
        Record::Created { .. } => "created",
        Record::DuplicateKeys { .. } => "duplicates",
        Record::SliceBegun { .. } => "slice begun",
        Record::Loaded(_) => "loaded",
        Record::LoadingDone { .. } => "loading done",
        Record::Instances { .. } => "further tables",
        Record::Axes(_) => "axes",
        Record::Settled { .. } => "settled",
        Record::Space(_) => "space",
        Record::Footprint(_) => "footprint",
        Record::Answered(_) => "answered",
        Record::WarmedUp { .. } => "warmed up",
        Record::Rounds { .. } => "rounds",
        Record::Timed(_) => "timed",
        _ => "unexpected",
    }
}

#[tokio::test]
async fn every_step_of_a_run_is_recorded_in_order() {
    let records = Bench::new().complete(&three()).await;
    let expected = [
        ("started", 1),
        ("created", 3),
        ("slice begun", 1),
        ("loaded", 3),
        ("slice begun", 1),
        ("loaded", 3),
        ("slice begun", 1),
        ("loaded", 3),
        ("loading done", 1),
        ("further tables", 1),
        ("space", 1),
        ("settled", 1),
        ("space", 1),
        ("settled", 1),
        ("space", 1),
        ("settled", 1),
        ("footprint", 3),
        ("answered", 6),
        ("warmed up", 1),
        ("rounds", 1),
        ("timed", 18),
    ];
    assert_eq!(outline(&records), expected);
    records.assert_complete(&["a", "b", "c"], 3);
    assert!(records.timings().is_sorted_by_key(|t| t.round));
    assert!(
        records
            .timings()
            .iter()
            .all(|t| t.rows_scanned == Some(30_000))
    );
}

#[tokio::test]
async fn all_designs_load_the_same_slices_which_cover_all_rows_without_gap() {
    let fakes = three();
    let records = Bench::new().complete(&fakes).await;
    let bounds = |design| -> Vec<_> {
        records
            .slices(design)
            .iter()
            .map(|s| (s.slice, s.first_row, s.rows))
            .collect()
    };
    assert_eq!(
        bounds("a"),
        [(0, 0, 5_000), (1, 5_000, 10_000), (2, 15_000, 15_000)]
    );
    assert_eq!(bounds("b"), bounds("a"));
    assert_eq!(bounds("c"), bounds("a"));
    assert_eq!(fakes[0].table().slices, fakes[2].table().slices);
    assert_eq!(records.loaded_rows(), Some(30_000));
}

#[tokio::test]
async fn designs_take_turns_in_varying_order_in_slices_and_in_rounds() {
    let records = Bench::new().complete(&three()).await;
    let mut slices: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for record in &records.0 {
        if let Record::Loaded(slice) = record {
            slices.entry(slice.slice).or_default().push(&slice.design);
        }
    }
    let mut rounds: BTreeMap<u32, Vec<(&str, &str)>> = BTreeMap::new();
    for t in records.timings() {
        rounds
            .entry(t.round)
            .or_default()
            .push((&t.design, &t.query));
    }
    assert!(
        slices.values().collect::<BTreeSet<_>>().len() > 1,
        "{slices:?}"
    );
    assert_eq!(
        rounds.values().collect::<BTreeSet<_>>().len(),
        3,
        "{rounds:?}"
    );
}

#[tokio::test]
async fn a_round_asks_all_designs_the_same_and_other_rounds_ask_otherwise() {
    let fakes = three();
    Bench::new().complete(&fakes).await;
    let asked = |fake: &Fake, name: &str| -> Vec<String> {
        fake.asked()
            .into_iter()
            .filter(|(query, _)| query == name)
            .map(|(_, sql)| sql)
            .collect()
    };
    let some = asked(&fakes[0], "some");
    // To verify, to warm up, and in three rounds.
    assert_eq!(some.len(), 5);
    assert_eq!(some.iter().collect::<BTreeSet<_>>().len(), 5, "{some:?}");
    assert!(some.iter().all(|sql| !sql.contains('$')));
    assert_eq!(asked(&fakes[1], "some"), some);
    assert_eq!(asked(&fakes[2], "some"), some);
    assert_eq!(asked(&fakes[0], "all"), ["SELECT all FROM fakes"; 5]);
}

#[tokio::test]
async fn a_design_is_not_asked_what_it_stores_no_columns_for() {
    let fakes = [
        Fake::new("a"),
        Fake::new("b").with_role(Role::SomeColumns).without("some"),
    ];
    let records = Bench::new().complete(&fakes).await;
    let asked = |fake: &Fake| -> BTreeSet<String> {
        let asked = fake.asked().into_iter();
        asked.map(|(query, _)| query).collect()
    };
    assert!(asked(&fakes[0]).contains("some"));
    assert!(asked(&fakes[1]).contains("all"));
    assert!(!asked(&fakes[1]).contains("some"));
    let is_of_both = |record: &&Record| match record {
        Record::Answered(answered) => answered.design == "b" && answered.query == "some",
        Record::Failed { design, .. } => design == "b",
        _ => false,
    };
    assert_eq!(records.0.iter().filter(is_of_both).count(), 0);
    let timed = records.timings().into_iter();
    let timed = timed.filter(|timing| timing.design == "b");
    assert!(timed.count() > 0);
}

#[tokio::test]
async fn the_same_run_twice_asks_the_same_in_the_same_order() {
    let order = |records: &Records| -> Vec<String> {
        let timed = records.timings().into_iter();
        timed
            .map(|t| format!("{} {} {}", t.design, t.query, t.round))
            .collect()
    };
    let (first, second) = (three(), three());
    let once = Bench::new().complete(&first).await;
    let again = Bench::new().complete(&second).await;
    assert_eq!(order(&once), order(&again));
    for (a, b) in first.iter().zip(&second) {
        assert_eq!(a.calls(), b.calls());
    }

    let mut other = Bench::new();
    other.workload.seed += 1;
    let others = three();
    assert_ne!(order(&other.complete(&others).await), order(&once));
    assert_ne!(others[0].asked(), first[0].asked());
}

#[tokio::test]
async fn a_source_shorter_than_asked_is_loaded_to_its_end() {
    let mut bench = Bench::new();
    bench.source.end = 12_345;
    let records = bench.complete(&three()).await;
    assert_eq!(records.loaded_rows(), Some(12_345));
    assert_eq!(
        records.slices("b").iter().map(|s| s.rows).sum::<u64>(),
        12_345
    );
    records.assert_complete(&["a", "b", "c"], 3);
}

#[tokio::test]
async fn a_source_without_rows_is_an_error() {
    let mut bench = Bench::new();
    bench.source.end = 0;
    let error = bench.run(&three()).await.unwrap_err();
    assert!(matches!(error, RunError::NoRows(_)), "{error}");
    assert!(error.to_string().contains("fakes has no rows"), "{error}");
}

#[tokio::test]
async fn designs_that_keep_the_last_row_of_a_key_have_a_right_answer_of_their_own() {
    let mut bench = Bench::new();
    bench.source.repeat_after = Some(20_000);
    let fakes = [Fake::new("a"), Fake::new("b").upserting(), Fake::new("c")];
    let records = bench.complete(&fakes).await;
    assert!(records.0.contains(&Record::DuplicateKeys {
        rows: 10_000,
        lost_by: vec!["b".to_owned()],
        told_apart_by: None,
    }));
    records.assert_complete(&["a", "b", "c"], 3);
}

#[tokio::test]
async fn an_expectation_over_the_first_rows_is_checked_without_any_design() {
    let bench =
        Bench::expecting("expect = { rows = 100, answer = [[99, 'SELECT all FROM fakes']] }");
    let error = bench.check_expectations(1).await.unwrap_err();
    assert!(matches!(error, RunError::Expectation(_)), "{error}");
    assert!(
        error
            .to_string()
            .contains("query all: over the first 100 rows"),
        "{error}"
    );

    let met =
        Bench::expecting("expect = { rows = 100, answer = [[100, 'SELECT all FROM fakes']] }");
    met.check_expectations(1).await.unwrap();
}

#[tokio::test]
async fn an_expectation_over_all_rows_is_checked_before_where_all_are_loaded_in_any_case() {
    let mut bench = Bench::expecting("expect = { answer = [[11, 'SELECT all FROM fakes']] }");
    bench.source.end = 12;
    for certain in [12, u64::MAX] {
        let error = bench.check_expectations(certain).await.unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("query all: over all rows"), "{text}");
    }
    // Of a part the file says nothing.
    bench.check_expectations(11).await.unwrap();
    bench.source.end = 11;
    bench.check_expectations(12).await.unwrap();
}

#[tokio::test]
async fn without_a_design_nothing_is_done_that_a_run_which_goes_on_would_rely_on() {
    let bench = Bench::new();
    bench.run(&[]).await.unwrap();
    let records = bench.records();
    assert_eq!(outline(&records), [("started", 1)]);
    let records = bench.complete(&[Fake::new("a")]).await;
    assert_eq!(records.loaded_rows(), bench.settings.rows);
}

#[tokio::test]
async fn where_no_answer_came_nothing_is_warmed_up_or_timed() {
    let unable = Fake::acting("a", |call| match call {
        Call::Answer { .. } => Act::Fail,
        _ => Act::Well,
    });
    let records = Bench::new().complete(&[unable]).await;
    assert_eq!((records.warm_up_passes(), records.rounds()), (None, None));
}

#[tokio::test]
async fn an_expectation_over_all_rows_is_checked_when_all_are_loaded() {
    let expect = "expect = { answer = [[11, 'SELECT all FROM fakes']] }";
    let mut bench = Bench::expecting(expect);
    bench.source.end = 12;
    (bench.settings.rows, bench.settings.budget) = (None, None);
    let error = bench.run(&three()).await.unwrap_err();
    assert!(error.to_string().contains("over all rows"), "{error}");
    assert!(bench.records().timings().is_empty());
}

#[tokio::test]
async fn the_highest_bytes_are_those_before_settling_where_settling_frees_them() {
    let records = Bench::new().complete(&three()).await;
    let spaces: Vec<_> = { records.0.iter() }
        .filter_map(|record| match record {
            Record::Space(space) => Some(space),
            _ => None,
        })
        .collect();
    assert_eq!(spaces.len(), 3);
    for space in spaces {
        assert_eq!(space.before_settling, Some(30_000 * 40));
        assert_eq!(space.highest, Some(30_000 * 40));
        assert!(space.looks >= 2 && space.is_whole, "{space:?}");
    }
}

#[tokio::test]
async fn an_observer_has_moments_between_slices_and_rounds_and_none_within() {
    let mut bench = Bench::new();
    let seen: Arc<Mutex<Vec<[usize; 2]>>> = Arc::default();
    let (noted, folder) = (seen.clone(), bench.folder.path().to_owned());
    bench.observer = Box::new(Moments(move || {
        let records = bench::records(&folder).0;
        let count = |wanted| records.iter().filter(|r| kind(r) == wanted).count();
        noted.lock().unwrap().push(["loaded", "timed"].map(count));
    }));
    bench.complete(&three()).await;
    let seen = seen.lock().unwrap();
    // Of three designs there are three slices, and in each of three rounds the times of two queries.
    let whole = |[loaded, timed]: &[usize; 2]| loaded % 3 == 0 && timed % 6 == 0;
    assert!(seen.iter().all(whole), "{seen:?}");
    for moment in [[3, 0], [6, 0], [9, 0], [9, 6], [9, 12], [9, 18]] {
        assert!(seen.contains(&moment), "{moment:?} in {seen:?}");
    }
}

#[tokio::test]
async fn a_design_and_its_further_tables_are_not_asked_what_is_left_out_for_it() {
    let (mut bench, fakes) = (Bench::new(), ["a", "b"].map(Fake::new));
    let left_out = BTreeSet::from(["some".to_owned()]);
    bench.settings.not_asked = BTreeMap::from([("b".to_owned(), left_out)]);
    bench.settings.further.twins = true;
    let mut instances = FakeInstances::default();
    bench.run_with(&fakes, &mut instances).await.unwrap();
    let records = bench.records();
    assert!(records.failures().is_empty());
    let timed: BTreeSet<(&str, &str)> = { records.timings().into_iter() }
        .map(|timing| (timing.design.as_str(), timing.query.as_str()))
        .collect();
    let of = |design: &str| timed.iter().filter(|(of, _)| *of == design).count();
    assert_eq!(["a", "a#twin", "b", "b#twin"].map(of), [2, 2, 1, 1]);
}

#[tokio::test]
async fn a_question_that_takes_very_long_is_not_asked_to_warm_up() {
    // Longer than warming up takes at least, three times over.
    let very_long = if cfg!(debug_assertions) { 400 } else { 31_000 };
    let fake = Fake::acting("a", move |call| match call {
        Call::Answer { query, .. } if query == "all" => Act::Take(Duration::from_millis(very_long)),
        _ => Act::Well,
    });
    let mut bench = Bench::new();
    bench.settings.rounds = Some(1);
    bench.complete(std::slice::from_ref(&fake)).await;
    let asked = |name: &str| {
        let asked = fake.asked().into_iter();
        asked.filter(|(query, _)| query == name).count()
    };
    // To verify, to warm up where that is needed, and in the round.
    assert_eq!((asked("all"), asked("some")), (2, 3));
}
