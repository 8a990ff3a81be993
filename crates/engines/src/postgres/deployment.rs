//! The PostgreSQL server of a run, which was running before or is started for the run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bakeoff_driver::DesignError;
use bakeoff_servers::Home;
use bakeoff_servers::postgres::{ServerOptions, Servers};
use bakeoff_stats::{EngineInfo, ServerSample};
use tokio_postgres::Client;

use super::connect::{PostgresServer, reason};
use super::extension::Extension;
use super::figures::Sampler;
use super::replication::Standbys;
use super::schema::{Schema, execute, failed};
use super::standbys::address_of;
use super::{Flavour, reader, replication, standbys};
use crate::rate_limit::RateLimit;
use crate::{Context, EngineError, death};

pub const CREATE_EXTENSION: &str = "CREATE EXTENSION IF NOT EXISTS timescaledb";
/// The time limit for the lock on a table that is to be dropped.
const DROP_WAIT_SECONDS: u32 = 60;
/// How often it is looked whether a server with standbys has lost one, while a call waits for all of them.
const LOOK_EVERY: Duration = Duration::from_millis(250);

pub struct Deployment {
    /// The address of the server, with the rights that tables are made with.
    pub address: PostgresServer,
    /// The same for a workload's SQL, on a server of our own with the rights to read tables alone.
    pub questions: PostgresServer,
    /// The servers that the questions of a comparison are asked of, with the same rights: that one, or its standbys.
    pub asked: Vec<PostgresServer>,
    /// The server with its standbys, or `None` if it was not started for the run.
    server: Option<Servers>,
    /// A connection to the primary of standbys, which says whether they stream.
    watcher: Option<Client>,
    /// What is wrong with a standby that runs and does not stream any more.
    lost: OnceLock<String>,
    sampler: Sampler,
    pub info: EngineInfo,
    /// The TimescaleDB extension, if that is the engine.
    pub extension: Option<Extension>,
    /// The limit on the rows that are loaded, all designs and connections together.
    pub rate_limit: Option<Arc<RateLimit>>,
    /// The schemas of this run by name, with the table in each.
    schemas: Mutex<BTreeMap<String, (Schema, String)>>,
}

impl Deployment {
    /// Checks that a server can be started, or that the named one answers.
    pub async fn check(flavour: Flavour, context: &Context) -> Result<(), EngineError> {
        let Some(address) = &context.options.postgres.server else {
            return Ok(Servers::check(&server_options(flavour, context)?)?);
        };
        let client = address.connect("").await?;
        reader::check_rights(&client, address).await?;
        if flavour == Flavour::Timescale {
            Extension::read(&client, address).await?;
        }
        Ok(())
    }

    pub async fn start(flavour: Flavour, context: &Context) -> Result<Self, EngineError> {
        let asked = context.options.postgres.standbys;
        let (address, mut server) = match &context.options.postgres.server {
            Some(address) => (address.clone(), None),
            None => {
                let server = Servers::start(server_options(flavour, context)?).await?;
                (address_of(server.primary()), Some(server))
            }
        };
        let client = address.connect("").await?;
        let extension = match flavour {
            Flavour::Postgres => None,
            Flavour::Timescale => {
                if server.is_some() {
                    execute(&client, CREATE_EXTENSION).await?;
                }
                Some(Extension::read(&client, &address).await?)
            }
        };
        let password = match &server {
            None => {
                reader::check_rights(&client, &address).await?;
                None
            }
            Some(_) => Some(reader::make(&client).await?),
        };
        if let Some(server) = &mut server {
            standbys::start(&client, server, asked).await?;
        }
        let asks_standbys = context.options.postgres.asks_standbys;
        let (questions, questioned) = match (&server, password) {
            (Some(servers), Some(password)) => (
                reader::address_of(servers.primary(), &password),
                reader::addresses(servers, &password, asks_standbys),
            ),
            _ => (address.clone(), vec![address.clone()]),
        };
        let mut info = info(
            flavour,
            &client,
            &address,
            server.as_ref().map(|server| (server, asked)),
            extension.as_ref(),
        )
        .await?;
        let rate_limit = context.rate_limit(server.is_some());
        info.settings
            .extend(rate_limit.iter().map(|limit| limit.setting()));
        let tells_whom = server.is_some() && asks_standbys;
        info.settings
            .extend(tells_whom.then(replication::asked_setting));
        let watcher = (server.is_some() && asked.count > 0).then_some(client);
        Ok(Deployment {
            sampler: Sampler::new(address.clone()),
            address,
            questions,
            asked: questioned,
            server,
            watcher,
            lost: OnceLock::new(),
            info,
            extension,
            rate_limit,
            schemas: Mutex::default(),
        })
    }

