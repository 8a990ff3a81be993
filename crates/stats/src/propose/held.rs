//! Whether what rules propose was better in a run than the design without it. Which rule named which design is noted in
//! comments of the workload, as `bakeoff propose --out` writes them.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::{Difference, PairedComparison, QueryComparison, Summary};

/// Difference of bytes that does not matter, as a share.
pub const BYTES_SAME_WITHIN: f64 = 0.05;

/// What a run shows of the rules that named a design.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RulesHeld {
    /// Names of the rules.
    pub rules: Vec<String>,
    /// Id of the design that they named.
    pub design: String,
    /// Id of the design that differs least from it, which it is compared with.
    pub against: String,
    /// Queries that it answers faster, with its time as a multiple of the other one's.
    pub faster: Vec<(String, f64)>,
    /// Queries that it answers more slowly, in the same way.
    pub slower: Vec<(String, f64)>,
    /// Number of queries in which both are shown to be the same.
    pub same: u32,
    /// Number of queries in which it is not settled which one is faster.
    pub not_settled: u32,
    /// Its bytes at rest as a multiple of the other one's; `None` if they do not have the same number of rows, or are
    /// not known.
    pub bytes: Option<f64>,
}

/// What follows for the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Held {
    /// Something became better, a query faster or the bytes fewer, and nothing worse.
    Won,
    /// Something became worse and nothing better. More bytes alone are no loss while it is open for some query which
    /// design is faster: they may be what a faster answer costs.
    Lost,
    /// Something became better and something else worse.
    Mixed,
    /// All queries are shown to take the same time, with the same bytes.
    Same,
    NotSettled,
    /// No query has times of both designs, and the bytes are the same or not known.
    NotMeasured,
}

impl RulesHeld {
    /// Returns what follows for the rules.
    pub fn held(&self) -> Held {
        let is_better = !self.faster.is_empty() || self.bytes_are() == Bytes::Fewer;
        let is_worse = !self.slower.is_empty() || self.bytes_are() == Bytes::More;
        let may_be_worth_it = self.slower.is_empty() && self.not_settled > 0;
        match (is_better, is_worse) {
            (true, false) => Held::Won,
            (false, true) if may_be_worth_it => Held::NotSettled,
            (false, true) => Held::Lost,
            (true, true) => Held::Mixed,
            (false, false) if self.not_settled > 0 => Held::NotSettled,
            (false, false) if self.same > 0 => Held::Same,
            (false, false) => Held::NotMeasured,
        }
    }

    /// Returns how its bytes differ from those of the other design.
    pub fn bytes_are(&self) -> Bytes {
        match self.bytes {
            None => Bytes::Unknown,
            Some(ratio) if ratio > 1.0 + BYTES_SAME_WITHIN => Bytes::More,
            Some(ratio) if ratio < 1.0 / (1.0 + BYTES_SAME_WITHIN) => Bytes::Fewer,
            Some(_) => Bytes::Same,
        }
    }
}

/// How the bytes at rest of one design differ from those of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bytes {
    Fewer,
    More,
    /// They differ by no more than [`BYTES_SAME_WITHIN`].
    Same,
    Unknown,
}

/// Compares each design of a run that the workload notes rules for with the one that differs least from it. Those that
/// an engine begins with are compared only with one that has fewer settings.
pub fn rules_held(summary: &Summary) -> Vec<RulesHeld> {
    let designs: Vec<&str> = { summary.header.designs.iter() }
        .map(|design| design.id.as_str())
        .collect();
    let noted = noted(&summary.header.workload_text);
    let mut results = Vec::new();
    for (design, rules) in noted {
        let is_there = designs.contains(&design.as_str());
        if let Some(other) = against(&design, &designs).filter(|_| is_there) {
            let comparison = PairedComparison::of_two(summary, &design, other);
            let mut held = compared(rules, &design, other, &comparison);
            held.bytes = times_the_bytes(summary, &design, other);
            results.push(held);
        }
    }
    results
}

