//! Errors of a measurement's folder, each with what its reader can do about it.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// Version of this program.
pub(crate) const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Reason why a run folder cannot be used, with what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("cannot {doing} {}: {source}; {}", path.display(), advice(source))]
    Io {
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },

    #[error(
        "another run is writing to {}; wait for it to end, or name another folder with --out",
        dir.display()
    )]
    Locked { dir: PathBuf },

    #[error(
        "{}, line {line}: not a record of a run ({source}); restore the file, or measure again into \
         another folder",
        path.display()
    )]
    Line {
        path: PathBuf,
        line: usize,
        source: serde_json::Error,
    },

    /// A later version wrote a record that this one does not know.
    #[error(
        "{}, line {line}: written by a newer Bakeoff{} than this one ({}), which does not know this \
         record; use that one",
        path.display(),
        in_brackets(version.as_deref()),
        OWN_VERSION
    )]
    Newer {
        path: PathBuf,
        line: usize,
        /// Version that the first record has, unless it is that of this one, too.
        version: Option<String>,
    },

    /// An earlier version wrote a record in a form that this one cannot read any more.
    #[error(
        "{}, line {line}: written by Bakeoff {version}, whose records this one ({}) cannot read any more \
         ({source}); use that version",
        path.display(),
        OWN_VERSION
    )]
    Earlier {
        path: PathBuf,
        line: usize,
        version: String,
        source: serde_json::Error,
    },

    #[error(
        "{} does not begin with the header of a run; restore it, or measure again into another folder",
        path.display()
    )]
    NoHeader { path: PathBuf },

    #[error("cannot write a record as JSON: {0}")]
    Encode(serde_json::Error),

    /// The folder holds an unfinished run of a command that compares something else.
    #[error(
        "{} holds an unfinished run of another command, or of other data or another workload file: \
         {command}; repeat it to resume that run, or name another folder with --out",
        dir.display()
    )]
    OtherCommand { dir: PathBuf, command: String },

    /// The folder holds a complete run; a caller that chose the folder itself chooses another one.
    #[error(
        "{} holds a run that finished at {at}; `bakeoff report` shows it, and --out names another \
         folder",
        dir.display()
    )]
    Finished { dir: PathBuf, at: String },

    #[error(
        "{} is not empty and holds no run; name a new folder with --out, since a complete run \
         removes the tables and files that it made in its folder",
        dir.display()
    )]
    NotEmpty { dir: PathBuf },

    #[error(
        "there is no run in {}: no {file}; name the folder that `bakeoff {command}` wrote to",
        dir.display()
    )]
    Missing {
        dir: PathBuf,
        file: &'static str,
        command: &'static str,
    },

    /// Its file is there, without a whole line.
    #[error(
        "there is no run in {}: its {file} is empty or cut off in its first line; restore the file, or repeat the \
         `bakeoff {command}` that began it",
        dir.display()
    )]
    Empty {
        dir: PathBuf,
        file: &'static str,
        command: &'static str,
    },

    /// The folder holds results of a load or a sweep, which cannot be resumed: the rest would not
    /// be measured under the same conditions.
    #[error(
        "{} holds results already; `bakeoff report` shows them, and --out names another folder",
        dir.display()
    )]
    Occupied { dir: PathBuf },

    #[error(
        "{}, byte {offset}: not a histogram log ({reason}); restore the file",
        path.display()
    )]
    Histogram {
        path: PathBuf,
        offset: u64,
        reason: String,
    },
}

fn in_brackets(version: Option<&str>) -> String {
    version.map_or_else(String::new, |version| format!(" ({version})"))
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "make room on the disk, then repeat the command: it resumes after the last step"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "name a folder that you may write to with --out"
        }
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            "name a folder, not a file, with --out"
        }
        _ => "check the disk, or name another folder with --out",
    }
}
