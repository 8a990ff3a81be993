//! Figures of a decision at full scale, from the forecast.

use super::{RESAMPLES, SEED};
use crate::DesignInfo;
use crate::compare::{
    DesignForecast, Ladder, Projection, Refusal, StorageForecast, Summary, TimeForecast,
};
use crate::decide::{
    Answer, Contender, DecisionInput, Figure, KnownRows, Minimise, Span, Status, Timed,
};
use crate::random::SplitMix64;

/// Reason why nothing is known beyond the range of a forecast.
const BEYOND: &str = "the tables of this run are no further apart";
/// Reason why there are no times at all, at any scale.
const NO_ANSWERS: &str = "no question that counts has right answers";

impl Summary {
    /// Returns the input with times at full scale, if all designs that may be recommended can be ranked by
    /// a forecast for each question that counts; one whose interval is too wide to be relied on makes the
    /// decision as uncertain as it is itself. Otherwise returns the measured input with the reason why there is no
    /// forecast, since a design must not win because others have none.
    pub(super) fn at_full_scale_or_measured(&self, measured: DecisionInput) -> DecisionInput {
        let full_rows = self.full_rows();
        if full_rows <= self.rows {
            return measured;
        }
        let counted = counted(&measured);
        let times = self.times(&measured, &counted);
        let is_ranked = |times: &Vec<&TimeForecast>| times.iter().all(|time| time.ranked().is_ok());
        if times.is_empty() || counted.is_empty() || !times.iter().all(is_ranked) {
            let has_no_times = counted.is_empty() && measured.rule.minimise == Minimise::Time;
            let reason = has_no_times.then(|| NO_ANSWERS.to_owned());
            return without_forecast(measured, reason.or_else(|| why_refused(&times)));
        }
        let from = times.iter().flatten().map(|time| time.from_rows);
        let to = times.iter().flatten().map(|time| time.to_rows);
        let known_rows = from.max().zip(to.min()).map(|(from, to)| KnownRows {
            from,
            to,
            beyond: Some(BEYOND.to_owned()),
        });
        self.forecast_input(measured, known_rows)
    }

    /// Returns the rows with which times at full scale could be forecast, where nothing but more rows is missing.
    pub fn rows_to_forecast(&self) -> Option<u64> {
        let input = self.decision_input()?;
        input.no_forecast.as_ref()?;
        let times = self.times(&input, &counted(&input));
        let (_, refusal) = worst_refusal(&times)?;
        let rows = match refusal {
            // More rows have smaller tables that are further apart.
            Refusal::TooFarAlong { .. } => self.rows_along_axes(),
            refusal => refusal.rows_to_load()?.max(self.rows_along_axes()),
        };
        Some(rows.min(self.full_rows()))
    }

    /// Returns the rows from whose smaller tables along the axes the growth along each of them is seen; 0 in a run
    /// without axes. A refusal counts only how many tables are large enough.
    fn rows_along_axes(&self) -> u64 {
        let Some(axes) = &self.axes else {
            return 0;
        };
        let stores = { self.header.designs.iter() }.filter(|info| !info.is_yardstick());
        let fewest = stores.map(DesignInfo::rows_to_forecast).max().unwrap_or(0);
        let (full_rows, series) = (self.full_rows(), axes.to_full.0);
        Ladder::rows_to_forecast(full_rows, fewest, |rows| {
            Some([series, full_rows as f64 / rows as f64 / series])
        })
    }

    /// Returns the forecasts for all questions that count, of each design that may be recommended and has
    /// answered all of them.
    fn times(&self, input: &DecisionInput, counted: &[usize]) -> Vec<Vec<&TimeForecast>> {
        let Some(forecast) = &self.forecast else {
            return Vec::new();
        };
        contenders(input)
            .filter_map(|contender| {
                let design = forecast.design(&contender.id)?;
                let names = counted
                    .iter()
                    .map(|question| &input.questions[*question].name);
                names.map(|name| design.time(name)).collect()
            })
            .collect()
    }

    fn forecast_input(
        &self,
        measured: DecisionInput,
        known_rows: Option<KnownRows>,
    ) -> DecisionInput {
        let mut random = SplitMix64::new(SEED);
        let designs = measured.designs.into_iter().map(|mut contender| {
            let forecast = self.forecast.as_ref();
            let design = forecast.and_then(|forecast| forecast.design(&contender.id));
            for (question, answer) in measured.questions.iter().zip(&mut contender.answers) {
                forecast_answer(answer, design, &question.name, &mut random);
            }
            contender
        });
        DecisionInput {
            designs: designs.collect(),
            questions: measured.questions.clone(),
            rows: self.full_rows(),
            known_rows,
            ..measured
        }
    }
}

