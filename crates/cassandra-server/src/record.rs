//! Records of the servers that Bakeoff started, one JSON file each in its home.

use std::collections::HashSet;
use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::files::{create_folder, lock, write_synced};
use crate::home::Home;
use crate::memory::MemoryLimit;
use crate::options::DiskAccess;
use crate::ports::Ports;
use crate::process::{Place, ProcessId};

/// How long a server may take to end by itself.
pub(crate) const STOP_PATIENCE: Duration = Duration::from_secs(30);
const LOCK_LIMIT: Duration = Duration::from_secs(30);

/// What has to be known to find a server again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) java: PathBuf,
    pub(crate) java_version: String,
    pub(crate) heap_mib: u64,
    #[serde(default)]
    pub(crate) memory_limit: Option<MemoryLimit>,
    #[serde(default)]
    pub(crate) disk_access: DiskAccess,
    pub(crate) dir: PathBuf,
    pub(crate) ports: Ports,
    pub(crate) place: Place,
    pub(crate) server: ProcessId,
    /// Whose end is the server's; none for one that is kept running.
    pub(crate) owner: Option<ProcessId>,
}

impl Record {
    pub(crate) fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.ports.native).into()
    }

    pub(crate) fn is_running_here(&self) -> Result<bool> {
        Ok(self.listed(&Place::here()?).alive)
    }

    fn listed(&self, here: &Place) -> Listed {
        let is_here = self.place == *here;
        Listed {
            id: self.id.clone(),
            name: self.name.clone(),
            version: self.version.clone(),
            address: self.address(),
            pid: self.server.pid,
            alive: is_here && self.server.is_alive(),
            owner_alive: self.owner.map(|owner| is_here && owner.is_alive()),
            elsewhere: !is_here && !self.place.ended_before(here),
            log: self.dir.join("logs/system.log"),
            dir: self.dir.clone(),
        }
    }
}

/// A server on record.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub id: String,
    pub name: String,
    pub version: String,
    /// Where it speaks CQL.
    pub address: SocketAddr,
    pub pid: u32,
    pub alive: bool,
    /// `None` for a server that was started to be kept.
    pub owner_alive: Option<bool>,
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
    Ok(records(home)?
        .iter()
        .map(|record| record.listed(&here))
        .collect())
}

/// Stops a server on record, whoever started it, and forgets it.
///
/// # Errors
/// `Unknown` when there is none of that id, `Refused` when it is elsewhere, `Unstoppable`.
pub async fn stop(home: &Home, id: &str) -> Result<()> {
    let record = find(home, id)?;
    let listed = record.listed(&Place::here()?);
    if listed.elsewhere {
        return Err(Error::Refused(format!(
            "'{id}' was started on another machine or in another container: stop it there"
        )));
    }
    stop_process(&record, &listed).await?;
    forget(home, &record)
}

/// Stops the servers whose owner ended without stopping them, and forgets them and those that
/// ended themselves; says what was done, a sentence for each that still ran.
///
/// # Errors
/// `Io` when the home cannot be read or written, `Unstoppable`.
pub async fn stop_orphans(home: &Home) -> Result<Vec<String>> {
    let here = Place::here()?;
    let mut done = Vec::new();
    for record in records(home)? {
        let listed = record.listed(&here);
        let wanted = listed.owner_alive.unwrap_or(listed.alive);
        if wanted || listed.elsewhere {
            continue;
        }
        stop_process(&record, &listed).await?;
        forget(home, &record)?;
        if listed.alive {
            done.push(format!(
                "stopped Cassandra '{}' (process {}), left behind by a Bakeoff that was killed",
                record.name, listed.pid
            ));
        }
    }
    Ok(done)
}

async fn stop_process(record: &Record, listed: &Listed) -> Result<()> {
    if listed.alive {
        record.server.stop_group(STOP_PATIENCE).await?;
    }
    Ok(())
}

/// The records while they are held against other Bakeoffs, for choosing what must be unique.
pub(crate) struct Register<'a> {
    home: &'a Home,
    records: Vec<Record>,
    here: Place,
    _lock: File,
}

impl<'a> Register<'a> {
    pub(crate) async fn open(home: &'a Home) -> Result<Register<'a>> {
        create_folder(&home.engines())?;
        let lock = lock(&home.engines().join(".lock"), LOCK_LIMIT).await?;
        Ok(Register {
            home,
            records: records(home)?,
            here: Place::here()?,
            _lock: lock,
        })
    }

    pub(crate) fn taken_ports(&self) -> HashSet<u16> {
        self.records
            .iter()
            .flat_map(|record| record.ports.all())
            .collect()
    }

    /// # Errors
    /// `Refused` when a server already uses that folder.
    pub(crate) fn check_unused(&self, dir: &Path) -> Result<()> {
        let user = self
            .records
            .iter()
            .filter(|record| record.dir == dir)
            .map(|record| record.listed(&self.here))
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

    pub(crate) fn free_id(&self) -> String {
        let taken: HashSet<_> = self
            .records
            .iter()
            .map(|record| record.id.as_str())
            .collect();
        (1..)
            .map(|n| format!("cassandra-{n}"))
            .find(|id| !taken.contains(id.as_str()))
            .unwrap_or_default()
    }

    pub(crate) fn place(&self) -> &Place {
        &self.here
    }

    pub(crate) fn write(&self, record: &Record) -> Result<()> {
        let path = path(self.home, &record.id);
        let json = serde_json::to_string_pretty(record)
            .map_err(|error| Error::io("write", &path)(error.into()))?;
        write_synced(&path, &json)
    }
}

/// # Errors
/// `Unknown` when there is no such record.
pub(crate) fn find(home: &Home, id: &str) -> Result<Record> {
    let unknown = || Error::Unknown { id: id.to_owned() };
    records(home)?
        .into_iter()
        .find(|record| record.id == id)
        .ok_or_else(unknown)
}

/// Removes the control group of a server that has ended, and then its record.
pub(crate) fn forget(home: &Home, record: &Record) -> Result<()> {
    record.memory_limit.iter().for_each(MemoryLimit::remove);
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

fn records(home: &Home) -> Result<Vec<Record>> {
    let folder = home.engines();
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(Error::io("read", &folder))?,
    };
    let mut records: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .filter_map(|path| read(&path))
        .collect();
    records.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(records)
}

/// One record; none when another Bakeoff has just deleted it, or when it cannot be understood.
fn read(path: &Path) -> Option<Record> {
    let text = fs::read_to_string(path).ok()?;
    serde_json::from_str(&text)
        .inspect_err(|error| tracing::warn!("{} is not a server's record: {error}", path.display()))
        .ok()
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