/// Reads the designs that have rules in a comment beside them: `"ID", # RULE, RULE: why`.
fn noted(workload: &str) -> Vec<(String, Vec<String>)> {
    let is_rule = |rule: &&str| {
        let mut letters = rule.chars();
        !rule.is_empty() && letters.all(|c| c.is_ascii_lowercase() || c == '-')
    };
    let of_line = |line: &str| {
        let (id, comment) = line.trim().strip_prefix('"')?.split_once("\", # ")?;
        let (rules, _) = comment.split_once(": ")?;
        let rules: Vec<&str> = rules.split(", ").collect();
        let are_rules = rules.iter().all(is_rule);
        let rules: Vec<String> = rules.into_iter().map(str::to_owned).collect();
        are_rules.then(|| (id.to_owned(), rules))
    };
    workload.lines().filter_map(of_line).collect()
}

/// Returns the design to compare with, of those of a run in its order.
fn against<'a>(design: &str, designs: &[&'a str]) -> Option<&'a str> {
    let (place, own) = parts(design);
    let mut of_engine = designs.iter().copied();
    let first = of_engine.find(|id| engine(id) == engine(design))?;
    let is_first = first == design;
    let is_nearer = |id: &&str| {
        let (other_place, theirs) = parts(id);
        // One that has all of its settings, and more, shows what these others do.
        let is_more = own.is_subset(&theirs);
        other_place == place && !is_more && (!is_first || theirs.is_subset(&own))
    };
    let nearest = designs.iter().copied().filter(is_nearer);
    let nearest = nearest.min_by_key(|id| own.symmetric_difference(&parts(id).1).count());
    nearest.or_else(|| (parts(first).0 != place).then_some(first))
}

/// Returns the engine of a design's id.
fn engine(id: &str) -> &str {
    id.split(['/', '?']).next().unwrap_or_default()
}

/// Returns engine and layout of a design's id, and its settings.
fn parts(id: &str) -> (&str, BTreeSet<&str>) {
    let (place, settings) = id.split_once('?').unwrap_or((id, ""));
    let settings = settings.split('&').filter(|setting| !setting.is_empty());
    (place, settings.collect())
}

/// Returns the bytes at rest of a design as a multiple of those of another one with as many rows.
fn times_the_bytes(summary: &Summary, design: &str, against: &str) -> Option<f64> {
    let of = |id: &str| {
        let design = summary.design(id)?;
        Some((design.rows_loaded, design.bytes_per_row?))
    };
    let ((rows, bytes), (other_rows, other_bytes)) = (of(design)?, of(against)?);
    let is_comparable = rows == other_rows && rows > 0 && other_bytes > 0.0;
    is_comparable.then_some(bytes / other_bytes)
}

/// Adds up what a comparison of two designs says.
fn compared(
    rules: Vec<String>,
    design: &str,
    against: &str,
    comparison: &PairedComparison,
) -> RulesHeld {
    let mut held = RulesHeld {
        rules,
        design: design.to_owned(),
        against: against.to_owned(),
        faster: Vec::new(),
        slower: Vec::new(),
        same: 0,
        not_settled: 0,
        bytes: None,
    };
    for query in &comparison.queries {
        add(&mut held, query);
    }
    held
}

