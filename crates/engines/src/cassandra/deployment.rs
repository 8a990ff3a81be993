//! The Cassandra that a run talks to: a cluster that was there before, or a server of our own.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use bakeoff_cassandra_server::{Home, Server, ServerOptions};
use bakeoff_stats::EngineInfo;
use scylla::client::session::Session;
use tokio::sync::OnceCell;

use super::connect::Cluster;
use super::keyspace;
use crate::{Context, EngineError};

pub struct Deployment {
    pub session: Arc<Session>,
    /// Absent for a cluster that we did not start.
    pub server: Option<Server>,
    pub info: EngineInfo,
    run_dir: PathBuf,
    /// Keyspaces of this run.
    keyspaces: Mutex<BTreeSet<String>>,
    pub flushed: OnceCell<()>,
    pub statistics: OnceCell<serde_json::Value>,
}

impl Deployment {
    pub async fn start(context: &Context) -> Result<Self, EngineError> {
        let (cluster, server) = match &context.cluster {
            Some(cluster) => (cluster.clone(), None),
            None => {
                let server = start_server(context)
                    .await
                    .map_err(|e| EngineError(e.to_string()))?;
                let address = server.address().to_string();
                (
                    Cluster {
                        address,
                        ..Cluster::default()
                    },
                    Some(server),
                )
            }
        };
        let session = Arc::new(cluster.connect().await?);
        let info = match &server {
            Some(server) => EngineInfo {
                engine: "cassandra".to_owned(),
                version: server.version().to_owned(),
                start_seconds: server.start_seconds(),
                settings: server.settings(),
            },
            None => EngineInfo {
                engine: "cassandra".to_owned(),
                version: release_version(&session).await?,
                start_seconds: None,
                settings: vec![("cluster".to_owned(), cluster.address.clone())],
            },
        };
        let run_dir = context.run_dir.clone();
        Ok(Deployment {
            session,
            server,
            info,
            run_dir,
            keyspaces: Mutex::default(),
            flushed: OnceCell::new(),
            statistics: OnceCell::new(),
        })
    }

    /// Makes a keyspace of this run, or finds it again.
    pub async fn claim(&self, keyspace: &str) -> Result<(), EngineError> {
        if self.keyspaces().contains(keyspace) {
            return Ok(());
        }
        match &self.server {
            // Nobody else uses a server of our own.
            Some(_) => keyspace::make(&self.session, keyspace, &self.run_dir).await?,
            None => keyspace::claim(&self.session, keyspace, &self.run_dir).await?,
        }
        self.keyspaces().insert(keyspace.to_owned());
        Ok(())
    }

    /// Drops what the run made and stops what it started; with `keep` the data stay.
    pub async fn finish(this: Arc<Self>, keep: bool) -> Result<(), EngineError> {
        if this.server.is_none() && !keep {
            let keyspaces = this.keyspaces().clone();
            for name in keyspaces {
                keyspace::drop(&this.session, &name, &this.run_dir).await?;
            }
        }
        // A server that is still referred to stops when its last user lets go of it.
        let Some(Deployment {
            server: Some(server),
            ..
        }) = Arc::into_inner(this)
        else {
            return Ok(());
        };
        let dir = server.dir().to_owned();
        server
            .stop()
            .await
            .map_err(|e| EngineError(e.to_string()))?;
        if keep {
            return Ok(());
        }
        std::fs::remove_dir_all(&dir)
            .map_err(|e| EngineError(format!("removing {} failed: {e}", dir.display())))
    }

    /// Why our server answers no more, if it has ended.
    pub fn dead(&self) -> Option<String> {
        self.server
            .as_ref()
            .filter(|s| !s.is_running())
            .map(Server::why_stopped)
    }

    fn keyspaces(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.keyspaces
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

async fn start_server(context: &Context) -> bakeoff_cassandra_server::Result<Server> {
    let home = Home::from_env()?;
    Server::start(ServerOptions::new(home, context.run_dir.join("cassandra"))?).await
}

async fn release_version(session: &Session) -> Result<String, EngineError> {
    let failed = |e: &dyn std::fmt::Display| {
        EngineError(format!("reading the server's version failed: {e}"))
    };
    let rows = session
        .query_unpaged("SELECT release_version FROM system.local", ())
        .await
        .map_err(|e| failed(&e))?;
    let rows = rows.into_rows_result().map_err(|e| failed(&e))?;
    let (version,) = rows.first_row::<(String,)>().map_err(|e| failed(&e))?;
    Ok(version)
}
