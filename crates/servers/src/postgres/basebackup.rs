//! The data of a standby: a copy of its primary's, made while that runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::folder::{DATA, Folder};
use super::installation::Installation;
use super::primary::Primary;
use super::program_folders::candidates;
use super::tool::run_to_end;
use crate::account::{Account, run_as};
use crate::error::{Error, Result};
use crate::limited::output_of;

const PROGRAM: &str = "pg_basebackup";
/// File by which a server knows that it is a standby.
const SIGNAL: &str = "standby.signal";
/// The first major version whose standbys have their settings in `postgresql.conf`.
const OLDEST: u32 = 12;
/// Longest time of a copy, which may be of a primary that is loaded.
const LIMIT: Duration = Duration::from_secs(3600);

/// Finds the program that copies servers of an installation: among its own programs, or those of another
/// installation of the same major version, as packages may divide them.
///
/// # Errors
/// Fails with `NoBasebackup`, or `Refused` if the account of servers cannot run it, or the version is too old.
pub(crate) fn program(installation: &Installation, account: Option<&Account>) -> Result<PathBuf> {
    let major = installation.major().parse::<u32>();
    if major.is_ok_and(|major| major < OLDEST) {
        return Err(Error::Refused(format!(
            "standbys need PostgreSQL {OLDEST} or newer, and {} has {}: name the folder of newer programs in \
             BAKEOFF_POSTGRES_BIN, or leave --postgres-standbys out",
            installation.bin_dir.display(),
            installation.version
        )));
    }
    let own = installation.program(PROGRAM);
    let found = if own.is_file() {
        Some(own)
    } else {
        let programs = candidates().into_iter().map(|folder| folder.join(PROGRAM));
        let mut programs = programs.filter(|program| program.is_file());
        programs.find(|program| is_of(program, installation.major()))
    };
    let program = found.ok_or_else(|| Error::NoBasebackup {
        version: installation.version.clone(),
        bin_dir: installation.bin_dir.clone(),
    })?;
    if let Some(account) = account {
        account.check_runs(&program)?;
    }
    Ok(program)
}

/// Returns whether a program is of that major version of PostgreSQL.
fn is_of(program: &Path, major: &str) -> bool {
    let printed = output_of(program, "--version");
    printed.as_deref().and_then(printed_major) == Some(major)
}

/// Returns the major version in the output of `pg_basebackup --version`.
fn printed_major(printed: &str) -> Option<&str> {
    let version = printed.strip_prefix("pg_basebackup (PostgreSQL) ")?;
    let end = version.find(|c: char| !c.is_ascii_digit());
    Some(&version[..end.unwrap_or(version.len())])
}

/// Copies the data of a primary unless the standby has some, and writes the passwords that it needs: that of the
/// role that it streams as, which is another one at each start, and that of the superuser, which it copied.
///
/// # Errors
/// Fails with `NoBasebackup`; `Died` with the complaint of `pg_basebackup`; `Io`.
pub(crate) async fn prepare_copy(
    folder: &Folder,
    primary: &Primary,
    installation: &Installation,
    account: Option<&Account>,
) -> Result<()> {
    folder.write_pgpass(&primary.pgpass(), account)?;
    folder.write_password_of(&primary.superuser, account)?;
    folder.remove_incomplete_data();
    if folder.data().exists() {
        return Ok(());
    }
    let program = program(installation, account)?;
    // As with `initdb`, a program that goes on after Bakeoff was killed has a folder of its own.
    let new = folder.new_data()?;
    let mut command = run_as(Command::new(program), account);
    command
        .arg("--pgdata")
        .arg(folder.path().join(&new))
        .arg("--dbname")
        .arg(primary.login(&folder.pgpass_file()))
        .args(["--no-password", "--wal-method=stream", "--checkpoint=fast"])
        .current_dir(folder.path());
    run_to_end(command, LIMIT).await?;
    let data = folder.opened().folder(&new)?;
    data.write_private(SIGNAL, "", account)?;
    folder.opened().rename(&new, DATA)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Writes a script that prints what the program of that version would print.
    fn install(folder: &Path, version: &str) -> PathBuf {
        let path = folder.join(PROGRAM);
        let printed = format!("pg_basebackup (PostgreSQL) {version} (Debian)");
        bakeoff_testing::put_program(&path, &format!("#!/bin/sh\necho '{printed}'\n"));
        path
    }

    /// Of a version that nobody has, so that none is found elsewhere.
    fn installation(bin_dir: &Path) -> Installation {
        Installation {
            bin_dir: bin_dir.to_owned(),
            version: "907.3".to_owned(),
            timescale: None,
        }
    }

    #[test]
    fn it_is_looked_for_beside_the_server_and_missed_by_name() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let installation = installation(folder.path());
        let error = program(&installation, None).unwrap_err().to_string();
        assert!(error.starts_with("pg_basebackup, which copies"), "{error}");
        for words in ["PostgreSQL 907.3", "--postgres-standbys"] {
            assert!(error.contains(words), "{error}");
        }
        let path = install(folder.path(), "907.3");
        assert_eq!(program(&installation, None).unwrap(), path);
        let old = Installation {
            version: "11.22".to_owned(),
            ..installation
        };
        let error = program(&old, None).unwrap_err().to_string();
        assert!(error.contains("standbys need PostgreSQL 12"), "{error}");
    }

    #[test]
    fn one_of_another_major_version_does_not_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = install(folder.path(), "17.12");
        assert!(is_of(&path, "17"));
        assert!(!is_of(&path, "1") && !is_of(&path, "18"));
        assert_eq!(
            printed_major("pg_basebackup (PostgreSQL) 19beta1"),
            Some("19")
        );
        assert_eq!(printed_major("postgres (PostgreSQL) 17.12"), None);
    }
}