    /// Creates the schema of a design, or finds it again.
    pub async fn claim(&self, schema: &Schema, table: &str) -> Result<(), EngineError> {
        let claiming = async {
            let client = self.address.connect("").await?;
            schema.claim(&client).await.map_err(DesignError::from)
        };
        let claimed = self.while_whole(claiming).await;
        claimed.map_err(|error| EngineError(error.0))?;
        let claimed = (schema.clone(), table.to_owned());
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        schemas.insert(schema.name.clone(), claimed);
        Ok(())
    }

    /// Drops what the run created and stops what it started. With `keep`, the data stays.
    pub async fn finish(this: Arc<Self>, keep: bool) -> Result<(), EngineError> {
        if this.server.is_none() && !keep {
            this.drop_schemas().await?;
        }
        // A server with other owners stops when the last of them is dropped.
        let Some(Deployment {
            server: Some(server),
            ..
        }) = Arc::into_inner(this)
        else {
            return Ok(());
        };
        let stopped = if keep {
            server.stop().await
        } else {
            server.stop_and_remove_files().await
        };
        Ok(stopped?)
    }

    async fn drop_schemas(&self) -> Result<(), EngineError> {
        let schemas = self
            .schemas
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if schemas.is_empty() {
            return Ok(());
        }
        let limited = format!("SET lock_timeout TO '{DROP_WAIT_SECONDS}s'");
        let client = self.address.connect(&limited).await?;
        let mut stays = Vec::new();
        for (schema, table) in schemas.values() {
            if let Err(error) = schema.drop(&client, table).await {
                stays.push(error.0);
            }
        }
        if stays.is_empty() {
            Ok(())
        } else {
            Err(EngineError(stays.join("; ")))
        }
    }

    /// Returns whether the server was started for this run.
    pub fn is_ours(&self) -> bool {
        self.server.is_some()
    }

    /// Returns the folders with the files of tables, that of the primary first; none if the server was not started
    /// for this run.
    pub fn data_dirs(&self) -> Vec<PathBuf> {
        self.server.as_ref().map_or(Vec::new(), Servers::data_dirs)
    }

    pub fn cpu_seconds(&self) -> Option<f64> {
        self.server.as_ref()?.cpu_seconds().ok()
    }

    /// Samples what the server has done up to this moment, and what it uses if it was started for this run.
    pub async fn sample(&self) -> ServerSample {
        self.sampler.sample(self.server.as_ref()).await
    }

    /// Returns a number that changes whenever a process of the servers ends; 0 for a server that was not started for
    /// this run.
    pub fn ended_processes(&self) -> u64 {
        self.server.as_ref().map_or(0, Servers::ended_processes)
    }

    /// Waits until all standbys have replayed what the primary has written, and are at rest. Returns their number.
    pub async fn bring_standbys_to_rest(&self, client: &Client) -> Result<usize, DesignError> {
        let addresses = self.standbys();
        if !addresses.is_empty() {
            standbys::bring_to_rest(client, &addresses).await?;
        }
        Ok(addresses.len())
    }

    /// Waits until all standbys have replayed what the primary has written.
    pub async fn let_standbys_catch_up(&self, client: &Client) -> Result<(), EngineError> {
        let addresses = self.standbys();
        if !addresses.is_empty() {
            standbys::catch_up(client, &addresses).await?;
        }
        Ok(())
    }

    /// Returns the addresses of the standbys, with the rights that tables are made with.
    fn standbys(&self) -> Vec<PostgresServer> {
        let standbys = self.server.as_ref().map(Servers::standbys);
        standbys
            .unwrap_or_default()
            .iter()
            .map(address_of)
            .collect()
    }

