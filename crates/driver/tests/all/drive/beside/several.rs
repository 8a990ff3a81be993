//! Several designs that answer the questions in turn.

use bakeoff_stats::drive::DriveRecord;

use super::super::bench::{Bench, Driven, Fakes, Records};
use super::{all, answered_by, answering, bench, recorded};
use crate::compare::fake::{Act, Call};

/// The designs that could answer no more, with the reasons.
fn ended(records: &Records) -> Vec<(&str, &str)> {
    let ended = records.0.iter().filter_map(|record| match record {
        DriveRecord::AnsweringEnded(ended) => Some((ended.design.as_str(), ended.reason.as_str())),
        _ => None,
    });
    ended.collect()
}

#[tokio::test]
async fn several_designs_answer_in_turn_within_each_round() {
    let mut bench = bench();
    bench.settings.rounds = 3;
    answered_by(&mut bench, &["columns", "files"]);
    let mut fakes = Fakes::new(["a", "b"].map(|id| answering(id, |_| None)));
    fakes.beside = ["columns", "files"]
        .map(|id| answering(id, |_| None).table)
        .to_vec();
    let records = bench.complete(&mut fakes).await;
    assert!(records.failures().is_empty(), "{:?}", records.failures());
    for id in ["a", "b"] {
        let loads: Vec<(u32, Option<&str>)> = { records.starts().into_iter() }
            .filter(|start| start.design == id)
            .inspect(|start| assert_eq!(start.beside, start.answered_by.is_some()))
            .map(|start| (start.round, start.answered_by.as_deref()))
            .collect();
        let (alone, columns, files) = (None, Some("columns"), Some("files"));
        let expected = [
            [(1, alone), (1, columns), (1, files)],
            [(2, columns), (2, files), (2, alone)],
            [(3, files), (3, alone), (3, columns)],
        ];
        assert_eq!(loads, expected.concat());
    }
    for start in records.starts() {
        let words = start
            .answered_by
            .as_deref()
            .map(|id| format!("answered by {id}"));
        assert!(
            words.is_none_or(|words| start.schedule.ends_with(&words)),
            "{start:?}"
        );
    }
    assert_eq!(recorded(&records).len(), 12);
    // Each was loaded and asked, also before the first load, and the answers of both were the same.
    for table in &fakes.beside {
        assert_eq!(table.rows(), bench.settings.load.rows);
        let first: Vec<String> = table
            .asked()
            .into_iter()
            .map(|(name, _)| name)
            .take(2)
            .collect();
        assert_eq!(first, ["one", "two"]);
        assert_eq!(table.table().most_asking, 1, "one at a time");
    }
    assert!(all(&records).any(|asked| asked.compared > 0));
    assert!(all(&records).all(|asked| asked.differing == 0));
    assert!(ended(&records).is_empty());
}

/// Lets these designs answer in turn with the driven ones, whose rows the loads change.
fn answered_by_all(bench: &mut Bench, ids: &[&str]) {
    answered_by(bench, ids);
    if let Some(asked) = &mut bench.settings.beside {
        (asked.driven, asked.rows_stay) = (true, false);
    }
}

#[tokio::test]
async fn the_driven_design_answers_in_turn_with_others_and_is_not_compared_with_them() {
    let mut bench = bench();
    bench.settings.rounds = 3;
    answered_by_all(&mut bench, &["columns", "files"]);
    let wrong = |call: &Call| matches!(call, Call::Answer { .. }).then_some(Act::Wrong);
    let mut fakes = Fakes::new([answering("a", wrong)]);
    fakes.beside = ["columns", "files"]
        .map(|id| answering(id, |_| None).table)
        .to_vec();
    let records = bench.complete(&mut fakes).await;
    assert!(records.failures().is_empty(), "{:?}", records.failures());
    let starts = records.starts();
    let of_round = |round: u32| -> Vec<(bool, Option<&str>)> {
        let own = starts.iter().filter(|start| start.round == round);
        own.map(|start| (start.beside, start.answered_by.as_deref()))
            .collect()
    };
    let (alone, itself) = ((false, None), (true, None));
    let (columns, files) = ((true, Some("columns")), (true, Some("files")));
    assert_eq!(of_round(1), [alone, columns, itself, files]);
    assert_eq!(of_round(2), [columns, files, alone, itself]);
    assert_eq!(of_round(3), [files, itself, columns, alone]);
    assert_eq!(recorded(&records).len(), 9);
    for record in recorded(&records) {
        let start = starts.iter().find(|start| start.trial == record.trial);
        let by_itself = start.unwrap().answered_by.is_none();
        for question in &record.questions {
            assert_eq!((question.failed, question.differing), (0, 0));
            assert!(!by_itself || question.compared == 0, "{question:?}");
        }
    }
    assert!(all(&records).any(|asked| asked.compared > 0), "the others");
    assert_eq!(fakes.designs[0].table.rows(), bench.settings.load.rows);
}

#[tokio::test]
async fn where_all_others_fail_the_driven_design_answers() {
    let mut bench = bench();
    bench.settings.rounds = 2;
    answered_by_all(&mut bench, &["columns"]);
    let mut fakes = Fakes::new([answering("a", |_| None)]);
    let refuses = |call: &Call| matches!(call, Call::Load(_)).then_some(Act::Fail);
    fakes.beside = vec![answering("columns", refuses).table];
    let records = bench.complete(&mut fakes).await;
    assert!(records.failures().is_empty(), "{:?}", records.failures());
    assert_eq!(ended(&records).len(), 1);
    let starts = records.starts().into_iter();
    let loads: Vec<(u32, bool)> = starts.map(|start| (start.round, start.beside)).collect();
    // Of three loads the one that `columns` would have answered beside is left out.
    assert_eq!(loads, [(1, false), (1, true), (2, true), (2, false)]);
    assert!(recorded(&records).iter().all(|asked| asked.design == "a"));
}

