//! Decisions as a run would make them: one of realistic size, one in which everything is large, and one
//! that recommends nothing.

use bakeoff_stats::decide::*;

const RESAMPLES: usize = 200;
const GIB: f64 = 1_073_741_824.0;

/// Deviates between -1 and 1 that are the same in every program.
fn deviate(seed: usize, index: usize) -> f64 {
    let x = (seed as f64 * 12.9898 + index as f64 * 78.233).sin() * 43_758.545_3;
    2.0 * (x - x.floor()) - 1.0
}

/// A figure with errors of this relative size.
fn figure(point: f64, error: f64, seed: usize) -> Figure {
    let resample = |index: usize| point * (1.0 + error * deviate(seed, index));
    Figure::resampled(point, (0..RESAMPLES).map(resample).collect())
}

fn answer(measured: f64, seconds: f64, class: AnswerClass, seed: usize) -> Answer {
    Answer {
        class,
        time: Timed::Seconds(figure(seconds, 0.12, seed)),
        was_right: true,
        measured: Some(measured),
        quantiles: Vec::new(),
        basis: "5 scales, held-out error 8%".to_owned(),
    }
}

fn rule() -> Rule {
    Rule {
        is_stated: true,
        minimise: Minimise::Time,
        has_weights: true,
        limits: vec![
            Limit {
                text: "month < 50ms".to_owned(),
                of: LimitOf::Question {
                    index: 2,
                    quantile: None,
                },
                bound: 0.05,
            },
            Limit {
                text: "storage < 2TiB".to_owned(),
                of: LimitOf::Storage,
                bound: 2048.0 * GIB,
            },
        ],
        same_within: 0.05,
        baseline: Some("cassandra/wide".to_owned()),
    }
}

/// GiB, rows a second, and milliseconds of each question at the full scale.
const EVENTS: [(&str, f64, f64, [f64; 5]); 7] = [
    (
        "cassandra/narrow",
        2.31,
        18_600.0,
        [19_000.0, 25_100.0, 19_800.0, 20_400.0, 20_100.0],
    ),
    (
        "cassandra/wide",
        2.44,
        10_840.0,
        [17_100.0, 22_200.0, 22.0, 18_300.0, 17_900.0],
    ),
    (
        "cassandra/columnar",
        0.74,
        108_000.0,
        [2.9, 137.0, 9.1, 44.0, 65.0],
    ),
    (
        "cassandra/columnar?profile=compact",
        0.60,
        81_000.0,
        [3.1, 171.0, 8.9, 61.0, 83.0],
    ),
    (
        "local/columnar",
        0.72,
        187_000.0,
        [1.2, 96.0, 4.7, 43.0, 38.0],
    ),
    (
        "parquet?codec=zstd",
        0.67,
        353_000.0,
        [1.2, 76.0, 5.8, 71.0, 52.0],
    ),
    ("memory", 4.1, 2_900_000.0, [0.4, 91.0, 3.1, 19.0, 18.0]),
];

