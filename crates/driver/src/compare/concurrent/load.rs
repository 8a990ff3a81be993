//! Clients that ask at the same time, each a separate task.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bakeoff_stats::Unfinished;
use bakeoff_workload::Concurrent;
use tokio::task::JoinSet;

use super::only::Only;
use super::order;
use super::sets::Sets;
use crate::call::within;
use crate::compare::context::RunError;
use crate::compare::turns::Turns;
use crate::{Answer, Design, DesignError};

/// Answers that wait for being compared; with more the clients pause. Each client may exceed it by
/// one answer.
const HELD_BYTES: usize = 128 << 20;

/// State that all clients of a design share.
pub struct Load {
    design: Arc<dyn Design>,
    /// What the queries are asked with.
    sets: Arc<Sets>,
    /// Queries that this design may be asked.
    asked: Vec<usize>,
    seed: u64,
    queries: usize,
    permutations: u32,
    call_limit: Duration,
    /// The next permutation that no client has begun.
    next: AtomicU32,
    /// Questions that may be begun yet in this turn.
    questions: AtomicU64,
    /// Questions of the query that is asked alone; `None` if permutations of all queries are asked.
    only: Option<Only>,
    held_bytes: AtomicUsize,
    is_dead: AtomicBool,
}

/// Position of a client in its permutation, which it keeps from turn to turn.
#[derive(Default)]
pub struct Client {
    permutation: u32,
    /// Queries to ask yet, the next one last.
    left: Vec<usize>,
}

/// A question that has ended, with or without an answer.
pub struct Asked {
    pub query: usize,
    /// Number of its permutation, or of the question where one query is asked at a time.
    pub permutation: u32,
    /// Number of its set of parameters.
    pub set: u32,
    /// Service time: from sending to holding the last row.
    pub took: Duration,
    pub answer: Result<Answer, DesignError>,
}

impl Client {
    /// Returns what is left of its permutation, if anything is.
    pub fn unfinished(&self) -> Option<Unfinished> {
        let left = u32::try_from(self.left.len()).unwrap_or(u32::MAX);
        (left > 0).then_some(Unfinished {
            permutation: self.permutation,
            left,
        })
    }
}

impl Load {
    pub fn new(
        design: Arc<dyn Design>,
        sets: Arc<Sets>,
        asked: Vec<usize>,
        (seed, queries): (u64, usize),
        plan: &Concurrent,
        call_limit: Duration,
        turns: &Turns,
    ) -> Self {
        Load {
            design,
            sets,
            asked,
            seed,
            queries,
            permutations: plan.permutations,
            call_limit,
            next: AtomicU32::new(turns.permutations),
            questions: AtomicU64::new(0),
            only: plan.one_query_at_a_time.then(Only::default),
            held_bytes: AtomicUsize::new(0),
            is_dead: AtomicBool::new(false),
        }
    }

    /// Makes the clients, which go on with permutations that were asked in part.
    pub fn clients(&self, clients: u32, unfinished: &[Unfinished]) -> Vec<Client> {
        let begun = unfinished.iter().map(|of| Client {
            permutation: of.permutation,
            left: self.last_of(of.permutation, of.left as usize),
        });
        let begun = begun.chain(std::iter::repeat_with(Client::default));
        begun.take(clients as usize).collect()
    }

    /// Lets all clients together begin this many questions in the next turn.
    pub fn allow(&self, questions: u64) {
        self.questions.store(questions, Ordering::Relaxed);
    }

    /// Lets all clients together ask this many questions of one query next, from this number on.
    pub fn allow_only(&self, query: usize, (first, questions): (u32, u32)) {
        if let Some(only) = &self.only {
            only.begin(query, first, questions);
        }
    }

    /// Returns whether all clients ask the same query at a time.
    pub fn asks_one_query(&self) -> bool {
        self.only.is_some()
    }

    /// Queries that this design may be asked.
    pub fn asked(&self) -> &[usize] {
        &self.asked
    }

    pub fn permutations_begun(&self) -> u32 {
        self.next.load(Ordering::Relaxed).min(self.permutations)
    }

