//! Comparison of the designs' times within rounds. All designs get the same parameters in a round, so
//! ratios of their times do not vary with the parameters.

pub mod twins;

use serde::Serialize;

use super::race::parts_of_error;
use super::{DesignSummary, Summary};
use crate::Role;
#[cfg(test)]
use crate::rounds::best;
use crate::rounds::table::{Table, all_pairs, common_rounds, field};
use crate::rounds::words::Words;
pub use crate::rounds::{AgainstBaseline, AgainstBest, Difference, SAME_WITHIN};
pub use crate::rounds::{method, paired};
use method::{Method, TableNoise};
use paired::Paired;
use twins::Twins;

/// Ratios of the designs' times, with intervals that hold all true ratios at once with a
/// probability of 95%.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PairedComparison {
    /// Largest relative difference of twins; `None` without twins.
    pub twins: Option<f64>,
    /// Comparisons of the queries, in the header's order.
    pub queries: Vec<QueryComparison>,
}

/// Comparison of the designs by one query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryComparison {
    pub query: String,
    /// Design with the shortest times among those that may be recommended.
    pub best: Option<String>,
    /// Relative difference up to which designs count as the same: the rule's or, if that is larger, the
    /// floor.
    pub same_within: f64,
    /// Standard deviation of the logarithm of a table's times; `None` without twins.
    pub table_deviation: Option<f64>,
    /// Smallest relative difference that would have been shown four times out of five; `None`
    /// without twins.
    pub smallest_difference: Option<f64>,
    /// Designs that have times, in the header's order.
    pub designs: Vec<AgainstBest>,
}

impl PairedComparison {
    /// Compares the designs of a run.
    pub(super) fn from_summary(summary: &Summary) -> PairedComparison {
        PairedComparison::of(summary, |_| true)
    }

    /// Compares two designs of a run, with the intervals that a comparison of all its designs has.
    pub fn of_two(summary: &Summary, one: &str, other: &str) -> PairedComparison {
        PairedComparison::of(summary, |design| design == one || design == other)
    }

    /// Compares the designs of a run that are chosen, with the intervals that a comparison of all its designs
    /// has.
    pub(super) fn of(summary: &Summary, chosen: impl Fn(&str) -> bool) -> PairedComparison {
        PairedComparison::of_tables(summary, chosen, |table| table.may_be_best)
    }

    /// Compares designs of a run like [`PairedComparison::of`], of which also one with some columns only may be the
    /// best one.
    pub(super) fn of_columns(summary: &Summary, chosen: impl Fn(&str) -> bool) -> PairedComparison {
        let is_right = |table: &Table| {
            let design = summary.design(&table.design);
            design.is_some_and(|design| design.info.role == Role::SomeColumns && design.is_right())
        };
        PairedComparison::of_tables(summary, chosen, |table| {
            table.may_be_best || is_right(table)
        })
    }

    fn of_tables(
        summary: &Summary,
        chosen: impl Fn(&str) -> bool,
        may_be_best: impl Fn(&Table) -> bool,
    ) -> PairedComparison {
        let mut queries = all_tables(summary);
        let method = method(summary, &queries);
        for tables in &mut queries {
            tables.retain(|table| chosen(&table.design));
            for table in tables {
                table.may_be_best = may_be_best(table);
            }
        }
        let twins = twins_by(&method, summary);
        let noise = twins::noise(&twins);
        let largest = twins.iter().filter_map(Twins::largest);
        PairedComparison {
            twins: largest.max_by(f64::total_cmp),
            queries: summary
                .header
                .queries
                .iter()
                .zip(&queries)
                .zip(noise)
                .map(|((query, tables), noise)| {
                    let compared = Compared {
                        method: &method,
                        tables,
                        noise,
                        same_within: same_within(summary, noise),
                        baseline: baseline(summary),
                    };
                    compared.query(&query.name)
                })
                .collect(),
        }
    }

    /// Returns the comparison of the designs by a query.
    pub fn query(&self, name: &str) -> Option<&QueryComparison> {
        self.queries.iter().find(|query| query.query == name)
    }

    /// Returns the comparison of one design by a query.
    pub fn design(&self, query: &str, design: &str) -> Option<&AgainstBest> {
        self.query(query)?.design(design)
    }
}

impl QueryComparison {
    /// Returns the comparison of one design.
    pub fn design(&self, id: &str) -> Option<&AgainstBest> {
        self.designs.iter().find(|design| design.design == id)
    }
}

impl Summary {
    /// Returns the noise of tables in a query; `None` without twins.
    pub(crate) fn table_noise(&self, query: &str) -> Option<TableNoise> {
        let place = self.header.queries.iter().position(|q| q.name == query)?;
        twins::noise(&twins_of(self)).into_iter().nth(place)?
    }
}

