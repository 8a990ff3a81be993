use super::*;
use crate::compare::ConcurrentQuery;

fn bad(query: &str, questions: u32, outcome: Outcome) -> BadQuestions {
    BadQuestions {
        query: query.to_owned(),
        questions,
        permutation: 3,
        outcome,
    }
}

fn answered_in(query: &str, milliseconds: impl Iterator<Item = u64>) -> ConcurrentQuery {
    ConcurrentQuery {
        query: query.to_owned(),
        nanoseconds: milliseconds.map(|ms| ms * 1_000_000).collect(),
        seconds: None,
        agreed: None,
    }
}

/// Makes 200 right answers in 4 s, of 1 to 200 ms, the slowest first.
fn asked() -> Concurrent {
    let difference = "row 1".to_owned();
    let reason = "refused".to_owned();
    Concurrent {
        design: "a".to_owned(),
        turn: None,
        clients: 4,
        permutations: 100,
        seconds: 4.0,
        cpu: CpuSeconds {
            client: 1.0,
            server: Some(3.0),
            in_ticks: false,
        },
        queries: vec![
            answered_in("odd", (0..100).rev().map(|n| 2 * n + 1)),
            answered_in("even", (2..=200).step_by(2)),
        ],
        bad: vec![
            bad("odd", 2, Outcome::Wrong { difference }),
            bad("even", 1, Outcome::Error { reason }),
        ],
        unfinished: Vec::new(),
    }
}

/// Makes the turn of this number with these answers of 10 ms to `odd`.
fn turn(number: u32, answers: u64) -> Concurrent {
    Concurrent {
        turn: Some(number),
        queries: vec![answered_in("odd", (0..answers).map(|_| 10))],
        ..asked()
    }
}

#[test]
fn percentiles_are_values_that_were_measured() {
    let summary = summary(&[asked()]).unwrap();
    let all = &summary.all;
    assert_eq!((all.answered, all.per_second), (200, 50.0));
    assert!((all.mean.unwrap() - 0.1005).abs() < 1e-12);
    assert_eq!((all.p50, all.p99), (Some(0.1), Some(0.198)));
    assert_eq!(all.slowest, Some(0.2));
    let odd = summary.query("odd").unwrap();
    assert_eq!((odd.p50, odd.p99), (Some(0.099), Some(0.197)));
}

#[test]
fn wrong_and_missing_answers_are_counted_and_reported_but_not_timed() {
    let summary = summary(&[asked()]).unwrap();
    let bad = |f: &ConcurrentFigures| (f.answered, f.wrong, f.failed);
    assert_eq!(bad(&summary.all), (200, 2, 1));
    assert_eq!(bad(summary.query("odd").unwrap()), (100, 2, 0));
    let reasons = |turns: &[Concurrent]| -> Vec<String> {
        failures(turns).into_iter().map(|f| f.reason).collect()
    };
    assert_eq!(
        reasons(&[asked()]),
        [
            "no answer: refused (1 question of 4 clients)",
            "wrong answer: row 1 (2 questions of 4 clients)"
        ]
    );
    // What went wrong in two turns is one failure.
    assert_eq!(
        reasons(&[asked(), asked()]),
        [
            "no answer: refused (2 questions of 4 clients)",
            "wrong answer: row 1 (4 questions of 4 clients)"
        ]
    );
}

#[test]
fn few_answers_have_no_p99_and_none_have_no_times() {
    let mut asked = asked();
    asked.queries[0].nanoseconds.pop();
    asked.queries[1].nanoseconds.clear();
    let summary = summary(&[asked]).unwrap();
    let odd = summary.query("odd").unwrap();
    assert_eq!((odd.p99, odd.slowest), (None, Some(0.199)));
    let even = summary.query("even").unwrap();
    assert_eq!((even.mean, even.p50, even.slowest), (None, None, None));
}

#[test]
fn turns_are_added_up_and_those_without_an_answer_are_none() {
    let summary = summary(&[turn(0, 3), turn(1, 0), turn(2, 1)]).unwrap();
    assert_eq!((summary.turns, summary.permutations), (2, 300));
    assert_eq!((summary.seconds, summary.all.answered), (12.0, 4));
    let turns: Vec<u32> = summary.all.turns.iter().map(|(turn, _)| *turn).collect();
    assert_eq!(turns, [0, 2]);
    // 3 turns with 1 s of the client and 3 s of the server.
    let cpu = summary.cpu_per_answer.unwrap();
    assert_eq!((cpu.client, cpu.server), (0.75, Some(2.25)));
    // 4 answers of 10 ms in 12 s.
    assert!((summary.in_flight.unwrap() - 0.04 / 12.0).abs() < 1e-12);
}

/// Makes a turn in which `odd` was asked alone for 2 s and answered this often, and `even` for 1 s once.
fn alone(number: u32, answers: u64) -> Concurrent {
    let of = |query: &str, answers: u64, seconds: f64| ConcurrentQuery {
        seconds: Some(seconds),
        ..answered_in(query, (0..answers).map(|_| 10 * u64::from(number + 1)))
    };
    Concurrent {
        turn: Some(number),
        seconds: 3.0,
        queries: vec![of("odd", answers, 2.0), of("even", 1, 1.0)],
        bad: Vec::new(),
        ..asked()
    }
}

#[test]
fn answers_to_a_query_that_is_asked_alone_are_by_the_time_in_which_it_was() {
    let summary = summary(&[alone(0, 4), alone(1, 0), alone(2, 8)]).unwrap();
    assert!(summary.one_query_at_a_time);
    let odd = summary.query("odd").unwrap();
    assert_eq!((odd.answered, odd.per_second), (12, 2.0));
    // The turn without an answer has no rate.
    assert_eq!(odd.rates, [(0, 2.0), (2, 4.0)]);
    assert_eq!(odd.rate_of_turns.unwrap().median, 3.0);
    assert!((odd.mean_of_turns.unwrap().median - 0.02).abs() < 1e-12);
    assert_eq!(summary.query("even").unwrap().per_second, 1.0);
    assert_eq!(summary.all.per_second, 15.0 / 9.0);
}

#[test]
fn queries_that_are_asked_in_permutations_have_no_rate_of_their_own() {
    let summary = summary(&[turn(0, 3), turn(1, 3)]).unwrap();
    assert!(!summary.one_query_at_a_time);
    let odd = summary.query("odd").unwrap();
    assert!(odd.rates.is_empty() && odd.rate_of_turns.is_none());
    assert_eq!(odd.mean_of_turns.unwrap().observations, 2);
}

#[test]
fn a_design_that_was_not_asked_has_no_figures() {
    assert_eq!(summary(&[]), None);
    let none = summary(&[turn(0, 0)]).unwrap();
    assert_eq!(
        (none.turns, none.cpu_per_answer, none.in_flight),
        (0, None, None)
    );
}
