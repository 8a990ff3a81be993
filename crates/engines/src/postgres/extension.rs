//! The TimescaleDB extension of a database: its version, its licence, and the features of that
//! edition.

use std::fmt;

use tokio_postgres::Client;

use super::connect::PostgresServer;
use super::schema::failed;
use crate::EngineError;

/// The licence that includes columnstore and continuous aggregates.
const WITH_ALL: &str = "timescale";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extension {
    version: String,
    /// The value of `timescaledb.license`: `apache` or `timescale`.
    license: String,
    /// The schema of the extension's functions.
    pub schema: String,
}

impl Extension {
    /// Reads the extension of the database that a client is connected to.
    ///
    /// # Errors
    /// Fails if the database has no TimescaleDB.
    pub async fn read(client: &Client, server: &PostgresServer) -> Result<Self, EngineError> {
        let sql = "SELECT extversion, extnamespace::regnamespace::text, \
                   coalesce(current_setting('timescaledb.license', true), 'apache') \
                   FROM pg_extension WHERE extname = 'timescaledb'";
        let row = client.query_opt(sql, &[]).await.map_err(|e| failed(sql, &e))?.ok_or_else(|| {
            EngineError(format!(
                "the database of {server} has no TimescaleDB: have its owner run `CREATE EXTENSION \
                 timescaledb` there, or leave the designs of timescale out"
            ))
        })?;
        Ok(Extension {
            version: row.get(0),
            schema: row.get(1),
            license: row.get(2),
        })
    }

    pub fn has_columnstore(&self) -> bool {
        self.license == WITH_ALL
    }

    /// Returns the settings that reports show.
    pub fn settings(&self) -> Vec<(String, String)> {
        let can = if self.has_columnstore() {
            "in this edition; off unless columnstore=on"
        } else {
            "not in this edition: its licence is apache"
        };
        let aggregates = if self.has_columnstore() {
            "in this edition; not used: SQL that asks the table is not rewritten to them"
        } else {
            "not in this edition: its licence is apache"
        };
        [
            ("timescaledb.license", self.license.as_str()),
            ("columnstore", can),
            ("continuous aggregates", aggregates),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }
}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TimescaleDB {}", self.version)
    }
}
