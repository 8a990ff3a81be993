//! The decision, with everything that a report shows about it.

use serde::Serialize;

use super::certainty::{Certainty, Doubt, doubts, max_certainty};
use super::changes;
use super::choice::Ballot;
use super::contest::Contest;
use super::flip::Flip;
use super::front::{Choice, Front, advantages};
use super::input::Minimise;
use super::more::{self, MoreRounds};
use super::objective::{Fallback, Objective};
use super::ratio::Ratio;
use super::standing::{self, DesignStanding, QuestionStanding};
use super::why::{LostRows, WhyLeftOut, WhyOut};
use super::{DecisionInput, ForecastsHeld, KnownRows, LimitState, Rule, StoragePrice};

/// Decision that follows from a [`DecisionInput`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    pub rule: Rule,
    pub rows: u64,
    pub measured_rows: u64,
    /// Number of rows that the storage to buy is for.
    pub full_rows: u64,
    pub copies: u32,
    pub rounds: u32,
    pub price: Option<StoragePrice>,
    /// Recommended design; `None` if every design is excluded, or none has a figure.
    pub recommendation: Option<Recommendation>,
    /// Objective that decides instead of the rule's, if that is not known.
    pub fallback: Option<Fallback>,
    /// Standing of each design, in the order of the input.
    pub designs: Vec<DesignStanding>,
    /// Standing of each question, in the order of the input.
    pub questions: Vec<QuestionStanding>,
    /// Rows that every design drops that could be recommended. Designs that drop rows which another one
    /// keeps are excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_everywhere: Option<LostRows>,
    /// Designs that no other one beats in all objectives, at most four, the recommended one first.
    pub front: Vec<Choice>,
    /// Number of further designs on the front.
    pub front_not_shown: usize,
    /// Changes that would alter the recommendation, the nearest point first.
    pub flips: Vec<Flip>,
    /// Range of rows in which fitted curves hold.
    pub known_rows: Option<KnownRows>,
    /// Largest relative difference of twins; `None` without twins.
    pub twins: Option<f64>,
    /// Reason why there are no times at full scale, if there should be.
    pub no_forecast: Option<String>,
    /// Reason why no design has a cost of a month although there are prices.
    pub no_month: Option<String>,
    /// Circumstances that the run did not measure.
    pub not_measured: Vec<String>,
    /// Whether the run has not come to its end, so that figures may still change.
    pub is_unfinished: bool,
    /// How many forecasts of larger tables from smaller ones of the run held; `None` if times are not forecast, or
    /// if none could be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecasts: Option<ForecastsHeld>,
}

/// Recommendation of one design.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendation {
    pub design: String,
    pub certainty: Certainty,
    /// Reasons why it is less certain than its confidence.
    pub doubts: Vec<Doubt>,
    /// Share of resamples in which it is the best design, or the same within the rule's tolerance; `None`
    /// if the error of a figure is not known.
    pub confidence: Option<f64>,
    /// Number of resamples.
    pub resamples: usize,
    /// Mean relative cost above that of the best design, over all resamples.
    pub expected_loss: Option<f64>,
    pub runner_up: Option<RunnerUp>,
    /// Designs that are surely the same by the rule.
    pub same: Vec<String>,
    /// Whether no design keeps the limits, so that this is the one that comes nearest.
    pub is_nearest_to_limits: bool,
    /// State of each limit, in the rule's order.
    pub limits: Vec<LimitState>,
    /// Ratio to the best design by each objective: those of tables, then each question that counts.
    pub given_up: Vec<Ratio>,
    /// Ratio to the design that is in use today, by each objective of tables.
    pub to_baseline: Vec<Ratio>,
    /// Further rounds that would distinguish it from the runner-up, if it is not settled.
    pub more: Option<MoreRounds>,
}

/// Design that would be recommended next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunnerUp {
    pub design: String,
    /// Share of resamples in which it is the best.
    pub won: f64,
    /// Cost as a multiple of the recommended design's.
    pub times: f64,
}

