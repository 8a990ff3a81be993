use crate::drive::testing::*;
use crate::drive::{
    AskedBeside, Beside, BesideFigures, BesideQuestion, BesideRecord, DriveHeader, DriveLog,
    DriveRecord, TrialStart,
};

fn asking() -> DriveHeader {
    DriveHeader {
        beside: Some(Beside {
            design: None,
            questions: vec![BesideQuestion {
                name: "month".to_owned(),
                sql: "SELECT 1".to_owned(),
            }],
            compared: true,
        }),
        ..header()
    }
}

fn with_questions(trial: u32, round: u32) -> TrialStart {
    TrialStart {
        beside: true,
        ..start(trial, DESIGN, round)
    }
}

fn asked(trial: u32, round: u32, change: impl Fn(&mut AskedBeside)) -> DriveRecord {
    let mut asked = AskedBeside {
        name: "month".to_owned(),
        compared: 3,
        ..AskedBeside::default()
    };
    asked.set_times(&[1.0, 2.0, 6.0]);
    change(&mut asked);
    DriveRecord::Beside(BesideRecord {
        trial,
        design: DESIGN.to_owned(),
        round,
        questions: vec![asked],
    })
}

/// Writes two rounds of 200 operations a second without questions, and half or a quarter as many with them.
fn two_rounds(log: &mut DriveLog) {
    write_trial(log, &start(1, DESIGN, 1), &even_seconds(20, 100, 100), true);
    write_trial(log, &with_questions(2, 1), &even_seconds(20, 50, 50), true);
    log.append(&asked(2, 1, |_| {})).unwrap();
    write_trial(log, &with_questions(3, 2), &even_seconds(20, 25, 25), true);
    let failing = |asked: &mut AskedBeside| {
        (asked.failed, asked.unfinished) = (2, 1);
        asked.messages = vec!["no memory".to_owned()];
    };
    log.append(&asked(3, 2, failing)).unwrap();
    write_trial(log, &start(4, DESIGN, 2), &even_seconds(20, 100, 100), true);
}

fn figures(write: impl FnOnce(&mut DriveLog)) -> (crate::drive::DriveSummary, BesideFigures) {
    let dir = folder(&asking(), write);
    let summary = summary(dir.path());
    let figures = summary.beside.iter().find(|f| f.design == DESIGN);
    let figures = figures.unwrap().clone();
    (summary, figures)
}

fn near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 0.02
}

#[test]
fn loads_with_questions_are_compared_with_those_of_the_same_round() {
    let (summary, figures) = figures(two_rounds);
    assert_eq!(figures.pairs, 2);
    let rate = figures.rate.unwrap();
    assert!(near(rate.without.median, 200.0), "{rate:?}");
    assert!(near(rate.with.median, 75.0), "{rate:?}");
    assert!(near(rate.ratio.low, 0.25), "{rate:?}");
    assert!(near(rate.ratio.high, 0.5), "{rate:?}");
    let (operation, p99) = figures.worst_p99().unwrap();
    assert!(["read", "insert"].contains(&operation), "{operation}");
    assert!(near(p99.ratio.median, 1.0), "{p99:?}");
    // The figures of the design itself are those without questions.
    let design = summary.design(DESIGN).unwrap();
    assert_eq!(design.trials, [1, 4]);
    let with = summary.loads_with_questions(design).into_iter();
    let with: Vec<u32> = with.map(|load| load.start.trial).collect();
    assert_eq!(with, [2, 3]);
    assert!(near(design.rate.unwrap().median, 200.0));
}

#[test]
fn questions_are_summed_up_over_their_rounds() {
    let (_, figures) = figures(two_rounds);
    let [question] = figures.questions.as_slice() else {
        panic!("{:?}", figures.questions);
    };
    assert_eq!((question.answered, question.compared), (6, 6));
    // Three in 20 s.
    assert!(near(question.per_minute.unwrap().median, 9.0));
    assert_eq!(question.p50.unwrap().median, 2.0);
    assert_eq!(question.longest, Some(6.0));
    assert_eq!((question.failed, question.unfinished), (2, 1));
    assert_eq!(question.messages, ["no memory"]);
    let by_round: Vec<(u32, u64, Option<f64>)> = { question.rounds.iter() }
        .map(|asked| (asked.round, asked.answered, asked.p50))
        .collect();
    assert_eq!(by_round, [(1, 3, Some(2.0)), (2, 3, Some(2.0))]);
    assert!(question.rounds.iter().all(|asked| asked.lasted == 20.0));
    assert!(figures.has_trouble() && !figures.is_unanswered());
}

#[test]
fn a_round_without_its_other_load_is_no_pair() {
    let (summary, figures) = figures(|log| {
        write_trial(log, &start(1, DESIGN, 1), &even_seconds(20, 100, 100), true);
        write_trial(log, &with_questions(2, 1), &even_seconds(9, 50, 50), false);
        write_trial(log, &with_questions(3, 2), &even_seconds(20, 50, 50), true);
    });
    assert_eq!((figures.pairs, figures.rate), (0, None));
    let design = summary.design(DESIGN).unwrap();
    assert!(summary.loads_with_questions(design).is_empty());
    assert!(figures.is_unanswered() && !figures.has_trouble());
    assert_eq!(summary.design(DESIGN).unwrap().trials, [1]);
}

#[test]
fn a_p99_needs_more_than_a_hundred_operations_in_both_loads() {
    let (_, figures) = figures(|log| {
        write_trial(log, &start(1, DESIGN, 1), &even_seconds(20, 100, 100), true);
        write_trial(log, &with_questions(2, 1), &even_seconds(20, 1, 100), true);
    });
    let [read, insert] = figures.operations.as_slice() else {
        panic!("{:?}", figures.operations);
    };
    assert!(read.p99.is_none() && read.p50.is_some(), "{read:?}");
    assert!(insert.p99.is_some(), "{insert:?}");
}

#[test]
fn without_questions_there_are_no_figures_of_them() {
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &even_seconds(20, 9, 9), true);
    });
    assert!(summary(dir.path()).beside.is_empty());
}

#[test]
fn a_record_of_an_unknown_trial_is_refused() {
    let dir = folder(&asking(), |log| {
        log.append(&asked(7, 1, |_| {})).unwrap();
    });
    let run = crate::drive::DriveRun::open(dir.path()).unwrap();
    let error = run.summary().unwrap_err().to_string();
    assert!(error.contains("trial 7, which has not started"), "{error}");
}
