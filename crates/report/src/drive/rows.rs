//! Makes the rows that the tables of terminal and page share: figures with what the comparison shows of
//! them.

use bakeoff_stats::drive::{
    DriveDesign, DriveSummary, FigureComparison, LoadFigure, LoadFigures, OperationFigures,
};
use bakeoff_stats::{AgainstBest, Estimate};

use super::{Kind, against_best, slowest_p99};
use crate::compare::to_best;

/// Heading of ratios to the best design.
pub const TO_BEST: &str = "× best";
/// Heading of ratios to the design that is in use today.
pub const TO_TODAYS: &str = "× today's";

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
}

impl<'a> Driven<'a> {
    pub fn figures(&self) -> Option<&'a LoadFigures> {
        self.design.figures.as_ref()
    }
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
    };
    operations.enumerate().map(row).collect()
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
