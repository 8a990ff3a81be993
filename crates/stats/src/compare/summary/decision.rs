//! Decision for one design from the figures of a run.
//!
//! Times are those at full scale if the run can forecast them, and otherwise those at the measured number
//! of rows; rates are always measured. The error of measured times is found by drawing rounds with
//! replacement (Efron, Tibshirani: An introduction to the bootstrap, 1993). All designs and queries get
//! the same rounds in a resample, so that whatever the queries of a round have in common cancels out
//! between designs. The difference between tables of one design, as far as twins show it, is drawn for
//! each design and query from a log-normal distribution.

mod common;
mod draws;
mod full_scale;
mod month;
mod quantiles;

use super::rounds::{Difference, SAME_WITHIN};
use super::{DesignSummary, Forecast, QuerySummary, Summary, ledger};
use crate::decide::{
    Answer, AnswerClass, Cell, Contender, Decision, DecisionInput, Figure, ForecastsHeld, Minimise,
    Noise, Question, Rule, Settled, Status, StoragePrice,
};
use crate::random::SplitMix64;
use crate::thousands;
use common::asked_of;
use draws::{TableDraws, draw, timed};
use full_scale::{at_rest, counted, to_buy};

/// Number of resamples. The standard error of a share of them is at most 2.5 percentage points.
const RESAMPLES: usize = 400;
/// Seed of the resamples, so that the same journal always gives the same decision.
const SEED: u64 = 0x0BAC_E0FF;
/// Seed of the errors of storage at full scale.
const STORAGE_SEED: u64 = 0x0057_04A6;
/// Share of the rows from which on a query that reads them counts as a scan.
const SCAN_SHARE: f64 = 0.5;
/// Circumstances that no run measures.
const NOT_MEASURED: [&str; 4] = ["other runs", "a cold cache", "a network", "updates"];
/// Reason why no design is recommended by times where each question was asked of some designs only.
const NONE_ASKED_OF_ALL: &str = "no question that counts was asked of all designs (--queries)";
/// Setting by which an engine says that rows were written to it no faster than a limit.
const RATE_LIMIT: &str = "rate limit";

impl Summary {
    /// Decides for one design by the rule of the workload. Returns `None` before any design was
    /// loaded.
    pub(super) fn decide(&self) -> Option<Decision> {
        let decision = Decision {
            is_unfinished: !self.finished,
            ..Decision::of(&self.decision_input()?)
        };
        let decision = self.as_compared_within_rounds(decision);
        let is_by_times = matches!(decision.rule.minimise, Minimise::Time | Minimise::Month);
        let has_month = decision.minimised() == Minimise::Month;
        if is_by_times && !has_month && decision.has_no_question_of_all() {
            return Some(decision.without_any_answer(NONE_ASKED_OF_ALL));
        }
        // Nobody should take a design by its storage or loading alone, since there is no answer.
        if decision.rule.minimise != Minimise::Time || self.header.queries.is_empty() {
            return Some(decision);
        }
        if !self.finished && !self.was_any_query_asked() {
            return Some(decision.without_any_answer("no question has been asked yet"));
        }
        if self.queries_at_fault().len() == self.header.queries.len() {
            return Some(decision.without_any_answer("no design answers any question"));
        }
        Some(decision)
    }

    /// Takes the multiples of the best times, and whether the recommended design is shown to be the best one, from the
    /// comparison within rounds, as the tables of the run show them, unless the times of the decision are forecasts.
    fn as_compared_within_rounds(&self, mut decision: Decision) -> Decision {
        if decision.forecasts_times() {
            return decision;
        }
        if let Some(recommendation) = &decision.recommendation {
            for question in decision.questions.iter_mut().filter(|q| q.share > 0.0) {
                let compared = self
                    .comparison
                    .design(&question.name, &recommendation.design);
                if let Some(compared) = compared {
                    question.is_open = compared.difference == Difference::NotSettled;
                }
            }
        }
        for design in &mut decision.designs {
            for (question, cell) in decision.questions.iter().zip(&mut design.cells) {
                let compared = self.comparison.design(&question.name, &design.id);
                let Cell::Time { times_best, .. } = cell else {
                    continue;
                };
                if let (Some(times), Some(compared)) = (times_best.as_mut(), compared) {
                    *times = compared.ratio;
                }
            }
        }
        decision
    }

    /// Counts the forecasts of larger tables from smaller ones: times of the designs and questions that decide.
    fn forecasts_held(&self, input: &DecisionInput) -> Option<ForecastsHeld> {
        let counted: Vec<&str> = { counted(input).into_iter() }
            .map(|question| input.questions[question].name.as_str())
            .collect();
        let choosable: Vec<&str> = self
            .choosable()
            .map(|design| design.info.id.as_str())
            .collect();
        let decides = |entry: &&ledger::Entry| {
            let is_counted = { entry.query.as_deref() }.is_some_and(|name| counted.contains(&name));
            is_counted && choosable.contains(&entry.design.as_str())
        };
        let entries = ledger::held_out(self);
        let scores = ledger::scores(entries.iter().filter(decides));
        let all = scores.first()?;
        Some(ForecastsHeld {
            held: all.covered,
            checked: all.forecasts,
        })
    }

