//! Decisions of a race on records whose truth is known.

mod faults;
mod open;

use super::*;
use crate::compare::testing::{failed, footprint, loaded, run, timed, wrong};
use crate::compare::{Instance, Record, WhyStopped, parts_of_error};
use crate::decide::Minimise;
use crate::random::SplitMix64;
use crate::{Footprint, LoadSlice, Step, Timing};

/// A design of the tests: multiples of the fastest one's costs.
#[derive(Clone, Copy)]
struct Truth {
    design: &'static str,
    scan: f64,
    key: f64,
    storage: u64,
    load: f64,
}

const GOOD: Truth = Truth {
    design: "a/x",
    scan: 1.0,
    key: 1.0,
    storage: 500,
    load: 1.0,
};
/// Worse by everything.
const BAD: Truth = Truth {
    design: "a/y",
    scan: 9.0,
    key: 7.0,
    storage: 900,
    load: 6.0,
};

/// Returns all records of a table: ten slices, its size, and rounds with this deviation of logarithms.
fn table(
    truth: Truth,
    id: &str,
    rows: u64,
    rounds: std::ops::Range<u32>,
    noise: f64,
) -> Vec<Record> {
    let of_id: u64 = id
        .bytes()
        .map(u64::from)
        .fold(7, |sum, b| sum * 31 % 1_000_003 + b);
    let mut random = SplitMix64::new(of_id + rows + u64::from(rounds.end));
    let mut records: Vec<Record> = (0..10)
        .map(
            |slice| match loaded(id, slice, truth.load * rows as f64 / 1e5) {
                Record::Loaded(slice) => Record::Loaded(LoadSlice {
                    rows: rows / 10,
                    ..slice
                }),
                other => other,
            },
        )
        .collect();
    let bytes = truth.storage * rows / 100;
    records.push(match footprint(id, bytes) {
        Record::Footprint(size) => Record::Footprint(Footprint { ..size }),
        other => other,
    });
    for round in rounds {
        for (query, factor) in [("scan", truth.scan), ("key", truth.key)] {
            let seconds = factor * rows as f64 * 1e-6 * (noise * random.normal()).exp();
            records.push(in_round(timed(id, query, seconds), round));
        }
    }
    records
}

fn in_round(record: Record, round: u32) -> Record {
    match record {
        Record::Timed(timing) => Record::Timed(Timing { round, ..timing }),
        other => other,
    }
}

/// Returns the records of two rungs with these designs; `late` changes a design at the larger one.
fn climbed(designs: &[Truth], late: impl Fn(Truth) -> Truth) -> Vec<Record> {
    let mut records = Vec::new();
    let instances = |rows: u64| -> Vec<Instance> {
        designs
            .iter()
            .map(|d| Instance::smaller(d.design, rows))
            .collect()
    };
    let rungs = [instances(1_000), instances(4_000)].concat();
    records.push(Record::Race { rungs });
    for rows in [1_000, 4_000] {
        for design in designs {
            let truth = if rows == 4_000 {
                late(*design)
            } else {
                *design
            };
            let id = Instance::smaller(design.design, rows).id;
            let rounds = RUNG_ROUND..RUNG_ROUND + RUNG_ROUNDS;
            records.extend(table(truth, &id, rows, rounds, 0.05));
        }
    }
    run(records)
}

fn dropped(records: &[Record]) -> Vec<String> {
    let found = drops(records, &[1_000, 4_000]).unwrap();
    found.into_iter().map(|d| d.design).collect()
}

#[test]
fn rungs_are_a_64th_and_a_16th_or_none() {
    assert_eq!(rungs(640_000), [10_000, 40_000]);
    assert_eq!(rungs(32_000), [2_000, 8_000]);
    assert!(rungs(15_999).is_empty() && rungs(0).is_empty());
}

