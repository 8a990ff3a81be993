//! Questions beside every second load: who is asked when, what is compared, and what is recorded.

mod several;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bakeoff_driver::drive::{BesideFor, Question};
use bakeoff_stats::drive::{AskedBeside, BesideRecord, DriveRecord, DriveRun};
use bakeoff_workload::Query;

use super::bench::{Bench, Driven, Fakes, Records};
use super::fake::{Fake, MILLISECOND, until};
use crate::compare::fake::{Act, Call, Fake as Table};

fn question(name: &str, values: &[&str]) -> Question {
    let drawn = |value: &&str| vec![("x".to_owned(), (*value).to_owned())];
    Question {
        query: Query {
            name: name.to_owned(),
            sql: format!("SELECT {name} FROM t WHERE x = ${{x}}"),
            engine_sql: BTreeMap::new(),
            parameters: Vec::new(),
            parameter_sets: None,
            tolerance: None,
            expect: None,
            position: (1, 1),
        },
        values: values.iter().map(drawn).collect(),
        has_one_answer: true,
    }
}

/// Shorter than an answer is waited for after the end of its load.
const LESS_THAN_PATIENCE: Duration = Duration::from_secs(50);

/// Loads of 200 ms beside which `one` and `two` are asked.
fn bench() -> Bench {
    let mut bench = Bench::new();
    bench.settings.load.duration = 200 * MILLISECOND;
    bench.settings.beside = Some(BesideFor {
        questions: vec![question("one", &["1", "2"]), question("two", &["1", "2"])],
        answering: Vec::new(),
        driven: false,
        rows_stay: true,
        designs_agree: true,
    });
    bench
}

/// A design that answers in 10 ms, unless `other` says something else.
fn answering(id: &str, other: impl Fn(&Call) -> Option<Act> + Send + Sync + 'static) -> Driven {
    let table = Table::acting(id, move |call| match (other(call), call) {
        (Some(act), _) => act,
        (None, Call::Answer { .. }) => Act::Take(10 * MILLISECOND),
        (None, _) => Act::Well,
    });
    Driven::new(table, Fake::taking(MILLISECOND))
}

/// Lets these designs answer in place of the driven ones.
fn answered_by(bench: &mut Bench, ids: &[&str]) {
    if let Some(asked) = &mut bench.settings.beside {
        asked.answering = ids.iter().map(|id| (*id).to_owned()).collect();
    }
}

fn recorded(records: &Records) -> Vec<&BesideRecord> {
    let asked = records.0.iter().filter_map(|record| match record {
        DriveRecord::Beside(asked) => Some(asked),
        _ => None,
    });
    asked.collect()
}

fn all(records: &Records) -> impl Iterator<Item = &AskedBeside> {
    recorded(records).into_iter().flat_map(|r| &r.questions)
}

#[tokio::test]
async fn every_round_has_a_load_without_questions_and_one_with_them() {
    let mut bench = bench();
    bench.settings.rounds = 2;
    let mut fakes = Fakes::new(["a", "b"].map(|id| answering(id, |_| None)));
    let records = bench.complete(&mut fakes).await;
    assert!(records.failures().is_empty(), "{:?}", records.failures());
    for id in ["a", "b"] {
        let loads: Vec<(u32, bool)> = { records.starts().into_iter() }
            .filter(|start| start.design == id)
            .map(|start| (start.round, start.beside))
            .collect();
        // The order turns round, so that what drifts is no difference.
        assert_eq!(loads, [(1, false), (1, true), (2, true), (2, false)]);
    }
    let starts = records.starts();
    for start in &starts {
        let says_so = start.schedule.ends_with(", questions beside");
        assert_eq!(says_so, start.beside, "{}", start.schedule);
    }
    let asked = recorded(&records);
    assert_eq!(asked.len(), 4);
    for record in asked {
        let start = starts.iter().find(|start| start.trial == record.trial);
        let start = start.unwrap();
        assert!(start.beside && start.design == record.design && start.round == record.round);
        let names: Vec<&str> = record.questions.iter().map(|q| q.name.as_str()).collect();
        assert_eq!(names, ["one", "two"]);
        for question in &record.questions {
            assert_eq!(
                (question.failed, question.differing),
                (0, 0),
                "{question:?}"
            );
            assert!(question.answered + question.unfinished > 0, "{question:?}");
        }
    }
    assert!(all(&records).any(|asked| asked.answered > 1 && asked.compared > 0));
    assert!(all(&records).all(|asked| asked.p50.is_none_or(|took| took >= 0.01)));
}

