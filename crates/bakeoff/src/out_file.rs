//! A file that exists completely or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::TempPath;

/// Beginning of the names of files that are not complete; a kill leaves them.
pub const UNFINISHED: &str = ".bakeoff-";
/// Longest name of a file that the names of unfinished ones contain, so that these are not too long for a filesystem.
const LONGEST_NAME: usize = 100;

/// A file that is written under a temporary name beside its own, and gets its own when it is complete and on the
/// disk. Devices and pipes, such as `/dev/stdout`, are written to directly.
///
/// The temporary file is always a new one, so that nothing is written through a link that somebody else
/// has put there.
pub struct OutFile {
    file: BufWriter<File>,
    path: PathBuf,
    /// Temporary path until the file is complete; `None` for devices and pipes. The file is removed with it.
    unfinished: Option<TempPath>,
    /// Whether a file that has the name already is replaced.
    replaces: bool,
}

impl OutFile {
    /// Begins a file that replaces the one that has its name, if there is one.
    pub fn create(path: &Path) -> Result<Self> {
        if is_special(path) {
            let opened = File::options().write(true).open(path);
            let file = opened.with_context(|| format!("cannot write {}", path.display()))?;
            return Ok(OutFile {
                file: BufWriter::new(file),
                path: path.to_owned(),
                unfinished: None,
                replaces: true,
            });
        }
        OutFile::begin(path, true)
    }

    /// Begins a file whose name Bakeoff chose, which replaces whatever has that name, even a link to a device.
    pub fn replace(path: &Path) -> Result<Self> {
        OutFile::begin(path, true)
    }

    /// Begins a file whose name nothing else may have.
    pub fn create_new(path: &Path) -> Result<Self> {
        if path.symlink_metadata().is_ok() {
            bail!(
                "{} of --out already exists: name another file, or remove it",
                path.display()
            );
        }
        OutFile::begin(path, false)
    }

    /// Lets nobody but the user read the file.
    pub fn private(self) -> Result<Self> {
        let set = { self.file.get_ref() }.set_permissions(Permissions::from_mode(0o600));
        set.with_context(|| format!("cannot keep {} from others", self.path.display()))?;
        Ok(self)
    }

    fn begin(path: &Path, replaces: bool) -> Result<Self> {
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let shown = path.display();
        match std::fs::metadata(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => bail!(
                "cannot write {shown}: there is no folder {}: make it first, or name another file",
                folder.display()
            ),
            Ok(found) if !found.is_dir() => {
                bail!("cannot write {shown}: {} is no folder", folder.display())
            }
            _ => {}
        }
        let created = tempfile::Builder::new()
            .prefix(&beginning(path))
            // As of any new file; the umask takes away from it.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder);
        // Its error names the temporary file, which nobody knows.
        let created = created.map_err(|error| io::Error::from(error.kind()));
        let created = created.with_context(|| format!("cannot write {shown}"))?;
        let (file, unfinished) = created.into_parts();
        Ok(OutFile {
            file: BufWriter::new(file),
            path: path.to_owned(),
            unfinished: Some(unfinished),
            replaces,
        })
    }

    /// Returns whether it is a terminal, as `/dev/stdout` may be.
    pub fn is_terminal(&self) -> bool {
        self.file.get_ref().is_terminal()
    }

    /// Gives the file its name, once all of it was written.
    pub fn complete(&mut self) -> Result<()> {
        self.name_it(true)
    }

    /// Gives the file its name, once it is on the disk if `syncs` is set.
    fn name_it(&mut self, syncs: bool) -> Result<()> {
        let cannot = || format!("cannot write {}", self.path.display());
        self.file.flush().with_context(cannot)?;
        let Some(unfinished) = self.unfinished.take() else {
            return Ok(());
        };
        if syncs {
            self.file.get_ref().sync_all().with_context(cannot)?;
        }
        let named = if self.replaces {
            unfinished.persist(&self.path)
        } else {
            unfinished.persist_noclobber(&self.path)
        };
        named.map_err(|failed| failed.error).with_context(cannot)
    }
}

/// Returns how the names of unfinished files of a path begin, which tells those of different files apart.
fn beginning(path: &Path) -> OsString {
    let mut beginning = OsString::from(UNFINISHED);
    let name = path.file_name().unwrap_or_default();
    if name.len() <= LONGEST_NAME {
        beginning.push(name);
        beginning.push("-");
    }
    beginning
}

