//! Outcomes for continuous integration, and those without enough measurements.

use super::*;

fn slower(factor: f64) -> Drawn {
    Drawn {
        seed: 7,
        factors: [1.0, factor],
        ..DRAWN
    }
}

fn why(gate: &Gate) -> Vec<Unknown> {
    match gate {
        Gate::CannotTell { open } => open.iter().map(|open| open.why).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn slower_by_more_than_the_limit_fails() {
    let found = between(&DRAWN, &slower(1.5));
    let Gate::Slower { slower } = found.fail_if_slower(0.1) else {
        panic!("{found:?}");
    };
    let names: Vec<String> = slower.iter().map(|c| c.what.to_string()).collect();
    assert_eq!(names, ["scan", "key", "loading"]);
    assert!(slower.iter().all(|change| change.design == "a/y"));
}

#[test]
fn slower_by_less_than_the_limit_passes() {
    assert_eq!(
        between(&DRAWN, &slower(1.0)).fail_if_slower(0.3),
        Gate::NotSlower
    );
    assert_eq!(
        between(&DRAWN, &slower(1.5)).fail_if_slower(2.0),
        Gate::NotSlower
    );
}

#[test]
fn near_the_limit_it_is_undecided() {
    let gate = between(&DRAWN, &slower(1.1)).fail_if_slower(0.1);
    assert!(why(&gate).contains(&Unknown::Wide), "{gate:?}");
}

#[test]
fn more_rounds_are_advised_only_where_a_run_has_few() {
    let remedies = |rounds: u32| -> Vec<String> {
        let b = Drawn {
            rounds,
            ..slower(1.1)
        };
        let Gate::CannotTell { open } = between(&DRAWN, &b).fail_if_slower(0.1) else {
            panic!("slower by the limit is not settled");
        };
        let is_query = |open: &&Undecided| open.what != Some(What::Loading);
        let queries = open.iter().filter(is_query);
        queries.map(Undecided::remedy).collect()
    };
    let (few, usual) = (remedies(5), remedies(7));
    assert!(!few.is_empty() && !usual.is_empty());
    assert!(
        few.iter().all(|told| told.contains("more rounds")),
        "{few:?}"
    );
    let of_runs = usual.iter().all(|told| told.contains("several runs"));
    assert!(of_runs, "{usual:?}");
}

#[test]
fn below_five_rounds_in_either_run_nothing_is_decided() {
    let few = Drawn {
        rounds: 4,
        ..slower(9.0)
    };
    for found in [between(&DRAWN, &few), between(&few, &DRAWN)] {
        let change = found.change("a/y", "scan").unwrap();
        assert_eq!((change.shown, change.interval), (Shown::CannotTell, None));
        assert_eq!(change.unknown, Some(Unknown::FewRounds));
    }
}

#[test]
fn a_short_load_is_undecided() {
    let short = Drawn {
        slices: 4,
        ..slower(9.0)
    };
    let found = between(
        &Drawn {
            seed: 2,
            ..short.clone()
        },
        &short,
    );
    let is_load = |change: &&Change| change.what == What::Loading;
    let loading = found.changes.iter().find(is_load).unwrap();
    assert_eq!(loading.unknown, Some(Unknown::FewSlices));
}

#[test]
fn without_any_twins_nothing_is_decided_and_one_run_with_them_is_enough() {
    let alone = Drawn {
        twins: false,
        ..DRAWN
    };
    let other = Drawn {
        twins: false,
        ..slower(9.0)
    };
    let found = between(&alone, &other);
    let change = found.change("a/y", "scan").unwrap();
    assert_eq!((change.shown, change.at_most), (Shown::CannotTell, None));
    assert!(
        change.interval.unwrap().0 > 5.0,
        "the interval of these tables"
    );
    let gate = found.fail_if_slower(0.1);
    assert_eq!(why(&gate), [Unknown::NoTwins; 6]);
    let one = between(&alone, &slower(9.0));
    assert_eq!(one.change("a/y", "scan").unwrap().shown, Shown::Slower);
}

#[test]
fn a_time_that_b_lacks_is_not_passed() {
    let mut records = slower(1.0).records();
    records.push(answered("a/y", "key", wrong()));
    let b = Summary::from_records(&records).unwrap();
    let found = Between::of(("a", &DRAWN.summary()), ("b", &b));
    assert_eq!(found.missing.len(), 1);
    assert_eq!(found.missing[0].side, Side::B);
    assert_eq!(why(&found.fail_if_slower(1.0)), [Unknown::NotMeasured]);
    let back = Between::of(("b", &b), ("a", &DRAWN.summary()));
    assert_eq!(back.missing[0].side, Side::A);
    assert_eq!(back.fail_if_slower(1.0), Gate::NotSlower);
}

/// A run as it is drawn, with another header, and without the records that are not kept, by their design and
/// their question; loads have none.
fn changed(
    change: impl Fn(&mut crate::Header),
    keeps: impl Fn(&str, Option<&str>) -> bool,
) -> Summary {
    let mut records = slower(1.0).records();
    records.retain(|record| match record {
        Record::Timed(timing) => keeps(&timing.design, Some(&timing.query)),
        Record::Loaded(slice) => keeps(&slice.design, None),
        Record::Footprint(footprint) => keeps(&footprint.design, None),
        Record::Created { design } => keeps(design, None),
        _ => true,
    });
    for record in &mut records {
        match record {
            Record::Started(header) => change(header),
            Record::Instances { instances } => {
                instances.retain(|instance| keeps(&instance.id, Some("scan")));
            }
            _ => {}
        }
    }
    Summary::from_records(&records).unwrap()
}

fn without_key() -> Summary {
    let fewer = |header: &mut crate::Header| header.queries.truncate(1);
    changed(fewer, |_, query| query != Some("key"))
}

fn with_another_key() -> Summary {
    let other = |header: &mut crate::Header| header.queries[1].sql += " WHERE k = 1";
    changed(other, |_, _| true)
}

fn why_open(a: &Summary, b: &Summary) -> Vec<Unknown> {
    why(&Between::of(("a", a), ("b", b)).fail_if_slower(1.0))
}

/// A run in which `key` is right once with each design, and fails with all from then on.
fn with_key_at_fault(drawn: &Drawn) -> Summary {
    let mut records = drawn.records();
    records.retain(|r| !matches!(r, Record::Timed(t) if t.query == "key" && t.round > 0));
    for design in DESIGNS {
        let reason = "the answer has more than 32 MiB".to_owned();
        let failed = timed_as(design, "key", 0.1, crate::Outcome::Error { reason });
        records.push(match failed {
            Record::Timed(timing) => Record::Timed(crate::Timing { round: 1, ..timing }),
            record => record,
        });
    }
    Summary::from_records(&records).unwrap()
}

#[test]
fn a_question_at_fault_in_both_runs_decides_nothing() {
    let (a, b) = (with_key_at_fault(&DRAWN), with_key_at_fault(&slower(1.0)));
    assert_eq!(a.unanswered(), ["key"]);
    let found = Between::of(("a", &a), ("b", &b));
    assert_eq!(found.fail_if_slower(1.0), Gate::NotSlower);
    let only_b = Between::of(("a", &DRAWN.summary()), ("b", &b));
    assert_eq!(why(&only_b.fail_if_slower(1.0)).len(), 2);
}

#[test]
fn what_b_no_longer_measures_is_not_passed() {
    let a = DRAWN.summary();
    assert_eq!(why_open(&a, &without_key()), [Unknown::NoQuestion; 2]);
    assert_eq!(why_open(&a, &with_another_key()), [Unknown::NoQuestion; 2]);
    let fewer = |header: &mut crate::Header| header.designs.truncate(1);
    let without_design = changed(fewer, |design, _| !design.starts_with("a/y"));
    // Two times and a load.
    assert_eq!(why_open(&a, &without_design), [Unknown::NoDesign; 3]);
    let not_loaded = changed(|_| {}, |design, query| design != "a/y" || query.is_some());
    assert_eq!(why_open(&a, &not_loaded), [Unknown::NotMeasured]);
}

#[test]
fn what_only_b_measures_decides_nothing() {
    let (a, b) = (without_key(), DRAWN.summary());
    let between = Between::of(("a", &a), ("b", &b));
    assert_eq!(between.fail_if_slower(1.0), Gate::NotSlower);
}

#[test]
fn what_was_not_chosen_may_be_absent() {
    let (a, b) = (DRAWN.summary(), with_another_key());
    let only = Some(vec!["scan".to_owned(), "loading".to_owned()]);
    let between = Between::of_figures(("a", &a), ("b", &b), only);
    assert_eq!(between.fail_if_slower(1.0), Gate::NotSlower);
}

#[test]
fn runs_without_figures_are_not_passed() {
    let header = Summary::from_records(&DRAWN.records()[..1]).unwrap();
    let found = Between::of(("a", &header), ("b", &header));
    assert_eq!(why(&found.fail_if_slower(0.1)), [Unknown::NotMeasured]);
}

#[test]
fn storage_is_exact() {
    let found = between(&DRAWN, &slower(1.0));
    assert_eq!(found.storage.len(), 2);
    assert_eq!((found.storage[0].a, found.storage[0].ratio), (100.0, 1.0));
}

fn between_only(b: &Drawn, only: &[&str]) -> Between {
    let only = only.iter().map(ToString::to_string).collect();
    Between::of_figures(("a", &DRAWN.summary()), ("b", &b.summary()), Some(only))
}

#[test]
fn figures_that_were_not_chosen_decide_nothing() {
    let mut records = slower(1.0).records();
    for record in &mut records {
        match record {
            Record::Loaded(slice) if slice.design.starts_with("a/y") => slice.seconds *= 9.0,
            _ => {}
        }
    }
    let b = Summary::from_records(&records).unwrap();
    let gate = |only: Option<&[&str]>| {
        let only = only.map(|names| names.iter().map(ToString::to_string).collect());
        let found = Between::of_figures(("a", &DRAWN.summary()), ("b", &b), only);
        found.fail_if_slower(0.5)
    };
    assert!(matches!(gate(None), Gate::Slower { .. }));
    assert!(matches!(
        gate(Some(&["key", "loading"])),
        Gate::Slower { .. }
    ));
    assert_eq!(gate(Some(&["key", "scan"])), Gate::NotSlower);
}

#[test]
fn intervals_are_corrected_for_the_chosen_figures_only() {
    let (all, one) = (
        between(&DRAWN, &slower(1.5)),
        between_only(&slower(1.5), &["scan"]),
    );
    let names: Vec<String> = one.changes.iter().map(|c| c.what.to_string()).collect();
    assert_eq!(names, ["scan", "scan"]);
    let low = |found: &Between| found.change("a/y", "scan").unwrap().interval.unwrap().0;
    assert!(low(&one) > low(&all), "{} {}", low(&one), low(&all));
}

#[test]
fn a_missing_time_counts_only_where_it_was_chosen() {
    let mut records = slower(1.0).records();
    records.push(answered("a/y", "key", wrong()));
    let b = Summary::from_records(&records).unwrap();
    let gate = |name: &str| {
        let only = Some(vec![name.to_owned()]);
        Between::of_figures(("a", &DRAWN.summary()), ("b", &b), only).fail_if_slower(1.0)
    };
    assert_eq!(gate("scan"), Gate::NotSlower);
    assert_eq!(why(&gate("key")), [Unknown::NotMeasured]);
}

#[test]
fn figures_are_named_once() {
    let (a, b) = (DRAWN.summary(), DRAWN.summary());
    assert_eq!(Between::figures(&a, &b), ["scan", "key", "loading"]);
}
