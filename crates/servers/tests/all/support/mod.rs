//! Helpers that the tests with real servers share.

pub mod internode;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use bakeoff_servers::cassandra::{find_java, pinned, resolve_jars};
use bakeoff_servers::{Error, Home};
use bakeoff_testing::skipped;
use tokio::sync::Mutex;

/// Lock for running one server at a time: each has its own home, and within one process all
/// would choose the same ports.
pub static ALONE: Mutex<()> = Mutex::const_new(());

/// Makes a folder whose home shares the user's jars, but not the user's servers.
pub async fn folder_with_jars() -> Option<tempfile::TempDir> {
    match jars().await {
        Ok(jars) => {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("home")).unwrap();
            let link = folder.path().join("home/jars");
            std::os::unix::fs::symlink(jars, link).unwrap();
            Some(folder)
        }
        Err(reason) => {
            skipped(reason);
            None
        }
    }
}

/// Makes such a folder that everybody may enter, with copies of the jars: nobody else may be able to reach those of the
/// user.
pub async fn open_folder_with_jars() -> Option<tempfile::TempDir> {
    let folder = folder_with_jars().await?;
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let jars = folder.path().join("home/jars");
    let name = format!("cassandra-{}", pinned().unwrap().version);
    let theirs = fs::canonicalize(&jars).unwrap().join(&name);
    fs::remove_file(&jars).unwrap();
    fs::create_dir_all(jars.join(&name)).unwrap();
    for entry in fs::read_dir(theirs).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), jars.join(&name).join(entry.file_name())).unwrap();
    }
    Some(folder)
}

async fn jars() -> Result<std::path::PathBuf, Error> {
    find_java().await?;
    let home = Home::from_env()?;
    resolve_jars(&home, &pinned()?.version).await?;
    Ok(home.folder().join("jars"))
}
