//! What a standby knows of its primary, whose write-ahead log it replays as it streams.

use std::net::SocketAddr;
use std::path::Path;

use super::secret::Secret;

/// The role that standbys log in as. It has the right of replication and may read no table by SQL, but a role with that
/// right can copy every file of the server, and so all that is in its tables.
pub const STANDBY_ROLE: &str = "bakeoff_standby";

/// The primary of a standby, with the passwords that the standby needs.
#[derive(Debug, Clone)]
pub struct Primary {
    pub(super) address: SocketAddr,
    /// Password of the superuser, which a copy has, too.
    pub(super) superuser: Secret,
    /// Password of [`STANDBY_ROLE`].
    pub(super) password: Secret,
    /// Name of the standby, by which the primary knows it and keeps the log for it that it has not got yet.
    pub(super) name: String,
}

impl Primary {
    /// Returns the connection string of the standby. The password is not in it, but in a file that it names.
    pub(super) fn login(&self, pgpass: &Path) -> String {
        let file = pgpass.to_string_lossy();
        let file = file.replace('\\', "\\\\").replace('\'', "\\'");
        format!(
            "host={} port={} user={STANDBY_ROLE} sslmode=disable passfile='{file}'",
            self.address.ip(),
            self.address.port(),
        )
    }

    /// Returns the settings by which the standby finds its primary.
    pub(super) fn settings(&self, pgpass: &Path) -> Vec<(String, String)> {
        let login = format!("{} application_name={}", self.login(pgpass), self.name);
        vec![
            ("primary_conninfo".to_owned(), login),
            ("primary_slot_name".to_owned(), self.name.clone()),
        ]
    }

    /// Returns the line with the password, in the form that PostgreSQL's clients read.
    pub(super) fn pgpass(&self) -> String {
        format!(
            "{}:{}:*:{STANDBY_ROLE}:{}\n",
            self.address.ip(),
            self.address.port(),
            self.password.reveal()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_in_its_file_and_nowhere_else() {
        let primary = Primary {
            address: "127.0.0.1:20613".parse().unwrap(),
            superuser: Secret::new("hunter1"),
            password: Secret::new("hunter2"),
            name: "standby1".to_owned(),
        };
        let file = Path::new("/it's a run/primary.pgpass");
        let settings = primary.settings(file);
        assert_eq!(
            settings[0].1,
            "host=127.0.0.1 port=20613 user=bakeoff_standby sslmode=disable \
             passfile='/it\\'s a run/primary.pgpass' application_name=standby1"
        );
        let shown = format!("{settings:?} {primary:?}");
        assert!(!shown.contains("hunter"), "{shown}");
        let line = "127.0.0.1:20613:*:bakeoff_standby:hunter2\n";
        assert_eq!(primary.pgpass(), line);
    }
}