    /// Returns the weight of a query by its index; all queries have the same one without a rule.
    fn weight(&self, query: usize) -> f64 {
        let Some(decide) = &self.header.decide else {
            return 1.0;
        };
        decide.weights.get(query).copied().unwrap_or(0.0)
    }

    /// Returns what the decision is made from. Returns `None` before any design was loaded.
    pub(crate) fn decision_input(&self) -> Option<DecisionInput> {
        if self.rows == 0 {
            return None;
        }
        let header = &self.header;
        let stated = header.decide.as_ref();
        let rounds = self.common_rounds();
        let drawn = draw(&rounds);
        let choosable: Vec<&DesignSummary> = self.choosable().collect();
        let mut tables = TableDraws::new();
        let mut of_storage = SplitMix64::new(STORAGE_SEED);
        let measured = DecisionInput {
            rule: stated.map_or_else(default_rule, |decide| decide.rule.clone()),
            rows: self.rows,
            measured_rows: self.rows,
            full_rows: self.full_rows(),
            copies: header.scale.replication.max(1),
            questions: header
                .queries
                .iter()
                .enumerate()
                .map(|(index, query)| Question {
                    name: query.name.clone(),
                    weight: self.weight(index),
                    asked_of: asked_of(&choosable, &query.name),
                })
                .collect(),
            designs: self
                .designs
                .iter()
                .map(|design| self.contender(design, &drawn, &mut tables, &mut of_storage))
                .collect(),
            price: self.cost.as_ref().map(|cost| StoragePrice {
                currency: cost.prices.currency.clone(),
                gib_month: cost.prices.storage_gib_month,
            }),
            rounds: u32::try_from(rounds.len()).unwrap_or(u32::MAX),
            seconds_a_round: self.seconds_a_round(&rounds),
            noise: self.noise(),
            known_rows: None,
            no_forecast: None,
            no_month: self.why_no_month(),
            dropped_in_vain: { self.race.iter() }
                .flat_map(|race| &race.unfounded)
                .map(|dropped| dropped.design.clone())
                .collect(),
            forecasts: None,
            not_measured: NOT_MEASURED.map(str::to_owned).to_vec(),
        };
        let mut input = self.at_full_scale_or_measured(measured);
        self.add_months(&mut input.designs);
        let is_forecast = input.rows != input.measured_rows;
        input.forecasts = self.forecasts_held(&input).filter(|_| is_forecast);
        Some(input)
    }

    /// Returns the noise that the twins show.
    fn noise(&self) -> Noise {
        let queries = || self.comparison.queries.iter();
        Noise {
            smallest_difference: queries().map(|query| query.smallest_difference).collect(),
            twins: self.comparison.twins,
            tables: queries().map(|query| query.table_deviation).collect(),
        }
    }

    fn contender(
        &self,
        design: &DesignSummary,
        drawn: &[Vec<u32>],
        tables: &mut TableDraws,
        of_storage: &mut SplitMix64,
    ) -> Contender {
        Contender {
            id: design.info.id.clone(),
            status: status(design),
            rows_lost: self.rows_lost_by(&design.info.id),
            keeps_rows_if: Some(self.keeps_rows_if()),
            storage: self.storage_to_buy(design, of_storage),
            settled: self.settled(design),
            load: design
                .sustained_rate()
                .filter(|_| !self.is_rate_limited(design)),
            month: None,
            is_month_least: false,
            troubles: self.troubles(design),
            answers: design
                .queries
                .iter()
                .map(|query| self.answer(design, query, drawn, tables))
                .collect(),
        }
    }

    /// Returns whether rows were loaded no faster than a limit, which is then what was measured.
    fn is_rate_limited(&self, design: &DesignSummary) -> bool {
        let engine = design.info.id.split(['/', '?']).next();
        let mut engines = self.engines.iter();
        engines.any(|info| {
            let mut names = info.settings.iter().map(|(name, _)| name);
            Some(info.engine.as_str()) == engine && names.any(|name| name == RATE_LIMIT)
        })
    }

    /// Returns the number of rows that a design dropped since their key repeats.
    pub(super) fn rows_lost_by(&self, design: &str) -> u64 {
        let is_lost = self.lost_by.iter().any(|loser| loser == design);
        if is_lost { self.duplicate_rows } else { 0 }
    }

    /// Describes how to keep rows whose key repeats.
    fn keeps_rows_if(&self) -> String {
        match &self.told_apart_by {
            Some(column) => format!("add `{column}` to order_key, which tells them apart"),
            None => "add a column to order_key that tells them apart, such as a running number"
                .to_owned(),
        }
    }

