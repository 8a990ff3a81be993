//! The result of a check of a whole table.

use std::fmt;

/// What a check of a table has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Check {
    /// The number of valid chunks.
    pub chunks: u64,
    /// The bytes of their blobs.
    pub bytes: u64,
    /// The number of fresh rows.
    pub fresh: u64,
    /// What is damaged.
    pub damages: Vec<Damage>,
    /// What is no damage and worth knowing, such as files that nothing names.
    pub notes: Vec<String>,
}

/// A part of a table that is not what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The part, such as a file or a chunk.
    pub what: String,
    /// The reason why it is not what was written.
    pub why: String,
    /// What is lost by that, and what can be done.
    pub lost: String,
    /// What a repair has done about it, if it has.
    pub repaired: Option<String>,
}

impl Check {
    /// Returns whether nothing is damaged, or is after a repair.
    pub fn is_sound(&self) -> bool {
        self.damages.iter().all(|damage| damage.repaired.is_some())
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Damage {
            what, why, lost, ..
        } = self;
        write!(f, "{what}: {why}; {lost}")
    }
}
