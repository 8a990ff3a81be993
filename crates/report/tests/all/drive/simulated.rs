//! What reports of simulated loads say of differences.

use bakeoff_report::drive::html;
use bakeoff_report::drive::terminal::render;
use bakeoff_stats::decide::{Minimise, Rule};
use bakeoff_stats::drive::{DriveDesign, DriveSummary, TrialSummary};
use bakeoff_stats::{AgainstBest, Difference, Estimate, FailureKind};

use super::read::{COMPARISON, compared, verdict};

/// Makes a load on designs of these names with these operations per second, one of each round.
/// Response times are in inverse proportion.
pub fn load(designs: &[(&str, Vec<f64>)]) -> DriveSummary {
    let mut summary = COMPARISON.clone();
    let (info, figures) = (
        summary.designs[0].info.clone(),
        summary.designs[0].figures.clone(),
    );
    (summary.trials, summary.designs) = (Vec::new(), Vec::new());
    for (id, rates) in designs {
        let first = summary.trials.len() as u32 + 1;
        let trials: Vec<TrialSummary> = (0..)
            .zip(rates)
            .map(|(round, rate)| trial(first + round, id, 1 + round, *rate))
            .collect();
        let p99 = |operation: usize| {
            let times = trials
                .iter()
                .map(|t| t.figures.operations[operation].response);
            let times: Vec<f64> = times.map(|response| response.unwrap().p99).collect();
            Estimate::from_samples(&times)
        };
        let mut info = info.clone();
        (*id).clone_into(&mut info.id);
        let mut figures = figures.clone().unwrap();
        for operation in &mut figures.operations {
            operation.failures.clear();
        }
        summary.designs.push(DriveDesign {
            info,
            trials: trials.iter().map(|t| t.start.trial).collect(),
            figures: Some(figures),
            rate: Estimate::from_samples(rates),
            response_p99: vec![p99(0), p99(1)],
            ..COMPARISON.designs[0].clone()
        });
        summary.trials.extend(trials);
    }
    let infos = summary.designs.iter().map(|d| d.info.clone());
    summary.header.designs = infos.collect();
    compared(&summary)
}

fn trial(number: u32, design: &str, round: u32, rate: f64) -> TrialSummary {
    let mut trial = COMPARISON.trials[0].clone();
    trial.start.trial = number;
    design.clone_into(&mut trial.start.design);
    trial.start.round = round;
    trial.end.as_mut().unwrap().trial = number;
    trial.figures.ops_per_second = rate;
    for operation in &mut trial.figures.operations {
        operation.count = 9_000;
        operation.failures.clear();
        let response = operation.response.as_mut().unwrap();
        response.p50 *= 500.0 / rate;
        response.p99 *= 500.0 / rate;
    }
    trial
}

/// Makes the same load at a fixed rate.
fn at_a_rate(summary: &DriveSummary) -> DriveSummary {
    let mut summary = summary.clone();
    "500 ops/s".clone_into(&mut summary.header.schedule);
    for trial in &mut summary.trials {
        trial.start.scheduled_rate = Some(500.0);
        let end = trial.end.as_mut().unwrap();
        end.rate_reached = end.scheduled as f64 / end.seconds;
    }
    compared(&summary)
}

/// Returns a number from -1 to 1 that depends on all of these.
fn noise(numbers: [u64; 3]) -> f64 {
    let mix = |hash: u64, number: &u64| {
        let hash = (hash ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^ (hash >> 29)
    };
    let hash = numbers
        .iter()
        .fold(0x5EED, mix)
        .wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (hash >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn rates(seed: u64, design: u64, rounds: u64, truth: f64, spread: f64) -> Vec<f64> {
    let of = |round| {
        let common = 0.3 * noise([seed, 99, round]);
        truth * (common + spread * noise([seed, design, round])).exp()
    };
    (0..rounds).map(of).collect()
}

/// Returns what the first sentence says of a design: the label of the list that names it.
fn label<'a>(sentence: &'a str, design: &str) -> Option<&'a str> {
    let part = sentence.split("; ").find(|part| {
        let mut words = part.split([' ', ',']);
        words.any(|word| word == design)
    });
    part?.split(": ").next()
}

fn expected(against: &AgainstBest) -> &'static str {
    match against.difference {
        Difference::Best => "is the best",
        Difference::Same => "the same within 5%",
        Difference::Slower => "slower",
        Difference::Faster => "none is faster than the best",
        Difference::NotSettled if against.ratio == 1.0 => "is ahead, not settled",
        Difference::NotSettled => "not settled",
    }
}