#[tokio::test]
async fn a_design_with_another_answer_than_the_first_one_is_told_where_all_have_to_agree() {
    for (designs_agree, is_told) in [(true, true), (false, false)] {
        let mut bench = bench();
        answered_by(&mut bench, &["columns", "files"]);
        if let Some(asked) = &mut bench.settings.beside {
            asked.designs_agree = designs_agree;
        }
        let mut fakes = Fakes::new([answering("a", |_| None)]);
        let wrong = |call: &Call| matches!(call, Call::Answer { .. }).then_some(Act::Wrong);
        fakes.beside = vec![
            answering("columns", |_| None).table,
            answering("files", wrong).table,
        ];
        let records = bench.complete(&mut fakes).await;
        let [columns, files] = recorded(&records)[..] else {
            panic!("two loads");
        };
        assert!(columns.questions.iter().all(|asked| asked.differing == 0));
        let differs = files.questions.iter().any(|asked| asked.differing > 0);
        assert_eq!(differs, is_told, "{files:?}");
    }
}

#[tokio::test]
async fn a_design_that_is_asked_in_sql_of_its_own_is_compared_with_the_others() {
    for is_wrong in [false, true] {
        let mut bench = bench();
        bench.settings.rounds = 2;
        answered_by(&mut bench, &["columns", "files"]);
        if let Some(asked) = &mut bench.settings.beside {
            for question in &mut asked.questions {
                let own = format!("{} -- own", question.query.sql);
                question.query.engine_sql.insert("files".to_owned(), own);
            }
        }
        let mut fakes = Fakes::new([answering("a", |_| None)]);
        let act = move |call: &Call| {
            let answers = matches!(call, Call::Answer { .. });
            (is_wrong && answers).then_some(Act::Wrong)
        };
        fakes.beside = vec![
            answering("columns", |_| None).table,
            answering("files", act).table,
        ];
        let records = bench.complete(&mut fakes).await;
        let asked = fakes.beside[1].asked();
        assert!(asked.iter().all(|(_, sql)| sql.ends_with(" -- own")));
        // In both rounds the first answers are those of `columns`.
        let starts = records.starts();
        for record in recorded(&records) {
            let start = starts.iter().find(|start| start.trial == record.trial);
            let by_files = start.unwrap().answered_by.as_deref() == Some("files");
            for question in &record.questions {
                let differs = question.differing > 0;
                assert_eq!(differs, is_wrong && by_files, "{question:?}");
                assert!(!by_files || question.compared > 0, "{question:?}");
            }
        }
    }
}

#[tokio::test]
async fn where_one_of_several_designs_fails_the_others_answer() {
    let mut bench = bench();
    answered_by(&mut bench, &["columns", "files"]);
    let mut fakes = Fakes::new([answering("a", |_| None)]);
    let refuses = |call: &Call| matches!(call, Call::Load(_)).then_some(Act::Fail);
    fakes.beside = vec![
        answering("columns", refuses).table,
        answering("files", |_| None).table,
    ];
    let records = bench.complete(&mut fakes).await;
    assert!(records.failures().is_empty(), "{:?}", records.failures());
    let [(design, why)] = ended(&records)[..] else {
        panic!("{:?}", ended(&records));
    };
    assert_eq!(design, "columns");
    assert!(why.contains("loading columns: refused"), "{why}");
    let starts = records.starts().into_iter();
    let by: Vec<Option<&str>> = starts.map(|start| start.answered_by.as_deref()).collect();
    assert_eq!(by, [None, Some("files")]);
}

#[tokio::test]
async fn an_engine_that_ends_in_the_last_turn_is_told_and_asked_no_more() {
    // Each question is answered once before the loads.
    for (nth, asked) in [
        (0, &[None, Some("files")][..]),
        (1, &[None, Some("columns"), Some("files")][..]),
    ] {
        let mut bench = bench();
        answered_by(&mut bench, &["columns", "files"]);
        let mut fakes = Fakes::new([Driven::well("a")]);
        let dies = move |call: &Call| call.asks("one", nth).then_some(Act::Die);
        fakes.beside = vec![
            answering("columns", dies).table,
            answering("files", |_| None).table,
        ];
        let records = bench.complete(&mut fakes).await;
        assert!(records.failures().is_empty(), "{:?}", records.failures());
        let starts = records.starts().into_iter();
        let by: Vec<Option<&str>> = starts.map(|start| start.answered_by.as_deref()).collect();
        assert_eq!(by, asked);
        assert_eq!(ended(&records), [("columns", "its engine is gone")]);
    }
}

#[tokio::test]
async fn after_the_end_of_one_engine_the_others_answer_in_further_rounds() {
    let mut bench = bench();
    bench.settings.rounds = 2;
    answered_by(&mut bench, &["columns", "files"]);
    let mut fakes = Fakes::new([Driven::well("a")]);
    // Each question is answered once before the loads.
    let dies = |call: &Call| call.asks("one", 1).then_some(Act::Die);
    fakes.beside = vec![
        answering("columns", dies).table,
        answering("files", |_| None).table,
    ];
    let records = bench.complete(&mut fakes).await;
    assert!(records.failures().is_empty(), "{:?}", records.failures());
    let starts = records.starts().into_iter();
    let second = starts.filter(|start| start.round == 2);
    let by: Vec<Option<&str>> = second.map(|start| start.answered_by.as_deref()).collect();
    assert_eq!(by, [Some("files"), None]);
    assert_eq!(ended(&records).len(), 1);
    assert_eq!(ended(&records)[0].0, "columns");
}
