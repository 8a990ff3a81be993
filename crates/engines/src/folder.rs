//! The folders that designs and engines have for themselves: removing them, and what is in them.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use bakeoff_driver::DesignError;
use bakeoff_stats::Footprint;

use crate::bytes::folder_size;

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

/// Returns the footprint of a design whose table is all that is in a folder.
///
/// # Errors
/// The folder cannot be read; the message names it.
pub fn footprint(design: &str, folder: &Path) -> Result<Footprint, DesignError> {
    let (files, bytes) = folder_size(folder, &|_| true).map_err(|error| {
        DesignError(format!(
            "reading sizes in {} failed: {error}",
            folder.display()
        ))
    })?;
    Ok(Footprint {
        design: design.to_owned(),
        engine_bytes: None,
        file_bytes: Some(bytes),
        compression_ratio: None,
        compression_metadata_bytes: None,
        statistics: None,
        files: Some(files),
        note: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footprint_has_all_files_of_a_folder_and_an_error_names_it() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("design");
        let error = footprint("parquet", &folder).unwrap_err().to_string();
        let named = format!("reading sizes in {} failed: ", folder.display());
        assert!(error.starts_with(&named), "{error}");
        fs::create_dir_all(folder.join("within")).unwrap();
        fs::write(folder.join("a"), "123").unwrap();
        fs::write(folder.join("within/b"), "4567").unwrap();
        let found = footprint("parquet", &folder).unwrap();
        assert_eq!(found.design, "parquet");
        assert_eq!((found.files, found.bytes()), (Some(2), Some(7)));
    }

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