/// Returns the storage to buy, where it is known of all designs, and otherwise the bytes at rest. What a forecast is
/// wrong by is drawn for each design, since that of one says nothing about that of another.
pub fn to_buy(forecast: &StorageForecast, has_purchases: bool, random: &mut SplitMix64) -> Figure {
    let at_rest = Figure {
        point: forecast.bytes,
        interval: at_rest(forecast).interval,
        resamples: match forecast.spread {
            Some(spread) if spread > 0.0 => resamples(forecast.bytes, spread, random),
            _ => Vec::new(),
        },
        curve: forecast.curve,
    };
    let Some(purchase) = forecast.purchase.as_ref().filter(|_| has_purchases) else {
        return at_rest;
    };
    Figure {
        point: purchase.bytes,
        interval: at_rest
            .interval
            .map(|(low, high)| (purchase.at(low), purchase.at(high))),
        resamples: at_rest
            .resamples
            .iter()
            .map(|bytes| purchase.at(*bytes))
            .collect(),
        curve: purchase.curve,
    }
}

/// Returns the bytes at rest with their interval; without a known error they count as exact.
pub fn at_rest(forecast: &StorageForecast) -> Span {
    let exact = (forecast.bytes, forecast.bytes);
    let is_spread = forecast.spread.is_some_and(|spread| spread > 0.0);
    Span {
        point: forecast.bytes,
        interval: forecast.interval.filter(|_| is_spread).or(Some(exact)),
    }
}

fn time(projection: &Projection, random: &mut SplitMix64) -> Figure {
    Figure {
        point: projection.seconds,
        interval: Some(projection.interval),
        resamples: resamples(projection.seconds, projection.spread, random),
        curve: projection.curve,
    }
}

/// Draws from the log-normal distribution of a forecast.
fn resamples(point: f64, spread: f64, random: &mut SplitMix64) -> Vec<f64> {
    (0..RESAMPLES)
        .map(|_| point * (spread * random.normal()).exp())
        .collect()
}

/// Replaces the measured time of an answer by the one at full scale. A failure remains one. Quantiles have no
/// forecast.
fn forecast_answer(
    answer: &mut Answer,
    design: Option<&DesignForecast>,
    query: &str,
    random: &mut SplitMix64,
) {
    answer.quantiles.clear();
    if !matches!(answer.time, Timed::Seconds(_)) {
        return;
    }
    let Some(forecast) = design.and_then(|design| design.time(query)) else {
        answer.time = Timed::Unknown("it has no forecast".to_owned());
        return;
    };
    answer.basis = forecast.basis();
    answer.time = match forecast.ranked() {
        Ok(projection) => Timed::Seconds(time(projection, random)),
        Err(refusal) => Timed::Unknown(refusal.to_string()),
    };
}

fn contenders(input: &DecisionInput) -> impl Iterator<Item = &Contender> {
    input
        .designs
        .iter()
        .filter(|design| design.status == Status::Right)
}

/// Returns the questions that have a weight, show how fast designs work, are asked of all designs that may be
/// recommended, and are answered by at least one.
pub fn counted(input: &DecisionInput) -> Vec<usize> {
    let is_answered = |answer: &Answer| matches!(answer.time, Timed::Seconds(_));
    let counts = |question: &usize| {
        let answers = contenders(input).filter_map(|design| design.answers.get(*question));
        let answers: Vec<&Answer> = answers.filter(|answer| is_answered(answer)).collect();
        let shows_work = answers.iter().all(|answer| answer.class.shows_work());
        let asked = &input.questions[*question];
        let is_counted = asked.weight > 0.0 && asked.asked_of.is_none();
        is_counted && shows_work && !answers.is_empty()
    };
    (0..input.questions.len()).filter(counts).collect()
}

/// Returns the refusal that asks for the largest number of rows to load, or otherwise the first one, with its question.
fn worst_refusal<'a>(times: &[Vec<&'a TimeForecast>]) -> Option<(&'a str, &'a Refusal)> {
    let refusals = times
        .iter()
        .flatten()
        .filter_map(|time| Some((time.query.as_str(), time.ranked().err()?)));
    refusals.reduce(|worst, other| {
        if other.1.rows_to_load() > worst.1.rows_to_load() {
            other
        } else {
            worst
        }
    })
}

fn why_refused(times: &[Vec<&TimeForecast>]) -> Option<String> {
    worst_refusal(times).map(|(query, refusal)| match refusal {
        Refusal::TooWide { .. } => format!("the forecast of {query} is too wide, since {refusal}"),
        refusal => refusal.to_string(),
    })
}

fn without_forecast(measured: DecisionInput, refusal: Option<String>) -> DecisionInput {
    let mut not_measured = vec!["times at full scale".to_owned()];
    not_measured.extend_from_slice(&measured.not_measured);
    DecisionInput {
        not_measured,
        no_forecast: refusal,
        ..measured
    }
}

#[cfg(test)]
mod tests;
