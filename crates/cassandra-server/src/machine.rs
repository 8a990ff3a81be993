//! What of this machine a server may take.

use std::fs;
use std::path::Path;

use crate::error::{Error, Result};

const MIB: u64 = 1024 * 1024;
const LEAST_HEAP_MIB: u64 = 512;
const LEAST_FREE_DISK_MIB: u64 = 1024;
/// A server also takes memory beside its heap, and the system's page cache and the clients need
/// theirs.
const HEAP_SHARE: u64 = 4;

/// The heap in MiB: what was asked for, but no more than a quarter of the memory.
///
/// # Errors
/// `Refused` when that is too little for Cassandra.
pub(crate) fn heap_mib(asked_mib: u64) -> Result<u64> {
    bounded_heap(asked_mib, memory_mib()?)
}

fn bounded_heap(asked_mib: u64, memory_mib: u64) -> Result<u64> {
    let bound = memory_mib / HEAP_SHARE;
    if bound.min(asked_mib) < LEAST_HEAP_MIB {
        return Err(Error::Refused(format!(
            "Cassandra needs a heap of at least {LEAST_HEAP_MIB} MiB and may take a quarter of \
             the memory: {asked_mib} MiB were asked for, {memory_mib} MiB of memory are here"
        )));
    }
    if bound < asked_mib {
        tracing::warn!(
            "Cassandra's heap is {bound} MiB instead of {asked_mib} MiB: a quarter of the memory"
        );
    }
    Ok(asked_mib.min(bound))
}

/// The memory of the machine, or of the container if that is less.
fn memory_mib() -> Result<u64> {
    let path = Path::new("/proc/meminfo");
    let text = fs::read_to_string(path).map_err(Error::io("read", path))?;
    let total_kib = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
        .ok_or_else(|| Error::Refused("no MemTotal in /proc/meminfo".into()))?;
    let container_bytes = fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|limit| limit.trim().parse::<u64>().ok())
        .unwrap_or(u64::MAX);
    Ok((total_kib / 1024).min(container_bytes / MIB))
}

/// # Errors
/// `Refused` when the disk of that folder has no room for a server.
pub(crate) fn check_free_disk(folder: &Path) -> Result<()> {
    let disk = rustix::fs::statvfs(folder)
        .map_err(|error| Error::io("read the free space of", folder)(error.into()))?;
    let free_mib = disk.f_bavail.saturating_mul(disk.f_frsize) / MIB;
    if free_mib >= LEAST_FREE_DISK_MIB {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "the disk of {} is full: {free_mib} MiB are free and Cassandra needs at least \
         {LEAST_FREE_DISK_MIB} MiB; free some or choose another folder",
        folder.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heap_is_at_most_a_quarter_of_the_memory() {
        assert_eq!(bounded_heap(2048, 24_000).unwrap(), 2048);
        assert_eq!(bounded_heap(2048, 4096).unwrap(), 1024);
        assert!(
            bounded_heap(2048, 1024)
                .unwrap_err()
                .to_string()
                .contains("1024 MiB of memory")
        );
        assert!(bounded_heap(100, 24_000).is_err());
    }

    #[test]
    fn the_memory_and_the_disk_of_this_machine_can_be_read() {
        assert!(memory_mib().unwrap() > 0);
        assert!(matches!(
            check_free_disk(Path::new("/")),
            Ok(()) | Err(Error::Refused(_))
        ));
        assert!(check_free_disk(Path::new("/nowhere")).is_err());
    }
}
