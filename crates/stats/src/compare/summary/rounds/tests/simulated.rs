//! Shares of intervals that hold the truth, and of differences that are found, for simulated times.

use super::super::best::Field;
use super::super::method::{Interval, Method, TableNoise};
use super::super::paired::Paired;
use super::super::twins::{self, Twins};
use super::super::{Difference, SAME_WITHIN};
use crate::random::SplitMix64;

type Times = Vec<(u32, f64)>;

/// Noise of times about their truth, as deviations of logarithms.
#[derive(Clone, Copy)]
struct Noise {
    rounds: u32,
    /// Own noise of a table.
    own: f64,
    tails: Tails,
    /// Correlation of a table's own noise with that of the round before.
    correlation: f64,
    /// Deviation between tables of one design.
    tables: f64,
}

#[derive(Clone, Copy)]
enum Tails {
    Normal,
    /// Student's t with three degrees of freedom.
    Heavy,
    /// Some rounds take up to five times as long.
    Pauses,
}

const PLAIN: Noise = Noise {
    rounds: 7,
    own: 0.1,
    tails: Tails::Normal,
    correlation: 0.0,
    tables: 0.0,
};
const QUERIES: usize = 3;
const DESIGNS: usize = 4;

impl Noise {
    fn draw(&self, random: &mut SplitMix64) -> f64 {
        let normal = random.normal();
        match self.tails {
            Tails::Normal => normal,
            Tails::Heavy => {
                let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                normal / (squares / 3.0).sqrt()
            }
            Tails::Pauses if random.below(10) == 0 => normal + 16.0 * random.uniform(),
            Tails::Pauses => normal,
        }
    }

    /// Returns times of a table whose truth is `exp(ln)`, in rounds that have something in common.
    fn times(&self, ln: f64, common: &[f64], random: &mut SplitMix64) -> Times {
        let table = ln + self.tables * random.normal();
        let fresh = (1.0 - self.correlation.powi(2)).sqrt();
        let mut own = self.draw(random);
        (0..self.rounds)
            .zip(common)
            .map(|(round, common)| {
                own = self.correlation * own + fresh * self.draw(random);
                (round, (table + common + self.own * own).exp())
            })
            .collect()
    }

    /// Returns a drift that all tables share, and what else a round has in common.
    fn common(&self, random: &mut SplitMix64) -> Vec<f64> {
        let mut drift = 0.0;
        let mut step = || {
            drift += 0.2 * random.normal();
            drift + 0.3 * random.normal()
        };
        (0..self.rounds).map(|_| step()).collect()
    }
}

/// Intervals to the best design of each query, for designs with this truth.
struct Run {
    to_best: Vec<Vec<Interval>>,
    noise: Vec<Option<TableNoise>>,
}

fn pairs(tables: &[Times]) -> Vec<Paired> {
    let of =
        |one: &Times| -> Vec<Paired> { tables.iter().map(|two| Paired::new(one, two)).collect() };
    tables.iter().flat_map(of).collect()
}

/// The first two designs have twins where `with_twins` is set.
fn run(noise: Noise, truth: &[[f64; DESIGNS]; QUERIES], with_twins: bool, seed: u64) -> Run {
    let mut random = SplitMix64::new(seed);
    let mut queries: Vec<(Vec<Times>, Vec<Paired>)> = Vec::new();
    for truth in truth {
        let common = noise.common(&mut random);
        let mut table = |ln: f64| noise.times(ln, &common, &mut random);
        let tables: Vec<Times> = truth.iter().map(|ln| table(*ln)).collect();
        let twins = (0..2).map(|design| Paired::new(&tables[design], &table(truth[design])));
        let twins: Vec<Paired> = twins.collect();
        queries.push((tables, if with_twins { twins } else { Vec::new() }));
    }
    let all: Vec<Paired> = queries
        .iter()
        .flat_map(|(tables, _)| pairs(tables))
        .collect();
    let method = Method::new((DESIGNS - 1) * QUERIES, &all);
    let twins: Vec<Twins> = queries
        .iter()
        .map(|(_, pairs)| Twins::from_pairs(&method, pairs))
        .collect();
    let tables = twins::noise(&twins);
    let of_query = |((tables, _), noise): (&(Vec<Times>, Vec<Paired>), &Option<TableNoise>)| {
        let mut ratios = pairs(tables).into_iter();
        let mut ratio = |_| method.interval(&ratios.next().unwrap(), *noise).unwrap();
        let field = Field {
            may_be_best: vec![true; DESIGNS],
            ratios: (0..DESIGNS)
                .map(|_| (0..DESIGNS).map(&mut ratio).collect())
                .collect(),
        };
        field.to_best()
    };
    Run {
        to_best: queries.iter().zip(&tables).map(of_query).collect(),
        noise: tables,
    }
}

