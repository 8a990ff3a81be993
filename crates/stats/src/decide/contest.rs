//! The contest: the designs that take part in a decision, the questions that count, and the cost of each
//! design by each objective.

use super::input::AnswerClass;
use super::objective::{Fallback, Objective};
use super::why::{LostRows, WhyLeftOut, WhyOut};
use super::{Contender, DecisionInput, Figure, Minimise, Timed};

/// Smallest cost, which takes the place of 0: 0 has no logarithm and no ratio. A time of 0 is below the
/// resolution of the clock, and no amount of bytes, rows a second or money is as small as this.
const LEAST: f64 = 1e-9;

/// Designs that may be recommended, with everything that they are compared by.
pub struct Contest<'a> {
    pub input: &'a DecisionInput,
    /// Reason why a design does not take part, in the order of the designs.
    pub out: Vec<Option<WhyOut>>,
    /// Reason why a question does not count, in the order of the questions.
    pub left_out: Vec<Option<WhyLeftOut>>,
    /// Share of each question among those that count; 0 for the others.
    pub shares: Vec<f64>,
    /// Indices of the designs that take part and can be ranked.
    pub entrants: Vec<usize>,
    /// Objective of the rule, or the one that replaces it; `None` if no figure is known.
    pub objective: Option<Objective>,
    pub fallback: Option<Fallback>,
}

/// Cost of a design by an objective; less is better.
#[derive(Debug, Clone, PartialEq)]
pub struct Costs {
    pub point: f64,
    pub resamples: Vec<f64>,
    pub is_error_known: bool,
}

impl Costs {
    /// Returns the cost in a resample, or the point estimate.
    pub fn at(&self, resample: Option<usize>) -> f64 {
        match resample {
            Some(index) if !self.resamples.is_empty() => {
                self.resamples[index % self.resamples.len()]
            }
            _ => self.point,
        }
    }
}

impl<'a> Contest<'a> {
    /// Finds the entrants, the questions that count, and the objective.
    pub fn new(input: &'a DecisionInput) -> Contest<'a> {
        let mut contest = Contest {
            input,
            out: input.designs.iter().map(out_by_status).collect(),
            left_out: vec![None; input.questions.len()],
            shares: vec![0.0; input.questions.len()],
            entrants: Vec::new(),
            objective: None,
            fallback: None,
        };
        // Each step considers only the designs and questions that the steps before it have left.
        contest.leave_out_failing_questions();
        contest.exclude_wrong_answers();
        contest.exclude_lost_rows();
        contest.leave_out_questions_without_work();
        contest.leave_out_questions_not_asked_of_all();
        contest.normalise_shares();
        contest.choose_objective();
        contest.enter();
        contest
    }

    /// Returns the indices of the designs that were not excluded.
    pub fn remaining(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.input.designs.len()).filter(|index| self.out[*index].is_none())
    }

    /// Leaves out the questions that at least two designs were asked and none answered, since the question
    /// is then at fault.
    fn leave_out_failing_questions(&mut self) {
        for question in 0..self.input.questions.len() {
            let designs: Vec<usize> = { self.remaining() }
                .filter(|index| self.input.designs[*index].was_asked(question))
                .collect();
            let failures: Vec<&str> = designs
                .iter()
                .filter_map(|index| self.input.designs[*index].failure(question))
                .collect();
            if designs.len() > 1 && failures.len() == designs.len() {
                let reason = failures[0].to_owned();
                self.left_out[question] = Some(WhyLeftOut::FailsEverywhere(reason));
            }
        }
    }

    /// Excludes the designs that answered a question wrongly or not at all.
    fn exclude_wrong_answers(&mut self) {
        for (index, design) in self.input.designs.iter().enumerate() {
            let asked = (0..self.input.questions.len()).filter(|q| self.left_out[*q].is_none());
            let failure = asked
                .filter_map(|q| Some((q, design.failure(q)?)))
                .next()
                .map(|(question, reason)| WhyOut::FailedQuestion {
                    question,
                    reason: reason.to_owned(),
                });
            if self.out[index].is_none() {
                self.out[index] = failure;
            }
        }
    }

    /// Excludes the designs that drop rows. If every design does, the key is at fault, and all take part.
    fn exclude_lost_rows(&mut self) {
        if self.lost_everywhere().is_some() {
            return;
        }
        for (index, design) in self.input.designs.iter().enumerate() {
            if self.out[index].is_none() && design.rows_lost > 0 {
                self.out[index] = Some(WhyOut::RowsLost {
                    rows: design.rows_lost,
                    keeps_rows_if: design.keeps_rows_if.clone(),
                });
            }
        }
    }

    /// Returns the rows that all remaining designs drop, if none keeps them.
    pub fn lost_everywhere(&self) -> Option<LostRows> {
        let designs: Vec<&Contender> = self
            .remaining()
            .map(|index| &self.input.designs[index])
            .collect();
        let rows = designs.iter().map(|design| design.rows_lost).min()?;
        (rows > 0).then(|| LostRows {
            rows,
            keeps_rows_if: designs[0].keeps_rows_if.clone(),
        })
    }

