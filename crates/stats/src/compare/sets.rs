//! Records of the sets of parameters with which several clients ask.

use serde::{Deserialize, Serialize};

/// Sets of parameters of a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuerySets {
    pub query: String,
    /// Number of sets, which several clients ask in turn.
    pub drawn: u32,
    /// Number of sets that differ from each other.
    pub distinct: u32,
    /// Number of sets whose right answers were computed before clients asked.
    pub right: u32,
}

/// Comparison in one turn of a design's answers with those of other designs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreed {
    /// Number of answers with which there was nothing to compare yet.
    pub alone: u32,
    /// Number of such answers, of this and earlier turns, that were confirmed in this one.
    pub confirmed: u32,
    /// Number of sets of parameters whose answers were confirmed in this turn.
    pub sets: u32,
}
