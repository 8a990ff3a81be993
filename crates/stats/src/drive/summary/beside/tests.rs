use crate::drive::testing::*;
use crate::drive::{
    AnsweringEnded, AskedBeside, Beside, BesideFigures, BesideQuestion, BesideRecord, DriveHeader,
    DriveLog, DriveRecord, DriveSummary, FailureKind, TrialStart,
};

fn asking() -> DriveHeader {
    DriveHeader {
        beside: Some(Beside {
            designs: Vec::new(),
            driven: false,
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
    let with = summary.loads_with_questions(design, None).into_iter();
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
    assert!(summary.loads_with_questions(design, None).is_empty());
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

/// A load that `columns` and `files` answer questions beside, as fast as it goes or at a rate.
fn answered_by_two(scheduled_rate: Option<f64>, write: impl FnOnce(&mut DriveLog)) -> DriveSummary {
    let named = |id: &str| crate::DesignInfo {
        id: id.to_owned(),
        ..header().designs[0].clone()
    };
    let mut header = asking();
    if let Some(beside) = &mut header.beside {
        beside.designs = ["columns", "files"].map(named).to_vec();
    }
    let dir = folder(&header, |log| {
        for round in 1..=3 {
            let alone = TrialStart {
                scheduled_rate,
                ..start(3 * round - 2, DESIGN, round)
            };
            write_trial(log, &alone, &even_seconds(20, 120, 120), true);
        }
        write(log);
    });
    summary(dir.path())
}

/// Writes the load of a round beside which a design answers, of so many operations a second.
fn answered(log: &mut DriveLog, (round, place): (u32, u32), rate: Option<f64>, operations: u64) {
    let by = ["columns", "files"][place as usize];
    let trial = 3 * round - 1 + place;
    let with = TrialStart {
        answered_by: Some(by.to_owned()),
        scheduled_rate: rate,
        ..with_questions(trial, round)
    };
    let seconds = even_seconds(20, operations, operations);
    write_trial(log, &with, &seconds, true);
    log.append(&asked(trial, round, |_| {})).unwrap();
}

fn ids(summary: &DriveSummary) -> Vec<Option<&str>> {
    let design = summary.design(DESIGN).unwrap();
    let harms = summary.harms(design).into_iter();
    harms
        .map(|harm| harm.figures.answered_by.as_deref())
        .collect()
}

#[test]
fn each_design_that_answers_is_compared_with_the_same_load_without_questions() {
    let summary = answered_by_two(None, |log| {
        for round in 1..=3 {
            answered(log, (round, 0), None, 30);
            answered(log, (round, 1), None, 60);
        }
    });
    let own: Vec<&BesideFigures> = { summary.beside.iter() }
        .filter(|figures| figures.design == DESIGN)
        .collect();
    let [columns, files] = own.as_slice() else {
        panic!("{own:?}");
    };
    assert_eq!(columns.answered_by.as_deref(), Some("columns"));
    for (figures, ratio) in [(columns, 0.25), (files, 0.5)] {
        assert_eq!(figures.pairs, 3);
        let rate = figures.rate.unwrap();
        assert!(near(rate.without.median, 240.0), "{rate:?}");
        assert!(near(rate.ratio.median, ratio), "{rate:?}");
        assert_eq!(figures.questions[0].answered, 9, "its own answers alone");
    }
    let design = summary.design(DESIGN).unwrap();
    let loads = summary.loads_with_questions(design, Some("files"));
    let loads: Vec<u32> = loads.iter().map(|load| load.start.trial).collect();
    assert_eq!(loads, [3, 6, 9]);
    assert!(summary.loads_with_questions(design, None).is_empty());
}

#[test]
fn designs_that_answer_are_in_the_order_of_their_harm_to_the_load() {
    let summary = answered_by_two(None, |log| {
        for round in 1..=3 {
            answered(log, (round, 0), None, 30);
            answered(log, (round, 1), None, 60);
        }
    });
    assert_eq!(ids(&summary), [Some("files"), Some("columns")]);
    let design = summary.design(DESIGN).unwrap();
    let harms = summary.harms(design);
    assert_eq!(harms[0].to_least, None);
    let more = harms[1].to_least.unwrap();
    assert!(near(more.median, 2.0) && more.low > 1.0, "{more:?}");
    assert_eq!(more.observations, 3);
}

#[test]
fn a_load_at_a_rate_is_harmed_in_its_times() {
    let rate = Some(240.0);
    let summary = answered_by_two(rate, |log| {
        for round in 1..=3 {
            for place in [0, 1] {
                let by = ["columns", "files"][place as usize];
                let trial = 3 * round - 1 + place;
                let with = TrialStart {
                    answered_by: Some(by.to_owned()),
                    scheduled_rate: rate,
                    ..with_questions(trial, round)
                };
                // Reads take 2 ms, and beside the answers of `columns` 8 ms.
                let mut seconds = even_seconds(20, 120, 120);
                if place == 0 {
                    for (tallies, _) in &mut seconds {
                        tallies[0] = slow(120);
                    }
                }
                write_trial(log, &with, &seconds, true);
                log.append(&asked(trial, round, |_| {})).unwrap();
            }
        }
    });
    assert_eq!(ids(&summary), [Some("files"), Some("columns")]);
    let design = summary.design(DESIGN).unwrap();
    assert_eq!(summary.worst_operation(design), Some(0));
    let more = summary.harms(design)[1].to_least.unwrap();
    assert!(near(more.median, 4.0), "{more:?}");
}

/// Makes a tally of operations of 8 ms response time.
fn slow(operations: u64) -> crate::drive::Tally {
    let mut tally = crate::drive::Tally::default();
    for _ in 0..operations {
        tally.record(8_000_000, 1_000_000);
    }
    tally
}

#[test]
fn a_design_that_answered_nothing_comes_last_and_its_end_is_kept() {
    let ended = AnsweringEnded {
        design: "files".to_owned(),
        reason: "no disk".to_owned(),
    };
    let record = ended.clone();
    let summary = answered_by_two(None, |log| {
        for round in 1..=3 {
            answered(log, (round, 0), None, 30);
        }
        log.append(&DriveRecord::AnsweringEnded(record)).unwrap();
    });
    assert_eq!(ids(&summary), [Some("columns"), Some("files")]);
    assert_eq!(summary.answering_ended, [ended]);
    let design = summary.design(DESIGN).unwrap();
    assert_eq!(summary.harms(design)[1].to_least, None);
}

#[test]
fn a_design_whose_question_or_load_failed_has_no_place_before_the_others() {
    let mut summary = answered_by_two(None, |log| {
        for round in 1..=3 {
            answered(log, (round, 0), None, 60);
            answered(log, (round, 1), None, 30);
        }
    });
    assert_eq!(ids(&summary), [Some("columns"), Some("files")]);
    let mut failed = summary.clone();
    for figures in &mut failed.beside {
        let of_columns = figures.answered_by.as_deref() == Some("columns");
        figures.questions[0].failed = u64::from(of_columns);
    }
    for trial in &mut summary.trials {
        if trial.start.answered_by.as_deref() == Some("columns") {
            let reads = &mut trial.figures.operations[0];
            reads.failures.push((FailureKind::TimedOut, reads.count));
        }
    }
    for summary in [failed, summary] {
        assert_eq!(ids(&summary), [Some("files"), Some("columns")]);
        let design = summary.design(DESIGN).unwrap();
        let harms = summary.harms(design);
        assert!(harms[0].is_known && !harms[1].is_known, "{harms:?}");
        assert_eq!(harms[1].to_least, None);
    }
}

#[test]
fn the_driven_design_has_its_place_among_others_that_answer_in_turn() {
    let mut header = asking();
    let others = vec![header.designs[1].clone()];
    let other = others[0].id.clone();
    if let Some(beside) = &mut header.beside {
        (beside.designs, beside.driven) = (others, true);
    }
    let dir = folder(&header, |log| {
        for round in 1..=3 {
            let first = 3 * round - 2;
            let alone = start(first, DESIGN, round);
            write_trial(log, &alone, &even_seconds(20, 120, 120), true);
            let itself = with_questions(first + 1, round);
            write_trial(log, &itself, &even_seconds(20, 60, 60), true);
            log.append(&asked(first + 1, round, |_| {})).unwrap();
            let by_other = TrialStart {
                answered_by: Some(other.clone()),
                ..with_questions(first + 2, round)
            };
            write_trial(log, &by_other, &even_seconds(20, 90, 90), true);
            log.append(&asked(first + 2, round, |_| {})).unwrap();
        }
    });
    let summary = summary(dir.path());
    assert_eq!(ids(&summary), [Some(other.as_str()), None]);
    let design = summary.design(DESIGN).unwrap();
    let expected = [(other.as_str(), 0.75), (DESIGN, 0.5)];
    for (harm, (by, ratio)) in summary.harms(design).into_iter().zip(expected) {
        assert_eq!(harm.figures.answering(), by);
        assert_eq!(harm.figures.pairs, 3);
        assert!(near(harm.figures.rate.unwrap().ratio.median, ratio));
        assert_eq!(harm.figures.questions[0].answered, 9, "its own answers");
    }
    let loads = summary.loads_with_questions(design, None);
    let loads: Vec<u32> = loads.iter().map(|load| load.start.trial).collect();
    assert_eq!(loads, [2, 5, 8]);
}

#[test]
fn loads_of_an_earlier_record_do_not_name_the_one_design_that_answered() {
    let mut header = asking();
    let design = header.designs[1].clone();
    let id = design.id.clone();
    if let Some(beside) = &mut header.beside {
        beside.designs = vec![design];
    }
    let dir = folder(&header, two_rounds);
    let summary = summary(dir.path());
    let figures = &summary.beside[0];
    assert_eq!(figures.answered_by.as_deref(), Some(id.as_str()));
    assert_eq!((figures.pairs, figures.questions[0].answered), (2, 6));
}
