//! What a decision draws at random: rounds with replacement, and differences between tables of one design.

use super::{RESAMPLES, SEED};
use crate::compare::summary::{DesignSummary, QuerySummary};
use crate::decide::{Figure, Timed};
use crate::estimate::median;
use crate::random::SplitMix64;

/// Seed of the differences between tables of one design.
const TABLES_SEED: u64 = 0x0007_AB1E;

/// Draws rounds with replacement, as many as there are, [`RESAMPLES`] times.
pub fn draw(rounds: &[u32]) -> Vec<Vec<u32>> {
    if rounds.len() < 2 {
        return Vec::new();
    }
    let mut random = SplitMix64::new(SEED);
    let mut resamples = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let drawn = rounds.iter().map(|_| rounds[random.below(rounds.len())]);
        resamples.push(drawn.collect());
    }
    resamples
}

/// Draws random factors between a table and another one of the same design.
pub struct TableDraws(SplitMix64);

impl TableDraws {
    /// Begins with the seed that all decisions have.
    pub fn new() -> TableDraws {
        TableDraws(SplitMix64::new(TABLES_SEED))
    }

    /// Draws a factor for each resample.
    pub fn factors(&mut self, deviation: f64, resamples: usize) -> Vec<f64> {
        (0..resamples)
            .map(|_| (deviation * self.0.normal()).exp())
            .collect()
    }
}

/// Returns the time of a query with its resamples, each multiplied by the factor of the table in it.
pub fn timed(
    design: &DesignSummary,
    query: &QuerySummary,
    drawn: &[Vec<u32>],
    factors: &[f64],
) -> Timed {
    if let Some(failure) = design.failure_of(&query.query) {
        return Timed::Failed(failure.reason.clone());
    }
    let Some(point) = query.median() else {
        let was_asked = design.info.why_not_asked(&query.query).is_none();
        let why = if was_asked { "measured" } else { "asked" };
        return Timed::Unknown(format!("it was not {why}"));
    };
    let resamples: Vec<f64> = drawn
        .iter()
        .zip(factors)
        .filter_map(|(rounds, factor)| Some(median_of(query, rounds)? * factor))
        .collect();
    Timed::Seconds(if resamples.len() == drawn.len() && !drawn.is_empty() {
        Figure::resampled(point, resamples)
    } else {
        Figure::once(point)
    })
}

/// Returns the median time over rounds that may repeat, if the query was answered in all of them.
fn median_of(query: &QuerySummary, rounds: &[u32]) -> Option<f64> {
    let mut seconds: Vec<f64> = Vec::with_capacity(rounds.len());
    for round in rounds {
        seconds.push(query.seconds_in(*round)?);
    }
    seconds.sort_by(f64::total_cmp);
    Some(median(&seconds))
}
