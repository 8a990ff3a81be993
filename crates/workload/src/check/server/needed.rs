//! The keys of `cassandra.yaml` that a workload may not set, with the reasons.
//!
//! Keys that are neither here nor in [`super::keys`] are refused, too, without a reason of their own.

const PLACE: &str = "Bakeoff keeps all files of the server in the run folder";
const ADDRESS: &str = "Bakeoff chooses the addresses and ports, which only this machine reaches";
const CLOSED: &str = "it is a part of what keeps other users of the machine out";
const COMMANDS: &str = "logs of queries may run a command or write outside of the run folder";
const SANDBOX: &str = "it lets functions out of Cassandra's sandbox, or lets them go on for ever";
const IDENTITY: &str = "Bakeoff finds and places the nodes and their data by it";
const DURABILITY: &str = "Bakeoff needs to know what a server has on the disk when it fails";
const SEVERAL: &str = "it has several values or names a class, and only single values may be set";
const TABLES: &str = "Bakeoff makes, changes and drops keyspaces and tables of its own";
const LIMITS: &str = "it follows from `memory` and `disk_read` of [server]";
const CLIENTS: &str = "Bakeoff's clients need the connections that it bounds or ends";

/// Keys, with `*` for any text at the beginning or the end, and why they may not be set. The first one
/// that fits counts.
const NEEDED: [(&str, &str); 76] = [
    ("*director*", PLACE),
    ("heap_dump_path", PLACE),
    ("*encryption*", CLOSED),
    ("*jmx*", CLOSED),
    ("*password*", CLOSED),
    ("auth_*", CLOSED),
    ("authenticator*", CLOSED),
    ("authorizer*", CLOSED),
    ("cidr_*", CLOSED),
    ("credentials_*", CLOSED),
    ("crypto_provider*", CLOSED),
    ("internode_authenticator*", CLOSED),
    ("network_authorizer*", CLOSED),
    ("permissions_*", CLOSED),
    ("role_manager*", CLOSED),
    ("roles_*", CLOSED),
    ("traverse_auth_from_root", CLOSED),
    ("*_error_reporting_exclusions", CLOSED),
    ("audit_logging*", COMMANDS),
    ("full_query_logging*", COMMANDS),
    ("*archive_command*", COMMANDS),
    ("diagnostic_events_enabled", COMMANDS),
    ("scripted_user_defined_functions*", SANDBOX),
    ("allow_extra_insecure_udfs", SANDBOX),
    ("user_function_timeout_policy", SANDBOX),
    ("broadcast_*", ADDRESS),
    ("listen_*", ADDRESS),
    ("rpc_*", ADDRESS),
    ("seed*", ADDRESS),
    ("*_port", ADDRESS),
    ("*_port_ssl", ADDRESS),
    ("start_native_transport", ADDRESS),
    ("allocate_tokens_*", IDENTITY),
    ("auto_bootstrap", IDENTITY),
    ("cluster_name", IDENTITY),
    ("default_keyspace_rf", TABLES),
    ("*snitch*", IDENTITY),
    ("initial_token", IDENTITY),
    ("num_tokens", IDENTITY),
    ("partitioner", IDENTITY),
    ("failure_detector", SEVERAL),
    ("auto_snapshot*", DURABILITY),
    ("commit_failure_policy", DURABILITY),
    ("commitlog_compression*", SEVERAL),
    ("commitlog_sync*", DURABILITY),
    ("disk_failure_policy", DURABILITY),
    ("incremental_backups", DURABILITY),
    ("periodic_commitlog_sync*", DURABILITY),
    ("snapshot_*", DURABILITY),
    ("storage_compatibility_mode", DURABILITY),
    ("disk_access_mode", LIMITS),
    ("back_pressure_strategy*", SEVERAL),
    ("default_compaction*", SEVERAL),
    ("hints_compression*", SEVERAL),
    ("memtable", SEVERAL),
    ("repair", SEVERAL),
    ("auto_repair*", SEVERAL),
    ("replica_filtering_protection*", SEVERAL),
    ("row_cache_class_name", SEVERAL),
    ("sai_options*", SEVERAL),
    ("startup_checks*", SEVERAL),
    ("table_properties_*", SEVERAL),
    ("*_consistency_levels_*", SEVERAL),
    (
        "sstable",
        "write sstable_format = \"bti\" or \"big\" instead",
    ),
    ("alter_table_enabled", TABLES),
    ("compact_tables_enabled", TABLES),
    ("drop_*", TABLES),
    ("keyspaces_*_threshold", TABLES),
    ("maximum_replication_factor_*", TABLES),
    ("minimum_replication_factor_*", TABLES),
    ("simplestrategy_enabled", TABLES),
    ("tables_*_threshold", TABLES),
    ("user_timestamps_enabled", TABLES),
    ("native_transport_idle_timeout", CLIENTS),
    ("native_transport_max_auth_threads", CLIENTS),
    ("native_transport_max_concurrent_connections*", CLIENTS),
];

/// Returns why a key may not be set, if it is known.
pub fn reason(key: &str) -> Option<&'static str> {
    let found = NEEDED.iter().find(|(pattern, _)| fits(key, pattern));
    found.map(|(_, reason)| *reason)
}

fn fits(key: &str, pattern: &str) -> bool {
    let (start, rest) = match pattern.split_once('*') {
        None => return key == pattern,
        Some(parts) => parts,
    };
    let Some(key) = key.strip_prefix(start) else {
        return false;
    };
    match rest.split_once('*') {
        None => key.ends_with(rest),
        Some((middle, end)) => {
            let after = key.find(middle).map(|at| &key[at + middle.len()..]);
            after.is_some_and(|after| after.ends_with(end))
        }
    }
}
