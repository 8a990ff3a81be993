//! Starting a server.

use std::net::Ipv4Addr;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::basebackup;
use super::config;
use super::details::Details;
use super::folder::{Folder, LOG, PREVIOUS_LOG, owner_of_data};
use super::initdb::prepare_data;
use super::installation::{Installation, find_postgres, find_timescale};
use super::log;
use super::options::ServerOptions;
use super::ready::accepts_connections;
use super::secret::random_hex;
use super::server::Server;
use crate::account::{Account, run_as};
use crate::details;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::gate::{self, gated};
use crate::machine::{check_free_disk, check_free_disk_of, existing};
use crate::ports;
use crate::process::ProcessId;
use crate::record::{Record, Register};
use crate::survey::check_home;

/// Longest time of a start: a server that was killed first recovers what it had not yet written to
/// its tables.
const START_LIMIT: Duration = Duration::from_secs(300);
const POLL: Duration = Duration::from_millis(50);
const CLUSTER_BYTES: usize = 8;

impl Server {
    /// Starts a server and waits until it accepts connections. A standby without data copies its primary first.
    ///
    /// # Errors
    /// Fails with `NoPostgres`, `NoTimescale`, `NoBasebackup`; `Refused` for a full disk, a folder or port in use,
    /// data of another version, or programs that an unprivileged account cannot run; `Io` for a
    /// folder that cannot be written; `Died` with the last lines of the log; `NotAnswering` after
    /// 300 s.
    pub async fn start(options: ServerOptions) -> Result<Server> {
        let (installation, account) = programs(&options)?;
        let folder = Folder::create(&options.dir, account.as_ref())?;
        check_free_disk(folder.path(), Engine::Postgres)?;
        let began = Instant::now();
        if let Some(primary) = &options.primary {
            // Not while the register is held: the copy of a primary that is loaded takes long.
            let register = Register::open(&options.home).await?;
            register.check_unused(folder.path())?;
            drop(register);
            basebackup::prepare_copy(&folder, primary, &installation, account.as_ref()).await?;
        }
        let mut server = Server::launch(options, folder, installation, account).await?;
        server.wait_until_ready().await?;
        server.start_seconds = began.elapsed().as_secs_f64();
        Ok(server)
    }

    /// Finds what [`Server::start`] would refuse, as far as it can be known without creating or
    /// starting anything.
    ///
    /// # Errors
    /// Fails with `NoPostgres`, `NoTimescale`, `NoBasebackup`; `Refused` for a full disk, too little memory for
    /// its standbys, a home that cannot be written, or programs that an unprivileged account cannot run.
    pub fn check(options: &ServerOptions) -> Result<()> {
        let (installation, account) = programs(options)?;
        if options.standbys > 0 {
            basebackup::program(&installation, account.as_ref())?;
            config::check_memory(options.standbys)?;
        }
        check_home(&options.home)?;
        let servers = u64::from(options.standbys) + 1;
        check_free_disk_of(servers, existing(&options.dir), Engine::Postgres)
    }

    /// Starts the process and writes its record, holding the register meanwhile so that no other
    /// process takes the same port or folder.
    async fn launch(
        options: ServerOptions,
        folder: Folder,
        installation: Installation,
        account: Option<Account>,
    ) -> Result<Server> {
        let register = Register::open(&options.home).await?;
        register.check_unused(folder.path())?;
        prepare_data(&folder, &installation, account.as_ref()).await?;
        let [port] = match options.port {
            Some(port) => {
                ports::check_free(
                    Ipv4Addr::LOCALHOST,
                    &[port],
                    &register.taken_ports(Ipv4Addr::LOCALHOST),
                )?;
                [port]
            }
            None => ports::free(&register.taken_ports(Ipv4Addr::LOCALHOST))?,
        };
        let details = Details {
            port,
            cluster: format!("bakeoff-{}", random_hex::<CLUSTER_BYTES>()?),
        };
        let settings = config::settings(&options)?;
        let mut configured = settings.clone();
        if let Some(primary) = &options.primary {
            configured.extend(primary.settings(&folder.pgpass_file()));
        }
        config::write(&folder, &configured, &details, account.as_ref())?;
        let owner = options.owner.process()?;
        let password = folder.password()?;
        let (child, process) = spawn(&folder, &installation, account.as_ref())?;
        let mut server = Server {
            record: Record {
                id: register.free_id(Engine::Postgres),
                name: options.name,
                version: installation.version,
                dir: folder.path().to_owned(),
                scope: register.scope().clone(),
                server: process,
                owner,
            },
            details,
            home: options.home.clone(),
            folder,
            password,
            timescale: installation.timescale.filter(|_| options.timescale),
            account,
            settings,
            child: Mutex::new(child),
            start_seconds: 0.0,
            most_read: AtomicU64::default(),
            most_written: AtomicU64::default(),
            ends_with_us: true,
        };
        let details = details::Details::Postgres(server.details.clone());
        register.write(&server.record, details)?;
        server.begin()?;
        Ok(server)
    }

    /// Lets the process begin, which waits until it is on record.
    fn begin(&mut self) -> Result<()> {
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        gate::open(child).map_err(Error::io("start the server in", self.folder.path()))
    }

    async fn wait_until_ready(&mut self) -> Result<()> {
        let deadline = Instant::now() + START_LIMIT;
        while Instant::now() < deadline {
            if !self.is_running() {
                return Err(Error::Died {
                    engine: Engine::Postgres,
                    reason: self.why_stopped(),
                });
            }
            if accepts_connections(&self.folder.data(), self.pid()) {
                self.ends_with_us = self.record.owner.is_some();
                return Ok(());
            }
            tokio::time::sleep(POLL).await;
        }
        Err(Error::NotAnswering {
            engine: Engine::Postgres,
            limit_seconds: START_LIMIT.as_secs(),
            log: self.folder.log(),
        })
    }
}

/// Finds the programs of the server, and the account that they run as.
fn programs(options: &ServerOptions) -> Result<(Installation, Option<Account>)> {
    let bin_dir = options.bin_dir.as_deref();
    let installation = if options.timescale {
        find_timescale(bin_dir)?
    } else {
        find_postgres(bin_dir)?
    };
    let account = installation.account(owner_of_data(&options.dir))?;
    Ok((installation, account))
}

fn spawn(
    folder: &Folder,
    installation: &Installation,
    account: Option<&Account>,
) -> Result<(Child, ProcessId)> {
    let path = folder.log();
    folder.opened().rename(LOG, PREVIOUS_LOG)?;
    let log = folder.opened().create_new(LOG)?;
    let errors = log.try_clone().map_err(Error::io("write", &path))?;
    let program = installation.program("postgres");
    let waiting = gated(&Command::new(&program));
    let mut child = run_as(waiting, account)
        .arg("-D")
        .arg(folder.data())
        .current_dir(folder.path())
        .process_group(0)
        .stdout(log)
        .stderr(errors)
        .spawn()
        .map_err(Error::io("run", &program))?;
    match ProcessId::from_pid(child.id()) {
        Ok(process) => Ok((child, process)),
        Err(_) => Err(Error::Died {
            engine: Engine::Postgres,
            reason: log::why_stopped(child.wait().ok(), &path),
        }),
    }
}
