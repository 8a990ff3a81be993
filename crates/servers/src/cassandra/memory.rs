//! Bound on all memory of a server, including its page cache, by a control group.

use serde::{Deserialize, Serialize};

use super::group::Group;
use super::hierarchy::{Controller, Hierarchy, Version};
use crate::error::{Error, Result};
use crate::machine::available_mib;

const MIB: u64 = 1024 * 1024;
/// Memory that Cassandra takes outside its heap: classes, compiled code, the collector, network
/// buffers and off-heap data of tables.
const OUTSIDE_HEAP_MIB: u64 = 400;

/// The control group of one server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MemoryLimit {
    pub(crate) bytes: u64,
    pub(super) group: Group,
}

impl MemoryLimit {
    /// Creates a control group in which a server's memory is bounded, without swap.
    ///
    /// # Errors
    /// Fails with `NoMemoryLimit` if the system does not permit it.
    pub(crate) fn create(name: &str, bytes: u64) -> Result<MemoryLimit> {
        let limit_mib = bytes / MIB;
        let refused = |reason| Error::NoMemoryLimit { limit_mib, reason };
        let hierarchy = Hierarchy::here(Controller::Memory)
            .ok_or_else(|| refused("no control groups that account memory are mounted".into()))?;
        let group = Group::new(hierarchy.make_group(name).map_err(refused)?);
        let limit = MemoryLimit { bytes, group };
        let ready = { limit.set(hierarchy.version) }.and_then(|()| limit.group.try_out());
        ready.map(|()| limit.clone()).map_err(|reason| {
            limit.group.remove();
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
        self.group.write(limit, &bytes)?;
        // Kernels that do not account swap lack the file.
        if self.group.has(swap.0) {
            self.group.write(swap.0, swap.1)?;
        }
        Ok(())
    }

    /// Returns the memory that counts against the limit at the moment, in bytes.
    pub(crate) fn used_bytes(&self) -> Option<u64> {
        ["memory.usage_in_bytes", "memory.current"]
            .iter()
            .find_map(|file| self.group.read(file)?.trim().parse().ok())
    }

    /// Returns the page cache in it, mapped files included, in bytes.
    pub(crate) fn page_cache_bytes(&self) -> Option<u64> {
        let text = self.group.read("memory.stat")?;
        Some(count(&text, "active_file")? + count(&text, "inactive_file")?)
    }

    /// Returns whether the kernel has killed a process because the limit was reached.
    pub(crate) fn was_exceeded(&self) -> bool {
        ["memory.oom_control", "memory.events"]
            .iter()
            .filter_map(|file| count(&self.group.read(file)?, "oom_kill"))
            .any(|kills| kills > 0)
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
    let each_mib = each_mib(heap_mib, limit_bytes);
    let all_mib = u64::from(nodes) * each_mib;
    if all_mib <= available_mib {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "{nodes} nodes of Cassandra take {all_mib} MiB of memory, {each_mib} MiB each with a heap of \
         {heap_mib} MiB, and {available_mib} MiB are free: start fewer nodes, or end other programs"
    )))
}

/// Servers of one engine, or of one design, that run at the same time as others.
pub(crate) struct Servers<'a> {
    pub(crate) name: &'a str,
    pub(crate) nodes: u8,
    pub(crate) heap_mib: u64,
    pub(crate) limit_bytes: Option<u64>,
}

/// Checks that the machine has memory for several servers at the same time. Those of one engine alone are not
/// looked at.
///
/// # Errors
/// Fails with `Refused` when it has not.
pub(crate) fn check_room_together(all: &[Servers<'_>]) -> Result<()> {
    if all.len() < 2 {
        return Ok(());
    }
    fit_together(all, available_mib()?)
}

fn fit_together(all: &[Servers<'_>], available_mib: u64) -> Result<()> {
    let mib_of = |of: &Servers<'_>| u64::from(of.nodes) * each_mib(of.heap_mib, of.limit_bytes);
    let all_mib: u64 = all.iter().map(mib_of).sum();
    if all_mib <= available_mib {
        return Ok(());
    }
    let each = all
        .iter()
        .map(|of| format!("{} {} MiB", of.name, mib_of(of)));
    let each: Vec<String> = each.collect();
    Err(Error::Refused(format!(
        "{} Cassandras run at the same time and take {all_mib} MiB of memory ({}), and {available_mib} \
         MiB are free: leave some out with --designs, start fewer nodes, or end other programs",
        all.len(),
        each.join(", ")
    )))
}

/// Returns the memory that a server takes in MiB: its limit, if it has one.
fn each_mib(heap_mib: u64, limit_bytes: Option<u64>) -> u64 {
    limit_bytes.map_or(heap_mib + OUTSIDE_HEAP_MIB, |bytes| bytes / MIB)
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
    use std::fs;
    use std::path::Path;

    use super::*;

    fn limit(folder: &Path) -> MemoryLimit {
        MemoryLimit {
            bytes: 1000 * MIB,
            group: Group::new(folder.join("group")),
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
    fn servers_of_several_engines_fit_the_memory_together() {
        let of = |name, nodes, limit_bytes| Servers {
            name,
            nodes,
            heap_mib: 2048,
            limit_bytes,
        };
        let all = [
            of("cassandra", 3, None),
            of("cassandra-4", 1, Some(3000 * MIB)),
        ];
        fit_together(&all, 10_344).unwrap();
        let error = fit_together(&all, 10_343).unwrap_err().to_string();
        let each = "(cassandra 7344 MiB, cassandra-4 3000 MiB)";
        assert!(
            error.contains("10344 MiB") && error.contains(each),
            "{error}"
        );
    }

    #[test]
    fn limits_are_set_without_swap() {
        let folder = tempfile::tempdir().unwrap();
        let limit = limit(folder.path());
        fs::create_dir(limit.group.path()).unwrap();
        limit.set(Version::V2).unwrap();
        assert_eq!(limit.group.read("memory.max").unwrap(), "1048576000");
        assert!(!limit.group.has("memory.swap.max"));
        limit
            .group
            .write("memory.memsw.limit_in_bytes", "")
            .unwrap();
        limit.set(Version::V1).unwrap();
        assert_eq!(
            limit.group.read("memory.memsw.limit_in_bytes").unwrap(),
            "1048576000"
        );
    }

    #[test]
    fn figures_are_read_in_either_version() {
        let folder = tempfile::tempdir().unwrap();
        let limit = limit(folder.path());
        fs::create_dir(limit.group.path()).unwrap();
        assert_eq!(limit.used_bytes(), None);
        assert!(!limit.was_exceeded());
        let write = |file: &str, text: &str| limit.group.write(file, text).unwrap();
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
}