#[test]
fn a_design_that_is_worse_by_everything_is_dropped_with_its_figures() {
    let found = drops(&climbed(&[GOOD, BAD], |d| d), &[1_000, 4_000]).unwrap();
    let [dropped] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(
        (&*dropped.design, &*dropped.by, dropped.rows),
        ("a/y", "a/x", 4_000)
    );
    assert!(dropped.at_rung && !dropped.is_control);
    let of = |name: &str| dropped.beaten.iter().find(|b| b.objective == name).unwrap();
    assert!((of("storage").times - 1.8).abs() < 1e-9);
    assert!((of("scan").times - 9.0).abs() < 1.0 && of("scan").at_least > 1.0);
    assert!(of("loading").at_least < of("loading").times);
}

#[test]
fn a_design_that_is_better_by_one_objective_stays() {
    let small = Truth {
        storage: 400,
        ..BAD
    };
    let quick = Truth { load: 0.9, ..BAD };
    let key = Truth { key: 0.9, ..BAD };
    for design in [small, quick, key] {
        assert!(dropped(&climbed(&[GOOD, design], |d| d)).is_empty());
    }
}

#[test]
fn a_gap_below_the_margin_or_that_closes_drops_nothing() {
    let near = Truth { key: 1.7, ..BAD };
    assert!(dropped(&climbed(&[GOOD, near], |d| d)).is_empty());
    let closing = |design: Truth| Truth {
        scan: if design.design == "a/y" { 3.0 } else { 1.0 },
        ..design
    };
    assert!(dropped(&climbed(&[GOOD, BAD], closing)).is_empty());
}

#[test]
fn designs_that_fail_or_are_no_store_beat_none() {
    let mut records = climbed(&[GOOD, BAD], |d| d);
    let id = Instance::smaller("a/x", 4_000).id;
    records.push(failed(&id, Step::Measure, None, "gone"));
    assert!(dropped(&records).is_empty());
    let yardstick = Truth {
        design: "memory",
        ..GOOD
    };
    assert!(dropped(&climbed(&[yardstick, BAD], |d| d)).is_empty());
    let mut records = climbed(&[GOOD, BAD], |d| d);
    for record in &mut records {
        if let Record::Timed(timing) = record
            && timing.design == id
        {
            timing.outcome = wrong();
        }
    }
    assert!(dropped(&records).is_empty(), "wrong answers win nothing");
}

#[test]
fn the_baseline_stays_and_a_limit_that_is_not_compared_keeps_all() {
    use crate::decide::{Limit, LimitOf, Rule};
    let with = |baseline: Option<&str>, quantile: Option<f64>| {
        let mut records = climbed(&[GOOD, BAD], |d| d);
        let Record::Started(header) = &mut records[0] else {
            panic!("no header");
        };
        let of = LimitOf::Question { index: 0, quantile };
        let text = "scan < 1s".to_owned();
        let rule = Rule {
            is_stated: true,
            minimise: Minimise::Time,
            has_weights: false,
            limits: vec![Limit {
                text,
                of,
                bound: 1.0,
            }],
            same_within: 0.05,
            baseline: baseline.map(str::to_owned),
        };
        let weights = vec![1.0, 1.0];
        header.decide = Some(crate::Decide { rule, weights });
        dropped(&records)
    };
    assert_eq!(with(None, None), ["a/y"]);
    assert!(with(Some("a/y"), None).is_empty());
    assert!(with(None, Some(0.99)).is_empty());
}

#[test]
fn too_few_rounds_rungs_or_designs_drop_nothing() {
    let mut few = climbed(&[GOOD, BAD], |d| d);
    few.retain(|r| !matches!(r, Record::Timed(t) if t.round >= RUNG_ROUND + 4));
    assert!(dropped(&few).is_empty());
    let records = climbed(&[GOOD, BAD], |d| d);
    assert!(drops(&records, &[1_000]).unwrap().is_empty());
    assert!(drops(&records, &[]).unwrap().is_empty());
    assert!(dropped(&climbed(&[BAD], |d| d)).is_empty());
    assert!(dropped(&run(Vec::new())).is_empty());
    assert!(drops(&[], &[1, 2]).is_err(), "no header");
}

