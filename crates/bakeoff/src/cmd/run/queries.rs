//! Chooses which queries of a workload are asked, and of which designs.

use anyhow::{Result, anyhow};
use bakeoff_stats::{DesignInfo, NotAsked};
use bakeoff_workload::{DesignId, LimitOf, Workload};
use clap::Args;
use glob::Pattern;

use crate::exit::Misuse;

/// Why a design is not asked a query, as the end of a sentence about the query.
const OF_OTHERS: &str = "is asked of other designs only (--queries)";

#[derive(Args, Debug, Default)]
pub struct QueriesOptions {
    /// Only the queries that match one of these patterns; with @GLOB behind it, only of the designs that match that
    #[arg(long, value_name = "GLOB[@GLOB],...", value_delimiter = ',')]
    queries: Vec<String>,
}

/// Queries that are asked for, and the designs that they are asked of.
struct Wanted {
    queries: Pattern,
    /// `None` for all designs.
    designs: Option<Pattern>,
}

impl Wanted {
    /// Reads patterns of queries and, behind `@`, of designs.
    ///
    /// # Errors
    /// Fails with a misuse for what is no pattern.
    fn parse(text: &str) -> Result<Wanted> {
        let pattern = |part: &str| {
            let pattern = Pattern::new(part);
            pattern.map_err(|error| misuse(format!("--queries {text}: {error}")))
        };
        Ok(match text.split_once('@') {
            None => Wanted {
                queries: pattern(text)?,
                designs: None,
            },
            Some((queries, designs)) => Wanted {
                queries: pattern(queries)?,
                designs: Some(pattern(designs)?),
            },
        })
    }

    fn has_design(&self, id: &str) -> bool {
        let mut designs = self.designs.iter();
        designs.all(|designs| designs.matches(id))
    }
}

impl QueriesOptions {
    /// Leaves the queries out that are not asked for. Those that remain keep their weights in relation to each other.
    ///
    /// # Errors
    /// Fails with a misuse for a pattern that matches none, and where `[decide]` needs what is left out.
    pub fn choose(&self, workload: &mut Workload) -> Result<()> {
        if self.queries.is_empty() {
            return Ok(());
        }
        let kept = self.kept(workload)?;
        let names = workload.queries.iter().map(|query| query.name.as_str());
        let left_out: Vec<&str> = { names.zip(&kept) }
            .filter_map(|(name, is_kept)| (!is_kept).then_some(name))
            .collect();
        let decide = &workload.decide;
        for limit in &decide.limits {
            if let LimitOf::Query { name, .. } = &limit.of
                && left_out.contains(&name.as_str())
            {
                return Err(misuse(format!(
                    "--queries leaves out {name}, for which [decide] of {} has the limit `{}`: ask it, too",
                    workload.path.display(),
                    limit.text
                )));
            }
        }
        let weights = { decide.weights.iter().zip(&kept) }
            .filter_map(|(weight, is_kept)| is_kept.then_some(*weight));
        let weights: Vec<f64> = weights.collect();
        let sum: f64 = weights.iter().sum();
        if sum <= 0.0 {
            return Err(misuse(format!(
                "--queries leaves out every query that counts in [decide] of {}: ask one of them, too",
                workload.path.display()
            )));
        }
        workload.decide.weights = weights.into_iter().map(|weight| weight / sum).collect();
        let mut is_kept = kept.into_iter();
        workload
            .queries
            .retain(|_| is_kept.next().unwrap_or_default());
        Ok(())
    }

    /// Returns for each query of a workload whether it is asked for.
    ///
    /// # Errors
    /// Fails with a misuse for a pattern that matches none.
    fn kept(&self, workload: &Workload) -> Result<Vec<bool>> {
        let mut kept = vec![false; workload.queries.len()];
        for text in &self.queries {
            let wanted = Wanted::parse(text)?;
            let mut matches_any = false;
            for (query, is_kept) in workload.queries.iter().zip(&mut kept) {
                let matches = wanted.queries.matches(&query.name);
                *is_kept |= matches;
                matches_any |= matches;
            }
            if !matches_any {
                let known = workload.queries.iter().map(|query| query.name.as_str());
                let known: Vec<&str> = known.collect();
                return Err(misuse(format!(
                    "no query of {} matches --queries {text}; it has {}",
                    workload.name,
                    known.join(", ")
                )));
            }
        }
        Ok(kept)
    }

    /// Returns whether a query is asked of a design.
    pub fn asks(&self, query: &str, design: &str) -> bool {
        let wanted = self.queries.iter().map(|text| Wanted::parse(text));
        let mut wanted = wanted.filter_map(Result::ok);
        let is_asked = |wanted: Wanted| wanted.queries.matches(query) && wanted.has_design(design);
        self.queries.is_empty() || wanted.any(is_asked)
    }

    /// Returns whether some queries are asked of some designs only.
    pub fn differ(&self) -> bool {
        self.queries.iter().any(|text| text.contains('@'))
    }