/// Seven designs and five questions: one from metadata, one limit that is kept, one design that loses rows.
pub fn events() -> DecisionInput {
    let designs = EVENTS
        .iter()
        .enumerate()
        .map(|(index, (id, gib, rate, times))| Contender {
            id: (*id).to_owned(),
            status: match *id {
                "memory" => Status::Yardstick,
                _ => Status::Right,
            },
            rows_lost: if *id == "cassandra/narrow" { 1_091 } else { 0 },
            keeps_rows_if: Some("add a column to order_key that tells them apart".to_owned()),
            storage: Some(figure(3.0 * gib * GIB, 0.02, index)),
            settled: None,
            load: Some(figure(*rate, 0.06, 100 + index)),
            month: None,
            is_month_least: false,
            troubles: Vec::new(),
            answers: { times.iter().enumerate() }
                .map(|(question, milliseconds)| {
                    let class = match (question, *milliseconds < 5.0) {
                        (0, true) => AnswerClass::FromMetadata,
                        (2, _) => AnswerClass::ByKey,
                        _ => AnswerClass::Scan,
                    };
                    let seconds = milliseconds / 1e3;
                    answer(seconds / 9.0, seconds, class, 200 + 10 * index + question)
                })
                .collect(),
        });
    let questions = [
        ("scan", 10.0),
        ("tone_by_actor", 5.0),
        ("month", 50.0),
        ("usa", 10.0),
        ("albania", 25.0),
    ];
    DecisionInput {
        rule: rule(),
        rows: 4_160_000,
        full_rows: 4_160_000,
        measured_rows: 520_000,
        copies: 3,
        questions: { questions.iter() }
            .map(|(name, weight)| Question {
                name: (*name).to_owned(),
                weight: *weight,
                asked_of: None,
            })
            .collect(),
        designs: designs.collect(),
        price: None,
        rounds: 12,
        seconds_a_round: Some(9.0),
        noise: Noise {
            smallest_difference: vec![Some(0.08), Some(0.12), Some(0.31), Some(0.1), None],
            twins: Some(0.06),
            tables: Vec::new(),
        },
        known_rows: Some(KnownRows {
            from: 65_000,
            to: 900_000_000,
            beyond: Some("a node's 64 GiB no longer hold the table".to_owned()),
        }),
        no_forecast: None,
        no_month: None,
        dropped_in_vain: Vec::new(),
        forecasts: None,
        not_measured: vec![
            "a cold cache".to_owned(),
            "a network".to_owned(),
            "updates".to_owned(),
        ],
    }
}

/// Forty designs and sixty questions with long names in several scripts.
pub fn crowd() -> DecisionInput {
    let mut input = events();
    let design = |index: usize| {
        let id = format!(
            "cassandra/wide-日本語?bucket=1d&chunk={index}KiB&compressor=Zstd&a_long_setting=données"
        );
        let mut contender = input.designs[index % 6].clone();
        contender.id = id;
        contender.rows_lost = if index % 7 == 3 { 12 } else { 0 };
        contender.month = Some(figure(900.0 + 13.0 * index as f64, 0.05, 300 + index));
        contender.answers = (0..60)
            .map(|question| {
                let seconds = 0.002 * (1.0 + (index * (question + 3) % 17) as f64);
                answer(
                    seconds / 4.0,
                    seconds,
                    AnswerClass::Scan,
                    index * 60 + question,
                )
            })
            .collect();
        if index == 5 {
            contender.status = Status::Failed("a reason of many lines\n".repeat(40));
        }
        if index == 9 {
            contender.answers[4].time = Timed::Unknown("needs 12,000,000 rows".to_owned());
        }
        contender
    };
    let designs = (0..40).map(design).collect();
    input.questions = (0..60)
        .map(|index| Question {
            name: format!("a_question_with_a_name_that_is_very_long_indeed_{index}"),
            weight: 1.0 + index as f64,
            asked_of: None,
        })
        .collect();
    input.designs = designs;
    input.noise.smallest_difference = vec![Some(0.2); 60];
    input.not_measured = vec!["something with a long description".to_owned(); 30];
    input.price = Some(StoragePrice {
        currency: "EUR".to_owned(),
        gib_month: 0.1,
    });
    let limit = |index: usize| Limit {
        text: format!("a_question_with_a_name_that_is_very_long_indeed_{index} p99.9 < 50ms"),
        of: LimitOf::Question {
            index,
            quantile: None,
        },
        bound: 0.05,
    };
    input.rule.limits = (0..30).map(limit).collect();
    input.rule.baseline = Some(input.designs[2].id.clone());
    input
}

/// Every design fails.
pub fn nothing() -> DecisionInput {
    let mut input = events();
    for design in &mut input.designs {
        design.status = Status::Failed("out of disk".to_owned());
    }
    input
}

/// Two designs that the noise does not tell apart.
pub fn not_settled() -> DecisionInput {
    let mut input = events();
    input.measured_rows = input.rows;
    for (question, answer) in input.designs[5].answers.iter_mut().enumerate() {
        let seconds = EVENTS[4].3[question] / 1e3 * 1.02;
        answer.time = Timed::Seconds(figure(seconds, 0.2, 900 + question));
    }
    input
}
