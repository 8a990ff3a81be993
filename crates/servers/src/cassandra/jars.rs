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
mod tests {
    use super::*;

    /// A version that is not pinned, so that its jars may be any.
    const VERSION: &str = "5.0.99";

    fn place() -> (tempfile::TempDir, Home, [PathBuf; 1]) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().join("home")).unwrap();
        let packages = [folder.path().join("site-packages")];
        (folder, home, packages)
    }

    fn put_jars(folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("a.jar"), "abc").unwrap();
        checksums::write(folder).unwrap();
    }

    #[test]
    fn what_was_fetched_comes_before_the_wheel_and_that_before_maven() {
        let (_folder, home, packages) = place();
        let found = || search_in(&home, &packages, Some("/m".into()), VERSION).found;
        assert_eq!(found(), Some(Jars::Maven("/m".into())));
        let in_wheel = packages[0].join("bakeoff_cassandra/cassandra-5.0.99");
        put_jars(&in_wheel);
        assert_eq!(found(), Some(Jars::Wheel(in_wheel)));
        let fetched = home.folder().join("jars/cassandra-5.0.99");
        put_jars(&fetched);
        assert_eq!(found(), Some(Jars::Fetched(fetched)));
    }

    /// A `mvn` that fetches one jar, and counts how often it was run.
    fn put_maven(folder: &Path) -> PathBuf {
        let maven = folder.join("mvn");
        let script = "#!/bin/sh\necho >> \"$0.runs\"\nfor last; do :; done\n\
                      echo abc > \"${last#*=}/a.jar\"\n";
        fs::write(&maven, script).unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&maven, executable).unwrap();
        maven
    }

    #[tokio::test]
    async fn jars_of_the_pinned_version_that_are_not_the_pinned_ones_are_not_kept() {
        let (folder, home, _) = place();
        let maven = put_maven(folder.path());
        let version = pinned_of(Release::Five).unwrap().version;
        let fetched = fetch_once(&home, &maven, &version).await;
        let text = fetched.unwrap_err().to_string();
        assert!(
            text.contains("not those that Bakeoff was tested with"),
            "{text}"
        );
        assert!(text.contains(".jar is missing"), "{text}");
        assert!(!fetched_folder(&home, &version).exists());
    }

    #[test]
    fn jars_of_the_pinned_version_that_were_fetched_before_are_the_pinned_ones() {
        let (_folder, home, packages) = place();
        let version = pinned_of(Release::Five).unwrap().version;
        put_jars(&fetched_folder(&home, &version));
        let search = search_in(&home, &packages, None, &version);
        let text = found_jars(&version, search).unwrap_err().to_string();
        assert!(
            text.contains(".jar is missing. Delete that folder"),
            "{text}"
        );
        // Those of other versions are what they were when they were fetched.
        put_jars(&fetched_folder(&home, VERSION));
        found_jars(VERSION, search_in(&home, &packages, None, VERSION)).unwrap();
    }

    #[tokio::test]
    async fn of_two_first_starts_one_fetches_and_both_have_the_jars() {
        let (folder, home, packages) = place();
        let maven = put_maven(folder.path());
        // Left by something else, with a jar that does not belong there.
        let left = fetched_folder(&home, VERSION);
        fs::create_dir_all(&left).unwrap();
        fs::write(left.join("stray.jar"), "").unwrap();
        let fetched = || fetch_once(&home, &maven, VERSION);
        let (first, second) = tokio::join!(fetched(), fetched());
        assert_eq!(first.unwrap(), second.unwrap());
        let runs = fs::read_to_string(folder.path().join("mvn.runs")).unwrap();
        assert_eq!(runs.lines().count(), 1);
        assert!(!left.join("stray.jar").exists());
        let found = search_in(&home, &packages, None, VERSION).found.unwrap();
        check(VERSION, &found).unwrap();
        fs::write(home.folder().join("jars/cassandra-5.0.99/a.jar"), "ab").unwrap();
        assert!(checksums::check(&home.jars().join("cassandra-5.0.99")).is_err());
    }

    #[tokio::test]
    async fn a_home_that_cannot_be_written_leaves_a_wheels_jars_usable() {
        let (_folder, _, packages) = place();
        let home = Home::new("/proc/nothing").unwrap();
        put_jars(&packages[0].join("bakeoff_cassandra/cassandra-5.0.99"));
        let found = search_in(&home, &packages, None, VERSION).found.unwrap();
        check(VERSION, &found).unwrap();
        let error = fetch_once(&home, Path::new("/m"), VERSION)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains("set BAKEOFF_HOME to a folder"), "{error}");
    }

    #[test]
    fn a_java_without_jars_leads_to_what_installs_them() {
        let (_folder, home, packages) = place();
        let search = search_in(&home, &packages, None, VERSION);
        assert_eq!(search, Search::new());
        let error = |by_wheel| none_there(VERSION, &search.passed_over, by_wheel).to_string();
        assert!(error(false).contains("`apt-get install maven`"));
        assert!(!error(false).contains("pip"));
        let text = error(true);
        assert!(
            text.starts_with("Cassandra 5.0.99 is not installed: install it with `pip"),
            "{text}"
        );
        let command = "--no-index --find-links DIST --upgrade 'bakeoff[engines]'`";
        assert!(text.contains(command), "{text}");
    }

    #[test]
    fn jars_of_the_release_before_come_from_maven_alone() {
        let (_folder, home, packages) = place();
        put_jars(&packages[0].join("bakeoff_cassandra/cassandra-5.0.99"));
        let search = search_in(&home, &packages, None, "4.1.99");
        assert_eq!(search, Search::new(), "a wheel of 5.0 is not in question");
        for by_wheel in [false, true] {
            let text = none_there("4.1.99", &search.passed_over, by_wheel).to_string();
            assert!(
                text.starts_with("Maven is needed once to fetch Cassandra 4.1.99"),
                "{text}"
            );
            assert!(text.ends_with("leave out the designs of cassandra-4"), "{text}");
        }
    }

    #[test]
    fn a_wheel_of_another_version_is_passed_over_and_named() {
        let (_folder, home, packages) = place();
        put_jars(&packages[0].join("bakeoff_cassandra/cassandra-5.0.8"));
        let search = search_in(&home, &packages, None, VERSION);
        let text = none_there(VERSION, &search.passed_over, false).to_string();
        let package = packages[0].join("bakeoff_cassandra");
        let named = format!("only Cassandra 5.0.8 ({}) was found", package.display());
        assert!(text.contains(&named), "{text}");
        assert!(text.contains("--upgrade"), "{text}");
        let search = search_in(&home, &packages, Some("/m".into()), VERSION);
        assert_eq!(search.found, Some(Jars::Maven("/m".into())));
    }

    #[test]
    fn damaged_jars_are_refused_with_what_to_do_and_not_read_twice_when_whole() {
        let (folder, ..) = place();
        let jars = folder.path().join("jars");
        put_jars(&jars);
        fs::write(jars.join("a.jar"), "ab").unwrap();
        let text = check(VERSION, &Jars::Wheel(jars.clone()))
            .unwrap_err()
            .to_string();
        assert!(text.contains("a.jar is cut or changed"), "{text}");
        assert!(
            text.contains("--no-index --find-links DIST --force-reinstall bakeoff-cassandra`"),
            "{text}"
        );
        let text = check(VERSION, &Jars::Fetched(jars.clone()))
            .unwrap_err()
            .to_string();
        assert!(
            text.ends_with("Delete that folder, and they are fetched again"),
            "{text}"
        );
        fs::write(jars.join("a.jar"), "abc").unwrap();
        check(VERSION, &Jars::Wheel(jars.clone())).unwrap();
        fs::remove_file(jars.join("a.jar")).unwrap();
        check_once(&jars, None).unwrap();
    }

    #[test]
    fn fetched_jars_without_checksums_are_passed_over() {
        let (folder, home, packages) = place();
        let fetched = fetched_folder(&home, VERSION);
        fs::create_dir_all(&fetched).unwrap();
        let search = search_in(&home, &packages, None, VERSION);
        assert_eq!(search.found, None);
        let text = none_there(VERSION, &search.passed_over, false).to_string();
        let named = format!("{NO_CHECKSUMS} ({})", fetched.display());
        assert!(text.contains(&named), "{text}");
        let search = search_in(&home, &packages, Some("/m".into()), VERSION);
        assert_eq!(search.found, Some(Jars::Maven("/m".into())));
        let jars = folder.path().to_owned();
        let text = check(VERSION, &Jars::Wheel(jars)).unwrap_err().to_string();
        assert!(text.contains("SHA256SUMS"), "{text}");
    }

    #[test]
    fn a_version_is_no_path_and_no_xml() {
        check_version("5.0.99").unwrap();
        check_version("5.1-alpha1").unwrap();
        for bad in ["", "../5.0", "5.0</version>", "latest"] {
            assert!(check_version(bad).is_err(), "{bad}");
        }
    }
}
