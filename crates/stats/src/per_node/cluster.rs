//! Nodes, copies and cores of what a design was measured on.

use serde::Serialize;

use crate::{DesignInfo, EngineInfo, Machine};

/// What a design was measured on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cluster {
    /// Number of nodes; 1 for a server alone, and for files.
    pub nodes: u32,
    /// Copies of each row in all datacenters together; `None` if they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<u32>,
    /// Cores of the client's machine for each node, if the nodes run there; `None` for other machines, whose
    /// cores are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores_of_node: Option<f64>,
    /// Whether the engine divides rows among its nodes.
    pub divides: bool,
}

impl Cluster {
    /// Finds out what a design had, from the engines of a measurement and the machine of its client.
    pub fn of(design: &DesignInfo, engines: &[EngineInfo], machine: &Machine) -> Cluster {
        // A run that went on has its engine once more: the last one says how it is now.
        let engine = { engines.iter().rev() }.find(|info| info.engine == design.engine);
        // The number of standbys has words behind it.
        let first = |value: &str| value.split(';').next()?.parse::<u32>().ok();
        let number = |name| engine.and_then(|info| first(info.setting(name)?));
        let nodes = number(EngineInfo::NODES);
        let is_here = !design.server || engine.is_none_or(|info| is_here(info, nodes));
        let cores = f64::from(machine.cores.max(1));
        let standbys = number(EngineInfo::STANDBYS).unwrap_or(0);
        let count = nodes.unwrap_or(1).max(1).saturating_add(standbys);
        // The setting is left out for a single copy, and has no number where copies are not known.
        let of_engine = match engine.and_then(|info| info.setting(EngineInfo::COPIES)) {
            Some(copies) => first(copies),
            None => Some(1),
        };
        let copies = design.copies().or(of_engine);
        // Each datacenter has all of the copies.
        let datacenters = number(EngineInfo::DATACENTERS).unwrap_or(1).max(1);
        let copies = copies.map(|copies| copies.max(1).saturating_mul(datacenters));
        Cluster {
            nodes: count,
            copies: copies.map(|copies| copies.saturating_add(standbys)),
            cores_of_node: is_here.then(|| cores / f64::from(count)),
            divides: nodes.is_some(),
        }
    }

    /// Returns whether a design's answers come from executors of a cluster, on nodes that nobody counts.
    pub fn is_of_executors(design: &DesignInfo, engines: &[EngineInfo]) -> bool {
        let engine = { engines.iter().rev() }.find(|info| info.engine == design.engine);
        engine.is_some_and(|info| info.setting(EngineInfo::EXECUTORS).is_some())
    }

    /// Returns whether the client shared its machine with all nodes.
    pub fn is_shared(&self) -> bool {
        self.cores_of_node.is_some()
    }
}

/// Returns whether a server runs on the client's machine. A cluster of several nodes that was running already does
/// not, whatever its address: that is of one node only.
fn is_here(engine: &EngineInfo, nodes: Option<u32>) -> bool {
    if engine.start_seconds.is_some() {
        return true;
    }
    let names = [EngineInfo::CLUSTER, EngineInfo::SERVER];
    let address = names.iter().find_map(|name| engine.setting(name));
    nodes.is_none_or(|nodes| nodes <= 1) && address.is_none_or(is_loopback)
}

