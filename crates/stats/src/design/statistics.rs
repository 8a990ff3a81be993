//! What a server itself tells of the tables of a design.

use serde::{Deserialize, Serialize};

/// Statistics of the tables of a design, their indexes included, at one moment, added up over all nodes. Each
/// figure is `None` if a node does not tell it of every table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TableStatistics {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sstables: Option<u64>,
    /// Number of SSTables in the format of an earlier release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_sstables: Option<u64>,
    /// Bytes of the SSTables that reads use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live_bytes: Option<u64>,
    /// Bytes of all SSTables, those included that are not deleted yet after a compaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
    /// Bytes of memory outside of the heap: filters, summaries, compression metadata, memtables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_heap_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_flushes: Option<u64>,
    /// Number of reads since the table exists or the server was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads: Option<u64>,
    /// Mean time of recent local reads in microseconds; `None` if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_micros: Option<f64>,
    /// Number of writes since the table exists or the server was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<u64>,
    /// Mean time of recent local writes in microseconds; `None` if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_micros: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Footprint;

    #[test]
    fn footprints_from_before_there_were_statistics_are_read_and_written_as_they_were() {
        let json = r#"{"design":"a","engine_bytes":1,"file_bytes":2,"compression_ratio":0.5,"#
            .to_owned()
            + r#""compression_metadata_bytes":3,"files":4,"note":null}"#;
        let footprint: Footprint = serde_json::from_str(&json).unwrap();
        assert_eq!(footprint.statistics, None);
        assert_eq!(serde_json::to_string(&footprint).unwrap(), json);
    }

    #[test]
    fn statistics_are_read_back_without_what_is_not_known() {
        let statistics = TableStatistics {
            sstables: Some(2),
            read_micros: Some(61.5),
            ..TableStatistics::default()
        };
        let json = serde_json::to_string(&statistics).unwrap();
        assert_eq!(json, r#"{"sstables":2,"read_micros":61.5}"#);
        let read: TableStatistics = serde_json::from_str(&json).unwrap();
        assert_eq!(read, statistics);
    }
}
