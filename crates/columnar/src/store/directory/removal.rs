//! Dropping a table. Nothing is removed that is not certainly a part of it.

use std::fs::DirEntry;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::aside::{is_aside, is_kept};
use super::disk;
use super::files::{io, remove, sync_folder};
use super::layout::{
    CHUNKS, FRESH, Folder, LOCK, MANIFEST, TABLE, UNFINISHED, chunk_of, place_of, segment_of,
};
use super::writer::lock;
use crate::{Error, Result};

/// The contents of the folder of a table.
#[derive(Default)]
struct Contents {
    /// The names in the folder itself.
    names: Vec<String>,
    /// The files of chunks and fresh rows below it.
    files: Vec<PathBuf>,
    /// The folders below it, those inside of others first.
    folders: Vec<PathBuf>,
}

/// Returns the names of the files that an interrupted create or drop has left. There are none if the
/// folder has a table or something else.
pub fn remains(folder: &Folder) -> Result<Vec<String>> {
    let contents = match Contents::list(folder) {
        Err(Error::Invalid(_)) => return Ok(Vec::new()),
        contents => contents?,
    };
    Ok(if contents.has(TABLE) {
        Vec::new()
    } else {
        contents.names
    })
}

/// Removes a table or the remains of one with its folder, and returns whether there was anything.
pub fn drop_table(folder: &Folder) -> Result<bool> {
    if Contents::list(folder)?.names.is_empty() {
        return Ok(false);
    }
    let lock = lock(folder)?;
    // Another process may have written until the lock was taken.
    let contents = Contents::list(folder)?;
    // Without this file there is no table any more, whatever happens afterwards.
    remove(&folder.table())?;
    sync_folder(&folder.root)?;
    for file in &contents.files {
        remove(file)?;
    }
    for emptied in &contents.folders {
        disk::remove_folder(emptied).map_err(io("removing", emptied))?;
    }
    // The manifest goes late: as long as it is there, the remains are known to be those of a table.
    for name in UNFINISHED.into_iter().chain([MANIFEST, LOCK]) {
        remove(&folder.root.join(name))?;
    }
    drop(lock);
    // The folder may be the one that the caller works in: then an empty folder stays.
    let _ = disk::remove_folder(&folder.root);
    Ok(true)
}

impl Contents {
    /// Lists a folder.
    ///
    /// # Errors
    /// Fails if there is something that is not part of a table.
    fn list(folder: &Folder) -> Result<Contents> {
        let root = &folder.root;
        let mut contents = Contents::default();
        for entry in entries(root)? {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            match (name.as_str(), is_folder(&entry)?) {
                (TABLE | MANIFEST | LOCK, Some(false)) => {}
                (name, Some(false)) if UNFINISHED.contains(&name) => {}
                (CHUNKS, Some(true)) => contents.take(path, |name| chunk_of(name).is_some())?,
                (FRESH, Some(true)) => contents.take_places(root, path)?,
                (name, Some(true)) if is_aside(name) => contents.take(path, is_kept)?,
                _ => return Err(foreign(root, &path)),
            }
            contents.names.push(name);
        }
        contents.check_whose(folder)?;
        Ok(contents)
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|there| there == name)
    }

    /// Records the folders of fresh rows and their files.
    fn take_places(&mut self, root: &Path, fresh: PathBuf) -> Result<()> {
        for place in entries(&fresh)? {
            let name = place.file_name();
            let is_place = name.to_str().and_then(place_of).is_some();
            if !is_place || is_folder(&place)? != Some(true) {
                return Err(foreign(root, &place.path()));
            }
            self.take(place.path(), |name| segment_of(name).is_some())?;
        }
        self.folders.push(fresh);
        Ok(())
    }

    /// Records a folder and its files, which must have the names of a table's files.
    fn take(&mut self, folder: PathBuf, is_ours: fn(&str) -> bool) -> Result<()> {
        for entry in entries(&folder)? {
            let is_file = is_folder(&entry)? == Some(false);
            match entry.file_name().to_str() {
                Some(name) if is_file && is_ours(name) => self.files.push(entry.path()),
                _ => return Err(foreign(&folder, &entry.path())),
            }
        }
        self.folders.push(folder);
        Ok(())
    }

    /// Checks that this is a table. A table has a manifest, which is created before everything else and
    /// removed after everything else.
    fn check_whose(&self, folder: &Folder) -> Result<()> {
        let lock_is_empty = || {
            let length = disk::metadata(&folder.lock()).map(|found| found.len());
            !self.has(LOCK) || length.is_ok_and(|length| length == 0)
        };
        let is_a_beginning = !self.has(TABLE) && self.files.is_empty() && lock_is_empty();
        if self.has(MANIFEST) || is_a_beginning {
            Ok(())
        } else {
            Err(Error::Invalid(format!(
                "{} is not the folder of a columnar table: it has no `{MANIFEST}`; nothing was \
                 removed",
                folder.root.display()
            )))
        }
    }
}