/// Returns whether an address such as `127.0.0.1:9042` or `me@localhost:5432/db`, with a scheme or without, is of this
/// machine. A path is that of a socket.
fn is_loopback(address: &str) -> bool {
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = address.rsplit('@').next().unwrap_or(address);
    let is_v6 = host == "::1" || host.starts_with("[::1]") || host.starts_with("::1:");
    let name = host.split([':', '/']).next().unwrap_or_default();
    is_v6 || host.starts_with('/') || name == "localhost" || name.starts_with("127.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    fn engine(start_seconds: Option<f64>, settings: &[(&str, &str)]) -> EngineInfo {
        let settings = settings.iter();
        EngineInfo {
            engine: "cassandra".to_owned(),
            version: "5.0".to_owned(),
            start_seconds,
            settings: settings
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        }
    }

    fn of(engines: &[EngineInfo], server: bool) -> Cluster {
        let design = DesignInfo {
            id: "cassandra/wide".to_owned(),
            engine: "cassandra".to_owned(),
            role: Role::Store,
            server,
            settings: Vec::new(),
            statements: Vec::new(),
            unit_rows: None,
            not_asked: Vec::new(),
            stored_by: None,
            table_of: None,
        };
        let machine = Machine {
            os: String::new(),
            cpu: String::new(),
            cores: 6,
            memory_bytes: 0,
            model: None,
        };
        Cluster::of(&design, engines, &machine)
    }

    #[test]
    fn nodes_that_were_started_share_the_cores_of_this_machine() {
        let settings = [("nodes", "3"), ("replication factor", "2")];
        let cluster = of(&[engine(Some(20.0), &settings)], true);
        let expected = Cluster {
            nodes: 3,
            copies: Some(2),
            cores_of_node: Some(2.0),
            divides: true,
        };
        assert_eq!(cluster, expected);
        assert!(cluster.is_shared());
    }

    #[test]
    fn a_primary_and_its_standbys_are_nodes_with_a_copy_each() {
        let settings = [("standbys", "2; a commit waits for any one of them")];
        let cluster = of(&[engine(Some(20.0), &settings)], true);
        let expected = Cluster {
            nodes: 3,
            copies: Some(3),
            cores_of_node: Some(2.0),
            divides: false,
        };
        assert_eq!(cluster, expected);
    }

    #[test]
    fn cores_of_other_machines_are_not_known() {
        let settings = [("cluster", "cass-0:9042"), ("nodes", "5")];
        let cluster = of(&[engine(None, &settings)], true);
        assert_eq!((cluster.nodes, cluster.copies), (5, Some(1)));
        assert!(!cluster.is_shared() && cluster.divides);
        // Of several nodes the address is that of one.
        let settings = [("cluster", "127.0.0.1:9042"), ("nodes", "2")];
        assert!(!of(&[engine(None, &settings)], true).is_shared());
        let settings = [("cluster", "127.0.0.1:9042"), ("nodes", "1")];
        assert!(of(&[engine(None, &settings)], true).is_shared());
        let settings = [(EngineInfo::SERVER, EngineInfo::ELSEWHERE)];
        assert!(!of(&[engine(None, &settings)], true).is_shared());
    }

    #[test]
    fn what_has_no_server_or_no_record_is_one_node_here() {
        for cluster in [of(&[], true), of(&[engine(None, &[])], false)] {
            assert_eq!((cluster.nodes, cluster.cores_of_node), (1, Some(6.0)));
            assert!(!cluster.divides);
        }
        let damaged = [("nodes", "0"), ("replication factor", "many")];
        let cluster = of(&[engine(Some(1.0), &damaged)], true);
        assert_eq!((cluster.nodes, cluster.copies), (1, None));
    }

    #[test]
    fn each_datacenter_has_all_copies_and_those_of_a_shared_keyspace_are_not_known() {
        let settings = [
            ("nodes", "6"),
            ("replication factor", "3"),
            ("datacenters", "2"),
        ];
        assert_eq!(of(&[engine(None, &settings)], true).copies, Some(6));
        let settings = [
            ("nodes", "6"),
            ("replication factor", EngineInfo::COPIES_OF_SHARED),
        ];
        assert_eq!(of(&[engine(None, &settings)], true).copies, None);
    }

    #[test]
    fn an_engine_that_was_started_again_counts_as_it_is_now() {
        let engines = ["1", "3"].map(|nodes| engine(Some(1.0), &[("nodes", nodes)]));
        assert_eq!(of(&engines, true).nodes, 3);
    }

    #[test]
    fn loopback_has_several_names() {
        for here in [
            "127.0.0.1:9042",
            "127.1.2.3",
            "localhost",
            "me@localhost:5432/db",
            "[::1]:9042",
            "::1:5432",
            "me@/var/run/postgresql:5432/db",
            "spark://127.0.0.1:7077",
            "sc://[::1]:15002",
            "postgresql://me@localhost:5432/db",
        ] {
            assert!(is_loopback(here), "{here}");
        }
        for away in [
            "cass-0:9042",
            "me@db/127.0.0.1",
            "10.127.0.0.1",
            "1270.example",
            "spark://db1:7077",
            "postgresql://localhost@db1/db",
        ] {
            assert!(!is_loopback(away), "{away}");
        }
    }
}