    /// Checks that each pattern of designs matches one of them.
    ///
    /// # Errors
    /// Fails with a misuse for one that matches none.
    pub fn check_designs(&self, designs: &[DesignId]) -> Result<()> {
        let ids: Vec<String> = designs.iter().map(DesignId::to_string).collect();
        for text in &self.queries {
            let wanted = Wanted::parse(text)?;
            if !ids.iter().any(|id| wanted.has_design(id)) {
                return Err(misuse(format!(
                    "no design of this run matches --queries {text}; it has {}",
                    ids.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// Notes in the descriptions of designs which of the queries they are not asked.
    pub fn note(&self, workload: &Workload, infos: &mut [DesignInfo]) {
        for info in infos {
            for query in &workload.queries {
                let is_known = info.why_not_asked(&query.name).is_some();
                if !is_known && !self.asks(&query.name, &info.id) {
                    info.not_asked.push(NotAsked {
                        query: query.name.clone(),
                        why: OF_OTHERS.to_owned(),
                    });
                }
            }
        }
    }

    /// Returns the text that tells a run with fewer queries from one with all of them.
    pub fn fingerprint(&self) -> String {
        self.queries.join(",")
    }
}

fn misuse(message: String) -> anyhow::Error {
    Misuse::new(anyhow!(message)).into()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn workload(decide: &str) -> Workload {
        let text = format!(
            "title = \"t\"\ndesigns = [\"memory\"]\n[data]\ngenerator = \"sensor\"\n\
             [[queries]]\nname = \"mean\"\nsql = \"SELECT avg(value) FROM sensor\"\n\
             [[queries]]\nname = \"count\"\nsql = \"SELECT count(*) FROM sensor\"\n\
             [[queries]]\nname = \"count_all\"\nsql = \"SELECT count(value) FROM sensor\"\n{decide}"
        );
        Workload::parse(&text, Path::new("w.toml")).unwrap()
    }

    fn chosen(patterns: &[&str], decide: &str) -> Result<Workload, String> {
        let mut workload = workload(decide);
        let chosen = options(patterns).choose(&mut workload);
        chosen.map_err(|error| error.to_string())?;
        Ok(workload)
    }

    fn names(workload: &Workload) -> Vec<&str> {
        workload.queries.iter().map(|q| q.name.as_str()).collect()
    }

    #[test]
    fn queries_are_chosen_in_the_order_of_the_workload_and_keep_their_weights() {
        assert_eq!(names(&chosen(&[], "").unwrap()).len(), 3);
        let two = chosen(&["count*"], "").unwrap();
        assert_eq!(names(&two), ["count", "count_all"]);
        assert_eq!(two.decide.weights, [0.5, 0.5]);
        let weights = "[decide]\nweights = { mean = 4, count = 1, count_all = 3 }\n";
        let two = chosen(&["count_all", "count"], weights).unwrap();
        assert_eq!(names(&two), ["count", "count_all"]);
        assert_eq!(two.decide.weights, [0.25, 0.75]);
    }

    fn options(patterns: &[&str]) -> QueriesOptions {
        QueriesOptions {
            queries: patterns.iter().map(|text| (*text).to_owned()).collect(),
        }
    }

    #[test]
    fn a_query_may_be_asked_of_some_designs_only() {
        let all = options(&[]);
        assert!(all.asks("mean", "memory") && !all.differ());
        let some = options(&["mean@cassandra/*", "count", "mean@parquet"]);
        assert!(some.differ());
        for (query, design, is_asked) in [
            ("mean", "cassandra/wide", true),
            ("mean", "parquet", true),
            ("mean", "memory", false),
            ("count", "memory", true),
            ("count_all", "parquet", false),
        ] {
            assert_eq!(some.asks(query, design), is_asked, "{query} of {design}");
        }
        let ids =
            |ids: &[&str]| -> Vec<DesignId> { ids.iter().map(|id| id.parse().unwrap()).collect() };
        assert!(
            some.check_designs(&ids(&["cassandra/wide", "parquet"]))
                .is_ok()
        );
        let error = some.check_designs(&ids(&["cassandra/wide", "memory"]));
        let error = error.unwrap_err().to_string();
        let told = "matches --queries mean@parquet; it has cassandra/wide, memory";
        assert!(error.contains(told), "{error}");
    }

    #[test]
    fn what_does_not_exist_or_is_needed_cannot_be_left_out() {
        let error = chosen(&["mean", "cuont"], "").unwrap_err();
        assert!(
            error.contains("--queries cuont; it has mean, count, count_all"),
            "{error}"
        );
        let limit = "[decide]\nlimits = [\"mean < 1s\"]\n";
        let error = chosen(&["count"], limit).unwrap_err();
        assert!(error.contains("leaves out mean"), "{error}");
        assert!(chosen(&["mean"], limit).is_ok());
        let weights = "[decide]\nweights = { mean = 1 }\n";
        let error = chosen(&["count"], weights).unwrap_err();
        assert!(error.contains("every query that counts"), "{error}");
    }
}
