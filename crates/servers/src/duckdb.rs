//! The library of DuckDB, which is loaded at run time. It is only searched here, never loaded: that runs
//! code.

use std::env::consts::ARCH;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::search::{PassedOver, Search, kinds};

/// Variable that names the file of the library; no other one is looked for if it is set.
const VARIABLE: &str = "BAKEOFF_DUCKDB_LIBRARY";
const FILE: &str = "libduckdb.so";
/// Folder of `scripts/install-duckdb` if root runs it, and its name in the user's own data otherwise.
const INSTALLED: &str = "/opt/bakeoff-duckdb";
const INSTALLED_NAME: &str = "bakeoff-duckdb";
/// Folders of the system's libraries.
const SYSTEM: [&str; 5] = [
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
];
/// Folders in which npm installs packages for all users.
const NODE_MODULES: [&str; 2] = ["/usr/local/lib/node_modules", "/usr/lib/node_modules"];
/// The first bytes of every shared library of Linux.
const ELF: [u8; 4] = *b"\x7fELF";
/// Most bytes of a description of a package.
const DESCRIPTION_BYTES: u64 = 64 << 10;

/// A shared library of DuckDB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuckdbLibrary {
    pub path: PathBuf,
    /// The version of the package that it is from, where that says so.
    pub version: Option<String>,
}

impl fmt::Display for DuckdbLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.version {
            Some(version) => write!(f, "DuckDB {version} in {path}"),
            None => write!(f, "DuckDB in {path}"),
        }
    }
}

/// Finds the library in `BAKEOFF_DUCKDB_LIBRARY`; or in the folders of `scripts/install-duckdb`, of the
/// system's libraries and of npm's packages.
///
/// # Errors
/// Fails with `NoDuckdb`, with what was found instead.
pub fn find_duckdb() -> Result<DuckdbLibrary> {
    found_duckdb(search_duckdb())
}

/// Returns the library that a search found.
///
/// # Errors
/// The errors of [`find_duckdb`].
pub(crate) fn found_duckdb(search: Search<DuckdbLibrary>) -> Result<DuckdbLibrary> {
    let Search { found, passed_over } = search;
    found.ok_or_else(|| none_there(variable(VARIABLE).is_some(), &passed_over))
}

fn none_there(named: bool, passed_over: &[PassedOver]) -> Error {
    let found = kinds(passed_over);
    if named {
        return Error::Refused(format!(
            "the file that {VARIABLE} names cannot be used: {}; name DuckDB's {FILE} there, or unset it and \
             install DuckDB with `bakeoff show install-duckdb | bash`",
            found.join(", ")
        ));
    }
    Error::NoDuckdb { found }
}

