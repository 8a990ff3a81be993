//! Comparison of the designs' times within rounds. All designs get the same parameters in a round, so
//! ratios of their times do not vary with the parameters.

mod best;
pub mod method;
pub mod paired;
pub mod twins;

use serde::Serialize;

use super::race::parts_of_error;
use super::{DesignSummary, QuerySummary, Summary};
use best::Field;
use method::{Interval, Method, TableNoise};
use paired::Paired;
use twins::Twins;

/// Relative difference up to which two designs count as the same, unless the workload states another.
pub const SAME_WITHIN: f64 = 0.05;

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

/// Time of a design as a multiple of the best one's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgainstBest {
    pub design: String,
    pub ratio: f64,
    /// Bounds of the ratio to whichever design is truly the best; `None` for fewer than five rounds.
    pub interval: Option<(f64, f64)>,
    pub difference: Difference,
    /// Number of rounds that the design has in common with the best one.
    pub rounds: u32,
    /// Ratio to the design that is in use today, if the rule names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_baseline: Option<AgainstBaseline>,
}

/// Time of a design as a multiple of the baseline's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgainstBaseline {
    pub ratio: f64,
    pub interval: Option<(f64, f64)>,
    pub difference: Difference,
}

/// Conclusion from the interval of a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Difference {
    /// The design is the best one.
    Best,
    /// The difference is shown to be so small that the designs count as the same.
    Same,
    Slower,
    /// The design is faster than the baseline, or, if it is a yardstick or has failures, than the best one.
    Faster,
    NotSettled,
}

/// Design that has times of a query.
struct Table<'a> {
    design: &'a DesignSummary,
    query: &'a QuerySummary,
    may_be_best: bool,
}

impl PairedComparison {
    /// Compares the designs of a run.
    pub(super) fn from_summary(summary: &Summary) -> PairedComparison {
        let queries = all_tables(summary);
        let method = method(summary, &queries);
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

/// Everything that is needed to compare designs by one query.
struct Compared<'a> {
    method: &'a Method,
    tables: &'a [Table<'a>],
    noise: Option<TableNoise>,
    same_within: f64,
    baseline: Option<&'a str>,
}

impl Compared<'_> {
    fn query(&self, name: &str) -> QueryComparison {
        let field = Field {
            may_be_best: self.tables.iter().map(|table| table.may_be_best).collect(),
            ratios: self
                .tables
                .iter()
                .map(|one| {
                    self.tables
                        .iter()
                        .map(|other| self.ratio(one, other))
                        .collect()
                })
                .collect(),
        };
        let best = field.best().map(|index| &self.tables[index]);
        let mut designs = Vec::new();
        if let Some(best) = best {
            for (interval, table) in field.to_best().into_iter().zip(self.tables) {
                designs.push(self.against_best(best, interval, table));
            }
        }
        QueryComparison {
            query: name.to_owned(),
            best: best.map(|table| table.design.info.id.clone()),
            same_within: self.same_within,
            table_deviation: self.noise.map(TableNoise::deviation),
            smallest_difference: best.and_then(|best| self.smallest_difference(best)),
            designs,
        }
    }

    /// Returns the ratio of two tables, from their medians if they have no round in common.
    fn ratio(&self, one: &Table<'_>, other: &Table<'_>) -> Interval {
        let paired = one.paired(other);
        self.method
            .interval(&paired, self.noise)
            .unwrap_or_else(|| {
                let medians = one.query.median().zip(other.query.median());
                Interval {
                    centre: medians.map_or(0.0, |(one, other)| (one / other).ln()),
                    low: f64::NEG_INFINITY,
                    high: f64::INFINITY,
                }
            })
    }

    fn against_best(&self, best: &Table<'_>, to_best: Interval, table: &Table<'_>) -> AgainstBest {
        let is_best = std::ptr::eq(best, table);
        AgainstBest {
            design: table.design.info.id.clone(),
            ratio: to_best.centre.exp(),
            interval: to_best.bounds(),
            difference: match to_best.difference(self.same_within) {
                Difference::Same if is_best => Difference::Best,
                difference => difference,
            },
            rounds: u32::try_from(table.paired(best).rounds()).unwrap_or(u32::MAX),
            to_baseline: self.against_baseline(table),
        }
    }

    fn against_baseline(&self, table: &Table<'_>) -> Option<AgainstBaseline> {
        let is_baseline = |table: &&Table<'_>| Some(table.design.info.id.as_str()) == self.baseline;
        let baseline = self.tables.iter().find(is_baseline)?;
        if is_baseline(&table) {
            return None;
        }
        let interval = self.ratio(table, baseline);
        Some(AgainstBaseline {
            ratio: interval.centre.exp(),
            interval: interval.bounds(),
            difference: interval.difference(self.same_within),
        })
    }

    /// Returns the median, over the other designs, of the differences that could have been shown.
    fn smallest_difference(&self, best: &Table<'_>) -> Option<f64> {
        self.noise?;
        let others = self
            .tables
            .iter()
            .filter(|table| !std::ptr::eq(*table, best));
        let mut shown: Vec<f64> = others
            .filter_map(|table| self.method.smallest_shown(&table.paired(best), self.noise))
            .collect();
        shown.sort_by(f64::total_cmp);
        let shown = (!shown.is_empty()).then(|| crate::estimate::median(&shown))?;
        Some((shown + self.same_within.ln_1p()).exp_m1())
    }
}

