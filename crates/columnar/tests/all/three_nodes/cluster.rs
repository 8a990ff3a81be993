//! Three nodes of Cassandra, and tables with three copies on them.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bakeoff_columnar::cassandra::{CassandraStore, Options};
use bakeoff_servers::cassandra::{Nodes, Server, ServerOptions, Tuning, login_at};
use bakeoff_servers::{Error, Home, list, stop};
use bakeoff_testing::{Keeper, is_keeper, keep, skipped};
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::policies::load_balancing::{NodeIdentifier, SingleTargetLoadBalancingPolicy};
use scylla::statement::{Consistency, Statement};
use tokio::time::sleep;

use super::rows::definition;

const KEYSPACE: &str = "three_nodes";

/// By how many milliseconds the clock of the last node is ahead: by less than the 15 s up to which a table is opened,
/// and so much that a worker whose clock is behind may be refused there, and tries again.
const LAST_NODE_AHEAD_MS: i64 = 8_000;

/// The number of nodes, and of the copies of each row.
pub const NODES: usize = 3;

/// The heap of each node, the least that is possible.
const HEAP_MIB: u64 = 512;

/// The time after which a request is sent again: faults last several times as long.
const ATTEMPT_TIME_LIMIT: Duration = Duration::from_secs(1);

/// The longest time that a node which was started again may take until all see each other, next to other tests.
const JOINED_WITHIN: Duration = Duration::from_secs(600);

/// The longest time to wait for memory that other tests have.
const MEMORY_WITHIN: Duration = Duration::from_secs(300);

pub struct Cluster {
    servers: Vec<Server>,
    /// Owns the folder of the nodes.
    _keeper: Keeper,
}

/// Owns the folder of the nodes in a keeper process, which stops those that a killed test has left; tests
/// nothing.
#[tokio::test]
async fn keeps_the_folder_of_nodes() {
    if !is_keeper() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // That is how records of servers have it.
    let path = folder.path().canonicalize().unwrap();
    keep(path.to_str().unwrap());
    let home = Home::from_env().unwrap();
    for server in list(&home).unwrap() {
        if server.dir.starts_with(&path) {
            // Others may stop it as well, as they do with all whose owners are no more.
            let _ = stop(&home, &server.id).await;
        }
    }
    drop(folder);
    std::process::exit(0);
}

impl Cluster {
    /// Starts the nodes, or says why they cannot be started here.
    pub async fn start() -> Option<Cluster> {
        let tuning = Tuning {
            last_node_ahead_ms: LAST_NODE_AHEAD_MS,
            ..Tuning::default()
        };
        let (nodes, keeper) = start(NODES as u8, tuning).await?;
        println!("{NODES} nodes answer after {:.1} s", nodes.start_seconds());
        let cluster = Cluster {
            servers: nodes.into_servers(),
            _keeper: keeper,
        };
        let cql = format!(
            "CREATE KEYSPACE {KEYSPACE} WITH replication = \
             {{'class': 'SimpleStrategy', 'replication_factor': {NODES}}}"
        );
        let session = cluster.session().await;
        session.query_unpaged(cql, ()).await.unwrap();
        cluster.check_clocks(&session).await;
        Some(cluster)
    }

    /// Checks that the clock of the last node alone is wrong.
    async fn check_clocks(&self, session: &Session) {
        for (number, address) in (1..).zip(self.addresses()) {
            let mut asking = Statement::new("SELECT toUnixTimestamp(now()) FROM system.local");
            let target = NodeIdentifier::NodeAddress(address);
            let policy = SingleTargetLoadBalancingPolicy::new(target, None);
            asking.set_load_balancing_policy(Some(policy));
            let answer = session.query_unpaged(asking, ()).await.unwrap();
            let rows = answer.into_rows_result().unwrap();
            let (there,) = rows.single_row::<(i64,)>().unwrap();
            let here = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            let ahead = there - here.as_millis() as i64;
            // The answer may have taken a while.
            let is_ahead = ahead > LAST_NODE_AHEAD_MS / 2;
            assert_eq!(is_ahead, number == NODES, "node {number}: {ahead} ms");
        }
    }

    pub fn node(&self, number: usize) -> &Server {
        &self.servers[number]
    }