#[test]
fn the_verdict_says_of_each_design_what_the_comparison_does_and_no_more() {
    let mut seen = Vec::new();
    for seed in 0..60 {
        let rounds = [5, 7, 12][seed as usize % 3];
        let spread = [0.005, 0.03, 0.1][seed as usize / 3 % 3];
        let truths = [("a/x", 500.0), ("a/y", 495.0), ("a/z", 430.0)];
        let designs = (0..).zip(truths);
        let designs: Vec<_> = designs
            .map(|(n, (id, truth))| (id, rates(seed, n, rounds, truth, spread)))
            .collect();
        let closed = load(&designs);
        for summary in [at_a_rate(&closed), closed] {
            let text = verdict(&summary);
            let sentence = text.split(". Response times").next().unwrap();
            for against in &summary.comparison.main().unwrap().designs {
                let said = label(sentence, &against.design).unwrap();
                assert!(said.ends_with(expected(against)), "{against:?}\n{sentence}");
                seen.push(expected(against));
            }
        }
    }
    for word in [
        "is the best",
        "the same within 5%",
        "slower",
        "not settled",
        "is ahead, not settled",
    ] {
        assert!(seen.contains(&word), "{word} did not occur");
    }
}

#[test]
fn designs_that_differ_in_one_setting_have_lines_over_its_values() {
    let heading = "<h2>chunk of cassandra/wide</h2>";
    let rates = |rate: f64| -> Vec<f64> {
        let rounds = 0..7_u32;
        rounds
            .map(|n| rate * (1.0 + f64::from(n) / 1000.0))
            .collect()
    };
    let designs: [(&str, Vec<f64>); 3] = [
        ("cassandra/wide?chunk=64KiB", rates(250.0)),
        ("cassandra/wide?chunk=4KiB", rates(500.0)),
        ("cassandra/wide?chunk=16KiB", rates(400.0)),
    ];
    let closed = load(&designs);
    let section = |summary: &DriveSummary| {
        let page = html::render(summary);
        let (_, section) = page.split_once(heading).unwrap();
        section.split("</section>").next().unwrap().to_owned()
    };
    let of_closed = section(&closed);
    // Rates, the p99 of two operations, and bytes of storage.
    assert_eq!(of_closed.matches("<svg ").count(), 4, "{of_closed}");
    assert!(of_closed.contains("Operations a second by chunk of cassandra/wide"));
    let caption = "<figcaption>4KiB best, 16KiB 0.80×, 64KiB 0.50×</figcaption>";
    assert!(of_closed.contains(caption), "{of_closed}");
    assert!(of_closed.contains("<figcaption>4KiB best, 16KiB 1.25×, 64KiB 2.0×</figcaption>"));
    // At a rate all do the same number of operations.
    let of_rate = section(&at_a_rate(&closed));
    assert_eq!(of_rate.matches("<svg ").count(), 3, "{of_rate}");
    assert!(!of_rate.contains("Operations a second by chunk"));
    let two = load(&designs[..2]);
    assert!(
        !html::render(&two).contains(heading),
        "two values are no line"
    );
}

#[test]
fn below_five_rounds_nothing_is_called_a_difference() {
    for rounds in [1, 4] {
        let designs = [("a/x", 900.0), ("a/y", 100.0), ("a/z", 90.0)];
        let closed = load(&designs.map(|(id, rate)| (id, vec![rate; rounds])));
        for summary in [at_a_rate(&closed), closed] {
            let text = verdict(&summary);
            let round = if rounds == 1 { "1 round" } else { "4 rounds" };
            let why =
                format!("; {round} in common cannot show a difference: repeat it with --rounds 7.");
            assert!(text.contains("a/x is ahead, not settled: "), "{text}");
            assert!(text.contains(&why), "{text}");
            let all = render(&summary, 250, false);
            for word in [
                "slower:",
                "the same within",
                "is the best",
                " less",
                " lowest",
                " highest",
            ] {
                assert!(!all.contains(word), "{word}\n{all}");
            }
            assert!(all.contains("best ?") && all.contains("× ?"), "{all}");
        }
    }
}

#[test]
fn equal_designs_are_the_same_or_level_and_never_ahead() {
    let designs = |rounds| load(&["a/x", "a/y"].map(|id| (id, vec![500.0; rounds])));
    let text = verdict(&designs(7));
    assert!(text.starts_with("a/x is the best: 500 ops/s"), "{text}");
    assert!(text.contains("; the same within 5%: a/y."), "{text}");
    let text = verdict(&designs(1));
    assert!(
        text.starts_with("a/x is level with the others, not settled: "),
        "{text}"
    );
}

#[test]
fn a_design_whose_server_ended_in_half_of_the_rounds_is_not_the_best_and_says_so() {
    let mut summary = load(&[
        ("a/x", rates(1, 0, 3, 500.0, 0.01)),
        ("a/y", rates(1, 1, 7, 300.0, 0.01)),
        ("a/z", rates(1, 2, 7, 200.0, 0.01)),
    ]);
    summary.designs[0]
        .failures
        .push("its server ended".to_owned());
    let text = verdict(&summary);
    assert!(text.starts_with("a/y is the best: "), "{text}");
    assert!(text.contains("not settled: a/x 1.6"), "{text}");
    assert!(
        text.contains(" ? (only 3 rounds in common); slower: a/z 0.6"),
        "{text}"
    );
    let ratio = "a/x does 4";
    let (_, fell_short) = text.split_once(ratio).unwrap();
    assert!(
        fell_short.contains("× ?), but it did not finish."),
        "{text}"
    );
}