impl Interval {
    /// Returns the bounds of the ratio itself, if there are any.
    pub fn bounds(self) -> Option<(f64, f64)> {
        let is_known = self.low.is_finite() && self.high.is_finite();
        is_known.then(|| (self.low.exp(), self.high.exp()))
    }

    /// Returns the conclusion, if designs count as the same up to this relative difference.
    pub fn difference(self, same_within: f64) -> Difference {
        // Equal times count as the same even with a tolerance of 0.
        let same = same_within.ln_1p() + 1e-12;
        match (self.low, self.high) {
            (low, high) if low >= -same && high <= same => Difference::Same,
            (low, _) if low > same => Difference::Slower,
            (_, high) if high < -same => Difference::Faster,
            _ => Difference::NotSettled,
        }
    }
}

impl Table<'_> {
    fn paired(&self, other: &Table<'_>) -> Paired {
        Paired::new(&self.query.rounds, &other.query.rounds)
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

fn method(summary: &Summary, queries: &[Vec<Table<'_>>]) -> Method {
    let pairs: Vec<Paired> = queries
        .iter()
        .flat_map(|tables| all_pairs(tables))
        .collect();
    Method::new(comparisons(summary, queries), &pairs)
}

fn all_tables(summary: &Summary) -> Vec<Vec<Table<'_>>> {
    let names = summary.header.queries.iter().map(|q| q.name.as_str());
    names.map(|name| tables(summary, name)).collect()
}

/// Returns the designs that have times of a query.
fn tables<'a>(summary: &'a Summary, query: &str) -> Vec<Table<'a>> {
    let of_design = |design: &'a DesignSummary| {
        let query = design.query(query)?;
        query.median().filter(|median| *median > 0.0)?;
        Some(Table {
            design,
            query,
            may_be_best: design.is_right() && !design.info.is_yardstick(),
        })
    };
    summary.designs.iter().filter_map(of_design).collect()
}

fn all_pairs(tables: &[Table<'_>]) -> Vec<Paired> {
    let mut pairs = Vec::new();
    for (index, one) in tables.iter().enumerate() {
        for other in &tables[index + 1..] {
            pairs.push(one.paired(other));
        }
    }
    pairs
}

/// Returns the pairs of designs with their twins.
fn twin_pairs(summary: &Summary, query: &str) -> Vec<Paired> {
    let of_design = |design: &DesignSummary| {
        let twin = summary.twin_of(&design.info.id)?.query(query)?;
        Some(Paired::new(&design.query(query)?.rounds, &twin.rounds))
    };
    summary.designs.iter().filter_map(of_design).collect()
}

/// Returns the number of comparisons that a report of the run makes. Those of a race are made anew at
/// each look, after which it may end.
fn comparisons(summary: &Summary, queries: &[Vec<Table<'_>>]) -> usize {
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
