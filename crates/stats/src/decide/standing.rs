//! Standing of each design and each question in the decision, for tables and heat maps.

use serde::Serialize;

use super::choice::Ballot;
use super::contest::Contest;
use super::objective::Objective;
use super::ratio::{Comparison, Ratio};
use super::why::{WhyLeftOut, WhyOut};
use super::{AnswerClass, LimitState, Settled, Span, Timed};

/// Standing of a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QuestionStanding {
    pub name: String,
    /// Share among the questions that count; 0 if it does not count.
    pub share: f64,
    pub left_out: Option<WhyLeftOut>,
    /// Smallest relative difference that the run could have shown.
    pub smallest_difference: Option<f64>,
    /// Whether the question counts, and it is not shown of the recommended design that no other one that is ranked
    /// answers it in less time.
    pub is_open: bool,
}

/// Standing of a design, with its figures at the scale of interest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DesignStanding {
    pub id: String,
    pub out: Option<WhyOut>,
    pub is_recommended: bool,
    /// Whether no other design beats it in all objectives.
    pub is_on_front: bool,
    /// Share of resamples in which it is the best; `None` if it is not ranked.
    pub won: Option<f64>,
    pub storage: Option<Span>,
    /// Share of the storage at rest, where more than that is bought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    pub load: Option<Span>,
    pub month: Option<Span>,
    /// Whether a month may cost more than that.
    pub is_month_least: bool,
    /// Weighted mean of the times of all questions that count.
    pub time: Option<Span>,
    /// Ratio to the best design by each objective of tables.
    pub ratios: Vec<Ratio>,
    /// Answers in the order of the questions.
    pub cells: Vec<Cell>,
    /// States of the limits, in the rule's order.
    pub limits: Vec<LimitState>,
    /// Seconds of the quantiles that the limits are on, in the same order; `None` for limits on other figures, and where
    /// the quantile is not known.
    pub quantiles: Vec<Option<f64>>,
}

/// Answer of a design to a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    Time {
        seconds: Span,
        /// Seconds at the measured scale.
        measured: Option<f64>,
        class: AnswerClass,
        /// Time as a multiple of the fastest design's; `None` for questions that some designs answer
        /// without any work.
        times_best: Option<f64>,
        basis: String,
    },
    Failed(String),
    Unknown(String),
    NotMeasured,
}

/// Returns the standing of each question.
pub fn questions(contest: &Contest<'_>, recommended: Option<usize>) -> Vec<QuestionStanding> {
    let smallest = &contest.input.noise.smallest_difference;
    let questions = contest.input.questions.iter().enumerate();
    questions
        .map(|(index, question)| QuestionStanding {
            name: question.name.clone(),
            share: contest.shares[index],
            left_out: contest.left_out[index].clone(),
            smallest_difference: smallest.get(index).copied().flatten(),
            is_open: recommended.is_some_and(|design| is_open(contest, design, index)),
        })
        .collect()
}

/// Returns whether it is not settled how the recommended design compares with another one by a question that counts.
fn is_open(contest: &Contest<'_>, recommended: usize, question: usize) -> bool {
    let mut others = { contest.entrants.iter() }.filter(|other| **other != recommended);
    let is_not_settled = |other: &usize| {
        let ratio = contest.ratio(Objective::Question(question), recommended, *other);
        ratio.is_some_and(|ratio| ratio.comparison == Comparison::NotSettled)
    };
    contest.shares[question] > 0.0 && others.any(is_not_settled)
}

/// Returns the standing of each design.
pub fn designs(
    contest: &Contest<'_>,
    ballot: Option<&Ballot<'_>>,
    recommended: Option<usize>,
    front: &[usize],
) -> Vec<DesignStanding> {
    let input = contest.input;
    (0..input.designs.len())
        .map(|index| {
            let design = &input.designs[index];
            let span = |figure: &Option<super::Figure>| {
                figure.as_ref().filter(|f| f.is_usable()).map(|f| f.span())
            };
            DesignStanding {
                id: design.id.clone(),
                out: contest.out[index].clone(),
                is_recommended: recommended == Some(index),
                is_on_front: front.contains(&index),
                won: ballot.and_then(|ballot| won(contest, ballot, index)),
                storage: span(&design.storage),
                settled: design.settled.clone(),
                load: span(&design.load),
                month: span(&design.month),
                is_month_least: design.is_month_least,
                time: time(contest, index),
                ratios: to_best(contest, index),
                cells: (0..input.questions.len())
                    .map(|question| cell(contest, index, question))
                    .collect(),
                limits: input
                    .rule
                    .limits
                    .iter()
                    .map(|limit| limit.state(design))
                    .collect(),
                quantiles: { input.rule.limits.iter() }
                    .map(|limit| limit.quantile(design))
                    .collect(),
            }
        })
        .collect()
}

fn won(contest: &Contest<'_>, ballot: &Ballot<'_>, design: usize) -> Option<f64> {
    let entrant = contest.entrants.iter().position(|other| *other == design)?;
    Some(ballot.won[entrant] as f64 / ballot.resamples as f64)
}

fn time(contest: &Contest<'_>, design: usize) -> Option<Span> {
    let costs = contest.costs(Objective::Time, design)?;
    let shown = super::Figure::resampled(costs.point, costs.resamples);
    let exact = Some((costs.point, costs.point));
    Some(Span {
        point: costs.point,
        interval: match (costs.is_error_known, shown.interval) {
            (true, None) => exact,
            (true, interval) => interval,
            (false, _) => None,
        },
    })
}

/// Returns the ratio of a design to the best one by each objective of tables.
fn to_best(contest: &Contest<'_>, design: usize) -> Vec<Ratio> {
    Objective::OF_TABLES
        .into_iter()
        .filter_map(|objective| {
            let best = contest.best(objective)?;
            contest.ratio(objective, design, best)
        })
        .collect()
}

fn cell(contest: &Contest<'_>, design: usize, question: usize) -> Cell {
    let Some(answer) = contest.input.designs[design].answers.get(question) else {
        return Cell::NotMeasured;
    };
    match &answer.time {
        Timed::Failed(reason) => Cell::Failed(reason.clone()),
        Timed::Unknown(reason) => Cell::Unknown(reason.clone()),
        Timed::Seconds(figure) if !figure.is_usable() => {
            Cell::Unknown("its times are not numbers".to_owned())
        }
        Timed::Seconds(figure) => Cell::Time {
            seconds: figure.span(),
            measured: answer.measured,
            class: answer.class,
            times_best: times_best(contest, design, question),
            basis: answer.basis.clone(),
        },
    }
}

fn times_best(contest: &Contest<'_>, design: usize, question: usize) -> Option<f64> {
    if contest.is_no_work(question) {
        return None;
    }
    let objective = Objective::Question(question);
    let seconds = |design: usize| {
        let shows_work = contest.input.designs[design].class(question)?.shows_work();
        let seconds = contest.point(objective, design)?;
        shows_work.then_some(seconds)
    };
    let best = contest
        .remaining()
        .filter_map(seconds)
        .min_by(f64::total_cmp)?;
    Some(seconds(design)? / best)
}
