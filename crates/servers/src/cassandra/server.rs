//! A running Cassandra.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::compactions::Compactions;
use super::config;
use super::credentials::Login;
use super::flags;
use super::folder::Folder;
use super::gc_log::{self, GcLog};
use super::log;
use super::release::Release;
use super::runs_as::RunsAs;
use crate::details::Details;
use crate::disk;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::home::Home;
use crate::record::{self, Entry, Record};

const DROP_PATIENCE: Duration = Duration::from_secs(5);
const PAGE_CACHE: &str = "the memory limit less the memory of the process, mostly its heap";

/// A Cassandra that answers CQL.
#[derive(Debug)]
pub struct Server {
    pub(crate) home: Home,
    pub(crate) folder: Folder,
    pub(crate) record: Record,
    pub(crate) details: super::Details,
    pub(crate) login: Login,
    /// The child process; `None` for a server that another process started.
    pub(crate) child: Mutex<Option<Child>>,
    pub(crate) gc_log: Mutex<GcLog>,
    /// The most bytes written that [`Server::usage`] has reported.
    pub(crate) most_written: AtomicU64,
    pub(crate) compactions: Mutex<Compactions>,
    pub(crate) start_seconds: Option<f64>,
    pub(crate) ends_with_us: bool,
}

impl Server {
    /// Attaches to a running server on record; dropping the result does not stop it.
    ///
    /// # Errors
    /// Fails with `Unknown` when there is none with that id, `Gone` when it has ended.
    pub fn attach(home: Home, id: &str) -> Result<Server> {
        let Entry { record, details } = record::find(&home, id)?;
        let engine = details.engine();
        let Details::Cassandra(details) = details else {
            return Err(Error::Refused(format!(
                "'{id}' is a server of {engine}, not of Cassandra"
            )));
        };
        if !record.is_running_here()? {
            return Err(Error::Gone {
                pid: record.server.pid,
            });
        }
        let folder = Folder::existing(record.dir.clone());
        Ok(Server {
            home,
            login: folder.login()?,
            gc_log: Mutex::new(GcLog::new(gc_log::path(&folder.logs()))),
            most_written: AtomicU64::default(),
            compactions: Mutex::default(),
            folder,
            record,
            details,
            child: Mutex::new(None),
            start_seconds: None,
            ends_with_us: false,
        })
    }

    /// Stops the server in an orderly way, or by force after 30 s, and removes its record. Its
    /// folder stays.
    ///
    /// # Errors
    /// Fails with `Unstoppable`, or `Io` when its record cannot be deleted.
    pub async fn stop(mut self) -> Result<()> {
        self.details.stop(self.record.server).await?;
        self.exit_status();
        self.ends_with_us = false;
        self.forget()
    }

    /// Returns the id of its record, by which `list` shows it and `stop` stops it.
    pub fn id(&self) -> &str {
        &self.record.id
    }

    /// Returns the address at which it answers CQL.
    pub fn address(&self) -> SocketAddr {
        (self.details.node.address(), self.details.ports.native).into()
    }

    /// Returns the name and the password that clients need.
    pub fn login(&self) -> &Login {
        &self.login
    }

    /// Returns the file that holds that password.
    pub fn password_file(&self) -> PathBuf {
        self.folder.password_file()
    }

    /// Returns why it runs as root, if Bakeoff does, too, and no other user can.
    pub fn why_root(&self) -> Option<&str> {
        match &self.details.runs_as {
            RunsAs::Root(reason) => Some(reason),
            RunsAs::Us | RunsAs::Account(_) => None,
        }
    }

    /// Returns the port of JMX on 127.0.0.1.
    pub fn jmx_port(&self) -> u16 {
        self.details.ports.jmx
    }

    /// Returns the port of its address at which the other nodes of its cluster reach it.
    pub fn storage_port(&self) -> u16 {
        self.details.ports.storage
    }

    pub fn pid(&self) -> u32 {
        self.record.server.pid
    }

