//! Folder of a server: its data, its log and its password.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::account::Account;
use super::secret::{Secret, random_password};
use crate::error::{Error, Result};
use crate::files::create_folder;

const DATA: &str = "data";
/// Name of the folder in which data are created, so that incomplete data of an interrupted start
/// are not used.
const NEW_DATA: &str = "data.new";
const LOG: &str = "postgresql.log";
const PREVIOUS_LOG: &str = "postgresql.previous.log";
const PASSWORD: &str = "password";
/// Folder in which every account may have a folder.
const ELSEWHERE: &str = "/var/tmp";

/// The folder of one server.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    /// The folder that was asked for.
    wanted: PathBuf,
    /// The folder that holds everything, which is another one if the account cannot reach the
    /// wanted one.
    path: PathBuf,
}

impl Folder {
    /// Creates the folder for that account, or opens the one that exists.
    ///
    /// # Errors
    /// Fails with `Io` when it cannot be written; `Refused` when it holds files of anything but a server.
    pub(crate) fn create(wanted: &Path, account: Option<&Account>) -> Result<Folder> {
        create_folder(wanted)?;
        let wanted = wanted.canonicalize().map_err(Error::io("find", wanted))?;
        check_contents(&wanted)?;
        let above = wanted.parent().unwrap_or(&wanted);
        let path = match account {
            Some(account) if !account.reaches(above) => substitute(&wanted),
            _ => wanted.clone(),
        };
        if path != wanted {
            make_private(&path, account)?;
        }
        if let Some(account) = account {
            account.own(&path)?;
        }
        // PostgreSQL requires this mode for its data, and the password is next to them.
        set_mode(&path, 0o700)?;
        Ok(Folder { wanted, path })
    }

    /// Returns the folder that was asked for.
    pub(crate) fn wanted(&self) -> &Path {
        &self.wanted
    }

    /// Returns the folder that holds everything.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path.join(DATA)
    }

    pub(crate) fn new_data(&self) -> PathBuf {
        self.path.join(NEW_DATA)
    }

    pub(crate) fn log(&self) -> PathBuf {
        log(&self.path)
    }

    pub(crate) fn previous_log(&self) -> PathBuf {
        self.path.join(PREVIOUS_LOG)
    }

    pub(crate) fn password_file(&self) -> PathBuf {
        self.path.join(PASSWORD)
    }

    /// Reads the superuser's password, which belongs to the existing data.
    pub(crate) fn password(&self) -> Result<Secret> {
        let path = self.password_file();
        let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
        Ok(Secret::new(text.trim()))
    }

    /// Writes a random password that only the account can read.
    pub(crate) fn write_password(&self, account: Option<&Account>) -> Result<()> {
        write_private(&self.password_file(), &random_password()?, account)
    }
}

/// Writes a file that only the account can read. An existing file is replaced, never opened: in a
/// folder that is not root's it could be a link to anywhere.
pub(crate) fn write_private(path: &Path, text: &str, account: Option<&Account>) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::io("replace", path)(error));
        }
        _ => {}
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(Error::io("write", path))?;
    if let Some(Account { uid, gid, .. }) = account {
        fchown(&file, Some(*uid), Some(*gid)).map_err(Error::io("change the owner of", path))?;
    }
    file.write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(Error::io("write", path))
}

/// Returns the log of a server with that folder.
pub(crate) fn log(path: &Path) -> PathBuf {
    path.join(LOG)
}

/// Removes all files that servers in that folder left, wherever they are; does nothing if there are
/// none.
///
/// # Errors
/// Fails with `Refused` when the folder holds something else, `Io` when something cannot be removed.
pub(crate) fn remove(wanted: &Path) -> Result<()> {
    let wanted = match wanted.canonicalize() {
        Ok(path) => path,
        Err(_) => std::path::absolute(wanted).map_err(Error::io("find", wanted))?,
    };
    for path in [substitute(&wanted), wanted] {
        if path.exists() {
            check_contents(&path)?;
            fs::remove_dir_all(&path).map_err(Error::io("remove", &path))?;
        }
    }
    Ok(())
}

/// Returns the folder of a server that cannot be in the folder that was asked for.
fn substitute(wanted: &Path) -> PathBuf {
    let hash = xxh3_64(wanted.as_os_str().as_encoded_bytes());
    Path::new(ELSEWHERE).join(format!("bakeoff-postgres-{hash:016x}"))
}

/// Checks that a folder holds only files of servers.
///
/// # Errors
/// Fails with `Refused` when it holds anything else.
fn check_contents(folder: &Path) -> Result<()> {
    let expected = HashSet::from([DATA, NEW_DATA, LOG, PREVIOUS_LOG, PASSWORD]);
    let entries = fs::read_dir(folder).map_err(Error::io("read", folder))?;
    let stranger = entries
        .flatten()
        .map(|entry| entry.file_name())
        .find(|name| !name.to_str().is_some_and(|name| expected.contains(name)));
    match stranger {
        None => Ok(()),
        Some(name) => Err(Error::Refused(format!(
            "{} holds '{}', which is not a file of a PostgreSQL server started by Bakeoff: choose an \
            empty folder",
            folder.display(),
            name.display()
        ))),
    }
}

/// Creates a folder in one that is writable for all users, or opens an own one that exists.
fn make_private(path: &Path, account: Option<&Account>) -> Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        made => return made.map_err(Error::io("create the folder", path)),
    }
    let found = fs::symlink_metadata(path).map_err(Error::io("read", path))?;
    let owners = [0, account.map_or(0, |account| account.uid)];
    if !found.is_dir() || !owners.contains(&found.uid()) {
        return Err(Error::Refused(format!(
            "{} is another user's: remove it, or choose a folder for the server that the user \
             PostgreSQL runs as can reach",
            path.display()
        )));
    }
    check_contents(path)
}

fn set_mode(path: &Path, mode: u32) -> Result<()> {
    fs::set_permissions(path, Permissions::from_mode(mode))
        .map_err(Error::io("change the mode of", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_files_of_others_is_neither_taken_nor_removed() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("server");
        let folder = Folder::create(&dir, None).unwrap();
        folder.write_password(None).unwrap();
        folder.write_password(None).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(folder.path()), mode(&folder.password_file())),
            (0o700, 0o600)
        );
        assert_eq!(folder.password().unwrap().reveal().len(), 48);
        fs::write(dir.join("thesis.txt"), "").unwrap();
        for error in [
            Folder::create(&dir, None).unwrap_err(),
            remove(&dir).unwrap_err(),
        ] {
            assert!(error.to_string().contains("holds 'thesis.txt'"), "{error}");
        }
        fs::remove_file(dir.join("thesis.txt")).unwrap();
        remove(&dir).unwrap();
        assert!(!dir.exists());
        remove(&dir).unwrap();
    }

    #[test]
    fn what_a_link_points_to_is_not_written() {
        let parent = tempfile::tempdir().unwrap();
        let (link, target) = (parent.path().join("link"), parent.path().join("target"));
        fs::write(&target, "kept").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write_private(&link, "new", None).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
        assert_eq!(fs::read_to_string(&link).unwrap(), "new");
    }

    #[test]
    fn a_link_is_not_taken_for_a_servers_folder() {
        let parent = tempfile::tempdir().unwrap();
        let link = parent.path().join("link");
        std::os::unix::fs::symlink(parent.path(), &link).unwrap();
        let error = make_private(&link, None).unwrap_err().to_string();
        assert!(error.contains("another user's"), "{error}");
    }
}
