//! The keys of `cassandra.yaml` that a workload may set.
//!
//! A key belongs here if none of its values opens the server to other users, runs commands or code
//! outside of Cassandra's sandbox, touches files outside of the run folder, or keeps Bakeoff from
//! finding the server, filling its tables and emptying them. Two keys let functions out of the sandbox, and
//! are for the functions of designs alone: [`super::sandbox`].

use super::form::Form;

/// Cassandra takes 10 ms instead of less, which a report would not show.
const TIME_OUT: Form = Form::Time {
    smallest: "ms",
    least: 10,
};
const TIME: Form = Form::Time {
    smallest: "ms",
    least: 0,
};
/// A period in whole seconds.
const PERIOD: Form = Form::Time {
    smallest: "s",
    least: 0,
};
const BYTES: Form = Form::Size {
    smallest: "B",
    least: 1,
};
const KIBIBYTES: Form = size("KiB", 0);
const SOME_KIBIBYTES: Form = size("KiB", 1);
const MEBIBYTES: Form = size("MiB", 0);
const SOME_MEBIBYTES: Form = size("MiB", 1);

const fn size(smallest: &'static str, least: u64) -> Form {
    Form::Size { smallest, least }
}

/// A limit of what one read may take: below this, Bakeoff's clients could not read the schema.
const READ_SIZE: Form = SOME_MEBIBYTES;
/// The driver reads the schema in pages of so many rows.
const PAGE_ROWS: i32 = 1024;
const LIMIT: Form = Form::Limit { least: 1 };

const fn count(least: i32) -> Form {
    Form::Count { least }
}

