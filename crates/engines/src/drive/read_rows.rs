//! Which rows a read of a load returns.

/// The rows that a read returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadRows {
    /// Returns the drawn row.
    One,
    /// Returns the rows of the drawn row's partition.
    Partition {
        limit: Option<u32>,
        descending: bool,
    },
    /// Returns the rows of the drawn row's partition from that row on.
    From { limit: u32 },
}

impl ReadRows {
    /// Returns the maximum number of rows that the server may return.
    pub fn limit(self) -> Option<u32> {
        match self {
            ReadRows::One => Some(1),
            ReadRows::From { limit } => Some(limit),
            ReadRows::Partition { limit, .. } => limit,
        }
    }
}
