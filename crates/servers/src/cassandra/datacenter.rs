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
    let text = format!("dc=dc{}\nrack=rack1\n", node.number);
    write_synced(&folder.datacenter(), &text)
}
