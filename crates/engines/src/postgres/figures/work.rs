//! Checkpoints, the write-ahead log, and reads and writes: views that versions of PostgreSQL have in different ways.

use super::asking::Asking;
use super::model::{Checkpoints, Io, Wal};
use super::text_row::TextRow;

/// Versions by `server_version_num`.
pub(super) const FOURTEEN: u64 = 140_000;
const SIXTEEN: u64 = 160_000;
const SEVENTEEN: u64 = 170_000;
const EIGHTEEN: u64 = 180_000;

/// Returns the statement for checkpoints of a version. From 17 on they have a view of their own.
pub(super) fn checkpoints_sql(version: u64) -> &'static str {
    if version >= SEVENTEEN {
        "SELECT c.num_timed AS timed, c.num_requested AS requested, c.write_time, c.sync_time, \
         c.buffers_written AS written, b.buffers_clean FROM pg_stat_checkpointer c, pg_stat_bgwriter b"
    } else {
        "SELECT checkpoints_timed AS timed, checkpoints_req AS requested, checkpoint_write_time AS write_time, \
         checkpoint_sync_time AS sync_time, buffers_checkpoint AS written, buffers_clean FROM pg_stat_bgwriter"
    }
}

pub async fn checkpoints(asking: &mut Asking, version: u64) -> Option<Checkpoints> {
    let row = asking.row("checkpoints", checkpoints_sql(version)).await?;
    Some(Checkpoints {
        timed: row.count("timed"),
        requested: row.count("requested"),
        write_seconds: row.seconds("write_time"),
        sync_seconds: row.seconds("sync_time"),
        buffers_written: row.count("written"),
        buffers_cleaned: row.count("buffers_clean"),
    })
}

/// Reads what was written to the log, and the bytes of its files.
pub async fn wal(asking: &mut Asking, version: u64) -> Option<Wal> {
    if version < FOURTEEN {
        asking.lacks("log (pg_stat_wal)", "PostgreSQL 14 and newer have it");
        return None;
    }
    let row = asking.row("log", "SELECT * FROM pg_stat_wal").await?;
    let files = "SELECT sum(size) AS bytes FROM pg_ls_waldir()";
    let files = asking.row("bytes of the log's files", files).await;
    Some(Wal {
        bytes: row.count("wal_bytes"),
        records: row.count("wal_records"),
        full_pages: row.count("wal_fpi"),
        buffers_full: row.count("wal_buffers_full"),
        folder_bytes: files.and_then(|row| row.count("bytes")),
    })
}

/// Returns the statement for reads and writes of a version that has them. From 18 on the view has bytes, and the log.
fn io_sql(version: u64) -> &'static str {
    if version >= EIGHTEEN {
        "SELECT sum(reads) AS reads, sum(read_bytes) AS read_bytes, sum(writes) AS writes, \
         coalesce(sum(write_bytes), 0) + coalesce(sum(extend_bytes), 0) AS written_bytes, \
         sum(read_time) AS read_time, sum(write_time) AS write_time, \
         current_setting('track_io_timing') AS timing FROM pg_stat_io WHERE object <> 'wal'"
    } else {
        "SELECT sum(reads) AS reads, sum(reads * op_bytes) AS read_bytes, sum(writes) AS writes, \
         coalesce(sum(writes * op_bytes), 0) + coalesce(sum(extends * op_bytes), 0) AS written_bytes, \
         sum(read_time) AS read_time, sum(write_time) AS write_time, \
         current_setting('track_io_timing') AS timing FROM pg_stat_io"
    }
}

pub async fn io(asking: &mut Asking, version: u64) -> Option<Io> {
    if version < SIXTEEN {
        let reason = "PostgreSQL 16 and newer have it";
        asking.lacks("reads and writes (pg_stat_io)", reason);
        return None;
    }
    let row = asking.row("reads and writes", io_sql(version)).await?;
    let io = io_of(&row);
    if io.read_seconds.is_none() {
        let reason = "track_io_timing is off: the server measures it with track_io_timing = on";
        asking.lacks("time of reads and writes", reason);
    }
    Some(io)
}

fn io_of(row: &TextRow) -> Io {
    let is_timed = row.text("timing").as_deref() == Some("on");
    let time = |column: &str| row.seconds(column).filter(|_| is_timed);
    Io {
        reads: row.count("reads"),
        read_bytes: row.count("read_bytes"),
        writes: row.count("writes"),
        written_bytes: row.count("written_bytes"),
        read_seconds: time("read_time"),
        write_seconds: time("write_time"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_is_asked_for_what_it_has() {
        for (version, checkpoints, io) in [
            (140_012, "checkpoints_timed", None),
            (150_014, "checkpoints_timed", None),
            (160_004, "checkpoints_timed", Some("op_bytes")),
            (170_002, "pg_stat_checkpointer", Some("op_bytes")),
            (180_000, "pg_stat_checkpointer", Some("extend_bytes")),
        ] {
            let sql = checkpoints_sql(version);
            assert!(sql.contains(checkpoints), "{version}: {sql}");
            assert_eq!(version >= SIXTEEN, io.is_some());
            if let Some(column) = io {
                assert!(io_sql(version).contains(column), "{version}");
            }
        }
    }

    #[test]
    fn times_that_are_not_measured_are_unknown_and_not_zero() {
        let row = |timing| TextRow::of(&[("reads", "5"), ("read_time", "250"), ("timing", timing)]);
        assert_eq!(io_of(&row("on")).read_seconds, Some(0.25));
        let off = io_of(&row("off"));
        assert_eq!((off.reads, off.read_seconds), (Some(5), None));
    }
}
