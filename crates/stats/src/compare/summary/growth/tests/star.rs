//! Runs with tables along both axes of growth.

use super::super::{Axis, HeldOut, Projected, Refusal};
use super::near;
use crate::compare::summary::{Forecast, TimeForecast};
use crate::compare::testing::*;
use crate::compare::{Axes, Grows, Instance, Outcome, Record, Summary, ToLoad};
use crate::random::SplitMix64;

/// Rows of the designs' own tables.
const ROWS: u64 = 864_000;
/// Divisors of series and time, as a star of 4x2 has them.
const DIVIDED: [(u32, u32); 7] = [(2, 1), (4, 1), (8, 1), (1, 2), (1, 4), (1, 8), (4, 2)];
/// True seconds by the shares of series and time.
type Truth = fn(f64, f64) -> f64;

struct Star {
    axes: Axes,
    divided: Vec<(u32, u32)>,
    records: Vec<Record>,
    unit_rows: Option<u64>,
}

fn rows((series, time): (u32, u32)) -> u64 {
    ROWS / u64::from(series) / u64::from(time)
}

impl Star {
    fn of(divided: &[(u32, u32)]) -> Star {
        let instances = ["a/x", "a/y"].into_iter().flat_map(|design| {
            let parts = divided.iter();
            let parts = parts.map(move |shares| Instance::part(design, *shares, rows(*shares)));
            parts.chain([Instance::twin(design)])
        });
        let instances = instances.collect();
        let axes = Axes {
            series: Some(100),
            time: Some(86_390_001),
            to_full: (4.0, 3.0),
            windows: [("key".to_owned(), 0.5)].into(),
        };
        Star {
            divided: divided.to_vec(),
            records: vec![
                Record::Axes(axes.clone()),
                Record::Instances { instances },
                Record::LoadingDone {
                    rows: ROWS,
                    is_all: false,
                    left: None,
                },
            ],
            axes,
            unit_rows: None,
        }
    }

    /// Returns the tables of a design with what they are divided by, its twin included.
    fn tables(&self, design: &str) -> Vec<(String, (u32, u32))> {
        let parts = self.divided.iter();
        let parts = parts.map(|shares| (Instance::part(design, *shares, 0).id, *shares));
        let own = [
            (design.to_owned(), (1, 1)),
            (format!("{design}#twin"), (1, 1)),
        ];
        parts.chain(own).collect()
    }

    fn answer(&mut self, table: &str, query: &str, round: u32, seconds: f64, found: u64) {
        let outcome = Outcome::Right { rows: found };
        let Record::Timed(timing) = timed_as(table, query, seconds, outcome) else {
            unreachable!()
        };
        self.records.push(Record::Timed(crate::Timing {
            round,
            rows_scanned: None,
            ..timing
        }));
    }

    /// Adds seven rounds on each table.
    fn asked(mut self, design: &str, query: &str, truth: impl Fn(f64, f64) -> f64) -> Star {
        for (table, (series, time)) in self.tables(design) {
            for round in 0..7 {
                let noise = 1.0 + f64::from(round % 3) / 300.0;
                let seconds = truth(1.0 / f64::from(series), 1.0 / f64::from(time)) * noise;
                self.answer(&table, query, round, seconds, 1);
            }
        }
        self
    }

    fn stored(mut self, bytes: impl Fn(f64, f64) -> f64) -> Star {
        for (table, shares) in self.tables("a/x") {
            let Record::Loaded(slice) = loaded(&table, 0, 1.0) else {
                unreachable!()
            };
            let rows = rows(shares);
            self.records
                .push(Record::Loaded(crate::LoadSlice { rows, ..slice }));
            let (series, time) = shares;
            let bytes = bytes(1.0 / f64::from(series), 1.0 / f64::from(time));
            self.records.push(footprint(&table, bytes as u64));
        }
        self
    }

