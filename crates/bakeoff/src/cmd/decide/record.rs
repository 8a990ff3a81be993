//! The note in the folder of a decision that says which command it is of, so that the same one goes on with it.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use bakeoff_stats::LOCK_FILE;
use xxhash_rust::xxh3::xxh3_64;

use super::Decide;
use super::source::Source;
use crate::cmd::measure::folder::is_empty;
use crate::cmd::options::table_file::AskedOfTable;
use crate::out_file::{OutFile, UNFINISHED};

/// Name of the note.
pub const FILE: &str = "decide.txt";
/// First words of its lines.
const FINGERPRINT: &str = "fingerprint ";
const VERSION: &str = "version ";
const COMMAND: &str = "command ";

/// What a folder holds a decision of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Hash of everything that has to be the same for a command to go on with another one's decision.
    fingerprint: String,
    /// Hash of what the files that the command names were then.
    version: String,
    /// The command that began it, for messages, as a shell takes it: it may have several lines.
    command: String,
}

impl Record {
    /// Makes the note of a command.
    ///
    /// # Errors
    /// Fails with a misuse if its workload cannot be read or is invalid.
    pub fn new(options: &Decide, source: &Source, questions: &AskedOfTable) -> Result<Record> {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // An address is the same in every folder.
        let from = if source.is_live() {
            options.from.clone()
        } else {
            absolute(&options.from)
        };
        let data = options.data.as_deref().map(absolute);
        let parts = (
            env!("CARGO_PKG_VERSION"),
            (from, source, &options.asked, questions),
            (data, &options.of_table, &options.from_ca),
            options.budget,
            (&options.cluster.cassandra, options.postgres.url()),
        );
        let mut fingerprint = format!("{parts:?}");
        // Without them it is that of earlier builds, whose decisions go on.
        if options.load.given().is_some() {
            fingerprint += &format!("{:?}", options.load);
        }
        if options.all_designs.is_given() {
            fingerprint += "--all-designs";
        }
        Ok(Record {
            fingerprint: hash(&fingerprint),
            version: hash(&source.version(&options.from, options.data.as_deref())?),
            command: crate::cmd::command_line(),
        })
    }

    /// Returns whether both are of the same decision, whatever the order of their options.
    pub fn is_same(&self, other: &Record) -> bool {
        (&self.fingerprint, &self.version) == (&other.fingerprint, &other.version)
    }

    /// Reads the note of a folder; `None` if it has none.
    ///
    /// # Errors
    /// Fails if the note cannot be read, or is none of this program.
    pub fn read(dir: &Path) -> Result<Option<Record>> {
        let path = dir.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let record = parse(&text).ok_or_else(|| {
            anyhow!(
                "{} does not say which decision the folder holds: name another folder with --out",
                path.display()
            )
        })?;
        Ok(Some(record))
    }

    /// Checks that a folder is new or empty, or holds what the same command began.
    ///
    /// # Errors
    /// Fails with what is in it. As for a run's folder, that is no mistake of the command line.
    pub fn check(&self, dir: &Path) -> Result<()> {
        let there = match Record::read(dir)? {
            Some(there) if there.is_same(self) => return Ok(()),
            Some(there) if there.fingerprint == self.fingerprint => {
                "a decision for the file or the workload as it was before it changed: name a new folder with --out"
                    .to_owned()
            }
            Some(there) => format!(
                "the decision of another command, `{}`: repeat that one, or name a new folder with --out",
                there.command
            ),
            None if is_unused(dir) => return Ok(()),
            None => "other files: name a new folder with --out".to_owned(),
        };
        bail!("{} holds {there}", dir.display())
    }

    /// Writes the note; the folder has to be there.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join(FILE);
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{FINGERPRINT}{}", self.fingerprint);
        let _ = writeln!(text, "{VERSION}{}", self.version);
        let _ = writeln!(text, "{COMMAND}{}", self.command);
        let mut file = OutFile::replace(&path)?;
        file.write_all(text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        file.complete()
    }
}

