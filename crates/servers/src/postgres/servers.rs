//! A server and its standbys, all on this machine.

use std::fs;
use std::iter;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use futures::future::{join_all, try_join_all};

use super::options::ServerOptions;
use super::server::Server;
use super::usage::Usage;
use crate::error::{Error, Result};
use crate::machine::{DeviceRequests, device_requests, load_average};

/// A server with the standbys that copy it; often there are none.
///
/// Each has its own folder, port and record. They are started in two steps, since standbys log in as a role of the
/// primary, which has to be made by SQL in between.
#[derive(Debug)]
pub struct Servers {
    /// Dropped, and so stopped, before its standbys, which take all that it has written.
    primary: Server,
    standbys: Vec<Server>,
    options: ServerOptions,
    start_seconds: f64,
}

impl Servers {
    /// Starts the primary. If it is to have standbys, its folder is one within that of the options.
    ///
    /// # Errors
    /// Those of [`Server::start`].
    pub async fn start(options: ServerOptions) -> Result<Servers> {
        let primary = Server::start(of_primary(&options)).await?;
        Ok(Servers {
            start_seconds: primary.start_seconds(),
            primary,
            standbys: Vec::new(),
            options,
        })
    }

    /// Finds what starting all of them would refuse, as far as it can be known without creating or starting
    /// anything.
    ///
    /// # Errors
    /// Those of [`Server::check`].
    pub fn check(options: &ServerOptions) -> Result<()> {
        Server::check(&of_primary(options))
    }

    /// Starts the standbys that the options ask for, all at the same time, and waits until each accepts
    /// connections. `password` is that of [`STANDBY_ROLE`](super::STANDBY_ROLE), and the primary has a replication
    /// slot for each of [`Servers::standby_names`].
    ///
    /// # Errors
    /// Those of [`Server::start`], of the first one that failed; the others are stopped.
    pub async fn start_standbys(&mut self, password: &str) -> Result<()> {
        let began = Instant::now();
        let starts = (1..=self.options.standbys).map(|number| {
            let name = name_of(number);
            let primary = self.primary.for_standby(&name, password);
            Server::start(ServerOptions {
                dir: self.options.dir.join(&name),
                name: format!("{}, {}", self.options.name, self.place_of(number)),
                port: None,
                primary: Some(primary),
                ..self.options.clone()
            })
        });
        let starts: Vec<_> = starts.collect();
        self.standbys = try_join_all(starts).await?;
        self.start_seconds += began.elapsed().as_secs_f64();
        Ok(())
    }

    /// Lets commits wait for standbys, as `synchronous_standby_names` of the primary says. It is in force a moment
    /// later.
    ///
    /// # Errors
    /// Fails with `Io` if the configuration cannot be written.
    pub fn set_synchronous(&mut self, standbys: &str) -> Result<()> {
        self.primary.set("synchronous_standby_names", standbys)
    }

    /// Returns the names of so many standbys, by which their primary knows them.
    pub fn standby_names(standbys: u8) -> Vec<String> {
        (1..=standbys).map(name_of).collect()
    }

    pub fn primary(&self) -> &Server {
        &self.primary
    }

    /// Returns the standbys that were started, in the order of their names.
    pub fn standbys(&self) -> &[Server] {
        &self.standbys
    }

