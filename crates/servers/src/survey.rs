//! Needs of servers, compared with this machine without starting any.

use std::fmt::Display;
use std::path::Path;

use crate::account::Account;
use crate::cassandra::{
    self, Java, PinnedCassandra, Release, found_jars, found_java, search_jars, search_java,
};
use crate::duckdb::{found_duckdb, search_duckdb};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::files::try_writing;
use crate::home::Home;
use crate::machine::{available_mib, check_free_disk, existing, free_mib, memory_mib};
use crate::postgres::{
    Installation, find_basebackup, found_postgres, found_timescale, search_postgres,
    search_timescale,
};
use crate::search::Search;
use crate::spark;

const MIB_OF_GIB: f64 = 1024.0;

/// A kind of server and its needs.
#[derive(Debug, Clone)]
pub struct Survey {
    /// One line on what would be started.
    pub summary: String,
    pub needs: Vec<Need>,
}

/// A need of a server, with what was found, or why nothing suitable was found and what to do about
/// it, in the words with which a start would fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    pub name: &'static str,
    pub found: Result<String, String>,
    /// Candidates that come before what was found, and why they were not used.
    pub passed_over: Option<String>,
}

impl Need {
    fn new(name: &'static str, found: Result<impl Display, impl Display>) -> Need {
        Need {
            name,
            found: found.map(|it| it.to_string()).map_err(|e| e.to_string()),
            passed_over: None,
        }
    }

    /// Adds the candidates that come before what was found, with the reason why they were not used.
    fn instead_of(mut self, preferred: &[String], reason: &str) -> Need {
        if !preferred.is_empty() {
            self.passed_over = Some(preferred.join(", ") + reason);
        }
        self
    }
}

impl Survey {
    /// Makes the survey of an engine without any needs.
    pub fn built_in(summary: impl Into<String>) -> Survey {
        Survey {
            summary: summary.into(),
            needs: Vec::new(),
        }
    }

    fn lacking(summary: &str, name: &'static str, error: Error) -> Survey {
        Survey {
            summary: summary.to_owned(),
            needs: vec![Need::new(name, Err::<String, _>(error))],
        }
    }

    /// Returns the summary if a server could be started, or the first need that is not met.
    ///
    /// # Errors
    /// The need that is not met, and what to do about it.
    pub fn verdict(&self) -> Result<&str, &str> {
        let missing = self.needs.iter().find_map(|need| need.found.as_ref().err());
        match missing {
            Some(reason) => Err(reason),
            None => Ok(&self.summary),
        }
    }
}

/// Surveys the needs of a Cassandra 5.0.
pub async fn cassandra() -> Survey {
    cassandra_of(Release::Five).await
}

/// Surveys the needs of a Cassandra of that release.
pub async fn cassandra_of(release: Release) -> Survey {
    let known = Home::from_env().and_then(|home| Ok((home, cassandra::pinned_of(release)?)));
    match known {
        Ok((home, pinned)) => cassandra_in(&home, &pinned, search_java().await),
        Err(error) => Survey::lacking("Apache Cassandra", "home", error),
    }
}

fn cassandra_in(
    home: &Home,
    PinnedCassandra { version, java, .. }: &PinnedCassandra,
    searched: Result<Search<Java>>,
) -> Survey {
    let preferred = searched.as_ref().map(Search::preferred).unwrap_or_default();
    let java_found = searched.and_then(found_java);
    let mut summary = format!("Apache Cassandra {version}");
    if let Ok(java) = &java_found {
        summary += &format!(" on Java {}", java.version);
    }
    let releases: Vec<String> = java.iter().map(u32::to_string).collect();
    let needs_java = format!(": Cassandra needs {}", releases.join(" or "));
    let needs_jars = format!(": {version} is needed");
    let java = java_found.map(|java| format!("{}, {}", java.version, java.program.display()));
    let jars = search_jars(home, version);
    let other_jars = jars.preferred();
    let heap = cassandra::default_heap_mib().map(|mib| format!("a heap of {mib} MiB"));
    Survey {
        summary,
        needs: vec![
            Need::new("Java", java).instead_of(&preferred, &needs_java),
            Need::new("jars", found_jars(version, jars)).instead_of(&other_jars, &needs_jars),
            Need::new("memory", heap),
            Need::new("home", check_home(home)),
        ],
    }
}

/// Surveys the needs of a plain PostgreSQL.
pub fn postgres() -> Survey {
    let search = search_postgres(None);
    let preferred = search.preferred();
    survey_installation("PostgreSQL", found_postgres(None, search), &preferred)
}

/// Surveys the needs of a PostgreSQL with TimescaleDB.
pub fn timescale() -> Survey {
    let search = search_timescale(None);
    let preferred = search.preferred();
    survey_installation("TimescaleDB", found_timescale(None, search), &preferred)
}

