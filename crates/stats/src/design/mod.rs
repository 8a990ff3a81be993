//! A design: the description by its engine, its size on disk, and figures that were published about it.

mod amount;
mod by_setting;
pub mod earlier;
mod space;
mod statistics;

pub use amount::{Amount, Unit};
pub use by_setting::{AtValue, COLUMNS, DesignsBySetting, by_setting};
pub use space::{Needs, Space};
pub use statistics::TableStatistics;

use serde::{Deserialize, Serialize};

/// The description of a design that its engine gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "earlier::DesignRecord")]
pub struct DesignInfo {
    pub id: String,
    pub engine: String,
    pub role: Role,
    /// Whether one or several processes of the engine work alongside the client.
    pub server: bool,
    /// Settings in force, including those that the id leaves at their defaults.
    pub settings: Vec<(String, String)>,
    /// Statements and files that make up the layout.
    pub statements: Vec<String>,
    /// Rows of the largest unit that is stored as a whole, such as a row group. A table of fewer
    /// rows behaves otherwise than one of many units, so it supports no forecast.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit_rows: Option<u64>,
    /// Queries that the design is not asked, since it does not store what they need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_asked: Vec<NotAsked>,
    /// Name of the engine that stores the rows, if it is not the design's own, such as Cassandra for Spark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored_by: Option<String>,
    /// Id of the design whose table this one reads, where both write the same one: that one loads and stores it.
    /// `None` for a design with a table of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_of: Option<String>,
}

/// Query that a design is not asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotAsked {
    pub query: String,
    /// Reason, as the end of a sentence about the query: `needs the column price`.
    pub why: String,
}

/// Fewest units of storage of a table from which forecasts are made. A table of a single unit cannot be
/// skipped in part or read in parallel.
const UNITS_TO_FORECAST: u64 = 2;

impl DesignInfo {
    /// Name of the setting with the copies of each row in every datacenter, which only a design has that states them.
    pub const COPIES: &'static str = "replication factor";

    /// Returns the copies of each row in every datacenter, if the design states them; otherwise they are those of its
    /// engine.
    pub fn copies(&self) -> Option<u32> {
        let mut settings = self.settings.iter();
        let (_, copies) = settings.find(|(name, _)| name == DesignInfo::COPIES)?;
        copies.parse().ok().filter(|copies| *copies > 0)
    }

    /// Returns the fewest rows of a table from which forecasts are made.
    pub fn rows_to_forecast(&self) -> u64 {
        self.unit_rows
            .unwrap_or(0)
            .saturating_mul(UNITS_TO_FORECAST)
    }

    /// Returns why the design is not asked a query; `None` if it is asked.
    pub fn why_not_asked(&self, query: &str) -> Option<&str> {
        let found = self.not_asked.iter().find(|asked| asked.query == query);
        found.map(|asked| asked.why.as_str())
    }

    /// Returns the columns of which the design has an index, as its id says: `index=country+city:2i`.
    pub fn indexed_columns(&self) -> Vec<&str> {
        let (_, settings) = self.id.split_once('?').unwrap_or_default();
        let mut settings = settings.split(['&', '#']);
        let columns = settings.find_map(|setting| setting.strip_prefix("index="));
        let columns = columns.and_then(|columns| columns.split(':').next());
        columns.map_or(Vec::new(), |columns| columns.split('+').collect())
    }

    /// Returns whether the design has a table of its own, and does not read that of another one.
    pub fn has_own_table(&self) -> bool {
        self.table_of.is_none()
    }

    /// Returns whether the design is measured and shown like all others, but never recommended.
    pub fn is_yardstick(&self) -> bool {
        self.role != Role::Store
    }
}

/// Role of a design in a comparison, which depends on what it stores of the rows, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Stores its rows, so that it may be recommended.
    Store,
    /// Keeps its rows only while its process runs: a yardstick for the speed of a scan.
    Volatile,
    /// Stores no rows: a yardstick for the rate of loading.
    Sink,
    /// Stores some of the columns of all rows: a yardstick for tables with fewer columns.
    SomeColumns,
}

/// Figure that was published about a design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishedFigure {
    pub design: String,
    /// Name of a query, or `load` or `storage`.
    pub what: String,
    pub figure: String,
}

/// Size of a design's table after flush and compaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Footprint {
    pub design: String,
    /// Bytes according to the engine itself, if it reports them.
    pub engine_bytes: Option<u64>,
    /// Sum of the files on disk (or of the buffers, for `memory`).
    pub file_bytes: Option<u64>,
    /// Compressed size divided by uncompressed size, as reported by the engine.
    pub compression_ratio: Option<f64>,
    /// Off-heap memory that the engine needs to find its compressed chunks.
    #[serde(default)]
    pub compression_metadata_bytes: Option<u64>,
    /// What the server itself tells of the tables; `None` in records from before it was asked, and where it
    /// tells nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<TableStatistics>,
    pub files: Option<u64>,
    /// Remark on what the figures include and what is not available.
    pub note: Option<String>,
}

impl Footprint {
    /// Returns the size of the files if they can be seen, and the size that the engine reports
    /// otherwise.
    pub fn bytes(&self) -> Option<u64> {
        self.file_bytes.or(self.engine_bytes)
    }
}
