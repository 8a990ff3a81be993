//! Marks that say which run owns a table on a shared server.

use std::path::Path;

use uuid::Uuid;

use crate::Context;

/// Returns a random token for a new run, by which it is told from all others.
pub fn new_token() -> String {
    Uuid::now_v7().simple().to_string()
}

/// Returns the marker of the tables of a run: its name, and its token unless an earlier version began it.
pub fn marker(context: &Context) -> String {
    let name = run_name(&context.run_dir);
    match &context.token {
        Some(token) => format!("{name} {token}"),
        None => name,
    }
}

/// Names a run by its machine and its folder, so that a stopped run finds its tables. Containers that
/// are made from the same image may have the same name, and differ by their runs' tokens.
pub fn run_name(run_dir: &Path) -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let (host, machine) = (read("/proc/sys/kernel/hostname"), read("/etc/machine-id"));
    format!("{} {} {}", host.trim(), machine.trim(), run_dir.display())
}
