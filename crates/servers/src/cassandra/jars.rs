//! Finding Cassandra's jars: fetched before, in a wheel, or to be fetched with Maven.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::checksums;
use super::maven::{FETCH_LIMIT, fetch, find_maven, of_cassandra};
use super::pinned::pinned_of;
use super::release::Release;
use crate::error::{Error, Result};
use crate::files::{create_folder, lock};
use crate::home::Home;
use crate::python::{install_from_wheels, is_python_package, package_folders};
use crate::search::{PassedOver, Search};

/// The package of the wheel that brings the jars.
const WHEEL_PACKAGE: &str = "bakeoff_cassandra";
const FOLDER: &str = "cassandra-";
const REMEDY_FETCHED: &str = "Delete that folder, and they are fetched again";
const NO_CHECKSUMS: &str = "a folder of jars without checksums";
const REINSTALL: &str = "--force-reinstall bakeoff-cassandra";

/// Source of the jars of a Cassandra version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Jars {
    /// A folder in Bakeoff's home that Maven fetched them into before.
    Fetched(PathBuf),
    /// A folder of the wheel `bakeoff-cassandra`.
    Wheel(PathBuf),
    /// Maven, which fetches them because there are none yet.
    Maven(PathBuf),
}

impl fmt::Display for Jars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Jars::Fetched(folder) => write!(f, "{}", folder.display()),
            Jars::Wheel(folder) => write!(f, "{}, of bakeoff-cassandra", folder.display()),
            Jars::Maven(maven) => write!(
                f,
                "not fetched yet; the first start fetches them with {} (50 to 67 MB)",
                maven.display()
            ),
        }
    }
}

/// Describes the download that is needed without any jars of a release.
pub(crate) fn fetched_jars(release: Release) -> &'static str {
    match release {
        Release::Four => "Cassandra 4.1's jars with Maven (50 MB, once)",
        Release::Five => "Cassandra's jars with Maven (67 MB, once)",
    }
}

/// Searches for the jars of [`find_jars`], and records those that do not fit.
pub(crate) fn search_jars(home: &Home, version: &str) -> Search<Jars> {
    search_in(home, &package_folders(), find_maven().ok(), version)
}

/// Finds the jars of that Cassandra version: those in Bakeoff's home, those of the wheel
/// `bakeoff-cassandra` in the Python environment that Bakeoff was installed in, or Maven to fetch
/// them.
///
/// # Errors
/// Fails with `NoMaven`, or `NoJars` if the wheel is or could be installed; `DamagedJars`.
pub fn find_jars(home: &Home, version: &str) -> Result<Jars> {
    check_version(version)?;
    found_jars(version, search_jars(home, version))
}

/// Returns the jars that a search found, after checking them.
///
/// # Errors
/// The errors of [`find_jars`].
pub(crate) fn found_jars(version: &str, search: Search<Jars>) -> Result<Jars> {
    let Search { found, passed_over } = search;
    let jars = found.ok_or_else(|| none_there(version, &passed_over, is_python_package()))?;
    check(version, &jars)?;
    Ok(jars)
}

/// Returns the folder with the jars of that Cassandra version, fetched with Maven if there are none
/// (50 to 67 MB; processes that start at the same time wait for each other).
///
/// # Errors
/// The errors of [`find_jars`]; `Maven` with its last error lines, `Refused` for too little room, or
/// `Io`.
pub async fn resolve_jars(home: &Home, version: &str) -> Result<PathBuf> {
    match find_jars(home, version)? {
        Jars::Fetched(folder) | Jars::Wheel(folder) => Ok(folder),
        Jars::Maven(maven) => fetch_once(home, &maven, version).await,
    }
}

async fn fetch_once(home: &Home, maven: &Path, version: &str) -> Result<PathBuf> {
    let jars = fetched_folder(home, version);
    create_folder(&home.jars()).map_err(Home::unwritable)?;
    let lock_file = home.jars().join(".lock");
    let _lock = lock(&lock_file, FETCH_LIMIT)
        .await
        .map_err(Home::unwritable)?;
    if has_checksums(&jars) {
        // Another process fetched them meanwhile, which may be an older version of Bakeoff.
        check(version, &Jars::Fetched(jars.clone()))?;
    } else {
        let expected = checksums::pinned(version);
        let pinned = pinned_of(Release::of(version))?;
        let cassandra = of_cassandra(&pinned, version);
        fetch(maven, &cassandra, expected, &jars, FETCH_LIMIT).await?;
    }
    Ok(jars)
}

