//! Runs over time, with changes whose moment is known.

use super::*;

/// Runs on successive days with these factors of `a/y`.
fn history(factors: &[f64]) -> History {
    let mut runs: Vec<_> = Vec::new();
    for (factor, day) in factors.iter().zip(1..) {
        let drawn = Drawn {
            seed: u64::from(day),
            factors: [1.0, *factor],
            day,
            ..DRAWN
        };
        // Not in the order of time.
        runs.insert(0, (format!("run-{day}"), drawn.summary()));
    }
    History::of(runs)
}

fn shifts(history: &History, design: &str) -> Vec<(usize, usize)> {
    let group = &history.groups[0];
    let scan = What::Query("scan".to_owned());
    let found = group
        .series
        .iter()
        .find(|s| s.design == design && s.what == scan);
    found
        .unwrap()
        .shifts
        .iter()
        .map(|shift| (shift.at, shift.runs))
        .collect()
}

#[test]
fn runs_are_sorted_by_their_start() {
    let found = history(&[1.0, 1.0, 1.0]);
    let names: Vec<&str> = found.groups[0]
        .runs
        .iter()
        .map(|r| r.name.as_str())
        .collect();
    assert_eq!(names, ["run-1", "run-2", "run-3"]);
    assert_eq!(found.groups[0].series.len(), 6);
    assert!(found.groups[0].series.iter().all(|s| s.shifts.is_empty()));
}

#[test]
fn a_change_for_good_is_found_where_it_began() {
    let found = history(&[1.0, 1.0, 1.0, 1.6, 1.6]);
    assert_eq!(shifts(&found, "a/y"), [(3, 2)]);
    assert_eq!(shifts(&found, "a/x"), []);
}

#[test]
fn one_slow_run_in_between_is_no_change() {
    assert_eq!(shifts(&history(&[1.0, 3.0, 1.0, 1.0]), "a/y"), []);
}

/// Runs on successive days with these factors of `a/y`, of which these have as few rounds as show nothing.
fn with_short_runs(factors: &[f64], short: &[u32]) -> History {
    let runs = factors.iter().zip(0..).map(|(factor, index)| {
        let drawn = Drawn {
            seed: u64::from(index) + 1,
            factors: [1.0, *factor],
            rounds: if short.contains(&index) { 4 } else { 9 },
            day: index + 1,
            ..DRAWN
        };
        (format!("run-{index}"), drawn.summary())
    });
    History::of(runs.collect())
}

#[test]
fn a_run_that_shows_nothing_hides_no_change() {
    let newest = with_short_runs(&[1.0, 1.0, 1.6, 1.6, 1.6], &[4]);
    assert_eq!(shifts(&newest, "a/y"), [(2, 2)]);
    assert_eq!(shifts(&newest, "a/x"), []);
    let scan = newest.groups[0].series.iter().find(|s| s.design == "a/y");
    assert_eq!(scan.unwrap().unknown, Some(Unknown::FewRounds));
    let between = with_short_runs(&[1.0, 1.6, 1.6, 1.6], &[2]);
    assert_eq!(shifts(&between, "a/y"), [(1, 2)]);
    let first_of_them = with_short_runs(&[1.0, 1.0, 1.6, 1.6], &[2]);
    assert_eq!(shifts(&first_of_them, "a/y"), [(3, 1)]);
    let back = with_short_runs(&[1.0, 1.6, 1.0, 1.6], &[3]);
    assert_eq!(shifts(&back, "a/y"), []);
}

#[test]
fn one_slow_run_is_no_change_though_the_later_ones_show_nothing() {
    let found = with_short_runs(&[1.0, 1.0, 6.0, 1.0, 1.0, 1.0], &[1, 3, 4, 5]);
    assert_eq!(shifts(&found, "a/y"), []);
    let alone = with_short_runs(&[1.0, 6.0, 6.0], &[2]);
    assert_eq!(shifts(&alone, "a/y"), []);
    let newest = with_short_runs(&[1.0, 1.0, 6.0], &[1]);
    assert_eq!(shifts(&newest, "a/y"), [(2, 1)]);
}

