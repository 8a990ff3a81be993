//! How certain a recommendation is, and the reasons not to rely on it.

use serde::Serialize;

use super::choice::Ballot;
use super::contest::Contest;
use super::objective::Objective;
use super::ratio::FEWEST_ROUNDS;
use super::why::WhyOut;
use super::{ForecastsHeld, Limit, LimitState, Minimise};

/// Share of resamples from which on a recommendation is settled.
const SETTLED: f64 = 0.95;
/// Share of resamples from which on a recommendation is likely.
const LIKELY: f64 = 0.80;
/// Multiple of the recommended design's cost that the runner-up has to reach if no twins were measured. It
/// is an assumption: tables of one design differ by their files, which no number of rounds shows.
const CLEAR_WITHOUT_TWINS: f64 = 1.25;

/// Certainty of a recommendation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    NotSettled,
    /// The confidence is at least 80%.
    Likely,
    /// The confidence is at least 95%.
    Settled,
}

/// Reason not to rely on the confidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// The figures for the rule's objective are not known, so others decided.
    NotByTheRule,
    /// There were fewer rounds than a difference needs; holds their number.
    FewRounds(u32),
    /// Some figures are of a single observation, so their error is not known.
    ErrorNotKnown,
    /// The runner-up is so near that two tables of one design might differ as much, and there were no twins
    /// to show whether they do.
    NoTwins,
    /// Some designs could not be ranked, and may be better; holds their ids.
    NotRanked(Vec<String>),
    /// Some could not since a race dropped them for a design that failed later; holds their ids.
    DroppedInVain(Vec<String>),
    /// Some limits could not be compared with a figure; holds their texts.
    LimitsNotKnown(Vec<String>),
    /// Some limits could not either, but with figures of other designs, which may be out for being measured; holds
    /// their texts.
    LimitsOfOthers(Vec<String>),
    /// Fewer of the run's own forecasts held than would if intervals were as wide as they should be.
    ForecastsMissed,
    /// Something failed that does not exclude the design, such as an answer of its twin; holds clauses.
    Troubles(Vec<String>),
}

impl Certainty {
    pub(super) fn from_confidence(confidence: Option<f64>) -> Certainty {
        match confidence {
            Some(share) if share >= SETTLED => Certainty::Settled,
            Some(share) if share >= LIKELY => Certainty::Likely,
            _ => Certainty::NotSettled,
        }
    }
}

/// Returns the reasons not to rely on the confidence. `lead` is the runner-up's cost as a multiple of the
/// recommended design's.
pub fn doubts(
    contest: &Contest<'_>,
    ballot: &Ballot<'_>,
    leader: usize,
    limits: &[LimitState],
    lead: Option<f64>,
) -> Vec<Doubt> {
    let input = contest.input;
    let is_timed = contest.objective.is_some_and(Objective::is_timed);
    let has_rivals = contest.entrants.len() > 1;
    let mut doubts = Vec::new();
    // That times stand in for the cost of a month is what the rule says where there are no prices.
    let is_by_the_rule = contest.fallback.is_none_or(|fallback| {
        (fallback.wanted, fallback.instead) == (Minimise::Month, Minimise::Time)
    });
    if !is_by_the_rule {
        doubts.push(Doubt::NotByTheRule);
    }
    if is_timed && has_rivals && input.rounds < FEWEST_ROUNDS {
        doubts.push(Doubt::FewRounds(input.rounds));
    }
    if !ballot.is_error_known {
        doubts.push(Doubt::ErrorNotKnown);
    }
    let is_near = lead.is_some_and(|lead| lead < CLEAR_WITHOUT_TWINS);
    // Twins are not compared in fewer rounds, which is a doubt of its own.
    let is_without_twins = input.noise.twins.is_none() && input.rounds >= FEWEST_ROUNDS;
    if is_timed && is_near && is_without_twins {
        doubts.push(Doubt::NoTwins);
    }
    let (in_vain, not_ranked): (Vec<String>, Vec<String>) = input
        .designs
        .iter()
        .zip(&contest.out)
        .filter(|(_, out)| matches!(out, Some(WhyOut::NotRanked(_))))
        .map(|(design, _)| design.id.clone())
        .partition(|design| input.dropped_in_vain.contains(design));
    if !in_vain.is_empty() {
        doubts.push(Doubt::DroppedInVain(in_vain));
    }
    if !not_ranked.is_empty() {
        doubts.push(Doubt::NotRanked(not_ranked));
    }
    if input.forecasts.is_some_and(ForecastsHeld::are_few) {
        doubts.push(Doubt::ForecastsMissed);
    }
    doubts.extend(limits_not_known(contest, limits));
    let troubles = &input.designs[contest.entrants[leader]].troubles;
    if !troubles.is_empty() {
        doubts.push(Doubt::Troubles(troubles.clone()));
    }
    doubts
}

/// Returns the doubts about limits without a figure of the recommended design, whose states these are.
fn limits_not_known(contest: &Contest<'_>, limits: &[LimitState]) -> Vec<Doubt> {
    let input = contest.input;
    let states = input.rule.limits.iter().zip(limits);
    let unknown = states.filter(|(_, state)| **state == LimitState::NotKnown);
    let is_of_others = |limit: &&Limit| {
        let mut designs = { contest.entrants.iter() }.map(|design| &input.designs[*design]);
        designs.any(|design| limit.is_measured(design))
    };
    let (of_others, of_none): (Vec<&Limit>, Vec<&Limit>) =
        unknown.map(|(limit, _)| limit).partition(is_of_others);
    let doubt = |limits: &[&Limit], doubt: fn(Vec<String>) -> Doubt| {
        let texts = limits.iter().map(|limit| limit.text.clone()).collect();
        (!limits.is_empty()).then(|| doubt(texts))
    };
    let doubts = [
        doubt(&of_none, Doubt::LimitsNotKnown),
        doubt(&of_others, Doubt::LimitsOfOthers),
    ];
    doubts.into_iter().flatten().collect()
}

/// Returns the highest certainty that the doubts allow.
pub fn max_certainty(doubts: &[Doubt]) -> Certainty {
    let one = |doubt: &Doubt| match doubt {
        Doubt::NotByTheRule
        | Doubt::FewRounds(_)
        | Doubt::ErrorNotKnown
        | Doubt::LimitsOfOthers(_) => Certainty::NotSettled,
        Doubt::NoTwins
        | Doubt::NotRanked(_)
        | Doubt::DroppedInVain(_)
        | Doubt::LimitsNotKnown(_)
        | Doubt::ForecastsMissed
        | Doubt::Troubles(_) => Certainty::Likely,
    };
    doubts.iter().map(one).min().unwrap_or(Certainty::Settled)
}
