//! Chooses the folder that a measurement writes to.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use bakeoff_stats::{Record, Run};

/// Returns the folder asked for; else `runs/NAME`, or the first of `runs/NAME-2`, ... that is free.
/// The path is absolute: it is part of statements and of the keyspace's name, and has to mean the same
/// when the run is resumed.
///
/// # Errors
/// Fails if the path cannot be made absolute.
pub fn choose(out: Option<&Path>, name: &str, is_free: impl Fn(&Path) -> bool) -> Result<PathBuf> {
    let path = out.map_or_else(|| first_free(name, is_free), Path::to_owned);
    std::path::absolute(&path).with_context(|| format!("cannot use the path {}", path.display()))
}

/// Returns `runs/NAME`, or the first of `runs/NAME-2`, ... that is free.
pub fn first_free(name: &str, is_free: impl Fn(&Path) -> bool) -> PathBuf {
    (1..)
        .map(|number| numbered(name, number))
        .find(|dir| is_free(dir))
        .unwrap_or_else(|| numbered(name, 1))
}

/// Returns `runs/NAME` for 1, and else the folder with that number, such as `runs/NAME-2`.
pub fn numbered(name: &str, number: u32) -> PathBuf {
    match number {
        1 => Path::new("runs").join(name),
        number => Path::new("runs").join(format!("{name}-{number}")),
    }
}

/// Returns whether nothing exists there, since a load or a sweep is never resumed.
pub fn is_new(dir: &Path) -> bool {
    !dir.exists()
}

/// Returns whether there is nothing of this name, not even a link that leads nowhere, or a folder without files.
pub fn is_empty(dir: &Path) -> bool {
    match std::fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => dir.symlink_metadata().is_err(),
    }
}

/// Returns the path without links and `..`, as far as it is there.
pub fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut resolved = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            resolved.pop();
        } else {
            resolved.push(part);
        }
        if let Ok(real) = resolved.canonicalize() {
            resolved = real;
        }
    }
    resolved
}

/// Returns whether a run with this fingerprint may write to a folder: not if it holds a run that is complete or
/// of another command. Problems with the folder are reported when it is opened.
pub fn is_resumable(dir: &Path, fingerprint: &str) -> bool {
    Run::open(dir).map_or(true, |run| {
        let complete = matches!(run.records().last(), Some(Record::Finished { .. }));
        !complete && run.header().fingerprint == fingerprint
    })
}