/// Records of two designs at full scale, which is 10,000 rows.
fn full(designs: &[Truth], rounds: u32, noise: f64) -> Vec<Record> {
    let tables = designs.iter();
    let tables = tables.flat_map(|d| table(*d, d.design, 10_000, 0..rounds, noise));
    run(std::iter::once(Record::Race { rungs: Vec::new() }).chain(tables))
}

#[test]
fn a_look_ends_what_is_clear_and_not_before_five_rounds() {
    let clear = look(&full(&[GOOD, BAD], 5, 0.02)).unwrap();
    assert!(
        matches!(clear.stop, Some(WhyStopped::LittleToGain { .. })),
        "{clear:?}"
    );
    let early = look(&full(&[GOOD, BAD], 4, 0.02)).unwrap();
    assert_eq!(early, Look::default());
}

#[test]
fn a_look_at_near_designs_in_noise_goes_on_and_drops_none() {
    let near = Truth {
        design: "a/y",
        scan: 1.02,
        key: 1.0,
        storage: 400,
        load: 1.1,
    };
    let noisy = look(&full(&[GOOD, near], 5, 0.6)).unwrap();
    assert_eq!(noisy.stop, None);
    assert!(noisy.dropped.is_empty());
}

/// Smaller tables as in an exhaustive run of 64,000 rows.
fn exhaustive(designs: &[Truth], rounds: u32) -> Vec<Record> {
    let mut records = Vec::new();
    let sizes = [1_000, 4_000, 64_000];
    let smaller = |rows: u64| {
        designs
            .iter()
            .map(move |d| Instance::smaller(d.design, rows))
    };
    let instances = sizes[..2].iter().flat_map(|rows| smaller(*rows)).collect();
    records.push(Record::Instances { instances });
    for rows in sizes {
        for design in designs {
            let id = match rows {
                64_000 => design.design.to_owned(),
                rows => Instance::smaller(design.design, rows).id,
            };
            records.extend(table(*design, &id, rows, 0..rounds, 0.1));
        }
    }
    records.push(Record::LoadingDone {
        rows: 64_000,
        is_all: false,
        left: None,
    });
    run(records)
}

fn play(records: &[Record]) -> Result<Replay, ReplayError> {
    replay(records, 7, Played::AsItWas)
}

#[test]
fn a_replayed_race_finds_the_best_design_in_less_time() {
    let records = exhaustive(&[GOOD, BAD], 12);
    for seed in 0..3 {
        let race = replay(&records, seed, Played::AsItWas).unwrap();
        assert_eq!((race.recommended.as_str(), race.regret), ("a/x", 0.0));
        assert_eq!(race.dropped.len(), 1);
        assert!(race.seconds < race.all_seconds / 3.0, "{race:?}");
    }
    assert_eq!(play(&records).unwrap(), play(&records).unwrap());
}

#[test]
fn a_race_needs_an_exhaustive_run_with_its_rungs() {
    let few = play(&exhaustive(&[GOOD, BAD], 3));
    assert!(
        matches!(few, Err(ReplayError::FewRounds { rounds: 3 })),
        "{few:?}"
    );
    let is_race = play(&full(&[GOOD, BAD], 6, 0.1));
    assert!(matches!(is_race, Err(ReplayError::IsRace)));
    let mut bare = exhaustive(&[GOOD, BAD], 6);
    bare.retain(|r| !matches!(r, Record::Timed(t) if t.design.contains('#')));
    bare.retain(|r| !matches!(r, Record::Loaded(l) if l.design.contains('#')));
    bare.retain(|r| !matches!(r, Record::Footprint(f) if f.design.contains('#')));
    bare.retain(|r| !matches!(r, Record::Instances { .. }));
    let bare = play(&bare);
    assert!(
        matches!(bare, Err(ReplayError::NoRung { rows: 1_000 })),
        "{bare:?}"
    );
}

