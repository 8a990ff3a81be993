//! What a server counts of its own work, at moments of a run.

use serde::{Deserialize, Serialize};

/// The account of an engine's server at a moment of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccountAt {
    pub engine: String,
    pub moment: Moment,
    pub account: ServerAccount,
}

/// A moment at which nothing is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// Before any row is loaded.
    Before,
    /// All tables are loaded and at rest.
    AtRest,
    /// After everything that is timed.
    After,
}

/// What a server counts of its own work, for all of its clients together. Counters begin when its statistics were last
/// reset. A figure is `None` if the server does not tell it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerAccount {
    /// Bytes of the database at the moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database_bytes: Option<u64>,
    /// Bytes that were written to the write-ahead log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_bytes: Option<u64>,
    /// Checkpoints whose time had come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timed_checkpoints: Option<u64>,
    /// Checkpoints that something asked for, such as a full log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_checkpoints: Option<u64>,
    /// Blocks of the database that were found in the server's buffers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks_hit: Option<u64>,
    /// Blocks of the database that were not, and were read from the system's cache or the disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks_read: Option<u64>,
    /// Bytes of the database's temporary files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temporary_bytes: Option<u64>,
    /// Bytes of tables and indexes that were read, some of them from the system's cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_bytes: Option<u64>,
    /// Bytes of tables and indexes that were written, growing files included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<u64>,
    /// What is not available, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<(String, String)>,
}

impl ServerAccount {
    /// Returns an account of which nothing is known, for this reason.
    pub fn unknown(why: &str) -> ServerAccount {
        ServerAccount {
            missing: vec![("all figures".to_owned(), why.to_owned())],
            ..ServerAccount::default()
        }
    }

    /// Returns what was counted since an earlier account: bytes of the database are those of now. A counter that is
    /// lower than before was reset in between, so that its growth is not known.
    #[must_use]
    pub fn since(&self, earlier: &ServerAccount) -> ServerAccount {
        let grown = |counter: fn(&ServerAccount) -> Option<u64>| {
            counter(self)?.checked_sub(counter(earlier)?)
        };
        ServerAccount {
            database_bytes: self.database_bytes,
            log_bytes: grown(|account| account.log_bytes),
            timed_checkpoints: grown(|account| account.timed_checkpoints),
            requested_checkpoints: grown(|account| account.requested_checkpoints),
            blocks_hit: grown(|account| account.blocks_hit),
            blocks_read: grown(|account| account.blocks_read),
            temporary_bytes: grown(|account| account.temporary_bytes),
            read_bytes: grown(|account| account.read_bytes),
            written_bytes: grown(|account| account.written_bytes),
            missing: self.missing.clone(),
        }
    }

    /// Returns the share of blocks that were found in the buffers, from 0 to 1; `None` if none was asked for.
    pub fn hit_ratio(&self) -> Option<f64> {
        let (hit, read) = (self.blocks_hit? as f64, self.blocks_read? as f64);
        (hit + read > 0.0).then(|| hit / (hit + read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    fn account(log_bytes: u64, blocks: (u64, u64)) -> ServerAccount {
        ServerAccount {
            database_bytes: Some(8_000_000 + log_bytes),
            log_bytes: Some(log_bytes),
            blocks_hit: Some(blocks.0),
            blocks_read: Some(blocks.1),
            ..ServerAccount::default()
        }
    }

    #[test]
    fn growth_is_that_of_counters_and_bytes_of_the_database_are_those_of_now() {
        let (before, after) = (account(1_000, (10, 10)), account(5_000, (40, 20)));
        let grown = after.since(&before);
        assert_eq!(grown.log_bytes, Some(4_000));
        assert_eq!(grown.database_bytes, after.database_bytes);
        assert_eq!(grown.hit_ratio(), Some(0.75));
        assert_eq!(grown.read_bytes, None);
        // The statistics were reset in between.
        assert_eq!(before.since(&after).log_bytes, None);
        assert_eq!(account(0, (0, 0)).hit_ratio(), None);
    }

    #[test]
    fn accounts_read_back_as_they_were_without_what_is_not_known() {
        let record = Record::Account(AccountAt {
            engine: "a".to_owned(),
            moment: Moment::AtRest,
            account: ServerAccount {
                log_bytes: Some(5),
                ..ServerAccount::unknown("no right")
            },
        });
        let json = serde_json::to_string(&record).unwrap();
        let expected =
            r#"{"record":"account","engine":"a","moment":"at-rest","account":{"log_bytes":5,"#
                .to_owned()
                + r#""missing":[["all figures","no right"]]}}"#;
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_str::<Record>(&json).unwrap(), record);
    }
}
