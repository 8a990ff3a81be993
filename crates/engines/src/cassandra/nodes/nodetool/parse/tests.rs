use super::*;

const GC: &str = "       Interval (ms) Max GC Elapsed (ms)Total GC Elapsed (ms)Stdev GC Elapsed (ms)   \
                  GC Reclaimed (MB)         Collections      Direct Memory Bytes\n\
                  \x20              91425                  46                 170                  13          \
                  1423423488                   9                       -1\n";
const INFO: &str = "\
ID                     : 5b6d0d3c-5f5a-4c0e-9a43-1a0a8b1e2f77
Gossip active          : true
Load                   : 1.21 GiB
Uptime (seconds)       : 8123
Heap Memory (MB)       : 312.11 / 1024.00
Off Heap Memory (MB)   : 1.25
Key Cache              : entries 12, size 1.06 KiB, capacity 51 MiB, 81 hits, 99 requests, 0.818 recent hit rate, \
14400 save period in seconds
";

#[test]
fn garbage_collections_are_read_and_other_columns_are_not() {
    let expected = GcStatistics {
        interval_ms: 91425.0,
        max_ms: 46.0,
        total_ms: 170.0,
        collections: 9,
    };
    assert_eq!(gc_statistics(GC), Ok(expected));
    for text in [
        "",
        &GC.replace("Collections", "Count"),
        &GC.replace("170", "1.7e2"),
        &GC.replace("  9  ", "  9 9  "),
        GC.lines().next().unwrap(),
    ] {
        let error = gc_statistics(text).unwrap_err();
        assert!(error.starts_with("not understood: "), "{text}: {error}");
    }
}

#[test]
fn the_lines_of_a_node_are_found_by_their_names() {
    let expected = NodeInfo {
        uptime_seconds: Some(8123),
        heap_used_mib: Some(312.11),
        heap_max_mib: Some(1024.0),
        off_heap_mib: Some(1.25),
    };
    assert_eq!(node_info(INFO), Ok(expected));
    let with_a_comma = node_info(&INFO.replace("312.11", "312,11")).unwrap();
    assert_eq!(with_a_comma.heap_used_mib, None);
    let error = node_info("Connection refused: 7199").unwrap_err();
    assert_eq!(
        error,
        "not understood: it printed `Connection refused: 7199` where the lines of info was expected"
    );
}

/// What Cassandra 4.0 to 5.0 print.
const NETSTATS: &str = "\
Mode: NORMAL
Not sending any streams.
Read Repair Statistics:
Attempted: 0
Mismatch (Blocking): 17
Mismatch (Background): 2
Pool Name                    Active   Pending      Completed   Dropped
Large messages                  n/a         0              0         0
";

#[test]
fn read_repairs_are_found_among_streams_and_messages() {
    let expected = ReadRepairs {
        attempted: 0,
        blocking: 17,
        background: 2,
    };
    assert_eq!(read_repairs(NETSTATS), Ok(expected));
    for text in [
        "",
        "Mismatch (Blocking): 17",
        &NETSTATS.replace("Read Repair Statistics:", "Repairs:"),
        &NETSTATS.replace("Mismatch (Blocking)", "Mismatch"),
        &NETSTATS.replace(": 17", ": 1,700"),
        &NETSTATS.replace(": 2", ": -2"),
    ] {
        let error = read_repairs(text).unwrap_err();
        assert!(error.starts_with("not understood: "), "{text}: {error}");
    }
}

fn statistics(text: &str) -> Result<PrintedStatistics, String> {
    printed_statistics(&json(text)?, &"ks.t".parse().unwrap())
}

#[test]
fn statistics_of_a_table_are_numbers_or_texts() {
    let text = r#"{"total_number_of_tables": 1, "ks": {"read_count": 0, "tables": {"t": {
        "space_used_live": "4096", "sstable_count": 2, "sstable_compression_ratio": 0.25,
        "compression_metadata_off_heap_memory_used": "88", "number_of_partitions_estimate": 17,
        "bloom_filter_false_positives": 9, "bloom_filter_false_ratio": "0.00250"}}}}"#;
    let expected = PrintedStatistics {
        live_bytes: Some(4096),
        sstables: Some(2),
        compression_ratio: Some(0.25),
        compression_metadata_bytes: Some(88),
        bloom_false_positives: Some(9),
        bloom_false_ratio: Some(0.0025),
        partitions: Some(17),
        max_partition_bytes: None,
    };
    assert_eq!(statistics(text), Ok(expected));
    let plain = statistics(&text.replace("0.25", "-1.0")).unwrap();
    assert_eq!(plain.compression_ratio, None, "nothing is compressed");
}

#[test]
fn a_table_of_50_000_sstables_and_partitions_of_gigabytes_is_read() {
    let text = r#"{"ks": {"tables": {"t": {
        "space_used_live": "92233720368547", "sstable_count": 50000, "old_sstable_count": 0,
        "sstables_in_each_level": ["50000/4", "0", "0"], "sstable_compression_ratio": 0.5,
        "compacted_partition_maximum_bytes": 2874382626}}}}"#;
    let read = statistics(text).unwrap();
    assert_eq!(read.sstables, Some(50_000));
    assert_eq!(read.live_bytes, Some(92_233_720_368_547));
    assert_eq!(read.max_partition_bytes, Some(2_874_382_626));
}

#[test]
fn statistics_of_another_form_are_not_understood() {
    for (text, why) in [
        ("Keyspace : ks", "where JSON was expected"),
        ("", "printed nothing"),
        ("{}", "no table ks.t"),
        (r#"{"ks": {"tables": {"t": 3}}}"#, "no table ks.t"),
        (r#"{"ks": {"tables": {"t": {}}}}"#, "no `space_used_live`"),
        (
            r#"{"ks": {"tables": {"t": {"space_used_live": "4 KiB", "sstable_count": 1}}}}"#,
            "no `space_used_live`",
        ),
    ] {
        let error = statistics(text).unwrap_err();
        assert!(
            error.starts_with("not understood: ") && error.contains(why),
            "{text}: {error}"
        );
    }
}
