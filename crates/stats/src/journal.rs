//! The run folder: `journal.jsonl`, appended and synced step by step, locked while a run writes.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::{Header, Record, Summary, SummaryError};

const JOURNAL: &str = "journal.jsonl";
const LOCK: &str = "lock";

/// Why a run folder cannot be used, and what to do.
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
        "{}, line {line}: not a record of a run ({source}); restore the file, or name another \
         folder with --out",
        path.display()
    )]
    Line {
        path: PathBuf,
        line: usize,
        source: serde_json::Error,
    },

    #[error(
        "{} does not begin as a run does; restore it, or name another folder with --out",
        path.display()
    )]
    NoHeader { path: PathBuf },

    #[error("cannot write a record as JSON: {0}")]
    Encode(serde_json::Error),

    /// The folder belongs to an unfinished run of a command that compares something else.
    #[error(
        "{} holds an unfinished run of another command, or of other data or another workload file: \
         {command}; repeat it to go on with that run, or name another folder with --out",
        dir.display()
    )]
    OtherCommand { dir: PathBuf, command: String },

    /// The folder holds a complete run; callers that chose the folder themselves choose another.
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
        "there is no run in {}: no {JOURNAL}; name the folder that `bakeoff run` wrote to",
        dir.display()
    )]
    Missing { dir: PathBuf },
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "make room on the disk, then repeat the command: it goes on after the last step"
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

/// The journal of a run that is going on. It holds the folder's lock until it is dropped.
#[derive(Debug)]
pub struct Journal {
    dir: PathBuf,
    file: File,
    /// Bytes of whole lines. More can be in the file after a failed append.
    length: u64,
    torn: bool,
    records: Vec<Record>,
    _lock: File,
}

impl Journal {
    /// Opens the folder for a run with this fingerprint, creating it when it is missing.
    ///
    /// [`records`](Self::records) is empty for a new run, and holds what is done for an unfinished
    /// one that can go on. A last line that a kill tore is cut off.
    ///
    /// # Errors
    /// The folder is in use, finished, of another command, unreadable or unwritable.
    pub fn create_or_resume(dir: &Path, fingerprint: &str) -> Result<Journal, JournalError> {
        fs::create_dir_all(dir).map_err(io_error("create the run folder", dir))?;
        refuse_strange_files(dir)?;
        let lock = lock(dir)?;
        let path = dir.join(JOURNAL);
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .map_err(io_error("open", &path))?;
        let (records, length) = read_records(&mut file, &path)?;
        check_may_go_on(dir, &records, fingerprint)?;
        file.set_len(length)
            .map_err(io_error("cut the torn last line off", &path))?;
        sync_folder(dir)?;
        Ok(Journal {
            dir: dir.to_owned(),
            file,
            length,
            torn: false,
            records,
            _lock: lock,
        })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Everything that happened so far, also before a kill.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Writes one record; it is on the disk when this returns.
    ///
    /// # Errors
    /// The disk is full or failed. The records before this one stay readable.
    pub fn append(&mut self, record: &Record) -> Result<(), JournalError> {
        let mut line = serde_json::to_vec(record).map_err(JournalError::Encode)?;
        line.push(b'\n');
        self.write_line(&line)
            .map_err(io_error("write to", &self.dir.join(JOURNAL)))?;
        self.records.push(record.clone());
        Ok(())
    }

    fn write_line(&mut self, line: &[u8]) -> io::Result<()> {
        if self.torn {
            self.file.set_len(self.length)?;
        }
        self.torn = true;
        self.file.write_all(line)?;
        self.file.sync_data()?;
        self.torn = false;
        self.length += line.len() as u64;
        Ok(())
    }
}

/// A saved run, finished or not, as reports read it. It needs no lock.
#[derive(Debug)]
pub struct Run {
    dir: PathBuf,
    header: Header,
    records: Vec<Record>,
}

impl Run {
    /// # Errors
    /// There is no run in the folder, or its journal is damaged.
    pub fn open(dir: &Path) -> Result<Run, JournalError> {
        let path = dir.join(JOURNAL);
        let missing = || JournalError::Missing {
            dir: dir.to_owned(),
        };
        let mut file = File::open(&path).map_err(|source| match source.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => missing(),
            _ => io_error("read", &path)(source),
        })?;
        let (records, _) = read_records(&mut file, &path)?;
        let header = header(&records).cloned().ok_or_else(missing)?;
        Ok(Run {
            dir: dir.to_owned(),
            header,
            records,
        })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// # Errors
    /// The records contradict the run's header.
    pub fn summary(&self) -> Result<Summary, SummaryError> {
        Summary::of(&self.records)
    }
}

fn lock(dir: &Path) -> Result<File, JournalError> {
    let path = dir.join(LOCK);
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(io_error("open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked {
            dir: dir.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(io_error("lock", &path)(source)),
    }
}

/// A folder with files that no run made is never written to.
fn refuse_strange_files(dir: &Path) -> Result<(), JournalError> {
    if dir.join(JOURNAL).exists() {
        return Ok(());
    }
    let entries = fs::read_dir(dir).map_err(io_error("read the folder", dir))?;
    for entry in entries {
        let entry = entry.map_err(io_error("read the folder", dir))?;
        if entry.file_name() != LOCK {
            return Err(JournalError::NotEmpty {
                dir: dir.to_owned(),
            });
        }
    }
    Ok(())
}

/// The records of all whole lines, and how many bytes those lines have. What comes after the last
/// line end is the beginning of a line that a kill tore.
fn read_records(file: &mut File, path: &Path) -> Result<(Vec<Record>, u64), JournalError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(io_error("read", path))?;
    let length = bytes
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |end| end + 1);
    let records = bytes[..length]
        .split_inclusive(|&b| b == b'\n')
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_slice(line).map_err(|source| JournalError::Line {
                path: path.to_owned(),
                line: index + 1,
                source,
            })
        })
        .collect::<Result<Vec<Record>, _>>()?;
    if !records.is_empty() && header(&records).is_none() {
        return Err(JournalError::NoHeader {
            path: path.to_owned(),
        });
    }
    Ok((records, length as u64))
}

fn check_may_go_on(dir: &Path, records: &[Record], fingerprint: &str) -> Result<(), JournalError> {
    if let Some(Record::Finished { at, .. }) = records.last() {
        return Err(JournalError::Finished {
            dir: dir.to_owned(),
            at: at.clone(),
        });
    }
    match header(records) {
        Some(header) if header.fingerprint != fingerprint => Err(JournalError::OtherCommand {
            dir: dir.to_owned(),
            command: header.command.clone(),
        }),
        _ => Ok(()),
    }
}

fn header(records: &[Record]) -> Option<&Header> {
    match records.first() {
        Some(Record::Started(header)) => Some(header),
        _ => None,
    }
}

/// Makes the names of new files in the folder survive a power cut.
fn sync_folder(dir: &Path) -> Result<(), JournalError> {
    File::open(dir)
        .and_then(|d| d.sync_all())
        .map_err(io_error("sync", dir))
}

fn io_error(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> JournalError {
    move |source| JournalError::Io {
        doing,
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests;
