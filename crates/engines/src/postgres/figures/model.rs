//! What is known of a server, every figure of which may be missing.

use serde::Serialize;

use crate::EngineError;
use crate::nodes::{Exposed, Missing};

/// The figures of one server. Counters begin when its statistics were last reset, which usually is its first start.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ServerFigures {
    /// Host and port at which the server is asked.
    pub address: String,
    pub host: String,
    /// Version of PostgreSQL; `None` if the server does not answer.
    pub version: Option<String>,
    /// Whether it follows another server.
    pub is_standby: Option<bool>,
    pub up_seconds: Option<f64>,
    /// Version of TimescaleDB in the database that is connected to; `None` if it is not there.
    pub timescale: Option<String>,
    /// All databases, the largest one first.
    pub databases: Option<Vec<DatabaseFigures>>,
    /// The tables that were asked for, or the largest ones of the database that is connected to.
    pub tables: Option<Vec<TableFigures>>,
    /// The largest indexes of these tables or of that database.
    pub indexes: Option<Vec<IndexFigures>>,
    /// The largest hypertables of that database; `None` as well if there is no TimescaleDB.
    pub hypertables: Option<Vec<Hypertable>>,
    pub sessions: Option<Sessions>,
    /// Transactions that have run for a minute or more, the longest one first.
    pub long_transactions: Option<Vec<LongTransaction>>,
    pub checkpoints: Option<Checkpoints>,
    pub wal: Option<Wal>,
    pub io: Option<Io>,
    /// The servers that get this one's log.
    pub replicas: Option<Vec<Replica>>,
    /// What this server keeps its log for.
    pub slots: Option<Vec<Slot>>,
    /// How a standby follows; `None` as well for a primary.
    pub following: Option<Following>,
    /// What an exporter of metrics exposes of its machine; `None` if none is named.
    pub metrics: Option<Exposed>,
    /// What is not available, with the reason.
    pub missing: Vec<Missing>,
}

/// A database of a server.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DatabaseFigures {
    pub name: String,
    pub bytes: Option<u64>,
    pub commits: Option<u64>,
    pub rollbacks: Option<u64>,
    /// Blocks that were found in the server's buffers.
    pub blocks_hit: Option<u64>,
    /// Blocks that were not, and were read from the system's cache or the disk.
    pub blocks_read: Option<u64>,
    /// Rows that scans of tables and indexes went over.
    pub tuples_returned: Option<u64>,
    /// Rows that were fetched by an index.
    pub tuples_fetched: Option<u64>,
    /// Rows that were inserted, updated or deleted.
    pub tuples_written: Option<u64>,
    pub temp_files: Option<u64>,
    pub temp_bytes: Option<u64>,
    pub deadlocks: Option<u64>,
}

impl DatabaseFigures {
    /// Returns the share of blocks that were found in the buffers, from 0 to 1; `None` if none was asked for.
    pub fn hit_ratio(&self) -> Option<f64> {
        let (hit, read) = (self.blocks_hit? as f64, self.blocks_read? as f64);
        (hit + read > 0.0).then(|| hit / (hit + read))
    }
}

/// A table of the database that is connected to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TableFigures {
    pub schema: String,
    pub name: String,
    /// Bytes with its indexes and long values.
    pub bytes: Option<u64>,
    pub index_bytes: Option<u64>,
    /// Rows by the server's estimate.
    pub live_tuples: Option<u64>,
    /// Rows that were deleted or replaced and still take room, by the server's estimate.
    pub dead_tuples: Option<u64>,
    pub sequential_scans: Option<u64>,
    pub index_scans: Option<u64>,
    /// Seconds since the last vacuum, whoever asked for it; `None` if there was none.
    pub vacuumed_seconds_ago: Option<f64>,
    /// Seconds since the last one that the server began by itself.
    pub autovacuumed_seconds_ago: Option<f64>,
    /// Seconds since the last analysis, whoever asked for it.
    pub analysed_seconds_ago: Option<f64>,
}

impl TableFigures {
    /// Returns the share of rows that are dead, from 0 to 1; `None` if there are no rows.
    pub fn dead_ratio(&self) -> Option<f64> {
        let (live, dead) = (self.live_tuples? as f64, self.dead_tuples? as f64);
        (live + dead > 0.0).then(|| dead / (live + dead))
    }
}

/// An index of the database that is connected to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct IndexFigures {
    pub schema: String,
    pub table: String,
    pub name: String,
    pub bytes: Option<u64>,
    pub scans: Option<u64>,
}

/// A hypertable of TimescaleDB.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Hypertable {
    pub schema: String,
    pub name: String,
    pub bytes: Option<u64>,
    pub chunks: Option<u64>,
    pub compressed_chunks: Option<u64>,
    /// Bytes of the compressed chunks before that.
    pub uncompressed_bytes: Option<u64>,
    /// Bytes of the compressed chunks now.
    pub compressed_bytes: Option<u64>,
}