/// Everything that is needed to compare designs by one query.
pub struct Compared<'a> {
    pub method: &'a Method,
    pub tables: &'a [Table],
    pub noise: Option<TableNoise>,
    pub same_within: f64,
    pub baseline: Option<&'a str>,
}

impl Compared<'_> {
    /// Puts the comparison by one query into words.
    pub fn query(&self, name: &str) -> QueryComparison {
        let words = Words {
            designs: self.tables.iter().map(|t| t.design.as_str()).collect(),
            field: field(self.tables, self.method, self.noise),
            rounds: common_rounds(self.tables),
            same_within: self.same_within,
            baseline: self.baseline,
        };
        let best = words.field.best().map(|index| &self.tables[index]);
        QueryComparison {
            query: name.to_owned(),
            best: words.best(),
            same_within: self.same_within,
            table_deviation: self.noise.map(TableNoise::deviation),
            smallest_difference: best.and_then(|best| self.smallest_difference(best)),
            designs: words.of_all(),
        }
    }

    /// Returns the median, over the other designs, of the differences that could have been shown.
    fn smallest_difference(&self, best: &Table) -> Option<f64> {
        self.noise?;
        let others = self
            .tables
            .iter()
            .filter(|table| table.design != best.design);
        let mut shown: Vec<f64> = others
            .filter_map(|table| self.method.smallest_shown(&table.paired(best), self.noise))
            .collect();
        shown.sort_by(f64::total_cmp);
        let shown = (!shown.is_empty()).then(|| crate::estimate::median(&shown))?;
        Some((shown + self.same_within.ln_1p()).exp_m1())
    }
}

/// Returns the differences of a run's twins in each query of the header.
pub fn twins_of(summary: &Summary) -> Vec<Twins> {
    twins_by(&method(summary, &all_tables(summary)), summary)
}

fn twins_by(method: &Method, summary: &Summary) -> Vec<Twins> {
    let names = summary.header.queries.iter().map(|query| &query.name);
    names
        .map(|name| Twins::from_pairs(method, &twin_pairs(summary, name)))
        .collect()
}

fn method(summary: &Summary, queries: &[Vec<Table>]) -> Method {
    let pairs: Vec<Paired> = queries
        .iter()
        .flat_map(|tables| all_pairs(tables))
        .collect();
    Method::new(comparisons(summary, queries), &pairs)
}

fn all_tables(summary: &Summary) -> Vec<Vec<Table>> {
    let names = summary.header.queries.iter().map(|q| q.name.as_str());
    names.map(|name| tables(summary, name)).collect()
}

/// Returns the designs that have times of a query.
fn tables(summary: &Summary, query: &str) -> Vec<Table> {
    let at_fault = summary.queries_at_fault();
    let of_design = |design: &DesignSummary| {
        let query = design.query(query)?;
        let median = query.median().filter(|median| *median > 0.0)?;
        Some(Table {
            design: design.info.id.clone(),
            rounds: query.rounds.clone(),
            median,
            may_be_best: design.may_be_best(&at_fault),
        })
    };
    summary.designs.iter().filter_map(of_design).collect()
}

/// Returns the pairs of designs with their twins.
fn twin_pairs(summary: &Summary, query: &str) -> Vec<Paired> {
    let of_design = |design: &DesignSummary| {
        let twin = summary.twin_of(&design.info.id)?.query(query)?;
        Some(Paired::new(&design.query(query)?.rounds, &twin.rounds))
    };
    summary.designs.iter().filter_map(of_design).collect()
}

/// Returns the number of comparisons that a report of the run makes. Those of a race are made again at
/// each look, after which it may end.
fn comparisons(summary: &Summary, queries: &[Vec<Table>]) -> usize {
    let with_best: usize = queries.iter().map(|q| q.len().saturating_sub(1)).sum();
    let rounds = { summary.designs.iter() }.flat_map(|design| &design.queries);
    let rounds = rounds.map(|query| query.rounds.len()).max().unwrap_or(0);
    let looks = { summary.race.as_ref() }.map_or(1, |_| parts_of_error(rounds));
    let designs = if baseline(summary).is_some() { 2 } else { 1 };
    designs * looks * with_best
}

fn baseline(summary: &Summary) -> Option<&str> {
    let decide = summary.header.decide.as_ref()?;
    decide.rule.baseline.as_deref()
}

/// Returns the relative difference up to which designs count as the same: the rule's or, if that is larger,
/// the floor.
pub fn same_within(summary: &Summary, noise: Option<TableNoise>) -> f64 {
    let stated = summary.header.decide.as_ref();
    let rule = stated.map_or(SAME_WITHIN, |decide| decide.rule.same_within);
    noise.map_or(rule, |noise| rule.max(noise.floor()))
}

#[cfg(test)]
mod tests;
