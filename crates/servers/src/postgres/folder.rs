//! Folder of a server: its data, its log and its password.

use std::collections::HashSet;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::secret::{Secret, random_hex, random_password};
use crate::account::Account;
use crate::error::{Error, Result};
use crate::files::create_folder;
use crate::opened::OpenFolder;

pub(crate) const DATA: &str = "data";
/// Beginning of the names of folders in which data are created, so that incomplete data of an interrupted
/// start are not used.
const NEW_DATA: &str = "data.new";
const NEW_DATA_BYTES: usize = 4;
pub(crate) const LOG: &str = "postgresql.log";
pub(crate) const PREVIOUS_LOG: &str = "postgresql.previous.log";
const PASSWORD: &str = "password";
/// File with the password by which a standby logs in to its primary.
const PGPASS: &str = "primary.pgpass";
/// Folder for the folders of servers whose account cannot reach the wanted one. It is root's, so that none of
/// them can be moved away by the account that owns it.
const ELSEWHERE: &str = "/var/tmp/bakeoff-postgres";

/// The folder of one server.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    /// The folder that was asked for.
    wanted: PathBuf,
    /// The folder that holds everything, which is another one if the account cannot reach the
    /// wanted one.
    path: PathBuf,
    /// The same folder. What root writes there is written in it, since its path may come to lead elsewhere.
    opened: OpenFolder,
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
        let opened = if path == wanted {
            OpenFolder::open(&path)?
        } else {
            make_private(&path, account)?
        };
        if let Some(account) = account {
            opened.give_to(account)?;
        }
        // PostgreSQL requires this mode for its data, and the password is next to them.
        opened.set_mode(0o700)?;
        Ok(Folder {
            wanted,
            path,
            opened,
        })
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

    /// Returns the name of a folder for new data that no other start uses.
    pub(crate) fn new_data(&self) -> Result<String> {
        Ok(format!("{NEW_DATA}.{}", random_hex::<NEW_DATA_BYTES>()?))
    }

    /// Removes the data that interrupted starts did not complete, except what is still being written.
    pub(crate) fn remove_incomplete_data(&self) {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        for name in entries.filter_map(|entry| entry.file_name().into_string().ok()) {
            if name.starts_with(NEW_DATA) {
                // The next start tries again.
                let _ = self.opened.remove_folder(&name);
            }
        }
    }

    pub(crate) fn log(&self) -> PathBuf {
        log(&self.path)
    }

    /// Returns the open folder that holds everything.
    pub(crate) fn opened(&self) -> &OpenFolder {
        &self.opened
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
        self.write_password_of(&Secret::new(random_password()?), account)
    }

    /// Writes the superuser's password of data that are a copy.
    pub(crate) fn write_password_of(
        &self,
        password: &Secret,
        account: Option<&Account>,
    ) -> Result<()> {
        self.opened
            .write_private(PASSWORD, password.reveal(), account)
    }

    pub(crate) fn pgpass_file(&self) -> PathBuf {
        self.path.join(PGPASS)
    }

    /// Writes the line with which a standby logs in to its primary, which only the account can read.
    pub(crate) fn write_pgpass(&self, line: &str, account: Option<&Account>) -> Result<()> {
        self.opened.write_private(PGPASS, line, account)
    }
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

/// Returns the user who owns the data of the server that was started for a folder, if there are some.
pub(crate) fn owner_of_data(wanted: &Path) -> Option<u32> {
    let wanted = wanted.canonicalize().ok()?;
    let folders = [wanted.clone(), substitute(&wanted)];
    let found = folders
        .iter()
        .find_map(|folder| fs::symlink_metadata(folder.join(DATA)).ok());
    found.map(|data| data.uid())
}

/// Returns the folder of a server that cannot be in the folder that was asked for.
fn substitute(wanted: &Path) -> PathBuf {
    let hash = xxh3_64(wanted.as_os_str().as_encoded_bytes());
    Path::new(ELSEWHERE).join(format!("{hash:016x}"))
}

