//! The options and the limits of tables in Cassandra.

use std::time::Duration;

use scylla::statement::Consistency;

use crate::{Error, Result};

/// The highest number of bytes in a blob: by default Cassandra takes mutations of up to 16 MiB.
pub const BLOB_BYTES_AT_MOST: usize = 8 << 20;

/// The highest number of bytes in a fresh row without its key: each value has to fit a blob.
pub(super) const ROW_BYTES_AT_MOST: usize = 7 << 20;

/// The highest number of bytes of blobs that are on their way to Cassandra from one store.
pub const PUT_BYTES_IN_FLIGHT_AT_MOST: usize = 32 << 20;

/// The highest number of bytes in all blobs of a chunk that is one row instead of a row for each blob.
pub const PACKED_BYTES_AT_MOST: u64 = 64 << 10;

/// The highest number of bytes of blobs in one request, unless a single blob is larger.
pub const READ_BYTES_AT_ONCE: u64 = 2 << 20;

/// The highest number of bytes of values in a batch, unless a single row is larger.
pub(super) const BATCH_BYTES_AT_MOST: usize = 256 << 10;

/// The highest number of statements in a batch.
pub(super) const BATCH_STATEMENTS_AT_MOST: usize = 2_000;

/// The highest number of bytes that Cassandra allows in a key that orders rows.
pub(super) const KEY_BYTES_AT_MOST: usize = u16::MAX as usize;

/// The number of fresh rows in a page.
pub(super) const FRESH_ROWS_OF_PAGE: i32 = 2_000;

/// The number of places that are worked on at the same time.
pub(super) const PLACES_AT_ONCE: usize = 16;

/// The highest possible time limit of an attempt: a sweep relies on commits being over soon.
const ATTEMPT_AT_MOST: Duration = Duration::from_secs(60);

/// The time for which what was read of a place may be relied on without reading it again.
pub const WRITER_LEASE: Duration = Duration::from_millis(200);

/// The time that a freeze waits until nobody relies any more on what was read of a place before. It is longer
/// than the lease, so that clocks may differ in speed.
pub const FREEZE_WAIT: Duration = Duration::from_millis(250);

/// The compression of blobs when Cassandra writes them to disk, of blocks that become smaller by it; the
/// others stay as they are. Blobs are encoded already, so that LZ4 gains little; in reading it costs nothing
/// that could be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    /// No compression.
    None,
    /// LZ4.
    #[default]
    Lz4,
    /// Zstd, with Cassandra's default level.
    Zstd,
    /// Deflate.
    Deflate,
    /// Snappy.
    Snappy,
}

impl Compression {
    /// Every compression.
    pub const ALL: [Compression; 5] = [
        Compression::Lz4,
        Compression::Zstd,
        Compression::Deflate,
        Compression::Snappy,
        Compression::None,
    ];

    /// Returns the name: that of Cassandra's class without `Compressor`, or `none`.
    pub fn name(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Lz4 => "LZ4",
            Compression::Zstd => "Zstd",
            Compression::Deflate => "Deflate",
            Compression::Snappy => "Snappy",
        }
    }

    /// Returns the table option of CQL.
    pub(super) fn cql(self) -> String {
        match self {
            Compression::None => "{'enabled': false}".to_owned(),
            other => format!(
                "{{'class': '{}Compressor', 'min_compress_ratio': 1.05}}",
                other.name()
            ),
        }
    }
}

/// The way in which a process reads and writes a table in Cassandra. Every process may have its own
/// options, except for the compression, which is chosen when the table is created.
///
/// The consistencies of reads and writes must overlap (both are quorums, or one of them is all), also
/// between datacenters, where `LOCAL_QUORUM` does not. Otherwise nothing is written, since seals would
/// lose rows, and a process that reads may not see an acknowledged row at once.
#[derive(Debug, Clone)]
pub struct Options {
    /// The consistency of reading places, the index and fresh rows.
    pub read_consistency: Consistency,
    /// The consistency of all writes.
    pub write_consistency: Consistency,
    /// The consistency of reading blobs, which never change: if one is missing, it is requested again
    /// with `read_consistency`, and if one is wrong, again with this one until another replica answers.
    pub blob_consistency: Consistency,
    /// The compression of blobs in a table that is created.
    pub compression: Compression,
    /// The highest number of requests of a store that are under way at the same time, at least 1.
    pub requests_at_once: usize,
    /// The time limit of one attempt of a request, at most 60 s.
    pub attempt_time_limit: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            read_consistency: Consistency::LocalQuorum,
            write_consistency: Consistency::LocalQuorum,
            blob_consistency: Consistency::LocalOne,
            compression: Compression::default(),
            requests_at_once: 32,
            attempt_time_limit: Duration::from_secs(10),
        }
    }
}

impl Options {
    pub(super) fn check(&self) -> Result<()> {
        let limit = self.attempt_time_limit;
        if self.requests_at_once == 0 || limit.is_zero() || limit > ATTEMPT_AT_MOST {
            let seconds = ATTEMPT_AT_MOST.as_secs();
            return Err(Error::Invalid(format!(
                "requests_at_once is at least 1, and attempt_time_limit is more than 0 and at most \
                 {seconds} s"
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressions_are_named_as_in_cassandra() {
        let written = Compression::ALL.map(Compression::cql);
        for (compression, cql) in Compression::ALL.iter().zip(&written) {
            let class = format!("'class': '{}Compressor'", compression.name());
            let is_none = *compression == Compression::None;
            assert_eq!(cql.contains(&class), !is_none, "{cql}");
        }
        assert_eq!(
            written[0],
            "{'class': 'LZ4Compressor', 'min_compress_ratio': 1.05}"
        );
        assert_eq!(written[4], "{'enabled': false}");
    }

    #[test]
    fn limits_are_possible() {
        let options = |requests_at_once, attempt_time_limit| Options {
            requests_at_once,
            attempt_time_limit,
            ..Options::default()
        };
        Options::default().check().unwrap();
        let second = Duration::from_secs(1);
        options(1, second).check().unwrap();
        for options in [
            options(0, second),
            options(1, Duration::ZERO),
            options(1, 61 * second),
        ] {
            let error = options.check().unwrap_err().to_string();
            assert!(error.contains("at most 60 s"), "{error}");
        }
    }
}
