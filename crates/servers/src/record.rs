//! Records of the servers that Bakeoff started, one JSON file each in its home.

use std::collections::HashSet;
use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::details::Details;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::files::{create_folder, lock, write_synced};
use crate::home::Home;
use crate::process::{ProcessId, ProcessScope};

/// Longest time that other processes may hold the register: a PostgreSQL creates its data folder
/// meanwhile, and several may do so one after another.
const LOCK_LIMIT: Duration = Duration::from_secs(150);

/// The process at whose end the server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The server ends when its handle is dropped; if this process is killed, it is found and
    /// stopped by [`stop_orphans`].
    ThisProcess,
    /// The server runs until [`stop`].
    NoProcess,
}

impl Owner {
    pub(crate) fn process(self) -> Result<Option<ProcessId>> {
        match self {
            Owner::ThisProcess => ProcessId::this().map(Some),
            Owner::NoProcess => Ok(None),
        }
    }
}

/// The information by which a server of any engine is found again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) dir: PathBuf,
    #[serde(rename = "place")]
    pub(crate) scope: ProcessScope,
    pub(crate) server: ProcessId,
    /// Process at whose end the server ends; `None` for one that is kept running.
    pub(crate) owner: Option<ProcessId>,
}

impl Record {
    pub(crate) fn is_running_here(&self) -> Result<bool> {
        Ok(self.scope == ProcessScope::here()? && self.server.is_alive())
    }
}

/// A record with the details of its engine, as written to its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    #[serde(flatten)]
    pub(crate) record: Record,
    #[serde(flatten)]
    pub(crate) details: Details,
}

impl Entry {
    fn parse(text: &str) -> serde_json::Result<Entry> {
        let mut entry: serde_json::Value = serde_json::from_str(text)?;
        if let Some(fields) = entry.as_object_mut() {
            // Records of versions that knew only Cassandra name no engine.
            fields.entry("engine").or_insert("cassandra".into());
        }
        serde_json::from_value(entry)
    }

    fn listed(&self, here: &ProcessScope) -> Listed {
        let Entry { record, details } = self;
        let is_here = record.scope == *here;
        Listed {
            id: record.id.clone(),
            engine: details.engine(),
            name: record.name.clone(),
            version: record.version.clone(),
            address: details.address(),
            pid: record.server.pid,
            alive: is_here && record.server.is_alive(),
            owner_alive: record.owner.map(|owner| is_here && owner.is_alive()),
            owner: record.owner.map(|owner| owner.pid),
            elsewhere: !is_here && !record.scope.ended_before(here),
            log: details.log(&record.dir),
            dir: record.dir.clone(),
        }
    }

    /// Stops the server, if it may still run here, and removes its record.
    async fn end(&self, home: &Home, here: &ProcessScope) -> Result<()> {
        // Even if the server has ended, some of its processes may be left.
        if self.record.scope == *here {
            self.details.stop(self.record.server).await?;
        }
        self.details.release();
        forget(home, &self.record)
    }
}

/// A server on record, with its state.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub id: String,
    pub engine: Engine,
    pub name: String,
    pub version: String,
    /// Address at which the server answers clients.
    pub address: SocketAddr,
    pub pid: u32,
    pub alive: bool,
    /// Whether the owner still runs; `None` for a server that was started to be kept.
    pub owner_alive: Option<bool>,
    /// Process that started the server and stops it; `None` for one that was started to be kept.
    pub owner: Option<u32>,
    /// Whether the server was started on another machine or in another container, so that its state is
    /// not known here.
    pub elsewhere: bool,
    pub dir: PathBuf,
    pub log: PathBuf,
}

/// Returns the servers on record, whether they still run or not.
///
/// # Errors
/// Fails with `Io` when the home cannot be read.
pub fn list(home: &Home) -> Result<Vec<Listed>> {
    let here = ProcessScope::here()?;
    Ok(entries(home)?
        .iter()
        .map(|entry| entry.listed(&here))
        .collect())
}

/// Stops a server on record, whichever process started it, and removes its record.
///
/// # Errors
/// Fails with `Unknown` when there is none with that id, `Refused` when it is elsewhere, `Unstoppable`.
pub async fn stop(home: &Home, id: &str) -> Result<()> {
    let entry = find(home, id)?;
    let here = ProcessScope::here()?;
    if entry.listed(&here).elsewhere {
        return Err(Error::Refused(format!(
            "'{id}' was started on another machine or in another container: stop it there"
        )));
    }
    entry.end(home, &here).await
}

