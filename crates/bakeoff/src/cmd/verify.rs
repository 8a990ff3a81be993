//! `bakeoff verify`: computes the right answers to a workload's questions, without any design.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use bakeoff_driver::check_expectations;
use bakeoff_engines::SqlOracle;
use bakeoff_report::verify;
use bakeoff_stats::Verified;
use bakeoff_workload::{RowSource, Workload};
use clap::Args;

use crate::cmd::options::choice::{Rows, parse_rows_or_all};
use crate::cmd::options::data::DataOptions;
use crate::cmd::{completions, on_threads};
use crate::exit::{Exit, Misuse};
use crate::machine;
use crate::progress::Progress;
use crate::terminal::{json, stdout};

/// Wrong answers of each kind that are made from each right one.
const PER_KIND: u32 = 20;

/// Compute the right answers to the questions of a workload, without any design.
///
/// Shows the first rows of an answer to each, and which questions have none, or always an empty one, before a run takes
/// its time.
#[derive(Args, Debug)]
pub struct Verify {
    /// Workload: a file, or a name out of `bakeoff list`
    #[arg(add = completions::workloads())]
    workload: PathBuf,

    /// Rows to answer over, for example 200000, 200k, 4.16M or all [default: as many as `run` loads]
    #[arg(long, value_name = "N", value_parser = parse_rows_or_all, allow_negative_numbers = true)]
    rows: Option<Rows>,

    /// Make ten kinds of wrong answers from the right ones, and count how many the comparison
    /// catches; exit with 1 if it catches less than 99.5%
    #[arg(long)]
    mutate: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    data: DataOptions,
}

impl Verify {
    pub fn run(self) -> Result<Exit> {
        let threads = machine::cores();
        on_threads(threads, async move { self.verify(threads).await })
    }

    async fn verify(&self, threads: usize) -> Result<Exit> {
        let workload = self.data.workload_to_answer(&self.workload).await?;
        if workload.queries.is_empty() {
            let none = anyhow!(
                "{} asks no questions: add [[queries]] with name and sql",
                workload.path.display()
            );
            return Err(Misuse::new(none).into());
        }
        let progress = Progress::begin("computing right answers");
        let verified = self.verified(&workload, threads).await;
        progress.finish();
        let verified = verified?;
        let text = if self.json {
            json(&verify::json(&verified)?)
        } else {
            verify::render(&verified)
        };
        writeln!(stdout(), "{text}")?;
        Ok(exit(&verified))
    }

    async fn verified(&self, workload: &Workload, threads: usize) -> Result<Verified> {
        let source: Arc<dyn RowSource> = self.data.open(workload)?.into();
        let asked = self.rows.map(|rows| rows.number(workload, source.as_ref()));
        let most = asked.transpose()?.unwrap_or(workload.scale.default_rows);
        let rows = source.count_rows(most)?.map_or(most, |all| all.min(most));
        if rows == 0 {
            return Err(anyhow!("{} has no rows to ask about", workload.name));
        }
        let mut oracle = SqlOracle::new(source.clone(), workload.table.clone(), threads);
        check_expectations(workload, &source, rows, &mut oracle).await?;
        let per_kind = if self.mutate { PER_KIND } else { 0 };
        let verified =
            bakeoff_driver::verify(workload, source, rows, &mut oracle, per_kind).await?;
        Ok(verified)
    }
}

fn exit(verified: &Verified) -> Exit {
    if !verified.catches_enough() {
        return Exit::Failed;
    }
    let questions = verified.questions.iter();
    let failed = questions.filter(|question| question.problem.is_some());
    match failed.count() {
        0 => Exit::Complete,
        all if all == verified.questions.len() => Exit::Failed,
        _ => Exit::Partial,
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::{FirstRows, MutationKind, MutationScore, VerifiedQuestion};

    use super::*;

    fn verified(problem: Option<&str>, caught: u64) -> Verified {
        let question = |problem: Option<&str>| VerifiedQuestion {
            query: "newest".to_owned(),
            answers: 3,
            rows: 12,
            problem: problem.map(str::to_owned),
            first: FirstRows::default(),
        };
        Verified {
            workload: "metrics".to_owned(),
            rows: 10_000,
            questions: vec![question(None), question(problem)],
            mutations: vec![MutationScore {
                kind: MutationKind::StaleValue,
                tried: 1_000,
                caught,
            }],
        }
    }

    #[test]
    fn a_comparison_that_misses_wrong_answers_fails() {
        assert_eq!(exit(&verified(None, 1_000)), Exit::Complete);
        assert_eq!(exit(&verified(None, 995)), Exit::Complete);
        assert_eq!(exit(&verified(None, 994)), Exit::Failed);
        assert_eq!(exit(&verified(Some("no function"), 995)), Exit::Partial);
        assert_eq!(exit(&verified(Some("no function"), 0)), Exit::Failed);
        let mut none_made = verified(None, 0);
        none_made.mutations.clear();
        assert_eq!(exit(&none_made), Exit::Complete);
    }
}
