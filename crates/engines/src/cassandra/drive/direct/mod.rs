//! Connections of our own for single prepared statements.
//!
//! The driver's way of a request costs several times what a load generator does otherwise, so that
//! its CPU time would be missing to a server on the same machine. Only the hot path is here: the
//! driver prepares statements, knows the cluster, and takes every request that cannot be sent on
//! these connections (a server that was started anew, a statement that it forgot). Without TLS.

mod connection;
mod frames;
mod handshake;
#[cfg(test)]
mod peer;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_driver::drive::Failure;
use bakeoff_stats::FailureKind;
use scylla::client::session::Session;
use scylla::cluster::Node;
use scylla::errors::DbError;
use scylla::policies::timestamp_generator::TimestampGenerator;
use scylla::statement::Consistency;
use scylla::statement::prepared::PreparedStatement;

use super::cells::Cells;
use crate::cassandra::cluster::connect::Cluster;
use crate::cassandra::cluster::failures::of_server;
use connection::{Connection, NoReply};
pub use frames::RawRows;
use frames::{Answer, Execute};

/// How long a broken connection stays so, at least.
const RECONNECT_AFTER: Duration = Duration::from_millis(500);

/// Who the connections are for. Never prints its password.
#[derive(Clone)]
pub struct Login {
    pub username: String,
    pub password: String,
}

impl Login {
    pub fn of(cluster: &Cluster) -> Option<Self> {
        cluster.username.as_ref().map(|username| Login {
            username: username.clone(),
            password: cluster.password.clone().unwrap_or_default(),
        })
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Login({})", self.username)
    }
}

/// What connections are made by.
pub struct Options {
    pub login: Option<Login>,
    /// To each node.
    pub connections: usize,
    /// The driver's, so that writes on both ways are in order.
    pub write_times: Arc<dyn TimestampGenerator>,
}

/// One worker's connections to all nodes.
pub struct Direct {
    client: Arc<Session>,
    options: Options,
    nodes: RefCell<Vec<NodeConnections>>,
    requests: Cell<usize>,
}

struct NodeConnections {
    address: SocketAddr,
    connections: Vec<Rc<Connection>>,
}

/// A statement that may be sent on these connections.
pub struct DirectStatement {
    prepared: PreparedStatement,
    execute: Execute,
    writes: bool,
}

/// What a request came to.
pub enum Outcome {
    Rows(RawRows),
    Done,
    /// Nothing was carried out: the driver may send it.
    NotSent,
}

impl DirectStatement {
    /// Writes get a time from the client, as the driver's do.
    pub fn new(prepared: &PreparedStatement, writes: bool) -> Self {
        let consistency = prepared.get_consistency();
        DirectStatement {
            prepared: prepared.clone(),
            execute: Execute {
                id: prepared.get_id().clone(),
                consistency: consistency.unwrap_or(Consistency::LocalOne),
            },
            writes,
        }
    }
}

impl Direct {
    /// Connects to every node that can be reached.
    pub async fn new(client: Arc<Session>, options: Options) -> Self {
        let direct = Direct {
            client,
            options,
            nodes: RefCell::default(),
            requests: Cell::new(0),
        };
        direct.connect().await;
        direct
    }

    /// Connects again what has broken, and to nodes that are new, for ever.
    pub async fn keep(&self) {
        loop {
            tokio::time::sleep(RECONNECT_AFTER).await;
            self.connect().await;
        }
    }

    async fn connect(&self) {
        let cluster = self.client.get_cluster_state();
        let mut kept = Vec::new();
        for node in cluster.get_nodes_info() {
            let address = address(node);
            let mut connections = self.unbroken(address);
            while connections.len() < self.options.connections {
                match Connection::open(address, self.options.login.as_ref()).await {
                    Ok(connection) => connections.push(Rc::new(connection)),
                    Err(error) => {
                        tracing::debug!("connecting to {address} for single statements: {error}");
                        break;
                    }
                }
            }
            kept.push(NodeConnections {
                address,
                connections,
            });
        }
        *self.nodes.borrow_mut() = kept;
    }