/// Autocorrelated noise with heavy tails on top of a drift that a round has for all designs.
fn disturbed(truth: &[f64], rounds: u32, random: &mut SplitMix64) -> Vec<Vec<Record>> {
    let ids = ["a/x", "a/y"];
    let (mut drift, mut own) = (0.0, [0.0; 2]);
    (0..rounds)
        .map(|round| {
            drift += 0.1 * random.normal();
            let mut records = Vec::new();
            for (design, id) in ids.iter().enumerate() {
                let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                let heavy = random.normal() / (squares / 3.0).sqrt();
                own[design] = 0.3 * own[design] + heavy;
                let seconds = (truth[design] + drift + 0.05 * own[design]).exp();
                for query in ["scan", "key"] {
                    records.push(in_round(timed(id, query, seconds), round));
                }
            }
            records
        })
        .collect()
}

/// Plays a race of two designs until it stops, and returns the records and the rounds.
fn race_until_stopped(truth: [f64; 2], random: &mut SplitMix64) -> (Vec<Record>, u32) {
    let tables = ["a/x", "a/y"].map(|id| [loaded(id, 0, 1.0), footprint(id, 500)]);
    let begin = std::iter::once(Record::Race { rungs: Vec::new() });
    let mut records = run(begin.chain(tables.concat()));
    let last = LOOKS[LOOKS.len() - 1];
    for (round, timings) in (1..).zip(disturbed(&truth, last, random)) {
        records.extend(timings);
        if LOOKS.contains(&round) && look(&records).unwrap().stop.is_some() {
            return (records, round);
        }
    }
    (records, last)
}

/// Returns the interval of a ratio in the summary of these records.
fn interval(records: &[Record], worse: &str) -> Option<(f64, f64)> {
    let summary = crate::Summary::from_records(records).unwrap();
    summary.comparison.design("scan", worse)?.interval
}

/// Returns the share of races whose interval held the truth when they stopped, and the mean of its width as
/// a multiple of the one that the same rounds have where their number was fixed beforehand.
fn held_and_width(step: f64, seed: u64) -> (f64, f64) {
    let mut random = SplitMix64::new(seed);
    let (mut held, mut widths, races) = (0, 0.0, 150);
    for _ in 0..races {
        let difference = step * random.below(4) as f64;
        let (records, _) = race_until_stopped([0.0, difference], &mut random);
        let mut fixed = records.clone();
        fixed.retain(|record| !matches!(record, Record::Race { .. }));
        let summary = crate::Summary::from_records(&records).unwrap();
        let best = summary.comparison.queries[0].best.clone().unwrap();
        let (other, truth) = match best.as_str() {
            "a/x" => ("a/y", difference),
            _ => ("a/x", -difference),
        };
        let truth = truth.max(0.0).exp();
        let (low, high) = interval(&records, other).unwrap();
        let (fixed_low, fixed_high) = interval(&fixed, other).unwrap();
        held += u32::from(low <= truth + 1e-9 && truth <= high + 1e-9);
        widths += (high / low).ln() / (fixed_high / fixed_low).ln();
    }
    (
        f64::from(held) / f64::from(races),
        widths / f64::from(races),
    )
}

#[test]
fn intervals_hold_when_a_race_stops_and_are_little_wider_than_if_that_had_been_known() {
    for (step, seed) in [(0.0, 11), (0.02, 12), (0.06, 13), (0.15, 14)] {
        let (held, width) = held_and_width(step, seed);
        println!("{step}: held {held:.3}, width {width:.2}");
        assert!(held >= 0.94, "{step}: {held}");
        assert!(width <= 1.3, "{step}: {width}");
    }
}

#[test]
fn the_parts_of_all_looks_are_no_more_than_the_whole_error() {
    let ends = LOOKS.iter().map(|look| *look as usize).chain([100]);
    let parts = ends.map(|look| 1.0 / parts_of_error(look) as f64);
    assert!(parts.sum::<f64>() <= 1.0);
    assert_eq!(parts_of_error(7), parts_of_error(8));
}
