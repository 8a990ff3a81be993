//! Resources of this machine for a server.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::Engine;
use crate::error::{Error, Result};

const MIB: u64 = 1024 * 1024;
const LEAST_FREE_DISK_MIB: u64 = 1024;

/// Returns the memory in MiB that is available without swapping, of the machine or of the
/// container.
///
/// # Errors
/// Fails with `Io` or `Refused` where the system does not say it.
pub fn available_mib() -> Result<u64> {
    Ok(meminfo_mib("MemAvailable:")?.min(memory_mib()?))
}

/// Reads a figure of the system's memory, in MiB.
fn meminfo_mib(name: &str) -> Result<u64> {
    let path = Path::new("/proc/meminfo");
    let text = fs::read_to_string(path).map_err(Error::io("read", path))?;
    text.lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
        .map(|kib| kib / 1024)
        .ok_or_else(|| Error::Refused(format!("no {name} in /proc/meminfo")))
}

/// Returns the memory in MiB of the machine, or of the container if that has less.
pub(crate) fn memory_mib() -> Result<u64> {
    let total_mib = meminfo_mib("MemTotal:")?;
    let container_bytes = fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|limit| limit.trim().parse::<u64>().ok())
        .unwrap_or(u64::MAX);
    Ok(total_mib.min(container_bytes / MIB))
}

/// Returns the free space in MiB on the disk of that folder that is available to users other than
/// root.
pub(crate) fn free_mib(folder: &Path) -> Result<u64> {
    let disk = rustix::fs::statvfs(folder)
        .map_err(|error| Error::io("read the free space of", folder)(error.into()))?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize) / MIB)
}

/// Checks that the disk of that folder has room for a server.
///
/// # Errors
/// Fails with `Refused` when it has not.
pub(crate) fn check_free_disk(folder: &Path, engine: Engine) -> Result<()> {
    check_free_disk_of(1, folder, engine)
}

/// Checks that the disk of that folder has room for so many servers of an engine, each with its own files.
///
/// # Errors
/// Fails with `Refused` when it has not.
pub(crate) fn check_free_disk_of(servers: u64, folder: &Path, engine: Engine) -> Result<()> {
    let purpose = match servers {
        1 => engine.to_string(),
        several => format!("{engine} as {several} servers"),
    };
    let remedy = "free some or choose another folder";
    check_room(folder, servers * LEAST_FREE_DISK_MIB, &purpose, remedy)
}

/// Checks that the disk of that folder has that much room.
///
/// # Errors
/// Fails with `Refused` when it has not; `purpose` says what needs the room and `remedy` what to do.
pub(crate) fn check_room(folder: &Path, least_mib: u64, purpose: &str, remedy: &str) -> Result<()> {
    let free_mib = free_mib(folder)?;
    if free_mib >= least_mib {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "the disk of {} is full: {free_mib} MiB are free and {purpose} needs at least \
         {least_mib} MiB; {remedy}",
        folder.display()
    )))
}

/// Returns the nearest existing folder of that path.
pub(crate) fn existing(path: &Path) -> &Path {
    let mut above = path.ancestors();
    above.find(|path| path.exists()).unwrap_or(Path::new("/"))
}

/// Returns the numbers of the device that holds a folder: `254:0`.
pub(crate) fn device_of(folder: &Path) -> Option<String> {
    let number = rustix::fs::stat(folder).ok()?.st_dev;
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    Some(format!("{major}:{minor}"))
}

/// The folder in which the system describes its devices.
const SYS: &str = "/sys";

/// Returns how many bytes the device of that folder reads ahead; `None` if it has no such setting.
pub fn read_ahead_bytes(folder: &Path) -> Option<u64> {
    read_ahead_bytes_by(Path::new(SYS), folder)
}

/// Returns how many bytes the device of that folder reads ahead, as the folder `sys` describes it, which is `/sys` or
/// has the same form; `None` if it has no such setting.
pub fn read_ahead_bytes_by(sys: &Path, folder: &Path) -> Option<u64> {
    let device = device_of(folder)?;
    let block = sys.join("dev/block").join(&device);
    let kib = [
        block.join("queue/read_ahead_kb"),
        // A partition has the setting of its disk.
        block.join("../queue/read_ahead_kb"),
        sys.join("class/bdi").join(&device).join("read_ahead_kb"),
    ];
    first_kib_as_bytes(&kib)
}

/// Requests that a device has completed since the machine started, for all programs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceRequests {
    pub reads: u64,
    pub writes: u64,
    /// Time that all of them together have waited and taken, whose growth a second is the mean length of the queue.
    pub seconds: f64,
}

