//! The plan of each query on each design, asked for once and outside of any clock.

use std::time::{Duration, Instant};

use bakeoff_stats::{Planned, QueryPlan, Record};

use super::context::{Context, RunError};
use super::questions::{Questions, VERIFY_ROUND};
use crate::call::within;

/// The longest that one plan may take.
const ONE_WITHIN: Duration = Duration::from_secs(10);
/// Time after which no further plan is asked for.
const ALL_WITHIN: Duration = Duration::from_secs(30);

/// Asks each design for the plans of its queries, but for those in the journal. They only explain times, so that
/// one that cannot be had is recorded with the reason, and nothing fails.
pub async fn ask_plans(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
) -> Result<(), RunError> {
    run.observer.phase("asking for the plans of queries");
    let (began, limit) = (Instant::now(), run.explaining(ALL_WITHIN));
    let workload = run.workload;
    for design in run.live() {
        let id = &design.info().id;
        if !run.is_own_table(design) {
            continue;
        }
        for query in &workload.queries {
            let is_known = run.log.state().has_plan(id, &query.name);
            if is_known || !run.has(design, query) || design.dead().is_some() {
                continue;
            }
            if began.elapsed() > limit {
                return run.warn(format!(
                    "no time was left for the plan of {} on {id} and the plans after it",
                    query.name
                ));
            }
            let sql = questions.sql(design, query, VERIFY_ROUND)?;
            let one = ONE_WITHIN.min(run.settings.call_limit).min(limit);
            let told = within(one, design.query_plan(&sql)).await;
            design.after_answer().await;
            let plan = match told {
                Ok(None) => continue,
                Ok(Some(plan)) => QueryPlan::told(plan.by, &plan.text),
                Err(error) => QueryPlan::unknown(&error.0),
            };
            run.log.record(Record::Planned(Planned {
                design: id.clone(),
                query: query.name.clone(),
                plan,
            }))?;
        }
    }
    Ok(())
}
