//! A decision for tests, the options of its command, and measurements that came to their end.

use std::path::Path;

use bakeoff_stats::decide::{Certainty, Decision, Minimise, Recommendation, Rule};
use clap::Parser;

use super::Decide;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    decide: Decide,
}

/// Returns the options that these words behind `bakeoff decide` say.
pub fn decide(words: &[&str]) -> Decide {
    let line = ["decide"].iter().chain(words);
    Line::try_parse_from(line).unwrap().decide
}

/// Makes a folder with the log of a measurement of an earlier version that came to its end: `comparison` is of eight
/// designs and 20,000 rows, and `drive` of `cassandra/wide` and `cassandra/narrow`.
pub fn ended_in(folder: &Path, kind: &str) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runs");
    let log = match kind {
        "drive" => "drive.jsonl",
        _ => "journal.jsonl",
    };
    std::fs::create_dir_all(folder).unwrap();
    std::fs::copy(fixtures.join(kind).join(log), folder.join(log)).unwrap();
}

/// Returns a decision by 205,000 of 7,324,550 rows.
pub fn decision() -> Decision {
    Decision {
        rule: Rule {
            is_stated: false,
            minimise: Minimise::Time,
            has_weights: false,
            limits: Vec::new(),
            same_within: 0.05,
            baseline: None,
        },
        rows: 205_000,
        measured_rows: 205_000,
        full_rows: 7_324_550,
        copies: 1,
        rounds: 5,
        price: None,
        recommendation: Some(Recommendation {
            design: "local/columnar".to_owned(),
            certainty: Certainty::NotSettled,
            doubts: Vec::new(),
            confidence: None,
            resamples: 0,
            expected_loss: None,
            runner_up: None,
            same: Vec::new(),
            is_nearest_to_limits: false,
            limits: Vec::new(),
            given_up: Vec::new(),
            to_baseline: Vec::new(),
            more: None,
        }),
        fallback: None,
        designs: Vec::new(),
        questions: Vec::new(),
        lost_everywhere: None,
        front: Vec::new(),
        front_not_shown: 0,
        flips: Vec::new(),
        known_rows: None,
        twins: None,
        no_forecast: Some("205,000 rows are too few".to_owned()),
        no_month: None,
        not_measured: Vec::new(),
        is_unfinished: false,
        forecasts: None,
    }
}
