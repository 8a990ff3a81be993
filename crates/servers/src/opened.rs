//! A folder that is held open, so that what root does in it is done in it: whoever may write in the folder
//! above could put a link in its place at any time.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, renameat, unlinkat};
use rustix::io::Errno;

use crate::account::Account;
use crate::error::{Error, Result};

/// How a folder is opened: never through a link.
const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// How a file is made: it must not be there, not even as a link.
const NEW_FILE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::CLOEXEC);
/// How a file is opened to be given away: whatever is in its place, nothing is waited for.
const ANY_FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

/// An open folder.
#[derive(Debug, Clone)]
pub(crate) struct OpenFolder {
    folder: Arc<File>,
    /// The path by which it was opened, for messages.
    path: PathBuf,
}

impl OpenFolder {
    /// Opens a folder.
    ///
    /// # Errors
    /// Fails with `Io` for a link, wherever it leads to, and for whatever else is no folder.
    pub(crate) fn open(path: &Path) -> Result<OpenFolder> {
        OpenFolder::open_in(CWD, path, path.to_owned())
    }

    /// Opens a folder in this one.
    ///
    /// # Errors
    /// Those of [`OpenFolder::open`].
    pub(crate) fn folder(&self, name: impl AsRef<Path>) -> Result<OpenFolder> {
        let name = name.as_ref();
        OpenFolder::open_in(&*self.folder, name, self.path.join(name))
    }

    /// Creates a folder in it that only its owner enters, unless there is something of that name.
    pub(crate) fn create_folder(&self, name: &str) -> Result<()> {
        match mkdirat(&*self.folder, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(Error::io("create", &self.path.join(name))(error.into())),
        }
    }

    fn open_in(above: impl AsFd, name: &Path, path: PathBuf) -> Result<OpenFolder> {
        match openat(above, name, FOLDER, Mode::empty()) {
            Ok(folder) => Ok(OpenFolder {
                folder: Arc::new(File::from(folder)),
                path,
            }),
            Err(error) => Err(Error::io("open the folder", &path)(error.into())),
        }
    }

    /// Returns the id of the user that it belongs to.
    pub(crate) fn owner(&self) -> Result<u32> {
        let found = self.folder.metadata();
        Ok(found.map_err(Error::io("read", &self.path))?.uid())
    }

    /// Makes an account its owner.
    pub(crate) fn give_to(&self, account: &Account) -> Result<()> {
        fchown(&*self.folder, Some(account.uid), Some(account.gid))
            .map_err(Error::io("change the owner of", &self.path))
    }

    /// Makes an account the owner of all files and folders in it, but not of files that have another name somewhere:
    /// whoever could write here may have put anybody's files here by a link.
    pub(crate) fn give_contents_to(&self, account: &Account) -> Result<()> {
        let here = format!("/proc/self/fd/{}", self.folder.as_raw_fd());
        for entry in fs::read_dir(here).map_err(Error::io("read", &self.path))? {
            let entry = entry.map_err(Error::io("read", &self.path))?;
            let kind = entry.file_type().map_err(Error::io("read", &self.path))?;
            let name = entry.file_name();
            if kind.is_dir() {
                let folder = self.folder(&name)?;
                folder.give_to(account)?;
                folder.give_contents_to(account)?;
            } else if kind.is_file() {
                self.give_file_to(name, account)?;
            }
        }
        Ok(())
    }

    /// Makes an account the owner of a file in it, unless that is a link or has another name.
    pub(crate) fn give_file_to(&self, name: impl AsRef<OsStr>, account: &Account) -> Result<()> {
        let name = name.as_ref();
        let path = self.path.join(name);
        let file = openat(&*self.folder, name, ANY_FILE, Mode::empty());
        let file = File::from(file.map_err(|e| Error::io("open", &path)(e.into()))?);
        let found = file.metadata().map_err(Error::io("read", &path))?;
        if !found.is_file() || found.nlink() > 1 || found.uid() == account.uid {
            return Ok(());
        }
        fchown(&file, Some(account.uid), Some(account.gid))
            .map_err(Error::io("change the owner of", &path))
    }

    /// Lets a group of the system enter it, as far as its mode says so.
    pub(crate) fn set_group(&self, gid: u32) -> Result<()> {
        fchown(&*self.folder, None, Some(gid)).map_err(Error::io("change the group of", &self.path))
    }

    pub(crate) fn set_mode(&self, mode: u32) -> Result<()> {
        let changed = self.folder.set_permissions(Permissions::from_mode(mode));
        changed.map_err(Error::io("change the mode of", &self.path))
    }

