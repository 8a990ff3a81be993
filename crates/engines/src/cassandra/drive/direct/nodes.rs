//! The connections to all nodes. Each node is connected to by itself, so that one that does not answer delays no
//! other.

use std::cell::{Ref, RefCell};
use std::collections::HashSet;
use std::net::SocketAddr;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};

use super::Login;
use super::connection::Connection;

/// Interval at which broken connections are replaced.
const RECONNECT_AFTER: Duration = Duration::from_millis(500);

/// All nodes that are connected to.
pub struct Nodes {
    login: Option<Login>,
    /// Number of connections to each node.
    connections: usize,
    nodes: RefCell<Vec<NodeConnections>>,
}

/// The connections to one node, some of which may be broken.
pub struct NodeConnections {
    pub address: SocketAddr,
    pub connections: Vec<Rc<Connection>>,
}

impl Nodes {
    pub fn new(login: Option<Login>, connections: usize) -> Self {
        Nodes {
            login,
            connections,
            nodes: RefCell::default(),
        }
    }

    pub fn all(&self) -> Ref<'_, Vec<NodeConnections>> {
        self.nodes.borrow()
    }

    /// Connects to the nodes at these addresses, and returns when each of them has been connected to or given up.
    pub async fn connect(&self, addresses: &[SocketAddr]) {
        self.forget_others(addresses);
        let connecting = addresses.iter().map(|address| self.connect_to(*address));
        let mut connecting: FuturesUnordered<_> = connecting.collect();
        while let Some(connected) = connecting.next().await {
            self.put(connected);
        }
    }

    /// Replaces broken connections, connects to nodes at new addresses, and never ends.
    pub async fn keep(&self, addresses: impl Fn() -> Vec<SocketAddr>) {
        let mut connecting: FuturesUnordered<LocalBoxFuture<'_, NodeConnections>> =
            FuturesUnordered::new();
        let mut under_way = HashSet::new();
        loop {
            let mut pause = pin!(tokio::time::sleep(RECONNECT_AFTER));
            loop {
                tokio::select! {
                    () = &mut pause => break,
                    Some(connected) = connecting.next() => {
                        under_way.remove(&connected.address);
                        self.put(connected);
                    }
                }
            }
            let addresses = addresses();
            self.forget_others(&addresses);
            for address in addresses {
                if under_way.insert(address) {
                    connecting.push(self.connect_to(address).boxed_local());
                }
            }
        }
    }

    /// Drops the connections to nodes at other addresses.
    fn forget_others(&self, addresses: &[SocketAddr]) {
        let mut nodes = self.nodes.borrow_mut();
        nodes.retain(|node| addresses.contains(&node.address));
    }

    fn put(&self, connected: NodeConnections) {
        let mut nodes = self.nodes.borrow_mut();
        match nodes.iter_mut().find(|n| n.address == connected.address) {
            Some(node) => *node = connected,
            None => nodes.push(connected),
        }
    }

    /// Returns the connections to a node, after making those that are missing.
    async fn connect_to(&self, address: SocketAddr) -> NodeConnections {
        let mut connections = self.open_connections(address);
        while connections.len() < self.connections {
            match Connection::open(address, self.login.as_ref()).await {
                Ok(connection) => connections.push(Rc::new(connection)),
                Err(error) => {
                    tracing::debug!("connecting to {address} for single statements: {error}");
                    break;
                }
            }
        }
        NodeConnections {
            address,
            connections,
        }
    }

    fn open_connections(&self, address: SocketAddr) -> Vec<Rc<Connection>> {
        let nodes = self.nodes.borrow();
        let known = nodes.iter().filter(|known| known.address == address);
        let connections = known.flat_map(|known| &known.connections);
        connections.filter(|c| !c.is_broken()).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use bakeoff_testing::peer::{Peer, READY};
    use tokio::net::TcpListener;

    use super::*;

    async fn listen() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    }

    /// Takes the next client, and lets it begin.
    async fn welcome(listener: &TcpListener) -> Peer {
        let mut peer = Peer::accept(listener).await;
        let (stream, _) = peer.take().await;
        peer.reply(stream, READY, &[]).await;
        peer
    }

    #[tokio::test]
    async fn a_node_that_never_answers_delays_no_other() {
        // The system takes clients, and nobody speaks to them.
        let (_silent, dead) = listen().await;
        let (answering, alive) = listen().await;
        let nodes = Nodes::new(None, 1);
        let connected = async {
            let _peer = welcome(&answering).await;
            while nodes.open_connections(alive).is_empty() {
                tokio::task::yield_now().await;
            }
        };
        let both = [dead, alive];
        tokio::select! {
            biased;
            () = nodes.connect(&both) => panic!("it waited for the node that is dead"),
            () = connected => {}
        }
        assert!(nodes.open_connections(dead).is_empty());
    }

    #[tokio::test]
    async fn a_connection_is_replaced_while_another_node_does_not_answer() {
        let (silent, dead) = listen().await;
        let (answering, alive) = listen().await;
        let nodes = Nodes::new(None, 1);
        let watched = async {
            let first = welcome(&answering).await;
            let mut unanswered = Peer::accept(&silent).await;
            unanswered.take().await;
            drop(first);
            let _second = welcome(&answering).await;
            // The other end is still open: the dead node has not been given up yet.
            let nothing = unanswered.0.try_read(&mut [0]).unwrap_err();
            assert_eq!(nothing.kind(), ErrorKind::WouldBlock);
        };
        tokio::select! {
            () = nodes.keep(|| vec![dead, alive]) => unreachable!("it never ends"),
            () = watched => {}
        }
    }

    #[tokio::test]
    async fn a_node_that_has_left_is_forgotten() {
        let (answering, left) = listen().await;
        let nodes = Nodes::new(None, 2);
        let one = [left];
        let ((), _peers) = tokio::join!(nodes.connect(&one), async {
            [welcome(&answering).await, welcome(&answering).await]
        });
        assert_eq!(nodes.open_connections(left).len(), 2);
        nodes.connect(&[]).await;
        assert!(nodes.all().is_empty());
    }
}
