//! What the clients of a design got in a turn, counted once it is known to be right or not.

use std::collections::BTreeMap;
use std::time::Duration;

use bakeoff_stats::{
    Agreed, BadQuestions, Concurrent, ConcurrentQuery, CpuSeconds, Outcome, Unfinished,
};
use bakeoff_workload::Workload;

use super::load::Load;

pub struct Tally {
    /// While questions were under way.
    pub took: Duration,
    cpu: Option<CpuSeconds>,
    /// Figures by the number of the query in the workload.
    queries: BTreeMap<usize, ConcurrentQuery>,
    /// Counts by query, and by whether there was no answer at all.
    bad: BTreeMap<(usize, bool), BadQuestions>,
}

/// Whose turn it was, and where the next one goes on.
pub struct Turn {
    pub design: String,
    pub number: u32,
    pub clients: u32,
    /// Number of permutations that were begun in it.
    pub permutations: u32,
    pub unfinished: Vec<Unfinished>,
}

impl Tally {
    /// `compares` says whether answers may be compared among designs.
    pub fn new(workload: &Workload, load: &Load, compares: bool) -> Self {
        let query = |&number: &usize| {
            let query = ConcurrentQuery {
                query: workload.queries[number].name.clone(),
                nanoseconds: Vec::new(),
                seconds: load.asks_one_query().then_some(0.0),
                agreed: compares.then(Agreed::default),
            };
            (number, query)
        };
        Tally {
            took: Duration::ZERO,
            cpu: None,
            queries: load.asked().iter().map(query).collect(),
            bad: BTreeMap::new(),
        }
    }

    /// Adds time during which questions were under way, of `only` this query if there is one.
    pub fn add_time(&mut self, took: Duration, cpu: CpuSeconds, only: Option<usize>) {
        self.took += took;
        let of_query = only.and_then(|query| self.queries.get_mut(&query));
        if let Some(seconds) = of_query.and_then(|of_query| of_query.seconds.as_mut()) {
            *seconds += took.as_secs_f64();
        }
        self.cpu = Some(match self.cpu {
            Some(before) => before + cpu,
            None => cpu,
        });
    }

    /// Adds what was compared among designs of the answers to a query.
    pub fn agree(&mut self, query: usize, more: Agreed) {
        let of_query = self.queries.get_mut(&query);
        if let Some(agreed) = of_query.and_then(|of_query| of_query.agreed.as_mut()) {
            agreed.alone += more.alone;
            agreed.confirmed += more.confirmed;
            agreed.sets += more.sets;
        }
    }

    pub fn note(&mut self, query: usize, permutation: u32, took: Duration, outcome: Outcome) {
        let Some(of_query) = self.queries.get_mut(&query) else {
            return;
        };
        if let Outcome::Right { .. } = outcome {
            let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
            of_query.nanoseconds.push(nanoseconds);
            return;
        }
        let failed = matches!(outcome, Outcome::Error { .. });
        let first = || BadQuestions {
            query: of_query.query.clone(),
            questions: 0,
            permutation,
            outcome,
        };
        self.bad
            .entry((query, failed))
            .or_insert_with(first)
            .questions += 1;
    }

    /// First wrong answer to each query, and the first that was missing.
    pub fn complaints(&self) -> impl Iterator<Item = (&str, &Outcome)> {
        let bad = self.bad.values();
        bad.map(|bad| (bad.query.as_str(), &bad.outcome))
    }

    pub fn record(self, turn: Turn) -> Concurrent {
        Concurrent {
            design: turn.design,
            turn: Some(turn.number),
            clients: turn.clients,
            permutations: turn.permutations,
            seconds: self.took.as_secs_f64(),
            cpu: self.cpu.unwrap_or_default(),
            queries: self.queries.into_values().collect(),
            bad: self.bad.into_values().collect(),
            unfinished: turn.unfinished,
        }
    }
}