/// Returns the requests that the device or partition of that folder has completed since the machine started; `None` if
/// it is on no device of its own, as in some containers.
pub(crate) fn device_requests(folder: &Path) -> Option<DeviceRequests> {
    let device = device_of(folder)?;
    completed(&fs::read_to_string(format!("/sys/dev/block/{device}/stat")).ok()?)
}

/// Parses completed reads and writes of a device, the first and the fifth number of its line, and the milliseconds that
/// they took, the fourth and the eighth one.
fn completed(text: &str) -> Option<DeviceRequests> {
    let mut numbers = text
        .split_whitespace()
        .map(|number| number.parse::<u64>().ok());
    let reads = numbers.next()??;
    let reading = numbers.nth(2)??;
    let writes = numbers.next()??;
    let writing = numbers.nth(2)??;
    Some(DeviceRequests {
        reads,
        writes,
        seconds: reading.checked_add(writing)? as f64 / 1e3,
    })
}

/// Returns the mean number of threads that ran or wanted to run, or waited for the disk, over about the last
/// minute, of the whole machine.
pub(crate) fn load_average() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Reads a number of KiB from the first of the files that exists.
fn first_kib_as_bytes(files: &[PathBuf]) -> Option<u64> {
    let kib = files
        .iter()
        .find_map(|path| fs::read_to_string(path).ok())?;
    kib.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Returns the first program of that name in the folders of `path`.
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
        let refused = |folder: &str| {
            let checked = check_free_disk(Path::new(folder), Engine::Cassandra);
            checked.unwrap_err().to_string()
        };
        let error = refused("/nowhere");
        assert!(error.contains("read the free space of"), "{error}");
        // No process can write there, so nothing is free.
        let error = refused("/proc");
        assert!(error.contains("/proc is full: 0 MiB are free"), "{error}");
        let checked = check_free_disk_of(3, Path::new("/proc"), Engine::Postgres);
        let error = checked.unwrap_err().to_string();
        let words = "PostgreSQL as 3 servers needs at least 3072 MiB";
        assert!(error.contains(words), "{error}");
    }

    #[test]
    fn a_disk_is_full_when_less_than_a_server_needs_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let free = free_mib(folder.path()).unwrap();
        let check = |least| check_room(folder.path(), least, "Cassandra", "free some");
        // Others use this disk at the same time.
        check(free / 2).unwrap();
        let error = check(free * 2).unwrap_err().to_string();
        let needed = format!("Cassandra needs at least {} MiB; free some", free * 2);
        assert!(error.ends_with(&needed), "{error}");
    }

    #[test]
    fn requests_of_a_device_have_their_number_and_their_time() {
        let line = "   14409     2134  1045714     7016   128511   112032  3456000  99000  0  65000  110000\n";
        let requests = DeviceRequests {
            reads: 14_409,
            writes: 128_511,
            seconds: 106.016,
        };
        assert_eq!(completed(line), Some(requests));
        assert_eq!(completed("14409 2134 1045714 7016"), None);
        assert_eq!(completed("14409 2134 1045714 7016 128511"), None);
        assert_eq!(completed("many 1 2 3 4 5 6 7"), None);
        assert_eq!(device_requests(Path::new("/nowhere")), None);
    }

    #[test]
    fn the_load_of_this_machine_can_be_read() {
        assert!(load_average().unwrap() >= 0.0);
    }

    #[test]
    fn reading_ahead_is_that_of_the_first_setting_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let (first, second) = (file("disk", "128\n"), file("partition", "4096\n"));
        let missing = PathBuf::from("/nowhere/read_ahead_kb");
        assert_eq!(
            first_kib_as_bytes(&[missing.clone(), first, second]),
            Some(128 << 10)
        );
        assert_eq!(first_kib_as_bytes(&[missing]), None);
        assert_eq!(first_kib_as_bytes(&[file("none", "no number")]), None);
        assert_eq!(read_ahead_bytes(Path::new("/nowhere")), None);
    }

    #[test]
    fn reading_ahead_is_that_of_the_device_with_the_folder() {
        let sys = tempfile::tempdir().unwrap();
        let data = tempfile::tempdir().unwrap();
        assert_eq!(read_ahead_bytes_by(sys.path(), data.path()), None);
        let device = device_of(data.path()).unwrap();
        let queue = sys.path().join("dev/block").join(device).join("queue");
        fs::create_dir_all(&queue).unwrap();
        fs::write(queue.join("read_ahead_kb"), "4096\n").unwrap();
        let bytes = read_ahead_bytes_by(sys.path(), data.path());
        assert_eq!(bytes, Some(4096 << 10));
    }
}
