//! Traces in the words of Cassandra 4.1 and 5.0, for tests.

use super::record::{RecordedTrace, TraceEvent};

pub const FIRST: &str = "127.0.0.1";
pub const SECOND: &str = "127.0.0.2";
pub const THIRD: &str = "127.0.0.3";

/// Makes a trace of events `(node, microseconds, activity)`, whose coordinator is the first node.
pub fn recorded(total_micros: Option<u64>, events: &[(&str, u64, &str)]) -> RecordedTrace {
    let event = |(node, elapsed_micros, activity): &(&str, u64, &str)| TraceEvent {
        elapsed_micros: *elapsed_micros,
        node: (*node).to_owned(),
        thread: "ReadStage-1".to_owned(),
        activity: (*activity).to_owned(),
    };
    RecordedTrace {
        id: "0a4d4b10-c9f3-11f0-8c5e-2b1f0f1d3c55".to_owned(),
        coordinator: FIRST.to_owned(),
        total_micros,
        events: events.iter().map(event).collect(),
    }
}

/// A read of one partition by its only node, of Cassandra 4.1.
pub fn one_node_of_4_1() -> RecordedTrace {
    recorded(
        Some(1_099),
        &[
            (FIRST, 75, "Parsing SELECT * FROM ks.t WHERE k = 1"),
            (FIRST, 233, "Preparing statement"),
            (FIRST, 310, "reading data locally"),
            (FIRST, 420, "Executing single-partition query on t"),
            (FIRST, 450, "Acquiring sstable references"),
            (
                FIRST,
                480,
                "Skipped 0/3 non-slice-intersecting sstables, included 0 due to tombstones",
            ),
            (FIRST, 500, "Bloom filter allows skipping sstable 12"),
            (FIRST, 540, "Key cache hit for sstable 11"),
            (
                FIRST,
                600,
                "Partition index with 0 entries found for sstable 10",
            ),
            (FIRST, 700, "Merged data from memtables and 2 sstables"),
            (FIRST, 760, "Read 5 live rows and 1 tombstone cells"),
        ],
    )
}

/// The same, where parsing takes 26 ms.
pub fn slow_parsing() -> RecordedTrace {
    recorded(
        Some(38_926),
        &[
            (FIRST, 75, "Parsing SELECT * FROM ks.t WHERE k = 7"),
            (FIRST, 26_221, "Preparing statement"),
            (FIRST, 26_310, "reading data locally"),
            (FIRST, 26_420, "Executing single-partition query on t"),
            (FIRST, 37_556, "Merged data from memtables and 9 sstables"),
            (FIRST, 37_760, "Read 5 live rows and 900 tombstone cells"),
        ],
    )
}

/// A read at QUORUM of three nodes of Cassandra 5.0, whose answers are not the same. The second node is a digest's,
/// which is slow, and the third one is asked in addition.
pub fn mismatch_of_5_0() -> RecordedTrace {
    recorded(
        Some(9_000),
        &[
            (FIRST, 100, "Parsing SELECT v FROM ks.t WHERE k = 1"),
            (FIRST, 200, "Preparing statement"),
            (FIRST, 300, "reading data locally"),
            (FIRST, 320, "reading digest from /127.0.0.2:7000"),
            (
                FIRST,
                350,
                "Sending READ_REQ message to /127.0.0.2:7000 message size 163 bytes",
            ),
            (SECOND, 20, "READ_REQ message received from /127.0.0.1:7000"),
            (SECOND, 90, "Executing single-partition query on t"),
            (FIRST, 400, "Executing single-partition query on t"),
            (FIRST, 500, "Merged data from memtables and 1 sstables"),
            (FIRST, 550, "Read 1 live rows and 0 tombstone cells"),
            (
                FIRST,
                2_000,
                "speculating read retry on Full(/127.0.0.3:7000,(-4315590310475478861,-3838100728625535792])",
            ),
            (
                FIRST,
                2_050,
                "Sending READ_REQ message to /127.0.0.3:7000 message size 163 bytes",
            ),
            (THIRD, 10, "READ_REQ message received from /127.0.0.1:7000"),
            (THIRD, 200, "Merged data from memtables and 0 sstables"),
            (THIRD, 230, "Read 1 live rows and 0 tombstone cells"),
            (THIRD, 260, "Enqueuing response to /127.0.0.1:7000"),
            (
                FIRST,
                2_600,
                "READ_RSP message received from /127.0.0.3:7000",
            ),
            (
                FIRST,
                2_700,
                "Digest mismatch: Mismatch for key DecoratedKey(-4069959284402364209, 00000001) (ab vs cd)",
            ),
            (
                FIRST,
                2_750,
                "Enqueuing full data read to Full(/127.0.0.3:7000,(-4315590310475478861,-3838100728625535792])",
            ),
            (
                FIRST,
                2_800,
                "Sending READ_REQ message to /127.0.0.3:7000 message size 163 bytes",
            ),
            (THIRD, 15, "READ_REQ message received from /127.0.0.1:7000"),
            (THIRD, 215, "Read 1 live rows and 0 tombstone cells"),
            (
                FIRST,
                3_500,
                "Sending read-repair-mutation to Full(/127.0.0.3:7000,(-4315590310475478861,-3838100728625535792])",
            ),
        ],
    )
}

/// A scan of Cassandra 5.0 over two nodes.
pub fn scan_of_5_0() -> RecordedTrace {
    recorded(
        Some(5_000),
        &[
            (FIRST, 90, "Parsing SELECT count(*) FROM ks.t"),
            (
                FIRST,
                300,
                "Submitting range requests on 3 ranges with a concurrency of 3",
            ),
            (
                FIRST,
                350,
                "Enqueuing request to Full(/127.0.0.2:7000,(-1,1])",
            ),
            (
                FIRST,
                400,
                "Executing seq scan across 2 sstables for (min(-9223372036854775808), max(-1)]",
            ),
            (FIRST, 420, "Submitted 3 concurrent range requests"),
            (
                SECOND,
                30,
                "RANGE_REQ message received from /127.0.0.1:7000",
            ),
            (
                SECOND,
                60,
                "Executing seq scan across 4 sstables for (max(-1), max(1)]",
            ),
            (SECOND, 900, "Read 70 live rows and 30 tombstone cells"),
            (FIRST, 2_000, "Read 50 live rows and 0 tombstone cells"),
        ],
    )
}
