//! Asking: verify every answer, warm up until times are steady, then time interleaved rounds.

use std::time::{Duration, Instant};

use bakeoff_stats::race::{LOOKS, RUNG_ROUNDS};
use bakeoff_stats::{Answered, During, Outcome, Record, Step, Timing};
use bakeoff_workload::Query;

use super::ask::{ask, may_time, note_trouble, pairs};
use super::context::{Context, RunError};
use super::look::{end, look};
use super::questions::{Questions, VERIFY_ROUND, WARM_UP_ROUND};
use super::warm_up::{VERY_LONG, warm_up};
use crate::Design;

/// Rounds where neither the command line nor a budget says.
const DEFAULT_ROUNDS: u32 = 7;
/// With fewer rounds no difference between designs can be shown.
const MIN_ROUNDS: u32 = 5;
const MAX_ROUNDS: u32 = 30;
/// A race ends when no further round pays, and after its last look.
const MAX_ROUNDS_OF_A_RACE: u32 = LOOKS[LOOKS.len() - 1];

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
        let took = asked.took;
        let outcome = questions
            .judge(design, query, VERIFY_ROUND, asked.answer)
            .await?;
        if took >= VERY_LONG && matches!(outcome, Outcome::Right { .. }) {
            let pair = (design.info().id.clone(), query.name.clone());
            run.long_answers.insert(pair, took);
        }
        note_trouble(run, design, query, Step::Verify, &outcome)?;
        run.log.record(Record::Answered(Answered {
            design: design.info().id.clone(),
            query: query.name.clone(),
            sql,
            outcome,
        }))?;
        run.observer.measuring(done as u64 + 1, total);
        run.observer.between_steps();
    }
    run.observer.done("verified", began.elapsed());
    Ok(())
}

/// Warms up, then times the rounds that are not in the journal yet. Returns whether there were any.
pub async fn measure(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
) -> Result<bool, RunError> {
    if run.log.state().is_stopped {
        return Ok(false);
    }
    let planned = run.log.state().rounds;
    if planned.is_some_and(|rounds| left(run, rounds) == 0) {
        return Ok(false);
    }
    if pairs(run, WARM_UP_ROUND).is_empty() {
        return Ok(false);
    }
    let budget = run.settings.budget;
    let pass = warm_up(run, questions, budget).await?;
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
    run.observer.measuring(0, total);
    let mut done = 0;
    for round in 0..rounds {
        if run.log.state().is_stopped {
            break;
        }
        done += ask_round(run, questions, round, Some((done, total))).await?;
        look(run, round)?;
    }
    end(run, rounds)?;
    let rounds = run.log.state().rounds.unwrap_or(rounds);
    run.observer
        .done(&format!("measured {rounds} rounds"), began.elapsed());
    Ok(true)
}

/// Times the rounds of a race before those of everything, from this one on, as far as they are not in the
/// journal.
pub async fn ask_rounds(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
    first: u32,
) -> Result<(), RunError> {
    for round in 0..RUNG_ROUNDS {
        ask_round(run, questions, first + round, None).await?;
    }
    Ok(())
}

/// Returns whether all of these rounds are in the journal.
pub fn is_asked(run: &Context<'_>, first: u32) -> bool {
    (0..RUNG_ROUNDS).all(|round| pairs(run, first + round).is_empty())
}

/// Times every query of every design that is not in the journal for this round. Returns their number. `progress` is
/// how many were asked before this round, and how many will be in all, where that is shown.
async fn ask_round(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
    round: u32,
    progress: Option<(u64, u64)>,
) -> Result<u64, RunError> {
    // The right answers are there before the clock starts, or they would disturb the round.
    for (design, query) in pairs(run, round) {
        match questions.expect(design, query, round).await {
            // Judging the answer will tell.
            Ok(_) | Err(RunError::Oracle(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let mut asked = 0;
    for (design, query) in pairs(run, round) {
        time_one(run, questions, design, query, round).await?;
        asked += 1;
        if let Some((before, total)) = progress {
            run.observer.measuring(before + asked, total);
        }
    }
    questions.forget(round);
    run.observer.between_steps();
    Ok(asked)
}

/// Counts the times that are not in the journal yet.
fn left(run: &Context<'_>, rounds: u32) -> u64 {
    (0..rounds)
        .map(|round| pairs(run, round).len() as u64)
        .sum()
}

fn rounds(run: &Context<'_>, pass: Duration) -> u32 {
    let settings = run.settings;
    let (most, default) = if settings.race {
        (MAX_ROUNDS_OF_A_RACE, MAX_ROUNDS_OF_A_RACE)
    } else {
        (MAX_ROUNDS, DEFAULT_ROUNDS)
    };
    let allowed = settings.budget.map_or(default, |budget| {
        let clients_follow = settings.concurrent.is_some();
        budget.rounds(pass, clients_follow).clamp(MIN_ROUNDS, most)
    });
    settings.rounds.unwrap_or(allowed)
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
    let watched = run.watch(design).await;
    let asked = ask(run, design, &sql).await;
    let during = During::Answer {
        query: query.name.clone(),
        round,
    };
    let seconds = asked.took.as_secs_f64();
    let server = run.server.end(design, watched, during, seconds).await;
    let rows_scanned = asked.answer.as_ref().ok().and_then(|a| a.rows_scanned);
    let outcome = questions.judge(design, query, round, asked.answer).await?;
    note_trouble(run, design, query, Step::Measure, &outcome)?;
    run.log.record(Record::Timed(Timing {
        design: design.info().id.clone(),
        query: query.name.clone(),
        round,
        seconds,
        rows_scanned,
        cpu: asked.cpu,
        outcome,
    }))?;
    if let Some(server) = server {
        run.log.record(Record::Server(server))?;
    }
    Ok(())
}