    fn summary(&self) -> Summary {
        let mut records = run(self.records.clone());
        records[1] = Record::Axes(self.axes.clone());
        let Record::Started(header) = &mut records[0] else {
            unreachable!()
        };
        let (series, time) = self.axes.to_full;
        header.scale.full_rows = (ROWS as f64 * series * time) as u64;
        header.scale.grows = Some(Grows::Along { series, time });
        for design in &mut header.designs {
            design.unit_rows = self.unit_rows;
        }
        Summary::from_records(&records).unwrap()
    }

    fn forecast(&self) -> Forecast {
        self.summary().forecast.unwrap()
    }

    fn time(&self, query: &str) -> TimeForecast {
        let forecast = self.forecast();
        forecast.design("a/x").unwrap().time(query).unwrap().clone()
    }

    #[track_caller]
    fn refusal(&self, query: &str) -> Refusal {
        match self.time(query).forecast {
            Projected::Refused(refusal) => refusal,
            Projected::Seconds(projection) => panic!("{projection:?}"),
        }
    }
}

const SHAPES: [Truth; 7] = [
    |_, _| 0.003,
    |s, t| 0.4 * s * t,
    |_, t| 0.02 * t,
    |s, _| 0.05 * s,
    |s, _| 0.002 + 0.03 * s,
    |s, t| 0.01 + 0.2 * s * t,
    |s, t| 0.01 + 0.01 * s * t,
];

#[test]
fn what_grows_in_a_known_way_is_continued_along_both_axes() {
    for (index, truth) in SHAPES.into_iter().enumerate() {
        let star = Star::of(&DIVIDED).asked("a/x", "scan", truth);
        let time = star.time("scan");
        let known = time.known().unwrap();
        let expected = truth(4.0, 3.0);
        near(known.seconds, expected, 0.2);
        let (low, high) = known.interval;
        assert!(
            (low..=high).contains(&expected),
            "{index}: {known:?} of {expected}"
        );
        assert_eq!(time.along, [(Axis::Series, 4), (Axis::Time, 4)]);
        assert!(
            time.basis()
                .starts_with("4 scales of series and 4 of time, held-out error")
        );
    }
}

#[test]
fn the_corner_tells_what_grows_with_both_from_what_grows_with_each() {
    let product: Truth = |s, t| 0.01 + 0.01 * s * t;
    let sum: Truth = |s, t| 0.01 * s + 0.01 * t;
    let divided = [&DIVIDED[..6], &[(8, 8)]].concat();
    for truth in [product, sum] {
        let star = Star::of(&divided).asked("a/x", "scan", truth);
        near(
            star.time("scan").known().unwrap().seconds,
            truth(4.0, 3.0),
            0.1,
        );
    }
    let without = Star::of(&DIVIDED[..6]).asked("a/x", "scan", product);
    let spread = |star: &Star| star.time("scan").known().unwrap().spread;
    let with = Star::of(&divided).asked("a/x", "scan", product);
    assert!(spread(&without) > 1.5 * spread(&with));
}

#[test]
fn what_is_asked_of_a_window_ends_to_grow_where_the_window_is_full() {
    let windowed: Truth = |s, t| 0.001 + 0.1 * s * t.min(0.5);
    let whole: Truth = |s, t| 0.001 + 0.1 * s * t;
    for truth in [windowed, whole] {
        let star = Star::of(&DIVIDED).asked("a/x", "key", truth);
        near(
            star.time("key").known().unwrap().seconds,
            truth(4.0, 3.0),
            0.1,
        );
    }
}

#[test]
fn a_window_that_no_table_holds_twice_leaves_open_whether_it_grows() {
    let mut star = Star::of(&DIVIDED).asked("a/x", "key", |_, t| 0.1 * t);
    star.axes.windows = [("key".to_owned(), 1.0)].into();
    let spread = match star.time("key").forecast {
        Projected::Seconds(known) => known.spread,
        Projected::Refused(refusal) => {
            assert!(matches!(refusal, Refusal::TooWide { .. }));
            1.0
        }
    };
    assert!(spread > 0.3, "{spread}");
}

