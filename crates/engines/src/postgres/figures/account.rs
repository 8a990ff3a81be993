//! What a server counts of its own work, for the record of a run.

use bakeoff_stats::ServerAccount;

use super::asking::Asking;
use super::read::VERSION;
use super::text_row::TextRow;
use super::work::{checkpoints, io, wal};
use crate::EngineError;
use crate::postgres::connect::PostgresServer;

/// Only the database that is connected to is looked at: others are nobody's business in a run.
const DATABASE: &str = "SELECT pg_database_size(current_database()) AS bytes, blks_hit, blks_read, temp_bytes \
     FROM pg_stat_database WHERE datname = current_database()";

/// What the account does not have, so that it does not matter that it is not available.
const NOT_ASKED_FOR: [&str; 2] = ["time of reads and writes", "bytes of the log's files"];

/// Reads the account of the server that the URL leads to: its log, checkpoints, reads and writes, and of its databases
/// the one that is connected to. Nothing is set in the session, which a pooler may give to others.
///
/// # Errors
/// Fails if it cannot be connected to.
pub async fn account(server: &PostgresServer) -> Result<ServerAccount, EngineError> {
    let mut asking = Asking::new(server.connect_setting_nothing().await?);
    let asking = &mut asking;
    let about = asking.row("version", VERSION).await.unwrap_or_default();
    let version = about.count("number").unwrap_or_default();
    let database = asking.row("database", DATABASE).await.unwrap_or_default();
    let checkpoints = checkpoints(asking, version).await.unwrap_or_default();
    let wal = wal(asking, version).await.unwrap_or_default();
    let io = io(asking, version).await.unwrap_or_default();
    let missing = asking.take_missing().into_iter();
    let missing = missing.filter(|missing| !NOT_ASKED_FOR.contains(&missing.figure.as_str()));
    Ok(ServerAccount {
        log_bytes: wal.bytes,
        timed_checkpoints: checkpoints.timed,
        requested_checkpoints: checkpoints.requested,
        read_bytes: io.read_bytes,
        written_bytes: io.written_bytes,
        missing: missing
            .map(|missing| (missing.figure, missing.reason))
            .collect(),
        ..of_database(&database)
    })
}

fn of_database(row: &TextRow) -> ServerAccount {
    ServerAccount {
        database_bytes: row.count("bytes"),
        blocks_hit: row.count("blks_hit"),
        blocks_read: row.count("blks_read"),
        temporary_bytes: row.count("temp_bytes"),
        ..ServerAccount::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_the_database_are_read_and_others_are_unknown() {
        let cells = [("bytes", "8192"), ("blks_hit", "9"), ("blks_read", "1")];
        let account = of_database(&TextRow::of(&cells));
        assert_eq!(account.database_bytes, Some(8_192));
        assert_eq!(account.hit_ratio(), Some(0.9));
        assert_eq!((account.temporary_bytes, account.log_bytes), (None, None));
    }
}