    /// Gives a file or folder in it another name. Does nothing if it is not there.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<()> {
        match renameat(&*self.folder, from, &*self.folder, to) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(Error::io("rename", &self.path.join(from))(error.into())),
        }
    }

    /// Creates a file in it, which must not be there.
    pub(crate) fn create_new(&self, name: &str) -> Result<File> {
        let made = openat(&*self.folder, name, NEW_FILE, PRIVATE_FILE);
        let made = made.map_err(|e| Error::io("write", &self.path.join(name))(e.into()))?;
        Ok(File::from(made))
    }

    /// Writes a file in it that only the account can read. An existing one is replaced, never opened.
    pub(crate) fn write_private(
        &self,
        name: &str,
        text: &str,
        account: Option<&Account>,
    ) -> Result<()> {
        let path = self.path.join(name);
        match unlinkat(&*self.folder, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(Error::io("replace", &path)(error.into())),
        }
        let mut file = self.create_new(name)?;
        if let Some(Account { uid, gid, .. }) = account {
            fchown(&file, Some(*uid), Some(*gid))
                .map_err(Error::io("change the owner of", &path))?;
        }
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(Error::io("write", &path))
    }

    /// Removes a folder in it with all that it holds, if it is there. Of a link only itself is removed.
    pub(crate) fn remove_folder(&self, name: &str) -> Result<()> {
        let here = format!("/proc/self/fd/{}/{name}", self.folder.as_raw_fd());
        match fs::remove_dir_all(here) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::io("remove", &self.path.join(name))(error))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_link_put_in_its_place_leads_nowhere() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        for name in ["ours", "theirs", "theirs/data.new"] {
            fs::create_dir(at(name)).unwrap();
        }
        for name in ["theirs/password", "theirs/postgresql.log"] {
            fs::write(at(name), "kept").unwrap();
        }
        fs::set_permissions(at("theirs"), Permissions::from_mode(0o755)).unwrap();
        let folder = OpenFolder::open(&at("ours")).unwrap();
        fs::rename(at("ours"), at("moved")).unwrap();
        symlink(at("theirs"), at("ours")).unwrap();

        folder.set_mode(0o700).unwrap();
        folder.write_private("password", "secret", None).unwrap();
        folder.create_new("postgresql.log").unwrap();
        folder.rename("postgresql.log", "previous").unwrap();
        folder.remove_folder("data.new").unwrap();
        assert_eq!((mode(&at("moved")), mode(&at("theirs"))), (0o700, 0o755));
        assert_eq!(fs::read_to_string(at("moved/password")).unwrap(), "secret");
        assert_eq!(fs::read_to_string(at("theirs/password")).unwrap(), "kept");
        assert!(at("moved/previous").exists() && at("theirs/postgresql.log").exists());
        assert!(at("theirs/data.new").exists());
    }

    #[test]
    fn a_link_is_neither_opened_nor_written_through() {
        let parent = tempfile::tempdir().unwrap();
        let folder = OpenFolder::open(parent.path()).unwrap();
        let target = parent.path().join("target");
        fs::create_dir(&target).unwrap();
        fs::write(target.join("file"), "kept").unwrap();
        symlink(&target, parent.path().join("data")).unwrap();
        symlink(target.join("file"), parent.path().join("link")).unwrap();

        let error = folder.folder("data").unwrap_err().to_string();
        assert!(error.contains("cannot open the folder"), "{error}");
        assert!(OpenFolder::open(&parent.path().join("data")).is_err());
        assert!(folder.create_new("link").is_err());
        folder.write_private("link", "new", None).unwrap();
        folder.remove_folder("data").unwrap();
        assert_eq!(fs::read_to_string(target.join("file")).unwrap(), "kept");
        assert_eq!(
            fs::read_to_string(parent.path().join("link")).unwrap(),
            "new"
        );
        assert!(!parent.path().join("data").exists());
    }

    #[test]
    fn what_a_link_leads_to_is_not_given_away() {
        if !rustix::process::geteuid().is_root() {
            return bakeoff_testing::skipped("only root gives files to others");
        }
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        fs::create_dir_all(at("given/inner")).unwrap();
        fs::create_dir(at("ours")).unwrap();
        for name in ["given/inner/file", "ours/file", "ours/linked"] {
            fs::write(at(name), "").unwrap();
        }
        symlink(at("ours"), at("given/folder")).unwrap();
        symlink(at("ours/file"), at("given/link")).unwrap();
        fs::hard_link(at("ours/linked"), at("given/inner/linked")).unwrap();
        let account = Account {
            name: "nobody".to_owned(),
            uid: 65_534,
            gid: 65_534,
        };
        let folder = OpenFolder::open(&at("given")).unwrap();
        folder.give_contents_to(&account).unwrap();
        let owner = |name: &str| fs::metadata(at(name)).unwrap().uid();
        assert_eq!(
            (owner("given/inner"), owner("given/inner/file")),
            (65_534, 65_534)
        );
        for name in ["given", "ours", "ours/file", "ours/linked"] {
            assert_eq!(owner(name), 0, "{name}");
        }
        folder.set_group(account.gid).unwrap();
        folder.set_mode(0o710).unwrap();
        assert_eq!(mode(&at("given")), 0o710);
        assert_eq!(fs::metadata(at("given")).unwrap().gid(), account.gid);
    }
}
