//! What a design has had of its turns, from the journal: where the next one goes on.

use std::collections::BTreeMap;
use std::time::Duration;

use bakeoff_stats::{Concurrent, ConcurrentQuery, Unfinished};
use bakeoff_workload::Concurrent as Plan;

/// Turns of each design, in which its time and its questions are split. Five are the fewest that may show
/// a difference, and a slow design does not answer in each of them.
pub const TURNS: u32 = 7;

/// Sums over the turns that a design has had.
#[derive(Debug, Default)]
pub struct Turns {
    /// Number of turns.
    pub taken: u32,
    /// Time during which questions were under way.
    seconds: f64,
    /// Number of questions that were begun.
    questions: u64,
    /// Number of permutations that were begun.
    pub permutations: u32,
    /// Permutations with which the clients go on.
    pub unfinished: Vec<Unfinished>,
    /// Sums of each query, where one is asked at a time.
    queries: BTreeMap<String, OfQuery>,
}

/// Sums of one query.
#[derive(Debug, Default, Clone, Copy)]
struct OfQuery {
    seconds: f64,
    questions: u64,
}

impl Turns {
    pub const NONE: Turns = Turns {
        taken: 0,
        seconds: 0.0,
        questions: 0,
        permutations: 0,
        unfinished: Vec::new(),
        queries: BTreeMap::new(),
    };

    /// Adds a turn. Records of earlier versions hold all that a design was asked.
    pub fn take(&mut self, asked: &Concurrent) {
        self.taken = asked.turn.map_or(TURNS, |turn| turn + 1);
        self.seconds += asked.seconds;
        let right: usize = asked.queries.iter().map(|q| q.nanoseconds.len()).sum();
        let bad: u64 = asked.bad.iter().map(|bad| u64::from(bad.questions)).sum();
        self.questions += right as u64 + bad;
        self.permutations += asked.permutations;
        self.unfinished.clone_from(&asked.unfinished);
        for query in &asked.queries {
            self.take_query(asked, query);
        }
    }

    fn take_query(&mut self, asked: &Concurrent, query: &ConcurrentQuery) {
        let Some(seconds) = query.seconds else {
            return;
        };
        let bad = asked.bad.iter().filter(|bad| bad.query == query.query);
        let bad: u64 = bad.map(|bad| u64::from(bad.questions)).sum();
        let sums = self.queries.entry(query.query.clone()).or_default();
        sums.seconds += seconds;
        sums.questions += query.nanoseconds.len() as u64 + bad;
    }

    pub fn are_over(&self) -> bool {
        self.taken >= TURNS
    }

    /// Returns how long the next turn may begin questions, where all of them may for `limit`. What a turn
    /// took longer, since questions are ended, the next ones have less.
    pub fn time(&self, limit: Duration) -> Duration {
        self.time_left(limit, self.seconds)
    }

    /// Returns the same for one query, where all questions of that query may be begun for `limit`.
    pub fn time_of(&self, query: &str, limit: Duration) -> Duration {
        self.time_left(limit, self.of_query(query).seconds)
    }

    fn time_left(&self, limit: Duration, seconds: f64) -> Duration {
        let until_then = limit * (self.taken + 1) / TURNS;
        let used = Duration::try_from_secs_f64(seconds).unwrap_or(limit);
        until_then.saturating_sub(used)
    }

    fn of_query(&self, query: &str) -> OfQuery {
        self.queries.get(query).copied().unwrap_or_default()
    }

    /// Returns how many questions the next turn may begin, of `queries` in each permutation: at least one
    /// for each client as long as there are any, since fewer clients would be another load.
    pub fn questions(&self, plan: &Plan, clients: u32, queries: usize) -> u64 {
        let all = u64::from(plan.permutations) * queries as u64;
        self.questions_left(all, self.questions, clients)
    }

