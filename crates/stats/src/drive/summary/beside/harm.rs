//! Orders the designs that answer questions beside a load by what that cost the load.

use super::super::{DriveDesign, DriveSummary, TrialSummary};
use super::{BesideFigures, pairs, response};
use crate::Estimate;

/// What the answers of a design cost a load, among those of other designs.
#[derive(Debug, Clone, Copy)]
pub struct Harm<'a> {
    pub figures: &'a BesideFigures,
    /// Whether the cost is known, so that the design has its place among the others.
    pub is_known: bool,
    /// Cost as a multiple of the least one, within the rounds that both have; `None` for the design with the least
    /// cost itself, and for one whose cost is not known.
    pub to_least: Option<Estimate>,
}

/// Figure of a load that tells the harm to it.
#[derive(Clone, Copy)]
enum Measure {
    /// Operations a second, of a load that goes as fast as it can.
    Rate,
    /// Response time p99 of the operation at this place, of a load at a rate.
    P99(usize),
}

impl DriveSummary {
    /// Returns what the answers of each design cost the load of a driven one: those with the least cost first, by the
    /// median over rounds, and those of which it is not known last.
    pub fn harms(&self, design: &DriveDesign) -> Vec<Harm<'_>> {
        let own = self.beside.iter();
        let mut own: Vec<&BesideFigures> = own
            .filter(|figures| figures.design == design.info.id)
            .collect();
        let Some(measure) = self.measure_of_harm(design) else {
            return own.into_iter().map(unknown).collect();
        };
        let cost = |figures: &BesideFigures| self.cost(design, figures, measure);
        let place = |figures: &BesideFigures| cost(figures).unwrap_or(f64::INFINITY);
        own.sort_by(|a, b| place(a).total_cmp(&place(b)));
        let least = own
            .first()
            .map(|least| self.by_round(design, least, measure));
        let least = least.unwrap_or_default();
        let told = own.into_iter().enumerate();
        told.map(|(place, figures)| {
            let is_known = cost(figures).is_some();
            let rounds = (is_known && place > 0).then(|| self.by_round(design, figures, measure));
            Harm {
                figures,
                is_known,
                to_least: rounds.and_then(|rounds| ratio(&rounds, &least)),
            }
        })
        .collect()
    }

    /// Returns the cost of a design's answers as a factor. It is not known if no question was answered, if one failed,
    /// which leaves the load to itself for a moment, and if so much of a load failed that its figures do not describe
    /// it.
    fn cost(&self, design: &DriveDesign, figures: &BesideFigures, measure: Measure) -> Option<f64> {
        let loads = self.loads_with_questions(design, figures.answered_by.as_deref());
        let has_failed = figures.questions.iter().any(|question| question.failed > 0)
            || loads.iter().any(|load| load.figures.too_many_failed());
        if has_failed || figures.is_unanswered() {
            return None;
        }
        measure.cost(figures)
    }

    /// Returns the place of the operation of a driven design whose p99 grew by the largest factor, whoever answered.
    pub fn worst_operation(&self, design: &DriveDesign) -> Option<usize> {
        let own = self.beside.iter();
        let own = own.filter(|figures| figures.design == design.info.id);
        let growth = own.flat_map(|figures| {
            let operations = figures.operations.iter().enumerate();
            operations.filter_map(|(place, operation)| Some((place, operation.p99?.ratio.median)))
        });
        let worst = growth.max_by(|(_, a), (_, b)| a.total_cmp(b));
        worst.map(|(place, _)| place)
    }

    fn measure_of_harm(&self, design: &DriveDesign) -> Option<Measure> {
        if self.goes_as_fast_as_it_can() {
            return Some(Measure::Rate);
        }
        self.worst_operation(design).map(Measure::P99)
    }

    /// Returns the measure of each round in which both loads came to their end, as something of which less is better.
    fn by_round(
        &self,
        design: &DriveDesign,
        figures: &BesideFigures,
        measure: Measure,
    ) -> Vec<(u32, f64)> {
        let pairs = pairs(self, design, figures.answered_by.as_deref()).into_iter();
        let of_round = |with: &TrialSummary| Some((with.start.round, measure.of(with)?));
        pairs.filter_map(|pair| of_round(pair.with)).collect()
    }
}

impl Measure {
    /// Returns the cost as a factor; `None` where no round has both loads, or a p99 rests on the slowest operation.
    fn cost(self, figures: &BesideFigures) -> Option<f64> {
        match self {
            Measure::Rate => figures.rate.map(|rate| rate.ratio.median.recip()),
            Measure::P99(place) => Some(figures.operations.get(place)?.p99?.ratio.median),
        }
    }

    fn of(self, trial: &TrialSummary) -> Option<f64> {
        let value = match self {
            Measure::Rate => trial.figures.ops_per_second.recip(),
            Measure::P99(place) => response(trial, place, 0.99)?,
        };
        Some(value).filter(|value| value.is_finite() && *value > 0.0)
    }
}

fn unknown(figures: &BesideFigures) -> Harm<'_> {
    Harm {
        figures,
        is_known: false,
        to_least: None,
    }
}

/// Estimates the ratio of one measure to another one within the rounds that both have; `None` if there are none.
fn ratio(one: &[(u32, f64)], other: &[(u32, f64)]) -> Option<Estimate> {
    let within = one.iter().filter_map(|(round, value)| {
        let (_, least) = other.iter().find(|(of, _)| of == round)?;
        Some(value / least)
    });
    Estimate::from_samples(&within.collect::<Vec<f64>>())
}
