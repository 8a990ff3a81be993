//! Chooses which queries of a workload are asked.

use anyhow::{Result, anyhow};
use bakeoff_workload::{LimitOf, Workload};
use clap::Args;
use glob::Pattern;

use crate::exit::Misuse;

#[derive(Args, Debug, Default)]
pub struct QueriesOptions {
    /// Only the queries that match one of these patterns
    #[arg(long, value_name = "GLOB,...", value_delimiter = ',')]
    queries: Vec<String>,
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
            let pattern = Pattern::new(text)
                .map_err(|error| Misuse::new(anyhow!("--queries {text}: {error}")))?;
            let mut matches_any = false;
            for (query, is_kept) in workload.queries.iter().zip(&mut kept) {
                let matches = pattern.matches(&query.name);
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
        let options = QueriesOptions {
            queries: patterns.iter().map(|text| (*text).to_owned()).collect(),
        };
        let mut workload = workload(decide);
        let chosen = options.choose(&mut workload);
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
