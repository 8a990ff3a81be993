//! Data folder of a new server.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::folder::{DATA, Folder};
use super::installation::Installation;
use super::server::USER;
use super::tool::run_to_end;
use crate::account::{Account, run_as};
use crate::error::{Error, Result};

const LIMIT: Duration = Duration::from_secs(120);

/// Creates the data folder, or checks that the existing one suits this version.
///
/// # Errors
/// Fails with `Refused` for data of another version, `Died` with the complaint of `initdb`.
pub(crate) async fn prepare_data(
    folder: &Folder,
    installation: &Installation,
    account: Option<&Account>,
) -> Result<()> {
    folder.remove_incomplete_data();
    if folder.data().exists() {
        return check_version(&folder.data(), installation);
    }
    folder.write_password(account)?;
    // An `initdb` goes on for a while after Bakeoff was killed, and removes what it wrote when it fails: each
    // has a folder of its own, so that it is not this one's.
    let new = folder.new_data()?;
    initdb(folder, &new, installation, account).await?;
    folder.opened().rename(&new, DATA)
}

async fn initdb(
    folder: &Folder,
    new: &str,
    installation: &Installation,
    account: Option<&Account>,
) -> Result<()> {
    let mut command = run_as(Command::new(installation.program("initdb")), account);
    command
        .arg("--pgdata")
        .arg(folder.path().join(new))
        .arg("--pwfile")
        .arg(folder.password_file())
        // Texts are Unicode, but ordered by their bytes, like in the other engines.
        .args(["--encoding=UTF8", "--locale=C", "--lc-ctype=C.UTF-8"])
        .args(["--auth=scram-sha-256", "--username", USER])
        .current_dir(folder.path());
    run_to_end(command, LIMIT).await
}

fn check_version(data: &Path, installation: &Installation) -> Result<()> {
    let path = data.join("PG_VERSION");
    let found = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
    if found.trim() == installation.major() {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "{} holds data of PostgreSQL {}, and {} has PostgreSQL {}: choose another folder, or the \
         programs of that version with BAKEOFF_POSTGRES_BIN",
        data.display(),
        found.trim(),
        installation.bin_dir.display(),
        installation.version
    )))
}