#[test]
fn several_changes_follow_each_other() {
    let found = history(&[1.0, 2.0, 2.0, 4.0]);
    assert_eq!(shifts(&found, "a/y"), [(1, 3), (3, 1)]);
    let series = found.groups[0]
        .series
        .iter()
        .find(|s| s.design == "a/y")
        .unwrap();
    assert!((series.shifts[1].ratio - 2.0).abs() < 0.1);
    assert_eq!(series.points.iter().flatten().count(), 4);
}

#[test]
fn the_ratio_of_a_change_is_that_of_the_figures_beside_it() {
    for seed in 0..10 {
        let noisy = |day: u32, factor| Drawn {
            seed: 10 * seed + u64::from(day),
            factors: [1.0, factor],
            own: 0.1,
            day,
            ..DRAWN
        };
        let runs = [(1, 1.0), (2, 1.0), (3, 3.0), (4, 3.0)];
        let runs = runs.map(|(day, factor)| (day.to_string(), noisy(day, factor).summary()));
        let found = History::of(runs.to_vec());
        let series = &found.groups[0].series;
        assert!(series.iter().any(|series| !series.shifts.is_empty()));
        for series in series {
            let seconds = |run: usize| series.points[run].unwrap().seconds;
            for shift in &series.shifts {
                let quotient = seconds(shift.at) / seconds(shift.from);
                assert!((shift.ratio / quotient - 1.0).abs() < 1e-9, "{series:?}");
            }
            for point in series.points.iter().flatten() {
                let (low, high) = point.interval.unwrap();
                assert!(low <= point.seconds && point.seconds <= high, "{series:?}");
            }
        }
    }
}

#[test]
fn a_figure_is_the_centre_of_its_rounds_and_few_of_them_have_no_interval() {
    let found = with_short_runs(&[1.0, 1.0], &[1]);
    let (one, other) = (DRAWN.summary(), found.groups[0].series[0].points.clone());
    let rounds = &one.design("a/x").unwrap().query("key").unwrap().rounds;
    let centre = crate::rounds::paired::Paired::of_one(rounds).centre();
    let own = { found.groups[0].series.iter() }
        .find(|series| series.design == "a/x" && series.what == What::Query("key".to_owned()));
    let seconds = own.unwrap().points[0].unwrap().seconds;
    assert!((seconds - centre.unwrap().exp()).abs() < 1e-12);
    assert!(other[0].unwrap().interval.is_some());
    assert_eq!(other[1].unwrap().interval, None);
}

#[test]
fn undecided_series_say_why() {
    let alone = |day| Drawn {
        twins: false,
        slices: 4,
        day,
        ..DRAWN
    };
    let runs = [1, 2].map(|day| (day.to_string(), alone(day).summary()));
    let found = History::of(runs.to_vec());
    let whys = found.groups[0].series.iter().map(|s| s.unknown);
    let expected = [Unknown::NoTwins, Unknown::NoTwins, Unknown::FewSlices].map(Some);
    assert_eq!(whys.collect::<Vec<_>>(), [expected, expected].concat());
    let load = &found.groups[0].series[2].points[0];
    assert_eq!(load.unwrap().interval, None, "a short load has no interval");
    let steady = history(&[1.0, 1.0, 2.0]);
    let series = steady.groups[0].series.iter().find(|s| s.design == "a/y");
    assert_eq!(series.unwrap().unknown, None);
}

#[test]
fn runs_that_may_not_be_compared_are_apart() {
    let longer = Drawn {
        slices: 12,
        ..DRAWN
    };
    let runs = [("a", &DRAWN), ("b", &longer), ("c", &DRAWN)];
    let history = History::of(runs.map(|(n, d)| (n.to_owned(), d.summary())).to_vec());
    let sizes: Vec<usize> = history.groups.iter().map(|g| g.runs.len()).collect();
    assert_eq!(sizes, [2, 1]);
}

#[test]
fn no_runs_have_no_history() {
    assert!(History::of(Vec::new()).groups.is_empty());
}
