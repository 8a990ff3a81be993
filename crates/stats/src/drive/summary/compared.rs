//! Comparison of the designs of a load within rounds, by the method of a run: all designs of a round
//! get the same operations.

use serde::Serialize;

use super::{DriveDesign, DriveSummary, TrialSummary};
use crate::estimate::{Estimate, median};
use crate::rounds::method::Method;
use crate::rounds::table::{Table, all_pairs, common_rounds, comparisons, field};
use crate::rounds::words::Words;
use crate::rounds::{AgainstBest, SAME_WITHIN};

/// Comparisons of designs by all figures of a load, whose intervals hold at once with a probability of
/// 95%.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LoadComparison {
    /// Relative difference that is none.
    pub same_within: f64,
    pub figures: Vec<FigureComparison>,
}

/// Comparison of the designs by one figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureComparison {
    pub figure: LoadFigure,
    /// Operation that the figure is of; `None` if it is of all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Whether this is the figure that designs are judged by.
    pub is_main: bool,
    /// Design with the best figures of those that did all of the work.
    pub best: Option<String>,
    /// Designs that have the figure, in the header's order. Ratios are those of the figure itself, so
    /// that a slower design has more seconds, and less throughput.
    pub designs: Vec<AgainstBest>,
}

/// Figure that designs are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadFigure {
    /// Operations per second, of which more is better.
    Throughput,
    /// Response time p99 of the operation that has the highest one in the round.
    SlowestP99,
    P50,
    P99,
}

/// The design to take after a load, and the next one.
#[derive(Debug, Clone, Copy)]
pub struct LoadChoice<'a> {
    pub design: &'a DriveDesign,
    /// The best one of the others that did all that was asked; `None` if no other one did.
    pub runner_up: Option<&'a DriveDesign>,
}

/// Figure of one operation or of all of them, with the designs that have it.
struct Compared {
    figure: LoadFigure,
    operation: Option<usize>,
    is_main: bool,
    tables: Vec<Table>,
}

impl LoadComparison {
    /// Compares the designs of a load. A search is compared by what it found, so it has none.
    pub fn of(summary: &DriveSummary) -> LoadComparison {
        let stated = summary.header.decide.as_ref();
        let same_within = stated.map_or(SAME_WITHIN, |rule| rule.same_within);
        let baseline = stated.and_then(|rule| rule.baseline.as_deref());
        let compared = all_figures(summary);
        let number = { compared.iter() }
            .map(|c| comparisons(&c.tables, baseline))
            .sum();
        let pairs: Vec<_> = compared.iter().flat_map(|c| all_pairs(&c.tables)).collect();
        let method = Method::new(number, &pairs);
        let in_words = |compared: &Compared| compared.in_words(summary, &method, same_within);
        LoadComparison {
            same_within,
            figures: compared.iter().map(in_words).collect(),
        }
    }

    /// Returns the comparison by the figure that designs are judged by.
    pub fn main(&self) -> Option<&FigureComparison> {
        self.figures.iter().find(|compared| compared.is_main)
    }

    /// Returns what is known of a design by a figure, of this operation or of all.
    pub fn design(
        &self,
        figure: LoadFigure,
        operation: Option<&str>,
        design: &str,
    ) -> Option<&AgainstBest> {
        let is_it =
            |c: &&FigureComparison| c.figure == figure && c.operation.as_deref() == operation;
        self.figures.iter().find(is_it)?.design(design)
    }
}

impl FigureComparison {
    /// Returns what is known of a design.
    pub fn design(&self, id: &str) -> Option<&AgainstBest> {
        self.designs.iter().find(|design| design.design == id)
    }
}

impl DriveSummary {
    /// Returns the design to take: the best one by the figure that designs are judged by, of those that did all that
    /// was asked and are no yardsticks; `None` if no design did. A search and passes have no choice.
    pub fn choice(&self) -> Option<LoadChoice<'_>> {
        if self.header.objective.is_some() || self.header.passes.is_some() {
            return None;
        }
        let at_a_rate = !is_closed_loop(self);
        // The smaller, the better.
        let figure = |design: &DriveDesign| {
            if at_a_rate {
                self.slowest_p99(design).map(|(_, p99)| p99.median)
            } else {
                design.rate.map(|rate| -rate.median)
            }
        };
        let is_choice = |design: &&DriveDesign| {
            !design.info.is_yardstick() && self.has_result(design, at_a_rate)
        };
        let mut ranked: Vec<(f64, &DriveDesign)> = { self.may_be_best().into_iter() }
            .filter(is_choice)
            .filter_map(|design| Some((figure(design)?, design)))
            .collect();
        let best = self.comparison.main().and_then(|main| main.best.as_ref());
        // The comparison leaves rounds out that were not steady.
        let is_best = |id: &String| best == Some(id);
        ranked.sort_by(|(a, one), (b, other)| {
            let best_first = is_best(&other.info.id).cmp(&is_best(&one.info.id));
            best_first.then(a.total_cmp(b))
        });
        let mut designs = ranked.into_iter().map(|(_, design)| design);
        Some(LoadChoice {
            design: designs.next()?,
            runner_up: designs.next(),
        })
    }

    /// Returns the highest response time p99 of any operation in a round in seconds, over the rounds of
    /// a design, and the place of the operation whose median is the highest. Operations are those of
    /// which most rounds have a p99.
    pub fn slowest_p99(&self, design: &DriveDesign) -> Option<(usize, Estimate)> {
        let frequent = frequent_operations(self);
        let over_rounds = |operations: &[usize]| {
            let times = self
                .rounds_of(design)
                .filter_map(|t| slowest(t, operations));
            Estimate::from_samples(&times.collect::<Vec<f64>>())
        };
        let median = |operation: &usize| over_rounds(&[*operation]).map_or(0.0, |p99| p99.median);
        let operations = frequent.iter().copied();
        let slowest = operations.max_by(|a, b| median(a).total_cmp(&median(b)))?;
        Some((slowest, over_rounds(&frequent)?))
    }
}