    /// Returns the number of the next question of a query that is asked alone, and how many the next turn
    /// may begin, of `all`.
    pub fn questions_of(&self, query: &str, clients: u32, all: u32) -> (u32, u32) {
        let begun = self.of_query(query).questions;
        let left = self.questions_left(u64::from(all), begun, clients);
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        (small(begun), small(left))
    }

    fn questions_left(&self, all: u64, begun: u64, clients: u32) -> u64 {
        let until_then = (all * u64::from(self.taken + 1)).div_ceil(u64::from(TURNS));
        let for_all_clients = begun + u64::from(clients);
        until_then
            .max(for_all_clients)
            .min(all)
            .saturating_sub(begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_stats::CpuSeconds;

    const CLIENTS: u32 = 4;
    const PLAN: Plan = Plan {
        clients: CLIENTS,
        per_node: false,
        one_query_at_a_time: false,
        parameter_sets: None,
        permutations: 70,
        limit: Duration::from_secs(7),
    };

    fn asked(turn: Option<u32>, seconds: f64, answers: usize) -> Concurrent {
        Concurrent {
            design: "a".to_owned(),
            turn,
            clients: 4,
            permutations: 10,
            seconds,
            cpu: CpuSeconds::default(),
            queries: vec![ConcurrentQuery {
                query: "q".to_owned(),
                nanoseconds: vec![1; answers],
                seconds: None,
                agreed: None,
            }],
            bad: Vec::new(),
            unfinished: Vec::new(),
        }
    }

    #[test]
    fn time_and_questions_are_split_evenly() {
        let mut turns = Turns::NONE;
        for turn in 0..TURNS {
            let left = (turns.time(PLAN.limit), turns.questions(&PLAN, CLIENTS, 2));
            assert_eq!(left, (Duration::from_secs(1), 20), "{turn}");
            turns.take(&asked(Some(turn), 1.0, 20));
        }
        assert!(turns.are_over());
        assert_eq!((turns.questions, turns.permutations), (140, 70));
    }

    #[test]
    fn long_questions_leave_less_time_to_the_next_turns_and_not_more_to_all() {
        let mut turns = Turns::NONE;
        turns.take(&asked(Some(0), 2.5, 4));
        assert_eq!(turns.time(PLAN.limit), Duration::ZERO);
        turns.take(&asked(Some(1), 0.0, 0));
        assert_eq!(turns.time(PLAN.limit), Duration::from_millis(500));
    }

    #[test]
    fn a_turn_has_a_question_for_each_client_until_there_are_none() {
        let few = Plan {
            permutations: 5,
            ..PLAN
        };
        let mut turns = Turns::NONE;
        let mut questions = Vec::new();
        for turn in 0..TURNS {
            let next = turns.questions(&few, CLIENTS, 2);
            questions.push(next);
            turns.take(&asked(Some(turn), 0.1, next as usize));
        }
        assert_eq!(questions, [4, 4, 2, 0, 0, 0, 0]);
    }

    #[test]
    fn a_query_that_is_asked_alone_has_its_own_time_and_questions() {
        let mut turns = Turns::NONE;
        let limit = Duration::from_secs(7);
        let mut alone = asked(Some(0), 3.0, 10);
        alone.queries[0].seconds = Some(1.5);
        turns.take(&alone);
        assert_eq!(turns.time_of("q", limit), Duration::from_millis(500));
        assert_eq!(turns.time_of("other", limit), Duration::from_secs(2));
        // After two of seven turns 20 of 70 questions.
        assert_eq!(turns.questions_of("q", CLIENTS, 70), (10, 10));
        assert_eq!(turns.questions_of("other", CLIENTS, 70), (0, 20));
        // A question for each client as long as there are any.
        assert_eq!(turns.questions_of("q", CLIENTS, 12), (10, 2));
        assert_eq!(turns.questions_of("q", CLIENTS, 10), (10, 0));
    }

    #[test]
    fn a_record_of_an_earlier_version_is_all_that_a_design_was_asked() {
        let mut turns = Turns::NONE;
        turns.take(&asked(None, 7.0, 3));
        assert!(turns.are_over());
    }
}