fn search_in(
    home: &Home,
    packages: &[PathBuf],
    maven: Option<PathBuf>,
    version: &str,
) -> Search<Jars> {
    let mut search = Search::new();
    let fetched = fetched_folder(home, version);
    if has_checksums(&fetched) {
        search.found = Some(Jars::Fetched(fetched));
        return search;
    }
    if fetched.is_dir() {
        search.pass_over(fetched, NO_CHECKSUMS);
    }
    for wheel in packages.iter().map(|folder| folder.join(WHEEL_PACKAGE)) {
        let jars = wheel.join(format!("{FOLDER}{version}"));
        if jars.is_dir() {
            search.found = Some(Jars::Wheel(jars));
            return search;
        }
        let others = versions_in(&wheel).into_iter();
        // Jars of another release are for another engine.
        for other in others.filter(|other| Release::of(other) == Release::of(version)) {
            search.pass_over(&wheel, format!("Cassandra {other}"));
        }
    }
    search.found = maven.map(Jars::Maven);
    search
}

/// Returns whether jars were fetched completely, which is unknown without checksums.
fn has_checksums(fetched: &Path) -> bool {
    fetched.join(checksums::FILE).is_file()
}

/// Returns the versions whose jars are in that package.
fn versions_in(wheel: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(wheel) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_prefix(FOLDER)?.to_owned()))
        .collect()
}

fn fetched_folder(home: &Home, version: &str) -> PathBuf {
    home.jars().join(format!("{FOLDER}{version}"))
}

fn none_there(version: &str, passed_over: &[PassedOver], by_wheel: bool) -> Error {
    if Release::of(version) == Release::Four {
        let version = version.to_owned();
        return Error::NoMavenForFour { version };
    }
    if !by_wheel && passed_over.is_empty() {
        return Error::NoMaven;
    }
    Error::NoJars {
        version: version.to_owned(),
        found: passed_over.iter().map(PassedOver::to_string).collect(),
    }
}

/// Checks that jars are as they were packed, and fetched ones of a pinned version the pinned ones, whichever
/// version of Bakeoff has fetched them.
///
/// # Errors
/// Fails with `DamagedJars` when they are not.
fn check(version: &str, jars: &Jars) -> Result<()> {
    let (folder, expected, remedy) = match jars {
        Jars::Fetched(folder) => {
            let expected = checksums::pinned(version);
            (folder, expected, REMEDY_FETCHED.to_owned())
        }
        Jars::Wheel(folder) => (folder, None, remedy_of_wheel()),
        Jars::Maven(_) => return Ok(()),
    };
    check_once(folder, expected).map_err(|reason| Error::DamagedJars {
        folder: folder.clone(),
        reason,
        remedy,
    })
}

fn remedy_of_wheel() -> String {
    let command = install_from_wheels(REINSTALL);
    format!("Install them again with {}", command.trim_end_matches(','))
}

/// Compares a folder with the expected checksums, or else with its own, unless this process has done so
/// before: tests start dozens of servers.
fn check_once(folder: &Path, expected: Option<&str>) -> Result<(), String> {
    static CHECKED: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let mut guard = CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
    let checked = guard.get_or_insert_default();
    if !checked.contains(folder) {
        match expected {
            Some(expected) => checksums::check_against(folder, expected)?,
            None => checksums::check(folder)?,
        }
        checked.insert(folder.to_owned());
    }
    Ok(())
}

/// Checks that a version contains nothing that would change a path or XML that it becomes part of.
fn check_version(version: &str) -> Result<()> {
    let harmless = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
    if version.starts_with(|c: char| c.is_ascii_digit()) && version.chars().all(harmless) {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "'{version}' is not a Cassandra version such as 5.0.9"
    )))
}

#[cfg(test)]
mod tests;