    /// Leaves out the questions that some designs answer from metadata or without any row, since such
    /// answers do not show how fast a design works.
    fn leave_out_questions_without_work(&mut self) {
        for question in 0..self.input.questions.len() {
            if self.left_out[question].is_none() {
                self.left_out[question] = self.why_no_work(question);
            }
        }
    }

    fn why_no_work(&self, question: usize) -> Option<WhyLeftOut> {
        if !self
            .answered_by_class(question, AnswerClass::AlwaysEmpty)
            .is_empty()
        {
            return Some(WhyLeftOut::AlwaysEmpty);
        }
        let metadata = self.answered_by_class(question, AnswerClass::FromMetadata);
        if !metadata.is_empty() {
            return Some(WhyLeftOut::FromMetadata(metadata));
        }
        self.unknown_everywhere(question).map(WhyLeftOut::Unknown)
    }

    /// Returns the ids of the remaining designs with answers of this class.
    fn answered_by_class(&self, question: usize, class: AnswerClass) -> Vec<String> {
        self.remaining()
            .map(|index| &self.input.designs[index])
            .filter(|design| design.class(question) == Some(class))
            .map(|design| design.id.clone())
            .collect()
    }

    /// Returns whether some designs answer the question without reading rows, or with empty answers.
    pub fn is_no_work(&self, question: usize) -> bool {
        matches!(
            self.left_out[question],
            Some(WhyLeftOut::FromMetadata(_) | WhyLeftOut::AlwaysEmpty)
        )
    }

    /// Returns why no design has a figure for a question, by the reason of the first one. Returns `None` if
    /// any has.
    fn unknown_everywhere(&self, question: usize) -> Option<String> {
        let mut designs = self.remaining().map(|index| &self.input.designs[index]);
        let first = designs.next()?;
        let is_known = first.seconds(question).is_some()
            || designs.any(|design| design.seconds(question).is_some());
        (!is_known).then(|| why_unknown(first, question))
    }

    /// Leaves out the questions with a weight that some designs were not asked, since a design must not win because
    /// others were asked less.
    fn leave_out_questions_not_asked_of_all(&mut self) {
        for (question, asked) in self.input.questions.iter().enumerate() {
            if self.left_out[question].is_none() && asked.has_weight() {
                self.left_out[question] = asked.asked_of.map(WhyLeftOut::NotAskedOfAll);
            }
        }
    }

    /// Leaves out the questions without a weight, and scales the weights of the others so that they add up
    /// to 1.
    fn normalise_shares(&mut self) {
        for (question, asked) in self.input.questions.iter().enumerate() {
            if !asked.has_weight() && self.left_out[question].is_none() {
                self.left_out[question] = Some(WhyLeftOut::NoWeight);
            }
            if self.left_out[question].is_none() {
                self.shares[question] = asked.weight;
            }
        }
        let sum: f64 = self.shares.iter().sum();
        if sum > 0.0 {
            self.shares.iter_mut().for_each(|share| *share /= sum);
        }
    }

    /// Chooses the rule's objective or, if it is not known for any design, the first of the others that is.
    fn choose_objective(&mut self) {
        let wanted = self.input.rule.minimise;
        let found = [wanted, Minimise::Time, Minimise::Storage, Minimise::Load]
            .into_iter()
            .find(|minimise| self.is_known(minimise.objective()));
        self.objective = found.map(Minimise::objective);
        self.fallback = match found {
            Some(instead) if instead != wanted => Some(Fallback { wanted, instead }),
            _ => None,
        };
    }

    /// Enters the remaining designs that can be ranked, and excludes the others.
    fn enter(&mut self) {
        let Some(objective) = self.objective else {
            return;
        };
        let (mut entrants, mut unknown) = (Vec::new(), Vec::new());
        for index in self.remaining() {
            match self.point(objective, index) {
                Some(_) => entrants.push(index),
                None => unknown.push((index, self.why_not_ranked(objective, index))),
            }
        }
        for (index, reason) in unknown {
            self.out[index] = Some(WhyOut::NotRanked(reason));
        }
        // Ties are decided by storage, then by id.
        let storage = |index: usize| self.point(Objective::Storage, index).unwrap_or(f64::MAX);
        let id = |index: usize| &self.input.designs[index].id;
        entrants.sort_by(|a, b| {
            storage(*a)
                .total_cmp(&storage(*b))
                .then_with(|| id(*a).cmp(id(*b)))
        });
        self.entrants = entrants;
    }

