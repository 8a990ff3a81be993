//! Questions of several clients at the same time, to one design at a time, in turns.
//!
//! Each design has some turns, in each of which it goes on where its last one ended, so that what the
//! machine does meanwhile hits all designs alike. Nothing of ours works alongside the clients: the right
//! answers are there before, or other designs' answers stand for them, and answers are compared when no
//! question is under way. What has to be held meanwhile is bounded: when the answers take too much memory
//! the clients pause.

mod agreement;
mod asking;
mod load;
mod only;
mod sets;
mod tally;

use std::sync::Arc;
use std::time::Instant;

use bakeoff_stats::{Record, Step};
use bakeoff_workload::Concurrent;

use super::context::{Context, RunError};
use super::questions::Questions;
use super::turns::TURNS;
use super::warm_up::warm_up;
use crate::order::shuffled;
use crate::{Design, DesignError};
use agreement::Agreement;
use asking::{Asking, Asks, limit};
use load::Client;
use tally::{Tally, Turn};

/// Has the clients ask every design in all of its turns that they have not asked it in yet. `warm` says
/// whether this process has asked the designs before.
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
        let budget = run.settings.budget;
        warm_up(run, questions, budget).await?;
    }
    let sets = sets::prepare(run, questions, &plan).await?;
    // Without those that failed in the warm-up.
    let mut designs = Vec::new();
    for design in open(run) {
        designs.push(Asking::new(run, &sets, design, &plan)?);
    }
    let mut asks = Asks {
        agreement: Agreement::new(questions),
        questions,
        sets,
    };
    let began = Instant::now();
    for turn in 0..TURNS {
        let order = shuffled((0..designs.len()).collect(), &order_keys(run, turn));
        for number in order {
            take_turn(run, &mut asks, &mut designs[number], turn, &plan).await?;
            run.observer.between_steps();
        }
    }
    run.observer.done(&in_words(&designs), began.elapsed());
    Ok(())
}

fn in_words(designs: &[Asking<'_>]) -> String {
    let numbers = || designs.iter().map(|asking| asking.number);
    match (numbers().min(), numbers().max()) {
        (Some(fewest), Some(most)) if fewest < most => {
            format!("asked by {fewest} to {most} clients at a time")
        }
        (_, most) => format!("asked by {} clients at a time", most.unwrap_or(0)),
    }
}

/// Returns what the order of the designs in a turn depends on.
fn order_keys(run: &Context<'_>, turn: u32) -> [u64; 3] {
    [run.workload.seed, 3, u64::from(turn)]
}

/// Returns the designs that have turns left, in the workload's order.
fn open<'a>(run: &Context<'a>) -> Vec<&'a Arc<dyn Design>> {
    let is_open = |design: &&Arc<dyn Design>| {
        let state = run.log.state().design(&design.info().id);
        let mut queries = run.workload.queries.iter();
        run.is_own_table(design.as_ref())
            && !state.turns.are_over()
            && queries.any(|q| state.may_time(&q.name))
    };
    run.designs.iter().filter(is_open).collect()
}

/// Has the clients ask a design in a turn, unless the journal has it.
async fn take_turn(
    run: &mut Context<'_>,
    asks: &mut Asks<'_, '_>,
    asking: &mut Asking<'_>,
    turn: u32,
    plan: &Concurrent,
) -> Result<(), RunError> {
    let (design, id) = (asking.design, asking.design.info().id.clone());
    let state = run.log.state().design(&id);
    if state.turns.taken > turn || !state.takes_part() {
        return Ok(());
    }
    let time = state.turns.time(limit(run, plan));
    let before = asking.load.permutations_begun();
    let most = state
        .turns
        .questions(plan, asking.number, asking.load.asked().len());
    asking.load.allow(most);
    run.observer.phase(&format!(
        "asking {id} by {} clients at a time, turn {} of {TURNS}",
        asking.number,
        turn + 1
    ));
    asking.connect().await?;
    let mut tally = Tally::new(run.workload, &asking.load, asks.sets.are_chosen());
    if plan.one_query_at_a_time {
        asking
            .ask_one_by_one(run, asks, &mut tally, (turn, plan))
            .await?;
    } else {
        asking.ask(run, asks, &mut tally, time, None).await?;
    }
    for (query, outcome) in tally.complaints() {
        let complaint = outcome.complaint().unwrap_or_default();
        run.observer.trouble(&id, &format!("{query}: {complaint}"));
    }
    if design.dead().is_some() {
        let told = format!("it ended while {} clients asked", asking.number);
        return run.fail(design.as_ref(), Step::Concurrent, None, DesignError(told));
    }
    let clients = asking.clients.iter();
    let record = tally.record(Turn {
        design: id,
        number: turn,
        clients: asking.number,
        permutations: asking.load.permutations_begun() - before,
        unfinished: clients.filter_map(Client::unfinished).collect(),
    });
    Ok(run.log.record(Record::Concurrent(Box::new(record)))?)
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
