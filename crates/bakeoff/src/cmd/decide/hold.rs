//! Holds the folder of a decision while a command works in it, and leaves it as it was if nothing came of that.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bakeoff_stats::{JournalError, LOCK_FILE, Run as SavedRun};

use super::{SAMPLE, WORKLOAD, record};

/// How often a lock is taken that another command removes at that moment, since it leaves the folder.
const TRIES: u32 = 10;

/// The folder of a decision, in which no other command works until this is dropped.
pub struct Held<'a> {
    dir: &'a Path,
    /// The folders that were made for it, itself first; none if it was there.
    made: Vec<PathBuf>,
    _lock: File,
}

impl Held<'_> {
    /// Makes the folder if it is missing, and locks it.
    ///
    /// # Errors
    /// Fails if another command works in the folder, or if it cannot be made or locked; then nothing is left there.
    pub fn hold(dir: &Path) -> Result<Held<'_>> {
        let made = missing(dir);
        match lock(dir) {
            Ok(lock) => Ok(Held {
                dir,
                made,
                _lock: lock,
            }),
            Err(error) => {
                remove_folders(&made);
                Err(error)
            }
        }
    }

    /// Removes what was made in the folder before its measurement began, and the folders that were made for it, so that
    /// any command may use it. What cannot be removed stays, and is refused when it is in the way.
    pub fn undo(self) {
        // The lock comes last, so that no other command begins here meanwhile.
        for name in [WORKLOAD, SAMPLE, record::FILE, LOCK_FILE] {
            let _ = std::fs::remove_file(self.dir.join(name));
        }
        remove_folders(&self.made);
    }
}

/// Returns the folders that have to be made for this one, which comes first.
fn missing(dir: &Path) -> Vec<PathBuf> {
    let missing = dir.ancestors().take_while(|folder| !folder.exists());
    missing.map(Path::to_owned).collect()
}

/// Removes folders as far as they are empty.
fn remove_folders(folders: &[PathBuf]) {
    for folder in folders {
        let _ = std::fs::remove_dir(folder);
    }
}

/// Makes a folder and locks it.
fn lock(dir: &Path) -> Result<File> {
    for _ in 0..TRIES {
        std::fs::create_dir_all(dir).with_context(|| {
            format!("cannot make {}, the folder of the decision", dir.display())
        })?;
        match SavedRun::lock(dir) {
            Ok(lock) if is_in(dir, &lock) => return Ok(lock),
            // Another command that leaves the folder has removed the lock, or all of it.
            Ok(_) => {}
            Err(_) if !dir.exists() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(JournalError::Locked {
        dir: dir.to_owned(),
    }
    .into())
}

/// Returns whether the file that was locked is the one that others find in the folder.
fn is_in(dir: &Path, lock: &File) -> bool {
    let locked = lock.metadata().map(|it| (it.dev(), it.ino()));
    let found = std::fs::metadata(dir.join(LOCK_FILE)).map(|it| (it.dev(), it.ino()));
    matches!((locked, found), (Ok(locked), Ok(found)) if locked == found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_once_and_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("runs/mine");
        let held = Held::hold(&dir).unwrap();
        let error = Held::hold(&dir).err().unwrap().to_string();
        assert!(error.contains("another run is writing to"), "{error}");
        std::fs::write(dir.join(WORKLOAD), "").unwrap();
        held.undo();
        assert!(!folder.path().join("runs").exists(), "it was made for this");
        // A folder that was there stays, and so do files of others.
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("theirs"), "").unwrap();
        Held::hold(&dir).unwrap().undo();
        let left = std::fs::read_dir(&dir).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["theirs"]);
        drop(Held::hold(&dir).unwrap());
        assert!(Held::hold(&dir).is_ok(), "it was given back");
    }

    #[test]
    fn a_lock_that_was_removed_holds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let old = SavedRun::lock(dir).unwrap();
        assert!(is_in(dir, &old));
        std::fs::remove_file(dir.join(LOCK_FILE)).unwrap();
        assert!(!is_in(dir, &old));
        let new = Held::hold(dir).unwrap();
        assert!(!is_in(dir, &old), "another file has the name now");
        drop(new);
    }
}