#[tokio::test]
async fn a_moment_between_loads_comes_when_the_questions_have_ended_and_are_on_record() {
    let mut bench = bench();
    bench.settings.rounds = 2;
    let seen: Arc<Mutex<Vec<[usize; 2]>>> = Arc::default();
    let (noted, folder) = (seen.clone(), bench.folder.path().to_owned());
    bench.between = Box::new(move || {
        let records = Records(DriveRun::open(&folder).unwrap().records().to_vec());
        let loads = records.stopped().len();
        noted
            .lock()
            .unwrap()
            .push([loads, recorded(&records).len()]);
    });
    let mut fakes = Fakes::new([answering("a", |_| None)]);
    bench.complete(&mut fakes).await;
    // The second and the third load have questions beside them.
    assert_eq!(*seen.lock().unwrap(), [[1, 0], [2, 1], [3, 2], [4, 2]]);
}

#[tokio::test]
async fn questions_follow_each_other_with_the_parameters_of_their_round() {
    let mut bench = bench();
    bench.settings.rounds = 2;
    let mut fakes = Fakes::new([answering("a", |_| None)]);
    bench.complete(&mut fakes).await;
    let table = &fakes.designs[0].table;
    let asked = table.asked();
    // Each is asked once before the first load.
    let names: Vec<&str> = asked
        .iter()
        .map(|(name, _)| name.as_str())
        .take(4)
        .collect();
    assert_eq!(names, ["one", "two", "one", "two"]);
    let of_round = |value: &str| {
        let end = format!("x = {value}");
        asked.iter().filter(|(_, sql)| sql.ends_with(&end)).count()
    };
    assert!(of_round("1") > 3 && of_round("2") > 1);
    assert_eq!(of_round("1") + of_round("2"), asked.len());
    assert_eq!(table.table().most_asking, 1, "one at a time");
}

#[tokio::test]
async fn a_question_that_fails_is_counted_with_its_reason_and_asked_again_later() {
    let refuse = |call: &Call| call.asks("two", 0).then_some(Act::Fail);
    let panicking = |call: &Call| call.asks("one", 0).then_some(Act::Panic);
    let mut fakes = Fakes::new([answering("a", refuse), answering("b", panicking)]);
    let records = bench().complete(&mut fakes).await;
    assert!(records.failures().is_empty(), "the loads are whole");
    for record in recorded(&records) {
        let (place, reason) = match record.design.as_str() {
            "a" => (1, "refused"),
            _ => (0, "a bug in a design"),
        };
        let failed = &record.questions[place];
        // A load ends before the pause after a failure does.
        assert_eq!((failed.failed, failed.answered), (1, 0), "{failed:?}");
        assert!(failed.messages[0].contains(reason), "{failed:?}");
    }
    assert_eq!(recorded(&records).len(), 2);
}

#[tokio::test]
async fn an_answer_that_is_not_the_first_one_is_told() {
    let wrong = |call: &Call| call.asks("one", 3).then_some(Act::Wrong);
    let mut fakes = Fakes::new([answering("a", wrong)]);
    let records = bench().complete(&mut fakes).await;
    let [one, two] = recorded(&records)[0].questions.as_slice() else {
        panic!("two questions");
    };
    assert!(
        one.differing > 0 && one.compared >= one.differing,
        "{one:?}"
    );
    let message = &one.messages[0];
    assert!(
        message.starts_with("differs from the first answer: "),
        "{message}"
    );
    assert_eq!(two.differing, 0);
}

