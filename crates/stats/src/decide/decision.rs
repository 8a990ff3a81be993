//! The decision with everything that a report shows of it.

use serde::Serialize;

use super::changes;
use super::choice::Ballot;
use super::contest::Contest;
use super::flip::Flip;
use super::front::{Choice, Front, advantages};
use super::input::Minimise;
use super::more::{self, MoreRounds};
use super::objective::{Fallback, Objective};
use super::ratio::{FEWEST_ROUNDS, Ratio};
use super::standing::{self, DesignStanding, QuestionStanding};
use super::why::{LostRows, WhyOut};
use super::{DecisionInput, KnownRows, LimitState, Rule, StoragePrice};

/// From these shares of resamples on, a recommendation is settled, or likely.
const SETTLED: f64 = 0.95;
const LIKELY: f64 = 0.80;
/// How much longer the runner-up has to take where no twins were measured. It is assumed: tables of one
/// design differ by their files, which no number of rounds shows.
const CLEAR_WITHOUT_TWINS: f64 = 1.25;

/// What follows from a [`DecisionInput`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    pub rule: Rule,
    pub rows: u64,
    pub measured_rows: u64,
    /// Rows that the storage to buy is for.
    pub full_rows: u64,
    pub copies: u32,
    pub rounds: u32,
    pub price: Option<StoragePrice>,
    /// `None` where every design is excluded, or none has a figure.
    pub recommendation: Option<Recommendation>,
    /// Present where the rule's objective is not known, so that another one decides.
    pub fallback: Option<Fallback>,
    /// In the order of the input.
    pub designs: Vec<DesignStanding>,
    pub questions: Vec<QuestionStanding>,
    /// Rows that every design loses which could be recommended; those that lose what another one keeps
    /// are excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_everywhere: Option<LostRows>,
    /// The designs that nothing beats in all objectives, at most four, the recommended one first.
    pub front: Vec<Choice>,
    /// How many more there are on the front.
    pub front_not_shown: usize,
    /// What would change the recommendation, the nearest point first.
    pub flips: Vec<Flip>,
    /// The rows within which fitted curves hold.
    pub known_rows: Option<KnownRows>,
    /// By how much twins differed at most; `None` without twins.
    pub twins: Option<f64>,
    /// Why there are no times at full scale, where there should be.
    pub no_forecast: Option<String>,
    pub not_measured: Vec<String>,
}

/// The one design to take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendation {
    pub design: String,
    pub certainty: Certainty,
    /// Why it is less certain than its confidence says.
    pub doubts: Vec<Doubt>,
    /// The share of resamples in which it is the best design, or the same within the rule's tolerance.
    /// `None` where the error of a figure is not known.
    pub confidence: Option<f64>,
    pub resamples: usize,
    /// How much more it costs than the best one, relative to that, on average over the resamples.
    pub expected_loss: Option<f64>,
    pub runner_up: Option<RunnerUp>,
    /// Designs that are surely the same by the rule.
    pub same: Vec<String>,
    /// Whether no design keeps the limits, so that this is the one that comes nearest.
    pub is_nearest_to_limits: bool,
    pub limits: Vec<LimitState>,
    /// Against the best of each objective: those of tables, then each question that counts.
    pub given_up: Vec<Ratio>,
    /// Against the design that is in use today.
    pub to_baseline: Vec<Ratio>,
    /// The rounds that would tell it apart from the runner-up, where it is not settled.
    pub more: Option<MoreRounds>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunnerUp {
    pub design: String,
    /// The share of resamples in which it is the best.
    pub won: f64,
    /// Its cost as a multiple of the recommended design's.
    pub times: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    NotSettled,
    /// From 80% of the resamples on.
    Likely,
    /// From 95% of the resamples on.
    Settled,
}

/// A reason not to rely on the confidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// Fewer rounds than a difference needs.
    FewRounds(u32),
    /// Figures of one observation, whose error is not known.
    ErrorNotKnown,
    /// The runner-up is nearer than tables of one and the same design may be to each other, which no
    /// twins have shown.
    NoTwins,
    /// Designs that could not be ranked, and may be better.
    NotRanked(Vec<String>),
    /// Limits that could not be compared with a figure.
    LimitsNotKnown(Vec<String>),
}