#[test]
fn a_design_with_failures_is_faster_and_not_the_best() {
    let mut summary = load(&[
        ("a/x", rates(1, 0, 7, 500.0, 0.01)),
        ("a/y", rates(1, 1, 7, 300.0, 0.01)),
    ]);
    summary.designs[0].failures.clear();
    let failed = &mut summary.designs[0].figures.as_mut().unwrap().operations[0];
    failed.failures = vec![(FailureKind::TimedOut, 1)];
    let text = verdict(&summary);
    assert!(
        text.starts_with("a/y alone did all that was asked: "),
        "{text}"
    );
    assert!(
        text.contains("×), but it failed <0.01% of its operations."),
        "{text}"
    );
    assert!(!text.contains("slower"), "{text}");
}

#[test]
fn where_no_design_did_all_none_is_the_best() {
    let mut summary = load(&[("a/x", vec![500.0; 7]), ("a/y", vec![300.0; 7])]);
    for trial in &mut summary.trials {
        trial.end.as_mut().unwrap().unsent = 1;
    }
    let text = verdict(&summary);
    let expected = "No design did all that was asked, so none is called the best: a/x does 500 ops/s, \
                    but it left 7 operations unsent; a/y does 300 ops/s, but it left 7 operations unsent.";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn rounds_that_were_not_steady_ask_for_longer_loads() {
    let mut summary = load(&[("a/x", vec![500.0; 7]), ("a/y", vec![300.0; 7])]);
    for trial in &mut summary.trials[..3] {
        trial.steady = Some(false);
    }
    let text = verdict(&summary);
    let why = "4 rounds in common cannot show a difference, and others were not steady: repeat it \
               with a longer --for.";
    assert!(text.contains(why), "{text}");
    summary.trials[3].steady = Some(false);
    let text = verdict(&summary);
    assert!(
        text.starts_with("a/y alone did all that was asked: "),
        "{text}"
    );
    assert!(
        text.contains("but it was not steady in 4 of 7 rounds."),
        "{text}"
    );
}

#[test]
fn tables_have_the_ratios_to_the_best_and_to_todays() {
    let mut summary = load(&[
        ("a/x", rates(1, 0, 7, 500.0, 0.01)),
        ("a/y", rates(1, 1, 7, 250.0, 0.01)),
    ]);
    let text = render(&summary, 200, false);
    assert!(
        text.contains("“?” means not settled") && !text.contains("× today's"),
        "{text}"
    );
    summary.header.decide = Some(Rule {
        is_stated: true,
        minimise: Minimise::Time,
        has_weights: false,
        limits: Vec::new(),
        same_within: 0.05,
        baseline: Some("a/y".to_owned()),
    });
    let summary = compared(&summary);
    let main = summary.comparison.main().unwrap();
    let cell = |number: f64| format!("{number:.2}×");
    let text = render(&summary, 200, false);
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with(" a/"))
        .collect();
    let words = |row: &str| {
        row.split("  ")
            .map(|w| w.trim().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(words(rows[0]).contains(&"best".to_owned()), "{text}");
    assert!(words(rows[0]).contains(&"2.0×".to_owned()), "{text}");
    assert!(
        words(rows[1]).contains(&cell(main.designs[1].ratio)),
        "{text}"
    );
    let page = html::render(&summary);
    for part in [
        "× today&#39;s",
        "multiple of the best design&#39;s figure",
        " · 0.50×",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn designs_whose_rounds_have_too_few_operations_for_a_p99_are_not_compared() {
    let designs = ["a/x", "a/y", "a/z"].map(|id| (id, vec![500.0; 7]));
    let mut summary = at_a_rate(&load(&designs));
    let few = |trials: &mut [TrialSummary]| {
        let operations = trials.iter_mut().flat_map(|t| &mut t.figures.operations);
        operations.for_each(|operation| operation.count = 999);
    };
    few(&mut summary.trials[14..]);
    let text = verdict(&summary);
    assert!(
        text.starts_with("At 500 ops/s, a/x is the best: "),
        "{text}"
    );
    let without = "Not compared, with too few operations in a round for a p99: a/z.";
    assert!(text.contains(without), "{text}");
    few(&mut summary.trials);
    let text = verdict(&summary);
    let why = "Designs are not compared at 500 ops/s, since rounds have too few operations for a p99; \
               a longer --for has more: a/x has a p99 of ";
    assert!(text.starts_with(why), "{text}");
}
