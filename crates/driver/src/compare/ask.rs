//! Asking one query of one design, and what may be asked.

use std::time::{Duration, Instant};

use bakeoff_stats::{CpuSeconds, Outcome, Step};
use bakeoff_workload::Query;

use super::context::{Context, RunError};
use super::questions::VERIFY_ROUND;
use crate::call::if_whole;
use crate::order::shuffled;
use crate::{Answer, Design, DesignError, Meter};

pub type Pair<'a> = (&'a dyn Design, &'a Query);

/// Returns what may be asked, in the random order of a round.
pub fn pairs<'a>(run: &Context<'a>, round: u32) -> Vec<Pair<'a>> {
    let workload = run.workload;
    let all = run
        .live()
        .into_iter()
        .flat_map(|d| workload.queries.iter().map(move |q| (d, q)));
    let may_ask = |(design, query): &Pair<'_>| {
        let state = run.log.state().design(&design.info().id);
        let is_open = state.may_time(&query.name) && !state.timed(&query.name, round);
        run.has(*design, query) && (round == VERIFY_ROUND || is_open)
    };
    shuffled(
        all.filter(may_ask).collect(),
        &[workload.seed, 1, u64::from(round)],
    )
}

/// Asked before every question, since designs and queries drop out in the middle of a round.
pub fn may_time(run: &Context<'_>, design: &dyn Design, query: &Query) -> bool {
    run.log
        .state()
        .design(&design.info().id)
        .may_time(&query.name)
}

pub struct Asked {
    pub answer: Result<Answer, DesignError>,
    /// Service time: from sending to holding the last row.
    pub took: Duration,
    pub cpu: CpuSeconds,
}

pub async fn ask(run: &Context<'_>, design: &dyn Design, sql: &str) -> Asked {
    let (meter, started) = (Meter::start(design), Instant::now());
    let answer = run.limited(design.answer(sql)).await;
    let (took, cpu) = (started.elapsed(), meter.stop(design));
    design.after_answer().await;
    Asked {
        answer: if_whole(design, answer),
        took,
        cpu,
    }
}

/// A design whose engine is gone is out of the race; one wrong or failed answer is not the end.
pub fn note_trouble(
    run: &mut Context<'_>,
    design: &dyn Design,
    query: &Query,
    step: Step,
    outcome: &Outcome,
) -> Result<(), RunError> {
    match outcome {
        Outcome::Right { .. } => {}
        Outcome::Wrong { difference } => {
            run.observer
                .trouble(&design.info().id, &format!("{}: {difference}", query.name));
        }
        Outcome::Error { reason } => {
            let error = DesignError::new(reason.clone());
            if design.dead().is_some() {
                run.fail(design, step, Some(&query.name), error)?;
            } else {
                run.observer
                    .trouble(&design.info().id, &format!("{}: {error}", query.name));
            }
        }
    }
    Ok(())
}
