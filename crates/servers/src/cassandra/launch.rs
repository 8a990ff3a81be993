//! Starting and restarting a server.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::slice;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::chosen_ports::chosen_ports;
use super::clock;
use super::config::Chosen;
use super::flags;
use super::folder::Folder;
use super::gc_log::{self, GcLog};
use super::group::Group;
use super::heap::heap_mib;
use super::jars::resolve_jars;
use super::java::{Java, find_java};
use super::limits::Limits;
use super::log;
use super::memory::check_limit;
use super::naming;
use super::options::ServerOptions;
use super::pinned::pinned_of;
use super::probe::speaks_cql;
use super::release::Release;
use super::roles::set_up_roles;
use super::runs_as::RunsAs;
use super::server::Server;
use crate::details::Details;
use crate::engine::Engine;
use crate::environment::keep_needed;
use crate::error::{Error, Result};
use crate::files::{create_folder, evict, recreate};
use crate::gate::{self, gated};
use crate::machine::check_free_disk;
use crate::process::ProcessId;
use crate::record::{Owner, Record, Register};

const CLASS: &str = "org.apache.cassandra.service.CassandraDaemon";
const START_LIMIT: Duration = Duration::from_secs(300);
/// Longest time that a node which joins may take to get its share of the data from the others.
const JOIN_LIMIT: Duration = Duration::from_secs(24 * 3600);
/// The number of times that a server is launched, each time on other ports.
const ATTEMPTS: u32 = 4;
const POLL: Duration = Duration::from_millis(100);
/// Pause between two looks at a node that joins, whose log is read, too, while a load is measured.
const JOIN_POLL: Duration = Duration::from_millis(500);

impl Server {
    /// Starts a server and waits until it answers, and, unless it is one of several nodes, until only
    /// its own login is valid.
    ///
    /// # Errors
    /// Fails with `NoJava`, `NoMaven`, `Maven`; `Refused` for too little memory or disk, settings that
    /// cannot be chosen, a folder with files of others, a folder or port in use, or data that a node did
    /// not get when it joined; `NoMemoryLimit` or `NoDiskLimit` if these cannot be bounded; `Io` for a
    /// folder that cannot be written; `Died`, or `DiedWithSettings` if some were chosen, with the log's
    /// last errors; `NotAnswering` after 300 s, or a day for a node that joins a cluster with data.
    pub async fn start(options: ServerOptions) -> Result<Server> {
        Folder::existing(options.dir.clone()).check_contents()?;
        let heap_mib = heap_mib(options.heap_mib, options.node)?;
        if let Some(bytes) = options.memory_limit_bytes {
            check_limit(bytes, heap_mib)?;
        }
        options.tuning.check(heap_mib)?;
        options.release().check_keys(&options.tuning)?;
        let java = find_java().await?;
        let jars = resolve_jars(&options.home, &options.version).await?;
        let folder = Folder::create(&options.dir)?;
        check_free_disk(folder.path(), Engine::Cassandra)?;
        if options.is_limited() {
            forget_cached(&folder).await?;
        }
        let began = Instant::now();
        let mut server =
            Server::launch_on_free_ports(options, folder, &jars, java, heap_mib).await?;
        if server.details.node.is_alone() {
            set_up_roles(slice::from_ref(&server)).await?;
            server.keep_if_wanted();
        }
        server.start_seconds = Some(began.elapsed().as_secs_f64());
        Ok(server)
    }

    /// Stops the server, if it still runs, and starts it again with its data, ports and options, so
    /// that clients find it at the same address.
    ///
    /// # Errors
    /// The errors of [`Server::stop`] and [`Server::start`].
    pub async fn restart(self) -> Result<Server> {
        let (record, details) = (&self.record, &self.details);
        let options = ServerOptions {
            home: self.home.clone(),
            dir: record.dir.clone(),
            heap_mib: details.heap_mib,
            memory_limit_bytes: self.memory_limit_bytes(),
            disk_read_bytes_per_second: self.disk_read_bytes_per_second(),
            disk_access: Some(details.disk_access),
            functions: details.functions,
            syncs_writes: details.syncs_writes,
            tuning: details.tuning.clone(),
            ports: Some(details.ports),
            node: details.node,
            owner: match record.owner {
                Some(_) => Owner::ThisProcess,
                None => Owner::NoProcess,
            },
            name: record.name.clone(),
            version: record.version.clone(),
            later_nodes: 0,
            // One that has joined keeps its tokens and its data.
            joins: false,
            login: Some(self.login.clone()),
        };
        self.stop().await?;
        Server::start(options).await
    }