/// Returns whether a folder is new or empty, but for the lock of a command that has completed no other file in it.
pub fn is_unused(dir: &Path) -> bool {
    let is_ours = |entry: std::io::Result<std::fs::DirEntry>| {
        let name = entry.map(|entry| entry.file_name());
        name.is_ok_and(|name| name == LOCK_FILE || name.to_string_lossy().starts_with(UNFINISHED))
    };
    is_empty(dir) || std::fs::read_dir(dir).is_ok_and(|mut entries| entries.all(is_ours))
}

/// Reads a note, at whose end the command is: an argument may have line breaks.
fn parse(text: &str) -> Option<Record> {
    let mut parts = text.splitn(3, '\n');
    let fingerprint = parts.next()?.strip_prefix(FINGERPRINT)?.to_owned();
    let version = parts.next()?.strip_prefix(VERSION)?.to_owned();
    let command = parts.next()?.strip_prefix(COMMAND)?;
    let command = command.strip_suffix('\n').unwrap_or(command).to_owned();
    Some(Record {
        fingerprint,
        version,
        command,
    })
}

fn hash(text: &str) -> String {
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(fingerprint: &str) -> Record {
        Record {
            fingerprint: fingerprint.to_owned(),
            version: "v".to_owned(),
            command: "bakeoff decide a.csv".to_owned(),
        }
    }

    #[test]
    fn a_command_of_several_lines_is_read_back_as_it_was_and_an_old_note_as_ever() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let question = "--question 'SELECT a, -- the first\r\n  b FROM t\n'";
        let several = Record {
            command: format!("bakeoff decide a.csv {question}"),
            ..record("1")
        };
        several.write(dir).unwrap();
        assert_eq!(Record::read(dir).unwrap(), Some(several.clone()));
        let error = record("2").check(dir).unwrap_err().to_string();
        assert!(error.contains(&several.command), "{error}");
        let old = "fingerprint 1\nversion v\ncommand bakeoff decide a.csv\n";
        assert_eq!(parse(old), Some(record("1")));
        assert_eq!(parse("fingerprint 1\nversion v\n"), None);
    }

    #[test]
    fn a_folder_is_gone_on_with_by_the_same_command_only() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let mine = record("1");
        assert!(mine.check(dir).is_ok(), "it is empty");
        assert!(mine.check(&dir.join("new")).is_ok());
        mine.write(dir).unwrap();
        assert_eq!(Record::read(dir).unwrap(), Some(mine.clone()));
        assert!(mine.check(dir).is_ok());
        let error = record("2").check(dir).unwrap_err().to_string();
        assert!(
            error.contains("`bakeoff decide a.csv`: repeat that one"),
            "{error}"
        );
        let changed = Record {
            version: "w".to_owned(),
            ..mine.clone()
        };
        assert!(!changed.is_same(&mine));
        let error = changed.check(dir).unwrap_err().to_string();
        assert!(error.contains("as it was before it changed"), "{error}");
        std::fs::write(dir.join(FILE), "mine").unwrap();
        let error = mine.check(dir).unwrap_err().to_string();
        assert!(error.contains("--out"), "{error}");
        std::fs::remove_file(dir.join(FILE)).unwrap();
        std::fs::write(dir.join("theirs"), "").unwrap();
        let error = mine.check(dir).unwrap_err().to_string();
        assert!(
            error.contains("holds other files: name a new folder"),
            "{error}"
        );
        std::fs::remove_file(dir.join("theirs")).unwrap();
        std::fs::write(dir.join(LOCK_FILE), "").unwrap();
        std::fs::write(dir.join(format!("{UNFINISHED}x")), "").unwrap();
        assert!(mine.check(dir).is_ok(), "a command was killed in its note");
        let link = dir.join("link");
        std::os::unix::fs::symlink(dir.join("nowhere"), &link).unwrap();
        assert!(!is_empty(&link), "a link that leads nowhere is somebody's");
    }
}
