//! A running PostgreSQL.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

use rustix::process::Signal;

use super::children;
use super::config;
use super::details::Details;
use super::folder::{self, Folder};
use super::log;
use super::primary::Primary;
use super::secret::Secret;
use crate::account::Account;
use crate::disk;
use crate::error::Result;
use crate::home::Home;
use crate::record::{self, Record};

/// Name of the superuser.
pub(crate) const USER: &str = "bakeoff";

/// A PostgreSQL that accepts connections.
#[derive(Debug)]
pub struct Server {
    pub(super) home: Home,
    pub(super) folder: Folder,
    pub(super) record: Record,
    pub(super) details: Details,
    pub(super) password: Secret,
    pub(super) timescale: Option<String>,
    /// The account that it runs as, if it differs from that of Bakeoff.
    pub(super) account: Option<Account>,
    /// Names and values in its configuration.
    pub(super) settings: Vec<(String, String)>,
    pub(super) child: Mutex<Child>,
    pub(super) start_seconds: f64,
    /// Most bytes of the disk that its processes were seen to have read, and to have written.
    pub(super) most_read: AtomicU64,
    pub(super) most_written: AtomicU64,
    pub(super) ends_with_us: bool,
}

impl Server {
    /// Stops the server and all sessions in an orderly way, or by force after 30 s, and removes its
    /// record. Its folder stays.
    ///
    /// # Errors
    /// Fails with `Unstoppable`, or `Io` when its record cannot be deleted.
    pub async fn stop(mut self) -> Result<()> {
        self.details.stop(self.record.server).await?;
        self.exit_status();
        self.ends_with_us = false;
        record::forget(&self.home, &self.record)
    }

    /// Removes the files that a stopped server left in its folder ([`Server::dir`]), wherever its
    /// data are.
    ///
    /// # Errors
    /// Fails with `Refused` when the folder holds files of anything but a server, `Io` when it cannot be
    /// removed.
    pub fn remove_files(dir: &Path) -> Result<()> {
        folder::remove(dir)
    }

    /// Kills all its processes at once, as a crash of the machine would. Its record stays.
    ///
    /// # Errors
    /// Fails with `Unstoppable` when one still runs 10 s later.
    pub async fn kill(&self) -> Result<()> {
        self.record.server.kill_group().await?;
        self.details.stop(self.record.server).await
    }

    /// Returns the id of its record, by which `list` shows it and `stop` stops it.
    pub fn id(&self) -> &str {
        &self.record.id
    }

    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.details.port).into()
    }

    /// Returns the name of the superuser.
    pub fn user(&self) -> &str {
        USER
    }

    /// Returns the superuser's password.
    pub fn password(&self) -> &str {
        self.password.reveal()
    }

    /// Returns the id of the process that was started, the parent of all others.
    pub fn pid(&self) -> u32 {
        self.record.server.pid
    }

    /// Returns the folder that was asked for.
    pub fn dir(&self) -> &Path {
        self.folder.wanted()
    }

    /// Returns the folder of its data, which is elsewhere if the account that it runs as cannot
    /// reach [`Server::dir`].
    pub fn data_dir(&self) -> PathBuf {
        self.folder.data()
    }

    /// Returns its version of PostgreSQL, such as `17.11`.
    pub fn version(&self) -> &str {
        &self.record.version
    }

    /// Returns the version of TimescaleDB, if it was loaded.
    pub fn timescale_version(&self) -> Option<&str> {
        self.timescale.as_deref()
    }

    /// Returns the seconds that the start took, including the creation of its data folder.
    pub fn start_seconds(&self) -> f64 {
        self.start_seconds
    }

    /// Returns the names and values of the settings that a report shows.
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut own = vec![("postgresql", self.record.version.clone())];
        own.extend(
            self.timescale
                .clone()
                .map(|version| ("timescaledb", version)),
        );
        own.extend(
            self.account
                .as_ref()
                .map(|account| ("user of the system", account.name.clone())),
        );
        if self.folder.path() != self.folder.wanted() {
            let path = self.folder.path().display();
            own.push((
                "folder",
                format!("{path}, since that user cannot reach the run's"),
            ));
        }
        own.extend(disk::settings(self.folder.path()));
        own.into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .chain(self.settings.clone())
            .collect()
    }

    /// Returns what a standby of that name needs to copy this server, where [`STANDBY_ROLE`](super::STANDBY_ROLE)
    /// has that password.
    pub fn for_standby(&self, name: &str, password: &str) -> Primary {
        Primary {
            address: self.address(),
            superuser: self.password.clone(),
            password: Secret::new(password),
            name: name.to_owned(),
        }
    }

    /// Adds a setting to the configuration of a server that is no standby, and lets it read that again. It is in
    /// force a moment later, and no more after the server's end.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<()> {
        self.settings.push((name.to_owned(), value.to_owned()));
        let account = self.account.as_ref();
        config::write(&self.folder, &self.settings, &self.details, account)?;
        self.record.server.signal(Signal::HUP);
        Ok(())
    }

    pub fn is_running(&self) -> bool {
        self.record.server.is_alive()
    }

    /// Describes how the server ended, with the last relevant lines of its log.
    pub fn why_stopped(&self) -> String {
        log::why_stopped(self.exit_status(), &self.folder.log())
    }

    /// Returns the CPU time of all its processes, in seconds.
    ///
    /// # Errors
    /// Fails with `Gone` when it has ended.
    pub fn cpu_seconds(&self) -> Result<f64> {
        children::cpu_seconds(self.record.server, &self.details.cluster)
    }

    /// Returns a number that changes whenever one of its processes ends; 0 when all of it has ended.
    pub fn ended_processes(&self) -> u64 {
        self.record.server.faults_of_ended().unwrap_or(0)
    }

    /// Returns the memory of all its processes, in bytes; shared memory counts once.
    ///
    /// # Errors
    /// Fails with `Gone` when it has ended.
    pub fn resident_bytes(&self) -> Result<u64> {
        children::resident_bytes(self.record.server, &self.details.cluster)
    }

    /// Waits for the child if it has ended; returns `None` while it runs.
    fn exit_status(&self) -> Option<ExitStatus> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.try_wait().ok().flatten()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !self.ends_with_us {
            return;
        }
        let stopped = self.details.stop_soon(self.record.server);
        self.exit_status();
        if let Err(error) = stopped.and_then(|()| record::forget(&self.home, &self.record)) {
            tracing::warn!("{error}");
        }
    }
}