/// Connections of clients at this moment, this one left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Sessions {
    pub open: Option<u64>,
    /// `max_connections`.
    pub limit: Option<u64>,
    pub active: Option<u64>,
    pub idle_in_transaction: Option<u64>,
    /// Those that wait for a lock.
    pub waiting: Option<u64>,
}

/// A transaction that has run for long. Its statement is not read.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LongTransaction {
    pub process: Option<u64>,
    pub user: Option<String>,
    pub database: Option<String>,
    /// Such as `active` or `idle in transaction`.
    pub state: Option<String>,
    pub seconds: Option<f64>,
}

/// Checkpoints, and what wrote the buffers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Checkpoints {
    /// Those whose time had come.
    pub timed: Option<u64>,
    /// Those that something asked for, such as a full log.
    pub requested: Option<u64>,
    pub write_seconds: Option<f64>,
    pub sync_seconds: Option<f64>,
    pub buffers_written: Option<u64>,
    /// Buffers that the background writer wrote.
    pub buffers_cleaned: Option<u64>,
}

/// The write-ahead log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Wal {
    /// Bytes that were written.
    pub bytes: Option<u64>,
    pub records: Option<u64>,
    pub full_pages: Option<u64>,
    /// How often its buffers were full.
    pub buffers_full: Option<u64>,
    /// Bytes of the files of the log at this moment.
    pub folder_bytes: Option<u64>,
}

/// Reads and writes of tables and indexes by all processes of the server, some of them from the system's cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Io {
    pub reads: Option<u64>,
    pub read_bytes: Option<u64>,
    pub writes: Option<u64>,
    /// Bytes of writes and of growing files.
    pub written_bytes: Option<u64>,
    /// Time of reads; `None` if the server does not measure it.
    pub read_seconds: Option<f64>,
    pub write_seconds: Option<f64>,
}

/// A server or a program that gets the log.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Replica {
    /// `application_name` of its connection.
    pub name: String,
    pub address: Option<String>,
    /// Such as `streaming` or `catchup`.
    pub state: Option<String>,
    /// `async`, `potential`, `sync` or `quorum`.
    pub sync_state: Option<String>,
    /// Bytes of the log that it has not replayed.
    pub lag_bytes: Option<u64>,
    /// Seconds from writing the log until it was replayed, by the clock of the server that sends it.
    pub lag_seconds: Option<f64>,
}

/// A replication slot, for which the server keeps its log.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Slot {
    pub name: String,
    pub active: Option<bool>,
    /// Bytes of the log from the place that it still needs.
    pub kept_bytes: Option<u64>,
}

/// How a standby follows.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Following {
    /// Status of its receiver, such as `streaming`; `None` if it receives nothing.
    pub status: Option<String>,
    /// Host and port that it follows.
    pub primary: Option<String>,
    /// Bytes that it has received and not replayed.
    pub behind_bytes: Option<u64>,
    /// Seconds since the commit that it replayed last, by the clocks of both servers; 0 if it receives the log and has
    /// replayed all of it.
    pub behind_seconds: Option<f64>,
}

impl ServerFigures {
    /// Returns why a figure is not available.
    pub fn why(&self, figure: &str) -> &str {
        let reason = self.missing.iter().find(|missing| missing.figure == figure);
        reason.map_or("the server does not show it", |missing| &missing.reason)
    }
}

/// Returns the figures of servers as JSON: a list with an object for each server, `null` for what is not available.
///
/// # Errors
/// Fails if they cannot be written as JSON.
pub fn to_json(servers: &[ServerFigures]) -> Result<String, EngineError> {
    let json = serde_json::to_string_pretty(servers);
    json.map_err(|e| EngineError(format!("the figures of the servers are no JSON: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_asked_for_has_no_ratio() {
        let blocks = |hit, read| DatabaseFigures {
            blocks_hit: hit,
            blocks_read: read,
            ..DatabaseFigures::default()
        };
        assert_eq!(blocks(Some(3), Some(1)).hit_ratio(), Some(0.75));
        assert_eq!(blocks(Some(0), Some(0)).hit_ratio(), None);
        assert_eq!(blocks(None, Some(1)).hit_ratio(), None);
        let rows = |live, dead| TableFigures {
            live_tuples: live,
            dead_tuples: dead,
            ..TableFigures::default()
        };
        assert_eq!(rows(Some(1), Some(1)).dead_ratio(), Some(0.5));
        assert_eq!(rows(Some(0), Some(0)).dead_ratio(), None);
    }

    #[test]
    fn what_is_not_available_is_null_in_json() {
        let json = to_json(&[ServerFigures::default()]).unwrap();
        let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(parsed[0]["wal"].is_null());
        assert!(parsed[0]["missing"].as_array().unwrap().is_empty());
    }
}
