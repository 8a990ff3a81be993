//! Bound on the bytes that a server reads from the disk in a second, by a control group.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::group::Group;
use super::hierarchy::{Controller, Hierarchy, Version};
use super::memory::MemoryLimit;
use crate::error::{Error, Result};
use crate::machine::device_of;

/// Folder with the block devices of the system, by their numbers.
const DEVICES: &str = "/sys/dev/block";

/// The control group that bounds the disk of one server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct DiskLimit {
    pub(crate) read_bytes_per_second: u64,
    pub(super) group: Group,
}

impl DiskLimit {
    /// Bounds what a server reads from the disk that holds this folder. In version 2 of control groups a
    /// process is in one group only, so that it is that of the memory limit, if there is one.
    ///
    /// # Errors
    /// Fails with `NoDiskLimit` if the system does not permit it, or the folder is on no disk.
    pub(crate) fn create(
        name: &str,
        read_bytes_per_second: u64,
        folder: &Path,
        memory: Option<&MemoryLimit>,
    ) -> Result<DiskLimit> {
        let refused = |reason| Error::NoDiskLimit {
            read_bytes_per_second,
            reason,
        };
        let device = disk_of(folder, Path::new(DEVICES)).map_err(refused)?;
        let hierarchy = Hierarchy::here(Controller::Disk)
            .ok_or_else(|| refused("no control groups that account the disk are mounted".into()))?;
        let shared = memory.filter(|_| hierarchy.version == Version::V2);
        let group = match shared {
            Some(memory) => {
                let parent = memory.group.path().parent();
                parent
                    .iter()
                    .for_each(|parent| hierarchy.distribute_below(parent));
                memory.group.clone()
            }
            None => Group::new(hierarchy.make_group(name).map_err(refused)?),
        };
        let limit = DiskLimit {
            read_bytes_per_second,
            group,
        };
        let ready = { limit.set(hierarchy.version, &device) }.and_then(|()| limit.group.try_out());
        ready.map(|()| limit.clone()).map_err(|reason| {
            if shared.is_none() {
                limit.group.remove();
            }
            refused(reason)
        })
    }

    fn set(&self, version: Version, device: &str) -> Result<(), String> {
        let bytes = self.read_bytes_per_second;
        match version {
            Version::V1 => {
                let bound = format!("{device} {bytes}");
                self.group.write("blkio.throttle.read_bps_device", &bound)
            }
            Version::V2 if !self.group.has("io.max") => {
                Err(format!("{} distributes no io", self.group.path().display()))
            }
            Version::V2 => self
                .group
                .write("io.max", &format!("{device} rbps={bytes}")),
        }
    }
}

/// Returns the number of the disk that holds a folder, `254:0`. A partition cannot be bounded by itself,
/// so it is that of its whole disk. `devices` is the folder of all block devices.
fn disk_of(folder: &Path, devices: &Path) -> Result<String, String> {
    let unknown = || format!("{} is on no block device", folder.display());
    let number = device_of(folder).ok_or_else(unknown)?;
    let device = devices.join(&number);
    if !device.exists() {
        return Err(unknown());
    }
    if !device.join("partition").exists() {
        return Ok(number);
    }
    let whole = fs::canonicalize(&device).ok();
    let whole = whole.and_then(|device| fs::read_to_string(device.parent()?.join("dev")).ok());
    Ok(whole.ok_or_else(unknown)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(group: &Path) -> DiskLimit {
        fs::create_dir(group).unwrap();
        DiskLimit {
            read_bytes_per_second: 50_000_000,
            group: Group::new(group.to_owned()),
        }
    }

    #[test]
    fn limits_are_set_in_either_version() {
        let folder = tempfile::tempdir().unwrap();
        let limit = limit(&folder.path().join("group"));
        limit.set(Version::V1, "254:0").unwrap();
        let set = limit.group.read("blkio.throttle.read_bps_device");
        assert_eq!(set.unwrap(), "254:0 50000000");
        let refusal = limit.set(Version::V2, "254:0").unwrap_err();
        assert!(refusal.contains("distributes no io"), "{refusal}");
        limit.group.write("io.max", "").unwrap();
        limit.set(Version::V2, "254:0").unwrap();
        assert_eq!(limit.group.read("io.max").unwrap(), "254:0 rbps=50000000");
    }

    #[test]
    fn a_partition_is_bounded_by_its_disk_and_no_device_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (number, devices) = (
            device_of(folder.path()).unwrap(),
            folder.path().join("devices"),
        );
        fs::create_dir(&devices).unwrap();
        let found = || disk_of(folder.path(), &devices);
        assert!(found().unwrap_err().contains("is on no block device"));

        let partition = folder.path().join("sda/sda1");
        fs::create_dir_all(&partition).unwrap();
        std::os::unix::fs::symlink(&partition, devices.join(&number)).unwrap();
        assert_eq!(found().unwrap(), number);
        fs::write(partition.join("partition"), "1\n").unwrap();
        fs::write(folder.path().join("sda/dev"), "8:0\n").unwrap();
        assert_eq!(found().unwrap(), "8:0");
    }

    #[test]
    fn the_system_takes_the_limit_and_gives_the_group_back() {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("bakeoff-test-{}", std::process::id());
        let made = DiskLimit::create(&name, 50_000_000, folder.path(), None);
        let limit = match made {
            Err(error) => {
                bakeoff_testing::skipped(error);
                return;
            }
            Ok(limit) => limit,
        };
        let files = ["blkio.throttle.read_bps_device", "io.max"];
        let set: String = files
            .iter()
            .filter_map(|file| limit.group.read(file))
            .collect();
        assert!(set.contains("50000000"), "{set}");
        limit.group.remove();
        assert!(!limit.group.path().exists());
    }
}
