//! Further rounds that would settle a decision.

use serde::Serialize;

use super::DecisionInput;
use super::choice::Ballot;
use super::contest::{Contest, Costs};
use super::objective::Objective;
use super::ratio::{Comparison, FEWEST_ROUNDS, deviation, ratios};
use crate::quantile::normal;

/// Normal deviate of the probability of 80% with which a difference that exists is to be found.
const POWER_80_PERCENT: f64 = 0.8416;
/// Probability with which any of all comparisons may be wrong.
const ERROR: f64 = 0.05;
/// Smallest relative difference that more rounds are planned for.
const LEAST_DIFFERENCE: f64 = 0.01;
/// Largest multiple of the present number of rounds that is still useful advice, unless they fit into ten minutes.
const MOST_TIMES: f64 = 100.0;
/// Seconds of further measuring that a report speaks of.
pub const TEN_MINUTES: f64 = 600.0;

/// Further rounds that would distinguish two designs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MoreRounds {
    /// Design to be distinguished from the recommended one.
    pub against: String,
    /// Number of rounds in addition to the present ones.
    pub rounds: u64,
    /// Seconds that they take, if known.
    pub seconds: Option<f64>,
}

/// Comparisons with the recommended design that further measuring would settle in a given time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Settling {
    /// Rounds that fit into the time.
    pub rounds: u64,
    /// Designs that would be distinguished from the recommended one, with the rounds that takes.
    pub settles: Vec<MoreRounds>,
    /// Designs that would not be: more rounds than fit are needed, or none would do.
    pub leaves: Vec<String>,
}

impl Settling {
    /// Returns what this many seconds would settle at the pace of the run. Returns `None` where nothing
    /// is recommended, or the pace is not known.
    pub fn within(input: &DecisionInput, seconds: f64) -> Option<Settling> {
        let rounds = (seconds / input.seconds_a_round.filter(|s| *s > 0.0)?) as u64;
        let contest = Contest::new(input);
        let objective = contest.objective?;
        let leader = contest.entrants[Ballot::new(&contest)?.leader()];
        let own = contest.costs(objective, leader)?;
        let mut settling = Settling {
            rounds,
            settles: Vec::new(),
            leaves: Vec::new(),
        };
        for other in open(&contest, objective, leader) {
            let costs = contest.costs(objective, other)?;
            match self::rounds(&contest, &own, &costs, other) {
                Some(more) if more.rounds <= rounds => settling.settles.push(more),
                _ => settling.leaves.push(input.designs[other].id.clone()),
            }
        }
        Some(settling)
    }
}

/// Returns how much more a design costs than the best one by the estimates, relative to that. Returns
/// `None` if the design is not ranked.
pub fn regret(input: &DecisionInput, design: &str) -> Option<f64> {
    let contest = Contest::new(input);
    let is_it = |entrant: &usize| input.designs[*entrant].id == design;
    let entrant = contest.entrants.iter().position(is_it)?;
    Some(Ballot::new(&contest)?.regret(entrant))
}

/// Returns whether every other design is shown to be worse than the recommended one, or the same.
pub fn is_settled(input: &DecisionInput) -> bool {
    let contest = Contest::new(input);
    let leader = Ballot::new(&contest).map(|ballot| contest.entrants[ballot.leader()]);
    let objective = contest.objective.zip(leader);
    objective.is_some_and(|(objective, leader)| open(&contest, objective, leader).is_empty())
}

/// Returns the designs that are not shown to be worse than the recommended one, or the same.
fn open(contest: &Contest<'_>, objective: Objective, leader: usize) -> Vec<usize> {
    let is_open = |design: &usize| {
        let ratio = contest.ratio(objective, *design, leader);
        let known = [Comparison::Worse, Comparison::Same, Comparison::Itself];
        !ratio.is_some_and(|ratio| known.contains(&ratio.comparison))
    };
    contest.entrants.iter().copied().filter(is_open).collect()
}

/// Returns the further rounds that would distinguish two designs: what one sentence of a report says of them is what
/// every other one says. Returns `None` if none would, or only more than is useful advice.
pub fn rounds(
    contest: &Contest<'_>,
    own: &Costs,
    other: &Costs,
    against: usize,
) -> Option<MoreRounds> {
    let input = contest.input;
    let samples = ratios(own, other);
    if !do_rounds_help(contest, own, other) || samples.len() < 2 {
        return None;
    }
    let planned = planned(contest, &samples);
    let lead = (other.point / own.point).ln();
    let rounds = planned.or_else(|| shown_after(contest, &samples, lead, most(input)))?;
    // Fewer show no difference of times, whatever their noise.
    let is_timed = contest.objective.is_some_and(Objective::is_timed);
    let fewest = if is_timed { FEWEST_ROUNDS } else { 0 };
    let rounds = rounds.max(u64::from(fewest.saturating_sub(input.rounds)));
    Some(MoreRounds {
        against: input.designs[against].id.clone(),
        rounds,
        seconds: input.seconds_a_round.map(|seconds| seconds * rounds as f64),
    })
}

