//! Folders of data files.

use std::path::{Path, PathBuf};

use super::named::DataFileName;
use super::{data_error, lower_case_name, read_error};
use crate::Result;

/// Most files in a folder.
const MOST_FILES: usize = 10_000;

/// Returns the files that these paths name: of a folder those in it, by name. Files whose names begin with `.` or `_`,
/// as those beside the files of Spark do, are no data.
///
/// # Errors
/// A folder cannot be read; it has no files, too many, other folders, what is no regular file, or files of several
/// kinds.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            all.extend(in_folder(path)?);
        } else {
            all.push(path.clone());
        }
    }
    Ok(all)
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error| read_error(folder, error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if lower_case_name(&path).starts_with(['.', '_']) {
            continue;
        }
        files.push(path);
        if files.len() > MOST_FILES {
            let message = format!(
                "more than {MOST_FILES} files are in it, which is the most that are read together"
            );
            return Err(data_error(folder, message));
        }
    }
    files.sort();
    if let Some(inner) = files.iter().find(|path| path.is_dir()) {
        let message = format!(
            "folder {} is in it, whose files are not read: name that folder, or put all files into one",
            inner.display()
        );
        return Err(data_error(folder, message));
    }
    // Opening a pipe would wait for somebody who writes to it.
    let is_special = |path: &&PathBuf| path.metadata().is_ok_and(|found| !found.is_file());
    if let Some(special) = files.iter().find(is_special) {
        let message =
            "it is no regular file, and has to be read several times: take it out of the folder";
        return Err(data_error(special, message));
    }
    let Some((first, others)) = files.split_first() else {
        return Err(data_error(folder, "no file is in the folder"));
    };
    let named = DataFileName::of(first);
    let is_other = |path: &&PathBuf| !DataFileName::of(path).is_like(&named);
    match others.iter().find(is_other) {
        Some(other) => Err(data_error(
            other,
            format!(
                "it is another kind of file than {}: all files in a folder are of one kind",
                first.display()
            ),
        )),
        None => Ok(files),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the files in a folder with these, or the error without the folder.
    fn found(names: &[&str]) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            if name.ends_with('/') {
                std::fs::create_dir(path).unwrap();
            } else {
                std::fs::write(path, "a\n1\n").unwrap();
            }
        }
        let found = files(&[folder.path().to_owned()]);
        let found = found.map_err(|error| {
            let inside = format!("{}/", folder.path().display());
            error.to_string().replace(&inside, "")
        })?;
        Ok(found.iter().map(|path| lower_case_name(path)).collect())
    }

    #[test]
    fn files_are_taken_by_name() {
        let names = ["b.csv.gz", "a.csv", "_SUCCESS", ".a.csv.crc"];
        assert_eq!(found(&names).unwrap(), ["a.csv", "b.csv.gz"]);
        assert_eq!(
            found(&["2.jsonl", "1.json"]).unwrap(),
            ["1.json", "2.jsonl"]
        );
    }

    #[test]
    fn mixed_kinds_name_both_files() {
        let error = found(&["a.csv", "b.parquet"]).unwrap_err();
        let expected = "b.parquet: it is another kind of file than a.csv";
        assert!(error.starts_with(expected), "{error}");
        assert!(found(&[]).unwrap_err().contains("no file is in the folder"));
        let error = found(&["a.csv", "b/"]).unwrap_err();
        assert!(error.contains("folder b is in it"), "{error}");
    }

    #[test]
    fn what_is_no_regular_file_is_an_error_and_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let files_in = || files(&[folder.path().to_owned()]);
        std::fs::write(folder.path().join("a.csv"), "a\n1\n").unwrap();
        std::os::unix::fs::symlink("a.csv", folder.path().join("b.csv")).unwrap();
        assert_eq!(files_in().unwrap().len(), 2);
        let special = folder.path().join("c.csv");
        let _listener = std::os::unix::net::UnixListener::bind(&special).unwrap();
        let error = files_in().unwrap_err().to_string();
        assert!(error.contains("c.csv: it is no regular file"), "{error}");
    }
}