#[test]
fn a_table_with_nothing_to_find_is_no_scale() {
    let mut star = Star::of(&DIVIDED).asked("a/x", "scan", |s, t| 0.1 * s * t);
    let table = Instance::part("a/x", (8, 1), 0).id;
    star.records
        .retain(|record| !matches!(record, Record::Timed(t) if t.design == table));
    star.answer(&table, "scan", 0, 0.0001, 0);
    assert_eq!(star.time("scan").along[0], (Axis::Series, 3));
    assert_eq!(star.refusal("scan"), Refusal::TooFewScales { scales: 3 });
}

#[test]
fn a_forecast_takes_the_rows_that_reach_along_each_axis() {
    let scan: Truth = |s, t| 0.1 * s * t;
    let star = Star::of(&DIVIDED).asked("a/x", "scan", scan);
    let mut star = star.asked("a/y", "scan", scan);
    star.unit_rows = Some(100_000);
    assert_eq!(star.summary().rows_to_forecast(), Some(1_600_000));
    // An eighth shows eight times the series, and a 27th the 20 times.
    star.axes.to_full = (20.0, 3.0);
    assert_eq!(star.summary().rows_to_forecast(), Some(5_400_000));
}

#[test]
fn what_the_tables_do_not_show_is_refused_with_what_to_measure() {
    let scan: Truth = |s, t| 0.1 * s * t;
    let mut star = Star::of(&DIVIDED).asked("a/x", "scan", scan);
    star.axes.to_full = (40.0, 3.0);
    let refused = star.refusal("scan").to_string();
    let expected = "40× the series is further than the tables of the run, which are 8× apart; measure with \
                    --scales star:4x4 or load more series";
    assert_eq!(refused, expected);
    star.axes.to_full = (0.1, 3.0);
    assert!(matches!(
        star.refusal("scan"),
        Refusal::TooNearAlong {
            axis: Axis::Series,
            ..
        }
    ));
    let along_series = Star::of(&DIVIDED[..3]).asked("a/x", "scan", scan);
    let refused = along_series.refusal("scan");
    assert_eq!(
        refused,
        Refusal::NoTables {
            axis: Axis::Time,
            times: 3.0
        }
    );
    assert!(refused.to_string().ends_with("measure with --scales star"));
    let mut chunks = Star::of(&DIVIDED).asked("a/x", "scan", scan);
    chunks.unit_rows = Some(100_000);
    assert!(matches!(
        chunks.refusal("scan"),
        Refusal::TooFewRows {
            load: ToLoad {
                rows: 1_600_000,
                ladder: None,
                there: None
            },
            ..
        }
    ));
    chunks.records.push(Record::LoadingDone {
        rows: ROWS,
        is_all: true,
        left: None,
    });
    let refused = chunks.refusal("scan").to_string();
    assert!(
        refused.contains("are needed, and the data has"),
        "{refused}"
    );
}

#[test]
fn an_axis_that_stays_needs_no_tables() {
    let star = Star::of(&DIVIDED[..3]).asked("a/x", "scan", |s, t| 0.001 + 0.1 * s * t);
    let summary = star.summary();
    let forecast = summary.projected_along(4.0, 1.001, 1).unwrap();
    let time = forecast.design("a/x").unwrap().time("scan").unwrap();
    near(time.known().unwrap().seconds, 0.401, 0.05);
    assert!(
        super::Ladder::of(&super::ROWS)
            .summary()
            .projected_along(4.0, 1.0, 1)
            .is_none()
    );
}

