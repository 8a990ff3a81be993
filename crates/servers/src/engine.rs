//! The engines of servers.

use std::fmt;

/// The engine of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Cassandra,
    Postgres,
    Spark,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Cassandra => "Cassandra",
            Engine::Postgres => "PostgreSQL",
            Engine::Spark => "Spark",
        })
    }
}
