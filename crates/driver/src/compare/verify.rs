//! The questions of a workload without any design: their right answers, and whether wrong ones are
//! caught.

use std::sync::Arc;

use bakeoff_stats::{FirstRows, MutationKind, MutationScore, Verified, VerifiedQuestion};
use bakeoff_workload::{DuplicateKeys, Query, RowSource, Workload};

use super::context::RunError;
use super::first_rows::first_rows;
use super::{Leeway, mutate};
use crate::{Expected, Oracle};

/// Sets of parameters of each question that has some.
const SETS: u32 = 3;

/// Computes the right answers to all questions over the first `rows` rows. Makes `per_kind` wrong answers
/// of each kind out of each one, and counts how many of them the comparison finds.
///
/// # Errors
/// The rows cannot be read, or parameters cannot be drawn. A question that cannot be answered is
/// none: it is in the result with the reason.
pub async fn verify(
    workload: &Workload,
    source: Arc<dyn RowSource>,
    rows: u64,
    oracle: &mut dyn Oracle,
    per_kind: u32,
) -> Result<Verified, RunError> {
    oracle
        .prepare(rows, Arc::new(DuplicateKeys::none()))
        .await?;
    let mut mutations = Vec::new();
    if per_kind > 0 {
        mutations.extend(MutationKind::ALL.map(MutationScore::new));
    }
    let mut questions = Vec::with_capacity(workload.queries.len());
    for query in &workload.queries {
        let mut question = VerifiedQuestion {
            query: query.name.clone(),
            answers: 0,
            rows: 0,
            problem: None,
            first: FirstRows::default(),
        };
        for sql in all_sql(workload, query, rows, source.as_ref())? {
            let checked = match oracle.answer(&sql, true).await {
                Ok(right) => check(&right, query, &mut question, &mut mutations, per_kind),
                Err(error) => Err(error.0),
            };
            if let Err(problem) = checked {
                question.problem = Some(problem);
                break;
            }
        }
        questions.push(question);
    }
    Ok(Verified {
        workload: workload.name.clone(),
        rows,
        questions,
        mutations,
    })
}

/// Returns the question with each set of its parameters.
fn all_sql(
    workload: &Workload,
    query: &Query,
    rows: u64,
    source: &dyn RowSource,
) -> Result<Vec<String>, RunError> {
    if query.parameters.is_empty() {
        return Ok(vec![query.bind("", &[])]);
    }
    let sets = workload.draw_all(query, 0..u64::from(SETS), rows, source)?;
    Ok(sets.iter().map(|values| query.bind("", values)).collect())
}

/// Counts a right answer, and the wrong ones that are made of it.
fn check(
    right: &Expected,
    query: &Query,
    question: &mut VerifiedQuestion,
    mutations: &mut [MutationScore],
    per_kind: u32,
) -> Result<(), String> {
    let first_seed = u64::from(question.answers) * u64::from(per_kind);
    question.answers += 1;
    question.rows = question.rows.max(right.rows());
    if question.first.rows.is_empty() {
        question.first = first_rows(&right.batches);
    }
    for score in mutations {
        let seeds = first_seed..first_seed + u64::from(per_kind);
        mutate::score(right, &Leeway::of(query), score, seeds)
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}
