//! Nodes in different datacenters, which tests start: each of several nodes is told where it is by a file.

use super::folder::Folder;
use super::node::Node;
use super::tuning::Tuning;
use crate::error::Result;
use crate::files::write_synced;

/// The class that reads the file, and by which nodes tell each other where they are.
pub(super) const SNITCH: &str = "GossipingPropertyFileSnitch";
/// The property of the JVM with the URL of the file.
pub(super) const PROPERTY: &str = "cassandra-rackdc.properties";

/// Returns whether a node is to be in a datacenter of its own.
pub(super) fn is_own(node: Node, tuning: &Tuning) -> bool {
    tuning.own_datacenters && !node.is_alone()
}

/// Writes the file of a node that is to be in a datacenter of its own, and nothing for others.
///
/// # Errors
/// Fails with `Io`.
pub(super) fn write(folder: &Folder, node: Node, tuning: &Tuning) -> Result<()> {
    if !is_own(node, tuning) {
        return Ok(());
    }
    let text = format!("dc={}\nrack=rack1\n", name(node));
    write_synced(&folder.datacenter(), &text)
}

/// Returns the replication, in CQL, by which each of several nodes has all rows of a keyspace. In datacenters of their
/// own, a node would find none of the copies that it may ask for at a local quorum, unless they are counted in each.
pub(super) fn on_each(nodes: u8, tuning: &Tuning) -> String {
    let own = Node::all(nodes).filter(|node| is_own(*node, tuning));
    let own: Vec<String> = own.map(|node| format!("'{}': 1", name(node))).collect();
    if own.is_empty() {
        return format!("{{'class': 'SimpleStrategy', 'replication_factor': {nodes}}}");
    }
    let copies = own.join(", ");
    format!("{{'class': 'NetworkTopologyStrategy', {copies}}}")
}

fn name(node: Node) -> String {
    format!("dc{}", node.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_has_a_copy_in_whichever_datacenter_it_is() {
        let of = |own_datacenters| {
            let tuning = Tuning {
                own_datacenters,
                ..Tuning::default()
            };
            on_each(2, &tuning)
        };
        let together = "{'class': 'SimpleStrategy', 'replication_factor': 2}";
        let apart = "{'class': 'NetworkTopologyStrategy', 'dc1': 1, 'dc2': 1}";
        assert_eq!((of(false).as_str(), of(true).as_str()), (together, apart));
    }
}
