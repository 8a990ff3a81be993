//! Asking: verify every answer, warm up until times are steady, then time interleaved rounds.

use std::time::{Duration, Instant};

use bakeoff_stats::{Answered, CpuSeconds, Outcome, Record, Step, Timing};
use bakeoff_workload::Query;

use super::context::{Context, RunError};
use super::questions::{Questions, VERIFY_ROUND, WARM_UP_ROUND};
use crate::call::if_whole;
use crate::order::shuffled;
use crate::{Answer, Design, DesignError, Meter};

/// Rounds when neither the command line nor a budget says.
const DEFAULT_ROUNDS: u32 = 7;
/// A median of fewer rounds says nothing about its own uncertainty.
const MIN_ROUNDS: u32 = 3;
const MAX_ROUNDS: u32 = 30;
/// Times are steady when a whole pass takes within this share of the pass before...
const STEADY_WITHIN: f64 = 0.10;
/// ...and at least so much has been asked: Cassandra's first half minute is 2-4 times slow.
const WARM_UP_AT_LEAST: Duration = WARM_UP.0;
const WARM_UP_AT_MOST: Duration = WARM_UP.1;
/// A build without optimisation, as for tests, measures nothing and so waits for nothing.
const WARM_UP: (Duration, Duration) = if cfg!(debug_assertions) {
    (Duration::from_millis(100), Duration::from_secs(2))
} else {
    (Duration::from_secs(10), Duration::from_secs(120))
};
const WARM_UP_PASSES_AT_LEAST: u32 = 2;

type Pair<'a> = (&'a dyn Design, &'a Query);

/// Asks every query of every design once and compares the answers with the oracle's.
pub async fn verify(run: &mut Context<'_>, questions: &mut Questions<'_>) -> Result<(), RunError> {
    run.observer.phase("verifying answers");
    let began = Instant::now();
    let mut open = pairs(run, VERIFY_ROUND);
    open.retain(|(d, q)| !run.log.state().design(&d.info().id).answered(&q.name));
    let total = open.len() as u64;
    for (done, (design, query)) in open.into_iter().enumerate() {
        if run.log.state().design(&design.info().id).failed {
            continue;
        }
        let sql = questions.sql(design, query, VERIFY_ROUND)?;
        let asked = ask(run, design, &sql).await;
        let outcome = questions
            .judge(design, query, VERIFY_ROUND, asked.answer)
            .await?;
        note_trouble(run, design, query, Step::Verify, &outcome)?;
        run.log.record(Record::Answered(Answered {
            design: design.info().id.clone(),
            query: query.name.clone(),
            sql,
            outcome,
        }))?;
        run.observer.measuring(done as u64 + 1, total);
    }
    run.observer.done("verified", began.elapsed());
    Ok(())
}

/// Warms up, then times the rounds that are not in the journal yet. Returns whether there were any.
pub async fn measure(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
) -> Result<bool, RunError> {
    let planned = run.log.state().rounds;
    if planned.is_some_and(|rounds| left(run, rounds) == 0) {
        return Ok(false);
    }
    if pairs(run, WARM_UP_ROUND).is_empty() {
        return Ok(false);
    }
    let pass = warm_up(run, questions).await?;
    let rounds = match planned {
        Some(rounds) => rounds,
        None => {
            let rounds = rounds(run, pass);
            run.log.record(Record::Rounds { rounds })?;
            rounds
        }
    };
    run.observer.phase("measuring");
    let began = Instant::now();
    let total = left(run, rounds);
    let mut done = 0;
    for round in 0..rounds {
        // The right answers are there before the clock starts, or they would disturb the round.
        for (design, query) in pairs(run, round) {
            match questions.expect(design, query, round).await {
                // Judging the answer will tell.
                Ok(_) | Err(RunError::Oracle(_)) => {}
                Err(error) => return Err(error),
            }
        }
        for (design, query) in pairs(run, round) {
            time_one(run, questions, design, query, round).await?;
            done += 1;
            run.observer.measuring(done, total);
        }
        questions.forget(round);
    }
    run.observer
        .done(&format!("measured {rounds} rounds"), began.elapsed());
    Ok(true)
}

/// How many times are not in the journal yet.
fn left(run: &Context<'_>, rounds: u32) -> u64 {
    (0..rounds)
        .map(|round| pairs(run, round).len() as u64)
        .sum()
}

fn rounds(run: &Context<'_>, pass: Duration) -> u32 {
    run.settings
        .rounds
        .unwrap_or_else(|| match run.settings.budget {
            Some(budget) => budget
                .rounds(pass, run.settings.concurrent.is_some())
                .clamp(MIN_ROUNDS, MAX_ROUNDS),
            None => DEFAULT_ROUNDS,
        })
}

