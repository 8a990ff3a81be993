use std::collections::BTreeSet;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use bakeoff_servers::cassandra::Release;

use super::super::server_keys;
use super::*;
use crate::java::{compile, java_with_cassandra};
use crate::{Error, Workload};

const CLASS: &str = "CassandraSettings";
const PROGRAM: &str = include_str!("CassandraSettings.java");

/// Checks a workload with these lines in `[server.cassandra]`.
fn parse(lines: &str) -> Result<Vec<(String, String)>, String> {
    let text = format!(
        "title = \"t\"\n[data]\ngenerator = \"sensor\"\n[[queries]]\nname = \"all\"\n\
         sql = \"SELECT value FROM sensor\"\n[server.cassandra]\n{lines}"
    );
    match Workload::parse(&text, Path::new("w.toml")) {
        Ok(workload) => Ok(workload.server.cassandra),
        Err(Error::Workload { line, message, .. }) => Err(format!("{}: {message}", line - 7)),
        Err(other) => Err(other.to_string()),
    }
}

#[track_caller]
fn error(lines: &str) -> String {
    parse(lines).unwrap_err()
}

#[test]
fn keys_have_strings_numbers_and_switches_as_values() {
    let written = "row_cache_size = \"512MiB\"\nconcurrent_reads = 16\nsasi_indexes_enabled = true\n\
                   concurrent_writes = \"8\"\ncompaction_throughput = '160MiB/s'\n";
    let read = [
        ("compaction_throughput", "160MiB/s"),
        ("concurrent_reads", "16"),
        ("concurrent_writes", "8"),
        ("row_cache_size", "512MiB"),
        ("sasi_indexes_enabled", "true"),
    ];
    let read = read.map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(parse(written).unwrap(), read);
    assert_eq!(parse("").unwrap(), []);
}

#[test]
fn a_value_of_another_form_is_refused_at_its_place() {
    assert_eq!(
        error("row_cache_size = \"1GiB\"\nread_request_timeout = 5"),
        "2: `read_request_timeout` is `5`, but has to be a time in ms, s, m, h or d, from 10ms: \
         read_request_timeout = \"5s\""
    );
    let injected = "compaction_throughput = \"1MiB/s\\nauthenticator: AllowAllAuthenticator\"";
    assert!(error(injected).starts_with("1: `compaction_throughput` is `1MiB/s"));
    assert!(error("concurrent_reads = 1").contains("a whole number from 2"));
    assert!(error("sstable_format = \"bit\"").contains("one of `big`, `bti`"));
    assert!(error("file_cache_enabled = [true]").contains("true or false"));
}

#[test]
fn a_key_that_bakeoff_needs_is_refused_with_the_reason() {
    for (key, reason) in [
        ("data_file_directories", "keeps all files"),
        ("commitlog_directory", "keeps all files"),
        ("saved_caches_directory", "keeps all files"),
        ("cdc_raw_directory", "keeps all files"),
        ("local_system_data_file_directory", "keeps all files"),
        ("heap_dump_path", "keeps all files"),
        ("listen_address", "addresses and ports"),
        ("rpc_address", "addresses and ports"),
        ("broadcast_rpc_address", "addresses and ports"),
        ("listen_interface", "addresses and ports"),
        ("native_transport_port", "addresses and ports"),
        ("native_transport_port_ssl", "addresses and ports"),
        ("storage_port", "addresses and ports"),
        ("ssl_storage_port", "addresses and ports"),
        ("seed_provider", "addresses and ports"),
        ("seeds", "addresses and ports"),
        ("authenticator", "keeps other users"),
        ("authorizer", "keeps other users"),
        ("role_manager", "keeps other users"),
        ("internode_authenticator", "keeps other users"),
        ("network_authorizer", "keeps other users"),
        ("cidr_authorizer", "keeps other users"),
        ("credentials_validity", "keeps other users"),
        ("roles_validity", "keeps other users"),
        ("permissions_validity", "keeps other users"),
        ("auth_write_consistency_level", "keeps other users"),
        ("client_encryption_options", "keeps other users"),
        ("server_encryption_options", "keeps other users"),
        ("transparent_data_encryption_options", "keeps other users"),
        ("jmx_server_options", "keeps other users"),
        ("audit_logging_options", "may run a command"),
        ("full_query_logging_options", "may run a command"),
        ("archive_command", "may run a command"),
        ("scripted_user_defined_functions_enabled", "sandbox"),
        ("allow_extra_insecure_udfs", "sandbox"),
        ("user_function_timeout_policy", "sandbox"),
        ("cluster_name", "finds and places"),
        ("partitioner", "finds and places"),
        ("num_tokens", "finds and places"),
        ("initial_token", "finds and places"),
        ("auto_bootstrap", "finds and places"),
        ("endpoint_snitch", "finds and places"),
        ("commitlog_sync", "on the disk when it fails"),
        ("commitlog_sync_period", "on the disk when it fails"),
        ("disk_failure_policy", "on the disk when it fails"),
        ("commit_failure_policy", "on the disk when it fails"),
        ("storage_compatibility_mode", "on the disk when it fails"),
        ("auto_snapshot", "on the disk when it fails"),
        ("disk_access_mode", "follows from `memory` and `disk_read`"),
        ("commitlog_compression", "names a class"),
        ("memtable", "names a class"),
        ("default_compaction", "names a class"),
        ("row_cache_class_name", "names a class"),
        ("read_consistency_levels_disallowed", "several values"),
        ("sstable", "write sstable_format"),
        ("drop_keyspace_enabled", "tables of its own"),
        ("keyspaces_fail_threshold", "tables of its own"),
        ("simplestrategy_enabled", "tables of its own"),
        ("native_transport_idle_timeout", "Bakeoff's clients"),
        (
            "native_transport_max_concurrent_connections_per_ip",
            "Bakeoff's clients",
        ),
    ] {
        let said = error(&format!("read_request_timeout = \"5s\"\n{key} = \"x\""));
        assert!(
            said.starts_with(&format!("2: `{key}` cannot be set: ")),
            "{said}"
        );
        assert!(said.contains(reason), "{said}");
    }
    assert!(error("sstable.selected_format = \"bti\"").contains("write sstable_format"));
}

