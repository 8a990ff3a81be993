//! Marks that say which run owns a table on a shared server.

use std::path::Path;

/// Names a run by its machine and its folder, so that a stopped run finds its tables and no other run
/// does.
pub fn run_name(run_dir: &Path) -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let (host, machine) = (read("/proc/sys/kernel/hostname"), read("/etc/machine-id"));
    format!("{} {} {}", host.trim(), machine.trim(), run_dir.display())
}
