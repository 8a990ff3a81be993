//! The disk with the files of a server, as the system describes it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::machine::{device_of, read_ahead_bytes};

/// Characters that are written as numbers in the paths of the list of mounted filesystems.
const ESCAPED: [(&str, &str); 4] = [
    ("\\040", " "),
    ("\\011", "\t"),
    ("\\012", "\n"),
    ("\\134", "\\"),
];

/// Returns what the system says about the disk with that folder, by the names under which a server reports it: the
/// disk with its model, the filesystem, the I/O scheduler and the bytes that it reads ahead. What the system does not
/// say is left out.
pub(crate) fn settings(folder: &Path) -> Vec<(&'static str, String)> {
    let disk = device_of(folder).and_then(|device| disk_of(Path::new("/sys"), &device));
    let disk = disk.as_deref();
    let known = [
        ("disk", disk.and_then(described)),
        ("filesystem", filesystem(folder)),
        ("I/O scheduler", disk.and_then(scheduler)),
        (
            "read_ahead_bytes",
            read_ahead_bytes(folder).map(|bytes| bytes.to_string()),
        ),
    ];
    let known = known.into_iter();
    known
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// Returns the folder of the disk with those numbers, `254:1`, which is that of the whole disk for a partition.
fn disk_of(sys: &Path, device: &str) -> Option<PathBuf> {
    let device = fs::canonicalize(sys.join("dev/block").join(device)).ok()?;
    let mut either = [Some(device.as_path()), device.parent()]
        .into_iter()
        .flatten();
    either
        .find(|folder| folder.join("queue").is_dir())
        .map(Path::to_owned)
}

/// Describes a disk by its model and its name: `Amazon Elastic Block Store (nvme1n1)`.
fn described(disk: &Path) -> Option<String> {
    let name = disk.file_name()?.to_string_lossy().into_owned();
    Some(match text_of(&disk.join("device/model")) {
        Some(model) => format!("{model} ({name})"),
        None => name,
    })
}

/// Returns the I/O scheduler of a disk: the one in brackets among those that there are.
fn scheduler(disk: &Path) -> Option<String> {
    let all = text_of(&disk.join("queue/scheduler"))?;
    let chosen = all.split_once('[').and_then(|(_, rest)| {
        let (chosen, _) = rest.split_once(']')?;
        Some(chosen.to_owned())
    });
    Some(chosen.unwrap_or(all))
}

/// Returns the kind of the filesystem with that folder.
fn filesystem(folder: &Path) -> Option<String> {
    let folder = fs::canonicalize(folder).ok()?;
    filesystem_in(&fs::read_to_string("/proc/self/mountinfo").ok()?, &folder)
}

/// Returns the kind of the filesystem with that folder from the list of mounted ones. Of several that are mounted at
/// the same place, the last one is seen.
fn filesystem_in(mounted: &str, folder: &Path) -> Option<String> {
    let above = mounted.lines().filter_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut place = place.split_whitespace().nth(4)?.to_owned();
        for (number, character) in ESCAPED {
            place = place.replace(number, character);
        }
        let place = PathBuf::from(place);
        let kind = kind.split_whitespace().next()?;
        folder
            .starts_with(&place)
            .then(|| (place.components().count(), kind))
    });
    let (_, kind) = above.max_by_key(|(depth, _)| *depth)?;
    Some(kind.to_owned())
}

/// Reads a file of one line; `None` if there is nothing in it.
fn text_of(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Makes a folder as `/sys` is, with the disk `sda`, 8:0, and its partition `sda1`, 8:1.
    fn sys(files: &[(&str, &str)]) -> tempfile::TempDir {
        let sys = tempfile::tempdir().unwrap();
        let disk = sys.path().join("devices/block/sda");
        let numbers = sys.path().join("dev/block");
        for folder in [&disk.join("queue"), &disk.join("sda1"), &numbers] {
            fs::create_dir_all(folder).unwrap();
        }
        symlink(&disk, numbers.join("8:0")).unwrap();
        symlink(disk.join("sda1"), numbers.join("8:1")).unwrap();
        for (name, text) in files {
            let file = disk.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        sys
    }

    #[test]
    fn a_partition_is_on_its_disk() {
        let files = [
            ("device/model", "Samsung SSD 980   \n"),
            ("queue/scheduler", "none [mq-deadline] kyber\n"),
        ];
        let sys = sys(&files);
        for device in ["8:0", "8:1"] {
            let disk = disk_of(sys.path(), device).unwrap();
            assert_eq!(described(&disk).unwrap(), "Samsung SSD 980 (sda)");
            assert_eq!(scheduler(&disk).unwrap(), "mq-deadline");
        }
        assert_eq!(disk_of(sys.path(), "8:2"), None);
    }

    #[test]
    fn a_disk_without_a_model_has_its_name_and_one_scheduler_no_brackets() {
        let sys = sys(&[("queue/scheduler", "none\n"), ("device/model", "\n")]);
        let disk = disk_of(sys.path(), "8:1").unwrap();
        assert_eq!(described(&disk).unwrap(), "sda");
        assert_eq!(scheduler(&disk).unwrap(), "none");
    }

    #[test]
    fn what_the_system_does_not_say_is_left_out() {
        let sys = sys(&[]);
        let disk = disk_of(sys.path(), "8:0").unwrap();
        assert_eq!(scheduler(&disk), None);
        assert_eq!(disk_of(Path::new("/nowhere"), "8:0"), None);
        assert_eq!(settings(Path::new("/nowhere")), Vec::new());
    }

    #[test]
    fn the_filesystem_is_the_one_mounted_nearest_and_last() {
        let mounted = "\
            22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n\
            30 22 0:21 / /data rw - tmpfs tmpfs rw\n\
            31 22 8:1 / /data rw,noatime - xfs /dev/sda1 rw\n\
            32 22 8:17 / /my\\040data rw - btrfs /dev/sdb1 rw\n\
            of another form\n";
        let of = |folder: &str| filesystem_in(mounted, Path::new(folder));
        assert_eq!(of("/home/me").as_deref(), Some("ext4"));
        assert_eq!(of("/data/run").as_deref(), Some("xfs"));
        assert_eq!(of("/database").as_deref(), Some("ext4"));
        assert_eq!(of("/my data/run").as_deref(), Some("btrfs"));
        assert_eq!(filesystem_in("", Path::new("/")), None);
    }

    #[test]
    fn the_filesystem_of_this_machine_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let found = settings(folder.path());
        assert!(
            found.iter().any(|(name, _)| *name == "filesystem"),
            "{found:?}"
        );
    }
}