    /// Set if clients stopped to have their answers compared, and would go on.
    pub fn has_paused(&self) -> bool {
        self.is_full() && !self.is_dead.load(Ordering::Relaxed)
    }

    /// One untimed question of each client at the same time, so that every one has a connection.
    pub async fn connect(self: &Arc<Self>, clients: u32) -> Result<(), RunError> {
        let Some(&query) = self.asked.first() else {
            return Ok(());
        };
        let mut asking = JoinSet::new();
        for _ in 0..clients {
            let load = Arc::clone(self);
            // Trouble will show when the clock runs.
            asking.spawn(async move { drop(load.ask(0, query).await) });
        }
        while let Some(ended) = asking.join_next().await {
            ended.map_err(stopped)?;
        }
        Ok(())
    }

    /// Has all clients ask until then, until the permutations or the room for answers are at their
    /// end, or until the engine is dead. Each ends the question that it has begun.
    pub async fn go_on(
        self: &Arc<Self>,
        clients: &mut Vec<Client>,
        until: Instant,
    ) -> Result<Vec<Asked>, RunError> {
        self.held_bytes.store(0, Ordering::Relaxed);
        // A set ends its tasks when it is dropped: no client asks on after an interruption.
        let mut asking = JoinSet::new();
        for mut client in clients.drain(..) {
            let load = Arc::clone(self);
            asking.spawn(async move {
                let asked = load.ask_until(&mut client, until).await;
                (client, asked)
            });
        }
        let mut all = Vec::new();
        while let Some(ended) = asking.join_next().await {
            let (client, asked) = ended.map_err(stopped)?;
            clients.push(client);
            all.extend(asked);
        }
        Ok(all)
    }

    async fn ask_until(&self, client: &mut Client, until: Instant) -> Vec<Asked> {
        let mut asked = Vec::new();
        while Instant::now() < until && !self.is_full() && !self.is_dead.load(Ordering::Relaxed) {
            let Some((permutation, query)) = self.next_question(client) else {
                break;
            };
            asked.push(self.ask(permutation, query).await);
        }
        asked
    }

    fn next_question(&self, client: &mut Client) -> Option<(u32, usize)> {
        if let Some(only) = &self.only {
            return only.take();
        }
        let relaxed = Ordering::Relaxed;
        // First a permutation, since a client that finds none must not use up another one's question.
        if client.left.is_empty() {
            let one_more = |next: u32| (next < self.permutations).then_some(next + 1);
            let next = self.next.fetch_update(relaxed, relaxed, one_more).ok()?;
            client.permutation = next;
            client.left = self.last_of(next, self.asked.len());
        }
        let one_less = |questions: u64| questions.checked_sub(1);
        let questions = &self.questions;
        questions.fetch_update(relaxed, relaxed, one_less).ok()?;
        Some((client.permutation, client.left.pop()?))
    }

    /// Returns the last questions of a permutation, the very last one first.
    fn last_of(&self, permutation: u32, questions: usize) -> Vec<usize> {
        let order = order(self.seed, permutation, self.queries)
            .into_iter()
            .rev();
        let order = order.filter(|query| self.asked.contains(query));
        order.take(questions).collect()
    }

    async fn ask(&self, permutation: u32, query: usize) -> Asked {
        let set = self.sets.of_question(query, permutation);
        let sql = self.sets.sql(&self.design.info().id, query, set);
        let started = Instant::now();
        let answer = within(self.call_limit, self.design.answer(&sql)).await;
        let took = started.elapsed();
        self.design.after_answer().await;
        match &answer {
            Ok(answer) => {
                let batches = answer.batches.iter();
                let bytes = batches.map(|batch| batch.get_array_memory_size()).sum();
                self.held_bytes.fetch_add(bytes, Ordering::Relaxed);
            }
            Err(_) if self.design.dead().is_some() => self.is_dead.store(true, Ordering::Relaxed),
            Err(_) => {}
        }
        Asked {
            query,
            permutation,
            set,
            took,
            answer,
        }
    }

    fn is_full(&self) -> bool {
        self.held_bytes.load(Ordering::Relaxed) >= HELD_BYTES
    }
}

fn stopped(error: tokio::task::JoinError) -> RunError {
    RunError::Client(error.to_string())
}
