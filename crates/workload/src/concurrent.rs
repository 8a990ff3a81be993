//! Queries that several clients ask at the same time.

use std::time::Duration;

/// Settings for clients that ask at the same time. Each client takes the next permutation, which
/// has all queries in a random order. Parameters repeat after a few sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Concurrent {
    pub clients: u32,
    /// Number of permutations of all clients together.
    pub permutations: u32,
    /// Time limit for each design; a client whose time is over finishes its question and begins no
    /// other.
    pub limit: Duration,
}

impl Concurrent {
    /// Largest number of clients; an engine may not have connections for more.
    pub const CLIENTS_AT_MOST: u32 = 256;
    /// Largest number of permutations.
    pub const PERMUTATIONS_AT_MOST: u32 = 10_000;
    /// Longest time limit in seconds.
    pub const SECONDS_AT_MOST: u32 = 86_400;
}

impl Default for Concurrent {
    fn default() -> Self {
        Concurrent {
            clients: 4,
            permutations: 100,
            limit: Duration::from_secs(10),
        }
    }
}
