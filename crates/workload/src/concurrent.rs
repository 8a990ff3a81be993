//! Queries that several clients ask at the same time.

use std::time::Duration;

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
    use super::*;

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
}
