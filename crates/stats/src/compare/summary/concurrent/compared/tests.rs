use super::*;
use crate::CpuSeconds;
use crate::compare::testing::run;
use crate::compare::{Concurrent, ConcurrentQuery, Record};
use crate::random::SplitMix64;
use crate::rounds::Difference;

const TURNS: u32 = 7;
/// Deviation of the logarithm of a single time.
const NOISE: f64 = 0.3;

/// Makes the record of a turn with these times in seconds of the queries `scan` and `key`.
fn asked(design: &str, turn: Option<u32>, scan: &[f64], key: &[f64]) -> Record {
    let query = |name: &str, seconds: &[f64]| ConcurrentQuery {
        query: name.to_owned(),
        nanoseconds: seconds.iter().map(|s| (s * 1e9) as u64).collect(),
        seconds: None,
        agreed: None,
    };
    Record::Concurrent(Box::new(Concurrent {
        design: design.to_owned(),
        turn,
        clients: 4,
        permutations: 1,
        seconds: 1.0,
        cpu: CpuSeconds::default(),
        queries: vec![query("scan", scan), query("key", key)],
        bad: Vec::new(),
        unfinished: Vec::new(),
    }))
}

/// Makes the turns of two designs, of which `a/y` takes `slower` times as long. What a turn has in common
/// is a drift of the machine, and the slower design answers fewer questions.
fn simulated(slower: f64, seed: u64) -> Summary {
    let mut random = SplitMix64::new(seed);
    let mut records = Vec::new();
    let mut drift = 0.0;
    for turn in 0..TURNS {
        drift += 0.2 * random.normal();
        for (design, times) in [("a/x", 1.0), ("a/y", slower)] {
            let mut answers = |seconds: f64, count: usize| -> Vec<f64> {
                let mut one = || seconds * times * (drift + NOISE * random.normal()).exp();
                (0..count).map(|_| one()).collect()
            };
            let count = (12.0 / times) as usize;
            let (scan, key) = (answers(0.1, count), answers(0.01, count));
            records.push(asked(design, Some(turn), &scan, &key));
        }
    }
    Summary::from_records(&run(records)).unwrap()
}

fn compared(summary: &Summary) -> &ConcurrentComparison {
    summary.concurrent.as_ref().unwrap()
}

fn is_called_different(summary: &Summary) -> bool {
    let compared = compared(summary);
    let mix = compared.equal_mix.iter().flat_map(|mix| &mix.designs);
    let all = compared
        .queries
        .iter()
        .flat_map(|query| &query.designs)
        .chain(mix);
    let differs = |d: &AgainstBest| matches!(d.difference, Difference::Slower | Difference::Faster);
    all.into_iter().any(differs)
}

#[test]
fn equal_designs_are_seldom_called_different() {
    let called = (0..400).filter(|seed| is_called_different(&simulated(1.0, *seed)));
    // 5% would be 20; designs are the same within 5% of each other, so that it is less.
    let called = called.count();
    assert!(called <= 20, "{called}");
}

#[test]
fn a_design_that_takes_twice_as_long_is_found_with_half_of_the_answers_per_second() {
    let mut ratios = Vec::new();
    for seed in 0..100 {
        let summary = simulated(2.0, seed);
        let slow = compared(&summary).of_mix("a/y").unwrap();
        ratios.extend((slow.difference == Difference::Slower).then_some(slow.ratio));
    }
    assert!(ratios.len() >= 95, "{}", ratios.len());
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    assert!((0.47..0.53).contains(&mean), "{mean}");
}

#[test]
fn throughput_is_that_of_an_equal_mix_whatever_was_answered() {
    // Little's law: 4 clients, and 0.1 s and 0.3 s in the mean.
    let few = asked("a/x", None, &[0.1; 5], &[0.3; 500]);
    let many = asked("a/y", None, &[0.1; 500], &[0.3; 5]);
    let summary = Summary::from_records(&run([few, many])).unwrap();
    for design in ["a/x", "a/y"] {
        let asked = summary.design(design).unwrap().concurrent.as_ref().unwrap();
        assert!((asked.equal_mix.unwrap() - 20.0).abs() < 1e-6, "{design}");
    }
    assert!((compared(&summary).of_mix("a/y").unwrap().ratio - 1.0).abs() < 1e-6);
}