    /// Launches the server and waits until it answers. Where its ports are ours to choose, others
    /// are chosen if another program takes one of them in the seconds before the server listens.
    async fn launch_on_free_ports(
        options: ServerOptions,
        folder: Folder,
        jars: &Path,
        java: Java,
        heap_mib: u64,
    ) -> Result<Server> {
        let joins = options.joins;
        let mut attempts = if options.ports.is_none() { ATTEMPTS } else { 1 };
        loop {
            attempts -= 1;
            let (options, folder, java) = (options.clone(), folder.clone(), java.clone());
            let server = Server::launch(options, folder, jars, java, heap_mib).await?;
            match server.wait_until_it_answers(joins).await {
                Ok(()) => return Ok(server),
                Err(Error::Died { reason, .. }) if attempts > 0 && log::is_port_taken(&reason) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Starts the process and writes its record, holding the register meanwhile so that no other
    /// process takes the same ports or folder.
    async fn launch(
        options: ServerOptions,
        folder: Folder,
        jars: &Path,
        java: Java,
        heap_mib: u64,
    ) -> Result<Server> {
        let register = Register::open(&options.home).await?;
        register.check_unused(folder.path())?;
        let node = options.node;
        let store = async {
            if node.is_alone() {
                folder.prepare_store(&java.program).await
            } else {
                Ok(())
            }
        };
        // Each starts a Java of its own, where there is something to make.
        tokio::try_join!(naming::prepare(&folder, &java.program, jars), store)?;
        let class_path = flags::class_path(jars)?;
        clock::prepare(&folder, &java.program, &class_path, node, &options.tuning).await?;
        let ports = chosen_ports(&options, &folder, &register)?;
        let disk_access = options.chosen_disk_access();
        let release = Release::of(&options.version);
        let chosen = Chosen {
            release,
            functions: options.functions,
            syncs_writes: options.syncs_writes,
            joins: options.joins,
            tuning: options.tuning,
        };
        folder.write_configuration(node, ports, disk_access, &chosen)?;
        let login = folder.prepare_login(options.login)?;
        flags::write_shared(&folder, jars, release)?;
        let runs_as = RunsAs::choose(&folder, &java.program, jars)?;
        let agent = flags::agent(jars, &pinned_of(release)?.agent)?;
        let owner = options.owner.process()?;
        let flags = flags::server(&folder, &agent, heap_mib, ports, node, &chosen.tuning)?;
        let id = register.free_id(Engine::Cassandra);
        let group = format!("bakeoff-{id}-{}", ports.native);
        let (memory, disk) = (
            options.memory_limit_bytes,
            options.disk_read_bytes_per_second,
        );
        let limits = Limits::create(&group, folder.path(), memory, disk)?;
        let (child, process) = spawn(&folder, &java, flags, &limits, &runs_as)
            .inspect_err(|_| limits.groups().for_each(Group::remove))?;
        let server = Server {
            record: Record {
                id,
                name: options.name,
                version: options.version,
                dir: folder.path().to_owned(),
                scope: register.scope().clone(),
                server: process,
                owner,
            },
            details: super::Details {
                java: java.program,
                java_version: java.version,
                heap_mib,
                limits,
                disk_access,
                functions: chosen.functions,
                syncs_writes: chosen.syncs_writes,
                tuning: chosen.tuning,
                ports,
                node,
                runs_as,
            },
            home: options.home.clone(),
            gc_log: Mutex::new(GcLog::new(gc_log::path(&folder.logs()))),
            most_written: AtomicU64::default(),
            compactions: Mutex::default(),
            folder,
            login,
            child: Mutex::new(Some(child)),
            start_seconds: None,
            ends_with_us: true,
        };
        register.write(&server.record, Details::Cassandra(server.details.clone()))?;
        server.begin()?;
        Ok(server)
    }

    /// Lets the process begin, which waits until it is on record.
    fn begin(&self) -> Result<()> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = child.as_mut().map_or(Ok(()), gate::open);
        begun.map_err(Error::io("start the server in", self.dir()))
    }

    async fn wait_until_it_answers(&self, joins: bool) -> Result<()> {
        let (limit, poll) = if joins {
            (JOIN_LIMIT, JOIN_POLL)
        } else {
            (START_LIMIT, POLL)
        };
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if !self.is_running() {
                return Err(self.ended_early());
            }
            if speaks_cql(self.address()).await {
                return Ok(());
            }
            if joins && let Some(why) = log::why_not_joined(&self.folder.logs()) {
                return Err(Error::Refused(why));
            }
            tokio::time::sleep(poll).await;
        }
        Err(Error::NotAnswering {
            engine: Engine::Cassandra,
            limit_seconds: limit.as_secs(),
            log: self.folder.log(),
        })
    }
}

/// Drops the server's files from the page cache: pages that were cached before are still charged to
/// the process that read them, so that hits on them would come on top of a limit of memory or the disk.
async fn forget_cached(folder: &Folder) -> Result<()> {
    let path = folder.path().to_owned();
    tokio::task::spawn_blocking(move || evict(&path))
        .await
        .unwrap_or_else(|panic| Err(Error::Refused(format!("evicting files failed: {panic}"))))
}

fn spawn(
    folder: &Folder,
    java: &Java,
    flags: Vec<String>,
    limits: &Limits,
    runs_as: &RunsAs,
) -> Result<(Child, ProcessId)> {
    create_folder(&folder.data())?;
    let log = folder.log();
    if log.exists() {
        fs::rename(&log, log.with_extension("previous.log")).map_err(Error::io("rename", &log))?;
    }
    let console = recreate(&folder.console(), 0o644)?;
    let errors = console
        .try_clone()
        .map_err(Error::io("write", &folder.console()))?;
    let mut command = gated(&Command::new(&java.program));
    keep_needed(&mut command);
    if let Some(account) = runs_as.account() {
        command.uid(account.uid).gid(account.gid);
    }
    let mut child = command
        .arg(flags::argument_file(folder)?)
        .args(flags)
        .arg(CLASS)
        .current_dir(folder.path())
        .process_group(0)
        .stdout(console)
        .stderr(errors)
        .spawn()
        .map_err(Error::io("run", &java.program))?;
    let entered = limits.groups().try_for_each(|group| group.take(child.id()));
    if let Err(reason) = entered {
        // It waits at the gate, and ends without having begun.
        let _ = child.wait();
        return Err(Error::Refused(format!(
            "the memory or disk of Cassandra cannot be bounded: {reason}"
        )));
    }
    match ProcessId::from_pid(child.id()) {
        Ok(process) => Ok((child, process)),
        Err(_) => Err(Error::Died {
            engine: Engine::Cassandra,
            reason: log::why_stopped(child.wait().ok(), &folder.logs()),
        }),
    }
}