#[test]
fn a_number_of_rows_is_on_the_way_to_the_full_scale() {
    let star = Star::of(&DIVIDED).asked("a/x", "scan", |s, _| 0.1 * s);
    let summary = star.summary();
    let times = 12f64.sqrt();
    let forecast = summary.projected((ROWS as f64 * times) as u64, 1);
    let time = forecast.design("a/x").unwrap().time("scan").unwrap();
    near(time.known().unwrap().seconds, 0.1 * 2.0, 0.05);
    assert!(time.from_rows < ROWS && time.to_rows > 12 * ROWS);
    let measured = summary.projected(ROWS, 1);
    let time = measured.design("a/x").unwrap().time("scan").unwrap();
    assert_eq!(time.basis(), "measured");
}

#[test]
fn bytes_have_parts_that_grow_with_rows_and_with_series() {
    let bytes: Truth = |s, t| 1e6 + 4e7 * s * t + 5e6 * s;
    let star = Star::of(&DIVIDED).stored(bytes);
    let forecast = star.forecast();
    let storage = forecast.design("a/x").unwrap().storage.clone().unwrap();
    near(storage.bytes, 3.0 * bytes(4.0, 3.0), 1e-3);
    assert!(storage.interval.unwrap().0 <= storage.bytes);
    assert_eq!(storage.scales, 7);
    let one = Star::of(&DIVIDED[..3]).stored(bytes).forecast();
    let storage = one.design("a/x").unwrap().storage.clone().unwrap();
    assert_eq!(storage.interval, None, "the time is taken in proportion");
}

/// Shares of forecasts that are known, of intervals that hold the truth, and of checks that hold, and the
/// median error.
fn simulated(truths: &[Truth], noise: f64) -> (f64, f64, f64, f64) {
    let (mut known, mut held, mut covered, mut errors) = (0, Vec::new(), Vec::new(), Vec::new());
    let mut all = 0;
    for seed in 0..40 {
        let mut random = SplitMix64::new(seed);
        let mut star = Star::of(&DIVIDED);
        let mut drawn = Vec::new();
        let rounds: Vec<f64> = (0..7).map(|_| 0.1 * random.normal()).collect();
        for (design, query) in [("a/x", "scan"), ("a/y", "scan")] {
            let truth = truths[random.below(truths.len())];
            drawn.push((design, query, truth));
            for (table, (series, time)) in star.tables(design) {
                let of_table = 0.02 * random.normal();
                for (round, common) in rounds.iter().enumerate() {
                    let ln = common + of_table + noise * random.normal();
                    let seconds = truth(1.0 / f64::from(series), 1.0 / f64::from(time)) * ln.exp();
                    star.answer(&table, query, round as u32, seconds, 1);
                }
            }
        }
        let forecast = star.forecast();
        for (design, query, truth) in drawn {
            let time = forecast.design(design).unwrap().time(query).unwrap();
            covered.extend(time.held_out.as_ref().map(HeldOut::is_covered));
            all += 1;
            if let Some(projection) = time.known() {
                let truth = truth(4.0, 3.0);
                known += 1;
                held.push((projection.interval.0..=projection.interval.1).contains(&truth));
                errors.push((projection.seconds / truth).ln().abs());
            }
        }
    }
    errors.sort_by(f64::total_cmp);
    let share = |of: &[bool]| of.iter().filter(|is| **is).count() as f64 / of.len() as f64;
    (
        f64::from(known) / f64::from(all),
        share(&held),
        share(&covered),
        errors[errors.len() / 2],
    )
}

#[test]
fn intervals_along_both_axes_hold_the_truth_about_as_often_as_they_say() {
    for noise in [0.05, 0.1] {
        let (known, held, covered, error) = simulated(&SHAPES, noise);
        println!("{noise}: known {known}, held {held}, covered {covered}, error {error}");
        assert!((0.8..=0.99).contains(&held), "{noise}: {held}");
        assert!((0.75..=0.99).contains(&covered), "{noise}: {covered}");
        assert!(error < 0.1, "{noise}: {error}");
        assert!(known > 0.8, "{noise}: {known}");
    }
}