    fn why_not_ranked(&self, objective: Objective, design: usize) -> String {
        let design = &self.input.designs[design];
        match objective {
            Objective::Month => "its cost is not known".to_owned(),
            Objective::Storage => "its storage is not known".to_owned(),
            Objective::Load => "its loading rate is not known".to_owned(),
            Objective::Question(question) => why_unknown(design, question),
            Objective::Time => {
                let is_unknown = |q: &usize| self.shares[*q] > 0.0 && design.seconds(*q).is_none();
                let unknown = (0..self.shares.len()).find(is_unknown);
                unknown.map_or_else(String::new, |question| {
                    let name = &self.input.questions[question].name;
                    format!("{name}: {}", why_unknown(design, question))
                })
            }
        }
    }

    /// Returns every objective by which the designs are compared: those of tables, then each question that
    /// counts.
    pub fn objectives(&self) -> Vec<Objective> {
        let counted = (0..self.shares.len()).filter(|q| self.shares[*q] > 0.0);
        let all = Objective::OF_TABLES
            .into_iter()
            .chain(counted.map(Objective::Question));
        all.filter(|objective| self.is_known(*objective)).collect()
    }

    /// Returns the design with the least cost; among equals, the first one.
    pub fn best(&self, objective: Objective) -> Option<usize> {
        let points = |design| Some((design, self.point(objective, design)?));
        let points = self.remaining().filter_map(points);
        points
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(design, _)| design)
    }

    /// Returns whether any remaining design has a figure for the objective.
    fn is_known(&self, objective: Objective) -> bool {
        self.remaining()
            .any(|design| self.point(objective, design).is_some())
    }

    /// Returns the cost by the estimates; `None` if the design has no figure for it.
    pub fn point(&self, objective: Objective, design: usize) -> Option<f64> {
        let parts = self.parts(objective, design)?;
        Some(cost(objective, &parts, None))
    }

    /// Returns the cost with all of its resamples; `None` if the design has no figure for it.
    pub fn costs(&self, objective: Objective, design: usize) -> Option<Costs> {
        let parts = self.parts(objective, design)?;
        let resamples = parts
            .iter()
            .map(|(_, figure)| figure.resamples.len())
            .max()?;
        Some(Costs {
            point: cost(objective, &parts, None),
            resamples: (0..resamples)
                .map(|index| cost(objective, &parts, Some(index)))
                .collect(),
            is_error_known: parts.iter().all(|(_, figure)| figure.is_error_known()),
        })
    }

    /// Returns the figures of which a cost is made, each with its share.
    fn parts(&self, objective: Objective, design: usize) -> Option<Vec<(f64, &'a Figure)>> {
        let contender = &self.input.designs[design];
        let figure = match objective {
            Objective::Month => contender.month.as_ref(),
            Objective::Storage => contender.storage.as_ref(),
            Objective::Load => contender.load.as_ref(),
            Objective::Question(question) => contender.seconds(question),
            Objective::Time => return self.parts_of_time(contender),
        };
        let figure = figure.filter(|figure| figure.is_usable())?;
        Some(vec![(1.0, figure)])
    }

    /// Returns the times of the questions that count; `None` if there are none, or one has no figure.
    fn parts_of_time(&self, design: &'a Contender) -> Option<Vec<(f64, &'a Figure)>> {
        let shares = self
            .shares
            .iter()
            .enumerate()
            .filter(|(_, share)| **share > 0.0);
        let parts: Option<Vec<(f64, &Figure)>> = shares
            .map(|(question, share)| Some((*share, design.seconds(question)?)))
            .collect();
        parts.filter(|parts| !parts.is_empty())
    }
}

/// Returns the cost of one figure, or the weighted geometric mean of several.
fn cost(objective: Objective, parts: &[(f64, &Figure)], resample: Option<usize>) -> f64 {
    match (objective, parts) {
        (Objective::Load, [(_, rate)]) => 1.0 / rate.at(resample).max(LEAST),
        (_, [(_, figure)]) => figure.at(resample).max(LEAST),
        _ => {
            let ln = |figure: &Figure| figure.at(resample).max(LEAST).ln();
            let sum: f64 = parts.iter().map(|(share, figure)| share * ln(figure)).sum();
            sum.exp()
        }
    }
}

/// Returns why a design is excluded whatever its answers.
fn out_by_status(design: &Contender) -> Option<WhyOut> {
    match &design.status {
        super::Status::Right => None,
        super::Status::Failed(reason) => Some(WhyOut::Failed(reason.clone())),
        super::Status::Dropped(by) => Some(WhyOut::Dropped(by.clone())),
        super::Status::Yardstick => Some(WhyOut::Yardstick),
    }
}

fn why_unknown(design: &Contender, question: usize) -> String {
    match design.answers.get(question).map(|answer| &answer.time) {
        Some(Timed::Unknown(reason)) => reason.clone(),
        Some(Timed::Seconds(_)) => "its times are not numbers".to_owned(),
        Some(Timed::Failed(_)) | None => "it was not measured".to_owned(),
    }
}
