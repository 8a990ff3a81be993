//! A control group that one server runs in.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Moves the shell into the control group in its first argument and replaces it by the program in
/// the others, so that all that the program uses is charged to that group.
const ENTER: &str = r#"echo $$ > "$0" && exec "$@""#;
const REMOVE_PATIENCE: Duration = Duration::from_secs(2);
const REMOVE_POLL: Duration = Duration::from_millis(20);

/// The folder of a control group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Group(PathBuf);

/// Returns a command that runs the program in these groups and keeps the process id that it starts
/// with.
pub(crate) fn command_in<'a>(
    groups: impl IntoIterator<Item = &'a Group>,
    program: &Path,
) -> Command {
    let mut words: Vec<OsString> = vec![program.into()];
    for group in groups {
        let processes = group.0.join("cgroup.procs").into_os_string();
        let enter = ["/bin/sh", "-c", ENTER].map(OsString::from);
        words = enter.into_iter().chain([processes]).chain(words).collect();
    }
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

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

    /// Sends a short-lived process into the group, since permission to create a group does not
    /// include permission to move into it.
    pub(crate) fn try_out(&self) -> Result<(), String> {
        let output = command_in([self], Path::new("true"))
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("sh cannot be run: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!(
            "a process cannot enter {}: {}",
            self.0.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        ))
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
    fn a_program_enters_all_groups_with_its_arguments_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let groups = ["one", "two"].map(|name| Group::new(folder.path().join(name)));
        let refusal = groups[0].try_out().unwrap_err();
        assert!(refusal.contains("cannot enter"), "{refusal}");
        for group in &groups {
            fs::create_dir(group.path()).unwrap();
        }
        let child = command_in(&groups, Path::new("printf"))
            .args(["%s|", "a b", "$$", "\"c\""])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let id = child.id();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "a b|$$|\"c\"|");
        for group in &groups {
            assert_eq!(group.read("cgroup.procs").unwrap().trim(), id.to_string());
        }
    }

    #[test]
    fn without_a_group_a_program_runs_by_itself() {
        let command = command_in([], Path::new("printf"));
        assert_eq!(
            (command.get_program(), command.get_args().len()),
            ("printf".as_ref(), 0)
        );
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
