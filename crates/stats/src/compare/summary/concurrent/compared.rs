//! Comparison of designs that several clients asked, within turns: turns of the same number follow each
//! other, so that what the machine did meanwhile hardly tells designs apart.

use serde::Serialize;

use super::super::rounds::{Compared, QueryComparison, same_within, twins, twins_of};
use super::super::{DesignSummary, Summary};
use super::ConcurrentSummary;
use crate::rounds::AgainstBest;
use crate::rounds::method::{Method, TableNoise};
use crate::rounds::table::{Table, all_pairs, comparisons};

/// Right answers of every query from which on throughput for an equal mix is reported.
pub const FEWEST_ANSWERS: u64 = 5;

/// Ratios between designs that several clients asked, with intervals that hold all true ratios at once
/// with a probability of 95%.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ConcurrentComparison {
    /// Comparison by answers per second if all queries are asked equally often; `None` where fewer than
    /// two designs have enough answers of each.
    pub equal_mix: Option<MixComparison>,
    /// Comparisons by the mean times of the queries that were asked, in the header's order.
    pub queries: Vec<QueryComparison>,
    /// Comparisons by answers per second of each query, in the header's order; empty unless one query is
    /// asked at a time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<(String, MixComparison)>,
}

/// Comparison by answers per second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MixComparison {
    /// Design with the most answers per second among those that may be recommended.
    pub best: Option<String>,
    pub same_within: f64,
    /// Designs that have the figure, in the header's order. A slower design has a ratio below 1.
    pub designs: Vec<AgainstBest>,
}

impl ConcurrentComparison {
    /// Returns the comparison of one design by a query.
    pub fn design(&self, query: &str, design: &str) -> Option<&AgainstBest> {
        let queries = self.queries.iter();
        let compared = { queries }.find(|compared| compared.query == query)?;
        compared.design(design)
    }

    /// Returns the comparison of one design by answers per second to a query that is asked alone.
    pub fn rate_of(&self, query: &str, design: &str) -> Option<&AgainstBest> {
        let (_, compared) = self.rates.iter().find(|(name, _)| name == query)?;
        compared
            .designs
            .iter()
            .find(|compared| compared.design == design)
    }

    /// Returns the comparison of one design by answers per second.
    pub fn of_mix(&self, design: &str) -> Option<&AgainstBest> {
        let designs = &self.equal_mix.as_ref()?.designs;
        designs.iter().find(|compared| compared.design == design)
    }
}

impl Summary {
    /// Fills in throughput for an equal mix, and compares designs that several clients asked. Returns
    /// `None` if none was.
    pub(in crate::compare::summary) fn compare_concurrent(
        &mut self,
    ) -> Option<ConcurrentComparison> {
        let mix = mix(self);
        for design in &mut self.designs {
            if let Some(asked) = &mut design.concurrent
                && !asked.one_query_at_a_time
            {
                asked.equal_mix =
                    mean_of_mix(asked, &mix).map(|mean| f64::from(asked.clients) / mean);
            }
        }
        (!mix.is_empty()).then(|| self.concurrent_comparison(&mix))
    }

    fn concurrent_comparison(&self, mix: &[String]) -> ConcurrentComparison {
        let by_query: Vec<Vec<Table>> = { mix.iter() }
            .map(|query| tables(self, |asked| Figures::of_query(asked, query)))
            .collect();
        let by_mix = tables(self, |asked| Figures::of_mix(asked, mix));
        let by_rate: Vec<Vec<Table>> = { mix.iter() }
            .map(|query| tables(self, |asked| Figures::of_rate(asked, query)))
            .collect();
        let all = || by_query.iter().chain(&by_rate).chain([&by_mix]);
        let decide = self.header.decide.as_ref();
        let baseline = decide.and_then(|decide| decide.rule.baseline.as_deref());
        let number = all().map(|tables| comparisons(tables, baseline)).sum();
        let pairs: Vec<_> = all().flat_map(|tables| all_pairs(tables)).collect();
        let method = Method::new(number, &pairs);
        let noise = noise(self, mix);
        let compared = |tables, noise| Compared {
            method: &method,
            tables,
            noise,
            same_within: same_within(self, noise),
            baseline,
        };
        let rates = mix.iter().zip(&by_rate).zip(&noise);
        let rates = rates.filter(|((_, tables), _)| !tables.is_empty());
        let rates = rates.map(|((name, tables), noise)| {
            let compared = compared(tables, *noise).query(name);
            (name.clone(), MixComparison::of(compared))
        });
        let queries = mix.iter().zip(&by_query).zip(&noise);
        let queries = queries.map(|((name, tables), noise)| compared(tables, *noise).query(name));
        let largest = noise.iter().flatten().copied();
        let largest = largest.max_by(|a, b| a.variance.total_cmp(&b.variance));
        let mixed = || compared(&by_mix, largest).query("");
        ConcurrentComparison {
            queries: queries.collect(),
            rates: rates.collect(),
            equal_mix: (by_mix.len() > 1).then(|| MixComparison::of(mixed())),
        }
    }
}

