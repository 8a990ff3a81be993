//! A design with the clients that ask it, and the comparison of what they get.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bakeoff_stats::Agreed;
use bakeoff_workload::Concurrent;

use super::agreement::{Agreement, Question};
use super::load::{Asked, Client, Load};
use super::sets::Sets;
use super::tally::Tally;
use crate::compare::Budget;
use crate::compare::context::{Context, RunError};
use crate::compare::questions::Questions;
use crate::order::shuffled;
use crate::{Design, Meter};

/// What is asked, and what the answers of all designs are compared with.
pub struct Asks<'q, 'w> {
    pub questions: &'q mut Questions<'w>,
    pub sets: Arc<Sets>,
    pub agreement: Agreement,
}

/// A design with the clients that ask it, which keep their places between its turns.
pub struct Asking<'a> {
    pub design: &'a Arc<dyn Design>,
    pub load: Arc<Load>,
    pub clients: Vec<Client>,
    /// Number of the clients.
    pub number: u32,
    /// Whether each client has a connection.
    is_connected: bool,
}

impl<'a> Asking<'a> {
    /// Makes the clients of a design, which go on where they were in a run that goes on.
    pub fn new(
        run: &mut Context<'_>,
        sets: &Arc<Sets>,
        design: &'a Arc<dyn Design>,
        plan: &Concurrent,
    ) -> Result<Self, RunError> {
        let number = clients_of(run, design.as_ref(), plan)?;
        let state = run.log.state().design(&design.info().id);
        let queries = run.workload.queries.iter().enumerate();
        let asked: Vec<usize> = queries
            .filter(|(_, query)| state.may_time(&query.name))
            .map(|(index, _)| index)
            .collect();
        let load = Load::new(
            Arc::clone(design),
            Arc::clone(sets),
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
    pub async fn connect(&mut self) -> Result<(), RunError> {
        if !self.is_connected {
            self.load.connect(self.number).await?;
            self.is_connected = true;
        }
        Ok(())
    }

    /// Has the clients ask one query after the other, in an order that is drawn for each turn and the same
    /// for all designs.
    pub async fn ask_one_by_one(
        &mut self,
        run: &mut Context<'_>,
        asks: &mut Asks<'_, '_>,
        tally: &mut Tally,
        (turn, plan): (u32, &Concurrent),
    ) -> Result<(), RunError> {
        let workload = run.workload;
        let all = workload.queries.len();
        let order = shuffled((0..all).collect(), &[workload.seed, 6, u64::from(turn)]);
        let asked = self.load.asked().to_vec();
        let part = limit(run, plan) / asked.len().max(1) as u32;
        for query in order.into_iter().filter(|query| asked.contains(query)) {
            let of_query = &workload.queries[query];
            let state = run.log.state().design(&self.design.info().id);
            let all = plan.questions_of(of_query);
            let next = state.turns.questions_of(&of_query.name, self.number, all);
            let time = state.turns.time_of(&of_query.name, part);
            // Another design's answers may have shown meanwhile that an earlier one was wrong.
            let is_open = state.may_time(&of_query.name) && self.design.dead().is_none();
            if next.1 == 0 || time.is_zero() || !is_open {
                continue;
            }
            self.load.allow_only(query, next);
            self.ask(run, asks, tally, time, Some(query)).await?;
        }
        Ok(())
    }

    /// Has the clients ask for this time, and compares the answers whenever they pause or have ended.
    /// `only` is the query that they ask, if it is one alone.
    pub async fn ask(
        &mut self,
        run: &mut Context<'_>,
        asks: &mut Asks<'_, '_>,
        tally: &mut Tally,
        time: Duration,
        only: Option<usize>,
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
                judge(run, asks, design, tally, asked).await?;
            }
            if !self.load.has_paused() || took >= time {
                return Ok(());
            }
        }
    }
}

/// Compares an answer, and counts it.
async fn judge(
    run: &mut Context<'_>,
    asks: &mut Asks<'_, '_>,
    design: &dyn Design,
    tally: &mut Tally,
    asked: Asked,
) -> Result<(), RunError> {
    let question = Question {
        design,
        query: asked.query,
        set: asked.set,
    };
    let mut agreed = Agreed::default();
    let (questions, sets) = (&mut *asks.questions, &*asks.sets);
    let judged = asks
        .agreement
        .judge(run, questions, sets, question, asked.answer, &mut agreed);
    let outcome = judged.await?;
    tally.note(asked.query, asked.permutation, asked.took, outcome);
    tally.agree(asked.query, agreed);
    Ok(())
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
    let queries = run.workload.queries.iter();
    let questions = queries.map(|query| plan.questions_of(query)).max();
    Ok(asked_for.min(most).min(questions.unwrap_or(1)))
}

/// Returns how long the clients may begin questions to a design, in all of its turns.
pub fn limit(run: &Context<'_>, plan: &Concurrent) -> Duration {
    let is_own = |design: &&Arc<dyn Design>| run.is_own_table(design.as_ref());
    let designs = run.designs.iter().filter(is_own).count().max(1) as u32;
    let share = |budget: Budget| budget.concurrent() / designs;
    match run.settings.budget {
        Some(budget) => plan.limit.min(share(budget)),
        None => plan.limit,
    }
}
