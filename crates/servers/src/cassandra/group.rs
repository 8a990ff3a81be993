//! A control group that one server runs in.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::environment::keep_needed;
use crate::gate::{self, gated};

/// The file of a group with the ids of its processes, which takes those of further ones.
pub(super) const PROCESSES: &str = "cgroup.procs";
const REMOVE_PATIENCE: Duration = Duration::from_secs(2);
const REMOVE_POLL: Duration = Duration::from_millis(20);

/// The folder of a control group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Group(PathBuf);

impl Group {
    pub(crate) fn new(path: PathBuf) -> Group {
        Group(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns whether the group has a file of that name.
    pub(crate) fn has(&self, file: &str) -> bool {
        self.0.join(file).exists()
    }

    pub(crate) fn read(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.0.join(file)).ok()
    }

    pub(crate) fn write(&self, file: &str, text: &str) -> Result<(), String> {
        let path = self.0.join(file);
        fs::write(&path, text).map_err(|error| format!("{} cannot be set: {error}", path.display()))
    }

    /// Moves a process into the group, so that all that it uses from now on is charged to it. Nothing is
    /// charged before if it waits at a gate.
    pub(crate) fn take(&self, pid: u32) -> Result<(), String> {
        self.write(PROCESSES, &pid.to_string())
    }

    /// Sends a short-lived process into the group, since permission to create a group does not
    /// include permission to move into it.
    pub(crate) fn try_out(&self) -> Result<(), String> {
        let cannot =
            |reason: String| format!("a process cannot enter {}: {reason}", self.0.display());
        let mut command = gated(&Command::new("true"));
        keep_needed(&mut command);
        let mut process = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| cannot(error.to_string()))?;
        let entered = self.take(process.id());
        let begun = entered.and_then(|()| {
            let opened = gate::open(&mut process);
            opened.map_err(|error| error.to_string())
        });
        // One that was not let through ends by itself.
        let ended = process.wait().map_err(|error| cannot(error.to_string()))?;
        begun.map_err(cannot)?;
        if ended.success() {
            Ok(())
        } else {
            Err(cannot(ended.to_string()))
        }
    }

    /// Removes the group after its last process ended. If that fails it only logs a warning: the
    /// group takes no memory, and the next server of its name removes it.
    pub(crate) fn remove(&self) {
        let deadline = Instant::now() + REMOVE_PATIENCE;
        loop {
            match fs::remove_dir(&self.0) {
                Ok(()) => return,
                Err(error) if error.kind() == ErrorKind::NotFound => return,
                // Processes that are ending still count.
                Err(error)
                    if error.kind() == ErrorKind::ResourceBusy && Instant::now() < deadline =>
                {
                    std::thread::sleep(REMOVE_POLL);
                }
                Err(error) => {
                    tracing::warn!("cannot remove {}: {error}", self.0.display());
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_enters_a_group_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let group = Group::new(folder.path().join("group"));
        let refusal = group.try_out().unwrap_err();
        assert!(refusal.contains("cannot enter"), "{refusal}");
        fs::create_dir(group.path()).unwrap();
        group.try_out().unwrap();
        let entered = group.read(PROCESSES).unwrap();
        assert!(entered.parse::<u32>().is_ok(), "{entered}");
    }

    #[test]
    fn what_cannot_be_removed_is_given_up_and_what_is_gone_is_fine() {
        let folder = tempfile::tempdir().unwrap();
        let group = Group::new(folder.path().join("group"));
        group.remove();
        fs::create_dir(group.path()).unwrap();
        fs::write(group.path().join("file"), "").unwrap();
        group.remove();
        assert!(group.path().exists());
        fs::remove_file(group.path().join("file")).unwrap();
        group.remove();
        assert!(!group.path().exists());
    }
}