impl Decision {
    /// Decides. Nothing is random: the same input gives the same decision.
    pub fn of(input: &DecisionInput) -> Decision {
        let contest = Contest::of(input);
        let ballot = Ballot::of(&contest);
        let leader = ballot.as_ref().map(Ballot::leader);
        let recommended = leader.map(|entrant| contest.entrants[entrant]);
        let front = recommended.map(|recommended| Front::of(&contest, recommended));
        let on_front = front.as_ref().map_or(&[][..], |front| &front.designs);
        let rivals = recommended.map_or_else(Vec::new, |design| rivals(&contest, design));
        Decision {
            rule: input.rule.clone(),
            rows: input.rows,
            measured_rows: input.measured_rows,
            full_rows: input.full_rows,
            copies: input.copies,
            rounds: input.rounds,
            price: input.price.clone(),
            recommendation: { ballot.as_ref().zip(leader) }
                .map(|(ballot, leader)| recommendation(&contest, ballot, leader)),
            fallback: contest.fallback,
            designs: standing::designs(&contest, ballot.as_ref(), recommended, on_front),
            lost_everywhere: contest.lost_everywhere(),
            questions: standing::questions(&contest),
            front_not_shown: front.as_ref().map_or(0, Front::not_shown),
            front: { front.iter().zip(recommended) }
                .flat_map(|(front, recommended)| choices(&contest, front, recommended))
                .collect(),
            flips: recommended.map_or_else(Vec::new, |d| changes::flips(&contest, d, &rivals)),
            known_rows: input.known_rows.clone(),
            twins: input.noise.twins,
            no_forecast: input.no_forecast.clone(),
            not_measured: input.not_measured.clone(),
        }
    }

    pub fn design(&self, id: &str) -> Option<&DesignStanding> {
        self.designs.iter().find(|design| design.id == id)
    }

    /// The design that is recommended, with its figures.
    pub fn recommended(&self) -> Option<&DesignStanding> {
        self.designs.iter().find(|design| design.is_recommended)
    }

    /// Whether times are for another number of rows than was measured.
    pub fn forecasts_times(&self) -> bool {
        self.rows != self.measured_rows
    }

    /// The objective that decided.
    pub fn minimised(&self) -> Minimise {
        self.fallback
            .map_or(self.rule.minimise, |fallback| fallback.instead)
    }
}

impl Certainty {
    fn of(confidence: Option<f64>) -> Certainty {
        match confidence {
            Some(share) if share >= SETTLED => Certainty::Settled,
            Some(share) if share >= LIKELY => Certainty::Likely,
            _ => Certainty::NotSettled,
        }
    }
}

/// Designs that may be recommended instead: where the recommended one keeps the limits, they do, too.
fn rivals(contest: &Contest<'_>, recommended: usize) -> Vec<usize> {
    let keeps_limits = |design: usize| {
        let limits = &contest.input.rule.limits;
        let design = &contest.input.designs[design];
        limits.iter().all(|limit| !limit.state(design).is_broken())
    };
    let is_needed = keeps_limits(recommended);
    let others = contest
        .entrants
        .iter()
        .copied()
        .filter(|d| *d != recommended);
    others.filter(|d| !is_needed || keeps_limits(*d)).collect()
}

