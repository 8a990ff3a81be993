//! Bakeoff's own settings in `cassandra.yaml`.

/// The settings that Bakeoff relies on, besides folders and ports.
pub(crate) const NEEDED: [(&str, &str); 13] = [
    ("num_tokens", "4"),
    ("partitioner", "org.apache.cassandra.dht.Murmur3Partitioner"),
    ("endpoint_snitch", "SimpleSnitch"),
    // Older modes ignore the import of newly written SSTables silently.
    ("storage_compatibility_mode", "NONE"),
    // Dropped tables would otherwise stay on disk.
    ("auto_snapshot", "false"),
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

/// The settings in place of which others may be chosen.
pub(crate) const PREFERRED: [(&str, &str); 5] = [
    ("memtable_allocation_type", "heap_buffers"),
    ("materialized_views_enabled", "true"),
    ("concurrent_compactors", "2"),
    ("compaction_throughput", "0MiB/s"),
    ("hinted_handoff_enabled", "false"),
];

/// The time-outs of requests: Bakeoff's, which give aggregates of whole tables time, and those that Cassandra is
/// shipped with. That of a read counts from the start of a statement, for all pages of an aggregate together.
pub(crate) const TIME_OUTS: [(&str, &str, &str); 7] = [
    ("read_request_timeout", "600s", "5s"),
    ("range_request_timeout", "600s", "10s"),
    ("native_transport_timeout", "600s", "12s"),
    ("write_request_timeout", "60s", "2s"),
    ("counter_write_request_timeout", "60s", "5s"),
    ("truncate_request_timeout", "60s", "60s"),
    ("request_timeout", "600s", "10s"),
];

/// The entries that are written besides the settings, most of them folders, addresses and ports.
const PLACES: [&str; 15] = [
    "cluster_name",
    "data_file_directories",
    "commitlog_directory",
    "hints_directory",
    "saved_caches_directory",
    "cdc_raw_directory",
    "listen_address",
    "rpc_address",
    "native_transport_port",
    "storage_port",
    "ssl_storage_port",
    "disk_access_mode",
    "seed_provider",
    "initial_token",
    "server_encryption_options",
];

/// The entry that holds the format of SSTables.
pub(crate) const SSTABLE: &str = "sstable";

/// As shipped: the commit log is synced every 10 s, and writes are acknowledged before.
pub(crate) const SYNCED_LATER: [(&str, &str); 2] = [
    ("commitlog_sync", "periodic"),
    ("commitlog_sync_period", "10000ms"),
];

/// A write is acknowledged when it is on the disk.
pub(crate) const SYNCED_FIRST: [(&str, &str); 1] = [("commitlog_sync", "batch")];

/// The settings that are different or additional for the nodes of a cluster.
pub(crate) const SEVERAL_NODES: [(&str, &str); 2] = [
    // As shipped: a replica that was too slow for a write gets it later.
    ("hinted_handoff_enabled", "true"),
    // The cluster is empty, so a new node has nothing to fetch from the others.
    ("auto_bootstrap", "false"),
];

/// Returns whether nobody but Bakeoff may choose this key, since it could neither find nor trust the server
/// otherwise.
pub(crate) fn is_needed(name: &str) -> bool {
    let needed = NEEDED.iter().chain(&SYNCED_FIRST).chain(&SYNCED_LATER);
    let may_be_chosen = |name: &str| PREFERRED.iter().any(|(known, _)| *known == name);
    let of_several = SEVERAL_NODES.iter();
    let of_several = of_several.filter(|(known, _)| !may_be_chosen(known));
    let mut settings = needed.chain(of_several);
    PLACES.contains(&name) || name == SSTABLE || settings.any(|(known, _)| *known == name)
}
