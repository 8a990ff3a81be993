//! Holds the folder of a decision while a command works in it, and leaves it as it was if nothing came of that.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bakeoff_stats::{JournalError, LOCK_FILE, Run as SavedRun};

use super::{SAMPLE, WORKLOAD, final_plan, record};
use crate::out_file::remove_unfinished;

/// How often a lock is taken that another command removes at that moment, since it leaves the folder.
const TRIES: u32 = 10;
/// The files of a decision beside its measurements.
const FILES: [&str; 4] = [WORKLOAD, SAMPLE, record::FILE, final_plan::FILE];

/// The folder of a decision, in which no other command works until this is dropped.
pub struct Held<'a> {
    dir: &'a Path,
    /// The folders that were not there before.
    made: Vec<PathBuf>,
    lock: Lock,
}

/// The lock of a folder.
struct Lock {
    _file: File,
    /// Whether its file was there before.
    was_there: bool,
}

impl Held<'_> {
    /// Makes the folder if it is missing, and locks it.
    ///
    /// # Errors
    /// Fails if another command works in the folder, or if it cannot be made or locked; then nothing is left there.
    pub fn hold(dir: &Path) -> Result<Held<'_>> {
        let mut made = Vec::new();
        match lock(dir, &mut made) {
            Ok(lock) => Ok(Held { dir, made, lock }),
            Err(error) => {
                remove_folders(dir, &made);
                Err(error)
            }
        }
    }

    /// Removes what killed commands left of files of the decision that they had not completed.
    pub fn tidy(&self) {
        for name in FILES {
            remove_unfinished(&self.dir.join(name));
        }
    }

    /// Removes what was made in the folder before its measurement began, and the folders that were made for it, so that
    /// any command may use it. What cannot be removed stays, and is refused when it is in the way.
    pub fn undo(self) {
        self.tidy();
        // The lock comes last, so that no other command begins here meanwhile.
        for name in FILES.into_iter().chain([LOCK_FILE]) {
            let _ = std::fs::remove_file(self.dir.join(name));
        }
        remove_folders(self.dir, &self.made);
    }

    /// Gives back a folder that has turned out to be another one's, with all that is in it, but without what holding it
    /// has made.
    pub fn leave(self) {
        if !self.lock.was_there {
            let _ = std::fs::remove_file(self.dir.join(LOCK_FILE));
        }
        remove_folders(self.dir, &self.made);
    }
}

/// Removes those folders on the way to this one that were made, as far as they are empty.
fn remove_folders(dir: &Path, made: &[PathBuf]) {
    for folder in dir.ancestors().filter(|folder| is_among(made, folder)) {
        let _ = std::fs::remove_dir(folder);
    }
}

fn is_among(folders: &[PathBuf], folder: &Path) -> bool {
    folders.iter().any(|known| known == folder)
}

/// Makes a folder and locks it. The folders that are missing for it are added to those that were made.
fn lock(dir: &Path, made: &mut Vec<PathBuf>) -> Result<Lock> {
    for _ in 0..TRIES {
        if let Some(lock) = try_lock(dir, made)? {
            return Ok(lock);
        }
    }
    // A folder that is never there has another reason than other commands.
    std::fs::create_dir_all(dir).with_context(|| cannot_make(dir))?;
    Err(JournalError::Locked {
        dir: dir.to_owned(),
    }
    .into())
}

fn cannot_make(dir: &Path) -> String {
    format!("cannot make {}, the folder of the decision", dir.display())
}

/// Does as [`lock`] does. `None` if another command that leaves the folder has removed its lock at that moment, the
/// folder, or one above it.
fn try_lock(dir: &Path, made: &mut Vec<PathBuf>) -> Result<Option<Lock>> {
    // Looked for each time, since what another command had made may be gone.
    for folder in dir.ancestors().take_while(|folder| !folder.exists()) {
        if !is_among(made, folder) {
            made.push(folder.to_owned());
        }
    }
    match std::fs::create_dir_all(dir) {
        // One above it is gone, or it is gone since it was found to be there.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) => {
            return Ok(None);
        }
        done => done.with_context(|| cannot_make(dir))?,
    }
    let was_there = dir.join(LOCK_FILE).symlink_metadata().is_ok();
    match SavedRun::lock(dir) {
        Ok(file) if is_in(dir, &file) => Ok(Some(Lock {
            _file: file,
            was_there,
        })),
        Ok(_) => Ok(None),
        Err(JournalError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
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

    /// Returns the names of what is in a folder, in order.
    fn names(dir: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(dir).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn what_killed_commands_did_not_complete_goes_and_that_of_others_stays() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let ours = [
            ".bakeoff-workload.parquet-a1B2c3",
            ".bakeoff-workload.toml-a1B2c3",
            ".bakeoff-decide.txt-a1B2c3",
            ".bakeoff-final.txt-a1B2c3",
        ];
        let theirs = [
            ".bakeoff-a1B2c3",
            ".bakeoff-workload.parquet.csv-a1B2c3",
            ".bakeoff-workload.toml-",
            "workload.toml-a1B2c3",
        ];
        for name in ours.iter().chain(&theirs) {
            std::fs::write(dir.join(name), "").unwrap();
        }
        let held = Held::hold(dir).unwrap();
        held.tidy();
        assert!(ours.iter().all(|name| !dir.join(name).exists()));
        for name in ours {
            std::fs::write(dir.join(name), "").unwrap();
        }
        held.undo();
        assert_eq!(names(dir), theirs);
    }

    #[test]
    fn a_folder_of_others_is_given_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("mine");
        let held = Held::hold(&dir).unwrap();
        // Another command came first, or has left its lock.
        std::fs::write(dir.join(WORKLOAD), "theirs").unwrap();
        held.leave();
        assert_eq!(names(&dir), [WORKLOAD]);
        std::fs::write(dir.join(LOCK_FILE), "").unwrap();
        Held::hold(&dir).unwrap().leave();
        let mut left = [WORKLOAD, LOCK_FILE];
        left.sort_unstable();
        assert_eq!(names(&dir), left);
    }

    #[test]
    fn folders_that_another_command_removes_meanwhile_are_made_anew_and_removed_in_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("runs/mine");
        let other = Held::hold(&dir).unwrap();
        let mut made = Vec::new();
        assert!(try_lock(&dir, &mut made).is_err(), "the other one has it");
        assert!(made.is_empty(), "the other one made it");
        other.undo();
        assert!(!folder.path().join("runs").exists());
        let lock = try_lock(&dir, &mut made).unwrap().unwrap();
        let held = Held {
            dir: &dir,
            made,
            lock,
        };
        held.undo();
        assert!(!folder.path().join("runs").exists());
    }

    #[test]
    fn commands_that_come_and_go_in_one_folder_only_ever_wait_for_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("runs/mine");
        let come_and_go = || {
            for _ in 0..100 {
                match Held::hold(&dir) {
                    Ok(held) => {
                        std::fs::write(dir.join(WORKLOAD), "").unwrap();
                        held.undo();
                    }
                    Err(error) => {
                        let error = format!("{error:#}");
                        assert!(error.contains("another run is writing to"), "{error}");
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            let threads = [(); 3].map(|()| scope.spawn(come_and_go));
            for thread in threads {
                thread.join().unwrap();
            }
        });
        // One that came first but got no lock may have made a folder that is empty now.
        assert!(!dir.exists() || names(&dir).is_empty());
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
