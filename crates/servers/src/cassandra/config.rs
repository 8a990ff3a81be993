//! A server's `cassandra.yaml`.

use std::fs;

use super::disk_access::DiskAccess;
use super::folder::{Folder, OUR_BEGINNING, utf8};
use super::node::Node;
use super::ports::Ports;
use crate::error::Result;
use crate::files::write_synced;

/// The settings besides folders and ports, all of which are in the report.
const SETTINGS: [(&str, &str); 25] = [
    ("num_tokens", "4"),
    ("partitioner", "org.apache.cassandra.dht.Murmur3Partitioner"),
    ("endpoint_snitch", "SimpleSnitch"),
    ("memtable_allocation_type", "heap_buffers"),
    ("materialized_views_enabled", "true"),
    // Older modes ignore the import of newly written SSTables silently.
    ("storage_compatibility_mode", "NONE"),
    // Dropped tables would otherwise stay on disk.
    ("auto_snapshot", "false"),
    ("concurrent_compactors", "2"),
    ("compaction_throughput", "0MiB/s"),
    // These limits apply to a whole aggregate, not to a page of it.
    ("read_request_timeout", "600s"),
    ("range_request_timeout", "600s"),
    ("native_transport_timeout", "600s"),
    ("write_request_timeout", "60s"),
    ("counter_write_request_timeout", "60s"),
    ("truncate_request_timeout", "60s"),
    ("request_timeout", "600s"),
    ("hinted_handoff_enabled", "false"),
    // A server that cannot write has to end.
    ("disk_failure_policy", "die"),
    ("commit_failure_policy", "die"),
    ("authenticator", "PasswordAuthenticator"),
    ("authorizer", "AllowAllAuthorizer"),
    // A password that was changed is not valid any more, and no request looks a role up again.
    ("credentials_validity", "0ms"),
    ("roles_validity", "24h"),
    // Every node has the roles, and they are written while all nodes run.
    ("auth_read_consistency_level", "LOCAL_ONE"),
    ("auth_write_consistency_level", "ALL"),
];

/// The settings that whoever starts a server chooses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// Whether CQL may make functions.
    pub(crate) functions: bool,
    /// Whether a write is on the disk before it is acknowledged.
    pub(crate) syncs_writes: bool,
}

const FUNCTIONS: &str = "user_defined_functions_enabled";

/// As shipped: the commit log is synced every 10 s, and writes are acknowledged before.
const SYNCED_LATER: [(&str, &str); 2] = [
    ("commitlog_sync", "periodic"),
    ("commitlog_sync_period", "10000ms"),
];

/// A write is acknowledged when it is on the disk.
const SYNCED_FIRST: [(&str, &str); 1] = [("commitlog_sync", "batch")];

/// The settings that are different or additional for the nodes of a cluster.
const SEVERAL_NODES: [(&str, &str); 2] = [
    // As shipped: a replica that was too slow for a write gets it later.
    ("hinted_handoff_enabled", "true"),
    // The cluster is empty, so a new node has nothing to fetch from the others.
    ("auto_bootstrap", "false"),
];

impl Folder {
    /// Returns the ports of the last run in this folder; that of JMX is 0, for any port.
    pub(crate) fn earlier_ports(&self) -> Option<Ports> {
        let yaml = fs::read_to_string(self.yaml()).ok()?;
        let port = |name: &str| {
            let mut values = yaml.lines().filter_map(|line| line.strip_prefix(name));
            values.next()?.strip_prefix(": ")?.parse().ok()
        };
        Some(Ports {
            native: port("native_transport_port")?,
            storage: port("storage_port")?,
            ssl_storage: port("ssl_storage_port")?,
            jmx: 0,
        })
    }

    pub(crate) fn write_configuration(
        &self,
        node: Node,
        ports: Ports,
        access: DiskAccess,
        chosen: Chosen,
    ) -> Result<()> {
        let text = self.yaml_text(node, ports, access, chosen)?;
        write_synced(&self.yaml(), &text)?;
        write_synced(&self.logback(), include_str!("logback.xml"))
    }

    fn yaml_text(
        &self,
        node: Node,
        ports: Ports,
        access: DiskAccess,
        chosen: Chosen,
    ) -> Result<String> {
        let folder = |name: &str| utf8(&self.path().join(name)).map(quoted);
        let mut lines = vec![
            format!("{OUR_BEGINNING}[{}]", folder("data")?),
            format!("commitlog_directory: {}", folder("commitlog")?),
            format!("hints_directory: {}", folder("hints")?),
            format!("saved_caches_directory: {}", folder("saved_caches")?),
            format!("cdc_raw_directory: {}", folder("cdc_raw")?),
            format!("listen_address: {}", node.address()),
            format!("rpc_address: {}", node.address()),
            format!("native_transport_port: {}", ports.native),
            format!("storage_port: {}", ports.storage),
            format!("ssl_storage_port: {}", ports.ssl_storage),
            format!("disk_access_mode: {access}"),
            "seed_provider:".to_owned(),
            "  - class_name: org.apache.cassandra.locator.SimpleSeedProvider".to_owned(),
            "    parameters:".to_owned(),
            format!("      - seeds: \"127.0.0.1:{}\"", ports.storage),
        ];
        let settings = settings(node, chosen);
        lines.extend(settings.map(|(name, value)| format!("{name}: {value}")));
        if !node.is_alone() {
            let tokens: Vec<String> = node.tokens().iter().map(i64::to_string).collect();
            lines.push(format!("initial_token: {}", tokens.join(",")));
        }
        Ok(lines.join("\n") + "\n")
    }
}