/// Stops the servers whose owner ended without stopping them, and removes their records and those
/// of servers that ended themselves. Returns a sentence for each server that was still running.
///
/// # Errors
/// Fails with `Io` when the home cannot be read or written, `Unstoppable`.
pub async fn stop_orphans(home: &Home) -> Result<Vec<String>> {
    let here = ProcessScope::here()?;
    let mut done = Vec::new();
    for entry in entries(home)? {
        let listed = entry.listed(&here);
        let wanted = listed.owner_alive.unwrap_or(listed.alive);
        if wanted || listed.elsewhere {
            continue;
        }
        entry.end(home, &here).await?;
        if listed.alive {
            done.push(format!(
                "stopped {} '{}' (process {}), left behind by a Bakeoff that was killed",
                listed.engine, listed.name, listed.pid
            ));
        }
    }
    Ok(done)
}

/// The records while other processes are locked out, for choosing names and ports that must be
/// unique.
pub(crate) struct Register<'a> {
    home: &'a Home,
    entries: Vec<Entry>,
    here: ProcessScope,
    _lock: File,
}

impl<'a> Register<'a> {
    pub(crate) async fn open(home: &'a Home) -> Result<Register<'a>> {
        create_folder(&home.engines()).map_err(Home::unwritable)?;
        let lock_file = home.engines().join(".lock");
        let lock = lock(&lock_file, LOCK_LIMIT)
            .await
            .map_err(Home::unwritable)?;
        Ok(Register {
            home,
            entries: entries(home)?,
            here: ProcessScope::here()?,
            _lock: lock,
        })
    }

    /// Returns the ports of a loopback address that servers on record have.
    pub(crate) fn taken_ports(&self, address: Ipv4Addr) -> HashSet<u16> {
        self.entries
            .iter()
            .flat_map(|entry| entry.details.ports_at(address))
            .collect()
    }

    /// Checks that no server uses a folder.
    ///
    /// # Errors
    /// Fails with `Refused` when one does.
    pub(crate) fn check_unused(&self, dir: &Path) -> Result<()> {
        let user = self
            .entries
            .iter()
            .filter(|entry| entry.record.dir == dir)
            .map(|entry| entry.listed(&self.here))
            .find(|listed| listed.alive || listed.elsewhere);
        match user {
            None => Ok(()),
            Some(user) => Err(Error::Refused(format!(
                "{} is in use by the server '{}' (process {}): stop it with `bakeoff engines stop \
                 {}` or choose another folder",
                dir.display(),
                user.id,
                user.pid,
                user.id
            ))),
        }
    }

    pub(crate) fn free_id(&self, engine: Engine) -> String {
        let taken: HashSet<_> = self
            .entries
            .iter()
            .map(|entry| entry.record.id.as_str())
            .collect();
        let engine = engine.to_string().to_lowercase();
        (1..)
            .map(|n| format!("{engine}-{n}"))
            .find(|id| !taken.contains(id.as_str()))
            .unwrap_or_default()
    }

    pub(crate) fn scope(&self) -> &ProcessScope {
        &self.here
    }

    pub(crate) fn write(&self, record: &Record, details: Details) -> Result<()> {
        let path = path(self.home, &record.id);
        let entry = Entry {
            record: record.clone(),
            details,
        };
        let json = serde_json::to_string_pretty(&entry)
            .map_err(|error| Error::io("write", &path)(error.into()))?;
        write_synced(&path, &json)
    }
}

/// Returns the record with this id.
///
/// # Errors
/// Fails with `Unknown` when there is no such record.
pub(crate) fn find(home: &Home, id: &str) -> Result<Entry> {
    let unknown = || Error::Unknown { id: id.to_owned() };
    entries(home)?
        .into_iter()
        .find(|entry| entry.record.id == id)
        .ok_or_else(unknown)
}

/// Removes the record of a server that has ended.
pub(crate) fn forget(home: &Home, record: &Record) -> Result<()> {
    let path = path(home, &record.id);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("delete", &path)(error))
        }
        _ => Ok(()),
    }
}

fn path(home: &Home, id: &str) -> PathBuf {
    home.engines().join(format!("{id}.json"))
}

fn entries(home: &Home) -> Result<Vec<Entry>> {
    let folder = home.engines();
    let files = match fs::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        files => files.map_err(Error::io("read", &folder))?,
    };
    let mut entries: Vec<_> = files
        .flatten()
        .map(|file| file.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .filter_map(|path| read(&path))
        .collect();
    entries.sort_by(|a, b| a.record.id.cmp(&b.record.id));
    Ok(entries)
}

/// Reads one record; returns `None` if another process has just deleted it, or if it cannot be
/// parsed.
fn read(path: &Path) -> Option<Entry> {
    let text = fs::read_to_string(path).ok()?;
    Entry::parse(&text)
        .inspect_err(|error| tracing::warn!("{} is not a server's record: {error}", path.display()))
        .ok()
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
