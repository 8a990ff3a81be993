//! Records of the servers that Bakeoff started, one JSON file each in its home.

use std::collections::HashSet;
use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::{Details, Engine};
use crate::error::{Error, Result};
use crate::files::{create_folder, lock, write_synced};
use crate::home::Home;
use crate::process::{Place, ProcessId};

/// How long others may hold the register: a PostgreSQL makes its data folder meanwhile, and several
/// may do so one after another.
const LOCK_LIMIT: Duration = Duration::from_secs(150);

/// Whose end shall be the server's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// It ends when what stands for it is dropped; if this process is killed, it is found and
    /// stopped by [`stop_orphans`].
    ThisProcess,
    /// It is kept running until [`stop`].
    Nobody,
}

impl Owner {
    pub(crate) fn process(self) -> Result<Option<ProcessId>> {
        match self {
            Owner::ThisProcess => ProcessId::this().map(Some),
            Owner::Nobody => Ok(None),
        }
    }
}

/// What has to be known to find a server again, whatever its engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) dir: PathBuf,
    pub(crate) place: Place,
    pub(crate) server: ProcessId,
    /// Whose end is the server's; none for one that is kept running.
    pub(crate) owner: Option<ProcessId>,
}

impl Record {
    pub(crate) fn is_running_here(&self) -> Result<bool> {
        Ok(self.place == Place::here()? && self.server.is_alive())
    }
}

/// A record as it is kept.
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
            // Of what was recorded before there were others.
            fields.entry("engine").or_insert("cassandra".into());
        }
        serde_json::from_value(entry)
    }

    fn listed(&self, here: &Place) -> Listed {
        let Entry { record, details } = self;
        let is_here = record.place == *here;
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
            elsewhere: !is_here && !record.place.ended_before(here),
            log: details.log(&record.dir),
            dir: record.dir.clone(),
        }
    }

    /// Ends the server, if it may still run here, and forgets it.
    async fn end(&self, home: &Home, here: &Place) -> Result<()> {
        // Of one that has ended, processes of its own may be left.
        if self.record.place == *here {
            self.details.stop(self.record.server).await?;
        }
        self.details.release();
        forget(home, &self.record)
    }
}

/// A server on record.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub id: String,
    pub engine: Engine,
    pub name: String,
    pub version: String,
    /// Where it answers clients.
    pub address: SocketAddr,
    pub pid: u32,
    pub alive: bool,
    /// `None` for a server that was started to be kept.
    pub owner_alive: Option<bool>,
    /// The process that started it and stops it; `None` for one that was started to be kept.
    pub owner: Option<u32>,
    /// Started on another machine or in another container, where alone it can be judged.
    pub elsewhere: bool,
    pub dir: PathBuf,
    pub log: PathBuf,
}

/// The servers on record, whether they still run or not.
///
/// # Errors
/// `Io` when the home cannot be read.
pub fn list(home: &Home) -> Result<Vec<Listed>> {
    let here = Place::here()?;
    Ok(entries(home)?
        .iter()
        .map(|entry| entry.listed(&here))
        .collect())
}

/// Stops a server on record, whoever started it, and forgets it.
///
/// # Errors
/// `Unknown` when there is none of that id, `Refused` when it is elsewhere, `Unstoppable`.
pub async fn stop(home: &Home, id: &str) -> Result<()> {
    let entry = find(home, id)?;
    let here = Place::here()?;
    if entry.listed(&here).elsewhere {
        return Err(Error::Refused(format!(
            "'{id}' was started on another machine or in another container: stop it there"
        )));
    }
    entry.end(home, &here).await
}

/// Stops the servers whose owner ended without stopping them, and forgets them and those that
/// ended themselves; says what was done, a sentence for each that still ran.
///
/// # Errors
/// `Io` when the home cannot be read or written, `Unstoppable`.
pub async fn stop_orphans(home: &Home) -> Result<Vec<String>> {
    let here = Place::here()?;
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

/// The records while they are held against other Bakeoffs, for choosing what must be unique.
pub(crate) struct Register<'a> {
    home: &'a Home,
    entries: Vec<Entry>,
    here: Place,
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
            here: Place::here()?,
            _lock: lock,
        })
    }

    /// Ports of a loopback address that servers on record take.
    pub(crate) fn taken_ports(&self, address: Ipv4Addr) -> HashSet<u16> {
        self.entries
            .iter()
            .flat_map(|entry| entry.details.ports_at(address))
            .collect()
    }

    /// # Errors
    /// `Refused` when a server already uses that folder.
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

    pub(crate) fn place(&self) -> &Place {
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

/// # Errors
/// `Unknown` when there is no such record.
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

/// One record; none when another Bakeoff has just deleted it, or when it cannot be understood.
fn read(path: &Path) -> Option<Entry> {
    let text = fs::read_to_string(path).ok()?;
    Entry::parse(&text)
        .inspect_err(|error| tracing::warn!("{} is not a server's record: {error}", path.display()))
        .ok()
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