    /// Waits for a call as long as all servers run. A commit that waits for a standby which has ended would never
    /// come to its end.
    pub async fn while_whole<T>(
        &self,
        call: impl Future<Output = Result<T, DesignError>>,
    ) -> Result<T, DesignError> {
        let server = self.server.as_ref();
        let Some(server) = server.filter(|server| !server.standbys().is_empty()) else {
            return call.await;
        };
        let has_lost_one = async {
            while server.is_running() {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        tokio::select! {
            biased;
            done = call => done,
            () = has_lost_one => Err(DesignError::new(
                "it was given up, since PostgreSQL with its standbys is no longer whole",
            )),
        }
    }

    /// Passes a result on. After an error it first waits until a dying server is gone, so that
    /// [`Deployment::dead`] reports it.
    pub async fn noticing_death<T>(
        &self,
        result: Result<T, DesignError>,
    ) -> Result<T, DesignError> {
        if let (Err(_), Some(server)) = (&result, &self.server) {
            death::await_end(&server.addresses(), || server.is_running()).await;
        }
        result
    }

    /// Asks the primary whether all standbys still stream, so that [`Deployment::dead`] tells of one that does not.
    pub async fn look(&self) {
        let (Some(server), Some(watcher)) = (&self.server, &self.watcher) else {
            return;
        };
        let Some(why) = standbys::lost(watcher, server.standbys().len()).await else {
            return;
        };
        // A server that has ended is told with its own reason.
        if server.is_running() {
            self.lost.get_or_init(|| why);
        }
    }

    /// Returns the reason why the server that was started, or one of its standbys, no longer answers, if it has
    /// ended, or why a standby is no longer one.
    pub fn dead(&self) -> Option<String> {
        let ended = self.server.as_ref().filter(|s| !s.is_running());
        let ended = ended.map(Servers::why_stopped);
        ended.or_else(|| self.lost.get().cloned())
    }
}

/// The settings of the server that figures depend on and reports show.
const REPORTED_SETTINGS: [&str; 8] = [
    "shared_buffers",
    "effective_cache_size",
    "work_mem",
    "max_wal_size",
    "fsync",
    "synchronous_commit",
    "random_page_cost",
    "max_parallel_workers",
];

/// The highest number of connections to a server that is started: the 256 workers of a sweep, while as many of the
/// previous setting may still be closing, or the 256 connections of a load and as many for its queries.
const MAX_CONNECTIONS: u32 = 600;

fn server_options(flavour: Flavour, context: &Context) -> bakeoff_servers::Result<ServerOptions> {
    let home = Home::from_env()?;
    let options = ServerOptions::new(home, context.folder_of(flavour.name()));
    Ok(ServerOptions {
        timescale: flavour == Flavour::Timescale,
        standbys: context.options.postgres.standbys.count,
        max_connections: MAX_CONNECTIONS,
        settings: settings_for_questions(context.options.postgres.asks_standbys),
        name: flavour.name().to_owned(),
        ..options
    })
}

/// Returns the settings that questions to standbys need: what the primary vacuums would otherwise end long ones.
fn settings_for_questions(asks_standbys: bool) -> Vec<(String, String)> {
    let own = ("hot_standby_feedback".to_owned(), "on".to_owned());
    asks_standbys.then_some(own).into_iter().collect()
}

async fn info(
    flavour: Flavour,
    client: &Client,
    address: &PostgresServer,
    server: Option<(&Servers, Standbys)>,
    extension: Option<&Extension>,
) -> Result<EngineInfo, EngineError> {
    let postgres = format!("PostgreSQL {}", shown(client, "server_version").await?);
    let mut settings: Vec<(String, String)> = match server {
        Some((server, standbys)) => {
            let of_primary = server.primary().settings();
            standbys.setting().into_iter().chain(of_primary).collect()
        }
        None => vec![(EngineInfo::SERVER.to_owned(), address.to_string())],
    };
    for name in REPORTED_SETTINGS {
        settings.push((name.to_owned(), shown(client, name).await?));
    }
    settings.push(("jit".to_owned(), jit(client).await?));
    let version = match extension {
        None => postgres,
        Some(extension) => {
            settings.extend(extension.settings());
            format!("{extension} on {postgres}")
        }
    };
    Ok(EngineInfo {
        engine: flavour.name().to_owned(),
        version,
        start_seconds: server.map(|(server, _)| server.start_seconds()),
        settings,
    })
}

async fn shown(client: &Client, name: &str) -> Result<String, EngineError> {
    let row = client
        .query_one("SELECT current_setting($1)", &[&name])
        .await;
    let row =
        row.map_err(|e| EngineError(format!("reading the setting {name} failed: {}", reason(&e))))?;
    Ok(row.get(0))
}

/// Reads whether queries may be compiled. The setting alone does not say so: it is on even without a
/// compiler.
async fn jit(client: &Client) -> Result<String, EngineError> {
    let sql = "SELECT CASE WHEN pg_jit_available() THEN 'on' ELSE 'off, or not installed' END";
    let row = client.query_one(sql, &[]).await;
    row.map(|row| row.get(0)).map_err(|e| failed(sql, &e))
}
