use super::*;

/// What Cassandra 4.1 and 5.0 print.
const HISTOGRAMS: &str = "\
ks/t histograms
Percentile      Read Latency     Write Latency          SSTables    Partition Size        Cell Count
                    (micros)          (micros)                             (bytes)                  
50%                   219.34             14.24              1.00              1916               103
75%                   263.21             17.08              1.00              1916               103
95%                   379.02             24.60              2.00              2299               124
98%                   454.83             29.52              2.00              2299               124
99%                   545.79             42.51              3.00              2759               149
Min                    73.46              3.97              0.00              1598                87
Max                 25109.16           2816.16              4.00              3311               179
";
/// What they print of a table that nobody has read and that has no SSTables.
const EMPTY_ROWS: &str = "\
Percentile      Read Latency     Write Latency          SSTables    Partition Size        Cell Count
                    (micros)          (micros)                             (bytes)                  
50%                     0.00              0.00              0.00               NaN               NaN
95%                     0.00              0.00              0.00               NaN               NaN
99%                     0.00              0.00              0.00               NaN               NaN
Max                     0.00              0.00              0.00               NaN               NaN
";
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
fn percentiles_are_those_of_their_columns() {
    let all = histograms(HISTOGRAMS).unwrap();
    assert_eq!(all.read_micros.p99, Some(545.79));
    assert_eq!(all.write_micros.p50, Some(14.24));
    assert_eq!(all.sstables_per_read.p95, Some(2.0));
    assert_eq!(all.partition_bytes.max, Some(3311.0));
    assert_eq!(all.cells_per_partition.p50, Some(103.0));
}

#[test]
fn columns_in_another_order_are_found_by_their_names() {
    // As Cassandra 3.11 has them.
    let text = "ks/t histograms\n\
        Percentile  SSTables     Write Latency      Read Latency    Partition Size        Cell Count\n\
        \x20                             (micros)          (micros)           (bytes)\n\
        50%             1.00             14.24            219.34              1916               103\n\
        95%             2.00             24.60            379.02              2299               124\n\
        99%             3.00             42.51            545.79              2759               149\n\
        Max             4.00           2816.16          25109.16              3311               179\n";
    let (theirs, ours) = (histograms(text).unwrap(), histograms(HISTOGRAMS).unwrap());
    assert_eq!(theirs, ours);
}

#[test]
fn a_table_without_sstables_has_no_sizes() {
    let all = histograms(EMPTY_ROWS).unwrap();
    assert_eq!(all.partition_bytes, Percentiles::default());
    assert_eq!(all.read_micros.max, Some(0.0));
}

#[test]
fn histograms_of_another_form_are_not_understood() {
    for text in [
        "",
        "no such table",
        &HISTOGRAMS.replace("(micros)", "(millis)"),
        &HISTOGRAMS.replace("Read Latency", "Read Time"),
        &HISTOGRAMS.replace("219.34", "219,34"),
        &HISTOGRAMS.replace("545.79", "inf"),
        &HISTOGRAMS.replace("545.79", "-1"),
        &HISTOGRAMS.replace("99% ", "99.9%"),
        &HISTOGRAMS.replace("               103", "               103    7"),
    ] {
        let error = histograms(text).unwrap_err();
        assert!(error.starts_with("not understood: "), "{text}: {error}");
    }
}

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

fn statistics(text: &str) -> Result<PrintedStatistics, String> {
    printed_statistics(&json(text)?, &"ks.t".parse().unwrap())
}

#[test]
fn statistics_of_a_table_are_numbers_or_texts() {
    let text = r#"{"total_number_of_tables": 1, "ks": {"read_count": 0, "tables": {"t": {
        "space_used_live": "4096", "sstable_count": 2, "sstable_compression_ratio": 0.25,
        "compression_metadata_off_heap_memory_used": "88", "number_of_partitions_estimate": 17}}}}"#;
    let expected = PrintedStatistics {
        live_bytes: Some(4096),
        sstables: Some(2),
        compression_ratio: Some(0.25),
        compression_metadata_bytes: Some(88),
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