#[tokio::test]
async fn answers_over_rows_that_change_are_only_counted() {
    let mut bench = bench();
    if let Some(asked) = &mut bench.settings.beside {
        asked.rows_stay = false;
        asked.questions.truncate(1);
    }
    let wrong = |call: &Call| call.asks("one", 3).then_some(Act::Wrong);
    let mut fakes = Fakes::new([answering("a", wrong)]);
    let records = bench.complete(&mut fakes).await;
    let one = &recorded(&records)[0].questions[0];
    assert!(one.answered > 0, "{one:?}");
    assert_eq!((one.compared, one.differing), (0, 0), "{one:?}");
}

#[tokio::test]
async fn another_design_answers_over_the_same_rows() {
    let mut bench = bench();
    answered_by(&mut bench, &["columns"]);
    let mut fakes = Fakes::new(["a", "b"].map(|id| answering(id, |_| None)));
    fakes.beside = vec![answering("columns", |_| None).table];
    let records = bench.complete(&mut fakes).await;
    assert!(records.failures().is_empty(), "{:?}", records.failures());
    let columns = &fakes.beside[0];
    assert_eq!(columns.rows(), bench.settings.load.rows);
    assert!(columns.calls().contains(&Call::Settle));
    for record in recorded(&records) {
        assert!(["a", "b"].contains(&record.design.as_str()));
    }
    for design in &fakes.designs {
        assert!(design.table.asked().is_empty(), "the other one is asked");
    }
    assert!(columns.asked().len() > 4);
    assert_eq!(records.populated().len(), 2, "its loading is no figure");
}

#[tokio::test]
async fn where_the_other_design_fails_nothing_is_driven() {
    for (table, reason) in [
        (None, "no design was named"),
        (
            Some(Table::acting("columns", |call| match call {
                Call::Load(_) => Act::Fail,
                _ => Act::Well,
            })),
            "loading columns: refused",
        ),
    ] {
        let mut bench = bench();
        answered_by(&mut bench, &["columns"]);
        let mut fakes = Fakes::new(["a", "b"].map(Driven::well));
        fakes.beside.extend(table);
        let records = bench.complete(&mut fakes).await;
        assert!(records.trials().is_empty());
        let failures = records.failures();
        assert_eq!(failures.len(), 2);
        for (_, why) in failures {
            assert!(why.contains(reason), "{why}");
        }
    }
}

#[tokio::test]
async fn after_the_end_of_the_other_engine_no_further_round_is_driven() {
    let mut bench = bench();
    bench.settings.rounds = 3;
    answered_by(&mut bench, &["columns"]);
    // Each question is answered once before the loads.
    let dies = |call: &Call| call.asks("one", 1).then_some(Act::Die);
    let mut fakes = Fakes::new([Driven::well("a")]);
    fakes.beside = vec![answering("columns", dies).table];
    let records = bench.complete(&mut fakes).await;
    let rounds: Vec<u32> = records.starts().iter().map(|start| start.round).collect();
    assert_eq!(rounds, [1, 1], "the round in which it ends is whole");
    let asked = recorded(&records);
    assert_eq!((asked.len(), asked[0].questions[0].failed), (1, 1));
    let failures = records.failures();
    assert_eq!(failures.len(), 1, "{failures:?}");
    let (design, why) = failures[0];
    assert_eq!(design, "a");
    assert!(
        why.starts_with("columns cannot answer the questions: "),
        "{why}"
    );
}

#[tokio::test]
async fn a_drive_that_is_stopped_waits_for_no_answer() {
    let mut bench = bench();
    bench.settings.load.duration = 50 * MILLISECOND;
    // Each question is answered once, before the loads, and never again.
    let hangs = |call: &Call| (call.asks("one", 1) || call.asks("two", 1)).then_some(Act::Hang);
    let mut fakes = Fakes::new([answering("a", hangs)]);
    let (table, stop) = (fakes.designs[0].table.clone(), bench.stop.clone());
    let stopping = async {
        until(|| table.asked().len() > 2).await;
        stop.stop();
    };
    let both = async { futures::join!(bench.drive(&mut fakes), stopping) };
    let ended = tokio::time::timeout(LESS_THAN_PATIENCE, both).await;
    let (driven, ()) = ended.expect("it waits for the answer");
    driven.unwrap();
    assert!(bench.records().failures().is_empty());
}