#[test]
fn without_five_answers_of_each_query_there_is_no_throughput() {
    let four = asked("a/x", None, &[0.1; 4], &[0.3; 500]);
    let enough = asked("a/y", None, &[0.1; 5], &[0.3; 5]);
    let summary = Summary::from_records(&run([four, enough])).unwrap();
    let of = |design: &str| summary.design(design)?.concurrent.as_ref()?.equal_mix;
    assert_eq!((of("a/x"), of("a/y").is_some()), (None, true));
    assert_eq!(compared(&summary).equal_mix, None);
}

#[test]
fn a_query_that_only_one_design_was_asked_is_of_the_mix_for_all() {
    let Record::Concurrent(mut part) = asked("a/x", None, &[0.1; 9], &[]) else {
        unreachable!("it was made as one");
    };
    part.queries.pop();
    let whole = asked("a/y", None, &[0.1; 9], &[0.1; 9]);
    let summary = Summary::from_records(&run([Record::Concurrent(part), whole])).unwrap();
    let of = |design: &str| summary.design(design)?.concurrent.as_ref()?.equal_mix;
    assert_eq!((of("a/x"), of("a/y").is_some()), (None, true));
}

#[test]
fn below_five_turns_nothing_is_called_a_difference() {
    let turns = |turns: u32| {
        let of_turn = |turn| {
            let slow = asked("a/y", Some(turn), &[1.0; 5], &[1.0; 5]);
            [asked("a/x", Some(turn), &[0.1; 5], &[0.1; 5]), slow]
        };
        Summary::from_records(&run((0..turns).flat_map(of_turn))).unwrap()
    };
    assert!(!is_called_different(&turns(4)));
    assert!(is_called_different(&turns(5)));
    let four = turns(4);
    let slow = compared(&four).design("scan", "a/y").unwrap();
    assert_eq!(
        (slow.difference, slow.interval),
        (Difference::NotSettled, None)
    );
    assert!((slow.ratio - 10.0).abs() < 1e-6);
}

#[test]
fn a_query_that_is_asked_alone_is_compared_by_its_rate_and_there_is_no_mix() {
    let alone = |design: &str, turn: u32, answers: usize| {
        let Record::Concurrent(mut asked) = asked(design, Some(turn), &[0.1; 9], &[0.1; 9]) else {
            unreachable!("it was made as one");
        };
        for query in &mut asked.queries {
            query.nanoseconds.truncate(answers);
            query.seconds = Some(1.0);
        }
        Record::Concurrent(asked)
    };
    let of_turn = |turn| [alone("a/x", turn, 8), alone("a/y", turn, 4)];
    let summary = Summary::from_records(&run((0..TURNS).flat_map(of_turn))).unwrap();
    let compared = compared(&summary);
    assert_eq!(compared.equal_mix, None);
    assert_eq!(compared.rates.len(), 2);
    let slow = compared.rate_of("scan", "a/y").unwrap();
    assert!((slow.ratio - 0.5).abs() < 1e-9);
    assert_eq!(slow.difference, Difference::Slower);
    // Their mean times are the same.
    let same = compared.design("scan", "a/y").unwrap();
    assert!((same.ratio - 1.0).abs() < 1e-9);
    let asked = summary.design("a/x").unwrap().concurrent.as_ref().unwrap();
    assert_eq!(asked.equal_mix, None);
    // What one query gets alone checks no forecast for users who ask all of them.
    assert!(summary.check_users().checked.is_empty());
}

#[test]
fn a_record_of_an_earlier_version_is_a_single_turn() {
    let old = r#"{"record":"concurrent","design":"a/x","clients":4,"permutations":3,"seconds":1.5,
        "cpu":{"client":0.5,"server":null},
        "queries":[{"query":"scan","nanoseconds":[1000,2000]}],"bad":[]}"#;
    let record: Record = serde_json::from_str(old).unwrap();
    let summary = Summary::from_records(&run([record])).unwrap();
    let asked = summary.design("a/x").unwrap().concurrent.as_ref().unwrap();
    assert_eq!((asked.turns, asked.permutations), (1, 3));
    assert!(!is_called_different(&summary));
}
