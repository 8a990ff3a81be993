//! The connections of a load.

/// Connections of all worker threads together, unless told otherwise: several for each core of a small server, and
/// few enough for one that others use.
const DEFAULT_CONNECTIONS: u32 = 16;
/// Most connections of all worker threads together. Queries of a mix take as many others, and a server that is started
/// for a run has room for both.
pub const MOST_CONNECTIONS: u32 = 256;

/// The connections of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadConnections {
    pub threads: u32,
    pub of_thread: u32,
}

impl LoadConnections {
    /// Shares connections out among worker threads, each of which has at least one, and the same number as the others.
    /// There are no more than operations in flight.
    pub fn new(connections: Option<u32>, threads: u32, in_flight: u32) -> Self {
        let threads = threads.max(1);
        let connections = connections.unwrap_or(DEFAULT_CONNECTIONS).min(in_flight);
        LoadConnections {
            threads,
            of_thread: (connections / threads).max(1),
        }
    }

    /// Returns the number of connections of all threads together.
    pub fn all(self) -> u32 {
        self.threads.saturating_mul(self.of_thread)
    }
}

impl Default for LoadConnections {
    fn default() -> Self {
        LoadConnections::new(None, 1, u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_has_a_connection() {
        let all = |connections, threads, in_flight| {
            let shared = LoadConnections::new(connections, threads, in_flight);
            (shared.of_thread, shared.all())
        };
        assert_eq!(all(None, 1, 1024), (16, 16));
        assert_eq!(all(None, 3, 1024), (5, 15));
        assert_eq!(all(None, 64, 64), (1, 64));
        assert_eq!(all(None, 2, 8), (4, 8));
        assert_eq!(all(Some(2), 8, 32), (1, 8));
        assert_eq!(all(Some(100), 4, 200), (25, 100));
    }
}
