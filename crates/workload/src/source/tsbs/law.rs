//! Turns an unbounded walk into the values of a metric.

use std::f64::consts::FRAC_1_SQRT_2;

/// Law by which a walk of steps with mean 0 and deviation 1 becomes values.
#[derive(Debug, Clone, Copy)]
pub enum Law {
    /// A walk that is kept between two ends and starts uniformly in a part of that range.
    Bounded {
        low: f64,
        high: f64,
        deviation: f64,
        start: [f64; 2],
    },
    /// A walk that moves from `start` by `mean` a step, never below `least` nor above `most`.
    Drift {
        start: f64,
        mean: f64,
        deviation: f64,
        least: f64,
        most: f64,
    },
    /// A walk that moves from 1 down by `mean` a step, and is filled up again at 0.
    Tank { mean: f64, deviation: f64 },
}

/// Distance of mirrors beyond the ends. A walk that is set back to its end whenever it would leave
/// stays on each end for as long as a mirrored walk needs for this part of a step's deviation
/// (Spitzer's mean ladder height). So mirrors are that far beyond the ends, and values beyond an
/// end count as the end.
const BEYOND_AN_END: f64 = FRAC_1_SQRT_2;

/// Number whose addition and subtraction rounds to a whole number, up to 2^51.
const ROUNDING: f64 = 1.5 * (1u64 << 52) as f64;

impl Law {
    /// Makes a walk between two ends that starts anywhere between them.
    pub const fn between(low: f64, high: f64, deviation: f64) -> Law {
        Law::Bounded {
            low,
            high,
            deviation,
            start: [low, high],
        }
    }

    /// Makes the walk start uniformly between these.
    pub const fn starting(self, from: f64, to: f64) -> Law {
        match self {
            Law::Bounded {
                low,
                high,
                deviation,
                ..
            } => Law::Bounded {
                low,
                high,
                deviation,
                start: [from, to],
            },
            Law::Drift { .. } | Law::Tank { .. } => self,
        }
    }

    /// Makes a walk that only grows, from 0 on.
    pub const fn counter(mean: f64) -> Law {
        Law::Drift {
            start: 0.0,
            mean,
            deviation: 1.0,
            least: 0.0,
            most: f64::INFINITY,
        }
    }

    /// Makes a walk from `start` up to `most`, where it stays.
    pub const fn up_to(most: f64, start: f64, mean: f64) -> Law {
        Law::Drift {
            start,
            mean,
            deviation: 1.0,
            least: 0.0,
            most,
        }
    }

    /// Returns the range in which the walk starts uniformly.
    pub fn start(&self) -> [f64; 2] {
        match *self {
            Law::Bounded {
                low,
                deviation,
                start,
                ..
            } => start.map(|value| (value - low) / deviation + BEYOND_AN_END),
            Law::Drift { .. } | Law::Tank { .. } => [0.0; 2],
        }
    }

