//! The datacenter of a cluster that is near: that of the node which was named.

use std::net::IpAddr;
use std::time::Duration;

use scylla::client::session::Session;
use scylla::policies::load_balancing::DefaultPolicy;
use tokio::net::lookup_host;

/// Time limit of looking up a name.
const LOOKUP_TIME_LIMIT: Duration = Duration::from_secs(15);

/// Returns the datacenter of the node at an address `HOST:PORT`, if the cluster has several and that
/// one can be told.
pub async fn local_datacenter(session: &Session, address: &str) -> Option<String> {
    let cluster = session.get_cluster_state();
    let nodes = cluster.get_nodes_info().iter();
    let nodes: Vec<(IpAddr, Option<&str>)> = nodes
        .map(|node| (node.address.ip(), node.datacenter.as_deref()))
        .collect();
    if nodes.iter().all(|node| node.1 == nodes[0].1) {
        return None;
    }
    let found = tokio::time::timeout(LOOKUP_TIME_LIMIT, lookup_host(address)).await;
    let addresses = found.ok()?.ok()?;
    let named: Vec<IpAddr> = addresses.map(|address| address.ip()).collect();
    datacenter_of(&nodes, &named).map(str::to_owned)
}

/// Returns the only datacenter among those of the named nodes, if there are others.
fn datacenter_of<'a>(nodes: &[(IpAddr, Option<&'a str>)], named: &[IpAddr]) -> Option<&'a str> {
    let is_named = |node: &&(IpAddr, Option<&'a str>)| named.contains(&node.0);
    let mut of_named = nodes.iter().filter(is_named).map(|node| node.1);
    let datacenter = of_named.next()??;
    let is_it = |other: Option<&'a str>| other == Some(datacenter);
    let is_the_only_one_named = of_named.all(is_it);
    let are_there_others = !nodes.iter().all(|node| is_it(node.1));
    (is_the_only_one_named && are_there_others).then_some(datacenter)
}

/// Makes requests that choose no nodes go to any datacenter, whichever the session prefers, so that
/// only scans follow the preference.
pub fn prefer_for_scans_only(session: &Session) {
    let policy = DefaultPolicy::builder().prefer_no_datacenter().build();
    let mut handle = session.get_default_execution_profile_handle().clone();
    let profile = handle.pointee_to_builder().load_balancing_policy(policy);
    handle.map_to_another_profile(profile.build());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn the_datacenter_is_that_of_the_named_node() {
        let nodes = [
            (address(1), Some("east")),
            (address(2), Some("east")),
            (address(3), Some("west")),
        ];
        let of = |named: &[IpAddr]| datacenter_of(&nodes, named);
        assert_eq!(of(&[address(3)]), Some("west"));
        assert_eq!(of(&[address(1), address(2)]), Some("east"));
        // A name of nodes in both prefers none, and neither does an address that is translated.
        assert_eq!(of(&[address(1), address(3)]), None);
        assert_eq!(of(&[address(9)]), None);
        assert_eq!(datacenter_of(&nodes[..2], &[address(1)]), None);
    }

    #[test]
    fn a_node_without_a_datacenter_prefers_none() {
        let nodes = [(address(1), None), (address(2), Some("east"))];
        assert_eq!(datacenter_of(&nodes, &[address(1)]), None);
        assert_eq!(datacenter_of(&nodes, &[address(2)]), Some("east"));
    }
}
