//! Bound on all memory of a server, including its page cache, by a control group.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::hierarchy::{Hierarchy, Version};
use crate::error::{Error, Result};
use crate::machine::available_mib;

const MIB: u64 = 1024 * 1024;
/// Memory that Cassandra takes outside its heap: classes, compiled code, the collector, network
/// buffers and off-heap data of tables.
const OUTSIDE_HEAP_MIB: u64 = 400;
/// Moves the shell into the control group in its first argument and replaces it by the program in
/// the others, so that all memory of the program is charged to that group.
const ENTER: &str = r#"echo $$ > "$0" && exec "$@""#;
const REMOVE_PATIENCE: Duration = Duration::from_secs(2);
const REMOVE_POLL: Duration = Duration::from_millis(20);

/// The control group of one server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MemoryLimit {
    pub(crate) bytes: u64,
    group: PathBuf,
}

impl MemoryLimit {
    /// Creates a control group in which a server's memory is bounded, without swap.
    ///
    /// # Errors
    /// Fails with `NoMemoryLimit` if the system does not permit it.
    pub(crate) fn create(name: &str, bytes: u64) -> Result<MemoryLimit> {
        let limit_mib = bytes / MIB;
        let refused = |reason| Error::NoMemoryLimit { limit_mib, reason };
        let hierarchy = Hierarchy::here()
            .ok_or_else(|| refused("no control groups that account memory are mounted".into()))?;
        let group = hierarchy.make_group(name).map_err(refused)?;
        let limit = MemoryLimit { bytes, group };
        let ready = limit.set(hierarchy.version).and_then(|()| limit.try_out());
        ready.map(|()| limit.clone()).map_err(|reason| {
            limit.remove();
            refused(reason)
        })
    }

    fn set(&self, version: Version) -> Result<(), String> {
        let bytes = self.bytes.to_string();
        let (limit, swap) = match version {
            // In version 1 this limit is for memory and swap together.
            Version::V1 => (
                "memory.limit_in_bytes",
                ("memory.memsw.limit_in_bytes", &*bytes),
            ),
            Version::V2 => ("memory.max", ("memory.swap.max", "0")),
        };
        self.write(limit, &bytes)?;
        // Kernels that do not account swap lack the file.
        if self.group.join(swap.0).exists() {
            self.write(swap.0, swap.1)?;
        }
        Ok(())
    }

    fn write(&self, file: &str, text: &str) -> Result<(), String> {
        let path = self.group.join(file);
        fs::write(&path, text).map_err(|error| format!("{} cannot be set: {error}", path.display()))
    }

    /// Sends a short-lived process into the group, since permission to create a group does not
    /// include permission to move into it.
    fn try_out(&self) -> Result<(), String> {
        let output = self
            .command(Path::new("true"))
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("sh cannot be run: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!(
            "a process cannot enter {}: {}",
            self.group.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        ))
    }

    /// Returns a command that runs the program in this group and keeps the process id that it
    /// starts with.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", ENTER])
            .arg(self.group.join("cgroup.procs"))
            .arg(program);
        command
    }

    /// Returns the memory that counts against the limit at the moment, in bytes.
    pub(crate) fn used_bytes(&self) -> Option<u64> {
        ["memory.usage_in_bytes", "memory.current"]
            .iter()
            .find_map(|file| self.read(file)?.trim().parse().ok())
    }

    /// Returns the page cache in it, mapped files included, in bytes.
    pub(crate) fn page_cache_bytes(&self) -> Option<u64> {
        let text = self.read("memory.stat")?;
        Some(count(&text, "active_file")? + count(&text, "inactive_file")?)
    }

    /// Returns whether the kernel has killed a process because the limit was reached.
    pub(crate) fn was_exceeded(&self) -> bool {
        ["memory.oom_control", "memory.events"]
            .iter()
            .filter_map(|file| count(&self.read(file)?, "oom_kill"))
            .any(|kills| kills > 0)
    }

    /// Removes the group after its last process ended. If that fails it only logs a warning: the
    /// group takes no memory, and the next server of its name removes it.
    pub(crate) fn remove(&self) {
        let deadline = Instant::now() + REMOVE_PATIENCE;
        loop {
            match fs::remove_dir(&self.group) {
                Ok(()) => return,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
                // Processes that are ending still count.
                Err(error)
                    if error.kind() == std::io::ErrorKind::ResourceBusy
                        && Instant::now() < deadline =>
                {
                    std::thread::sleep(REMOVE_POLL);
                }
                Err(error) => {
                    tracing::warn!("cannot remove {}: {error}", self.group.display());
                    return;
                }
            }
        }
    }

    fn read(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.group.join(file)).ok()
    }
}

