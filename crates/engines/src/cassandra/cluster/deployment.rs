//! The Cassandra that a run talks to: a cluster that was there before, or a server of our own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bakeoff_driver::DesignError;
use bakeoff_servers::Home;
use bakeoff_servers::cassandra::{Nodes, ServerOptions};
use bakeoff_stats::EngineInfo;
use bakeoff_workload::ServerLimits;
use scylla::client::session::Session;

use super::connect::Cluster;
use super::keyspace::{Keyspace, Owner};
use crate::cassandra::names::ENGINE;
use crate::{Context, EngineError, death};

pub struct Deployment {
    pub session: Arc<Session>,
    /// How the session was connected.
    pub cluster: Cluster,
    /// Absent for a cluster that we did not start.
    pub server: Option<Nodes>,
    pub info: EngineInfo,
    /// Keyspaces of this run, by name.
    keyspaces: Mutex<BTreeMap<String, Keyspace>>,
    /// Statements that put back what was set for a while.
    restoring: Mutex<Vec<String>>,
    pub at_rest: tokio::sync::Mutex<AtRest>,
}

/// What is known of the tables as long as nothing is written: a call of nodetool costs about a
/// second, and one tells of all tables.
#[derive(Default)]
pub struct AtRest {
    pub flushed: bool,
    /// Of each node.
    pub statistics: Option<Arc<[serde_json::Value]>>,
}

impl Deployment {
    /// Checks that a server can be started, or that the cluster that was named answers.
    pub async fn check(context: &Context) -> Result<(), EngineError> {
        let asked = &context.options.cassandra;
        if let Some(cluster) = &asked.cluster {
            return cluster.connect().await.map(drop);
        }
        let options = server_options(context)?;
        Ok(Nodes::check(&options, asked.replication.nodes).await?)
    }

