//! A running Cassandra.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::config::{self, Folder};
use crate::error::{Error, Result};
use crate::files::create_folder;
use crate::flags;
use crate::home::Home;
use crate::jars::resolve_jars;
use crate::java::{Java, MEDDLING_VARIABLES, find_java};
use crate::log;
use crate::machine::{check_free_disk, heap_mib};
use crate::pinned::pinned;
use crate::ports::Ports;
use crate::probe::speaks_cql;
use crate::process::ProcessId;
use crate::record::{self, Record, Register, STOP_PATIENCE};

const CLASS: &str = "org.apache.cassandra.service.CassandraDaemon";
const DEFAULT_HEAP_MIB: u64 = 2048;
const START_LIMIT: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(100);
const DROP_PATIENCE: Duration = Duration::from_secs(5);

/// Whose end shall be the server's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// It ends when the [`Server`] is dropped; if this process is killed, it is found and stopped
    /// by [`crate::stop_orphans`].
    ThisProcess,
    /// It is kept running until [`crate::stop`].
    Nobody,
}

/// What kind of server to start.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    pub home: Home,
    /// The server's folder: made when it is not there, else started with the data that it holds.
    pub dir: PathBuf,
    /// The heap in MiB; no more than a quarter of the memory is taken.
    pub heap_mib: u64,
    pub owner: Owner,
    /// What the server is called in lists and messages.
    pub name: String,
    /// The version of Cassandra.
    pub version: String,
}

impl ServerOptions {
    /// The pinned version with a heap of 2 GiB, owned by this process.
    ///
    /// # Errors
    /// `Refused` when `engines.toml`, which is part of the program, is malformed.
    pub fn new(home: Home, dir: impl Into<PathBuf>) -> Result<ServerOptions> {
        Ok(ServerOptions {
            home,
            dir: dir.into(),
            heap_mib: DEFAULT_HEAP_MIB,
            owner: Owner::ThisProcess,
            name: "cassandra".into(),
            version: pinned()?.version,
        })
    }
}

/// A Cassandra that answers CQL.
#[derive(Debug)]
pub struct Server {
    home: Home,
    folder: Folder,
    record: Record,
    /// None for one that another process started.
    child: Mutex<Option<Child>>,
    start_seconds: Option<f64>,
    ends_with_us: bool,
}

impl Server {
    /// Starts a server and waits until it answers.
    ///
    /// # Errors
    /// `NoJava`, `NoMaven`, `Maven`; `Refused` for too little memory or disk or a folder in use;
    /// `Io` for a folder that cannot be written; `Died` with the log's last errors;
    /// `NotAnswering` after 120 s.
    pub async fn start(options: ServerOptions) -> Result<Server> {
        let heap_mib = heap_mib(options.heap_mib)?;
        let java = find_java().await?;
        let jars = resolve_jars(&options.home, &options.version).await?;
        let folder = Folder::create(&options.dir)?;
        check_free_disk(folder.path())?;
        let began = Instant::now();
        let mut server = Server::launch(options, folder, &jars, java, heap_mib).await?;
        server.wait_until_ready().await?;
        server.start_seconds = Some(began.elapsed().as_secs_f64());
        Ok(server)
    }

    /// A server on record that runs already; dropping what is returned does not stop it.
    ///
    /// # Errors
    /// `Unknown` when there is none of that id, `Gone` when it has ended.
    pub fn attach(home: Home, id: &str) -> Result<Server> {
        let record = record::find(&home, id)?;
        if !record.is_running_here()? {
            return Err(Error::Gone {
                pid: record.server.pid,
            });
        }
        Ok(Server {
            home,
            folder: Folder::existing(record.dir.clone()),
            record,
            child: Mutex::new(None),
            start_seconds: None,
            ends_with_us: false,
        })
    }

    /// Starts the process and puts it on record, holding the register meanwhile so that no other
    /// Bakeoff takes the same ports or folder.
    async fn launch(
        options: ServerOptions,
        folder: Folder,
        jars: &Path,
        java: Java,
        heap_mib: u64,
    ) -> Result<Server> {
        let register = Register::open(&options.home).await?;
        register.check_unused(folder.path())?;
        let ports = Ports::free(&register.taken_ports())?;
        folder.write_configuration(ports)?;
        flags::write_shared(&folder, jars)?;
        let agent = flags::agent(jars, &pinned()?.agent)?;
        let owner = match options.owner {
            Owner::ThisProcess => Some(ProcessId::this()?),
            Owner::Nobody => None,
        };
        let mut child = spawn(
            &folder,
            &java,
            flags::server(&folder, &agent, heap_mib, ports)?,
        )?;
        let process = match ProcessId::of(child.id()) {
            Ok(process) => process,
            Err(_) => return Err(died(child.wait().ok(), &folder)),
        };
        let server = Server {
            record: Record {
                id: register.free_id(),
                name: options.name,
                version: options.version,
                java: java.program,
                java_version: java.version,
                heap_mib,
                dir: folder.path().to_owned(),
                ports,
                place: register.place().clone(),
                server: process,
                owner,
            },
            home: options.home.clone(),
            folder,
            child: Mutex::new(Some(child)),
            start_seconds: None,
            ends_with_us: true,
        };
        register.write(&server.record)?;
        Ok(server)
    }

