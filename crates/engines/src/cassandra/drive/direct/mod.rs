//! Direct connections for single prepared statements, without TLS.
//!
//! The driver's CPU time for a request is several times that of everything else in a load generator,
//! and a server on the same machine would lack it. Only the hot path is here: the driver prepares
//! statements, knows the cluster, and sends every request that direct connections cannot send, for
//! example after a server has restarted or forgotten a statement.

mod connection;
mod frames;
mod handshake;
#[cfg(test)]
mod hostile;
mod nodes;

use std::cell::Cell;
use std::fmt;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

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
use crate::cassandra::cluster::failures::server_error_kind;
use connection::{Connection, NoReply};
pub use frames::RawRows;
use frames::{Answer, Execute};
use nodes::{NodeConnections, Nodes};

/// Credentials of the connections, whose `Debug` output omits the password.
#[derive(Clone)]
pub struct Login {
    pub username: String,
    pub password: String,
}

impl Login {
    /// Takes the credentials of a cluster, if it has any.
    pub fn from_cluster(cluster: &Cluster) -> Option<Self> {
        let (username, password) = cluster.login()?;
        Some(Login { username, password })
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Login({})", self.username)
    }
}

/// Options of direct connections.
pub struct Options {
    pub login: Option<Login>,
    /// Number of connections to each node.
    pub connections: usize,
    /// Source of the timestamps of writes, shared with the driver so that all writes are in order.
    pub write_times: Arc<dyn TimestampGenerator>,
}

/// The direct connections of one worker to all nodes.
pub struct Direct {
    client: Arc<Session>,
    write_times: Arc<dyn TimestampGenerator>,
    nodes: Nodes,
    requests: Cell<usize>,
}

/// A statement that can be sent on direct connections.
pub struct DirectStatement {
    prepared: PreparedStatement,
    execute: Execute,
    writes: bool,
}

/// The outcome of a request.
pub enum Outcome {
    Rows(RawRows),
    Done,
    /// Reports that nothing was executed, so that the driver may send the request.
    NotSent,
}

impl DirectStatement {
    /// Makes a statement, which sends a timestamp if it writes, as the driver does.
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
            write_times: options.write_times,
            nodes: Nodes::new(options.login, options.connections),
            requests: Cell::new(0),
        };
        direct.nodes.connect(&direct.addresses()).await;
        direct
    }

    /// Replaces broken connections and connects to new nodes, and never ends.
    pub async fn keep(&self) {
        self.nodes.keep(|| self.addresses()).await;
    }

    /// Returns the addresses of all nodes that the driver knows.
    fn addresses(&self) -> Vec<SocketAddr> {
        let cluster = self.client.get_cluster_state();
        let nodes = cluster.get_nodes_info().iter();
        nodes.map(|node| address(node)).collect()
    }

    /// Sends a statement to a node that has its rows.
    ///
    /// # Errors
    /// Fails if the server refuses the statement, or if the connection breaks.
    pub async fn execute(
        &self,
        operation: &str,
        statement: &DirectStatement,
        cells: &Cells,
    ) -> Result<Outcome, Failure> {
        let Some(connection) = self.connection(statement, cells) else {
            return Ok(Outcome::NotSent);
        };
        let write_time = statement.writes.then(|| self.write_times.next_timestamp());
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
                    let kind = server_error_kind(error);
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

    /// Chooses a connection: to a replica of the row if possible, or else to any node.
    fn connection(&self, statement: &DirectStatement, cells: &Cells) -> Option<Rc<Connection>> {
        let turn = self.requests.get();
        self.requests.set(turn.wrapping_add(1));
        let nodes = self.nodes.all();
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

    /// Returns the nodes that have the row, or none if the statement does not determine them.
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

/// Iterates over all items, beginning with another one at each turn.
fn in_turn<T>(all: &[T], turn: usize) -> impl Iterator<Item = &T> {
    let first = turn % all.len().max(1);
    all[first..].iter().chain(&all[..first])
}
