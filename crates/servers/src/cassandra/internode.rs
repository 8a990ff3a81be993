//! The key by which a server that is no node of several answers at its port for other nodes: it talks to itself there,
//! as for a TRUNCATE, and to nobody who has not the key. Nodes of a cluster have none, since the encryption would be
//! part of what is measured.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tokio::process::Command;

use super::credentials::new_password;
use super::folder::Folder;
use super::java_program;
use crate::error::{Error, Result};
use crate::files::write_private;
use crate::secret::Secret;

/// Name of the file with the key and its certificate, which is the only one that is trusted.
pub(crate) const STORE: &str = "internode.p12";
const PASSWORD: &str = "internode.password";
/// The program `keytool`, which is in each Java, also where the file of that name is left out.
const KEYTOOL: &str = "java.base/sun.security.tools.keytool.Main";
/// Flags that make a Java start fast which lives for a second.
const QUICK: [&str; 3] = [
    "-Xshare:auto",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
];
/// The certificate is valid since yesterday, whatever becomes of the clock, for ten years. RSA is in each Java.
const KEY: [&str; 15] = [
    "-genkeypair",
    "-alias",
    "node",
    "-keyalg",
    "RSA",
    "-keysize",
    "2048",
    "-dname",
    "CN=bakeoff",
    "-startdate",
    "-1d",
    "-validity",
    "3650",
    "-storetype",
    "PKCS12",
];

impl Folder {
    /// Returns the file with the key.
    pub(crate) fn store(&self) -> PathBuf {
        self.configuration().join(STORE)
    }

    /// Returns the file with the password of that file.
    pub(crate) fn store_password_file(&self) -> PathBuf {
        self.configuration().join(PASSWORD)
    }

    /// Returns the files that making a key may have left.
    pub(crate) fn files_of_store(&self) -> [PathBuf; 4] {
        let (store, password) = (self.store(), self.store_password_file());
        let unfinished = self.unfinished_store();
        [store, password.with_extension("new"), password, unfinished]
    }

    fn unfinished_store(&self) -> PathBuf {
        self.store().with_extension("unfinished")
    }

    /// Makes a key, unless an earlier start has made one. That takes about a second. No other process may do so in this
    /// folder at the same time.
    ///
    /// # Errors
    /// Fails with `Refused` with what Java says, or `Io`.
    pub(crate) async fn prepare_store(&self, java: &Path) -> Result<()> {
        if self.store().is_file() && self.store_password_file().is_file() {
            return Ok(());
        }
        let unfinished = self.unfinished_store();
        // One whose password is gone would be taken for that of the next one.
        for earlier in [self.store(), unfinished.clone()] {
            if earlier.exists() {
                fs::remove_file(&earlier).map_err(Error::io("replace", &earlier))?;
            }
        }
        let password = new_password()?;
        write_private(&self.store_password_file(), password.reveal())?;
        make(java, &unfinished, &self.store_password_file()).await?;
        fs::set_permissions(&unfinished, Permissions::from_mode(0o600))
            .map_err(Error::io("change the mode of", &unfinished))?;
        // A file that is cut off after a loss of power would be taken for the key at each later start.
        File::open(&unfinished)
            .and_then(|file| file.sync_all())
            .map_err(Error::io("write", &unfinished))?;
        fs::rename(&unfinished, self.store()).map_err(Error::io("rename", &unfinished))
    }

    /// Reads the password of the file with the key.
    ///
    /// # Errors
    /// Fails with `Io` if it cannot be read.
    pub(crate) fn store_password(&self) -> Result<Secret> {
        let path = self.store_password_file();
        let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
        Ok(Secret::new(text.trim()))
    }
}

async fn make(java: &Path, store: &Path, password_file: &Path) -> Result<()> {
    let mut command = Command::new(java);
    command
        .args(QUICK)
        .args(["-m", KEYTOOL])
        .args(KEY)
        .arg("-keystore")
        .arg(store)
        // A password in the command line would be seen by every user.
        .arg("-storepass:file")
        .arg(password_file);
    let made = java_program::run(command).await?;
    if made.is_success && store.is_file() {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "no key can be made for the port of Cassandra's nodes with {} ({KEYTOOL}): {}; install \
         openjdk-17-jre-headless, or name another Java by JAVA_HOME",
        java.display(),
        made.printed
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program in place of Java, which does this with the file that is to be made.
    fn java(folder: &Path, script: &str) -> PathBuf {
        let path = folder.join("java");
        let text = format!(
            "#!/bin/sh\nfor word do test \"$last\" = -keystore && store=\"$word\"; last=\"$word\"; done\n{script}\n"
        );
        bakeoff_testing::put_program(&path, &text);
        path
    }

    #[tokio::test]
    async fn a_key_is_made_once_and_only_its_owner_can_read_it() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create(&parent.path().join("server")).unwrap();
        let makes = java(parent.path(), "echo key > \"$store\"");
        folder.prepare_store(&makes).await.unwrap();
        for file in [folder.store(), folder.store_password_file()] {
            let mode = fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        }
        let password = folder.store_password().unwrap();
        let fails = java(parent.path(), "exit 1");
        folder.prepare_store(&fails).await.unwrap();
        let again = folder.store_password().unwrap();
        assert_eq!(again.reveal(), password.reveal());
        // A key without its password is of no use.
        fs::remove_file(folder.store_password_file()).unwrap();
        folder.prepare_store(&fails).await.unwrap_err();
        assert!(!folder.store().exists());
        // A start that was interrupted here can be repeated.
        Folder::create(folder.path()).unwrap();
    }

    #[tokio::test]
    async fn a_java_that_makes_none_is_told() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create(&parent.path().join("server")).unwrap();
        for script in ["echo 'no such module' >&2; exit 1", "echo 'no such module'"] {
            let fails = java(parent.path(), script);
            let error = folder.prepare_store(&fails).await.unwrap_err().to_string();
            assert!(error.contains("no such module"), "{error}");
            assert!(error.contains("JAVA_HOME"), "{error}");
            assert!(!folder.store().exists());
        }
    }
}
