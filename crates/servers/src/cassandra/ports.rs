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
    /// Free ports that are not in `taken` either.
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

    /// That port for clients, and any that are free for all else.
    pub fn for_clients(native: u16) -> Ports {
        Ports {
            native,
            storage: 0,
            ssl_storage: 0,
            jmx: 0,
        }
    }

    /// The ports of a node: those that were chosen for it, or for the first of its cluster, or any
    /// that are free. Those of 0 are any that are free, and so is one of JMX that is taken.
    ///
    /// # Errors
    /// `Refused` with the first that is not available.
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
        let chosen = ports.of_protocols().into_iter().filter(|port| *port != 0);
        ports::check_free(address, &chosen.collect::<Vec<_>>(), &taken(address))?;
        let mut beside = taken(Ipv4Addr::LOCALHOST);
        beside.extend(ports.of_protocols());
        ports.fill(&beside)?;
        beside.extend(ports.of_protocols());
        if ports::check_free(Ipv4Addr::LOCALHOST, &[ports.jmx], &beside).is_err() || ports.jmx == 0
        {
            [ports.jmx] = ports::free(&beside)?;
        }
        Ok(ports)
    }

    /// Gives those of the protocols that are 0 ports that are free.
    fn fill(&mut self, taken: &HashSet<u16>) -> Result<()> {
        let any: [u16; 3] = ports::free(taken)?;
        let own = [&mut self.native, &mut self.storage, &mut self.ssl_storage];
        for (own, any) in own.into_iter().zip(any) {
            if *own == 0 {
                *own = any;
            }
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_were_not_chosen_are_free_ones() {
        let mut ports = Ports::for_clients(9042);
        ports.fill(&HashSet::from([9042])).unwrap();
        let [native, storage, ssl_storage] = ports.of_protocols();
        assert_eq!(native, 9042);
        assert!(storage != 0 && ssl_storage != 0 && storage != ssl_storage);
        assert!(![storage, ssl_storage].contains(&9042));
    }
}