/// Checks that a server with that heap can run within the limit.
///
/// # Errors
/// Fails with `Refused` when it cannot.
pub(crate) fn check_limit(limit_bytes: u64, heap_mib: u64) -> Result<()> {
    let least_mib = heap_mib + OUTSIDE_HEAP_MIB;
    if limit_bytes >= least_mib * MIB {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "a memory limit of {} MiB is too little for Cassandra with a heap of {heap_mib} MiB: it \
         needs at least {least_mib} MiB, and more for its page cache; raise the limit or lower \
         the heap",
        limit_bytes / MIB
    )))
}

/// Checks that the machine has memory for this number of servers.
///
/// # Errors
/// Fails with `Refused` when it has not.
pub(crate) fn check_room(nodes: u8, heap_mib: u64, limit_bytes: Option<u64>) -> Result<()> {
    fits(nodes, heap_mib, limit_bytes, available_mib()?)
}

fn fits(nodes: u8, heap_mib: u64, limit_bytes: Option<u64>, available_mib: u64) -> Result<()> {
    let each_mib = limit_bytes.map_or(heap_mib + OUTSIDE_HEAP_MIB, |bytes| bytes / MIB);
    let all_mib = u64::from(nodes) * each_mib;
    if all_mib <= available_mib {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "{nodes} nodes of Cassandra take {all_mib} MiB of memory, {each_mib} MiB each with a heap of \
         {heap_mib} MiB, and {available_mib} MiB are free: start fewer nodes, or end other programs"
    )))
}

/// Returns the number behind that word at the beginning of a line.
fn count(text: &str, word: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        line.strip_prefix(word)?
            .strip_prefix(' ')?
            .trim()
            .parse()
            .ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(folder: &Path) -> MemoryLimit {
        MemoryLimit {
            bytes: 1000 * MIB,
            group: folder.join("group"),
        }
    }

    #[test]
    fn a_limit_has_room_for_the_heap_and_memory_outside_it() {
        check_limit(912 * MIB, 512).unwrap();
        let error = check_limit(911 * MIB, 512).unwrap_err().to_string();
        assert!(error.contains("at least 912 MiB"), "{error}");
    }

    #[test]
    fn several_servers_fit_the_memory_that_is_free() {
        fits(3, 2048, None, 7344).unwrap();
        let error = fits(3, 2048, None, 7343).unwrap_err().to_string();
        assert!(
            error.contains("7344 MiB") && error.contains("7343 MiB are free"),
            "{error}"
        );
        fits(3, 2048, Some(3000 * MIB), 9000).unwrap();
        assert!(fits(3, 2048, Some(3001 * MIB), 9000).is_err());
    }

    #[test]
    fn limits_are_set_without_swap() {
        let folder = tempfile::tempdir().unwrap();
        let limit = limit(folder.path());
        fs::create_dir(&limit.group).unwrap();
        limit.set(Version::V2).unwrap();
        assert_eq!(limit.read("memory.max").unwrap(), "1048576000");
        assert!(!limit.group.join("memory.swap.max").exists());
        fs::write(limit.group.join("memory.memsw.limit_in_bytes"), "").unwrap();
        limit.set(Version::V1).unwrap();
        assert_eq!(
            limit.read("memory.memsw.limit_in_bytes").unwrap(),
            "1048576000"
        );
    }

    #[test]
    fn a_program_enters_the_group_with_its_arguments_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let limit = limit(folder.path());
        let refusal = limit.try_out().unwrap_err();
        assert!(refusal.contains("cannot enter"), "{refusal}");
        fs::create_dir(&limit.group).unwrap();
        let child = limit
            .command(Path::new("printf"))
            .args(["%s|", "a b", "$$", "\"c\""])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let id = child.id();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "a b|$$|\"c\"|");
        assert_eq!(limit.read("cgroup.procs").unwrap().trim(), id.to_string());
    }

    #[test]
    fn figures_are_read_in_either_version() {
        let folder = tempfile::tempdir().unwrap();
        let limit = limit(folder.path());
        fs::create_dir(&limit.group).unwrap();
        assert_eq!(limit.used_bytes(), None);
        assert!(!limit.was_exceeded());
        let write = |file: &str, text: &str| fs::write(limit.group.join(file), text).unwrap();
        write("memory.current", "77\n");
        write(
            "memory.stat",
            "cache 9\ninactive_file 30\nactive_file 12\ntotal_active_file 99\n",
        );
        write("memory.events", "oom 2\noom_kill 0\n");
        assert_eq!(limit.used_bytes(), Some(77));
        assert_eq!(limit.page_cache_bytes(), Some(42));
        assert!(!limit.was_exceeded());
        write(
            "memory.oom_control",
            "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
        );
        assert!(limit.was_exceeded());
    }

    #[test]
    fn what_cannot_be_removed_is_given_up_and_what_is_gone_is_fine() {
        let folder = tempfile::tempdir().unwrap();
        let limit = limit(folder.path());
        limit.remove();
        fs::create_dir(&limit.group).unwrap();
        fs::write(limit.group.join("file"), "").unwrap();
        limit.remove();
        assert!(limit.group.exists());
        fs::remove_file(limit.group.join("file")).unwrap();
        limit.remove();
        assert!(!limit.group.exists());
    }
}