/// Truths of which some are equal and some are not.
fn truth(random: &mut SplitMix64) -> [[f64; DESIGNS]; QUERIES] {
    [(); QUERIES].map(|()| [(); DESIGNS].map(|()| 0.3 * random.below(3) as f64))
}

/// Returns the share of runs in which all intervals hold their truth.
fn covered(noise: Noise, runs: u64, with_twins: bool) -> f64 {
    let mut random = SplitMix64::new(runs);
    let mut covered = 0;
    for seed in 0..runs {
        let truth = truth(&mut random);
        let run = run(noise, &truth, with_twins, seed);
        let is_covered = truth.iter().zip(&run.to_best).all(|(truth, intervals)| {
            let best = truth.iter().copied().fold(f64::INFINITY, f64::min);
            let mut both = truth.iter().zip(intervals);
            both.all(|(ln, i)| i.low - 1e-9 <= ln - best && ln - best <= i.high + 1e-9)
        });
        covered += u32::from(is_covered);
    }
    f64::from(covered) / runs as f64
}

#[test]
fn all_intervals_of_a_run_hold_at_once_in_95_of_100_runs() {
    for tails in [Tails::Normal, Tails::Heavy, Tails::Pauses] {
        for (rounds, correlation) in [(5, 0.0), (7, 0.0), (7, 0.2), (15, 0.4)] {
            let noise = Noise {
                rounds,
                tails,
                correlation,
                ..PLAIN
            };
            let runs = 300;
            let share = covered(noise, runs, false);
            // Two standard errors of a share that is 94% in truth.
            let by_chance = 2.0 * (0.94 * 0.06 / runs as f64).sqrt();
            assert!(
                share + by_chance >= 0.94,
                "{} {rounds} {correlation}: {share}",
                tails as u8
            );
        }
    }
}

#[test]
fn intervals_hold_though_each_design_is_only_one_of_its_tables() {
    let noise = Noise {
        tables: 0.1,
        own: 0.05,
        ..PLAIN
    };
    let share = covered(noise, 400, true);
    assert!(share >= 0.94, "with twins: {share}");
    let share = covered(noise, 400, false);
    assert!(share < 0.8, "without twins nothing shows it: {share}");
}

#[test]
fn equal_designs_are_seldom_called_different() {
    let equal = [[0.0; DESIGNS]; QUERIES];
    let claims = (0..400).filter(|seed| {
        let run = run(PLAIN, &equal, false, *seed);
        run.to_best.iter().flatten().any(|i| i.low > 0.0)
    });
    assert!(claims.count() <= 20);
}

#[test]
fn differences_and_equality_are_found_where_noise_allows() {
    let truth = [[0.0, 0.01, 0.3, 1.0]; QUERIES];
    let quiet = Noise {
        own: 0.01,
        rounds: 12,
        ..PLAIN
    };
    for seed in 0..20 {
        let run = run(quiet, &truth, false, seed);
        let of = |design: usize| run.to_best[0][design].difference(SAME_WITHIN);
        let found = [of(0), of(1), of(2), of(3)];
        let same = [Difference::Same; 2];
        assert_eq!(found[..2], same, "{seed}");
        assert_eq!(found[2..], [Difference::Slower; 2], "{seed}");
    }
}

#[test]
fn twins_show_the_deviation_of_tables() {
    let noise = Noise {
        tables: 0.1,
        ..PLAIN
    };
    let zero = [[0.0; DESIGNS]; QUERIES];
    let deviations = (0..300).map(|seed| run(noise, &zero, true, seed).noise[0].unwrap());
    let mean = deviations.map(|noise| noise.variance).sum::<f64>() / 300.0;
    // The larger one of two estimates is too large on average.
    assert!((0.1..0.15).contains(&mean.sqrt()), "{}", mean.sqrt());
}
