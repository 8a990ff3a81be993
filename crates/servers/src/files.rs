//! Writing files so that a crash leaves either the old or the new one.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Advice, fadvise};

use crate::error::{Error, Result};
use crate::log::open_of_others;
use crate::machine::existing;

const LOCK_POLL: Duration = Duration::from_millis(100);
/// The highest number of names that are tried for a file, since a killed process may have left some.
const TRIAL_NAMES: u32 = 100;

pub(crate) fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(Error::io("create the folder", path))
}

/// Checks that files can be created in a folder, or, if it does not exist, in the nearest existing
/// folder above it. An empty file with a unique name is created and removed, since permissions say
/// nothing about root or about a disk that is mounted read-only.
///
/// # Errors
/// Returns the reason why files cannot be created.
pub fn try_writing(folder: &Path) -> std::io::Result<()> {
    let there = existing(folder);
    if !there.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    let tried = (0..TRIAL_NAMES).find_map(|number| try_file(&trial_file(there, number)));
    tried.unwrap_or_else(|| Err(ErrorKind::AlreadyExists.into()))
}

/// Creates and removes a file. Returns `None` if a file of that name exists, which is left alone.
fn try_file(path: &Path) -> Option<std::io::Result<()>> {
    match File::create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => None,
        made => Some(made.and_then(|_| fs::remove_file(path))),
    }
}

fn trial_file(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!(".bakeoff-{}-{number}", std::process::id()))
}

/// Writes the whole file, and syncs it and its folder before it appears under its name.
pub(crate) fn write_synced(path: &Path, content: &str) -> Result<()> {
    let temporary = path.with_extension("new");
    let file = File::create(&temporary).map_err(Error::io("write", &temporary))?;
    write_and_rename(file, &temporary, path, content)
}

/// Does the same with a file that only its owner can read, from its first byte on.
pub(crate) fn write_private(path: &Path, content: &str) -> Result<()> {
    let temporary = path.with_extension("new");
    let file = recreate(&temporary, 0o600)?;
    write_and_rename(file, &temporary, path, content)
}

/// Creates a file, and deletes what has its name before: it may be a link that somebody has put there.
pub(crate) fn recreate(path: &Path, mode: u32) -> Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(Error::io("replace", path)(error));
        }
        _ => {}
    }
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
        .map_err(Error::io("write", path))
}

fn write_and_rename(mut file: File, temporary: &Path, path: &Path, content: &str) -> Result<()> {
    file.write_all(content.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(Error::io("write", temporary))?;
    fs::rename(temporary, path).map_err(Error::io("write", path))?;
    match path.parent() {
        Some(folder) => File::open(folder)
            .and_then(|f| f.sync_all())
            .map_err(Error::io("sync", folder)),
        None => Ok(()),
    }
}

/// Drops the pages of all files below that folder from the page cache, after syncing them.
pub(crate) fn evict(folder: &Path) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(Error::io("read", folder))?;
    for entry in entries.flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => evict(&path)?,
            Ok(kind) if kind.is_file() => evict_file(&path).map_err(Error::io("evict", &path))?,
            _ => {}
        }
    }
    Ok(())
}

fn evict_file(path: &Path) -> std::io::Result<()> {
    let file = open_of_others(path)?;
    // Pages that are not yet written cannot be dropped.
    file.sync_data()?;
    Ok(fadvise(&file, 0, None, Advice::DontNeed)?)
}

/// Waits for an exclusive lock, which ends when the returned file is dropped or with the process.
///
/// # Errors
/// Fails with `Refused` when another process holds it for longer than `limit`.
pub(crate) async fn lock(path: &Path, limit: Duration) -> Result<File> {
    let file = File::create(path).map_err(Error::io("write", path))?;
    let deadline = Instant::now() + limit;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::Error(error)) => return Err(Error::io("lock", path)(error)),
            Err(fs::TryLockError::WouldBlock) if Instant::now() >= deadline => {
                return Err(Error::Refused(format!(
                    "another Bakeoff has been busy with {} for {} s; wait for it or stop it",
                    path.display(),
                    limit.as_secs()
                )));
            }
            Err(fs::TryLockError::WouldBlock) => tokio::time::sleep(LOCK_POLL).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_testing::{Disk, names_in};

    use super::*;

    #[test]
    fn replaces_a_file_and_leaves_no_temporary_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write_synced(&path, "old").unwrap();
        write_synced(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_created_in_the_place_of_a_link_and_not_through_it() {
        let folder = tempfile::tempdir().unwrap();
        let (theirs, link) = (folder.path().join("theirs"), folder.path().join("link"));
        fs::write(&theirs, "kept").unwrap();
        std::os::unix::fs::symlink(&theirs, &link).unwrap();
        let mut file = recreate(&link, 0o600).unwrap();
        file.write_all(b"ours").unwrap();
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "kept");
        assert_eq!(fs::read_to_string(&link).unwrap(), "ours");
        recreate(&link, 0o600).unwrap();
        assert_eq!(fs::read_to_string(&link).unwrap(), "");
    }

    #[test]
    fn files_are_evicted_and_stay_what_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        create_folder(&inner).unwrap();
        fs::write(inner.join("a"), "kept").unwrap();
        evict(folder.path()).unwrap();
        assert_eq!(fs::read_to_string(inner.join("a")).unwrap(), "kept");
        let error = evict(Path::new("/nowhere")).unwrap_err().to_string();
        assert!(error.contains("/nowhere"), "{error}");
    }

    #[tokio::test]
    async fn a_held_lock_is_waited_for_and_then_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = lock(&path, Duration::ZERO).await.unwrap();
        let error = lock(&path, Duration::ZERO).await.unwrap_err();
        assert!(error.to_string().contains("another Bakeoff"), "{error}");
        drop(held);
        lock(&path, Duration::ZERO).await.unwrap();
    }

    #[test]
    fn trying_to_write_leaves_a_folder_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let left_behind = trial_file(folder.path(), 0);
        fs::write(&left_behind, "kept").unwrap();
        let before = names_in(folder.path());
        try_writing(folder.path()).unwrap();
        try_writing(&folder.path().join("not/there/yet")).unwrap();
        assert_eq!(names_in(folder.path()), before);
        assert_eq!(fs::read_to_string(&left_behind).unwrap(), "kept");
        let error = try_writing(&left_behind.join("below")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotADirectory);
    }

    #[test]
    fn what_the_permissions_allow_root_is_tried() {
        for folder in ["/proc", "/proc/nothing/here"] {
            assert!(try_writing(Path::new(folder)).is_err(), "{folder}");
        }
        let folder = tempfile::tempdir().unwrap();
        let Some(disk) = Disk::mount(folder.path(), "ro") else {
            return;
        };
        let error = try_writing(&disk.folder().join("below")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ReadOnlyFilesystem);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let error = create_folder(Path::new("/proc/nothing/here")).unwrap_err();
        assert!(error.to_string().contains("/proc/nothing/here"), "{error}");
    }
}
