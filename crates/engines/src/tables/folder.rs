//! Dropping a columnar table in a folder: nothing is removed that is not surely a part of it.

use std::ffi::OsStr;
use std::fs::{self, DirEntry, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use uuid::Uuid;

use super::TableError;

const TABLE: &str = "table.json";
const MANIFEST: &str = "manifest";
const LOCK: &str = "lock";
const CHUNKS: &str = "chunks";
const FRESH: &str = "fresh";
/// Files that are being written anew.
const UNFINISHED: [&str; 2] = ["table.new", "manifest.new"];

/// A process that just ended may hold the lock for a moment.
const LOCK_ATTEMPTS: u32 = 25;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// All that is in the folder of a table.
#[derive(Default)]
struct Contents {
    /// Names in the folder itself.
    names: Vec<String>,
    /// Files below it, of chunks and of fresh rows.
    files: Vec<PathBuf>,
    /// Folders, those inside of others first.
    folders: Vec<PathBuf>,
}

/// What a create or a drop that did not end has left, by name; nothing where there is a table, or
/// something else.
pub fn remains(root: &Path) -> Result<Vec<String>, TableError> {
    let contents = match look(root) {
        Err(TableError::Asked(_)) => return Ok(Vec::new()),
        contents => contents?,
    };
    Ok(match contents.has(TABLE) {
        true => Vec::new(),
        false => contents.names,
    })
}

/// Removes a table with its folder; tells whether there was anything of one.
pub fn drop(root: &Path) -> Result<bool, TableError> {
    if look(root)?.names.is_empty() {
        return Ok(false);
    }
    let lock = lock(root)?;
    // Another process may have written until the lock was taken.
    let contents = look(root)?;
    // Without it there is no table any more, whatever happens then.
    remove(&root.join(TABLE))?;
    let synced = File::open(root).and_then(|folder| folder.sync_all());
    synced.map_err(|error| failed("sync", root, &error))?;
    for file in &contents.files {
        remove(file)?;
    }
    for folder in &contents.folders {
        fs::remove_dir(folder).map_err(|error| failed("remove", folder, &error))?;
    }
    // The manifest goes late: with it what is left is known to be a table's.
    for name in UNFINISHED.into_iter().chain([MANIFEST, LOCK]) {
        remove(&root.join(name))?;
    }
    std::mem::drop(lock);
    // An empty folder is in nobody's way: it may be the one that the caller is in.
    let _ = fs::remove_dir(root);
    Ok(true)
}

/// # Errors
/// If there is something that is no part of a table.
fn look(root: &Path) -> Result<Contents, TableError> {
    let mut contents = Contents::default();
    for entry in entries(root)? {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = is_folder(&entry)?;
        match (name.as_str(), is_folder) {
            (TABLE | MANIFEST | LOCK, Some(false)) => {}
            (name, Some(false)) if UNFINISHED.contains(&name) => {}
            (CHUNKS, Some(true)) => contents.take_files(path, is_chunk)?,
            (FRESH, Some(true)) => {
                for place in entries(&path)? {
                    match is_folder_of_place(&place)? {
                        true => contents.take_files(place.path(), is_segment)?,
                        false => return Err(foreign(root, &place.path())),
                    }
                }
                contents.folders.push(path);
            }
            _ => return Err(foreign(root, &path)),
        }
        contents.names.push(name);
    }
    contents.check_whose(root)?;
    Ok(contents)
}

impl Contents {
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|there| there == name)
    }

    /// The files of a folder, which have to have such names, and the folder.
    fn take_files(&mut self, folder: PathBuf, is_ours: fn(&str) -> bool) -> Result<(), TableError> {
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

    /// A table has its manifest before it has anything else, and loses it after all else.
    fn check_whose(&self, root: &Path) -> Result<(), TableError> {
        let is_empty = |name: &str| {
            let length = root.join(name).metadata().map(|found| found.len());
            !self.has(name) || length.is_ok_and(|length| length == 0)
        };
        let is_a_beginning = !self.has(TABLE) && self.files.is_empty() && is_empty(LOCK);
        match self.has(MANIFEST) || is_a_beginning {
            true => Ok(()),
            false => Err(TableError::Asked(format!(
                "{} is not the folder of a columnar table: it has no `{MANIFEST}`; nothing was \
                 removed",
                root.display()
            ))),
        }
    }
}

/// Of a folder that may not be there.
fn entries(folder: &Path) -> Result<Vec<DirEntry>, TableError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            let text = format!("{} is no folder", folder.display());
            return Err(TableError::Asked(text));
        }
        entries => entries.map_err(|error| failed("list", folder, &error))?,
    };
    let entries: io::Result<Vec<DirEntry>> = entries.collect();
    entries.map_err(|error| failed("list", folder, &error))
}

