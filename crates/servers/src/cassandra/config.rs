//! A server's `cassandra.yaml`.

use std::fs;

use super::datacenter;
use super::defaults::{
    NEEDED, PREFERRED, SEVERAL_NODES, SSTABLE, SYNCED_FIRST, SYNCED_LATER, TIME_OUTS,
};
use super::disk_access::DiskAccess;
use super::folder::{Folder, OUR_BEGINNING, utf8};
use super::node::Node;
use super::ports::Ports;
use super::release::Release;
use super::tuning::Tuning;
use crate::error::Result;
use crate::files::write_synced;

/// The settings that whoever starts a server chooses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// The release that is started, which may lack keys.
    pub(crate) release: Release,
    /// Whether CQL may make functions, unless [`Tuning::settings`] say otherwise.
    pub(crate) functions: bool,
    /// Whether a write is on the disk before it is acknowledged.
    pub(crate) syncs_writes: bool,
    /// Whether the node joins a cluster that has data.
    pub(crate) joins: bool,
    pub(crate) tuning: Tuning,
}

/// The name of the setting by which a node fetches its share of the data before it answers.
const BOOTSTRAP: &str = "auto_bootstrap";
/// The name of the setting for who may do what.
const AUTHORIZER: &str = "authorizer";
/// The name of the setting for how a node knows where nodes are.
const SNITCH: &str = "endpoint_snitch";
const FUNCTIONS: &str = "user_defined_functions_enabled";
/// The name of the setting for the format within the entry of SSTables.
const SSTABLE_FORMAT: &str = "sstable_format";

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
        chosen: &Chosen,
    ) -> Result<()> {
        let text = self.yaml_text(node, ports, access, chosen)?;
        write_synced(&self.yaml(), &text)?;
        datacenter::write(self, node, &chosen.tuning)?;
        write_synced(&self.logback(), include_str!("logback.xml"))
    }

    fn yaml_text(
        &self,
        node: Node,
        ports: Ports,
        access: DiskAccess,
        chosen: &Chosen,
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
        lines.extend(settings.iter().map(|(name, value)| entry(name, value)));
        if !node.is_alone() {
            let tokens = if chosen.joins {
                node.tokens_when_added()
            } else {
                node.tokens()
            };
            let tokens: Vec<String> = tokens.iter().map(i64::to_string).collect();
            lines.push(format!("initial_token: {}", tokens.join(",")));
        } else if self.store().is_file() {
            lines.extend(self.closed_to_others()?);
        }
        Ok(lines.join("\n") + "\n")
    }

    /// Returns the entry that closes the port for other nodes to all without the key in the folder.
    fn closed_to_others(&self) -> Result<[String; 9]> {
        let store = quoted(utf8(&self.store())?);
        let password = quoted(self.store_password()?.reveal());
        Ok([
            "server_encryption_options:".to_owned(),
            "  internode_encryption: all".to_owned(),
            // Cassandra takes unencrypted connections, too, unless this is said.
            "  optional: false".to_owned(),
            "  require_client_auth: true".to_owned(),
            "  store_type: PKCS12".to_owned(),
            format!("  keystore: {store}"),
            format!("  keystore_password: {password}"),
            format!("  truststore: {store}"),
            format!("  truststore_password: {password}"),
        ])
    }
}

/// Returns the settings of `cassandra.yaml` that a report shows, each once.
pub(crate) fn settings(node: Node, chosen: &Chosen) -> Vec<(String, String)> {
    let mut settings: Vec<(String, String)> = Vec::new();
    let mut set = |name: &str, value: &str| {
        let earlier = settings.iter_mut().find(|(known, _)| known == name);
        match earlier {
            Some((_, earlier)) => *earlier = value.to_owned(),
            None => settings.push((name.to_owned(), value.to_owned())),
        }
    };
    let ours = NEEDED.iter().chain(&PREFERRED);
    for (name, value) in ours.filter(|(name, _)| chosen.release.has_key(name)) {
        set(name, value);
    }
    for (name, long, shipped) in TIME_OUTS {
        let is_shipped = chosen.tuning.shipped_time_outs;
        set(name, if is_shipped { shipped } else { long });
    }
    let synced: &[(&str, &str)] = if chosen.syncs_writes {
        &SYNCED_FIRST
    } else {
        &SYNCED_LATER
    };
    let several: &[(&str, &str)] = if node.is_alone() { &[] } else { &SEVERAL_NODES };
    for (name, value) in synced.iter().chain(several) {
        set(name, value);
    }
    if chosen.joins {
        set(BOOTSTRAP, "true");
    }
    if chosen.tuning.checks_rights {
        set(AUTHORIZER, "CassandraAuthorizer");
    }
    if datacenter::is_own(node, &chosen.tuning) {
        set(SNITCH, datacenter::SNITCH);
    }
    set(FUNCTIONS, &chosen.functions.to_string());
    for (name, value) in &chosen.tuning.settings {
        set(name, value);
    }
    settings
}

/// Writes a setting as it stands in the file.
fn entry(name: &str, value: &str) -> String {
    if name == SSTABLE_FORMAT {
        return format!("{SSTABLE}:\n  selected_format: {value}");
    }
    format!("{name}: {value}")
}

/// Quotes a string so that both YAML and the JVM's argument files read it.
pub(crate) fn quoted(text: impl AsRef<str>) -> String {
    format!(
        "\"{}\"",
        text.as_ref().replace('\\', "\\\\").replace('"', "\\\"")
    )
}

#[cfg(test)]
mod tests;
