//! The unprivileged accounts for servers if Bakeoff runs as root: PostgreSQL refuses to run as root, and no server
//! has to.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::limited::{VERSION_LIMIT, output_within};

/// Accounts to choose from, the preferred one first: one that was made for Bakeoff, that of a package of the server,
/// and one that other programs may run as, too.
const FOR_POSTGRES: [&str; 3] = ["bakeoff", "postgres", "nobody"];
const FOR_CASSANDRA: [&str; 3] = ["bakeoff", "cassandra", "nobody"];
const PASSWD: &str = "/etc/passwd";

/// A user of the system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

impl Account {
    /// Returns the account for a PostgreSQL; `None` if Bakeoff does not run as root, and servers run
    /// under the same account. It is the one that owns the data, if there are some.
    ///
    /// # Errors
    /// Fails with `Refused` if Bakeoff runs as root and there is no such account.
    pub(crate) fn for_postgres(owner: Option<u32>) -> Result<Option<Account>> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let found = first_of(&passwd()?, &FOR_POSTGRES, owner);
        found.map(Some).ok_or_else(|| {
            Error::Refused(format!(
                "PostgreSQL does not run as root, and {PASSWD} has no user '{}': run Bakeoff as \
                 another user",
                FOR_POSTGRES.join("' or '")
            ))
        })
    }

    /// Returns the account for a Cassandra if Bakeoff runs as root.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(crate) fn for_cassandra() -> Result<Account, String> {
        let passwd = passwd().map_err(|error| error.to_string())?;
        let found = first_of(&passwd, &FOR_CASSANDRA, None);
        found.ok_or_else(|| format!("{PASSWD} has no user '{}'", FOR_CASSANDRA.join("' or '")))
    }

    /// Returns whether this account may enter the folder and all folders above it.
    pub(crate) fn reaches(&self, folder: &Path) -> bool {
        let tried = run_as(Command::new("true"), Some(self))
            .current_dir(folder)
            .stdin(Stdio::null())
            .status();
        tried.is_ok_and(|status| status.success())
    }

    /// Checks that this account may run a program of PostgreSQL.
    ///
    /// # Errors
    /// Fails with `Refused` when it may not.
    pub(crate) fn check_runs(&self, program: &Path) -> Result<()> {
        self.runs(program, "--version").map_err(|reason| {
            Error::Refused(format!(
                "user '{}', which runs PostgreSQL when Bakeoff is started by root, cannot run {}: {reason}. \
                 Name programs that every user can reach in BAKEOFF_POSTGRES_BIN",
                self.name,
                program.display()
            ))
        })
    }

    /// Lets this account run a program, which the argument makes print its version.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub(crate) fn runs(&self, program: &Path, argument: &str) -> Result<(), String> {
        let mut asked = run_as(Command::new(program), Some(self));
        asked.arg(argument).current_dir("/");
        match output_within(&mut asked, VERSION_LIMIT) {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn passwd() -> Result<String> {
    fs::read_to_string(PASSWD).map_err(Error::io("read", Path::new(PASSWD)))
}

/// Returns the account of these that has the id `owner`, or else the first one that there is. One with root's
/// ids would be root.
fn first_of(passwd: &str, names: &[&str], owner: Option<u32>) -> Option<Account> {
    let usable = |account: &Account| account.uid != 0 && account.gid != 0;
    let found = names.iter().filter_map(|name| find(passwd, name));
    let mut found: Vec<Account> = found.filter(usable).collect();
    found.sort_by_key(|account| Some(account.uid) != owner);
    found.into_iter().next()
}

/// The variables by which programs and libraries are found.
const KEPT: [&str; 2] = ["PATH", "LD_LIBRARY_PATH"];

/// Makes the command run as that account, without variables that would lead programs to other
/// folders or show passwords to that account.
pub(crate) fn run_as(mut command: Command, account: Option<&Account>) -> Command {
    command.env_clear().env("LC_ALL", "C");
    for name in KEPT {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    if let Some(account) = account {
        command.uid(account.uid).gid(account.gid);
    }
    command
}

/// Returns the account of that name in the text of `/etc/passwd`.
fn find(passwd: &str, name: &str) -> Option<Account> {
    passwd.lines().find_map(|line| {
        let fields: Vec<_> = line.split(':').collect();
        let [found, _, uid, gid, ..] = fields[..] else {
            return None;
        };
        (found == name).then_some(Account {
            name: name.to_owned(),
            uid: uid.parse().ok()?,
            gid: gid.parse().ok()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_found_by_its_whole_name() {
        let passwd = "root:x:0:0::/root:/bin/sh\nbroken\npostgres2:x:7:7:::\n\
                      postgres:x:101:104:PostgreSQL,,,:/var/lib/postgresql:/bin/bash\n";
        let account = find(passwd, "postgres").unwrap();
        assert_eq!((account.uid, account.gid), (101, 104));
        assert_eq!(find(passwd, "nobody"), None);
    }

    #[test]
    fn the_owner_of_data_is_preferred_and_no_account_is_roots() {
        let passwd = "bakeoff:x:900:900:::\npostgres:x:101:104:::\nnobody:x:65534:65534:::\n";
        let chosen = |passwd: &str, owner| {
            let account = first_of(passwd, &FOR_POSTGRES, owner);
            account.map(|account| account.name)
        };
        assert_eq!(chosen(passwd, None).as_deref(), Some("bakeoff"));
        assert_eq!(chosen(passwd, Some(101)).as_deref(), Some("postgres"));
        assert_eq!(chosen(passwd, Some(1000)).as_deref(), Some("bakeoff"));
        let of_root = passwd.replace("900:900", "0:0").replace("101:104", "101:0");
        assert_eq!(chosen(&of_root, None).as_deref(), Some("nobody"));
        assert_eq!(chosen("", None), None);
    }

    #[test]
    fn a_program_that_cannot_be_run_is_named_with_the_account() {
        let Some(account) = Account::for_postgres(None).unwrap() else {
            bakeoff_testing::skipped("only root starts programs as another user");
            return;
        };
        let error = account
            .check_runs(Path::new("/nowhere/postgres"))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&format!("user '{}'", account.name)),
            "{error}"
        );
        assert!(error.contains("/nowhere/postgres"), "{error}");
    }
}