const KEYS: [(&str, Form); 112] = [
    // Time-outs of requests.
    ("cas_contention_timeout", TIME_OUT),
    ("counter_write_request_timeout", TIME_OUT),
    ("cql_start_time", Form::Word(&["REQUEST", "QUEUE"])),
    ("internode_streaming_tcp_user_timeout", TIME_OUT),
    ("internode_tcp_connect_timeout", TIME_OUT),
    ("internode_tcp_user_timeout", TIME_OUT),
    ("internode_timeout", Form::Switch),
    ("native_transport_timeout", TIME_OUT),
    ("range_request_timeout", TIME_OUT),
    ("read_request_timeout", TIME_OUT),
    ("repair_request_timeout", TIME_OUT),
    ("request_timeout", TIME_OUT),
    ("slow_query_log_timeout", TIME),
    ("stream_transfer_task_timeout", TIME_OUT),
    ("truncate_request_timeout", TIME_OUT),
    ("user_defined_functions_fail_timeout", TIME_OUT),
    ("user_defined_functions_warn_timeout", TIME_OUT),
    ("write_request_timeout", TIME_OUT),
    // Caches.
    ("cache_load_timeout", PERIOD),
    ("counter_cache_keys_to_save", count(0)),
    ("counter_cache_save_period", PERIOD),
    ("counter_cache_size", MEBIBYTES),
    ("file_cache_enabled", Form::Switch),
    ("file_cache_size", MEBIBYTES),
    ("index_summary_capacity", MEBIBYTES),
    ("key_cache_keys_to_save", count(0)),
    ("key_cache_save_period", PERIOD),
    ("key_cache_size", MEBIBYTES),
    ("networking_cache_size", MEBIBYTES),
    ("paxos_cache_size", MEBIBYTES),
    ("prepared_statements_cache_size", SOME_MEBIBYTES),
    ("row_cache_keys_to_save", count(0)),
    ("row_cache_save_period", PERIOD),
    ("row_cache_size", MEBIBYTES),
    // Threads.
    ("concurrent_compactors", count(1)),
    ("concurrent_counter_writes", count(2)),
    ("concurrent_index_builders", count(1)),
    ("concurrent_materialized_view_builders", count(1)),
    ("concurrent_materialized_view_writes", count(1)),
    ("concurrent_reads", count(2)),
    ("concurrent_writes", count(2)),
    ("memtable_flush_writers", count(1)),
    ("native_transport_max_threads", count(1)),
    // Memtables and the commit log.
    ("commitlog_segment_size", SOME_MEBIBYTES),
    ("commitlog_total_space", SOME_MEBIBYTES),
    ("flush_compression", Form::Word(&["none", "fast", "table"])),
    ("max_mutation_size", SOME_KIBIBYTES),
    (
        "memtable_allocation_type",
        Form::Word(&[
            "unslabbed_heap_buffers",
            "heap_buffers",
            "offheap_buffers",
            "offheap_objects",
        ]),
    ),
    ("memtable_heap_space", SOME_MEBIBYTES),
    ("memtable_offheap_space", SOME_MEBIBYTES),
    ("trickle_fsync", Form::Switch),
    ("trickle_fsync_interval", SOME_KIBIBYTES),
    // SSTables and compaction.
    ("column_index_cache_size", KIBIBYTES),
    ("column_index_size", SOME_KIBIBYTES),
    ("compaction_throughput", Form::Rate),
    ("compressed_read_ahead_buffer_size", KIBIBYTES),
    (
        "disk_optimization_strategy",
        Form::Word(&["ssd", "spinning"]),
    ),
    ("sstable_format", Form::Word(&["big", "bti"])),
    ("sstable_preemptive_open_interval", MEBIBYTES),
    // What CQL may do, and how.
    ("allow_filtering_enabled", Form::Switch),
    ("allow_insecure_udfs", Form::Switch),
    (
        "default_secondary_index",
        Form::Word(&["legacy_local_table", "sai"]),
    ),
    ("group_by_enabled", Form::Switch),
    ("hinted_handoff_enabled", Form::Switch),
    ("intersect_filtering_query_enabled", Form::Switch),
    ("materialized_views_enabled", Form::Switch),
    ("non_partition_restricted_index_query_enabled", Form::Switch),
    ("paxos_variant", Form::Word(&["v1", "v2"])),
    ("read_before_write_list_operations_enabled", Form::Switch),
    ("sasi_indexes_enabled", Form::Switch),
    ("secondary_indexes_enabled", Form::Switch),
    ("uncompressed_tables_enabled", Form::Switch),
    ("user_defined_functions_enabled", Form::Switch),
    ("user_defined_functions_threads_enabled", Form::Switch),
    // Limits of reads.
    ("coordinator_read_size_fail_threshold", READ_SIZE),
    ("coordinator_read_size_warn_threshold", READ_SIZE),
    ("in_select_cartesian_product_fail_threshold", LIMIT),
    ("in_select_cartesian_product_warn_threshold", LIMIT),
    ("local_read_size_fail_threshold", READ_SIZE),
    ("local_read_size_warn_threshold", READ_SIZE),
    ("page_size_fail_threshold", Form::Limit { least: PAGE_ROWS }),
    ("page_size_warn_threshold", LIMIT),
    ("partition_keys_in_select_fail_threshold", LIMIT),
    ("partition_keys_in_select_warn_threshold", LIMIT),
    ("read_thresholds_enabled", Form::Switch),
    ("row_index_read_size_fail_threshold", READ_SIZE),
    ("row_index_read_size_warn_threshold", READ_SIZE),
    ("sai_sstable_indexes_per_query_fail_threshold", LIMIT),
    ("sai_sstable_indexes_per_query_warn_threshold", LIMIT),
    ("tombstone_failure_threshold", count(1)),
    ("tombstone_warn_threshold", count(1)),
    // Limits of writes and of tables.
    ("batch_size_fail_threshold", SOME_KIBIBYTES),
    ("batch_size_warn_threshold", SOME_KIBIBYTES),
    ("collection_size_fail_threshold", BYTES),
    ("collection_size_warn_threshold", BYTES),
    ("column_value_size_fail_threshold", BYTES),
    ("column_value_size_warn_threshold", BYTES),
    ("columns_per_table_fail_threshold", LIMIT),
    ("columns_per_table_warn_threshold", LIMIT),
    ("fields_per_udt_fail_threshold", LIMIT),
    ("fields_per_udt_warn_threshold", LIMIT),
    ("items_per_collection_fail_threshold", LIMIT),
    ("items_per_collection_warn_threshold", LIMIT),
    ("materialized_views_per_table_fail_threshold", LIMIT),
    ("materialized_views_per_table_warn_threshold", LIMIT),
    ("partition_size_fail_threshold", BYTES),
    ("partition_size_warn_threshold", BYTES),
    ("partition_tombstones_fail_threshold", LIMIT),
    ("partition_tombstones_warn_threshold", LIMIT),
    ("secondary_indexes_per_table_fail_threshold", LIMIT),
    ("secondary_indexes_per_table_warn_threshold", LIMIT),
    ("unlogged_batch_across_partitions_warn_threshold", count(1)),
];

/// A key of `cassandra.yaml` that a workload may set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerKey {
    pub name: &'static str,
    /// What its value has to be, in words.
    pub values: String,
    /// One of its values.
    pub example: String,
}

/// Returns all keys of `cassandra.yaml` that a workload may set, those that belong together next to each
/// other.
pub fn server_keys() -> impl Iterator<Item = ServerKey> {
    KEYS.into_iter().map(|(name, form)| ServerKey {
        name,
        values: form.described(),
        example: form.example(),
    })
}

/// Returns the form of a key's values, if it may be set.
pub fn form(name: &str) -> Option<Form> {
    let found = KEYS.iter().find(|(key, _)| *key == name);
    found.map(|(_, form)| *form)
}

pub fn names() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|(name, _)| *name)
}
