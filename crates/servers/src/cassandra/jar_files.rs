//! Jars in a folder.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Returns the jars in a folder, sorted by name.
pub(crate) fn sorted_jars(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(Error::io("read", folder))?;
    let mut jars: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jar"))
        .collect();
    jars.sort();
    Ok(jars)
}

/// Returns the first jar in a folder whose name begins with `prefix`.
pub(crate) fn jar_named(folder: &Path, prefix: &str) -> Result<Option<PathBuf>> {
    let mut jars = sorted_jars(folder)?.into_iter();
    Ok(jars.find(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(prefix))
    }))
}