/// Returns the most further rounds that are useful advice.
fn most(input: &DecisionInput) -> u64 {
    let pace = input.seconds_a_round.filter(|seconds| *seconds > 0.0);
    let in_ten_minutes = pace.map_or(0, |seconds| (TEN_MINUTES / seconds) as u64);
    in_ten_minutes.max((MOST_TIMES * f64::from(input.rounds)) as u64)
}

/// Computes the rounds as `n = s² / (ln²(1 + δ) / (z + 0.84)² - v)`, with the variance `s²` that a round has
/// in the difference of logarithms, and the variance `v` of tables, which rounds do not make smaller.
/// Returns `None` if rounds alone do not do, or more of them than is useful advice.
fn planned(contest: &Contest<'_>, samples: &[f64]) -> Option<u64> {
    let input = contest.input;
    let logarithms: Vec<f64> = samples.iter().map(|ratio| ratio.ln()).collect();
    let mean = logarithms.iter().sum::<f64>() / logarithms.len() as f64;
    let squares: f64 = logarithms.iter().map(|ln| (ln - mean).powi(2)).sum();
    let variance_of_mean = squares / (logarithms.len() - 1) as f64;
    let comparisons = contest.entrants.len().saturating_sub(1).max(1);
    let deviate = normal(1.0 - ERROR / (2.0 * comparisons as f64)) + POWER_80_PERCENT;
    let tolerance = (1.0 + input.rule.same_within.max(LEAST_DIFFERENCE)).ln();
    let difference = tolerance.max(mean.abs());
    let of_tables = variance_of_tables(contest);
    let allowed = (difference / deviate).powi(2) - of_tables;
    if allowed <= 0.0 {
        return None;
    }
    let times = (variance_of_mean - of_tables).max(0.0) / allowed;
    let needed = (times * f64::from(input.rounds)).ceil();
    let more = needed - f64::from(input.rounds);
    (times.is_finite() && times <= MOST_TIMES && more >= 1.0).then_some(more as u64)
}

/// Returns the fewest further rounds, up to `most`, after which the interval that holds for all comparisons at once would
/// show that the other design is worse, if its estimate stays: `lead` is the logarithm of how many times its cost that
/// is. The interval of few rounds is much wider than the deviation of a round alone asks for.
fn shown_after(contest: &Contest<'_>, samples: &[f64], lead: f64, most: u64) -> Option<u64> {
    let input = contest.input;
    let of_tables = variance_of_tables(contest);
    let of_rounds = (deviation(samples).powi(2) - of_tables).max(0.0);
    let present = f64::from(input.rounds);
    let is_shown = |more: u64| {
        let rounds = present + more as f64;
        let deviation = (of_tables + of_rounds * present / rounds).sqrt();
        lead - contest.half_of_interval(rounds, deviation) > input.rule.same_within.ln_1p()
    };
    if most == 0 || !is_shown(most) {
        return None;
    }
    let (mut fewest, mut enough) = (1, most);
    while fewest < enough {
        let middle = u64::midpoint(fewest, enough);
        if is_shown(middle) {
            enough = middle;
        } else {
            fewest = middle + 1;
        }
    }
    Some(fewest)
}

/// Returns whether further rounds make errors smaller: that of a forecast is that of its fit.
fn do_rounds_help(contest: &Contest<'_>, own: &Costs, other: &Costs) -> bool {
    let input = contest.input;
    let is_forecast = input.rows != input.measured_rows;
    !is_forecast && input.rounds > 0 && own.is_error_known && other.is_error_known
}

/// Returns the part of the variance of the difference of logarithms that is due to the choice of tables.
fn variance_of_tables(contest: &Contest<'_>) -> f64 {
    let tables = &contest.input.noise.tables;
    if contest.objective != Some(Objective::Time) {
        return 0.0;
    }
    let shares = contest.shares.iter().zip(tables);
    let parts = shares.map(|(share, deviation)| (share * deviation.unwrap_or(0.0)).powi(2));
    2.0 * parts.sum::<f64>()
}