/// None for what is neither a folder nor a file, such as a link.
fn is_folder(entry: &DirEntry) -> Result<Option<bool>, TableError> {
    let kind = entry.file_type();
    let kind = kind.map_err(|error| failed("look at", &entry.path(), &error))?;
    Ok((kind.is_dir() || kind.is_file()).then_some(kind.is_dir()))
}

fn is_folder_of_place(entry: &DirEntry) -> Result<bool, TableError> {
    let is_place = |name: &OsStr| {
        let (bucket, shard) = name.to_str()?.split_once('_')?;
        Some(bucket.parse::<i64>().is_ok() && shard.parse::<u32>().is_ok())
    };
    Ok(is_folder(entry)? == Some(true) && is_place(&entry.file_name()) == Some(true))
}

fn is_chunk(name: &str) -> bool {
    let id = name.strip_suffix(".chunk");
    id.is_some_and(|id| Uuid::try_parse(id).is_ok())
}

fn is_segment(name: &str) -> bool {
    let number = name.strip_suffix(".log");
    number.is_some_and(|number| number.parse::<u64>().is_ok())
}

/// The lock of the one process that writes, where there is a file for it.
fn lock(root: &Path) -> Result<Option<File>, TableError> {
    let path = root.join(LOCK);
    let file = match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(|error| failed("open", &path, &error))?,
    };
    for _ in 0..LOCK_ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(failed("lock", &path, &error)),
        }
    }
    Err(TableError::Asked(format!(
        "another process writes the table in {}; nothing was removed",
        root.display()
    )))
}

/// Removes a file that may be gone already.
fn remove(path: &Path) -> Result<(), TableError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed("remove", path, &error)),
        _ => Ok(()),
    }
}

fn failed(what: &str, path: &Path, error: &io::Error) -> TableError {
    TableError::Failed(format!("cannot {what} {}: {error}", path.display()))
}

fn foreign(folder: &Path, found: &Path) -> TableError {
    let name = found.file_name().unwrap_or_default().to_string_lossy();
    TableError::Asked(format!(
        "{} has `{name}`, which is no part of a columnar table; nothing was removed",
        folder.display()
    ))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    /// A folder with all that a table may have.
    fn table() -> TempDir {
        let root = TempDir::new().unwrap();
        let file = |name: &str| fs::write(root.path().join(name), "x").unwrap();
        for folder in ["chunks", "fresh", "fresh/-3_0"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        let names = [TABLE, MANIFEST, "manifest.new", "fresh/-3_0/17.log"];
        names.into_iter().for_each(file);
        file(&format!("chunks/{}.chunk", Uuid::nil()));
        fs::write(root.path().join(LOCK), "").unwrap();
        root
    }

    fn why(root: &Path) -> String {
        match drop(root) {
            Err(TableError::Asked(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_table_goes_with_its_folder() {
        let root = table();
        assert!(remains(root.path()).unwrap().is_empty());
        assert!(drop(root.path()).unwrap());
        assert!(!root.path().exists());
        assert!(!drop(root.path()).unwrap());
    }

    #[test]
    fn what_an_interrupted_drop_has_left_goes_too() {
        let root = table();
        fs::remove_file(root.path().join(TABLE)).unwrap();
        fs::remove_dir_all(root.path().join(CHUNKS)).unwrap();
        let mut names = remains(root.path()).unwrap();
        names.sort_unstable();
        assert_eq!(names, ["fresh", "lock", "manifest", "manifest.new"]);
        assert!(drop(root.path()).unwrap());
        fs::create_dir(root.path()).unwrap();
        assert!(!drop(root.path()).unwrap());
        fs::write(root.path().join(LOCK), "").unwrap();
        assert!(drop(root.path()).unwrap());
    }

    #[test]
    fn what_is_somebody_elses_stays_with_all_else() {
        for name in ["notes.txt", "chunks/x.chunk", "fresh/mine", "fresh/-3_0/x"] {
            let root = table();
            fs::write(root.path().join(name), "x").unwrap();
            assert!(why(root.path()).contains("nothing was removed"), "{name}");
            assert!(root.path().join(TABLE).exists(), "{name}");
        }
        let (root, other) = (table(), table());
        fs::remove_dir_all(root.path().join(CHUNKS)).unwrap();
        let link = root.path().join(CHUNKS);
        std::os::unix::fs::symlink(other.path().join(CHUNKS), link).unwrap();
        assert!(why(root.path()).contains("has `chunks`"));
        // Another program's file of the same name.
        let root = TempDir::new().unwrap();
        fs::write(root.path().join(TABLE), "{}").unwrap();
        assert!(why(root.path()).contains("has no `manifest`"));
    }

    #[test]
    fn a_table_that_is_written_stays() {
        let root = table();
        let writer = File::open(root.path().join(LOCK)).unwrap();
        writer.lock().unwrap();
        assert!(why(root.path()).contains("another process writes"));
        assert!(root.path().join(TABLE).exists());
    }
}
