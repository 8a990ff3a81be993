//! Removing the folders that designs and engines have for themselves.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Removes a folder with all that is in it. There may be none.
///
/// # Errors
/// It cannot be removed; the message names it.
pub fn remove_folder(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(format!("removing {} failed: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_removed_whether_or_not_it_is_there() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("design");
        assert_eq!(remove_folder(&folder), Ok(()));
        fs::create_dir_all(folder.join("within")).unwrap();
        assert_eq!(remove_folder(&folder), Ok(()));
        assert!(!folder.exists());
        fs::write(&folder, "a file").unwrap();
        let error = remove_folder(&folder).unwrap_err();
        assert!(error.starts_with("removing /"), "{error}");
    }
}