fn recommendation(contest: &Contest<'_>, ballot: &Ballot<'_>, leader: usize) -> Recommendation {
    let input = contest.input;
    let id = |entrant: usize| input.designs[contest.entrants[entrant]].id.clone();
    let design = contest.entrants[leader];
    let limits: Vec<LimitState> = { input.rule.limits.iter() }
        .map(|limit| limit.state(&input.designs[design]))
        .collect();
    let runner_up = ballot.runner_up(leader);
    let lead = runner_up.map(|other| ballot.costs[other].point / ballot.costs[leader].point);
    let doubts = doubts(contest, ballot, &limits, lead);
    let confidence = ballot.is_error_known.then(|| ballot.share_won(leader));
    let certainty = Certainty::of(confidence).min(at_most(&doubts));
    let more = runner_up
        .filter(|_| Certainty::of(confidence) < Certainty::Settled)
        .and_then(|other| {
            let (own, others) = (&ballot.costs[leader], &ballot.costs[other]);
            more::rounds(contest, own, others, contest.entrants[other])
        });
    Recommendation {
        design: id(leader),
        certainty,
        doubts,
        confidence,
        resamples: ballot.resamples,
        expected_loss: ballot.is_error_known.then(|| ballot.expected_loss(leader)),
        runner_up: runner_up.map(|other| RunnerUp {
            design: id(other),
            won: ballot.won[other] as f64 / ballot.resamples as f64,
            times: ballot.costs[other].point / ballot.costs[leader].point,
        }),
        same: ballot.same_as(leader).into_iter().map(id).collect(),
        is_nearest_to_limits: ballot.excess(leader, None) > 1.0,
        limits,
        given_up: given_up(contest, design),
        to_baseline: to_baseline(contest, design),
        more,
    }
}

/// `lead` is the runner-up's cost as a multiple of the recommended design's.
fn doubts(
    contest: &Contest<'_>,
    ballot: &Ballot<'_>,
    limits: &[LimitState],
    lead: Option<f64>,
) -> Vec<Doubt> {
    let input = contest.input;
    let is_timed = contest.objective.is_some_and(Objective::is_timed);
    let has_rivals = contest.entrants.len() > 1;
    let mut doubts = Vec::new();
    if is_timed && has_rivals && input.rounds < FEWEST_ROUNDS {
        doubts.push(Doubt::FewRounds(input.rounds));
    }
    if !ballot.is_error_known {
        doubts.push(Doubt::ErrorNotKnown);
    }
    let is_near = lead.is_some_and(|lead| lead < CLEAR_WITHOUT_TWINS);
    if is_timed && is_near && input.noise.twins.is_none() {
        doubts.push(Doubt::NoTwins);
    }
    let not_ranked: Vec<String> = { input.designs.iter().zip(&contest.out) }
        .filter(|(_, out)| matches!(out, Some(WhyOut::NotRanked(_))))
        .map(|(design, _)| design.id.clone())
        .collect();
    if !not_ranked.is_empty() {
        doubts.push(Doubt::NotRanked(not_ranked));
    }
    let not_known: Vec<String> = { input.rule.limits.iter().zip(limits) }
        .filter(|(_, state)| **state == LimitState::NotKnown)
        .map(|(limit, _)| limit.text.clone())
        .collect();
    if !not_known.is_empty() {
        doubts.push(Doubt::LimitsNotKnown(not_known));
    }
    doubts
}

/// The most that may be said in spite of doubts.
fn at_most(doubts: &[Doubt]) -> Certainty {
    let one = |doubt: &Doubt| match doubt {
        Doubt::FewRounds(_) | Doubt::ErrorNotKnown => Certainty::NotSettled,
        Doubt::NoTwins | Doubt::NotRanked(_) | Doubt::LimitsNotKnown(_) => Certainty::Likely,
    };
    doubts.iter().map(one).min().unwrap_or(Certainty::Settled)
}

fn given_up(contest: &Contest<'_>, recommended: usize) -> Vec<Ratio> {
    let objectives = contest.objectives().into_iter();
    objectives
        .filter_map(|objective| contest.ratio(objective, recommended, contest.best(objective)?))
        .collect()
}

fn to_baseline(contest: &Contest<'_>, recommended: usize) -> Vec<Ratio> {
    let input = contest.input;
    let is_baseline = |design: &super::Contender| Some(&design.id) == input.rule.baseline.as_ref();
    let Some(baseline) = input.designs.iter().position(is_baseline) else {
        return Vec::new();
    };
    Objective::OF_TABLES
        .into_iter()
        .filter_map(|objective| contest.ratio(objective, recommended, baseline))
        .collect()
}

fn choices(contest: &Contest<'_>, front: &Front, recommended: usize) -> Vec<Choice> {
    let choice = |design: &usize| Choice {
        design: contest.input.designs[*design].id.clone(),
        is_recommended: *design == recommended,
        advantages: advantages(contest, *design, recommended),
    };
    front.shown.iter().map(choice).collect()
}
