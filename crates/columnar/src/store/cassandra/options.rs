//! How a table in Cassandra is read and written, and the limits of it.

use std::time::Duration;

use scylla::statement::Consistency;

use crate::{Error, Result};

/// A blob at most: Cassandra takes mutations of up to 16 MiB as it is shipped.
pub const BLOB_BYTES_AT_MOST: usize = 8 << 20;

/// A fresh row at most, beside its key: a value of it has to fit a blob of its own.
pub(super) const ROW_BYTES_AT_MOST: usize = 7 << 20;

/// Blobs of all writers of a store that are on their way to Cassandra, at most.
pub const PUT_BYTES_IN_FLIGHT_AT_MOST: usize = 32 << 20;

/// A chunk whose blobs take no more than this altogether is one row instead of one for each blob.
pub const PACKED_BYTES_AT_MOST: u64 = 64 << 10;

/// Blobs that are asked for together, at most, unless a single one is larger.
pub const READ_BYTES_AT_ONCE: u64 = 2 << 20;

/// Values of a batch, at most, unless a single row is larger.
pub(super) const BATCH_BYTES_AT_MOST: usize = 256 << 10;

/// Statements of a batch at most.
pub(super) const BATCH_STATEMENTS_AT_MOST: usize = 2_000;

/// Cassandra's limit for a key that orders rows.
pub(super) const KEY_BYTES_AT_MOST: usize = u16::MAX as usize;

/// Fresh rows that are read at once.
pub(super) const FRESH_ROWS_OF_PAGE: i32 = 2_000;

/// Places that are worked on at once.
pub(super) const PLACES_AT_ONCE: usize = 16;

/// The longest that an attempt of a request may be allowed to take: a sweep relies on commits to
/// be over soon.
const ATTEMPT_AT_MOST: Duration = Duration::from_secs(60);

/// How long a writer may add fresh rows without looking whether they were frozen.
pub(super) const WRITER_LEASE: Duration = Duration::from_millis(200);

/// How long a freeze waits until no writer can add to what it froze. Longer than the lease, so that
/// clocks may differ in speed.
pub(super) const FREEZE_WAIT: Duration = Duration::from_millis(250);

/// How Cassandra compresses the blobs when it writes them to disk. They are encoded already, so
/// that it gains little, and costs nothing that could be measured when they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    None,
    /// Of blocks that become smaller by it; the others are kept as they are.
    #[default]
    Lz4,
}

/// How a table in Cassandra is read and written. Every process may choose its own, except for
/// the compression, which is the table's and chosen when it is made.
///
/// The consistencies of reads and writes must overlap (each a quorum, or one of them all), or an
/// acknowledged row may not be seen at once.
#[derive(Debug, Clone)]
pub struct Options {
    /// Of places, the index and fresh rows.
    pub read_consistency: Consistency,
    /// Of everything.
    pub write_consistency: Consistency,
    /// Of blobs, which never change: when one is missing it is asked for again with
    /// `read_consistency`.
    pub blob_consistency: Consistency,
    pub compression: Compression,
    /// Requests of a store that are under way at once, at least 1.
    pub requests_at_once: usize,
    /// The longest that one attempt of a request may take.
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