    fn storage_to_buy(&self, design: &DesignSummary, random: &mut SplitMix64) -> Option<Figure> {
        let Some(forecast) = self.forecast.as_ref()?.design(&design.info.id) else {
            let scale = &self.header.scale;
            let rows = self.full_rows() as f64 * f64::from(scale.replication.max(1));
            return design
                .bytes_per_row
                .map(|bytes| Figure::exact(bytes * rows));
        };
        let has_purchases = self.has_purchases();
        let storage = forecast.storage.as_ref()?;
        Some(to_buy(storage, has_purchases, random))
    }

    /// Returns the bytes at rest with what is bought in addition, where that is known.
    fn settled(&self, design: &DesignSummary) -> Option<Settled> {
        let forecast = self.forecast.as_ref()?.design(&design.info.id)?;
        let storage = forecast.storage.as_ref().filter(|_| self.has_purchases())?;
        let purchase = storage.purchase.as_ref()?;
        Some(Settled {
            bytes: at_rest(storage),
            room: purchase.room,
            room_from: purchase.room_from.in_words(),
            log_bytes: purchase.log_bytes,
            fill: purchase.fill,
        })
    }

    fn has_purchases(&self) -> bool {
        let forecast = self.forecast.as_ref();
        forecast.is_some_and(Forecast::has_purchases)
    }

    fn answer(
        &self,
        design: &DesignSummary,
        query: &QuerySummary,
        drawn: &[Vec<u32>],
        tables: &mut TableDraws,
    ) -> Answer {
        let compared = self.comparison.query(&query.query);
        let deviation = compared.and_then(|query| query.table_deviation);
        let factors = tables.factors(deviation.unwrap_or(0.0), drawn.len());
        Answer {
            class: self.class(design, query),
            time: timed(design, query, drawn, &factors),
            was_right: query.was_right,
            measured: query.median(),
            quantiles: self.quantiles(design, &query.query),
            basis: format!("measured, {}", rounds_in_words(query.rounds.len())),
        }
    }

    fn class(&self, design: &DesignSummary, query: &QuerySummary) -> AnswerClass {
        if query.always_empty {
            return AnswerClass::AlwaysEmpty;
        }
        match query.rows_scanned {
            _ if design.answers_from_metadata(query) => AnswerClass::FromMetadata,
            Some(rows) if rows >= SCAN_SHARE * self.rows as f64 => AnswerClass::Scan,
            _ => AnswerClass::ByKey,
        }
    }
}

impl DesignSummary {
    fn sustained_rate(&self) -> Option<Figure> {
        let rate = self.loading.rate()?;
        let resamples = self.loading.resamples();
        Some(if resamples.is_empty() {
            Figure::once(rate)
        } else {
            Figure::resampled(rate, resamples)
        })
    }
}

impl QuerySummary {
    /// Returns the time of a round, if its answer was right.
    pub(super) fn seconds_in(&self, round: u32) -> Option<f64> {
        let found = self
            .rounds
            .binary_search_by_key(&round, |(round, _)| *round);
        found.ok().map(|index| self.rounds[index].1)
    }
}

fn default_rule() -> Rule {
    Rule {
        is_stated: false,
        minimise: Minimise::Time,
        has_weights: false,
        limits: Vec::new(),
        same_within: SAME_WITHIN,
        baseline: None,
    }
}

/// Returns whether a design may be recommended. Failures of single queries are not considered here, but
/// with the answers.
fn status(design: &DesignSummary) -> Status {
    if design.info.is_yardstick() {
        return Status::Yardstick;
    }
    let failed = design
        .failures
        .iter()
        .find(|failure| failure.query.is_none());
    match failed {
        Some(failure) => Status::Failed(failure.reason.clone()),
        None if design.is_out_of_race() => Status::Dropped(beaten_by(design)),
        None => Status::Right,
    }
}

/// Says which design beat a dropped one, at how many rows and by how much.
fn beaten_by(design: &DesignSummary) -> String {
    let Some(dropped) = &design.dropped else {
        return String::new();
    };
    let by_rows = dropped.beaten_at();
    let at_rows: Vec<String> = { by_rows.iter() }
        .map(|(rows, beaten)| {
            let beaten: Vec<String> = { beaten.iter() }
                .map(|beaten| format!("{} {:.1}×", beaten.objective, beaten.times))
                .collect();
            format!("at {} rows: {}", thousands(*rows), beaten.join(", "))
        })
        .collect();
    let at_rows = at_rows.join("; ");
    format!("{} beats it in everything {at_rows}", dropped.by)
}

fn rounds_in_words(rounds: usize) -> String {
    match rounds {
        1 => "1 round".to_owned(),
        n => format!("{n} rounds"),
    }
}

#[cfg(test)]
mod tests;
