//! The ports of a Cassandra.

use std::net::Ipv4Addr;

use serde::{Deserialize, Serialize};

use super::node::Node;

/// The ports of one server: JMX on 127.0.0.1, the others at its node's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ports {
    /// Port for CQL.
    pub native: u16,
    pub storage: u16,
    pub ssl_storage: u16,
    pub jmx: u16,
}

impl Ports {
    /// Returns that port for clients, and 0, for any free port, for everything else.
    pub fn for_clients(native: u16) -> Ports {
        Ports {
            native,
            storage: 0,
            ssl_storage: 0,
            jmx: 0,
        }
    }

    /// Returns the ports of that address that a node listens on, that of CQL first.
    pub(crate) fn at(&self, node: Node, address: Ipv4Addr) -> Vec<u16> {
        let own = (address == node.address()).then(|| self.protocol_ports());
        let jmx = (address == Ipv4Addr::LOCALHOST).then_some(self.jmx);
        own.into_iter().flatten().chain(jmx).collect()
    }

    pub(super) fn protocol_ports(&self) -> [u16; 3] {
        [self.native, self.storage, self.ssl_storage]
    }
}
