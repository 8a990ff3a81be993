//! Space that a design's storage takes in addition to its bytes at rest.

use serde::{Deserialize, Serialize};

/// Bytes of a design's table before it was at rest, and what its engine needs in addition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Space {
    pub design: String,
    /// Bytes when all rows were loaded and nothing was settled; absent where they cannot be read.
    pub before_settling: Option<u64>,
    /// Most bytes that were seen while the rows were loaded and settled; absent where nobody can see
    /// them.
    pub highest: Option<u64>,
    /// Number of times that the bytes were looked at.
    pub looks: u32,
    /// Whether one process saw all of it; that of a run that was resumed may not have.
    pub is_whole: bool,
    pub needs: Needs,
}

/// Space that an engine needs in addition to the bytes at rest, by the way it works. None of it is measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Needs {
    /// Multiple of the bytes at rest that there has to be room for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<f64>,
    /// Cause of this need, such as `compaction by size rewrites the largest SSTables`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Most bytes of the log that a node keeps in addition to the tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_bytes: Option<u64>,
}
