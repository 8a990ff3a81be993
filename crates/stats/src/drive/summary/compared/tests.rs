use super::*;
use crate::Difference;
use crate::decide::{Minimise, Rule};
use crate::drive::testing::{DESIGN, OTHER_DESIGN, header, start};
use crate::drive::{DriveHeader, LoadFigures, NodeRequests, OperationFigures, Tally};
use crate::random::SplitMix64;

const DESIGNS: [&str; 3] = [DESIGN, OTHER_DESIGN, "a/z"];

/// Makes a load whose trials have these operations per second, a design's own list for each.
fn load(rates: &[&[f64]]) -> DriveSummary {
    let mut summary = DriveSummary {
        header: DriveHeader {
            designs: { DESIGNS.iter() }
                .map(|id| crate::DesignInfo {
                    id: (*id).to_owned(),
                    ..header().designs[0].clone()
                })
                .collect(),
            ..header()
        },
        designs: Vec::new(),
        ..crate::drive::testing::summary(crate::drive::testing::folder(&header(), |_| {}).path())
    };
    for (design, rates) in DESIGNS.iter().zip(rates) {
        let first = summary.trials.len() as u32;
        for (round, rate) in (1..).zip(*rates) {
            summary
                .trials
                .push(trial(first + round, design, round, *rate));
        }
        let trials = (1..=rates.len() as u32).map(|round| first + round);
        summary.designs.push(DriveDesign {
            info: { summary.header.designs.iter() }
                .find(|info| info.id == **design)
                .unwrap()
                .clone(),
            rows: None,
            load_seconds: None,
            footprint: None,
            footprint_after: None,
            trials: trials.collect(),
            figures: Some(figures(1_000.0)),
            rate: None,
            response_p99: vec![None; 2],
            probes: Vec::new(),
            found: Vec::new(),
            highest_rate: None,
            failures: Vec::new(),
        });
    }
    summary
}

fn trial(number: u32, design: &str, round: u32, rate: f64) -> TrialSummary {
    TrialSummary {
        start: start(number, design, round),
        end: Some(crate::drive::testing::end(number, 20.0, 20_000)),
        probe: None,
        pass: None,
        seconds: Vec::new(),
        warm_up_seconds: 0,
        steady: Some(true),
        duration: 20.0,
        figures: figures(rate),
    }
}

/// Makes figures whose response times are in inverse proportion to the rate.
fn figures(rate: f64) -> LoadFigures {
    let mut tally = Tally::default();
    tally.record((1e10 / rate.max(1.0)) as u64, 1_000);
    let operation = |name: &str| OperationFigures {
        count: 1_000,
        ..OperationFigures::new(name, &tally, [rate / 2.0; 3])
    };
    LoadFigures {
        seconds: 20.0,
        ops_per_second: rate,
        operations: vec![operation("read"), operation("insert")],
        client_cpu_micros_per_op: None,
        server_cpu_micros_per_op: None,
        server_cores: None,
        disk_read_per_op: None,
        disk_read_per_byte: None,
        disk_read_per_second: None,
        disk_written_per_second: None,
        compaction_read_per_second: None,
        compaction_written_per_second: None,
        gc_share: None,
        gc_per_second: None,
        allocated_per_second: None,
        device_reads_per_second: None,
        device_writes_per_second: None,
        device_queue: None,
        device_request_micros: None,
        chunk_cache_hits: None,
        key_cache_hits: None,
        row_cache_hits: None,
        local_reads: NodeRequests::default(),
        local_writes: NodeRequests::default(),
        coordinator_reads: NodeRequests::default(),
        coordinator_writes: NodeRequests::default(),
        resident_bytes: None,
        page_cache_bytes: None,
    }
}

fn main_of(summary: &DriveSummary) -> FigureComparison {
    LoadComparison::of(summary).main().unwrap().clone()
}

fn word(compared: &FigureComparison, design: &str) -> Difference {
    compared.design(design).unwrap().difference
}

/// Seven rates that differ from round to round, with an own noise of about a hundredth.
fn seven(rate: f64, shift: usize) -> Vec<f64> {
    let own = [0.0, 0.01, -0.01, 0.005, -0.005, 0.008, -0.008];
    let common = [1.0, 1.3, 0.8, 1.1, 0.9, 1.2, 0.7];
    let of = |n: usize| rate * common[n] * (1.0 + own[(n * 3 + shift) % 7]);
    (0..7).map(of).collect()
}