    /// What has to be fetched before a server can be started.
    pub fn fetches_first(context: &Context) -> Option<&'static str> {
        if context.options.cassandra.cluster.is_some() {
            return None;
        }
        Nodes::fetches_first(&server_options(context).ok()?)
    }

    pub async fn start(context: &Context) -> Result<Self, EngineError> {
        let asked = &context.options.cassandra;
        let replication = asked.replication;
        let (mut cluster, server) = match &asked.cluster {
            Some(cluster) => (cluster.clone(), None),
            None => {
                let server = Nodes::start(server_options(context)?, replication.nodes).await?;
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
        cluster.consistency = replication.consistency;
        let session = Arc::new(cluster.connect().await?);
        let nodes = session.get_cluster_state().get_nodes_info().len();
        // A keyspace of several processes has the copies that its maker chose.
        if asked.keyspace.is_none() {
            replication.check(nodes)?;
        }
        let mut info = match &server {
            Some(server) => EngineInfo {
                engine: ENGINE.to_owned(),
                version: server.version().to_owned(),
                start_seconds: Some(server.start_seconds()),
                settings: server.settings(),
            },
            None => EngineInfo {
                engine: ENGINE.to_owned(),
                version: release_version(&session).await?,
                start_seconds: None,
                settings: vec![("cluster".to_owned(), cluster.address.clone())],
            },
        };
        info.settings.push(("nodes".to_owned(), nodes.to_string()));
        info.settings.extend(replication.settings());
        Ok(Deployment {
            session,
            cluster,
            server,
            info,
            keyspaces: Mutex::default(),
            restoring: Mutex::default(),
            at_rest: tokio::sync::Mutex::default(),
        })
    }

    /// Makes a keyspace of this run or one that is shared, or finds it again.
    pub async fn claim(&self, keyspace: &Keyspace) -> Result<(), EngineError> {
        if self.keyspaces().contains_key(&keyspace.name) {
            return Ok(());
        }
        match &self.server {
            // A server of our own has no other users.
            Some(_) => keyspace.make(&self.session).await?,
            None => keyspace.claim(&self.session).await?,
        }
        self.keyspaces()
            .insert(keyspace.name.clone(), keyspace.clone());
        Ok(())
    }

    /// To be called before anything is written to a table.
    pub async fn forget_statistics(&self) {
        *self.at_rest.lock().await = AtRest::default();
    }

    /// Drops what the run made and stops what it started; with `keep` the data stay.
    pub async fn finish(this: Arc<Self>, keep: bool) -> Result<(), EngineError> {
        let restored = this.restore().await;
        if this.server.is_none() && !keep {
            this.drop_keyspaces().await?;
        }
        restored?;
        // A server that is still referred to stops when its last user lets go of it.
        let Some(Deployment {
            server: Some(server),
            ..
        }) = Arc::into_inner(this)
        else {
            return Ok(());
        };
        let dir = server.dir().to_owned();
        server.stop().await?;
        if keep {
            return Ok(());
        }
        std::fs::remove_dir_all(&dir)
            .map_err(|e| EngineError(format!("removing {} failed: {e}", dir.display())))
    }

    /// Drops the keyspaces of this run. Others may still drive the tables of those that are shared.
    async fn drop_keyspaces(&self) -> Result<(), EngineError> {
        let mut keyspaces = self.keyspaces().clone();
        keyspaces.retain(|_, keyspace| keyspace.owner != Owner::Shared);
        if keyspaces.is_empty() {
            return Ok(());
        }
        // The session of the run may not have found its way back to a node that was restarted.
        let session = self.cluster.connect().await?;
        for keyspace in keyspaces.values() {
            keyspace.drop(&session).await?;
        }
        Ok(())
    }

    /// Passes a result on, when `dead` knows of the end of a server that caused an error.
    pub async fn noticing_death<T>(
        &self,
        result: Result<T, DesignError>,
    ) -> Result<T, DesignError> {
        if let (Err(_), Some(server)) = (&result, &self.server) {
            death::await_end(&server.addresses(), || server.is_running()).await;
        }
        result
    }

    /// Why our server answers no more, if it has ended.
    pub fn dead(&self) -> Option<String> {
        self.server
            .as_ref()
            .filter(|s| !s.is_running())
            .map(Nodes::why_stopped)
    }

    pub fn restoring(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.restoring
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn keyspaces(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Keyspace>> {
        self.keyspaces
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// What the workload asks of a server of our own, where the server is not ours; in words.
pub fn limits_not_applied(context: &Context) -> Option<String> {
    let asked = &context.options.cassandra;
    let cluster = asked.cluster.as_ref()?;
    let ServerLimits {
        heap_mib,
        memory_mib,
    } = asked.server;
    let asked = [("heap", heap_mib), ("memory", memory_mib)];
    let asked: Vec<String> = asked
        .into_iter()
        .filter_map(|(name, mib)| Some(format!("{name} = {} MiB", mib?)))
        .collect();
    (!asked.is_empty()).then(|| {
        format!(
            "[server] {} of the workload does not hold: Bakeoff did not start the server at {}",
            asked.join(", "),
            cluster.address
        )
    })
}

fn server_options(context: &Context) -> bakeoff_servers::Result<ServerOptions> {
    let home = Home::from_env()?;
    let mut options = ServerOptions::new(home, context.folder_of(ENGINE))?;
    let limits = context.options.cassandra.server;
    options.heap_mib = limits.heap_mib.unwrap_or(options.heap_mib);
    options.memory_limit_bytes = limits.memory_mib.map(|mib| mib << 20);
    Ok(options)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EngineOptions;

    #[test]
    fn limits_of_a_server_that_is_not_ours_are_told() {
        let mut context = Context {
            run_dir: "/run".into(),
            threads: 1,
            keys_repeat: false,
            options: EngineOptions::default(),
        };
        let limits = ServerLimits {
            heap_mib: Some(512),
            memory_mib: Some(960),
        };
        let cluster = Cluster {
            address: "db1".to_owned(),
            ..Cluster::default()
        };
        context.options.cassandra.server = limits;
        assert_eq!(limits_not_applied(&context), None);
        context.options.cassandra.cluster = Some(cluster);
        let told = limits_not_applied(&context).unwrap();
        assert!(told.contains("heap = 512 MiB, memory = 960 MiB"), "{told}");
        assert!(told.contains("db1"), "{told}");
        context.options.cassandra.server = ServerLimits::default();
        assert_eq!(limits_not_applied(&context), None);
    }
}