    /// Returns the server's folder.
    pub fn dir(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder of its tables.
    pub fn data_dir(&self) -> PathBuf {
        self.folder.data()
    }

    /// Returns its version of Cassandra.
    pub fn version(&self) -> &str {
        &self.record.version
    }

    /// Returns the seconds that the start took; unknown for a server that was attached to.
    pub fn start_seconds(&self) -> Option<f64> {
        self.start_seconds
    }

    /// Returns the most bytes that its heap, off-heap memory and page cache may take together.
    pub fn memory_limit_bytes(&self) -> Option<u64> {
        let memory = self.details.limits.memory.as_ref();
        memory.map(|limit| limit.bytes)
    }

    /// Returns the most bytes that it may read from the disk in a second.
    pub fn disk_read_bytes_per_second(&self) -> Option<u64> {
        let disk = self.details.limits.disk.as_ref();
        disk.map(|limit| limit.read_bytes_per_second)
    }

    /// Returns the names and values of the settings that a report shows.
    pub fn settings(&self) -> Vec<(String, String)> {
        let details = &self.details;
        let mut own = vec![
            ("cassandra", self.record.version.clone()),
            ("java", details.java_version.clone()),
            ("heap", format!("{} MiB", details.heap_mib)),
        ];
        if let Some(mib) = details.tuning.young_mib {
            own.push(("young generation", format!("{mib} MiB")));
        }
        if let Some(number) = details.tuning.processors {
            own.push(("processors of the JVM", number.to_string()));
        }
        own.extend(
            details
                .runs_as
                .setting()
                .map(|user| ("user of the system", user)),
        );
        if let Some(bytes) = self.memory_limit_bytes() {
            own.push(("memory limit", format!("{} MiB", bytes >> 20)));
            own.push(("page cache", PAGE_CACHE.to_owned()));
        }
        if let Some(bytes) = self.disk_read_bytes_per_second() {
            own.push(("disk read limit", format!("{} MB/s", bytes as f64 / 1e6)));
        }
        own.push(("disk_access_mode", details.disk_access.to_string()));
        own.extend(disk::settings(self.dir()));
        own.push(("jvm_flags", flags::reported(&details.tuning)));
        let chosen = details.chosen(Release::of(self.version()));
        own.into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .chain(config::settings(details.node, &chosen))
            .collect()
    }

    pub fn is_running(&self) -> bool {
        self.record.server.is_alive()
    }

    /// Describes how the server ended, with the last errors of its log.
    pub fn why_stopped(&self) -> String {
        let reason = log::why_stopped(self.exit_status(), &self.folder.logs());
        match &self.details.limits.memory {
            Some(limit) if limit.was_exceeded() => format!(
                "it needed more than its memory limit of {} MiB, with a heap of {} MiB: raise the \
                 limit or lower the heap; {reason}",
                limit.bytes >> 20,
                self.details.heap_mib
            ),
            _ => reason,
        }
    }

    /// Makes the error of a server that has ended while it was started. It names the settings that were chosen,
    /// since one of them may be the reason: which values go together is known to Cassandra alone.
    pub(crate) fn ended_early(&self) -> Error {
        let reason = self.why_stopped();
        match self.details.tuning.described() {
            Some(settings) if !log::is_port_taken(&reason) => {
                Error::DiedWithSettings { settings, reason }
            }
            _ => Error::Died {
                engine: Engine::Cassandra,
                reason,
            },
        }
    }

    /// Returns the CPU time of the server, in seconds.
    ///
    /// # Errors
    /// Fails with `Gone` when it has ended.
    pub fn cpu_seconds(&self) -> Result<f64> {
        self.record.server.cpu_seconds()
    }

    /// Returns the resident memory of the server, in bytes.
    ///
    /// # Errors
    /// Fails with `Gone` when it has ended.
    pub fn resident_bytes(&self) -> Result<u64> {
        self.record.server.resident_bytes()
    }

    /// Waits for the child if it has ended; returns `None` while it runs or if another process
    /// started it.
    pub(crate) fn exit_status(&self) -> Option<ExitStatus> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.as_mut()?.try_wait().ok().flatten()
    }

    /// Lets a server that has no owner run on when its handle is dropped.
    pub(crate) fn keep_if_wanted(&mut self) {
        self.ends_with_us = self.record.owner.is_some();
    }

    fn forget(&self) -> Result<()> {
        self.details.release();
        record::forget(&self.home, &self.record)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !self.ends_with_us {
            return;
        }
        let stopped = self.record.server.stop_group_blocking(DROP_PATIENCE);
        self.exit_status();
        if let Err(error) = stopped.and_then(|()| self.forget()) {
            tracing::warn!("{error}");
        }
    }
}
