//! Questions of several clients at the same time, to one design at a time, in turns.
//!
//! Each design has some turns, in each of which it goes on where its last one ended, so that what the
//! machine does meanwhile hits all designs alike. Nothing of ours works alongside the clients: the right
//! answers are there before, and answers are compared when no question is under way. What has to be held
//! meanwhile is bounded: parameters repeat after a few sets, and when the answers take too much memory
//! the clients pause.

mod load;
mod only;
mod tally;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bakeoff_stats::{Record, Step};
use bakeoff_workload::Concurrent;

use super::context::{Context, RunError};
use super::questions::{CONCURRENT_ROUND, Questions};
use super::turns::TURNS;
use super::warm_up::warm_up;
use crate::order::shuffled;
use crate::{Design, DesignError, Meter};
use load::{Client, Load};
use tally::{Tally, Turn};

/// Sets of parameters, each with a right answer for every query; permutations use them in turn.
const SETS_AT_MOST: u32 = 10;
/// No further set is begun when the right answers take more memory than this with it...
const EXPECTED_BYTES: usize = 64 << 20;
/// ...or after so long.
const PREPARED_WITHIN: Duration = Duration::from_secs(20);

/// A design with the clients that ask it, which keep their places between its turns.
struct Asking<'a> {
    design: &'a Arc<dyn Design>,
    load: Arc<Load>,
    clients: Vec<Client>,
    /// Number of the clients.
    number: u32,
    /// Whether each client has a connection.
    is_connected: bool,
}

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
    let sets = prepare(run, questions, &plan).await?;
    // Without those that failed in the warm-up.
    let mut designs = Vec::new();
    for design in open(run) {
        designs.push(Asking::new(run, questions, design, &plan, sets)?);
    }
    let began = Instant::now();
    for turn in 0..TURNS {
        let order = shuffled((0..designs.len()).collect(), &order_keys(run, turn));
        for number in order {
            take_turn(run, questions, &mut designs[number], turn, &plan, sets).await?;
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

/// Returns the number of clients that ask a design. One that finds no question asks nothing and is none.
fn clients_of(
    run: &mut Context<'_>,
    design: &dyn Design,
    plan: &Concurrent,
) -> Result<u32, RunError> {
    let (nodes, most) = (design.nodes(), Concurrent::CLIENTS_AT_MOST);
    let asked_for = plan.clients_of(nodes);
    if asked_for > most {
        let message = format!(
            "{}: {asked_for} clients, which are {} for each of its {nodes} nodes, are more than the {most} \
             that ask at most; {most} ask",
            design.info().id,
            plan.clients
        );
        run.warn(message)?;
    }
    Ok(asked_for.min(most).min(plan.permutations))
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

/// Has the clients ask a design in a turn, unless the journal has it.
async fn take_turn(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
    asking: &mut Asking<'_>,
    turn: u32,
    plan: &Concurrent,
    sets: u32,
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
    let mut tally = Tally::new(run.workload, &asking.load);
    if plan.one_query_at_a_time {
        asking
            .ask_one_by_one(run, questions, &mut tally, (turn, plan), sets)
            .await?;
    } else {
        asking
            .ask(run, questions, &mut tally, time, None, sets)
            .await?;
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

/// Returns how long the clients may begin questions to a design, in all of its turns.
fn limit(run: &Context<'_>, plan: &Concurrent) -> Duration {
    let is_own = |design: &&Arc<dyn Design>| run.is_own_table(design.as_ref());
    let designs = run.designs.iter().filter(is_own).count().max(1) as u32;
    let share = |budget: super::Budget| budget.concurrent() / designs;
    match run.settings.budget {
        Some(budget) => plan.limit.min(share(budget)),
        None => plan.limit,
    }
}

impl<'a> Asking<'a> {
    /// Writes down the questions of a design before any clock starts.
    fn new(
        run: &mut Context<'_>,
        questions: &mut Questions<'_>,
        design: &'a Arc<dyn Design>,
        plan: &Concurrent,
        sets: u32,
    ) -> Result<Self, RunError> {
        let number = clients_of(run, design.as_ref(), plan)?;
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
        let load = Load::new(
            Arc::clone(design),
            sql,
            asked,
            (run.workload.seed, run.workload.queries.len()),
            plan,
            run.settings.call_limit,
            &state.turns,
        );
        Ok(Asking {
            design,
            clients: load.clients(number, &state.turns.unfinished),
            number,
            load: Arc::new(load),
            is_connected: false,
        })
    }

    /// Lets each client ask once before this process times its first turn.
    async fn connect(&mut self) -> Result<(), RunError> {
        if !self.is_connected {
            self.load.connect(self.number).await?;
            self.is_connected = true;
        }
        Ok(())
    }

    /// Has the clients ask one query after the other, in an order that is drawn for each turn and the same
    /// for all designs.
    async fn ask_one_by_one(
        &mut self,
        run: &Context<'_>,
        questions: &mut Questions<'_>,
        tally: &mut Tally,
        (turn, plan): (u32, &Concurrent),
        sets: u32,
    ) -> Result<(), RunError> {
        let all = run.workload.queries.len();
        let order = shuffled((0..all).collect(), &[run.workload.seed, 6, u64::from(turn)]);
        let asked = self.load.asked().to_vec();
        let part = limit(run, plan) / asked.len().max(1) as u32;
        for query in order.into_iter().filter(|query| asked.contains(query)) {
            let name = &run.workload.queries[query].name;
            let turns = &run.log.state().design(&self.design.info().id).turns;
            let (first, number) = turns.questions_of(name, self.number, plan.permutations);
            let time = turns.time_of(name, part);
            if number == 0 || time.is_zero() || self.design.dead().is_some() {
                continue;
            }
            self.load.allow_only(query, (first, number));
            self.ask(run, questions, tally, time, Some(query), sets)
                .await?;
        }
        Ok(())
    }

    /// Has the clients ask for this time, and compares the answers whenever they pause or have ended.
    /// `only` is the query that they ask, if it is one alone.
    async fn ask(
        &mut self,
        run: &Context<'_>,
        questions: &mut Questions<'_>,
        tally: &mut Tally,
        time: Duration,
        only: Option<usize>,
        sets: u32,
    ) -> Result<(), RunError> {
        let design = self.design.as_ref();
        let mut took = Duration::ZERO;
        loop {
            let (meter, began) = (Meter::start(design), Instant::now());
            let until = began + time.saturating_sub(took);
            let asked = self.load.go_on(&mut self.clients, until).await?;
            let elapsed = began.elapsed();
            took += elapsed;
            tally.add_time(elapsed, meter.stop(design), only);
            for asked in asked {
                let (query, set) = (&run.workload.queries[asked.query], asked.permutation % sets);
                let round = CONCURRENT_ROUND + set;
                let judged = questions.judge(design, query, round, asked.answer);
                tally.note(asked.query, asked.permutation, asked.took, judged.await?);
            }
            if !self.load.has_paused() || took >= time {
                return Ok(());
            }
        }
    }
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
