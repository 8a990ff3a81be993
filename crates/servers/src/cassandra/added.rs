//! A node that is added to a cluster which runs and has data.

use std::time::Duration;

use super::cql::{Connection, Rows};
use super::node::Node;
use super::nodes::{Nodes, node_options};
use super::options::ServerOptions;
use super::server::Server;
use crate::error::{Error, Result};

/// Statement that reads the bytes which each stream has brought to a node, by the node's own list.
const RECEIVED: &str = "SELECT bytes_received FROM system_views.streaming";
/// Number of times that a node which has just joined is asked: it may not know its roles at once.
const ATTEMPTS: u32 = 5;
/// Time between them.
const PAUSE: Duration = Duration::from_millis(500);

impl Nodes {
    /// Starts one more node with the options of the others. It joins the cluster: it takes its share of the ring, gets
    /// the data of that from the other nodes, and answers when it has them, which is when this returns. The node is not
    /// one of [`Nodes`]: whoever adds it stops it.
    ///
    /// # Errors
    /// Fails with `Refused` for a Cassandra of one node, whose tokens are not known; the errors of [`Server::start`].
    pub async fn add(&self) -> Result<Server> {
        let refused = |why: &str| Error::Refused(format!("no node can be added: {why}"));
        let first = match self.servers() {
            [] | [_] => {
                return Err(refused(
                    "the Cassandra has one node, with tokens at random: start it with more nodes",
                ));
            }
            [first, ..] => first,
        };
        let number = u8::try_from(self.count() + 1).map_err(|_| refused("there are too many"))?;
        let node = Node { number, of: number };
        let options = ServerOptions {
            heap_mib: first.details.heap_mib,
            ports: Some(first.details.ports),
            login: Some(first.login().clone()),
            joins: true,
            ..self.options.clone()
        };
        Server::start(node_options(&options, node)).await
    }
}

impl Server {
    /// Returns the bytes that other nodes have streamed to this one since it started; `None` if it does not say.
    pub async fn received_bytes(&self) -> Option<u64> {
        for _ in 0..ATTEMPTS {
            match Connection::open(self.address(), self.login()).await {
                Ok(Some(mut connection)) => return sum_of(&connection.rows(RECEIVED).await.ok()?),
                Ok(None) | Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
        None
    }
}

/// Adds up a column of counts; `None` if it is not one.
fn sum_of(rows: &Rows) -> Option<u64> {
    let counts = rows.rows_iter::<(Option<i64>,)>().ok()?;
    let counts = counts.map(|row| u64::try_from(row.ok()?.0.unwrap_or_default()).ok());
    counts.sum()
}