/// Passes over all designs and queries until the time of a pass is steady; returns that time.
pub async fn warm_up(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
) -> Result<Duration, RunError> {
    run.observer.phase("warming up until times are steady");
    let began = Instant::now();
    let (mut passes, mut before) = (0, Duration::MAX);
    loop {
        let round = WARM_UP_ROUND + passes;
        for (design, query) in pairs(run, round) {
            questions.sql(design, query, round)?;
        }
        let started = Instant::now();
        for (design, query) in pairs(run, round) {
            if !may_time(run, design, query) {
                continue;
            }
            let sql = questions.sql(design, query, round)?;
            let asked = ask(run, design, &sql).await;
            if let Err(error) = asked.answer {
                lose(run, design, query, sql, error)?;
            }
        }
        let pass = started.elapsed();
        questions.forget(round);
        passes += 1;
        let ratio = pass.as_secs_f64() / before.as_secs_f64();
        let enough = began.elapsed() >= WARM_UP_AT_LEAST && passes >= WARM_UP_PASSES_AT_LEAST;
        let steady = enough && (ratio - 1.0).abs() <= STEADY_WITHIN;
        let affordable = began.elapsed() + pass <= WARM_UP_AT_MOST
            && run
                .settings
                .budget
                .is_none_or(|budget| budget.allows_warm_up(pass));
        if steady || !affordable || pairs(run, WARM_UP_ROUND + passes).is_empty() {
            let seconds = began.elapsed().as_secs_f64();
            run.log.record(Record::WarmedUp {
                passes,
                seconds,
                steady,
            })?;
            run.observer.done(&warmed_up(passes), began.elapsed());
            return Ok(pass.min(before));
        }
        before = pass;
    }
}

fn warmed_up(passes: u32) -> String {
    match passes {
        1 => "warmed up in 1 pass".to_owned(),
        passes => format!("warmed up in {passes} passes"),
    }
}

/// What may be asked, in the random order of a round.
fn pairs<'a>(run: &Context<'a>, round: u32) -> Vec<Pair<'a>> {
    let workload = run.workload;
    let all = run
        .live()
        .into_iter()
        .flat_map(|d| workload.queries.iter().map(move |q| (d, q)));
    let may_ask = |(design, query): &Pair<'_>| {
        let state = run.log.state().design(&design.info().id);
        round == VERIFY_ROUND || (state.may_time(&query.name) && !state.timed(&query.name, round))
    };
    shuffled(
        all.filter(may_ask).collect(),
        &[workload.seed, 1, u64::from(round)],
    )
}

/// Asked before every question, since designs and queries drop out in the middle of a round.
fn may_time(run: &Context<'_>, design: &dyn Design, query: &Query) -> bool {
    run.log
        .state()
        .design(&design.info().id)
        .may_time(&query.name)
}

async fn time_one(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
    design: &dyn Design,
    query: &Query,
    round: u32,
) -> Result<(), RunError> {
    if !may_time(run, design, query) {
        return Ok(());
    }
    let sql = questions.sql(design, query, round)?;
    let asked = ask(run, design, &sql).await;
    let rows_scanned = asked.answer.as_ref().ok().and_then(|a| a.rows_scanned);
    let outcome = questions.judge(design, query, round, asked.answer).await?;
    note_trouble(run, design, query, Step::Measure, &outcome)?;
    run.log.record(Record::Timed(Timing {
        design: design.info().id.clone(),
        query: query.name.clone(),
        round,
        seconds: asked.took.as_secs_f64(),
        rows_scanned,
        cpu: asked.cpu,
        outcome,
    }))?;
    Ok(())
}

struct Asked {
    answer: Result<Answer, DesignError>,
    /// Service time: from sending to holding the last row.
    took: Duration,
    cpu: CpuSeconds,
}

async fn ask(run: &Context<'_>, design: &dyn Design, sql: &str) -> Asked {
    let (meter, started) = (Meter::start(design), Instant::now());
    let answer = run.limited(design.answer(sql)).await;
    let (took, cpu) = (started.elapsed(), meter.stop(design));
    Asked {
        answer: if_whole(design, answer),
        took,
        cpu,
    }
}

/// A design whose engine is gone is out of the race; one wrong or failed answer is not the end.
fn note_trouble(
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

/// A query that failed while warming up is recorded and not asked again.
fn lose(
    run: &mut Context<'_>,
    design: &dyn Design,
    query: &Query,
    sql: String,
    error: DesignError,
) -> Result<(), RunError> {
    let outcome = Outcome::Error { reason: error.0 };
    note_trouble(run, design, query, Step::WarmUp, &outcome)?;
    Ok(run.log.record(Record::Answered(Answered {
        design: design.info().id.clone(),
        query: query.name.clone(),
        sql,
        outcome,
    }))?)
}
