//! A Cassandra that a test starts for itself, and CQL for it.

use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use tokio::runtime::Runtime;

use super::{Bench, Ended, READINGS, WORKLOAD};

/// Stopped when it goes.
pub struct Server {
    pub bench: Bench,
    pub address: String,
    id: String,
    runtime: Runtime,
    session: Session,
}

impl Server {
    /// `None` where Cassandra cannot be had.
    pub fn start() -> Option<Server> {
        Server::start_for(WORKLOAD)
    }

    /// As [`start`](Self::start), with this workload in `w.toml`.
    pub fn start_for(workload: &str) -> Option<Server> {
        let bench = Bench::with_cassandra(workload, READINGS)?;
        let data = bench.path("data");
        let started = bench
            .bakeoff(&["engines", "start", "--dir", data.to_str().unwrap()])
            .expect(0);
        let word = |after: &str| {
            let rest = started.stdout.split(after).nth(1).unwrap();
            rest.split([' ', '\n', ')']).next().unwrap().to_owned()
        };
        let (address, id) = (word("answers at "), word("(id "));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let session = SessionBuilder::new().known_node(&address);
        let session = runtime.block_on(session.build()).unwrap();
        Some(Server {
            bench,
            address,
            id,
            runtime,
            session,
        })
    }

    /// Carries out statements, one per line that ends in a semicolon.
    pub fn cql(&self, statements: &str) {
        for statement in statements
            .split(";\n")
            .map(str::trim)
            .filter(|s| !s.is_empty())
        {
            let done = self
                .runtime
                .block_on(self.session.query_unpaged(statement, ()));
            done.unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
    }

    /// The program with this cluster.
    pub fn bakeoff(&self, arguments: &[&str]) -> Ended {
        self.bench
            .bakeoff(&[arguments, &["--cassandra", &self.address]].concat())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.bench.command(&["engines", "stop", &self.id]).output();
    }
}
