//! What questions cost the load beside which they are asked: each load with them against the one without
//! them in the same round.

mod harm;

use serde::Serialize;

use super::{DriveDesign, DriveSummary, TrialSummary};
use crate::Estimate;
use crate::counts::total;
use crate::drive::{AskedBeside, BesideRecord, TrialEnd, TrialStart};
pub use harm::Harm;

/// Most messages of failures and differences that are kept of a question.
const MOST_MESSAGES: usize = 5;

/// Cost of the questions for a design that is driven, over its rounds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BesideFigures {
    pub design: String,
    /// Design that answered them; absent if the driven one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// Number of rounds in which both loads came to their end.
    pub pairs: usize,
    /// Successful operations per second.
    pub rate: Option<WithAndWithout>,
    /// Response times of each operation, in the header's order.
    pub operations: Vec<OperationBeside>,
    /// Operations that failed in the loads without and with questions.
    pub failed_without: u64,
    pub failed_with: u64,
    /// What became of each question, in the header's order, over all rounds.
    pub questions: Vec<QuestionBeside>,
}

/// A figure of the loads without and with questions, and the ratio of the second to the first, whose interval
/// is over the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WithAndWithout {
    pub without: Estimate,
    pub with: Estimate,
    pub ratio: Estimate,
}

/// Response times of an operation in seconds, without and with questions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OperationBeside {
    pub name: String,
    pub p50: Option<WithAndWithout>,
    /// Absent where a load had too few operations for a p99.
    pub p99: Option<WithAndWithout>,
}

/// What became of a question over all rounds. Times are in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QuestionBeside {
    pub name: String,
    pub answered: u64,
    /// Answers in each minute of a load, over rounds.
    pub per_minute: Option<Estimate>,
    /// Median time of the answers of a round, over those rounds that have some.
    pub p50: Option<Estimate>,
    pub longest: Option<f64>,
    pub failed: u64,
    /// Questions that were not answered when their load ended.
    pub unfinished: u64,
    pub compared: u64,
    /// Answers that differed from the first one to the same question.
    pub differing: u64,
    pub messages: Vec<String>,
    /// What became of it in each round in which both loads came to their end.
    #[serde(skip)]
    pub rounds: Vec<AskedInRound>,
}

/// What became of a question beside the load of one round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AskedInRound {
    pub round: u32,
    /// Seconds that the load lasted.
    pub lasted: f64,
    pub answered: u64,
    /// Median time of the answers in seconds; `None` if there are none.
    pub p50: Option<f64>,
}

/// Sums up what questions cost each design, by who answered them.
pub fn figures(summary: &DriveSummary, records: &[BesideRecord]) -> Vec<BesideFigures> {
    let Some(asked) = &summary.header.beside else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for design in &summary.designs {
        for by in asked.answering() {
            all.push(of_design(summary, design, by, records));
        }
    }
    all
}

fn of_design(
    summary: &DriveSummary,
    design: &DriveDesign,
    by: Option<&str>,
    records: &[BesideRecord],
) -> BesideFigures {
    let pairs = pairs(summary, design, by);
    let operations = summary.header.operations.iter().enumerate();
    let own: Vec<(&BesideRecord, f64)> = { records.iter() }
        .filter(|record| record.design == design.info.id)
        .filter_map(|record| Some((record, summary.trial(record.trial)?)))
        .filter(|(_, trial)| answered_by(summary, &trial.start) == by)
        .map(|(record, trial)| (record, trial.duration))
        .collect();
    let asked = summary.header.beside.iter().flat_map(|b| &b.questions);
    BesideFigures {
        design: design.info.id.clone(),
        answered_by: by.map(str::to_owned),
        pairs: pairs.len(),
        rate: ratio(&pairs, |trial| Some(trial.figures.ops_per_second)),
        operations: operations
            .map(|(place, info)| OperationBeside {
                name: info.name.clone(),
                p50: ratio(&pairs, |trial| response(trial, place, 0.5)),
                p99: ratio(&pairs, |trial| response(trial, place, 0.99)),
            })
            .collect(),
        failed_without: total(pairs.iter().map(|pair| pair.without.figures.failed())),
        failed_with: total(pairs.iter().map(|pair| pair.with.figures.failed())),
        questions: asked
            .enumerate()
            .map(|(place, question)| QuestionBeside {
                rounds: by_round(place, &pairs, &own),
                ..of_question(&question.name, place, &own)
            })
            .collect(),
    }
}

/// The two loads of a round.
struct Pair<'a> {
    without: &'a TrialSummary,
    with: &'a TrialSummary,
}

/// Returns the design that answered beside a load; `None` if the driven one did.
fn answered_by<'a>(summary: &'a DriveSummary, start: &'a TrialStart) -> Option<&'a str> {
    start.answered_by(summary.header.beside.as_ref()?)
}

/// Returns the rounds of a design in which both loads came to their end: the one without questions, and the one with
/// those that this design answered, or the driven one itself.
fn pairs<'a>(summary: &'a DriveSummary, design: &DriveDesign, by: Option<&str>) -> Vec<Pair<'a>> {
    let own = |trial: &&TrialSummary| {
        let complete = trial.end.as_ref().is_some_and(TrialEnd::is_complete);
        trial.start.design == design.info.id && !trial.start.warm_up && complete
    };
    let trials: Vec<&TrialSummary> = summary.trials.iter().filter(own).collect();
    let with = trials.iter().filter(|trial| trial.start.beside);
    let with = with.filter(|trial| answered_by(summary, &trial.start) == by);
    with.filter_map(|with| {
        let mut others = trials.iter().filter(|trial| !trial.start.beside);
        let without = others.find(|trial| trial.start.round == with.start.round)?;
        Some(Pair { without, with })
    })
    .collect()
}

