//! Random walks with random access, from which the next steps are cheap.
//!
//! A walk of normal steps is fixed by its ends: the points between two known points are normal
//! around the line that joins them (a Brownian bridge). So a walk of 2^40 steps is halved, and the
//! half that holds the wanted step again, until 256 steps are left, which are then taken one by one
//! towards their known end. Reading on costs one draw per step; entering costs 33 draws for the
//! halves and at most 255 steps, wherever it is. No step depends on where reading began.

use std::ops::Range;

use rand_distr::{Distribution, StandardNormal};

use crate::Stream;
use crate::tsbs::MOST_TICKS;

/// Steps between two points that are known without taking steps.
const LEAF_TICKS: u64 = 256;
const LEAF: usize = LEAF_TICKS as usize;
/// Number of times that the whole walk is halved until a leaf is left.
const LEVELS: u32 = (MOST_TICKS / LEAF_TICKS).ilog2();
/// Standard deviation of a number that is uniform in a range of width 1.
const DEVIATION_OF_UNIT: f64 = 0.288_675_134_594_812_9;

/// Distribution of single steps, with mean 0 and deviation 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    Normal,
    Uniform,
}

/// Start and steps of a walk.
#[derive(Debug, Clone, Copy)]
pub struct Walk {
    pub noise: Noise,
    /// Range in which it starts uniformly.
    pub start: [f64; 2],
}

/// A reading of a source, which is a host or truck, at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visit {
    pub source: u32,
    pub tick: u64,
}

/// Walks of some sources. Moving forward is cheap, moving elsewhere is possible.
pub struct Walker {
    /// Walks of a source.
    walks: Vec<Walk>,
    /// Tick that the walks of each source are at, plus 1; 0 before its first visit. All
    /// numbers are zero at first, so that a source that is never visited takes no memory.
    reached: Vec<u64>,
    /// Point of each walk, source by source.
    at: Vec<f64>,
    /// End of each walk's leaf, source by source.
    end: Vec<f64>,
    starts: Stream,
    halves: Stream,
    steps: Stream,
    /// Pull towards its end and weight of its noise, for each step of a leaf.
    bridge: [(f64, f64); LEAF],
}

impl Walker {
    /// Makes the walks of a stream from which nothing was drawn.
    pub fn new(stream: &Stream, walks: Vec<Walk>, sources: u32) -> Self {
        let all_points = sources as usize * walks.len();
        Walker {
            walks,
            reached: vec![0; sources as usize],
            at: vec![0.0; all_points],
            end: vec![0.0; all_points],
            starts: stream.and(0),
            halves: stream.and(1),
            steps: stream.and(2),
            bridge: std::array::from_fn(|done| {
                let left = (LEAF - done) as f64;
                (1.0 / left, ((left - 1.0) / left).sqrt())
            }),
        }
    }

    /// Returns the points of the walks of a source at a tick.
    pub fn visit(&mut self, visit: Visit) -> &[f64] {
        let source = visit.source as usize;
        let points_of_source = source * self.walks.len()..(source + 1) * self.walks.len();
        let leaf = visit.tick / LEAF_TICKS;
        let mut tick = match self.reached[source].checked_sub(1) {
            Some(tick) if tick / LEAF_TICKS == leaf && tick <= visit.tick => tick,
            _ => {
                self.enter(visit.source, leaf, points_of_source.clone());
                leaf * LEAF_TICKS
            }
        };
        if tick < visit.tick {
            let steps = self.steps.and(u64::from(visit.source));
            while tick < visit.tick {
                self.step(&steps, tick, points_of_source.clone());
                tick += 1;
            }
        }
        self.reached[source] = visit.tick + 1;
        &self.at[points_of_source]
    }

    /// Moves from a tick to the next one, which is in the same leaf.
    fn step(&mut self, steps: &Stream, tick: u64, points_of_source: Range<usize>) {
        let mut stream = steps.and(tick);
        let (pull, weight) = self.bridge[(tick % LEAF_TICKS) as usize];
        let points = self.at[points_of_source.clone()]
            .iter_mut()
            .zip(&self.end[points_of_source]);
        for ((at, end), walk) in points.zip(&self.walks) {
            let noise = match walk.noise {
                Noise::Normal => normal(&mut stream),
                Noise::Uniform => uniform(&mut stream),
            };
            *at += (end - *at) * pull + weight * noise;
        }
    }

