//! The nodes of a cluster as a client finds them: each address that the driver or a node knows is connected to, and
//! each node of the driver's is asked for itself and its peers.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bakeoff_stats::trace::{Attempt, ClusterSeen, NodeView, Peer};
use scylla::client::session::Session;
use scylla::cluster::Node;
use scylla::response::query_result::QueryRowsResult;
use scylla::statement::Consistency;
use tokio::net::TcpStream;
use uuid::Uuid;

use super::micros;
use crate::cassandra::cluster::at_once::{NODES_AT_ONCE, at_once};
use crate::cassandra::cluster::connect::in_time;
use crate::cassandra::cluster::one_node::for_node;

/// The longest that an address may take to accept a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// The longest that a node may take to answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// What a node says of itself.
const OWN: &str =
    "SELECT host_id, release_version, schema_version FROM system.local WHERE key = 'local'";
type Own = (Uuid, Option<String>, Option<Uuid>);

/// What a node says of others.
const PEERS: &str = "SELECT native_address, native_port, host_id, tokens FROM system.peers_v2";
type PeerRow = (
    Option<IpAddr>,
    Option<i32>,
    Option<Uuid>,
    Option<Vec<String>>,
);

/// Connects to all addresses, some at the same time, and asks the nodes that the driver knows.
pub async fn look(session: &Session) -> ClusterSeen {
    let cluster = session.get_cluster_state();
    let nodes = cluster.get_nodes_info();
    let attempts = nodes.iter().map(|node| try_node(session, node));
    let mut seen = ClusterSeen {
        attempts: at_once(NODES_AT_ONCE, attempts.collect()).await,
    };
    let unknown = seen.unknown_addresses();
    let attempts = unknown.iter().map(|address| try_address(address));
    let attempts = at_once(NODES_AT_ONCE, attempts.collect()).await;
    seen.attempts.extend(attempts);
    seen
}

async fn try_node(session: &Session, node: &Arc<Node>) -> Attempt {
    let address = SocketAddr::new(node.address.ip(), node.address.port());
    let mut attempt = try_address(&address.to_string()).await;
    if attempt.is_connected {
        match view(session, node.host_id).await {
            Ok(view) => attempt.view = Some(view),
            Err(error) => attempt.error = Some(error),
        }
    }
    attempt
}

/// Connects to an address, and closes the connection.
async fn try_address(address: &str) -> Attempt {
    let began = Instant::now();
    let connected = in_time(CONNECT_LIMIT, TcpStream::connect(address)).await;
    let connect_micros = micros(began);
    let error = match connected {
        Ok(Ok(_)) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(error) => Some(error),
    };
    Attempt {
        address: address.to_owned(),
        connect_micros,
        is_connected: error.is_none(),
        error,
        view: None,
    }
}

/// Asks a node for itself and its peers.
async fn view(session: &Session, host_id: Uuid) -> Result<NodeView, String> {
    let began = Instant::now();
    let own = ask(session, host_id, OWN).await?;
    let (own_id, release, schema) = own.first_row::<Own>().map_err(|e| unreadable(&e))?;
    let answer_micros = micros(began);
    let rows = ask(session, host_id, PEERS).await?;
    let rows = rows.rows::<PeerRow>().map_err(|e| unreadable(&e))?;
    let peers: Result<Vec<PeerRow>, _> = rows.collect();
    let peers = peers.map_err(|e| unreadable(&e))?;
    Ok(NodeView {
        host_id: own_id.to_string(),
        release: release.unwrap_or_else(|| "of unknown version".to_owned()),
        schema: schema.map(|schema| schema.to_string()),
        peers: peers.into_iter().filter_map(peer).collect(),
        answer_micros,
    })
}

/// Makes a peer of a row; without an address, no client is led anywhere by it.
fn peer((address, port, host_id, tokens): PeerRow) -> Option<Peer> {
    let port = port.and_then(|port| u16::try_from(port).ok())?;
    Some(Peer {
        address: SocketAddr::new(address?, port).to_string(),
        host_id: host_id.map(|id| id.to_string()),
        has_tokens: tokens.is_some_and(|tokens| !tokens.is_empty()),
    })
}

async fn ask(session: &Session, host_id: Uuid, cql: &str) -> Result<QueryRowsResult, String> {
    let mut statement = for_node(cql, host_id);
    statement.set_consistency(Consistency::One);
    statement.set_request_timeout(Some(ANSWER_LIMIT));
    let reply = session.query_unpaged(statement, ()).await;
    let reply = reply.map_err(|error| format!("it does not answer: {error}"))?;
    reply.into_rows_result().map_err(|e| unreadable(&e))
}

fn unreadable(error: &dyn std::fmt::Display) -> String {
    format!("what it says of the cluster cannot be read: {error}")
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn an_address_is_one_that_takes_connections_or_has_a_reason() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let attempt = try_address(&address).await;
        assert!(
            attempt.is_connected && attempt.error.is_none(),
            "{attempt:?}"
        );

        let refused = try_address("127.0.0.1:1").await;
        assert!(!refused.is_connected, "{refused:?}");
        let why = refused.error.unwrap();
        assert!(why.contains("refused"), "{why}");
    }

    #[test]
    fn a_peer_is_one_that_has_an_address_for_clients() {
        let address = Some(IpAddr::from([10, 0, 0, 4]));
        let id = Some(Uuid::from_u128(7));
        let tokens = Some(vec!["-5".to_owned()]);
        let whole = peer((address, Some(9042), id, tokens.clone())).unwrap();
        assert_eq!(whole.address, "10.0.0.4:9042");
        assert!(whole.has_tokens && whole.host_id.is_some());
        let stale = peer((address, Some(9042), None, None)).unwrap();
        assert!(!stale.has_tokens && stale.host_id.is_none());
        for row in [
            (None, Some(9042), id, tokens.clone()),
            (address, None, id, tokens.clone()),
            (address, Some(-1), id, tokens),
        ] {
            assert_eq!(peer(row), None);
        }
    }
}
