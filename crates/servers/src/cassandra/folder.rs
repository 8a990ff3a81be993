//! Folder of a server.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files::create_folder;

/// The beginning of every `cassandra.yaml` of ours, by which a folder of ours is known.
pub(crate) const OUR_BEGINNING: &str = "cluster_name: bakeoff\ndata_file_directories: ";
/// The folders of the tables and of what belongs to them.
pub(crate) const STORED: [&str; 5] = ["data", "commitlog", "hints", "saved_caches", "cdc_raw"];
/// The mode of a folder that only its owner may enter, and that of one that the account of its server may enter,
/// too.
pub(super) const PRIVATE: u32 = 0o700;
pub(super) const ENTERED: u32 = 0o710;
pub(crate) const CONFIGURATION: &str = "conf";
pub(crate) const LOGS: &str = "logs";
pub(crate) const HOME: &str = "home";

/// The folder of one server.
#[derive(Debug, Clone)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Creates the folder, or opens the one that exists.
    ///
    /// # Errors
    /// Fails with `Io` when it cannot be written, `Refused` when it holds files of anything but a server of
    /// ours, or when its name is not UTF-8, which Cassandra's files need.
    pub(crate) fn create(path: &Path) -> Result<Folder> {
        create_folder(path)?;
        let folder = Folder(path.canonicalize().map_err(Error::io("find", path))?);
        utf8(&folder.0)?;
        folder.check_contents()?;
        folder.close()?;
        create_folder(&folder.logs())?;
        create_folder(&folder.configuration())?;
        Ok(folder)
    }

    /// Closes the folder to others: whoever can read the tables' files, or the passwords, needs no login. The account
    /// of a server that may run there still enters it.
    fn close(&self) -> Result<()> {
        let found = fs::metadata(&self.0).map_err(Error::io("read", &self.0))?;
        if found.permissions().mode() & 0o777 & !ENTERED == 0 {
            return Ok(());
        }
        fs::set_permissions(&self.0, Permissions::from_mode(PRIVATE))
            .map_err(Error::io("change the mode of", &self.0))
    }

    pub(crate) fn existing(path: PathBuf) -> Folder {
        Folder(path)
    }

    /// Checks that a folder, which need not exist yet, is empty or that of a server that Bakeoff
    /// configured.
    ///
    /// # Errors
    /// Fails with `Refused` when it holds anything else, `Io` when it cannot be read.
    pub(crate) fn check_contents(&self) -> Result<()> {
        let configuration = fs::read(self.yaml()).unwrap_or_default();
        if configuration.starts_with(OUR_BEGINNING.as_bytes()) {
            return Ok(());
        }
        let mut found = Vec::new();
        for folder in [&self.0, &self.configuration(), &self.logs()] {
            found.extend(entries(folder)?);
        }
        // What a start that was interrupted may have made so far.
        let mut own = vec![
            self.configuration(),
            self.logs(),
            self.naming(),
            self.naming().with_extension("new"),
            self.clock(),
            self.clock().with_extension("new"),
            self.yaml().with_extension("new"),
        ];
        own.extend(self.files_of_store());
        match found.iter().find(|path| !own.contains(path)) {
            None => Ok(()),
            Some(stranger) => Err(Error::Refused(format!(
                "{} holds '{}' and is not the folder of a Cassandra started by Bakeoff: choose an \
                 empty or a new folder",
                self.0.display(),
                stranger.strip_prefix(&self.0).unwrap_or(stranger).display()
            ))),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.0.join("data")
    }

    pub(crate) fn logs(&self) -> PathBuf {
        self.0.join(LOGS)
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.logs().join("system.log")
    }

    pub(crate) fn console(&self) -> PathBuf {
        self.logs().join("console.log")
    }

    pub(crate) fn yaml(&self) -> PathBuf {
        self.configuration().join("cassandra.yaml")
    }

    pub(crate) fn logback(&self) -> PathBuf {
        self.configuration().join("logback.xml")
    }

    /// Returns the folder that the server and its tools take for that of their user: the tools keep a history
    /// there, and JNA unpacks a library.
    pub(crate) fn home(&self) -> PathBuf {
        self.0.join(HOME)
    }

    /// Returns the folder of the classes that are compiled for a Java without the module that
    /// nodetool needs.
    pub(crate) fn naming(&self) -> PathBuf {
        self.0.join("naming")
    }

    /// Returns the folder of the class that is the clock of a node in place of Cassandra's own.
    pub(crate) fn clock(&self) -> PathBuf {
        self.0.join("clock")
    }

    /// Returns the file with the JVM's flags that the server and its tools have in common.
    pub(crate) fn flags(&self) -> PathBuf {
        self.configuration().join("jvm.args")
    }

    /// Returns the file with the datacenter of a node that has one of its own.
    pub(crate) fn datacenter(&self) -> PathBuf {
        self.configuration().join("datacenter.properties")
    }

    pub(crate) fn configuration(&self) -> PathBuf {
        self.0.join(CONFIGURATION)
    }
}

