//! Questions of several clients at the same time, to one design after the other.
//!
//! Nothing of ours works alongside the clients: the right answers are there before, and answers are
//! compared when no question is under way. What has to be held meanwhile is bounded: parameters
//! repeat after a few sets, and when the answers take too much memory the clients pause.

mod load;
mod tally;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bakeoff_stats::{Record, Step};
use bakeoff_workload::Concurrent;

use super::context::{Context, RunError};
use super::questions::{CONCURRENT_ROUND, Questions};
use super::warm_up::warm_up;
use crate::order::shuffled;
use crate::{Design, DesignError, Meter};
use load::Load;
use tally::Tally;

/// Sets of parameters, each with a right answer for every query; permutations use them in turn.
const SETS_AT_MOST: u32 = 10;
/// No further set is begun when the right answers take more memory than this with it...
const EXPECTED_BYTES: usize = 64 << 20;
/// ...or after so long.
const PREPARED_WITHIN: Duration = Duration::from_secs(20);

/// Has the clients ask every design that they have not asked yet. `warm` says whether this process
/// has asked the designs before.
pub async fn measure(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
    warm: bool,
) -> Result<(), RunError> {
    let Some(plan) = run.settings.concurrent else {
        return Ok(());
    };
    if open(run).is_empty() {
        return Ok(());
    }
    if !warm {
        warm_up(run, questions).await?;
    }
    // Without those that failed in the warm-up.
    let designs = open(run);
    let sets = prepare(run, questions, &plan).await?;
    let began = Instant::now();
    for design in designs {
        ask(run, questions, design, &plan, sets).await?;
    }
    let what = format!("asked by {} clients at a time", plan.clients);
    run.observer.done(&what, began.elapsed());
    Ok(())
}

/// Designs that are to be asked, in random order.
fn open<'a>(run: &Context<'a>) -> Vec<&'a Arc<dyn Design>> {
    let is_open = |design: &&Arc<dyn Design>| {
        let state = run.log.state().design(&design.info().id);
        let mut queries = run.workload.queries.iter();
        run.is_own_table(design.as_ref())
            && !state.concurrent
            && queries.any(|q| state.may_time(&q.name))
    };
    let open = run.designs.iter().filter(is_open).collect();
    shuffled(open, &[run.workload.seed, 3])
}

/// Computes the right answers to as many sets of parameters as there is room and time for; as many
/// as before in a run that goes on.
async fn prepare(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
    plan: &Concurrent,
) -> Result<u32, RunError> {
    run.observer
        .phase("computing right answers for concurrent questions");
    let (began, known) = (Instant::now(), run.log.state().parameter_sets);
    let (most, before) = (plan.permutations.min(SETS_AT_MOST), questions.held_bytes());
    let mut sets = 0;
    loop {
        expect_set(run, questions, sets).await?;
        sets += 1;
        let bytes = questions.held_bytes() - before;
        let next_fits = bytes + bytes / sets as usize <= EXPECTED_BYTES;
        let goes_on = match known {
            Some(known) => sets < known,
            None => sets < most && next_fits && began.elapsed() < PREPARED_WITHIN,
        };
        if !goes_on {
            break;
        }
    }
    if known.is_none() {
        run.log.record(Record::ParameterSets { sets })?;
    }
    Ok(sets)
}

async fn expect_set(
    run: &Context<'_>,
    questions: &mut Questions<'_>,
    set: u32,
) -> Result<(), RunError> {
    for design in open(run) {
        for query in &run.workload.queries {
            match questions
                .expect(design.as_ref(), query, CONCURRENT_ROUND + set)
                .await
            {
                // Judging the answer will tell.
                Ok(_) | Err(RunError::Oracle(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// Has the clients ask one design, and compares the answers whenever they pause or have ended.
async fn ask(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
    design: &Arc<dyn Design>,
    plan: &Concurrent,
    sets: u32,
) -> Result<(), RunError> {
    let id = &design.info().id;
    let doing = format!("asking {id} by {} clients at a time", plan.clients);
    run.observer.phase(&doing);
    let limit = limit(run, plan);
    let load = Arc::new(load(run, questions, design, plan, sets)?);
    load.connect(plan.clients).await?;
    let mut clients = load.clients(plan.clients);
    let mut tally = Tally::new(run.workload, &load);
    loop {
        let (meter, began) = (Meter::start(design.as_ref()), Instant::now());
        let until = began + limit.saturating_sub(tally.took);
        let asked = load.go_on(&mut clients, until).await?;
        tally.add_time(began.elapsed(), meter.stop(design.as_ref()));
        for asked in asked {
            let (query, set) = (&run.workload.queries[asked.query], asked.permutation % sets);
            let round = CONCURRENT_ROUND + set;
            let judged = questions.judge(design.as_ref(), query, round, asked.answer);
            tally.note(asked.query, asked.permutation, asked.took, judged.await?);
        }
        if !load.has_paused() || tally.took >= limit {
            break;
        }
    }
    for (query, outcome) in tally.complaints() {
        let complaint = outcome.complaint().unwrap_or_default();
        run.observer.trouble(id, &format!("{query}: {complaint}"));
    }
    if design.dead().is_some() {
        let told = format!("it ended while {} clients asked", plan.clients);
        return run.fail(design.as_ref(), Step::Concurrent, None, DesignError(told));
    }
    let record = tally.record(id.clone(), plan.clients, load.permutations_begun());
    Ok(run.log.record(Record::Concurrent(Box::new(record)))?)
}

/// Returns how long the clients may begin questions to a design.
fn limit(run: &Context<'_>, plan: &Concurrent) -> Duration {
    let is_own = |design: &&Arc<dyn Design>| run.is_own_table(design.as_ref());
    let designs = run.designs.iter().filter(is_own).count().max(1) as u32;
    let share = |budget: super::Budget| budget.concurrent() / designs;
    match run.settings.budget {
        Some(budget) => plan.limit.min(share(budget)),
        None => plan.limit,
    }
}

/// Writes down the questions of this design before any clock starts.
fn load(
    run: &Context<'_>,
    questions: &mut Questions<'_>,
    design: &Arc<dyn Design>,
    plan: &Concurrent,
    sets: u32,
) -> Result<Load, RunError> {
    let state = run.log.state().design(&design.info().id);
    let queries = run.workload.queries.iter().enumerate();
    let asked: Vec<usize> = queries
        .filter(|(_, query)| state.may_time(&query.name))
        .map(|(index, _)| index)
        .collect();
    let mut sql = Vec::new();
    for set in 0..sets {
        let of_set = run.workload.queries.iter();
        let of_set = of_set.map(|q| questions.sql(design.as_ref(), q, CONCURRENT_ROUND + set));
        sql.push(of_set.collect::<Result<Vec<String>, RunError>>()?);
    }
    Ok(Load::new(
        Arc::clone(design),
        sql,
        asked,
        (run.workload.seed, run.workload.queries.len()),
        plan.permutations,
        run.settings.call_limit,
    ))
}

/// The order of all queries in a permutation: the same for all designs.
fn order(seed: u64, permutation: u32, queries: usize) -> Vec<usize> {
    shuffled((0..queries).collect(), &[seed, 2, u64::from(permutation)])
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn a_permutation_has_every_query_once_and_is_a_function_of_seed_and_number() {
        let orders: Vec<Vec<usize>> = (0..20).map(|number| order(7, number, 16)).collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..16).collect::<Vec<_>>());
        }
        assert_eq!(orders[5], order(7, 5, 16));
        assert_ne!(orders[5], order(8, 5, 16));
        assert!(orders.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