/// Returns the settings of `cassandra.yaml` that a report shows.
pub(crate) fn settings(node: Node, chosen: Chosen) -> impl Iterator<Item = (String, String)> {
    let several = SEVERAL_NODES.iter().filter(move |_| !node.is_alone());
    let is_other = move |name: &str| {
        let mut others = SEVERAL_NODES.iter().map(|(other, _)| *other);
        !node.is_alone() && others.any(|other| other == name)
    };
    let synced: &[(&str, &str)] = if chosen.syncs_writes {
        &SYNCED_FIRST
    } else {
        &SYNCED_LATER
    };
    SETTINGS
        .iter()
        .filter(move |(name, _)| !is_other(name))
        .chain(synced)
        .chain(several)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .chain([(FUNCTIONS.to_owned(), chosen.functions.to_string())])
}

/// Quotes a string so that both YAML and the JVM's argument files read it.
pub(crate) fn quoted(text: impl AsRef<str>) -> String {
    format!(
        "\"{}\"",
        text.as_ref().replace('\\', "\\\\").replace('"', "\\\"")
    )
}

#[cfg(test)]
mod tests {
    use super::super::folder::STORED;
    use super::*;

    const PORTS: Ports = Ports {
        native: 1,
        storage: 2,
        ssl_storage: 3,
        jmx: 4,
    };

    #[test]
    fn the_server_listens_on_loopback_only_and_stays_in_its_folder() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create(&parent.path().join("a \"b\"")).unwrap();
        folder
            .write_configuration(
                Node::default(),
                PORTS,
                DiskAccess::Standard,
                Chosen::default(),
            )
            .unwrap();
        let yaml = std::fs::read_to_string(folder.yaml()).unwrap();
        assert!(yaml.contains("listen_address: 127.0.0.1\nrpc_address: 127.0.0.1\n"));
        assert!(yaml.contains("native_transport_port: 1\nstorage_port: 2\nssl_storage_port: 3\n"));
        assert!(yaml.contains("disk_access_mode: standard\n"));
        assert!(yaml.contains("/a \\\"b\\\"/commitlog\"\n"), "{yaml}");
        assert!(folder.logback().is_file());
        for line in yaml.lines().filter(|line| line.contains("_director")) {
            let name = line.rsplit('/').next().unwrap();
            let name = name.trim_end_matches([']', '"']);
            assert!(STORED.contains(&name), "{line}");
        }
        assert!(!yaml.contains("initial_token"), "{yaml}");
        assert!(
            yaml.contains("authenticator: PasswordAuthenticator\n"),
            "{yaml}"
        );
        assert!(
            yaml.contains("user_defined_functions_enabled: false\n"),
            "{yaml}"
        );
        let earlier = Ports { jmx: 0, ..PORTS };
        assert_eq!(folder.earlier_ports(), Some(earlier));
    }

    #[test]
    fn a_node_has_its_own_address_and_tokens_and_asks_the_first_one() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create(parent.path()).unwrap();
        let second = Node::all(3).nth(1).unwrap();
        let with_functions = Chosen {
            functions: true,
            ..Chosen::default()
        };
        let yaml = folder
            .yaml_text(second, PORTS, DiskAccess::Standard, with_functions)
            .unwrap();
        assert!(
            yaml.contains("user_defined_functions_enabled: true\n"),
            "{yaml}"
        );
        assert!(yaml.contains("listen_address: 127.0.0.2\nrpc_address: 127.0.0.2\n"));
        assert!(yaml.contains("- seeds: \"127.0.0.1:2\"\n"), "{yaml}");
        assert_eq!(yaml.matches("hinted_handoff_enabled: true\n").count(), 1);
        assert_eq!(yaml.matches("hinted_handoff_enabled").count(), 1);
        let tokens = yaml.lines().find(|line| line.starts_with("initial_token"));
        assert_eq!(tokens.unwrap().split(',').count(), 4);
    }

    #[test]
    fn a_period_of_the_commit_log_is_only_set_where_there_is_one() {
        let lines = |syncs_writes| {
            let chosen = Chosen {
                syncs_writes,
                ..Chosen::default()
            };
            let all = settings(Node::default(), chosen);
            let of_log = all.filter(|(name, _)| name.starts_with("commitlog_"));
            let lines: Vec<String> = of_log.map(|(n, value)| format!("{n}: {value}")).collect();
            lines.join(", ")
        };
        // With a period as well, Cassandra does not start.
        assert_eq!(lines(true), "commitlog_sync: batch");
        assert_eq!(
            lines(false),
            "commitlog_sync: periodic, commitlog_sync_period: 10000ms"
        );
    }
}