    fn unbroken(&self, address: SocketAddr) -> Vec<Rc<Connection>> {
        let nodes = self.nodes.borrow();
        let known = nodes.iter().filter(|known| known.address == address);
        let connections = known.flat_map(|known| &known.connections);
        connections.filter(|c| !c.is_broken()).cloned().collect()
    }

    /// Sends a statement to a node that has its rows.
    ///
    /// # Errors
    /// What the server refused, by kind, or that the connection broke.
    pub async fn execute(
        &self,
        operation: &str,
        statement: &DirectStatement,
        cells: &Cells,
    ) -> Result<Outcome, Failure> {
        let Some(connection) = self.connection(statement, cells) else {
            return Ok(Outcome::NotSent);
        };
        let write_time = statement
            .writes
            .then(|| self.options.write_times.next_timestamp());
        let reply = connection
            .execute(&statement.execute, cells, write_time)
            .await;
        let frame = match reply {
            Ok(frame) => frame,
            Err(NoReply::Unsent) => return Ok(Outcome::NotSent),
            Err(NoReply::Broken(why)) => {
                let message = format!("{operation}: the connection broke: {why}");
                return Err(Failure::new(FailureKind::Connection, message));
            }
        };
        match frame.into_answer() {
            Ok(Answer::Rows(rows)) => Ok(Outcome::Rows(rows)),
            Ok(Answer::Done) => Ok(Outcome::Done),
            Ok(Answer::Refused(refusal)) => match &refusal.error {
                DbError::Unprepared { .. } => Ok(Outcome::NotSent),
                error => {
                    let kind = of_server(error);
                    Err(Failure::new(
                        kind,
                        format!("{operation}: {error}: {}", refusal.reason),
                    ))
                }
            },
            Err(unreadable) => {
                let message = format!("{operation}: the reply cannot be read: {unreadable}");
                Err(Failure::new(FailureKind::Rejected, message))
            }
        }
    }

    fn connection(&self, statement: &DirectStatement, cells: &Cells) -> Option<Rc<Connection>> {
        let turn = self.requests.get();
        self.requests.set(turn.wrapping_add(1));
        let nodes = self.nodes.borrow();
        let usable = |node: &NodeConnections| {
            let count = node.connections.len().max(1);
            let connection = node.connections.get(turn / nodes.len() % count)?;
            (!connection.is_broken()).then(|| connection.clone())
        };
        if let [only] = nodes.as_slice() {
            return usable(only);
        }
        let replicas = self.replicas(&statement.prepared, cells);
        let known = |at: &SocketAddr| nodes.iter().find(|node| node.address == *at);
        let with_rows = replicas.iter().filter_map(known);
        let with_rows: Vec<&NodeConnections> = with_rows.collect();
        in_turn(&with_rows, turn)
            .find_map(|node| usable(node))
            .or_else(|| in_turn(&nodes, turn).find_map(usable))
    }

    /// Nodes that have the row; none where the statement does not tell.
    fn replicas(&self, prepared: &PreparedStatement, cells: &Cells) -> Vec<SocketAddr> {
        let token = prepared.calculate_token(cells).ok().flatten();
        let (Some(token), Some(table)) = (token, prepared.get_table_spec()) else {
            return Vec::new();
        };
        let cluster = self.client.get_cluster_state();
        let replicas = cluster.get_token_endpoints(table.ks_name(), table.table_name(), token);
        replicas.iter().map(|(node, _)| address(node)).collect()
    }
}

fn address(node: &Node) -> SocketAddr {
    SocketAddr::new(node.address.ip(), node.address.port())
}

/// All of them, another one first each time.
fn in_turn<T>(all: &[T], turn: usize) -> impl Iterator<Item = &T> {
    let first = turn % all.len().max(1);
    all[first..].iter().chain(&all[..first])
}
