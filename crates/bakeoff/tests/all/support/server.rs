//! One Cassandra for all tests that do not stop or pause it, each of which makes its own keyspaces, and
//! CQL for it.

use std::sync::OnceLock;

use bakeoff_engines::servers::cassandra::{Server as OwnServer, login_at};
use bakeoff_engines::servers::{Home, list};
use bakeoff_testing::{Keeper, is_keeper, keep};
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use tokio::runtime::Runtime;

use super::{Bench, Ended, READINGS, WORKLOAD};

static KEEPER: OnceLock<Keeper> = OnceLock::new();

/// Owns the shared server in a keeper process; tests nothing.
#[test]
fn keeps_a_cassandra() {
    if !is_keeper() {
        return;
    }
    let bench = Bench::with_cassandra(WORKLOAD, READINGS).unwrap();
    let data = bench.path("data");
    let start = ["engines", "start", "--heap-mib", "1024", "--dir"];
    let started = bench.bakeoff(&[&start[..], &[data.to_str().unwrap()]].concat());
    let started = started.expect(0).stdout;
    let address = started.split("answers at ").nth(1).unwrap();
    let address = address.split(' ').next().unwrap();
    keep(&format!("{address} {}", bench.home.display()));
    bench.bakeoff(&["engines", "stop"]).expect(0);
    drop(bench);
    std::process::exit(0);
}

/// The shared server, and a folder of this test's own.
pub struct Server {
    pub bench: Bench,
    pub address: String,
    runtime: Runtime,
    session: Session,
    login: (String, String),
}

impl Server {
    /// `None` where Cassandra is not available.
    pub fn shared() -> Option<Server> {
        Server::shared_for(WORKLOAD)
    }

    /// As [`shared`](Self::shared), with this workload in `w.toml`.
    pub fn shared_for(workload: &str) -> Option<Server> {
        let mut bench = Bench::beside_cassandra(workload, READINGS)?;
        let keeper = KEEPER.get_or_init(|| Keeper::start("support::server::keeps_a_cassandra"));
        let (address, home) = keeper.words().split_once(' ').unwrap();
        // There the program finds the server's password.
        bench.home = home.into();
        let address = address.to_owned();
        let login = login_at(&Home::new(home).unwrap(), address.parse().unwrap()).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let session = SessionBuilder::new()
            .known_node(&address)
            .user(login.user(), login.password());
        let session = runtime.block_on(session.build()).unwrap();
        Some(Server {
            bench,
            address,
            runtime,
            session,
            login: (login.user().to_owned(), login.password().to_owned()),
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

    /// The name and the password of its user.
    pub fn login(&self) -> (&str, &str) {
        (&self.login.0, &self.login.1)
    }

    /// Nodetool of this server as a user would name it.
    pub fn nodetool(&self) -> String {
        let home = Home::new(&self.bench.home).unwrap();
        let servers = list(&home).unwrap();
        let it = { servers.iter() }.find(|listed| listed.address.to_string() == self.address);
        let attached = OwnServer::attach(home, &it.unwrap().id).unwrap();
        attached.nodetool_line().unwrap()
    }

    /// Whether there is a keyspace of that name.
    pub fn has_keyspace(&self, name: &str) -> bool {
        let cql = "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?";
        let asked = self.session.query_unpaged(cql, (name,));
        let rows = self.runtime.block_on(asked).unwrap();
        rows.into_rows_result().unwrap().rows_num() == 1
    }

    /// The program with this cluster, on which nobody else depends.
    pub fn bakeoff(&self, arguments: &[&str]) -> Ended {
        let writes = ["run", "drive", "sweep", "ingest"].contains(&arguments[0]);
        let unlimited: &[_] = if writes || arguments.starts_with(&["table", "seal"]) {
            &["--rate-limit", "none"]
        } else {
            &[]
        };
        let address = ["--cassandra", &self.address];
        self.bench
            .bakeoff(&[arguments, unlimited, &address].concat())
    }

    /// As [`bakeoff`](Self::bakeoff), of somebody who did not start the cluster, within the limit for those.
    pub fn limited(&self, arguments: &[&str]) -> Ended {
        let (user, password) = &self.login;
        let whose = ["--cassandra", &self.address, "--username", user];
        let mut command = self.bench.command(&[arguments, &whose].concat());
        command
            .env("BAKEOFF_HOME", self.bench.path("home"))
            .env("BAKEOFF_CASSANDRA_PASSWORD", password);
        Ended::of(command.output().unwrap())
    }
}
