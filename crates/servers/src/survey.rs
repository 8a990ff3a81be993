//! What servers need and this machine has, found without starting any.

use std::fmt::Display;
use std::path::Path;

use rustix::fs::Access;

use crate::cassandra::{self, find_jars, find_java};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::home::Home;
use crate::machine::{available_mib, check_free_disk, free_mib, memory_mib};
use crate::postgres::{Installation, check_account, find_postgres, find_timescale};

const MIB_OF_GIB: f64 = 1024.0;

/// A kind of server, and what it needs.
#[derive(Debug, Clone)]
pub struct Survey {
    /// What is used, in one line.
    pub summary: String,
    pub needs: Vec<Need>,
}

/// Something that is needed, with what was found, or why what is here will not do and what to do
/// about it: the words in which a start would fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    pub name: &'static str,
    pub found: Result<String, String>,
}

impl Need {
    fn of(name: &'static str, found: Result<impl Display, impl Display>) -> Need {
        Need {
            name,
            found: found.map(|it| it.to_string()).map_err(|e| e.to_string()),
        }
    }
}

impl Survey {
    /// What needs nothing of this machine.
    pub fn built_in(summary: impl Into<String>) -> Survey {
        Survey {
            summary: summary.into(),
            needs: Vec::new(),
        }
    }

    fn lacking(summary: &str, name: &'static str, error: Error) -> Survey {
        Survey {
            summary: summary.to_owned(),
            needs: vec![Need::of(name, Err::<String, _>(error))],
        }
    }

    /// Whether a server could be started: the summary, or the first thing that is missing.
    ///
    /// # Errors
    /// What is missing, and what to do about it.
    pub fn verdict(&self) -> Result<&str, &str> {
        let missing = self.needs.iter().find_map(|need| need.found.as_ref().err());
        match missing {
            Some(reason) => Err(reason),
            None => Ok(&self.summary),
        }
    }
}

/// What a Cassandra needs.
pub async fn cassandra() -> Survey {
    let known = Home::from_env().and_then(|home| Ok((home, cassandra::pinned()?.version)));
    match known {
        Ok((home, version)) => cassandra_in(&home, &version).await,
        Err(error) => Survey::lacking("Apache Cassandra", "home", error),
    }
}

async fn cassandra_in(home: &Home, version: &str) -> Survey {
    let java = find_java().await;
    let mut summary = format!("Apache Cassandra {version}");
    if let Ok(java) = &java {
        summary += &format!(" on Java {}", java.version);
    }
    let java = java.map(|java| format!("{}, {}", java.version, java.program.display()));
    let jars = find_jars(home, version);
    let heap = cassandra::default_heap_mib().map(|mib| format!("a heap of {mib} MiB"));
    Survey {
        summary,
        needs: vec![
            Need::of("Java", java),
            Need::of("jars", jars),
            Need::of("memory", heap),
            Need::of("home", check_home(home)),
        ],
    }
}

/// What a plain PostgreSQL needs.
pub fn postgres() -> Survey {
    of_installation("PostgreSQL", find_postgres(None))
}

/// What a PostgreSQL with TimescaleDB needs.
pub fn timescale() -> Survey {
    of_installation("TimescaleDB", find_timescale(None))
}

fn of_installation(name: &'static str, found: Result<Installation>) -> Survey {
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
    let account = check_account(&installation);
    needs.extend(account.map_or_else(
        |error| Some(Need::of("account", Err::<String, _>(error))),
        |name| name.map(|name| Need::of("account", Ok::<_, Error>(format!("runs as {name}")))),
    ));
    needs.push(Need::of(
        "home",
        Home::from_env().and_then(|home| check_home(&home)),
    ));
    Survey { summary, needs }
}

/// What any run needs of the machine: room in the folder that it would write to.
pub fn machine(folder: &Path) -> Vec<Need> {
    let cores = std::thread::available_parallelism();
    let memory = memory_mib().and_then(|all| {
        let available = available_mib()?;
        Ok(format!("{}, {} of it available", gib(all), gib(available)))
    });
    let disk = check_free_disk(folder, Engine::Cassandra).and_then(|()| free(folder));
    vec![
        Need::of("cores", cores),
        Need::of("memory", memory),
        Need::of("disk", disk),
        Need::of(
            "folder",
            check_writable(folder).map(|()| folder.display().to_string()),
        ),
    ]
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

/// Whether records of servers can be written to Bakeoff's home, which need not be there yet.
fn check_home(home: &Home) -> Result<String> {
    let folder = home.folder();
    check_writable(folder).map_err(Home::unwritable)?;
    Ok(folder.display().to_string())
}

/// # Errors
/// `Io` where neither the folder nor, while it is not there, the one that it would be made in can
/// be written.
fn check_writable(folder: &Path) -> Result<()> {
    let there = folder.ancestors().find(|folder| folder.exists());
    let there = there.unwrap_or(folder);
    if !there.is_dir() {
        let error = std::io::Error::from(std::io::ErrorKind::NotADirectory);
        return Err(Error::io("write to", there)(error));
    }
    rustix::fs::access(there, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|error| Error::io("write to", there)(error.into()))
}

#[cfg(test)]
mod tests;
