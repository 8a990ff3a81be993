//! What this machine has for a server.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::Engine;
use crate::error::{Error, Result};

const MIB: u64 = 1024 * 1024;
const LEAST_FREE_DISK_MIB: u64 = 1024;

/// The memory that can be had without swapping, of the machine or of the container.
pub(crate) fn available_mib() -> Result<u64> {
    Ok(meminfo_mib("MemAvailable:")?.min(memory_mib()?))
}

/// A figure of the system's memory.
fn meminfo_mib(name: &str) -> Result<u64> {
    let path = Path::new("/proc/meminfo");
    let text = fs::read_to_string(path).map_err(Error::io("read", path))?;
    text.lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
        .map(|kib| kib / 1024)
        .ok_or_else(|| Error::Refused(format!("no {name} in /proc/meminfo")))
}

/// The memory of the machine, or of the container if that is less.
pub(crate) fn memory_mib() -> Result<u64> {
    let total_mib = meminfo_mib("MemTotal:")?;
    let container_bytes = fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|limit| limit.trim().parse::<u64>().ok())
        .unwrap_or(u64::MAX);
    Ok(total_mib.min(container_bytes / MIB))
}

/// # Errors
/// `Refused` when the disk of that folder has no room for a server.
pub(crate) fn check_free_disk(folder: &Path, engine: Engine) -> Result<()> {
    let disk = rustix::fs::statvfs(folder)
        .map_err(|error| Error::io("read the free space of", folder)(error.into()))?;
    let free_mib = disk.f_bavail.saturating_mul(disk.f_frsize) / MIB;
    if free_mib >= LEAST_FREE_DISK_MIB {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "the disk of {} is full: {free_mib} MiB are free and {engine} needs at least \
         {LEAST_FREE_DISK_MIB} MiB; free some or choose another folder",
        folder.display()
    )))
}

/// The nearest folder of that path that is there.
pub(crate) fn existing(path: &Path) -> &Path {
    let mut above = path.ancestors();
    above.find(|path| path.exists()).unwrap_or(Path::new("/"))
}

/// How far the device of that folder reads ahead of what is asked for, in bytes; none where it has
/// no such setting.
pub(crate) fn read_ahead_bytes(folder: &Path) -> Option<u64> {
    let device = rustix::fs::stat(folder).ok()?.st_dev;
    let device = format!(
        "{}:{}",
        rustix::fs::major(device),
        rustix::fs::minor(device)
    );
    let kib = [
        format!("/sys/dev/block/{device}/queue/read_ahead_kb"),
        // A partition's is that of its disk.
        format!("/sys/dev/block/{device}/../queue/read_ahead_kb"),
        format!("/sys/class/bdi/{device}/read_ahead_kb"),
    ];
    let kib = kib.iter().find_map(|path| fs::read_to_string(path).ok())?;
    kib.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The first program of that name in the folders of `path`.
pub(crate) fn on_path(path: &OsString, name: &str) -> Option<PathBuf> {
    std::env::split_paths(path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_and_the_disk_of_this_machine_can_be_read() {
        assert!(available_mib().unwrap() <= memory_mib().unwrap());
        assert!(matches!(
            check_free_disk(Path::new("/"), Engine::Cassandra),
            Ok(()) | Err(Error::Refused(_))
        ));
        assert!(check_free_disk(Path::new("/nowhere"), Engine::Cassandra).is_err());
    }

    #[test]
    fn a_disk_reads_ahead_and_the_process_table_does_not() {
        if let Some(bytes) = read_ahead_bytes(Path::new("/")) {
            assert_eq!(bytes % 1024, 0);
        }
        assert_eq!(read_ahead_bytes(Path::new("/nowhere")), None);
    }
}