/// Removes what commands that were killed have left of a file, which no other one may be writing. What cannot be removed
/// stays.
pub fn remove_unfinished(path: &Path) {
    let beginning = beginning(path);
    let is_of_it = |name: &OsStr| {
        let random = name.as_bytes().strip_prefix(beginning.as_bytes());
        random.is_some_and(|it| !it.is_empty() && it.iter().all(u8::is_ascii_alphanumeric))
    };
    let folder = path.parent().and_then(|folder| folder.read_dir().ok());
    for entry in folder.into_iter().flatten().flatten() {
        if is_of_it(&entry.file_name()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Returns whether a path leads to a device or a pipe, which is written to directly.
pub fn is_special(path: &Path) -> bool {
    // A redirected `/dev/stdout` is a link to a file, and must not be replaced by one.
    let is_device = ["/dev/std", "/dev/fd/", "/proc/"].iter().any(|name| {
        let path = path.to_string_lossy();
        path.starts_with(name)
    });
    is_device || path.metadata().is_ok_and(|found| !found.is_file())
}

/// Writes a file that replaces the one that has its name, and is there completely or not at all. It does not wait for the
/// disk, which others may be measuring: after a loss of power the file may be empty.
pub fn write_quickly(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = OutFile::replace(path)?;
    file.write_all(bytes)
        .with_context(|| format!("cannot write {}", path.display()))?;
    file.name_it(false)
}

impl Write for OutFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_gets_its_name_when_it_is_complete_and_replaces_a_link_instead_of_following_it() {
        let folder = tempfile::tempdir().unwrap();
        let (path, others) = (folder.path().join("a.csv"), folder.path().join("others"));
        fs::write(&others, "theirs").unwrap();
        symlink(&others, &path).unwrap();
        let mut file = OutFile::create(&path).unwrap();
        file.write_all(b"ours").unwrap();
        assert!(path.is_symlink());
        file.complete().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "ours");
        assert_eq!(fs::read_to_string(&others).unwrap(), "theirs");
        assert_eq!(names(folder.path()), ["a.csv", "others"]);
        let readable = fs::metadata(&path).unwrap().permissions().mode();
        assert_ne!(readable & 0o044, 0, "as any new file, others may read it");
    }

    #[test]
    fn what_is_written_quickly_replaces_what_was_there_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.html");
        for text in ["first", "second"] {
            write_quickly(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["a.html"]);
        let nowhere = folder.path().join("none/a.html");
        let error = write_quickly(&nowhere, b"x").unwrap_err();
        let error = format!("{error:#}");
        let names_it = error.contains("none/a.html: there is no folder ");
        assert!(names_it && !error.contains(".bakeoff-"), "{error}");
        let error = OutFile::create_new(&path.join("b.html")).err().unwrap();
        assert!(error.to_string().contains("a.html is no folder"), "{error}");
    }

    #[test]
    fn an_unfinished_file_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let mut file = OutFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn what_a_killed_command_left_of_a_file_is_known_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let other = OutFile::create(&folder.path().join("a.csv-b")).unwrap();
        // As a kill leaves it.
        std::mem::forget(OutFile::create(&path).unwrap());
        fs::write(&path, "complete").unwrap();
        assert_eq!(names(folder.path()).len(), 3);
        remove_unfinished(&path);
        let left = names(folder.path());
        assert!(left[0].starts_with(".bakeoff-a.csv-b-"), "{left:?}");
        assert_eq!(left[1..], ["a.csv"]);
        drop(other);
        // A name to which nothing can be added.
        let long = folder.path().join("n".repeat(255));
        OutFile::create(&long).unwrap().complete().unwrap();
        assert!(long.exists());
    }

    #[test]
    fn a_new_file_takes_no_name_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let mut file = OutFile::create_new(&path).unwrap();
        // A link that leads nowhere is somebody's, too.
        symlink(folder.path().join("nowhere"), &path).unwrap();
        assert!(OutFile::create_new(&path).is_err());
        assert!(file.complete().is_err());
        assert_eq!(names(folder.path()), ["a.csv"]);
    }
}
