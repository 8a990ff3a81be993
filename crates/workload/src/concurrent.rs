//! Queries that several clients ask at the same time.

use std::time::Duration;

use crate::Query;

/// Settings for clients that ask at the same time. Each client takes the next permutation, which
/// has all queries in a random order, or all of them ask the same query at a time. Parameters repeat
/// when all of their sets were asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Concurrent {
    /// Number of clients, or of clients for each node.
    pub clients: u32,
    /// Whether a design has this many clients for each node of its engine, instead of in all.
    pub per_node: bool,
    /// Whether all clients ask the same query, one query after another, instead of permutations of all
    /// queries.
    pub one_query_at_a_time: bool,
    /// Number of permutations of all clients together, which is how often each query is asked.
    pub permutations: u32,
    /// The most sets of parameters of any query, if that is given.
    pub parameter_sets: Option<u32>,
    /// Time limit for each design; a client whose time is over finishes its question and begins no
    /// other. Where one query is asked at a time, each has an equal part of it.
    pub limit: Duration,
}

impl Concurrent {
    /// Largest number of clients; an engine may not have connections for more.
    pub const CLIENTS_AT_MOST: u32 = 256;
    /// Largest number of permutations.
    pub const PERMUTATIONS_AT_MOST: u32 = 10_000;
    /// Largest number of sets of parameters of a query.
    pub const PARAMETER_SETS_AT_MOST: u32 = 10_000;
    /// Longest time limit in seconds.
    pub const SECONDS_AT_MOST: u32 = 86_400;

    /// Returns the number of clients that ask a design whose engine has this many nodes, before the
    /// largest number is applied.
    pub fn clients_of(&self, nodes: u32) -> u32 {
        let times = if self.per_node { nodes } else { 1 };
        self.clients.saturating_mul(times)
    }

    /// Returns the number of sets of parameters with which a query is asked: what it says itself, and no
    /// more than any query has. Returns `None` if neither is given.
    pub fn sets_of(&self, query: &Query) -> Option<u32> {
        match (query.parameter_sets, self.parameter_sets) {
            (Some(own), Some(most)) => Some(own.min(most)),
            (own, most) => own.or(most),
        }
    }

    /// Returns how often a query is asked of each design. Where one is asked at a time, it is asked at least
    /// once with each of its sets of parameters.
    pub fn questions_of(&self, query: &Query) -> u32 {
        let sets = self.sets_of(query).filter(|_| !query.parameters.is_empty());
        let least = sets.filter(|_| self.one_query_at_a_time).unwrap_or(0);
        self.permutations.max(least)
    }
}

impl Default for Concurrent {
    fn default() -> Self {
        Concurrent {
            clients: 4,
            per_node: false,
            one_query_at_a_time: false,
            permutations: 100,
            parameter_sets: None,
            limit: Duration::from_secs(10),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Workload;

    #[test]
    fn clients_are_in_all_or_for_each_node() {
        let plan = Concurrent::default();
        assert_eq!(plan.clients_of(5), 4);
        let per_node = Concurrent {
            per_node: true,
            ..plan
        };
        assert_eq!((per_node.clients_of(1), per_node.clients_of(5)), (4, 20));
    }

    /// Returns the queries `own`, which has 300 sets of parameters, and `none`, which says nothing.
    fn queries() -> Vec<Query> {
        let query = |name: &str, keys: &str| {
            format!(
                "[[queries]]\nname = '{name}'\nsql = 'SELECT max(value) FROM t WHERE time < ${{t}}'\n\
                 parameters = {{ t = {{ column = 'time' }} }}\n{keys}\n"
            )
        };
        let text = format!(
            "[table]\nname = 't'\npartition_key = ['series']\norder_key = ['time']\n\
             [table.columns]\nseries = 'int'\ntime = 'bigint'\nvalue = 'double'\n\
             [data]\nfile = 't.csv'\n{}{}",
            query("own", "parameter_sets = 300"),
            query("none", "")
        );
        Workload::parse(&text, Path::new("t.toml")).unwrap().queries
    }

    #[test]
    fn a_query_has_its_own_sets_of_parameters_and_no_more_than_any_has() {
        let queries = queries();
        let sets = |parameter_sets: Option<u32>| {
            let plan = Concurrent {
                parameter_sets,
                ..Concurrent::default()
            };
            [plan.sets_of(&queries[0]), plan.sets_of(&queries[1])]
        };
        assert_eq!(sets(None), [Some(300), None]);
        assert_eq!(sets(Some(20)), [Some(20), Some(20)]);
        assert_eq!(sets(Some(1000)), [Some(300), Some(1000)]);
    }

    #[test]
    fn a_query_that_is_asked_alone_is_asked_with_each_of_its_sets() {
        let queries = queries();
        let questions = |plan: Concurrent| {
            [
                plan.questions_of(&queries[0]),
                plan.questions_of(&queries[1]),
            ]
        };
        assert_eq!(questions(Concurrent::default()), [100, 100]);
        let alone = Concurrent {
            one_query_at_a_time: true,
            ..Concurrent::default()
        };
        assert_eq!(questions(alone), [300, 100]);
    }
}
