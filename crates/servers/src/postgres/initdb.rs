//! Data folder of a new server.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use super::folder::{DATA, Folder};
use super::installation::Installation;
use super::server::USER;
use crate::account::{Account, run_as};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::log::LINES;

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
    let program = installation.program("initdb");
    let mut command = run_as(Command::new(&program), account);
    command
        .arg("--pgdata")
        .arg(folder.path().join(new))
        .arg("--pwfile")
        .arg(folder.password_file())
        // Texts are Unicode, but ordered by their bytes, like in the other engines.
        .args(["--encoding=UTF8", "--locale=C", "--lc-ctype=C.UTF-8"])
        .args(["--auth=scram-sha-256", "--username", USER])
        .current_dir(folder.path());
    let mut command = tokio::process::Command::from(command);
    let run = command.kill_on_drop(true).output();
    let reason = match tokio::time::timeout(LIMIT, run).await {
        Ok(Ok(output)) if output.status.success() => return Ok(()),
        Ok(Ok(output)) => complaint(&output),
        Ok(Err(error)) => return Err(Error::io("run", &program)(error)),
        Err(_) => format!("initdb did not end within {} s", LIMIT.as_secs()),
    };
    Err(Error::Died {
        engine: Engine::Postgres,
        reason,
    })
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

/// Returns the last lines that `initdb` printed to its standard error.
fn complaint(output: &Output) -> String {
    let printed = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = printed.lines().filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(LINES)..].join("\n  ");
    format!("initdb, {}\n  {last}", output.status)
}
