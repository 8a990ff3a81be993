//! A design: its settings and statements, its size on the disk, and figures published about it.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DesignInfo {
    pub id: String,
    pub engine: String,
    /// Settings in force, including those that the id leaves at their defaults.
    pub settings: Vec<(String, String)>,
    /// Statements and files that make up the layout.
    pub statements: Vec<String>,
}

impl DesignInfo {
    /// A yardstick is measured like all others and shown beside them, but never recommended:
    /// `memory` bounds the speed of a scan, and loses all rows with its process; `dry` stores
    /// nothing and bounds the rate of a load.
    pub fn is_yardstick(&self) -> bool {
        matches!(self.engine.as_str(), "memory" | "dry")
    }

    /// Whether a process of its own, or several, work beside the client.
    pub fn has_server(&self) -> bool {
        matches!(self.engine.as_str(), "cassandra" | "postgres" | "timescale")
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stores_nothing_or_forgets_is_a_yardstick() {
        let is_yardstick = |engine: &str| {
            let info = DesignInfo {
                id: engine.to_owned(),
                engine: engine.to_owned(),
                settings: Vec::new(),
                statements: Vec::new(),
            };
            info.is_yardstick()
        };
        let engines = ["memory", "dry", "cassandra", "parquet"].map(is_yardstick);
        assert_eq!(engines, [true, true, false, false]);
    }
}