/// Returns the path as text.
///
/// # Errors
/// Fails with `Refused` when it is not UTF-8.
pub(crate) fn utf8(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Error::Refused(format!(
            "{} is not UTF-8: choose another folder",
            path.display()
        ))
    })
}

/// Returns what a folder holds; nothing if it does not exist.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        found => found
            .and_then(|found| found.map(|entry| Ok(entry?.path())).collect())
            .map_err(Error::io("read", folder)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_files_of_others_is_refused_and_left_as_it_was() {
        let parent = tempfile::tempdir().unwrap();
        let theirs = parent.path().join("apache-cassandra");
        for (file, named, text) in [
            (
                "conf/cassandra.yaml",
                "conf/cassandra.yaml",
                "cluster_name: 'Test'\n",
            ),
            ("data/system/a.db", "data", ""),
            ("thesis.txt", "thesis.txt", ""),
        ] {
            let path = theirs.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            let error = Folder::create(&theirs).unwrap_err().to_string();
            assert!(error.contains(&format!("holds '{named}'")), "{error}");
            assert!(error.contains("choose an empty or a new folder"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            fs::remove_dir_all(&theirs).unwrap();
        }
    }

    #[test]
    fn a_folder_of_ours_is_taken_again_whatever_its_server_has_left_there() {
        let parent = tempfile::tempdir().unwrap();
        let interrupted = Folder::create(parent.path()).unwrap();
        fs::write(interrupted.yaml().with_extension("new"), "").unwrap();
        let folder = Folder::create(parent.path()).unwrap();
        let mode = fs::metadata(folder.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        fs::write(folder.yaml(), format!("{OUR_BEGINNING}[]\n")).unwrap();
        fs::write(parent.path().join("core.1"), "").unwrap();
        Folder::create(parent.path()).unwrap();
    }

    #[test]
    fn a_folder_is_closed_but_to_the_account_of_a_server_that_may_run_there() {
        let parent = tempfile::tempdir().unwrap();
        for (before, after) in [
            (0o755, PRIVATE),
            (0o750, PRIVATE),
            (0o711, PRIVATE),
            (ENTERED, ENTERED),
            (PRIVATE, PRIVATE),
        ] {
            fs::set_permissions(parent.path(), Permissions::from_mode(before)).unwrap();
            Folder::create(parent.path()).unwrap();
            let mode = fs::metadata(parent.path()).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, after, "{before:o}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let error = Folder::create(Path::new("/proc/bakeoff"))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("cannot create the folder /proc/bakeoff"),
            "{error}"
        );
    }

    #[test]
    fn a_folder_with_a_strange_name_is_refused() {
        use std::os::unix::ffi::OsStrExt;
        let parent = tempfile::tempdir().unwrap();
        let strange = parent.path().join(std::ffi::OsStr::from_bytes(b"\xff"));
        assert!(
            Folder::create(&strange)
                .unwrap_err()
                .to_string()
                .contains("not UTF-8")
        );
    }
}
