//! The login of a server's clients and of its JMX, in files that only the account can read that
//! started it.

use std::fs;
use std::path::PathBuf;

use super::folder::Folder;
use crate::error::{Error, Result};
use crate::files::write_private;
use crate::secret::{Secret, random_hex};

/// Name of the role that all clients log in as.
pub(crate) const USER: &str = "bakeoff";
const PASSWORD: &str = "password";
pub(crate) const JMX_PASSWORD: &str = "jmx.password";
const PASSWORD_BYTES: usize = 24;

/// A name and a password, whose `Debug` output omits the password.
#[derive(Debug, Clone)]
pub struct Login {
    pub(super) user: String,
    pub(super) password: Secret,
}

impl Login {
    pub(super) fn new(user: &str, password: Secret) -> Login {
        Login {
            user: user.to_owned(),
            password,
        }
    }

    pub fn user(&self) -> &str {
        &self.user
    }

    pub fn password(&self) -> &str {
        self.password.reveal()
    }
}

/// Makes a random password.
pub(crate) fn new_password() -> Result<Secret> {
    random_hex::<PASSWORD_BYTES>().map(Secret::new)
}

impl Folder {
    /// Returns the file with the password of the role of clients.
    pub(crate) fn password_file(&self) -> PathBuf {
        self.path().join(PASSWORD)
    }

    /// Returns the file with name and password for JMX, as both the JVM and nodetool read it.
    pub(crate) fn jmx_password_file(&self) -> PathBuf {
        self.configuration().join(JMX_PASSWORD)
    }

    /// Reads the login of clients.
    pub(crate) fn login(&self) -> Result<Login> {
        let path = self.password_file();
        let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
        Ok(Login::new(USER, Secret::new(text.trim())))
    }

    /// Returns the login of clients: that of the cluster that the server is a node of, or that of its
    /// last start, or a new one. Writes the files.
    pub(crate) fn prepare_login(&self, of_cluster: Option<Login>) -> Result<Login> {
        let login = match of_cluster {
            Some(login) => login,
            None if self.password_file().exists() => self.login()?,
            None => Login::new(USER, new_password()?),
        };
        write_private(&self.password_file(), login.password())?;
        let for_jmx = format!("{} {}\n", login.user(), login.password());
        write_private(&self.jmx_password_file(), &for_jmx)?;
        Ok(login)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_password_stays_and_only_its_owner_can_read_it() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create(&parent.path().join("one")).unwrap();
        let login = folder.prepare_login(None).unwrap();
        assert_eq!(login.password().len(), 2 * PASSWORD_BYTES);
        let again = folder.prepare_login(None).unwrap();
        assert_eq!(again.password(), login.password());
        for file in [folder.password_file(), folder.jmx_password_file()] {
            let mode = fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        }
        let other = Folder::create(&parent.path().join("other")).unwrap();
        let node = other.prepare_login(Some(login.clone())).unwrap();
        assert_eq!(node.password(), other.login().unwrap().password());
        assert_eq!(node.password(), login.password());
        assert!(!format!("{node:?}").contains(node.password()));
    }
}