    /// Returns the addresses at which the nodes answer CQL.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.servers.iter().map(Server::address).collect()
    }

    pub async fn session(&self) -> Arc<Session> {
        Arc::new(connect(&self.addresses()).await.unwrap())
    }

    pub async fn make_table(&self, name: &str) {
        let session = self.session().await;
        CassandraStore::create(session, KEYSPACE, name, definition(), patient())
            .await
            .unwrap();
    }

    /// Reads everything of a table, and returns what is damaged.
    pub async fn damages(&self, table: &str) -> Vec<String> {
        let session = self.session().await;
        let check = CassandraStore::check(session, KEYSPACE, table, patient()).await;
        let damages = check.unwrap().damages;
        damages.iter().map(ToString::to_string).collect()
    }

    /// Starts a node again that was killed, and waits until all see each other.
    pub async fn start_again(&mut self, number: usize) {
        let killed = self.servers.remove(number);
        let server = killed.restart().await.unwrap();
        self.servers.insert(number, server);
        let began = Instant::now();
        while !self.see_each_other().await {
            assert!(began.elapsed() < JOINED_WITHIN, "node {number} is alone");
            sleep(Duration::from_millis(500)).await;
        }
    }

    async fn see_each_other(&self) -> bool {
        for server in &self.servers {
            // It may be too busy to answer.
            let Ok(status) = server.nodetool(&["status"]).await else {
                return false;
            };
            let up = status.lines().filter(|line| line.starts_with("UN "));
            if up.count() < NODES {
                return false;
            }
        }
        true
    }

    pub async fn stop(self) {
        for server in self.servers {
            server.stop().await.unwrap();
        }
    }
}

/// Starts so many small nodes, in a folder that the keeper owns, or says why they cannot be started here.
pub async fn start(count: u8, tuning: Tuning) -> Option<(Nodes, Keeper)> {
    let keeper = Keeper::start("three_nodes::cluster::keeps_the_folder_of_nodes");
    let home = Home::from_env().unwrap();
    let folder = Path::new(keeper.words()).join("cluster");
    let mut options = ServerOptions::new(home, folder).unwrap();
    options.heap_mib = HEAP_MIB;
    options.name = "columnar-tests".to_owned();
    // A node that is killed then keeps what it has acknowledged, which is the condition of all promises.
    options.syncs_writes = true;
    options.tuning = tuning;
    let began = Instant::now();
    loop {
        let reason = match Nodes::start(options.clone(), count).await {
            Ok(nodes) => return Some((nodes, keeper)),
            Err(Error::Refused(reason)) if reason.contains("memory") => reason,
            Err(error) => panic!("{error}"),
        };
        let may_be_free_later = reason.contains("are free");
        if !may_be_free_later || began.elapsed() > MEMORY_WITHIN {
            skipped(reason);
            return None;
        }
        sleep(Duration::from_secs(1)).await;
    }
}

/// Opens a table through any nodes that answer.
pub async fn open(
    nodes: &[SocketAddr],
    table: &str,
    options: Options,
) -> Result<CassandraStore, String> {
    let session = Arc::new(connect(nodes).await?);
    let opened = CassandraStore::open(session, KEYSPACE, table, options).await;
    opened.map_err(|error| error.to_string())
}

async fn connect(nodes: &[SocketAddr]) -> Result<Session, String> {
    let home = Home::from_env().map_err(|error| error.to_string())?;
    // All nodes have the same login, and one of them may have been killed.
    let login = nodes.iter().find_map(|node| login_at(&home, *node));
    let login = login.ok_or("no node runs")?;
    let builder = SessionBuilder::new()
        .known_nodes_addr(nodes)
        .user(login.user(), login.password());
    let session = builder.build().await;
    session.map_err(|error| error.to_string())
}

/// Returns the options with which reads and writes meet in one copy at least, for when all nodes run.
pub fn patient() -> Options {
    Options {
        read_consistency: Consistency::Quorum,
        write_consistency: Consistency::Quorum,
        ..Options::default()
    }
}

/// Returns the same options, for when nodes may not answer: requests are soon sent to others.
pub fn impatient() -> Options {
    Options {
        attempt_time_limit: ATTEMPT_TIME_LIMIT,
        ..patient()
    }
}
