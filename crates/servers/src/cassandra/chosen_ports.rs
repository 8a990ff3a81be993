//! Choosing the ports of a server.

use std::collections::HashSet;
use std::net::Ipv4Addr;

use super::folder::Folder;
use super::node::Node;
use super::options::ServerOptions;
use super::ports::Ports;
use crate::error::Result;
use crate::ports;
use crate::record::{Owner, Register};

/// Returns the ports that were asked for. A server that is to be kept gets those of its last start
/// if they are free, so that clients find it again.
pub(crate) fn chosen_ports(
    options: &ServerOptions,
    folder: &Folder,
    register: &Register<'_>,
) -> Result<Ports> {
    let last_ports = match (options.ports, options.owner) {
        (None, Owner::NoProcess) => folder.earlier_ports(),
        _ => None,
    };
    // Clients know only the native port.
    let for_clients = last_ports.map(|ports| Ports::for_clients(ports.native));
    for ports in last_ports.into_iter().chain(for_clients) {
        if let Ok(ports) = Ports::for_node(options.node, Some(ports), register) {
            return Ok(ports);
        }
    }
    Ports::for_node(options.node, options.ports, register)
}

impl Ports {
    /// Chooses free ports that are not in `taken` either.
    ///
    /// # Errors
    /// Fails with `Refused` when there are none left.
    pub(crate) fn free(taken: &HashSet<u16>) -> Result<Ports> {
        let [native, storage, ssl_storage, jmx] = ports::free(taken)?;
        Ok(Ports {
            native,
            storage,
            ssl_storage,
            jmx,
        })
    }

    /// Chooses the ports of a node: those that were chosen for it or for the first node of its
    /// cluster, or free ones. Ports of 0 become free ports, and so does a port of JMX that is in
    /// use.
    ///
    /// # Errors
    /// Fails with `Refused` with the first one that is not available.
    fn for_node(node: Node, chosen: Option<Ports>, register: &Register<'_>) -> Result<Ports> {
        let taken = |address| register.taken_ports(address);
        let Some(mut ports) = chosen else {
            return Ports::free(&taken(Ipv4Addr::LOCALHOST));
        };
        let address = node.address();
        let chosen = ports.protocol_ports().into_iter().filter(|port| *port != 0);
        ports::check_free(address, &chosen.collect::<Vec<_>>(), &taken(address))?;
        let mut taken_here = taken(Ipv4Addr::LOCALHOST);
        taken_here.extend(ports.protocol_ports());
        ports.fill(&taken_here)?;
        // JMX listens on 127.0.0.1 for every node, so each node needs a different port.
        taken_here.extend(ports.protocol_ports());
        if ports::check_free(Ipv4Addr::LOCALHOST, &[ports.jmx], &taken_here).is_err()
            || ports.jmx == 0
        {
            [ports.jmx] = ports::free(&taken_here)?;
        }
        Ok(ports)
    }

    /// Replaces the protocol ports that are 0 by free ports.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_were_not_chosen_are_free_ones() {
        let mut ports = Ports::for_clients(9042);
        ports.fill(&HashSet::from([9042])).unwrap();
        let [native, storage, ssl_storage] = ports.protocol_ports();
        assert_eq!(native, 9042);
        assert!(storage != 0 && ssl_storage != 0 && storage != ssl_storage);
        assert!(![storage, ssl_storage].contains(&9042));
    }
}
