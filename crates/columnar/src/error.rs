//! The errors of this library. Their texts say what was being done, to what, and what to do now.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

use crate::id::{ChunkId, Place};

/// A result with an [`Error`] of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of this library, whose text says what was being done, to what, and what to do now.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A definition, a batch or an option that is not possible.
    #[error("{0}")]
    Invalid(String),

    /// A table with another definition, or the remains of a table, which have to be dropped first.
    #[error("{0}")]
    InTheWay(String),

    /// A fault of this library.
    #[error("{0}; this is a fault of Bakeoff: please report it")]
    Internal(String),

    /// A chunk whose bytes are not what was written. They are never part of an answer.
    #[error(
        "chunk {chunk} of {place}, {what}: {reason}; restore it from a backup or another replica, or drop the bucket"
    )]
    Corrupt {
        /// The chunk.
        chunk: ChunkId,
        /// The place that the chunk is in.
        place: Place,
        /// The part of the chunk that is damaged, such as a column.
        what: String,
        /// The reason why it cannot be what was written.
        reason: String,
    },

    /// A chunk that was dropped, or replaced and swept away, while it was being read.
    #[error(
        "chunk {chunk} of {place} is gone: it was dropped, or replaced more than {grace_seconds} s ago; \
         ask again"
    )]
    Gone {
        /// The chunk.
        chunk: ChunkId,
        /// The place that the chunk was in.
        place: Place,
        /// The least time for which replaced chunks are kept, in seconds.
        grace_seconds: u64,
    },

    /// A file that cannot be read or written.
    #[error("{doing} {}: {source}{}", path.display(), advice(source))]
    Io {
        /// The action that failed, such as "reading".
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },

    /// A file whose bytes are not what was written.
    #[error("{}: {reason}", path.display())]
    Torn {
        /// The file.
        path: PathBuf,
        /// The reason why it cannot be what was written.
        reason: String,
    },

    /// A server that does not answer or refuses a request.
    #[error("{doing}: {reason}")]
    Server {
        /// The action that failed.
        doing: String,
        /// The reason why it failed, and what to do now.
        reason: String,
    },

    /// A format that this version of the library does not know.
    #[error("{what} has format {found}, and this version reads up to {known}; use a newer version")]
    Version {
        /// The file or table.
        what: String,
        /// The version of its format.
        found: u32,
        /// The latest version that this library reads.
        known: u32,
    },

    /// A batch that Arrow cannot process.
    #[error("{doing}: {source}")]
    Arrow {
        /// The action that failed.
        doing: &'static str,
        /// The error of Arrow.
        source: arrow::error::ArrowError,
    },
}

/// Returns what to do after an error of the system, if that is known.
fn advice(error: &io::Error) -> &'static str {
    use io::ErrorKind::{
        FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
    };
    if error.raw_os_error() == Some(Errno::IO.raw_os_error()) {
        return "; look at the system's log, repair or replace the disk, and open the table again";
    }
    match error.kind() {
        StorageFull | QuotaExceeded => "; make room on that disk, and try again",
        FileTooLarge => "; raise the limit of a file's size (`ulimit -f`), and try again",
        PermissionDenied => "; give this user the right to it, and try again",
        ReadOnlyFilesystem => "; mount that file system to be written, and try again",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(source: io::Error) -> String {
        let error = Error::Io {
            doing: "syncing",
            path: "t/manifest".into(),
            source,
        };
        error.to_string()
    }

    #[test]
    fn an_error_of_the_system_names_the_file_and_what_to_do() {
        let full = said(Errno::NOSPC.into());
        assert!(
            full.starts_with("syncing t/manifest: No space left"),
            "{full}"
        );
        assert!(
            full.ends_with("; make room on that disk, and try again"),
            "{full}"
        );
        let device = said(Errno::IO.into());
        assert!(device.contains("repair or replace the disk"), "{device}");
        let other = said(io::Error::other("the thread ended"));
        assert_eq!(other, "syncing t/manifest: the thread ended");
    }
}
