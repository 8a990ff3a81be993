//! Two loads with questions beside them are compared by what the load does meanwhile, and by the answers.

use super::super::{Between, Caution, FailIf, Failing, Gate, Measured, Shown, Unknown, Worse};
use super::loads::{fails, seconds};
use crate::DesignInfo;
use crate::drive::testing::{DESIGN, finish, folder, header, start, summary, write_trial};
use crate::drive::{
    AskedBeside, Beside, BesideQuestion, BesideRecord, DriveHeader, DriveRecord, TrialStart,
};

/// Rounds of a load without questions and one with them, of which an operation takes so long meanwhile.
struct Drawn {
    rounds: u32,
    response_ns: u64,
    /// Seconds of the answers in a round.
    answers: &'static [f64],
    /// Round without an answer.
    silent: Option<u32>,
    sql: &'static str,
    /// Designs that answer in turn; none if the driven one does.
    answering: &'static [&'static str],
}

const DRAWN: Drawn = Drawn {
    rounds: 7,
    response_ns: 5_000_000,
    answers: &[2.0, 2.1, 2.2],
    silent: None,
    sql: "SELECT 1",
    answering: &[],
};

fn named(id: &str) -> DesignInfo {
    DesignInfo {
        id: id.to_owned(),
        ..header().designs[0].clone()
    }
}

/// Figures that only loads with questions have.
const WITH_QUESTIONS: [&str; 7] = [
    "operations with questions",
    "read p50 with questions",
    "read p99 with questions",
    "insert p50 with questions",
    "insert p99 with questions",
    "month answers",
    "month answer p50",
];

impl Drawn {
    fn asked(&self, trial: u32, round: u32) -> DriveRecord {
        let more = 1.0 + 0.002 * f64::from(round % 3);
        let times: Vec<f64> = self.answers.iter().map(|time| time * more).collect();
        let mut asked = AskedBeside {
            name: "month".to_owned(),
            ..AskedBeside::default()
        };
        if self.silent == Some(round) {
            asked.unfinished = 1;
        } else {
            asked.set_times(&times);
        }
        DriveRecord::Beside(BesideRecord {
            trial,
            design: DESIGN.to_owned(),
            round,
            questions: vec![asked],
        })
    }

    fn load(&self) -> Measured {
        let header = DriveHeader {
            beside: Some(Beside {
                designs: self.answering.iter().map(|id| named(id)).collect(),
                driven: false,
                questions: vec![BesideQuestion {
                    name: "month".to_owned(),
                    sql: self.sql.to_owned(),
                }],
                compared: true,
            }),
            ..header()
        };
        let dir = folder(&header, |log| {
            for round in 1..=self.rounds {
                // Rounds differ by some thousandths.
                let more = |time: u64| time + u64::from(round % 3) * time / 500;
                let without = seconds(60, more(4_000_000), 0);
                let first = 10 * round;
                write_trial(log, &start(first, DESIGN, round), &without, true);
                let by = self.answering.iter().map(|id| Some((*id).to_owned()));
                let by: Vec<Option<String>> = by.collect();
                let by = if by.is_empty() { vec![None] } else { by };
                for (trial, answered_by) in (first + 1..).zip(by) {
                    let asking = TrialStart {
                        beside: true,
                        answered_by,
                        ..start(trial, DESIGN, round)
                    };
                    let with = seconds(60, more(self.response_ns), 0);
                    write_trial(log, &asking, &with, true);
                    log.append(&self.asked(trial, round)).unwrap();
                }
            }
            finish(log);
        });
        Measured::of_load("load", &summary(dir.path()))
    }
}

/// A load without questions.
fn plain() -> Measured {
    let dir = folder(&header(), |log| {
        for round in 1..=7 {
            let time = 4_000_000 + 8_000 * u64::from(round % 3);
            let trial = start(round, DESIGN, round);
            write_trial(log, &trial, &seconds(60, time, 0), true);
        }
        finish(log);
    });
    Measured::of_load("plain", &summary(dir.path()))
}

fn changed(found: &Between) -> Vec<String> {
    found.changes.iter().map(|c| c.what.to_string()).collect()
}

fn absent(found: &Between) -> Vec<(String, Unknown)> {
    { found.absent.iter() }
        .map(|absent| (absent.what.to_string(), absent.why))
        .collect()
}

fn all_of_questions(why: Unknown) -> Vec<(String, Unknown)> {
    WITH_QUESTIONS.map(|name| (name.to_owned(), why)).to_vec()
}

#[test]
fn equal_loads_with_questions_are_the_same_in_every_figure() {
    let found = Between::of_measured(&DRAWN.load(), &DRAWN.load(), None);
    assert_eq!(found.obstacles, []);
    assert_eq!(found.cautions, []);
    let names = changed(&found);
    assert_eq!(names[..1], ["operations"]);
    assert_eq!(names[9..], WITH_QUESTIONS);
    assert_eq!(found.count(Shown::Same), 16, "{:?}", found.changes);
    assert_eq!(found.fail_if_slower(0.05), Gate::NotSlower);
    let counted = |what: &str| {
        let mut all = found.counted.iter();
        all.find(|counted| counted.what == what)
            .unwrap_or_else(|| panic!("{what}: {:?}", found.counted))
    };
    for what in ["read p99 with questions to without", "month failed"] {
        let counted = counted(what);
        assert!(counted.a.is_some() && counted.a == counted.b, "{counted:?}");
    }
}