    /// Returns the address of each server, that of the primary first.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.all().map(Server::address).collect()
    }

    /// Returns the folder of each server's data, that of the primary first.
    pub fn data_dirs(&self) -> Vec<PathBuf> {
        self.all().map(Server::data_dir).collect()
    }

    /// Returns the seconds until all of them accepted connections.
    pub fn start_seconds(&self) -> f64 {
        self.start_seconds
    }

    /// Returns whether all of them run: figures of a server that lacks a standby are not comparable.
    pub fn is_running(&self) -> bool {
        self.all().all(Server::is_running)
    }

    /// Describes how servers ended, with the last relevant lines of their logs.
    pub fn why_stopped(&self) -> String {
        if self.standbys.is_empty() {
            return self.primary.why_stopped();
        }
        let numbered = (1..).zip(&self.standbys);
        let standbys = numbered.map(|(number, server)| (self.place_of(number), server));
        let primary = ("the primary".to_owned(), &self.primary);
        let ended = iter::once(primary)
            .chain(standbys)
            .filter(|(_, server)| !server.is_running());
        let reasons: Vec<String> = ended
            .map(|(place, server)| format!("{place} is gone: {}", server.why_stopped()))
            .collect();
        reasons.join("; ")
    }

    /// Returns the CPU time of all of them together, in seconds.
    ///
    /// # Errors
    /// Fails with `Gone` when one has ended.
    pub fn cpu_seconds(&self) -> Result<f64> {
        self.all().map(Server::cpu_seconds).sum()
    }

    /// Returns what all of them together use.
    pub fn usage(&self) -> Usage {
        let standbys = self.standbys.iter().map(Server::usage);
        standbys.fold(self.primary.usage(), Usage::and)
    }

    /// Returns the requests that the device with their data has completed, for all programs; `None` if they are on no
    /// device.
    pub fn device_requests(&self) -> Option<DeviceRequests> {
        device_requests(&self.primary.data_dir())
    }

    /// Returns the load average of the machine over about the last minute.
    pub fn load_average(&self) -> Option<f64> {
        load_average()
    }

    /// Returns a number that changes whenever a process of one of them ends, whose CPU time is known in clock ticks
    /// only from then on.
    pub fn ended_processes(&self) -> u64 {
        self.all()
            .map(Server::ended_processes)
            .fold(0, u64::wrapping_add)
    }

    /// Stops all of them as [`Server::stop`] does, the primary first. Their folders stay.
    ///
    /// # Errors
    /// Those of [`Server::stop`], after trying all.
    pub async fn stop(self) -> Result<()> {
        let primary = self.primary.stop().await;
        let standbys = join_all(self.standbys.into_iter().map(Server::stop)).await;
        iter::once(primary).chain(standbys).collect()
    }

    /// Stops all of them, and removes the files that they have in their folders: those of the primary last, so that
    /// whenever this is interrupted no standby is left without its primary.
    ///
    /// # Errors
    /// Those of [`Servers::stop`] and [`Server::remove_files`].
    pub async fn stop_and_remove_files(self) -> Result<()> {
        let options = self.options.clone();
        self.stop().await?;
        if options.standbys == 0 {
            return Server::remove_files(&options.dir);
        }
        for folder in in_order_of_removal(&options) {
            Server::remove_files(&folder)?;
        }
        remove_empty(&options.dir)
    }

    fn all(&self) -> impl Iterator<Item = &Server> {
        iter::once(&self.primary).chain(&self.standbys)
    }

    /// Returns the place of a standby among all of them.
    fn place_of(&self, number: u8) -> String {
        format!("standby {number} of {}", self.options.standbys)
    }
}

/// Returns the options of a primary.
fn of_primary(options: &ServerOptions) -> ServerOptions {
    if options.standbys == 0 {
        return options.clone();
    }
    ServerOptions {
        dir: options.dir.join("primary"),
        name: format!("{}, primary", options.name),
        ..options.clone()
    }
}

/// Returns the folders of all servers in the order in which they are removed: the primary is the last one.
fn in_order_of_removal(options: &ServerOptions) -> Vec<PathBuf> {
    let names = (1..=options.standbys).map(name_of);
    let standbys = names.map(|name| options.dir.join(name));
    standbys.chain([of_primary(options).dir]).collect()
}

/// Returns the name of a standby, by which the primary knows it, and which its folder has.
fn name_of(number: u8) -> String {
    format!("standby{number}")
}

/// Removes the folder that held those of the servers, unless somebody put something else into it.
fn remove_empty(dir: &Path) -> Result<()> {
    match fs::remove_dir(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(Error::io("remove", dir)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::Home;

    #[test]
    fn a_primary_has_a_folder_of_its_own_only_beside_standbys() {
        let options = ServerOptions::new(Home::new("/h").unwrap(), "/run/postgres");
        assert_eq!(of_primary(&options).dir, Path::new("/run/postgres"));
        let with_standbys = ServerOptions {
            standbys: 2,
            ..options
        };
        let primary = of_primary(&with_standbys);
        assert_eq!(primary.dir, Path::new("/run/postgres/primary"));
        assert_eq!(primary.name, "postgres, primary");
    }

    #[test]
    fn a_standby_is_removed_before_its_primary() {
        let mut options = ServerOptions::new(Home::new("/h").unwrap(), "/run/postgres");
        options.standbys = 2;
        let folders = in_order_of_removal(&options);
        let places = ["standby1", "standby2", "primary"];
        let above = Path::new("/run/postgres");
        assert_eq!(folders, places.map(|place| above.join(place)));
    }

    #[test]
    fn a_folder_that_others_use_stays() {
        let above = tempfile::tempdir().unwrap();
        let dir = above.path().join("postgres");
        remove_empty(&dir).unwrap();
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("thesis.txt"), "").unwrap();
        let error = remove_empty(&dir).unwrap_err().to_string();
        assert!(error.contains("cannot remove"), "{error}");
        fs::remove_file(dir.join("thesis.txt")).unwrap();
        remove_empty(&dir).unwrap();
        assert!(!dir.exists());
    }
}