impl Compared {
    fn in_words(
        &self,
        summary: &DriveSummary,
        method: &Method,
        same_within: f64,
    ) -> FigureComparison {
        let rule = summary.header.decide.as_ref();
        let words = Words {
            designs: self.tables.iter().map(|t| t.design.as_str()).collect(),
            field: field(&self.tables, method, None),
            rounds: common_rounds(&self.tables),
            same_within,
            baseline: rule.and_then(|rule| rule.baseline.as_deref()),
        };
        let designs = words.of_all().into_iter();
        FigureComparison {
            figure: self.figure,
            operation: { self.operation }.map(|n| summary.header.operations[n].name.clone()),
            is_main: self.is_main,
            best: words.best(),
            designs: match self.figure {
                LoadFigure::Throughput => designs.map(AgainstBest::of_rate).collect(),
                _ => designs.collect(),
            },
        }
    }
}

/// Returns the figures that at least two designs have.
fn all_figures(summary: &DriveSummary) -> Vec<Compared> {
    if summary.header.objective.is_some() {
        return Vec::new();
    }
    let operations = 0..summary.header.operations.len();
    let of_operations = operations
        .clone()
        .flat_map(|n| [LoadFigure::P50, LoadFigure::P99].map(|figure| (figure, Some(n))));
    let main = match (is_closed_loop(summary), operations.len()) {
        (true, _) => (LoadFigure::Throughput, None),
        (false, 1) => (LoadFigure::P99, Some(0)),
        (false, _) => (LoadFigure::SlowestP99, None),
    };
    let others = of_operations.filter(|figure| *figure != main);
    let all = std::iter::once(main).chain(others);
    let compared = all.map(|(figure, operation)| Compared {
        figure,
        operation,
        is_main: (figure, operation) == main,
        tables: tables(summary, figure, operation),
    });
    compared.filter(|c| c.tables.len() > 1).collect()
}

fn is_closed_loop(summary: &DriveSummary) -> bool {
    let mut rounds = summary.trials.iter().filter(|t| !t.start.warm_up);
    let first = rounds.next();
    first.is_none_or(|t| t.start.even && t.start.scheduled_rate.is_none())
}

/// Returns the designs that have a figure. Rounds that were not steady are left out.
fn tables(summary: &DriveSummary, figure: LoadFigure, operation: Option<usize>) -> Vec<Table> {
    let at_a_rate = !is_closed_loop(summary);
    let candidates = summary.may_be_best();
    let frequent = frequent_operations(summary);
    let of_round = |trial: &TrialSummary| {
        let value = match (figure, operation) {
            (LoadFigure::Throughput, _) => Some(trial.figures.ops_per_second.recip()),
            (LoadFigure::P50, Some(n)) => response(trial, n, 0.5),
            (_, Some(n)) => response(trial, n, 0.99),
            (_, None) => slowest(trial, &frequent),
        };
        value.filter(|value| value.is_finite() && *value > 0.0)
    };
    let of_design = |design: &DriveDesign| {
        let valued = |t: &TrialSummary| Some((t.start.round, of_round(t)?));
        let steady = summary.rounds_of(design).filter(|t| t.is_steady());
        let mut rounds: Vec<(u32, f64)> = steady.filter_map(valued).collect();
        rounds.sort_by_key(|(round, _)| *round);
        let mut all: Vec<f64> = summary.rounds_of(design).filter_map(of_round).collect();
        all.sort_by(f64::total_cmp);
        (!all.is_empty()).then(|| Table {
            design: design.info.id.clone(),
            rounds,
            median: median(&all),
            may_be_best: candidates.iter().any(|c| c.info.id == design.info.id),
        })
    };
    let designs = summary.designs.iter();
    designs
        .filter(|design| summary.has_result(design, at_a_rate))
        .filter_map(of_design)
        .collect()
}

/// Returns the operations of which most rounds have enough for a p99, so that the slowest one of a
/// round is one of the same operations for all designs.
fn frequent_operations(summary: &DriveSummary) -> Vec<usize> {
    let rounds = || summary.designs.iter().flat_map(|d| summary.rounds_of(d));
    let is_frequent = |operation: &usize| {
        let enough = rounds().filter(|t| response(t, *operation, 0.99).is_some());
        2 * enough.count() > rounds().count()
    };
    (0..summary.header.operations.len())
        .filter(is_frequent)
        .collect()
}

/// Returns the highest p99 of these operations, if each has one.
fn slowest(trial: &TrialSummary, operations: &[usize]) -> Option<f64> {
    let times = operations.iter().map(|n| response(trial, *n, 0.99));
    let times: Option<Vec<f64>> = times.collect();
    times?.into_iter().reduce(f64::max)
}

/// Returns a quantile of an operation's response times in seconds, if enough operations took longer.
fn response(trial: &TrialSummary, operation: usize, quantile: f64) -> Option<f64> {
    let figures = trial.figures.operations.get(operation)?;
    figures.well_supported(quantile)
}

#[cfg(test)]
mod tests;