    /// Finds both ends of a leaf by halving the whole walk.
    fn enter(&mut self, source: u32, leaf: u64, points_of_source: Range<usize>) {
        let (at, end) = (
            &mut self.at[points_of_source.clone()],
            &mut self.end[points_of_source],
        );
        let halves = self.halves.and(u64::from(source));
        let mut starts = self.starts.and(u64::from(source));
        let mut whole = halves.and(0);
        for ((at, end), walk) in at.iter_mut().zip(end.iter_mut()).zip(&self.walks) {
            let [from, to] = walk.start;
            *at = from + starts.unit() * (to - from);
            *end = *at + (MOST_TICKS as f64).sqrt() * normal(&mut whole);
        }
        // The parts are numbered as in a heap: the whole is 1, its halves are 2 and 3.
        let mut part = 1;
        for level in (0..LEVELS).rev() {
            let half_ticks = LEAF_TICKS << level;
            // The middle of a bridge over n steps has the variance n/4.
            let deviation = (half_ticks as f64 / 2.0).sqrt();
            let mut stream = halves.and(part);
            let is_second = (leaf >> level) & 1;
            for (at, end) in at.iter_mut().zip(end.iter_mut()) {
                let middle = (*at + *end) / 2.0 + deviation * normal(&mut stream);
                *(if is_second == 1 { at } else { end }) = middle;
            }
            part = 2 * part + is_second;
        }
    }
}

fn normal(stream: &mut Stream) -> f64 {
    StandardNormal.sample(stream)
}

fn uniform(stream: &mut Stream) -> f64 {
    (stream.unit() - 0.5) / DEVIATION_OF_UNIT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walker(noise: Noise, sources: u32) -> Walker {
        let walks = [[0.0, 0.0], [0.0, 100.0]].map(|start| Walk { noise, start });
        Walker::new(&Stream::new(&[1, 2]), walks.into(), sources)
    }

    fn path(noise: Noise, ticks: Range<u64>) -> Vec<f64> {
        let mut walker = walker(noise, 1);
        ticks
            .map(|tick| walker.visit(Visit { source: 0, tick })[0])
            .collect()
    }

    #[test]
    fn a_walk_is_the_same_wherever_and_in_whatever_order_it_is_entered() {
        let whole = path(Noise::Normal, 0..1000);
        assert_eq!(whole[300..], path(Noise::Normal, 300..1000));
        let mut jumping = walker(Noise::Normal, 1);
        for tick in [999, 0, 255, 256, 257, 100, 511, 512, 256] {
            let at = jumping.visit(Visit { source: 0, tick })[0];
            assert_eq!(at, whole[tick as usize], "tick {tick}");
        }
        let last = MOST_TICKS - 1;
        assert!(path(Noise::Normal, last..last + 1)[0].is_finite());
    }

    /// Returns mean, deviation and correlation with the previous step of the steps of a walk.
    fn steps(noise: Noise) -> (f64, f64, f64) {
        let path = path(noise, 0..200_000);
        let steps: Vec<f64> = path.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let count = steps.len() as f64;
        let mean = steps.iter().sum::<f64>() / count;
        let variance = steps.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / count;
        let lagged = steps.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / count;
        (mean, variance.sqrt(), lagged / variance)
    }

    #[test]
    fn steps_are_independent_with_mean_0_and_deviation_1() {
        for noise in [Noise::Normal, Noise::Uniform] {
            let (mean, deviation, lagged) = steps(noise);
            // Standard errors over 200,000 steps: 0.0022, 0.0016, 0.0022; five of them.
            assert!(mean.abs() < 0.0112, "{noise:?}: mean {mean}");
            assert!((deviation - 1.0).abs() < 0.008, "{noise:?}: {deviation}");
            assert!(lagged.abs() < 0.0112, "{noise:?}: correlation {lagged}");
        }
    }

    /// Tests that 68.27 %, 95.45 % and 99.73 % of normal steps are within one, two and three
    /// deviations.
    #[test]
    fn steps_are_normal() {
        let path = path(Noise::Normal, 0..200_000);
        let steps: Vec<f64> = path.windows(2).map(|pair| pair[1] - pair[0]).collect();
        for (deviations, share) in [(1.0, 0.6827), (2.0, 0.9545), (3.0, 0.9973)] {
            let within = steps.iter().filter(|s| s.abs() < deviations).count();
            let within = within as f64 / steps.len() as f64;
            assert!((within - share).abs() < 0.0055, "{deviations}: {within}");
        }
    }

    /// Tests that over n steps a walk moves by the square root of n: over one, a leaf, and many
    /// leaves.
    #[test]
    fn distance_grows_with_the_square_root_of_steps() {
        const SOURCES: u32 = 4000;
        let mut walker = walker(Noise::Normal, SOURCES);
        for (from, ticks) in [(0, 1), (200, 256), (1000, 10_000), (0, 1 << 30)] {
            let mut squares = 0.0;
            for source in 0..SOURCES {
                let begin = walker.visit(Visit { source, tick: from })[0];
                let tick = from + ticks;
                squares += (walker.visit(Visit { source, tick })[0] - begin).powi(2);
            }
            let ratio = squares / f64::from(SOURCES) / ticks as f64;
            // The variance of 4,000 draws has a standard error of 2.2 %; five of them.
            assert!((ratio - 1.0).abs() < 0.112, "{ticks} steps: {ratio}");
        }
    }
}
