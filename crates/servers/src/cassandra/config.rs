//! A server's folder and its `cassandra.yaml`.

use std::path::{Path, PathBuf};

use super::options::DiskAccess;
use super::ports::Ports;
use crate::error::{Error, Result};
use crate::files::{create_folder, write_synced};

/// What is set beside the folders and the ports, all of it told in the report.
const SETTINGS: [(&str, &str); 24] = [
    ("num_tokens", "4"),
    ("partitioner", "org.apache.cassandra.dht.Murmur3Partitioner"),
    ("endpoint_snitch", "SimpleSnitch"),
    ("memtable_allocation_type", "heap_buffers"),
    ("commitlog_sync", "periodic"),
    ("commitlog_sync_period", "10000ms"),
    ("user_defined_functions_enabled", "true"),
    ("materialized_views_enabled", "true"),
    // Older modes ignore the import of newly written SSTables without a word.
    ("storage_compatibility_mode", "NONE"),
    // Dropped tables would otherwise stay on disk.
    ("auto_snapshot", "false"),
    ("concurrent_compactors", "2"),
    ("compaction_throughput", "0MiB/s"),
    // A whole aggregate has to end within these, not one page of it.
    ("read_request_timeout", "600s"),
    ("range_request_timeout", "600s"),
    ("native_transport_timeout", "600s"),
    ("write_request_timeout", "60s"),
    ("counter_write_request_timeout", "60s"),
    ("truncate_request_timeout", "60s"),
    ("request_timeout", "600s"),
    ("hinted_handoff_enabled", "false"),
    // A server that cannot write shall end, not linger.
    ("disk_failure_policy", "die"),
    ("commit_failure_policy", "die"),
    ("authenticator", "AllowAllAuthenticator"),
    ("authorizer", "AllowAllAuthorizer"),
];

/// The folder of one server.
#[derive(Debug, Clone)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes the folder, or takes up the one that is there.
    ///
    /// # Errors
    /// `Io` when it cannot be written, `Refused` when its name is not UTF-8, which Cassandra's
    /// files need.
    pub(crate) fn create(path: &Path) -> Result<Folder> {
        create_folder(path)?;
        let folder = Folder(path.canonicalize().map_err(Error::io("find", path))?);
        utf8(&folder.0)?;
        create_folder(&folder.logs())?;
        create_folder(&folder.configuration())?;
        Ok(folder)
    }

    pub(crate) fn existing(path: PathBuf) -> Folder {
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.0.join("data")
    }

    pub(crate) fn logs(&self) -> PathBuf {
        self.0.join("logs")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.logs().join("system.log")
    }

    pub(crate) fn console(&self) -> PathBuf {
        self.logs().join("console.log")
    }

    pub(crate) fn yaml(&self) -> PathBuf {
        self.configuration().join("cassandra.yaml")
    }

    pub(crate) fn logback(&self) -> PathBuf {
        self.configuration().join("logback.xml")
    }

    /// The JVM's flags that the server and its tools have in common.
    pub(crate) fn flags(&self) -> PathBuf {
        self.configuration().join("jvm.args")
    }

    fn configuration(&self) -> PathBuf {
        self.0.join("conf")
    }

    pub(crate) fn write_configuration(&self, ports: Ports, access: DiskAccess) -> Result<()> {
        write_synced(&self.yaml(), &self.yaml_text(ports, access)?)?;
        write_synced(&self.logback(), include_str!("logback.xml"))
    }

    fn yaml_text(&self, ports: Ports, access: DiskAccess) -> Result<String> {
        let folder = |name: &str| utf8(&self.0.join(name)).map(quoted);
        let mut lines = vec![
            "cluster_name: bakeoff".to_owned(),
            format!("data_file_directories: [{}]", folder("data")?),
            format!("commitlog_directory: {}", folder("commitlog")?),
            format!("hints_directory: {}", folder("hints")?),
            format!("saved_caches_directory: {}", folder("saved_caches")?),
            format!("cdc_raw_directory: {}", folder("cdc_raw")?),
            "listen_address: 127.0.0.1".to_owned(),
            "rpc_address: 127.0.0.1".to_owned(),
            format!("native_transport_port: {}", ports.native),
            format!("storage_port: {}", ports.storage),
            format!("ssl_storage_port: {}", ports.ssl_storage),
            format!("disk_access_mode: {access}"),
            "seed_provider:".to_owned(),
            "  - class_name: org.apache.cassandra.locator.SimpleSeedProvider".to_owned(),
            "    parameters:".to_owned(),
            format!("      - seeds: \"127.0.0.1:{}\"", ports.storage),
        ];
        lines.extend(
            SETTINGS
                .iter()
                .map(|(name, value)| format!("{name}: {value}")),
        );
        Ok(lines.join("\n") + "\n")
    }
}

/// The settings of `cassandra.yaml` that a report tells.
pub(crate) fn settings() -> impl Iterator<Item = (String, String)> {
    SETTINGS
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
}

/// # Errors
/// `Refused` when the path is not UTF-8.
pub(crate) fn utf8(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Error::Refused(format!(
            "{} is not UTF-8: choose another folder",
            path.display()
        ))
    })
}

/// A string as YAML and the JVM's argument files both read it.
pub(crate) fn quoted(text: impl AsRef<str>) -> String {
    format!(
        "\"{}\"",
        text.as_ref().replace('\\', "\\\\").replace('"', "\\\"")
    )
}

#[cfg(test)]
mod tests {
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
            .write_configuration(PORTS, DiskAccess::Standard)
            .unwrap();
        let yaml = std::fs::read_to_string(folder.yaml()).unwrap();
        assert!(yaml.contains("listen_address: 127.0.0.1\nrpc_address: 127.0.0.1\n"));
        assert!(yaml.contains("native_transport_port: 1\nstorage_port: 2\nssl_storage_port: 3\n"));
        assert!(yaml.contains("disk_access_mode: standard\n"));
        assert!(yaml.contains("/a \\\"b\\\"/commitlog\"\n"), "{yaml}");
        assert!(folder.logback().is_file());
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let error = Folder::create(Path::new("/proc/bakeoff"))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("cannot create the folder /proc/bakeoff"),
            "{error}"
        );
    }

    #[test]
    fn a_folder_with_a_strange_name_is_refused() {
        use std::os::unix::ffi::OsStrExt;
        let parent = tempfile::tempdir().unwrap();
        let strange = parent.path().join(std::ffi::OsStr::from_bytes(b"\xff"));
        assert!(
            Folder::create(&strange)
                .unwrap_err()
                .to_string()
                .contains("not UTF-8")
        );
    }
}
