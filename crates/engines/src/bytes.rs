//! Files in a folder, and their sizes.

use std::io::ErrorKind;
use std::path::Path;

/// Returns the number and the total size in bytes of the files under `dir` that `counts` accepts.
pub fn folder_size(dir: &Path, counts: &dyn Fn(&Path) -> bool) -> std::io::Result<(u64, u64)> {
    let (mut files, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if !counts(&path) {
            continue;
        }
        if kind.is_dir() {
            let (more_files, more_bytes) = folder_size(&path, counts)?;
            files += more_files;
            bytes += more_bytes;
        } else {
            match entry.metadata() {
                Ok(metadata) => {
                    files += 1;
                    bytes += metadata.len();
                }
                // An engine may remove a file that it has replaced at any time.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok((files, bytes))
}
