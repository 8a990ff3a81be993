//! The ports of a Cassandra.

use std::collections::HashSet;
use std::net::Ipv4Addr;

use serde::{Deserialize, Serialize};

use super::node::Node;
use crate::error::Result;
use crate::ports;
use crate::record::Register;

/// The ports of one server: JMX on 127.0.0.1, the others at its node's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ports {
    /// CQL.
    pub native: u16,
    pub storage: u16,
    pub ssl_storage: u16,
    pub jmx: u16,
}

impl Ports {
    /// Ports that nobody listens on and that are not in `taken`.
    ///
    /// # Errors
    /// `Refused` when there are none left.
    pub(crate) fn free(taken: &HashSet<u16>) -> Result<Ports> {
        let [native, storage, ssl_storage, jmx] = ports::free(taken)?;
        Ok(Ports {
            native,
            storage,
            ssl_storage,
            jmx,
        })
    }

    /// The ports of a node: those that were chosen for it, or for the first of its cluster, or any
    /// that are free. One of JMX that is taken or 0 is any that is free.
    ///
    /// # Errors
    /// `Refused` with the first that cannot be had.
    pub(crate) fn of_node(
        node: Node,
        chosen: Option<Ports>,
        register: &Register<'_>,
    ) -> Result<Ports> {
        let taken = |address| register.taken_ports(address);
        let Some(mut ports) = chosen else {
            return Ports::free(&taken(Ipv4Addr::LOCALHOST));
        };
        let address = node.address();
        ports::check_free(address, &ports.of_protocols(), &taken(address))?;
        let mut beside = taken(Ipv4Addr::LOCALHOST);
        beside.extend(ports.of_protocols());
        if ports::check_free(Ipv4Addr::LOCALHOST, &[ports.jmx], &beside).is_err() || ports.jmx == 0
        {
            [ports.jmx] = ports::free(&beside)?;
        }
        Ok(ports)
    }

    /// Those that a node takes on that address, that of CQL first.
    pub(crate) fn at(&self, node: Node, address: Ipv4Addr) -> Vec<u16> {
        let own = (address == node.address()).then(|| self.of_protocols());
        let jmx = (address == Ipv4Addr::LOCALHOST).then_some(self.jmx);
        own.into_iter().flatten().chain(jmx).collect()
    }

    fn of_protocols(&self) -> [u16; 3] {
        [self.native, self.storage, self.ssl_storage]
    }
}