/// Checks that a folder holds only files of servers.
///
/// # Errors
/// Fails with `Refused` when it holds anything else.
fn check_contents(folder: &Path) -> Result<()> {
    let expected = HashSet::from([DATA, LOG, PREVIOUS_LOG, PASSWORD, PGPASS]);
    let is_ours = |name: &str| expected.contains(name) || name.starts_with(NEW_DATA);
    let entries = fs::read_dir(folder).map_err(Error::io("read", folder))?;
    let stranger = entries
        .flatten()
        .map(|entry| entry.file_name())
        .find(|name| !name.to_str().is_some_and(is_ours));
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

/// Creates a folder of its own for a server, in one that nobody else may change, or opens the one that
/// exists.
///
/// # Errors
/// Fails with `Refused` when either is another user's, or is none of a server.
fn make_private(path: &Path, account: Option<&Account>) -> Result<OpenFolder> {
    let us = rustix::process::geteuid().as_raw();
    if let Some(above) = path.parent() {
        let above = open_own(above, 0o755, &[us])?;
        // The umask may have kept the account from entering it.
        above.set_mode(0o755)?;
    }
    let folder = open_own(
        path,
        0o700,
        &[us, account.map_or(us, |account| account.uid)],
    )?;
    check_contents(path)?;
    Ok(folder)
}

/// Creates a folder, or opens the one that exists if one of these users owns it.
fn open_own(path: &Path, mode: u32, owners: &[u32]) -> Result<OpenFolder> {
    match DirBuilder::new().mode(mode).create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        made => made.map_err(Error::io("create the folder", path))?,
    }
    match OpenFolder::open(path) {
        Ok(folder) if owners.contains(&folder.owner()?) => Ok(folder),
        _ => Err(Error::Refused(format!(
            "{} is another user's, or a link: remove it, or choose a folder for the server that the user \
             PostgreSQL runs as can reach",
            path.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_folder_with_files_of_others_is_neither_taken_nor_removed() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("server");
        let folder = Folder::create(&dir, None).unwrap();
        folder.write_password(None).unwrap();
        folder.write_password(None).unwrap();
        assert_eq!(
            (mode(folder.path()), mode(&folder.password_file())),
            (0o700, 0o600)
        );
        assert_eq!(folder.password().unwrap().reveal().len(), 48);
        folder.write_pgpass("a:line", None).unwrap();
        assert_eq!(mode(&folder.pgpass_file()), 0o600);
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
    fn each_start_has_its_own_folder_for_new_data_and_removes_those_of_earlier_ones() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("server");
        let folder = Folder::create(&dir, None).unwrap();
        let [first, second] = [folder.new_data().unwrap(), folder.new_data().unwrap()];
        assert_ne!(first, second);
        for name in [first.as_str(), second.as_str(), "data.new", DATA] {
            fs::create_dir_all(dir.join(name).join("base")).unwrap();
            fs::write(dir.join(name).join("base/1"), "x").unwrap();
        }
        Folder::create(&dir, None).unwrap().remove_incomplete_data();
        let left: Vec<_> = fs::read_dir(&dir).unwrap().flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!(left[0].file_name(), DATA);
        assert!(dir.join("data/base/1").exists());
    }

    #[test]
    fn a_link_is_not_taken_for_a_servers_folder() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        fs::create_dir_all(at("theirs/folder")).unwrap();
        fs::set_permissions(at("theirs/folder"), Permissions::from_mode(0o750)).unwrap();
        fs::create_dir(at("ours")).unwrap();
        symlink(at("theirs/folder"), at("ours/link")).unwrap();
        symlink(at("theirs"), at("above")).unwrap();
        for path in [at("ours/link"), at("above/folder")] {
            let error = make_private(&path, None).unwrap_err().to_string();
            assert!(error.contains("another user's, or a link"), "{error}");
        }
        assert_eq!(mode(&at("theirs/folder")), 0o750);
    }

    #[test]
    fn the_owner_of_data_is_known_where_there_are_some() {
        let above = tempfile::tempdir().unwrap();
        assert_eq!(owner_of_data(above.path()), None);
        assert_eq!(owner_of_data(&above.path().join("nothing")), None);
        fs::create_dir(above.path().join(DATA)).unwrap();
        let us = rustix::process::geteuid().as_raw();
        assert_eq!(owner_of_data(above.path()), Some(us));
    }

    #[test]
    fn only_its_owner_may_put_something_in_the_place_of_a_servers_folder() {
        let parent = tempfile::tempdir().unwrap();
        let above = parent.path().join("above");
        let folder = make_private(&above.join("server"), None).unwrap();
        assert_eq!(mode(&above), 0o755);
        assert_eq!(mode(&above.join("server")), 0o700);
        fs::set_permissions(&above, Permissions::from_mode(0o777)).unwrap();
        make_private(&above.join("server"), None).unwrap();
        assert_eq!(mode(&above), 0o755);
        drop(folder);
        if !rustix::process::geteuid().is_root() {
            return bakeoff_testing::skipped("only root gives folders to others");
        }
        std::os::unix::fs::chown(&above, Some(65_534), None).unwrap();
        let error = make_private(&above.join("server"), None).unwrap_err();
        assert!(error.to_string().contains("another user's"), "{error}");
    }
}