impl MixComparison {
    fn of(compared: QueryComparison) -> MixComparison {
        let designs = compared.designs.into_iter();
        MixComparison {
            best: compared.best,
            same_within: compared.same_within,
            designs: designs.map(AgainstBest::of_rate).collect(),
        }
    }
}

/// Seconds of which less is better: over all turns, and in each of them.
struct Figures {
    all: f64,
    turns: Vec<(u32, f64)>,
}

impl Figures {
    fn of_query(asked: &ConcurrentSummary, query: &str) -> Option<Figures> {
        let figures = asked.query(query)?;
        Some(Figures {
            all: figures.mean?,
            turns: figures.turns.clone(),
        })
    }

    /// Returns the seconds for each answer to a query that is asked alone.
    fn of_rate(asked: &ConcurrentSummary, query: &str) -> Option<Figures> {
        let figures = asked.query(query)?;
        let turns = figures.rates.iter();
        Some(Figures {
            all: figures.rate_of_turns?.median.recip(),
            turns: turns.map(|(turn, rate)| (*turn, rate.recip())).collect(),
        })
    }

    /// Returns the means over all queries of their mean times, in the turns that have an answer of each.
    fn of_mix(asked: &ConcurrentSummary, mix: &[String]) -> Option<Figures> {
        if asked.one_query_at_a_time {
            return None;
        }
        let of_turn = |turn: u32| {
            let of_query = |query: &String| {
                let turns = &asked.query(query)?.turns;
                let found = turns.iter().find(|(number, _)| *number == turn);
                found.map(|(_, mean)| *mean)
            };
            let sum: f64 = mix.iter().map(of_query).sum::<Option<f64>>()?;
            Some((turn, sum / mix.len() as f64))
        };
        Some(Figures {
            all: mean_of_mix(asked, mix)?,
            turns: { asked.all.turns.iter() }
                .filter_map(|(turn, _)| of_turn(*turn))
                .collect(),
        })
    }
}

/// Returns the queries that any design was asked by several clients, in the header's order.
fn mix(summary: &Summary) -> Vec<String> {
    let is_asked = |query: &str| {
        let asked = summary.designs.iter().filter_map(|d| d.concurrent.as_ref());
        asked
            .flat_map(|asked| &asked.queries)
            .any(|(name, _)| name == query)
    };
    let queries = summary
        .header
        .queries
        .iter()
        .map(|query| query.name.clone());
    queries.filter(|query| is_asked(query)).collect()
}

/// Returns the mean over all queries of their mean times, if each has enough answers.
fn mean_of_mix(asked: &ConcurrentSummary, mix: &[String]) -> Option<f64> {
    let of_query = |query: &String| {
        let figures = asked.query(query)?;
        figures.mean.filter(|_| figures.answered >= FEWEST_ANSWERS)
    };
    let sum: f64 = mix.iter().map(of_query).sum::<Option<f64>>()?;
    (sum > 0.0).then(|| sum / mix.len() as f64)
}

/// Returns the designs that have these figures.
fn tables(
    summary: &Summary,
    figures: impl Fn(&ConcurrentSummary) -> Option<Figures>,
) -> Vec<Table> {
    let at_fault = summary.queries_at_fault();
    let of_design = |design: &DesignSummary| {
        let figures = figures(design.concurrent.as_ref()?)?;
        Some(Table {
            design: design.info.id.clone(),
            rounds: figures.turns,
            median: figures.all,
            may_be_best: design.may_be_best(&at_fault) && !design.left_clients_unanswered(),
        })
    };
    let designs = summary.designs.iter();
    designs
        .filter_map(of_design)
        .filter(|t| t.median > 0.0)
        .collect()
}

/// Returns what tables of one design differ by in these queries. Several clients ask no twins, so it is
/// what twins differ by where one question is asked after another.
fn noise(summary: &Summary, mix: &[String]) -> Vec<Option<TableNoise>> {
    let of_header = twins::noise(&twins_of(summary));
    let queries = summary.header.queries.iter().zip(of_header);
    let asked = queries.filter(|(query, _)| mix.contains(&query.name));
    asked.map(|(_, noise)| noise).collect()
}

#[cfg(test)]
mod tests;