#[test]
fn rates_are_told_apart_within_rounds_and_ratios_are_those_of_rates() {
    let summary = load(&[&seven(1_000.0, 0), &seven(500.0, 1), &seven(1_000.0, 0)]);
    let main = main_of(&summary);
    assert_eq!(
        (main.figure, main.operation.as_ref()),
        (LoadFigure::Throughput, None)
    );
    assert_eq!(main.best.as_deref(), Some(DESIGN));
    assert_eq!(word(&main, DESIGN), Difference::Best);
    assert_eq!(word(&main, "a/z"), Difference::Same);
    let other = main.design(OTHER_DESIGN).unwrap();
    assert_eq!((other.difference, other.rounds), (Difference::Slower, 7));
    let (low, high) = other.interval.unwrap();
    assert!(
        0.4 < low && low < 0.5 && 0.5 < high && high < 0.6,
        "{low} {high}"
    );
    let comparison = LoadComparison::of(&summary);
    assert_eq!(comparison.figures.len(), 5);
    let p99 = comparison.design(LoadFigure::P99, Some("insert"), OTHER_DESIGN);
    assert!((p99.unwrap().ratio - 2.0).abs() < 0.1);
}

#[test]
fn below_five_rounds_nothing_is_a_difference() {
    for rounds in [1, 4] {
        let summary = load(&[&[900.0; 4][..rounds], &[100.0; 4][..rounds]]);
        for compared in LoadComparison::of(&summary).figures {
            let words = compared.designs.iter().map(|d| (d.difference, d.interval));
            assert!(
                words
                    .into_iter()
                    .all(|w| w == (Difference::NotSettled, None))
            );
        }
    }
}

#[test]
fn equal_rates_are_the_same_and_rates_of_nothing_are_not_compared() {
    let main = main_of(&load(&[&[900.0; 7], &[900.0; 7]]));
    assert_eq!(word(&main, OTHER_DESIGN), Difference::Same);
    let comparison = LoadComparison::of(&load(&[&[0.0; 7], &[900.0; 7]]));
    assert!(comparison.main().is_none());
    assert_eq!(LoadComparison::of(&load(&[])).figures, []);
}

#[test]
fn a_design_that_failed_half_its_rounds_is_paired_where_both_have_them_and_never_the_best() {
    let mut summary = load(&[&seven(1_000.0, 0)[..3], &seven(500.0, 1)]);
    summary.designs[0]
        .failures
        .push("its server ended".to_owned());
    let main = main_of(&summary);
    assert_eq!(main.best.as_deref(), Some(OTHER_DESIGN));
    let failed = main.design(DESIGN).unwrap();
    assert_eq!(
        (failed.rounds, failed.difference),
        (3, Difference::NotSettled)
    );
    assert!((failed.ratio - 2.0).abs() < 0.1, "{}", failed.ratio);
}

#[test]
fn rounds_that_were_not_steady_do_not_count_and_most_of_them_exclude() {
    let mut summary = load(&[&seven(1_000.0, 0), &seven(500.0, 1)]);
    summary.trials[0].steady = Some(false);
    let main = main_of(&summary);
    assert_eq!(main.best.as_deref(), Some(DESIGN));
    assert_eq!(main.design(OTHER_DESIGN).unwrap().rounds, 6);
    for trial in &mut summary.trials[..4] {
        trial.steady = Some(false);
    }
    assert_eq!(main_of(&summary).best.as_deref(), Some(OTHER_DESIGN));
}

#[test]
fn a_design_that_was_held_back_in_one_round_is_never_the_best() {
    let mut summary = load(&[&seven(1_000.0, 0), &seven(500.0, 1)]);
    summary.trials[3].end.as_mut().unwrap().unsent = 1;
    let main = main_of(&summary);
    assert_eq!(main.best.as_deref(), Some(OTHER_DESIGN));
    assert_eq!(word(&main, DESIGN), Difference::Faster);
    for trial in &mut summary.trials {
        trial.end.as_mut().unwrap().unsent = 1;
    }
    let none = main_of(&summary);
    assert_eq!((none.best, none.designs), (None, Vec::new()));
}

#[test]
fn at_a_rate_designs_are_judged_by_the_slowest_p99_and_against_the_baseline() {
    let mut summary = load(&[&seven(1_000.0, 0), &seven(500.0, 1)]);
    for trial in &mut summary.trials {
        trial.start.scheduled_rate = Some(1_000.0);
    }
    summary.header.decide = Some(Rule {
        is_stated: true,
        minimise: Minimise::Time,
        has_weights: false,
        limits: Vec::new(),
        same_within: 0.1,
        baseline: Some(OTHER_DESIGN.to_owned()),
    });
    let comparison = LoadComparison::of(&summary);
    assert_eq!(comparison.same_within, 0.1);
    let main = comparison.main().unwrap();
    assert_eq!(main.figure, LoadFigure::SlowestP99);
    let (slowest, p99) = summary.slowest_p99(&summary.designs[1]).unwrap();
    assert!(slowest < 2 && (p99.median - 0.02).abs() < 0.005, "{p99:?}");
    let best = main.design(DESIGN).unwrap().to_baseline.clone().unwrap();
    assert_eq!(best.difference, Difference::Faster);
    assert!((best.ratio - 0.5).abs() < 0.03);
    // With fewer operations no round has a p99.
    for trial in &mut summary.trials {
        trial.figures.operations[0].count = 999;
        trial.figures.operations[1].count = 19;
    }
    let comparison = LoadComparison::of(&summary);
    assert!(comparison.main().is_none());
    let left: Vec<LoadFigure> = comparison.figures.iter().map(|c| c.figure).collect();
    assert_eq!(left, [LoadFigure::P50]);
    assert_eq!(summary.slowest_p99(&summary.designs[0]), None);
}