    /// Adds the values for these points of a walk, each with its tick.
    pub fn extend(&self, values: &mut Vec<f64>, walk: impl Iterator<Item = (f64, u64)>) {
        match *self {
            Law::Bounded {
                low,
                high,
                deviation,
                ..
            } => {
                let turn = 2.0 * ((high - low) / deviation + 2.0 * BEYOND_AN_END);
                let per_turn = 1.0 / turn;
                let begin = low - BEYOND_AN_END * deviation;
                values.extend(walk.map(|(at, _)| {
                    // Between two mirrors: how far it is to the nearest whole turn.
                    let turns = at * per_turn;
                    let whole = (turns + ROUNDING) - ROUNDING;
                    let position = (turns - whole).abs() * turn;
                    (begin + position * deviation).max(low).min(high)
                }));
            }
            Law::Drift {
                start,
                mean,
                deviation,
                least,
                most,
            } => values.extend(walk.map(|(at, tick)| {
                let drifted = start + mean * tick as f64 + deviation * at;
                drifted.max(least).min(most)
            })),
            Law::Tank { mean, deviation } => values.extend(walk.map(|(at, tick)| {
                let all_used = mean * tick as f64 + deviation * at;
                let used = all_used - all_used.floor();
                // Full for one step on average, which is how long it takes to use so much.
                if used < mean { 1.0 } else { 1.0 - used }
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::walker::{Noise, Visit, Walk, Walker};
    use super::*;
    use crate::Stream;
    use rand_distr::{Distribution, StandardNormal};

    const PERCENT: Law = Law::between(0.0, 100.0, 1.0);
    const SERIES: u32 = 200;
    const TICKS: u64 = 20_000;

    fn values(law: Law, ticks: impl Iterator<Item = u64>, source: u32) -> Vec<f64> {
        let stream = Stream::new(&[5]);
        let walk = Walk {
            noise: Noise::Normal,
            start: law.start(),
        };
        let mut walker = Walker::new(&stream, vec![walk], SERIES);
        let walk = ticks.map(|tick| (walker.visit(Visit { source, tick })[0], tick));
        let mut values = Vec::new();
        law.extend(&mut values, walk);
        values
    }

    /// Makes the walk as TSBS does.
    fn clamped(stream: &mut Stream) -> Vec<f64> {
        let mut at = stream.unit() * 100.0;
        let step = |_| {
            let step: f64 = StandardNormal.sample(stream);
            at = (at + step).clamp(0.0, 100.0);
            at
        };
        (0..TICKS).map(step).collect()
    }

    /// Returns shares of the values that are on an end, near an end, and in tenths of the range;
    /// then the deviation of steps inside, and how far series move in 1,000 steps.
    fn profile(series: &[Vec<f64>]) -> Vec<f64> {
        let all: Vec<f64> = series.concat();
        let share = |of: &dyn Fn(f64) -> bool| {
            all.iter().filter(|v| of(**v)).count() as f64 / all.len() as f64
        };
        let mut profile = vec![
            share(&|v| v == 0.0),
            share(&|v| v == 100.0),
            share(&|v| (0.0..3.0).contains(&v)),
        ];
        profile.extend(
            (0..10).map(|tenth| share(&|v| v > 0.0 && v < 100.0 && (v / 10.0) as usize == tenth)),
        );
        let inside = |pair: &&[f64]| (10.0..90.0).contains(&pair[0]);
        let steps: Vec<f64> = series
            .iter()
            .flat_map(|s| s.windows(2).filter(inside).map(|pair| pair[1] - pair[0]))
            .collect();
        let square = steps.iter().map(|s| s * s).sum::<f64>() / steps.len() as f64;
        profile.push(square.sqrt());
        let moved: Vec<f64> = series
            .iter()
            .flat_map(|s| s.chunks(1000).map(|c| (c[c.len() - 1] - c[0]).abs()))
            .collect();
        profile.push(moved.iter().sum::<f64>() / moved.len() as f64);
        profile
    }

    #[test]
    fn a_bounded_walk_is_distributed_as_one_that_is_clamped() {
        let ours: Vec<_> = (0..SERIES)
            .map(|source| values(PERCENT, 0..TICKS, source))
            .collect();
        let mut stream = Stream::new(&[6]);
        let theirs: Vec<_> = (0..SERIES).map(|_| clamped(&mut stream)).collect();
        let (ours, theirs) = (profile(&ours), profile(&theirs));
        // Some 2,000 independent stretches of each: shares near 1 % are known to a tenth of
        // themselves, tenths and movement to a twentieth.
        for (index, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            let tolerance = if index < 3 { 0.3 } else { 0.12 };
            let ratio = ours / theirs;
            assert!((ratio - 1.0).abs() < tolerance, "{index}: {ours} {theirs}");
        }
        assert!((ours[13] - 1.0).abs() < 0.01, "step {}", ours[13]);
    }

    #[test]
    fn bounds_hold() {
        for source in 0..20 {
            let far = (0..1000).map(|index| index * 999_999_937);
            let all = values(PERCENT, far, source);
            assert!(all.iter().all(|v| (0.0..=100.0).contains(v)), "{all:?}");
        }
    }

    /// Tests a range five steps wide, so that a walk is at an end most of the time.
    #[test]
    fn a_walk_between_near_ends_stands_on_them_as_one_that_is_clamped() {
        let law = Law::between(0.0, 5.0, 1.0).starting(0.0, 0.0);
        let ours: Vec<f64> = (0..20)
            .flat_map(|source| values(law, 0..TICKS, source))
            .collect();
        assert!(ours[0] < 1e-9, "{}", ours[0]);
        let mut stream = Stream::new(&[6]);
        let mut at = 0f64;
        let theirs: Vec<f64> = (0..ours.len())
            .map(|_| {
                let step: f64 = StandardNormal.sample(&mut stream);
                at = (at + step).clamp(0.0, 5.0);
                at
            })
            .collect();
        for whole in 0..=5 {
            let share = |values: &[f64]| {
                values
                    .iter()
                    .filter(|v| v.trunc() == f64::from(whole))
                    .count() as f64
                    / values.len() as f64
            };
            let ratio = share(&ours) / share(&theirs);
            assert!((ratio - 1.0).abs() < 0.12, "{whole}: {ratio}");
        }
    }

    #[test]
    fn walks_start_where_they_have_to() {
        let north = Law::between(-90.0, 90.0, 0.003).starting(0.0, 90.0);
        let starts: Vec<f64> = (0..SERIES)
            .map(|source| values(north, 0..1, source)[0])
            .collect();
        assert!(starts.iter().all(|at| (0.0..=90.0).contains(at)));
        let mean = starts.iter().sum::<f64>() / f64::from(SERIES);
        // A standard error of 1.84; five of them.
        assert!((mean - 45.0).abs() < 9.2, "{mean}");
        let middle = Law::between(0.0, 50.0, 3.0).starting(25.0, 25.0);
        assert!((values(middle, 0..1, 3)[0] - 25.0).abs() < 1e-9);
    }

    #[test]
    fn counters_climb_and_end_where_they_may() {
        let counter = values(Law::counter(5.0), 0..10_000, 3);
        assert_eq!(counter[0], 0.0);
        assert!(counter.windows(2).all(|pair| pair[0] < pair[1]));
        assert!((counter[9_999] / 50_000.0 - 1.0).abs() < 0.02);
        let most = values(Law::up_to(100.0, 0.0, 5.0), 0..1000, 3);
        assert!(most[5] < 100.0 && most[100..].iter().all(|v| *v == 100.0));
    }

    #[test]
    fn a_tank_empties_and_is_filled() {
        let tank = Law::Tank {
            mean: 0.0005,
            deviation: 0.000_29,
        };
        let tank = values(tank, 0..10_000, 4);
        assert_eq!(tank[0], 1.0);
        let filled = tank
            .windows(2)
            .filter(|pair| pair[1] - pair[0] > 0.9)
            .count();
        assert!((4..=5).contains(&filled), "{filled}");
        assert!(tank.iter().all(|level| (0.0..=1.0).contains(level)));
    }
}
