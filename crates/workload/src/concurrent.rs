//! Questions of several clients at the same time.

use std::time::Duration;

/// Clients that ask at the same time. Each takes the next permutation: all queries in a random
/// order. Parameters repeat after a few sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Concurrent {
    pub clients: u32,
    /// Of all clients together.
    pub permutations: u32,
    /// For each design: a client whose time is over ends its question and begins no other.
    pub limit: Duration,
}

impl Concurrent {
    /// More of them than an engine has connections for measure nothing.
    pub const CLIENTS_AT_MOST: u32 = 256;
    pub const PERMUTATIONS_AT_MOST: u32 = 10_000;
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