/// Searches for the library of [`find_duckdb`], and records files that are none.
pub(crate) fn search_duckdb() -> Search<DuckdbLibrary> {
    match variable(VARIABLE) {
        Some(named) => search_in(vec![PathBuf::from(named)], true),
        None => {
            let data = variable("XDG_DATA_HOME")
                .map(PathBuf::from)
                .or_else(|| Some(Path::new(&variable("HOME")?).join(".local/share")));
            search_in(candidates(data.as_deref(), ARCH), false)
        }
    }
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the files that may be the library, the preferred one first.
fn candidates(data: Option<&Path>, arch: &str) -> Vec<PathBuf> {
    // As npm calls them.
    let arch = match arch {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let package = format!("@duckdb/node-bindings-linux-{arch}");
    let installed = [PathBuf::from(INSTALLED)].into_iter();
    installed
        .chain(data.map(|data| data.join(INSTALLED_NAME)))
        .chain(SYSTEM.map(PathBuf::from))
        .chain(NODE_MODULES.map(|modules| Path::new(modules).join(&package)))
        .map(|folder| folder.join(FILE))
        .collect()
}

/// Finds the first file that is a shared library. One that is not there is recorded only if it was named.
fn search_in(files: Vec<PathBuf>, named: bool) -> Search<DuckdbLibrary> {
    let mut search = Search::new();
    for path in files {
        match is_library(&path) {
            Ok(true) => {
                search.found = Some(DuckdbLibrary {
                    version: version_beside(&path),
                    path,
                });
                break;
            }
            Ok(false) => search.pass_over(path, "a file that is no library of Linux"),
            Err(error) if named => search.pass_over(path, error.to_string()),
            Err(_) => {}
        }
    }
    search
}

/// Returns whether a file begins as every shared library of Linux does.
///
/// # Errors
/// The file cannot be read.
pub fn is_library(path: &Path) -> std::io::Result<bool> {
    let mut first = [0; ELF.len()];
    let mut file = File::open(path)?;
    match file.read_exact(&mut first) {
        Err(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => Err(error),
        read => Ok(read.is_ok() && first == ELF),
    }
}

/// Returns the version in the description of the npm package that a library lies in.
fn version_beside(library: &Path) -> Option<String> {
    let description = library.with_file_name("package.json");
    if fs::metadata(&description).ok()?.len() > DESCRIPTION_BYTES {
        return None;
    }
    let text = fs::read_to_string(description).ok()?;
    let description: serde_json::Value = serde_json::from_str(&text).ok()?;
    let version = description.get("version")?.as_str()?;
    // The number of a release of the bindings follows: `1.5.6-r.1`.
    let version = version.split('-').next().unwrap_or(version);
    let is_version = !version.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.');
    is_version.then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn the_first_library_is_taken_with_the_version_of_its_package() {
        let folder = tempfile::tempdir().unwrap();
        let text = put(folder.path(), "text.so", b"INPUT(libduckdb.so.1)");
        let empty = put(folder.path(), "empty.so", b"");
        let library = put(folder.path(), FILE, b"\x7fELF and more");
        let missing = folder.path().join("missing.so");
        let files = || {
            vec![
                missing.clone(),
                text.clone(),
                empty.clone(),
                library.clone(),
            ]
        };
        let search = search_in(files(), false);
        assert_eq!(search.passed_over.len(), 2, "{search:?}");
        let found = search.found.unwrap();
        assert_eq!(
            found.to_string(),
            format!("DuckDB in {}", library.display())
        );
        put(
            folder.path(),
            "package.json",
            br#"{"version": "1.5.6-r.1"}"#,
        );
        let found = search_in(files(), false).found.unwrap();
        let expected = format!("DuckDB 1.5.6 in {}", library.display());
        assert_eq!(found.to_string(), expected);
        for other in [&br#"{"version": "x\n1"}"#[..], b"{}", b"[", b"\xff"] {
            put(folder.path(), "package.json", other);
            let found = search_in(files(), false).found.unwrap();
            assert_eq!(found.version, None);
        }
    }

    #[test]
    fn what_is_missing_or_no_library_is_told_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join(FILE);
        let named = search_in(vec![missing.clone()], true);
        let error = none_there(true, &named.passed_over).to_string();
        let text = put(folder.path(), "text.so", b"text");
        let searched = search_in(vec![missing.clone(), text.clone()], false);
        let other = none_there(false, &searched.passed_over).to_string();
        for (error, words) in [
            (&error, &*missing.display().to_string()),
            (&error, "No such file"),
            (
                &other,
                "is not installed; only a file that is no library of Linux (",
            ),
            (&other, &*text.display().to_string()),
        ] {
            assert!(error.contains(words), "{error}");
        }
        for error in [&error, &other] {
            assert!(
                error.contains("`bakeoff show install-duckdb | bash`"),
                "{error}"
            );
            assert!(error.contains(VARIABLE), "{error}");
        }
        // A place that has none is not worth a word.
        assert_eq!(searched.passed_over.len(), 1);
    }

    #[test]
    fn the_script_comes_before_the_system_and_npm() {
        let files = candidates(Some(Path::new("/home/me/.local/share")), "aarch64");
        assert_eq!(files[0], Path::new("/opt/bakeoff-duckdb/libduckdb.so"));
        let own = "/home/me/.local/share/bakeoff-duckdb/libduckdb.so";
        assert_eq!(files[1], Path::new(own));
        let npm = "/usr/lib/node_modules/@duckdb/node-bindings-linux-arm64/libduckdb.so";
        assert_eq!(files.last().unwrap(), Path::new(npm));
        assert_eq!(candidates(None, "x86_64").len(), files.len() - 1);
    }
}