impl Decision {
    /// Decides for one design. Nothing is random, so the same input always gives the same decision.
    pub fn of(input: &DecisionInput) -> Decision {
        let contest = Contest::new(input);
        let ballot = Ballot::new(&contest);
        let leader = ballot.as_ref().map(Ballot::leader);
        let recommended = leader.map(|entrant| contest.entrants[entrant]);
        let front = recommended.map(|recommended| Front::new(&contest, recommended));
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
            recommendation: ballot
                .as_ref()
                .zip(leader)
                .map(|(ballot, leader)| recommendation(&contest, ballot, leader)),
            fallback: contest.fallback,
            designs: standing::designs(&contest, ballot.as_ref(), recommended, on_front),
            lost_everywhere: contest.lost_everywhere(),
            questions: standing::questions(&contest, recommended),
            front_not_shown: front.as_ref().map_or(0, Front::not_shown),
            front: front
                .iter()
                .zip(recommended)
                .flat_map(|(front, recommended)| choices(&contest, front, recommended))
                .collect(),
            flips: recommended.map_or_else(Vec::new, |d| changes::flips(&contest, d, &rivals)),
            known_rows: input.known_rows.clone(),
            twins: input.noise.twins,
            no_forecast: input.no_forecast.clone(),
            no_month: input.no_month.clone(),
            not_measured: input.not_measured.clone(),
            is_unfinished: false,
            forecasts: input.forecasts,
        }
    }

    /// Returns the decision of a run in which no question was answered, for this reason: there is none.
    pub(crate) fn without_any_answer(mut self, reason: &str) -> Decision {
        for design in &mut self.designs {
            design.is_recommended = false;
            // Nothing was ranked.
            design.out = design
                .out
                .take()
                .filter(|why| !matches!(why, WhyOut::NotRanked(_)));
        }
        for question in &mut self.questions {
            let is_kept = |why: &WhyLeftOut| {
                matches!(
                    why,
                    WhyLeftOut::FailsEverywhere(_) | WhyLeftOut::NotAskedOfAll(_)
                )
            };
            question.left_out = question.left_out.take().filter(is_kept);
            question.is_open = false;
        }
        Decision {
            recommendation: None,
            fallback: None,
            front: Vec::new(),
            front_not_shown: 0,
            flips: Vec::new(),
            no_forecast: Some(reason.to_owned()),
            ..self
        }
    }

    /// Returns whether no question counts, of which one would if it had been asked of all designs.
    pub(crate) fn has_no_question_of_all(&self) -> bool {
        let is_of_some = |question: &QuestionStanding| {
            matches!(question.left_out, Some(WhyLeftOut::NotAskedOfAll(_)))
        };
        self.questions.iter().all(|question| question.share == 0.0)
            && self.questions.iter().any(is_of_some)
    }

    /// Returns the standing of a design.
    pub fn design(&self, id: &str) -> Option<&DesignStanding> {
        self.designs.iter().find(|design| design.id == id)
    }

    /// Returns the standing of the recommended design.
    pub fn recommended(&self) -> Option<&DesignStanding> {
        self.designs.iter().find(|design| design.is_recommended)
    }

    /// Returns whether times are for another number of rows than was measured.
    pub fn forecasts_times(&self) -> bool {
        self.rows != self.measured_rows
    }

    /// Returns the objective that decided.
    pub fn minimised(&self) -> Minimise {
        self.fallback
            .map_or(self.rule.minimise, |fallback| fallback.instead)
    }
}

impl Recommendation {
    /// Returns whether no other design can be ranked, so that nothing is compared.
    pub fn is_only_choice(&self) -> bool {
        self.runner_up.is_none()
    }

    /// Returns whether the design may or may not keep one of the limits.
    pub fn is_unsure_of_limits(&self) -> bool {
        self.limits.iter().any(|limit| limit.is_unsure())
    }
}

/// Returns the designs that may be recommended instead. If the recommended one keeps the limits, so do they.
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
    let limits: Vec<LimitState> = input
        .rule
        .limits
        .iter()
        .map(|limit| limit.state(&input.designs[design]))
        .collect();
    let runner_up = ballot.runner_up(leader);
    let lead = runner_up.map(|other| ballot.costs[other].point / ballot.costs[leader].point);
    let doubts = doubts(contest, ballot, leader, &limits, lead);
    let confidence = ballot.is_error_known.then(|| ballot.share_won(leader));
    let certainty = Certainty::from_confidence(confidence).min(max_certainty(&doubts));
    // Rounds that separate it from another design say nothing of a limit.
    let is_unsure_of_limits = limits.iter().any(|limit| limit.is_unsure());
    let more = runner_up
        .filter(|_| Certainty::from_confidence(confidence) < Certainty::Settled)
        .filter(|_| !is_unsure_of_limits)
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
