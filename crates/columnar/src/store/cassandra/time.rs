//! The timestamps by which Cassandra decides which write is valid.
//!
//! All writes of a chunk carry the time in the chunk's name, whenever they are made, and its deletion
//! carries a later one. So a late write, from any process and by any clock, brings nothing back.

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::sleep;

use crate::id::ChunkId;

/// Returns the present moment in milliseconds since 1970-01-01 UTC.
pub(super) fn now_milliseconds() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX / 1000)
    })
}

/// Returns the timestamp of all writes of a chunk, in microseconds since 1970-01-01 UTC.
pub(super) fn chunk_timestamp(chunk: ChunkId) -> i64 {
    milliseconds(chunk) * 1000
}

/// Returns the timestamp with which a writer notes that it is still at work on a chunk.
pub(super) fn renewal_timestamp(chunk: ChunkId) -> i64 {
    chunk_timestamp(chunk) + 1
}

/// Returns the timestamp that deletes everything about a chunk.
pub(super) fn deletion_timestamp(chunk: ChunkId) -> i64 {
    chunk_timestamp(chunk) + 999
}

/// Returns the time in a UUID of version 7: its first 48 bits.
fn milliseconds(chunk: ChunkId) -> i64 {
    (chunk.0.as_u128() >> 80) as i64
}

/// Returns a timestamp that deletes all chunks which this process has named before, and none that it
/// names after this has returned.
pub(super) async fn after_all_chunks() -> i64 {
    let last = milliseconds(ChunkId::new()).max(now_milliseconds());
    while milliseconds(ChunkId::new()) <= last {
        sleep(std::time::Duration::from_millis(1)).await;
    }
    up_to_milliseconds(last)
}

/// Returns the timestamp that deletes all chunks which were named up to this millisecond.
pub(super) fn up_to_milliseconds(last: i64) -> i64 {
    last.saturating_mul(1000).saturating_add(999)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn deletions_come_after_what_was_and_before_what_will_be() {
        let before = ChunkId::new();
        let deletion = after_all_chunks().await;
        let after = ChunkId::new();
        assert!(renewal_timestamp(before) < deletion_timestamp(before));
        assert!(deletion_timestamp(before) <= deletion);
        assert!(deletion < chunk_timestamp(after));
    }

    #[test]
    fn any_name_has_a_time() {
        assert_eq!(chunk_timestamp(ChunkId(Uuid::nil())), 0);
        assert_eq!(
            chunk_timestamp(ChunkId(Uuid::max())),
            ((1 << 48) - 1) * 1000
        );
    }
}