/// A load whose designs have these rates, and are compared.
fn compared(rates: &[&[f64]]) -> DriveSummary {
    let mut summary = load(rates);
    for (design, rates) in summary.designs.iter_mut().zip(rates) {
        design.rate = Estimate::from_samples(rates);
    }
    summary.comparison = LoadComparison::of(&summary);
    summary
}

/// The design that is taken, and the next one.
fn taken(summary: &DriveSummary) -> (Option<&str>, Option<&str>) {
    let choice = summary.choice();
    let next = choice.and_then(|choice| choice.runner_up);
    (
        choice.map(|choice| choice.design.info.id.as_str()),
        next.map(|next| next.info.id.as_str()),
    )
}

#[test]
fn the_best_design_that_did_all_is_taken_and_the_next_one_is_named() {
    let rates = [seven(500.0, 0), seven(1_000.0, 1), seven(900.0, 2)];
    let rates: Vec<&[f64]> = rates.iter().map(Vec::as_slice).collect();
    let mut summary = compared(&rates);
    assert_eq!(taken(&summary), (Some(OTHER_DESIGN), Some("a/z")));
    summary.designs[1]
        .failures
        .push("its server ended".to_owned());
    summary.comparison = LoadComparison::of(&summary);
    assert_eq!(taken(&summary), (Some("a/z"), Some(DESIGN)));
    summary.designs[0]
        .failures
        .push("its server ended".to_owned());
    summary.comparison = LoadComparison::of(&summary);
    assert_eq!(taken(&summary), (Some("a/z"), None), "the others failed");
    for trial in &mut summary.trials {
        trial.end.as_mut().unwrap().unsent = 1;
    }
    summary.comparison = LoadComparison::of(&summary);
    assert_eq!(taken(&summary), (None, None), "no design did all");
    // One alone is compared with none.
    let alone = compared(&rates[..1]);
    assert!(alone.comparison.main().is_none());
    assert_eq!(taken(&alone), (Some(DESIGN), None));
}

#[test]
fn at_a_rate_the_design_with_the_shortest_p99_is_taken_and_of_a_search_none() {
    let (slow, fast) = (seven(500.0, 0), seven(1_000.0, 1));
    let mut summary = compared(&[&slow, &fast]);
    for trial in &mut summary.trials {
        trial.start.scheduled_rate = Some(1_000.0);
    }
    // At a rate all designs do as many operations.
    for design in &mut summary.designs {
        design.rate = Estimate::from_samples(&[1_000.0]);
    }
    summary.comparison = LoadComparison::of(&summary);
    assert_eq!(taken(&summary), (Some(OTHER_DESIGN), Some(DESIGN)));
    summary.header.objective = Some("p99<10ms".to_owned());
    assert_eq!(taken(&summary), (None, None));
}

fn noisy(truth: f64, noise: f64, common: &[f64], random: &mut SplitMix64) -> Vec<f64> {
    let of = |common: &f64| truth * (common + noise * random.normal()).exp();
    common.iter().map(of).collect()
}

/// Returns the loads out of these in which some figure was called a difference.
fn differing(loads: u64, truth: [f64; 3], noise: f64) -> usize {
    let differs = |seed: &u64| {
        let mut random = SplitMix64::new(*seed);
        let common: Vec<f64> = (0..7).map(|_| 0.3 * random.normal()).collect();
        let rates = truth.map(|rate| noisy(rate, noise, &common, &mut random));
        let all = LoadComparison::of(&load(&[&rates[0], &rates[1], &rates[2]]));
        let designs = all.figures.iter().flat_map(|c| &c.designs);
        let mut words = designs.map(|design| design.difference);
        words.any(|word| word == Difference::Slower)
    };
    (0..loads).filter(differs).count()
}

#[test]
fn equal_designs_are_told_apart_in_at_most_5_of_100_loads() {
    let found = differing(200, [900.0; 3], 0.15);
    assert!(found <= 10, "{found}");
}

#[test]
fn designs_that_differ_by_half_are_told_apart() {
    let found = differing(40, [900.0, 900.0, 450.0], 0.05);
    assert!(found >= 36, "{found}");
}