    async fn wait_until_ready(&mut self) -> Result<()> {
        let deadline = Instant::now() + START_LIMIT;
        while Instant::now() < deadline {
            if !self.is_running() {
                return Err(died(self.exit_status(), &self.folder));
            }
            if speaks_cql(self.address()).await {
                self.ends_with_us = self.record.owner.is_some();
                return Ok(());
            }
            tokio::time::sleep(POLL).await;
        }
        Err(Error::NotAnswering {
            limit_seconds: START_LIMIT.as_secs(),
            log: self.folder.log(),
        })
    }

    /// Ends the server in order, with force after 30 s, and forgets it. Its folder stays.
    ///
    /// # Errors
    /// `Unstoppable`, or `Io` when its record cannot be deleted.
    pub async fn stop(mut self) -> Result<()> {
        self.record.server.stop_group(STOP_PATIENCE).await?;
        self.exit_status();
        self.ends_with_us = false;
        record::remove(&self.home, &self.record.id)
    }

    /// The name of its record, by which `list` shows and `stop` stops it.
    pub fn id(&self) -> &str {
        &self.record.id
    }

    /// Where it speaks CQL.
    pub fn address(&self) -> SocketAddr {
        self.record.address()
    }

    /// The port of JMX on 127.0.0.1.
    pub fn jmx_port(&self) -> u16 {
        self.record.ports.jmx
    }

    pub fn pid(&self) -> u32 {
        self.record.server.pid
    }

    /// The server's folder.
    pub fn dir(&self) -> &Path {
        self.folder.path()
    }

    /// The folder of its tables.
    pub fn data_dir(&self) -> PathBuf {
        self.folder.data()
    }

    /// Its version of Cassandra.
    pub fn version(&self) -> &str {
        &self.record.version
    }

    /// How long the start took, in seconds; not known of a server that was attached to.
    pub fn start_seconds(&self) -> Option<f64> {
        self.start_seconds
    }

    /// The settings that a report has to tell, by name.
    pub fn settings(&self) -> Vec<(String, String)> {
        let own = [
            ("cassandra", self.record.version.clone()),
            ("java", self.record.java_version.clone()),
            ("heap", format!("{} MiB", self.record.heap_mib)),
            ("jvm_flags", flags::reported()),
        ];
        own.into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .chain(config::settings())
            .collect()
    }

    pub fn is_running(&self) -> bool {
        self.record.server.is_alive()
    }

    /// How the server ended, with the last errors of its log.
    pub fn why_stopped(&self) -> String {
        log::why_stopped(self.exit_status(), &self.folder.logs())
    }

    /// CPU time that the server has used, in seconds.
    ///
    /// # Errors
    /// `Gone` when it has ended.
    pub fn cpu_seconds(&self) -> Result<f64> {
        self.record.server.cpu_seconds()
    }

    /// Memory that the server has in use, in bytes.
    ///
    /// # Errors
    /// `Gone` when it has ended.
    pub fn resident_bytes(&self) -> Result<u64> {
        self.record.server.resident_bytes()
    }

    pub(crate) fn java(&self) -> &Path {
        &self.record.java
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Waits for the child that has ended; none while it runs or when it is not ours.
    fn exit_status(&self) -> Option<ExitStatus> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.as_mut()?.try_wait().ok().flatten()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !self.ends_with_us {
            return;
        }
        let stopped = self.record.server.stop_group_blocking(DROP_PATIENCE);
        self.exit_status();
        if let Err(error) = stopped.and_then(|()| record::remove(&self.home, &self.record.id)) {
            tracing::warn!("{error}");
        }
    }
}

fn spawn(folder: &Folder, java: &Java, flags: Vec<String>) -> Result<Child> {
    create_folder(&folder.data())?;
    let log = folder.log();
    if log.exists() {
        fs::rename(&log, log.with_extension("previous.log")).map_err(Error::io("rename", &log))?;
    }
    let console = File::create(folder.console()).map_err(Error::io("write", &folder.console()))?;
    let errors = console
        .try_clone()
        .map_err(Error::io("write", &folder.console()))?;
    let mut command = Command::new(&java.program);
    for name in MEDDLING_VARIABLES {
        command.env_remove(name);
    }
    command
        .arg(flags::argument_file(folder)?)
        .args(flags)
        .arg(CLASS)
        .current_dir(folder.path())
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(console)
        .stderr(errors)
        .spawn()
        .map_err(Error::io("run", &java.program))
}

fn died(status: Option<ExitStatus>, folder: &Folder) -> Error {
    Error::Died {
        reason: log::why_stopped(status, &folder.logs()),
    }
}