/// Returns a figure without and with questions over the rounds in which both loads have it; `None` if there
/// are none.
fn ratio(
    pairs: &[Pair<'_>],
    figure: impl Fn(&TrialSummary) -> Option<f64>,
) -> Option<WithAndWithout> {
    let known = |trial: &TrialSummary| figure(trial).filter(|value| *value > 0.0);
    let both: Vec<(f64, f64)> = { pairs.iter() }
        .filter_map(|pair| known(pair.without).zip(known(pair.with)))
        .collect();
    let of = |value: fn(&(f64, f64)) -> f64| {
        let values: Vec<f64> = both.iter().map(value).collect();
        Estimate::from_samples(&values)
    };
    Some(WithAndWithout {
        without: of(|(without, _)| *without)?,
        with: of(|(_, with)| *with)?,
        ratio: of(|(without, with)| with / without)?,
    })
}

/// Returns a quantile of an operation's response time in seconds, if it does not hang on the slowest one.
fn response(trial: &TrialSummary, operation: usize, quantile: f64) -> Option<f64> {
    let figures = trial.figures.operations.get(operation)?;
    figures.supported(quantile)
}

/// Returns what became of a question beside each of these loads, of records with the seconds that their loads
/// lasted.
fn by_round(
    place: usize,
    pairs: &[Pair<'_>],
    records: &[(&BesideRecord, f64)],
) -> Vec<AskedInRound> {
    let of_pair = |pair: &Pair<'_>| {
        let start = &pair.with.start;
        let (record, lasted) = { records.iter() }.find(|(r, _)| r.trial == start.trial)?;
        let asked = record.questions.get(place)?;
        Some(AskedInRound {
            round: start.round,
            lasted: *lasted,
            answered: asked.answered,
            p50: asked.p50,
        })
    };
    pairs.iter().filter_map(of_pair).collect()
}

/// Sums up a question over its records, each with the seconds that its load lasted; without its rounds.
fn of_question(name: &str, place: usize, records: &[(&BesideRecord, f64)]) -> QuestionBeside {
    let asked: Vec<(&AskedBeside, f64)> = { records.iter() }
        .filter_map(|(record, lasted)| Some((record.questions.get(place)?, *lasted)))
        .collect();
    let sum = |count: fn(&AskedBeside) -> u64| total(asked.iter().map(|(asked, _)| count(asked)));
    let per_minute: Vec<f64> = { asked.iter() }
        .filter(|(_, lasted)| *lasted > 0.0)
        .map(|(asked, lasted)| asked.answered as f64 * 60.0 / lasted)
        .collect();
    let p50: Vec<f64> = asked.iter().filter_map(|(asked, _)| asked.p50).collect();
    let longest = asked.iter().filter_map(|(asked, _)| asked.longest);
    let mut messages: Vec<String> = Vec::new();
    for message in asked.iter().flat_map(|(asked, _)| &asked.messages) {
        if !messages.contains(message) && messages.len() < MOST_MESSAGES {
            messages.push(message.clone());
        }
    }
    QuestionBeside {
        name: name.to_owned(),
        answered: sum(|asked| asked.answered),
        per_minute: Estimate::from_samples(&per_minute),
        p50: Estimate::from_samples(&p50),
        longest: longest.reduce(f64::max),
        failed: sum(|asked| asked.failed),
        unfinished: sum(|asked| asked.unfinished),
        compared: sum(|asked| asked.compared),
        differing: sum(|asked| asked.differing),
        messages,
        rounds: Vec::new(),
    }
}

impl DriveSummary {
    /// Returns the loads of a design with questions that this other design answered, or the driven one itself, of the
    /// rounds in which both loads came to their end.
    pub fn loads_with_questions(
        &self,
        design: &DriveDesign,
        by: Option<&str>,
    ) -> Vec<&TrialSummary> {
        let pairs = pairs(self, design, by).into_iter();
        pairs.map(|pair| pair.with).collect()
    }
}

impl BesideFigures {
    /// Returns the id of the design that answered, be it the driven one or another.
    pub fn answering(&self) -> &str {
        self.answered_by.as_deref().unwrap_or(&self.design)
    }

    /// Returns the operation whose p99 grew by the largest factor, and that p99.
    pub fn worst_p99(&self) -> Option<(&str, WithAndWithout)> {
        let known = self.operations.iter();
        let known = known.filter_map(|operation| Some((operation.name.as_str(), operation.p99?)));
        known.max_by(|(_, a), (_, b)| a.ratio.median.total_cmp(&b.ratio.median))
    }

    /// Returns whether a question failed, or an answer differed from the first one.
    pub fn has_trouble(&self) -> bool {
        let mut questions = self.questions.iter();
        questions.any(|question| question.failed > 0 || question.differing > 0)
    }

    /// Returns whether there is no answer at all that came before its load ended.
    pub fn is_unanswered(&self) -> bool {
        self.questions.iter().all(|question| question.answered == 0)
    }
}

#[cfg(test)]
mod tests;