fn add(held: &mut RulesHeld, query: &QueryComparison) {
    let (Some(one), Some(other)) = (query.design(&held.design), query.design(&held.against)) else {
        return;
    };
    let is_best = query.best.as_ref() == Some(&held.design);
    let slower = if is_best { other } else { one };
    match slower.difference {
        _ if query.best.is_none() => held.not_settled += 1,
        Difference::Slower if is_best => {
            held.faster.push((query.query.clone(), 1.0 / slower.ratio));
        }
        Difference::Slower => held.slower.push((query.query.clone(), slower.ratio)),
        Difference::Same | Difference::Best => held.same += 1,
        Difference::Faster | Difference::NotSettled => held.not_settled += 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AgainstBest;

    const DESIGNS: [&str; 8] = [
        "cassandra/wide?order=desc",
        "cassandra/columnar",
        "parquet?codec=zstd",
        "cassandra/wide",
        "cassandra/wide?chunk=4KiB&order=desc",
        "parquet?codec=snappy",
        "cassandra/columnar?profile=compact",
        "postgres/plain",
    ];

    #[test]
    fn rules_are_read_from_comments_of_designs() {
        let text = "designs = [\n  \"a/b?c=d\", # newest-first, by-key: the newest come first\n  \
                    \"e\", # the study's model: a partition for each\n  \"f\",\n  # \"g\", # sort: no\n]\n";
        let rules = ["newest-first", "by-key"].map(str::to_owned).to_vec();
        assert_eq!(noted(text), [("a/b?c=d".to_owned(), rules)]);
    }

    #[test]
    fn a_design_is_compared_with_the_one_that_differs_least() {
        for (design, other) in [
            ("cassandra/wide?order=desc", Some("cassandra/wide")),
            ("cassandra/columnar", Some("cassandra/wide?order=desc")),
            ("parquet?codec=zstd", None),
            ("cassandra/wide", None),
            (
                "cassandra/wide?chunk=4KiB&order=desc",
                Some("cassandra/wide?order=desc"),
            ),
            ("parquet?codec=snappy", Some("parquet?codec=zstd")),
            (
                "cassandra/columnar?profile=compact",
                Some("cassandra/columnar"),
            ),
            ("postgres/plain", None),
        ] {
            assert_eq!(against(design, &DESIGNS), other, "{design}");
        }
    }

    /// A comparison of `a` and `b` in which the better one is named, and the other one takes twice the time.
    fn comparison(queries: &[(Option<&str>, Difference)]) -> PairedComparison {
        let query = |(best, difference): &(Option<&str>, Difference)| {
            let design = |id: &str| AgainstBest {
                design: id.to_owned(),
                ratio: if *best == Some(id) { 1.0 } else { 2.0 },
                interval: None,
                difference: if *best == Some(id) {
                    Difference::Best
                } else {
                    *difference
                },
                rounds: 7,
                to_baseline: None,
            };
            QueryComparison {
                query: "q".to_owned(),
                best: best.map(str::to_owned),
                same_within: 0.05,
                table_deviation: None,
                smallest_difference: None,
                designs: vec![design("a"), design("b")],
            }
        };
        PairedComparison {
            twins: None,
            queries: queries.iter().map(query).collect(),
        }
    }

    #[test]
    fn a_rule_wins_where_something_is_faster_and_nothing_slower() {
        let (slower, open) = (Difference::Slower, Difference::NotSettled);
        for (queries, expected) in [
            (vec![(Some("a"), slower), (Some("b"), open)], Held::Won),
            (vec![(Some("b"), slower), (Some("a"), open)], Held::Lost),
            (vec![(Some("a"), slower), (Some("b"), slower)], Held::Mixed),
            (vec![(Some("a"), Difference::Same)], Held::Same),
            (
                vec![(Some("a"), Difference::Same), (None, slower)],
                Held::NotSettled,
            ),
            (vec![], Held::NotMeasured),
        ] {
            let result = compared(Vec::new(), "a", "b", &comparison(&queries));
            assert_eq!(result.held(), expected, "{queries:?}");
        }
        let queries = [(Some("a"), slower), (Some("b"), slower)];
        let result = compared(Vec::new(), "a", "b", &comparison(&queries));
        assert_eq!(result.faster, [("q".to_owned(), 0.5)]);
        assert_eq!(result.slower, [("q".to_owned(), 2.0)]);
        // Bytes count as one more thing.
        for (queries, bytes, expected) in [
            (vec![], 0.5, Held::Won),
            (vec![(Some("a"), open)], 0.5, Held::Won),
            (vec![(Some("a"), slower)], 1.5, Held::Mixed),
            (vec![(Some("b"), slower)], 1.5, Held::Lost),
            (vec![(Some("b"), slower), (None, open)], 1.5, Held::Lost),
            (vec![(Some("a"), open)], 1.5, Held::NotSettled),
            (
                vec![(Some("b"), open), (Some("a"), Difference::Same)],
                1.5,
                Held::NotSettled,
            ),
            (vec![(Some("a"), Difference::Same)], 1.5, Held::Lost),
            (vec![(Some("a"), Difference::Same)], 1.04, Held::Same),
            (vec![(Some("a"), Difference::Same)], 0.96, Held::Same),
            (vec![], 1.0, Held::NotMeasured),
        ] {
            let mut result = compared(Vec::new(), "a", "b", &comparison(&queries));
            result.bytes = Some(bytes);
            assert_eq!(result.held(), expected, "{queries:?} {bytes}");
        }
        // A design that a race dropped has no times.
        let result = compared(Vec::new(), "a", "c", &comparison(&queries));
        assert_eq!(result.held(), Held::NotMeasured);
    }
}
