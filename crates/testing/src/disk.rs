//! Mounts file systems for a test, which needs root.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::skipped;

/// A file system in memory, which is unmounted at the end.
pub struct Disk(PathBuf);

impl Disk {
    /// Mounts a disk in that folder, which is created, with options of `mount` such as `size=2m`.
    /// Returns `None`, and prints the reason, if this user may not mount.
    #[track_caller]
    pub fn mount(folder: impl Into<PathBuf>, options: &str) -> Option<Disk> {
        let folder = folder.into();
        std::fs::create_dir_all(&folder).expect("a folder for the disk");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(&folder)
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Disk(folder));
        }
        skipped("mounting a file system needs root");
        None
    }

    pub fn folder(&self) -> &Path {
        &self.0
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}
