//! Servers that other commands left behind on this machine, and commands that are still measuring.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bakeoff_driver::Observer;
use bakeoff_servers::{Home, Result, list, stop_orphans};

/// Stops the servers that killed commands left behind. Returns a warning for each command that is
/// still measuring, since two at the same time on one machine disturb each other's times.
///
/// # Errors
/// Fails if a server cannot be stopped, or the records of servers cannot be read.
pub async fn clear_leftovers(observer: &dyn Observer) -> Result<Vec<String>> {
    // Without a home no server has ever been started.
    let Ok(home) = Home::from_env() else {
        return Ok(Vec::new());
    };
    for line in stop_orphans(&home).await? {
        observer.note(&line);
    }
    let others = list(&home)?
        .into_iter()
        .filter(|server| server.alive && server.owner_alive == Some(true));
    // A command has a server for each of its engines, and is one disturbance.
    let folders: BTreeMap<Option<u32>, PathBuf> =
        others.map(|other| (other.owner, other.dir)).collect();
    let warnings: Vec<String> = folders
        .values()
        .map(|folder| {
            format!(
                "another run was in progress on this machine when this one began (its data is in \
                 {}): they disturb each other's times",
                folder.display()
            )
        })
        .collect();
    for warning in &warnings {
        observer.note(warning);
    }
    Ok(warnings)
}
