//! Makes the rows that the tables of terminal and page share: figures with what the comparison shows of
//! them.

use bakeoff_stats::drive::{
    DriveDesign, DriveSummary, FigureComparison, LoadFigure, LoadFigures, OperationFigures,
    TrialSummary,
};
use bakeoff_stats::{AgainstBest, Estimate};

use super::{Kind, against_best, p99_of_rounds, quantile, slowest_p99};
use crate::compare::to_best;
use crate::units;

/// Heading of ratios to the best design.
pub const TO_BEST: &str = "× best";
/// Heading of ratios to the design that is in use today.
pub const TO_TODAYS: &str = "× today's";
/// Heading of the p99 of all rounds together, beside that of the rounds.
pub const P99_OF_ALL: &str = "p99, all rounds";

/// Design with its main figure.
pub struct Driven<'a> {
    pub design: &'a DriveDesign,
    /// Slowest operation's p99 in seconds, where designs are judged by it.
    pub slowest: Option<Estimate>,
    pub against: Option<&'a AgainstBest>,
}

/// Operation of a design with its response times.
pub struct Operation<'a> {
    pub design: &'a DriveDesign,
    /// Place of the operation in the mix.
    pub place: usize,
    pub figures: &'a OperationFigures,
    pub p50: Option<&'a AgainstBest>,
    pub p99: Option<&'a AgainstBest>,
    /// Response time p99 in seconds over the rounds.
    in_rounds: Option<Estimate>,
    /// Service time p99 in seconds over the rounds.
    service_in_rounds: Option<Estimate>,
}

impl<'a> Driven<'a> {
    pub fn figures(&self) -> Option<&'a LoadFigures> {
        self.design.figures.as_ref()
    }
}

impl Operation<'_> {
    /// Writes the p99 of response times that leads wherever there is one: the median of the rounds.
    pub fn p99_time(&self) -> Option<String> {
        quantile(self.figures, 0.99, Some(self.in_rounds?.median))
    }

    /// Writes the p99 of service times: the median of the rounds, too, so that it is comparable with that of response
    /// times.
    pub fn service_p99(&self) -> Option<String> {
        quantile(self.figures, 0.99, Some(self.service_in_rounds?.median))
    }

    /// Writes the interval of that p99; `None` for a single round.
    pub fn p99_interval(&self) -> Option<String> {
        let several = self.in_rounds.filter(is_of_several)?;
        Some(units::duration_interval(&several).1)
    }

    /// Writes the p99 of all rounds together, which there is even if one of them has none; `None` for a single round,
    /// which has no other.
    pub fn p99_of_all(&self) -> Option<String> {
        let is_of_one = self.in_rounds.is_some_and(|p99| !is_of_several(&p99));
        let response = self.figures.response.filter(|_| !is_of_one)?;
        quantile(self.figures, 0.99, Some(response.p99))
    }
}

fn is_of_several(p99: &Estimate) -> bool {
    p99.observations > 1
}

/// Says which p99 leads and what all other times are of; `None` where each design has a single round.
pub fn times_of_rounds(summary: &DriveSummary) -> Option<&'static str> {
    let p99 = summary.designs.iter().flat_map(|d| &d.response_p99);
    let mut known = p99.flatten();
    known.any(is_of_several).then_some(
        "p99 is the median of the rounds, as in charts and verdict; all other times are of all rounds together",
    )
}

pub fn designs(summary: &DriveSummary) -> Vec<Driven<'_>> {
    let is_at_a_rate = Kind::of(summary).is_at_a_rate();
    let slowest = |design| slowest_p99(summary, design).filter(|_| is_at_a_rate);
    let row = |design| Driven {
        design,
        slowest: slowest(design).map(|(_, p99)| p99),
        against: against_best(summary, design),
    };
    summary.designs.iter().map(row).collect()
}

pub fn operations(summary: &DriveSummary) -> Vec<Operation<'_>> {
    let of_design = |design| operations_of(summary, design);
    summary.designs.iter().flat_map(of_design).collect()
}

fn operations_of<'a>(summary: &'a DriveSummary, design: &'a DriveDesign) -> Vec<Operation<'a>> {
    let operations = design.figures.iter().flat_map(|f| &f.operations);
    let against = |figure, operation: &OperationFigures| {
        let (name, id) = (operation.name.as_str(), design.info.id.as_str());
        summary.comparison.design(figure, Some(name), id)
    };
    let row = |(place, figures)| Operation {
        design,
        place,
        figures,
        p50: against(LoadFigure::P50, figures),
        p99: against(LoadFigure::P99, figures),
        in_rounds: p99_of_rounds(design, place),
        service_in_rounds: service_p99_of_rounds(summary, design, place),
    };
    operations.enumerate().map(row).collect()
}

/// Returns the service time p99 of an operation in seconds over the rounds, by its place in the mix; `None` if a round
/// has none.
fn service_p99_of_rounds(
    summary: &DriveSummary,
    design: &DriveDesign,
    place: usize,
) -> Option<Estimate> {
    let of_round = |trial: &TrialSummary| Some(trial.figures.operations.get(place)?.service?.p99);
    let times: Option<Vec<f64>> = summary.rounds_of(design).map(of_round).collect();
    Estimate::from_samples(&times?)
}

/// Writes the ratio to the design that is in use today, if there is one.
pub fn to_todays(against: Option<&AgainstBest>) -> Option<String> {
    let baseline = against?.to_baseline.as_ref();
    baseline.map(to_best::to_todays_in_short)
}

/// Explains the ratios of the tables, where there are any.
pub fn legend(summary: &DriveSummary) -> Option<String> {
    let has_ratios = |c: &FigureComparison| !c.designs.is_empty();
    let is_compared = summary.comparison.figures.iter().any(has_ratios);
    is_compared.then(|| {
        format!(
            "{TO_BEST}: multiple of the best design's figure; {}",
            to_best::LEGEND
        )
    })
}
