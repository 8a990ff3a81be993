//! Where the programs of a PostgreSQL server are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{Error, Result};
use crate::machine::on_path;

const VARIABLE: &str = "BAKEOFF_POSTGRES_BIN";
/// Where Debian and `scripts/install-timescaledb` put one folder per major version.
const PLACES: [&str; 2] = [
    "/usr/lib/postgresql",
    "/opt/bakeoff-timescaledb/usr/lib/postgresql",
];
/// The same in a user's own data.
const USER_PLACE: &str = "bakeoff-timescaledb/usr/lib/postgresql";

/// An installed PostgreSQL server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// The folder of `postgres` and `initdb`.
    pub bin_dir: PathBuf,
    /// Such as `17.11`.
    pub version: String,
    /// The version of TimescaleDB that `CREATE EXTENSION` would make there.
    pub timescale: Option<String>,
}

impl Installation {
    /// The version as far as data folders depend on it, such as `17`.
    pub fn major(&self) -> &str {
        let digits = self.version.find(|c: char| !c.is_ascii_digit());
        &self.version[..digits.unwrap_or(self.version.len())]
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.bin_dir.join(name)
    }

    /// What is installed in that folder; none where the server's programs are not there or do not
    /// run.
    fn at(bin_dir: &Path) -> Option<Installation> {
        if !bin_dir.join("initdb").is_file() {
            return None;
        }
        let printed = output_of(&bin_dir.join("postgres"), "--version")?;
        let version = printed.strip_prefix("postgres (PostgreSQL) ")?;
        Some(Installation {
            bin_dir: bin_dir.to_owned(),
            version: version.split_whitespace().next()?.to_owned(),
            timescale: timescale_at(bin_dir),
        })
    }
}

/// The server in that folder; else the one in `BAKEOFF_POSTGRES_BIN`, the newest where packages
/// install them, the one of `pg_config`, or the one on the path.
///
/// # Errors
/// `NoPostgres`.
pub fn find_postgres(bin_dir: Option<&Path>) -> Result<Installation> {
    candidates(bin_dir)
        .iter()
        .find_map(|folder| Installation::at(folder))
        .ok_or_else(|| Error::NoPostgres {
            looked: looked(bin_dir),
        })
}

/// As [`find_postgres`], but the first that has TimescaleDB.
///
/// # Errors
/// `NoPostgres`; `NoTimescale` when PostgreSQL is there without it.
pub fn find_timescale(bin_dir: Option<&Path>) -> Result<Installation> {
    let found = candidates(bin_dir);
    let mut installed = found.iter().filter_map(|folder| Installation::at(folder));
    let first = installed.next().ok_or_else(|| Error::NoPostgres {
        looked: looked(bin_dir),
    })?;
    if first.timescale.is_some() {
        return Ok(first);
    }
    installed
        .find(|installation| installation.timescale.is_some())
        .ok_or(Error::NoTimescale {
            version: first.version,
            bin_dir: first.bin_dir,
        })
}

/// The folders to look into, the preferred one first; only one where it was named.
fn candidates(bin_dir: Option<&Path>) -> Vec<PathBuf> {
    if let Some(named) = bin_dir.map(Path::to_owned).or_else(from_variable) {
        return vec![named];
    }
    let places = PLACES.iter().map(PathBuf::from).chain(user_place());
    let mut folders = installed_in(places);
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.extend(output_of(Path::new("pg_config"), "--bindir").map(PathBuf::from));
    folders.extend(on_path(&path, "initdb").and_then(|file| Some(file.parent()?.to_owned())));
    folders
}

fn from_variable() -> Option<PathBuf> {
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

fn timescale_at(bin_dir: &Path) -> Option<String> {
    let share = output_of(&bin_dir.join("pg_config"), "--sharedir")?;
    let control = Path::new(&share).join("extension/timescaledb.control");
    default_version(&fs::read_to_string(control).ok()?)
}

/// The version that an extension's control file names.
fn default_version(control: &str) -> Option<String> {
    let value = control
        .lines()
        .filter_map(|line| line.split_once('='))
        .find(|(name, _)| name.trim() == "default_version")?
        .1;
    Some(value.trim().trim_matches('\'').to_owned())
}

fn output_of(program: &Path, argument: &str) -> Option<String> {
    let output = Command::new(program)
        .arg(argument)
        .stdin(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned())
}

fn looked(bin_dir: Option<&Path>) -> String {
    match (bin_dir, from_variable()) {
        (Some(named), _) => named.display().to_string(),
        (None, Some(named)) => format!("{} ({VARIABLE})", named.display()),
        (None, None) => format!("{}/*/bin or on the path", PLACES[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Scripts that say what the programs of a server would say.
    fn install(folder: &Path, version: &str, timescale: bool) {
        fs::create_dir_all(folder.join("extension")).unwrap();
        let script = |name: &str, printed: &str| {
            let path = folder.join(name);
            fs::write(&path, format!("#!/bin/sh\necho '{printed}'\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        script(
            "postgres",
            &format!("postgres (PostgreSQL) {version} (Debian)"),
        );
        script("initdb", "");
        script("pg_config", &folder.display().to_string());
        if timescale {
            let control = "# control\ndefault_version = '2.19.3'\nrelocatable = false\n";
            fs::write(folder.join("extension/timescaledb.control"), control).unwrap();
        }
    }

    #[test]
    fn versions_are_those_that_the_programs_tell() {
        let folder = tempfile::tempdir().unwrap();
        install(folder.path(), "17.11", true);
        let found = find_timescale(Some(folder.path())).unwrap();
        assert_eq!((&*found.version, found.major()), ("17.11", "17"));
        assert_eq!(found.timescale.as_deref(), Some("2.19.3"));
        assert_eq!(find_postgres(Some(folder.path())).unwrap(), found);
    }

    #[test]
    fn what_is_missing_is_named_with_the_command_that_installs_it() {
        let folder = tempfile::tempdir().unwrap();
        let error = find_postgres(Some(folder.path())).unwrap_err().to_string();
        assert!(error.contains("`apt-get install postgresql`"), "{error}");
        assert!(error.contains(folder.path().to_str().unwrap()), "{error}");
        install(folder.path(), "19beta1", false);
        let found = find_postgres(Some(folder.path())).unwrap();
        assert_eq!((found.major(), &found.timescale), ("19", &None));
        let error = find_timescale(Some(folder.path())).unwrap_err().to_string();
        assert!(error.contains("postgresql-17-timescaledb"), "{error}");
    }

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
