//! A file that exists completely or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
#[cfg(test)]
use bakeoff_testing::calls;
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
    file: BufWriter<Raw>,
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
            let opened = call(|| File::options().write(true).open(path));
            let file = opened.with_context(|| format!("cannot write {}", path.display()))?;
            return Ok(OutFile {
                file: BufWriter::new(Raw(file)),
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
        let Raw(file) = self.file.get_ref();
        let set = call(|| file.set_permissions(Permissions::from_mode(0o600)));
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
        let created = call(|| {
            tempfile::Builder::new()
                .prefix(&beginning(path))
                // As of any new file; the umask takes away from it.
                .permissions(Permissions::from_mode(0o666))
                .tempfile_in(folder)
        });
        // Its error names the temporary file, which nobody knows.
        let created = created.map_err(|error| io::Error::from(error.kind()));
        let created = created.with_context(|| format!("cannot write {shown}"))?;
        let (file, unfinished) = created.into_parts();
        Ok(OutFile {
            file: BufWriter::new(Raw(file)),
            path: path.to_owned(),
            unfinished: Some(unfinished),
            replaces,
        })
    }

    /// Returns whether it is a terminal, as `/dev/stdout` may be.
    pub fn is_terminal(&self) -> bool {
        self.file.get_ref().0.is_terminal()
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
            call(|| self.file.get_ref().0.sync_all()).with_context(cannot)?;
        }
        let named = call(|| {
            let named = if self.replaces {
                unfinished.persist(&self.path)
            } else {
                unfinished.persist_noclobber(&self.path)
            };
            named.map_err(|failed| failed.error)
        });
        named.with_context(cannot)
    }
}

/// A file, each write to which is a call to the system.
struct Raw(File);

impl Write for Raw {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        #[cfg(test)]
        let bytes = calls::begin_write(bytes)?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Makes a call to the system; tests let it fail.
fn call<T>(make: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    #[cfg(test)]
    calls::begin()?;
    make()
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
mod tests;