/// Returns the entries of a folder, or none if there is no folder.
fn entries(folder: &Path) -> Result<Vec<DirEntry>> {
    match disk::list(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) if error.kind() == ErrorKind::NotADirectory => Err(Error::Invalid(format!(
            "{} is not a folder",
            folder.display()
        ))),
        entries => entries.map_err(io("listing folder", folder)),
    }
}

/// Returns whether an entry is a folder, or `None` if it is neither a folder nor a file, such as a
/// link.
fn is_folder(entry: &DirEntry) -> Result<Option<bool>> {
    let path = entry.path();
    let kind = entry.file_type().map_err(io("looking at", &path))?;
    Ok((kind.is_dir() || kind.is_file()).then_some(kind.is_dir()))
}

/// Returns the error of a file that is not part of a table.
fn foreign(folder: &Path, found: &Path) -> Error {
    let name = found.file_name().unwrap_or_default().to_string_lossy();
    Error::Invalid(format!(
        "{} has `{name}`, which is not part of a columnar table; nothing was removed",
        folder.display()
    ))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;

    /// A folder with all that a table may have.
    fn table() -> TempDir {
        let root = TempDir::new().unwrap();
        let file = |name: &str| fs::write(root.path().join(name), "x").unwrap();
        for folder in ["chunks", "fresh", "fresh/-3_0", "damaged-1"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        let names = [TABLE, MANIFEST, "manifest.new", "fresh/-3_0/17.log"];
        names.into_iter().for_each(file);
        file("damaged-1/-3_0-16.log-from-8");
        file(&format!("chunks/{}.chunk", Uuid::nil()));
        fs::write(root.path().join(LOCK), "").unwrap();
        root
    }

    fn dropped(root: &TempDir) -> Result<bool> {
        drop_table(&Folder::new(root.path()))
    }

    fn remains_of(root: &TempDir) -> Vec<String> {
        remains(&Folder::new(root.path())).unwrap()
    }

    fn why(root: &TempDir) -> String {
        match dropped(root) {
            Err(Error::Invalid(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_table_goes_with_its_folder() {
        let root = table();
        assert!(remains_of(&root).is_empty());
        assert!(dropped(&root).unwrap());
        assert!(!root.path().exists());
        assert!(!dropped(&root).unwrap());
    }

    #[test]
    fn what_an_interrupted_drop_has_left_goes_too() {
        let root = table();
        fs::remove_file(root.path().join(TABLE)).unwrap();
        fs::remove_dir_all(root.path().join(CHUNKS)).unwrap();
        let mut names = remains_of(&root);
        names.sort_unstable();
        assert_eq!(
            names,
            ["damaged-1", "fresh", "lock", "manifest", "manifest.new"]
        );
        assert!(dropped(&root).unwrap());
        fs::create_dir(root.path()).unwrap();
        assert!(!dropped(&root).unwrap());
        fs::write(root.path().join(LOCK), "").unwrap();
        assert!(dropped(&root).unwrap());
    }

    #[test]
    fn what_is_somebody_elses_stays_with_all_else() {
        let theirs = [
            "notes.txt",
            "chunks/x.chunk",
            "fresh/mine",
            "fresh/-3_0/x",
            "damaged-1/x",
        ];
        for name in theirs {
            let root = table();
            fs::write(root.path().join(name), "x").unwrap();
            assert!(why(&root).contains("nothing was removed"), "{name}");
            assert!(root.path().join(TABLE).exists(), "{name}");
        }
        let (root, other) = (table(), table());
        fs::remove_dir_all(root.path().join(CHUNKS)).unwrap();
        let link = root.path().join(CHUNKS);
        std::os::unix::fs::symlink(other.path().join(CHUNKS), link).unwrap();
        assert!(why(&root).contains("has `chunks`"));
        // Another program's file of the same name.
        let root = TempDir::new().unwrap();
        fs::write(root.path().join(TABLE), "{}").unwrap();
        assert!(why(&root).contains("has no `manifest`"));
    }

    #[test]
    fn a_table_that_is_written_stays() {
        let root = table();
        let writer = File::open(root.path().join(LOCK)).unwrap();
        writer.lock().unwrap();
        assert!(why(&root).contains("written or checked by another process"));
        assert!(root.path().join(TABLE).exists());
    }
}