#[test]
fn a_key_that_is_not_known_is_refused_with_the_nearest_one() {
    assert_eq!(
        error("row_cach_size = \"1GiB\""),
        "1: `row_cach_size` is not among the keys of cassandra.yaml that may be set (`bakeoff list` \
         has them all); did you mean `row_cache_size`?"
    );
    let earlier = error("read_request_timeout_in_ms = 5000");
    assert!(
        earlier.contains("did you mean `read_request_timeout`?"),
        "{earlier}"
    );
    // Cassandra knows it, but Bakeoff does not know what it does.
    let other = error("phi_convict_threshold = 8");
    assert!(
        other.starts_with("1: `phi_convict_threshold` is not among the keys"),
        "{other}"
    );
    assert!(other.ends_with("has them all)"), "{other}");
}

#[test]
fn a_key_may_be_set_or_is_needed() {
    let names: BTreeSet<&str> = keys::names().collect();
    assert_eq!(names.len(), server_keys().count(), "a key is listed twice");
    for name in names {
        assert_eq!(needed::reason(name), None, "{name}");
        let plain = |c: char| c.is_ascii_lowercase() || c == '_';
        assert!(name.chars().all(plain), "{name}");
    }
}

/// Whatever passes here is read by Cassandra as it is written, each key by its own name.
#[tokio::test]
async fn cassandra_reads_what_passes() {
    let Some((java, class_path)) = java_with_cassandra(Release::Five).await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    compile(
        &java,
        &class_path,
        &class_path,
        folder.path(),
        CLASS,
        PROGRAM,
    );
    let settings = settings_that_pass();
    let keys: BTreeSet<&str> = settings.iter().map(|(key, _)| *key).collect();
    // The format of SSTables is an entry within another one in the file.
    assert_eq!(keys.len() + 1, server_keys().count());
    let read = read_by_cassandra(&java, &class_path, folder.path(), &settings);
    assert_eq!(read.len(), settings.len());
    for ((key, value), read) in settings.iter().zip(read) {
        assert_eq!(*value, read, "{key}");
    }
}

/// Returns many values for each key, all of which pass.
fn settings_that_pass() -> Vec<(&'static str, String)> {
    let tried = [
        "0ms",
        "10ms",
        "500ms",
        "0s",
        "5s",
        "3m",
        "4h",
        "1d",
        "1B",
        "0KiB",
        "1KiB",
        "0MiB",
        "1MiB",
        "512MiB",
        "2GiB",
        "0B/s",
        "7KiB/s",
        "160MiB/s",
        "-1",
        "0",
        "1",
        "2",
        "16",
        "2147483647",
        "true",
        "false",
        "none",
        "fast",
        "table",
        "ssd",
        "spinning",
        "v1",
        "v2",
        "sai",
        "legacy_local_table",
        "REQUEST",
        "QUEUE",
        "heap_buffers",
        "unslabbed_heap_buffers",
        "offheap_buffers",
        "offheap_objects",
        "big",
        "bti",
    ];
    let names = keys::names().filter(|name| *name != "sstable_format");
    let all = names.flat_map(|name| tried.map(|value| (name, Value::from(value))));
    let passing = all.filter_map(|(name, value)| Some((name, keys::form(name)?.text(&value)?)));
    passing.collect()
}

/// Returns the value that each setting has in Cassandra, `!` for one that it refuses.
fn read_by_cassandra(
    java: &Path,
    class_path: &str,
    folder: &Path,
    settings: &[(&str, String)],
) -> Vec<String> {
    let mut reading = Command::new(java)
        .args(["-cp", &format!("{}:{class_path}", folder.display()), CLASS])
        .arg(folder.join("cassandra.yaml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = BufWriter::new(reading.stdin.take().unwrap());
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            for (key, value) in settings {
                writeln!(input, "{key}: {value}").unwrap();
            }
        });
        reading.wait_with_output().unwrap()
    });
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    let values = printed.lines().filter_map(|line| line.strip_prefix("=> "));
    values.map(str::to_owned).collect()
}
