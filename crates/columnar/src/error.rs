//! What can go wrong, in words for the user: what was being done, to what, what to do now.

use std::path::PathBuf;

use crate::meta::ChunkId;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A definition, a batch or an option that cannot be.
    #[error("{0}")]
    Invalid(String),

    /// A table that is another one than asked for, or what is left of one: it has to be dropped first.
    #[error("{0}")]
    InTheWay(String),

    /// A fault of this library.
    #[error("{0}; this is a fault of Bakeoff: please report it")]
    Internal(String),

    /// Bytes that are not what was written: never decoded, never part of an answer.
    #[error(
        "chunk {chunk} of {place}, {what}: {reason}; restore it from a backup or another replica, or drop the bucket"
    )]
    Corrupt {
        chunk: ChunkId,
        place: crate::definition::Place,
        what: String,
        reason: String,
    },

    /// A chunk was dropped, or replaced and swept away, while it was being read.
    #[error(
        "chunk {chunk} of {place} is gone: it was dropped, or replaced more than {grace_seconds} s ago; \
         ask again"
    )]
    Gone {
        chunk: ChunkId,
        place: crate::definition::Place,
        grace_seconds: u64,
    },

    /// A file that cannot be read or written.
    #[error("{doing} {}: {source}", path.display())]
    Io {
        doing: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },

    /// A file with bytes that are not what was written.
    #[error("{}: {reason}", path.display())]
    Torn { path: PathBuf, reason: String },

    /// A server that does not answer, or refuses.
    #[error("{doing}: {reason}")]
    Server { doing: String, reason: String },

    /// A format that this version does not know.
    #[error("{what} has format {found}, and this version reads up to {known}; use a newer version")]
    Version {
        what: String,
        found: u32,
        known: u32,
    },

    #[error("{doing}: {source}")]
    Arrow {
        doing: &'static str,
        source: arrow::error::ArrowError,
    },
}