/// Surveys the needs of DuckDB: its library, which is looked for and not loaded.
pub fn duckdb() -> Survey {
    let search = search_duckdb();
    let preferred = search.preferred();
    let library = match found_duckdb(search) {
        Ok(library) => library,
        Err(error) => return Survey::lacking("DuckDB", "DuckDB", error),
    };
    let mut needs = Vec::new();
    if !preferred.is_empty() {
        let path = Ok::<_, Error>(library.path.display());
        needs.push(Need::new("library", path).instead_of(&preferred, ""));
    }
    Survey {
        summary: library.to_string(),
        needs,
    }
}

/// Surveys the needs of a Spark.
pub async fn spark() -> Survey {
    let searched = spark::search_python();
    let preferred = searched.as_ref().map(Search::preferred).unwrap_or_default();
    let python = searched.and_then(spark::found_python);
    let java = spark::find_java_for_spark().await;
    let summary = match (&python, &java) {
        (Ok(python), Ok(java)) => format!("Spark {} on Java {}", python.version, java.version),
        _ => "Spark".to_owned(),
    };
    let python = python.map(|python| {
        let clients = match python.check_connect() {
            Ok(()) => "also for Spark Connect".to_owned(),
            Err(error) => error.to_string(),
        };
        let program = python.program.display();
        format!("{}, {program}; {clients}", python.version)
    });
    let java = java.map(|java| format!("{}, {}", java.version, java.program.display()));
    let heap = spark::default_heap_mib().map(|mib| format!("a heap of {mib} MiB"));
    Survey {
        summary,
        needs: vec![
            Need::new("pyspark", python).instead_of(&preferred, ""),
            Need::new("Java", java),
            Need::new("memory", heap),
        ],
    }
}

fn survey_installation(
    name: &'static str,
    found: Result<Installation>,
    preferred: &[String],
) -> Survey {
    let installation = match found {
        Ok(installation) => installation,
        Err(error) => return Survey::lacking(name, name, error),
    };
    let postgres = format!(
        "PostgreSQL {} in {}",
        installation.version,
        installation.bin_dir.display()
    );
    let summary = match (name, &installation.timescale) {
        ("TimescaleDB", Some(version)) => format!("TimescaleDB {version} on {postgres}"),
        _ => postgres,
    };
    let mut needs: Vec<Need> = Vec::new();
    if !preferred.is_empty() {
        let programs = Ok::<_, Error>(installation.bin_dir.display());
        needs.push(Need::new("programs", programs).instead_of(preferred, ""));
    }
    let account = installation.account(None);
    needs.push(Need::new(
        "standbys",
        Ok::<_, Error>(standbys(&installation, &account)),
    ));
    if let Some(account) = account.transpose() {
        let name = account.map(|account| format!("runs as {}", account.name));
        needs.push(Need::new("account", name));
    }
    needs.push(Need::new(
        "home",
        Home::from_env().and_then(|home| check_home(&home)),
    ));
    Survey { summary, needs }
}

/// Describes what copies a server for its standbys. Runs without standbys do not need it, so that the server can be
/// used without.
fn standbys(installation: &Installation, account: &Result<Option<Account>>) -> String {
    let account = account.as_ref().ok().and_then(Option::as_ref);
    match find_basebackup(installation, account) {
        Ok(program) => format!("copied by {}", program.display()),
        Err(error) => format!("not possible: {error}"),
    }
}

/// Surveys the needs of any run: a writable folder with enough room.
pub fn machine(folder: &Path) -> Vec<Need> {
    let cores = std::thread::available_parallelism();
    let memory = memory_mib().and_then(|all| {
        let available = available_mib()?;
        Ok(format!("{}, {} of it available", gib(all), gib(available)))
    });
    let disk = check_free_disk(folder, Engine::Cassandra).and_then(|()| free(folder));
    vec![
        Need::new("cores", cores),
        Need::new("memory", memory),
        Need::new("folder", check_folder(folder)),
        Need::new("disk", disk),
    ]
}

fn check_folder(folder: &Path) -> Result<String> {
    let checked = check_writable(folder);
    checked.map_err(|error| {
        Error::Refused(format!(
            "{error}: change to a folder that can be written, or name one with --out"
        ))
    })?;
    Ok(folder.display().to_string())
}

fn free(folder: &Path) -> Result<String> {
    Ok(format!(
        "{} free in {}",
        gib(free_mib(folder)?),
        folder.display()
    ))
}

fn gib(mib: u64) -> String {
    format!("{:.1} GiB", mib as f64 / MIB_OF_GIB)
}

/// Checks that records of servers can be written to Bakeoff's home, which need not exist yet.
pub(crate) fn check_home(home: &Home) -> Result<String> {
    let folder = home.folder();
    check_writable(folder).map_err(Home::unwritable)?;
    Ok(folder.display().to_string())
}

/// Checks that files can be created in a folder.
///
/// # Errors
/// Fails with `Io` with the folder, or the nearest existing one above it.
fn check_writable(folder: &Path) -> Result<()> {
    try_writing(folder).map_err(Error::io("write to", existing(folder)))
}

#[cfg(test)]
mod tests;