#[test]
fn a_load_that_questions_slow_more_and_slower_answers_fail_by_their_own_conditions() {
    let slower = Drawn {
        response_ns: 10_000_000,
        answers: &[4.0, 4.2],
        ..DRAWN
    };
    let found = Between::of_measured(&DRAWN.load(), &slower.load(), None);
    let times = [
        "read p50 with questions",
        "read p99 with questions",
        "insert p50 with questions",
        "insert p99 with questions",
        "month answer p50",
    ];
    assert_eq!(fails(&found, Worse::Slower, 0.5), times);
    assert!(fails(&found, Worse::Slower, 1.2).is_empty());
    // Two answers in place of three.
    assert_eq!(fails(&found, Worse::RateLower, 0.3), ["month answers"]);
    assert!(fails(&found, Worse::RateLower, 0.4).is_empty());
    assert!(matches!(found.fail_if_slower(0.1), Gate::Slower { .. }));
}

#[test]
fn few_rounds_of_questions_settle_nothing() {
    let few = Drawn { rounds: 3, ..DRAWN };
    let slower = Drawn {
        answers: &[4.0, 4.2],
        ..few
    };
    let found = Between::of_measured(&few.load(), &slower.load(), None);
    assert_eq!(found.count(Shown::CannotTell), 16, "{:?}", found.changes);
    assert!(fails(&found, Worse::Slower, 0.1).is_empty());
    assert!(matches!(found.fail_if_slower(0.1), Gate::CannotTell { .. }));
}

#[test]
fn figures_of_other_questions_are_not_compared() {
    let other = Drawn {
        sql: "SELECT 2",
        ..DRAWN
    };
    let found = Between::of_measured(&DRAWN.load(), &other.load(), None);
    assert_eq!(found.changes.len(), 9, "{:?}", found.changes);
    assert_eq!(absent(&found), all_of_questions(Unknown::NoQuestion));
    assert_eq!(found.cautions[0], Caution::Questions);
    let told: Vec<String> = found.cautions.iter().map(ToString::to_string).collect();
    assert_eq!(
        told[1],
        "questions beside the load: A has month: SELECT 1, answered by the design itself, \
         B month: SELECT 2, answered by the design itself"
    );
}

#[test]
fn a_query_of_the_workload_with_other_parameters_is_another_question() {
    let with_text = |text: &str| Measured {
        workload_text: format!("[[queries]]\nname = \"month\"\nsql = \"{text}\""),
        ..DRAWN.load()
    };
    assert!(with_text("x").asks_the_same_as(&with_text("x")));
    assert!(!with_text("x").asks_the_same_as(&with_text("y")));
    assert!(plain().asks_the_same_as(&plain()) && !plain().asks_the_same_as(&DRAWN.load()));
}

#[test]
fn a_load_without_questions_lacks_their_figures() {
    let found = Between::of_measured(&DRAWN.load(), &plain(), None);
    assert_eq!(absent(&found), all_of_questions(Unknown::NoQuestion));
    let slower = FailIf {
        worse: Worse::Slower,
        limit: 0.1,
    };
    let Failing::NotComparable { why } = found.fail_if(&[slower]) else {
        panic!("{found:?}");
    };
    assert_eq!(
        why[0],
        "B does not measure read p50 with questions with a/x"
    );
    // Those that both have can be asked for.
    let only = Some(vec!["read p99".to_owned()]);
    let found = Between::of_measured(&DRAWN.load(), &plain(), only);
    assert_eq!(found.fail_if(&[slower]), Failing::NotShown { open: 0 });
    // What only B has is no loss.
    let found = Between::of_measured(&plain(), &DRAWN.load(), None);
    assert_eq!((absent(&found), changed(&found).len()), (Vec::new(), 9));
}

#[test]
fn a_round_without_an_answer_leaves_time_and_number_of_answers_unknown() {
    let silent = Drawn {
        silent: Some(2),
        ..DRAWN
    };
    let found = Between::of_measured(&DRAWN.load(), &silent.load(), None);
    let lost = |name: &str| (name.to_owned(), Unknown::NotMeasured);
    assert_eq!(
        absent(&found),
        [lost("month answers"), lost("month answer p50")]
    );
    assert!(matches!(found.fail_if_slower(9.0), Gate::CannotTell { .. }));
}

#[test]
fn figures_of_designs_that_answer_are_compared_by_their_names() {
    let one = Drawn {
        answering: &["files"],
        ..DRAWN
    };
    let two = Drawn {
        answering: &["columns", "files"],
        answers: &[4.0, 4.2],
        ..DRAWN
    };
    let found = Between::of_measured(&one.load(), &two.load(), None);
    let by_files = WITH_QUESTIONS.map(|name| format!("{name} by files"));
    assert_eq!(changed(&found)[9..], by_files);
    assert!(absent(&found).is_empty(), "{:?}", found.absent);
    assert_eq!(
        fails(&found, Worse::Slower, 0.5),
        ["month answer p50 by files"]
    );
    let told: Vec<String> = found.cautions.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "questions beside the load: A has month: SELECT 1, answered by files, \
             B month: SELECT 1, answered by columns and by files"
        ]
    );
    // What only A has is missing in B.
    let found = Between::of_measured(&two.load(), &one.load(), None);
    let lost = |name: &str| (format!("{name} by columns"), Unknown::NotMeasured);
    assert_eq!(absent(&found), WITH_QUESTIONS.map(lost));
    let counted = "read p99 with questions to without by columns";
    let counted = found.counted.iter().find(|found| found.what == counted);
    assert!(counted.is_some_and(|c| c.a.is_some() && c.b.is_none()));
}
