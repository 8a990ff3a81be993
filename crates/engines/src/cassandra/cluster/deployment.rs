//! The Cassandra of a run: an existing cluster, or nodes that Bakeoff starts.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use bakeoff_driver::DesignError;
use bakeoff_servers::cassandra::{Nodes, Release, Server};
use bakeoff_stats::EngineInfo;
use scylla::client::session::Session;

use super::connect::Cluster;
use super::keyspace::{self, Keyspace, Owner};
use super::server::server_options;
use crate::cassandra::nodes::{Exporters, Metrics, Nodetool};
use crate::cassandra::release::{check_options, engine_of};
use crate::rate_limit::{Pace, RateLimit};
use crate::{Context, EngineError, death};

/// A Cassandra that a run is connected to, with everything that the run has to undo at its end.
pub struct Deployment {
    pub session: Arc<Session>,
    /// Address and credentials that the session was connected with.
    pub cluster: Cluster,
    /// Nodes that Bakeoff started; `None` for an existing cluster.
    pub server: Option<Nodes>,
    /// Node that joined them while a load ran.
    added: Mutex<Option<Server>>,
    /// Nodetool on the hosts of an existing cluster, if it was named.
    pub nodetool: Option<Nodetool>,
    /// Exporters of metrics on these hosts; `None` where none was named.
    pub exporters: Option<Exporters>,
    pub info: EngineInfo,
    /// Whether recordings of the methods that the server runs were asked for.
    pub records_profiles: bool,
    /// Limit on the rows that are written, all designs and workers together.
    pub rate_limit: Option<Arc<RateLimit>>,
    /// Keyspaces of this run, by name.
    keyspaces: Mutex<BTreeMap<String, Keyspace>>,
    /// Statements that reset settings which were changed temporarily.
    pending_restores: Mutex<Vec<String>>,
    pub at_rest: tokio::sync::Mutex<AtRest>,
}

/// Cached state of the tables, valid until the next write.
///
/// A call of nodetool takes about a second and covers all tables of a keyspace, so that caching saves one for
/// every table.
#[derive(Default)]
pub struct AtRest {
    /// Keyspaces whose tables are flushed.
    pub flushed: BTreeSet<String>,
    /// Output of `nodetool tablestats` of each keyspace, one value for each node.
    pub statistics: BTreeMap<String, Arc<[serde_json::Value]>>,
}

impl Deployment {
    /// Checks that a server of that release can be started, or that the named cluster answers.
    pub async fn check(release: Release, context: &Context) -> Result<(), EngineError> {
        let options = &context.options.cassandra;
        check_options(release, options)?;
        if let Some(cluster) = &options.cluster {
            let session = cluster.connect().await?;
            if options.owns_tables && options.keyspace.is_some() {
                // The name of the workload is in no name of a keyspace that was given.
                Keyspace::new("", context)?.check(&session).await?;
            }
            let hosts = hosts(&session);
            if let Some(nodetool) = &options.nodetool {
                nodetool.check(&hosts).await?;
            }
            return Exporters::new(options.metrics.clone()).check(&hosts).await;
        }
        let server = server_options(release, context)?;
        Ok(Nodes::check(&server, options.replication.nodes).await?)
    }

    /// Names the files that have to be downloaded before a server can be started.
    pub fn fetches_first(release: Release, context: &Context) -> Option<&'static str> {
        if context.options.cassandra.cluster.is_some() {
            return None;
        }
        Nodes::fetches_first(&server_options(release, context).ok()?)
    }

    /// Starts a server of that release unless a cluster was named, and connects to it.
    pub async fn start(release: Release, context: &Context) -> Result<Self, EngineError> {
        let options = &context.options.cassandra;
        check_options(release, options)?;
        let replication = options.replication;
        let server = match options.cluster {
            Some(_) => None,
            None => {
                let server = server_options(release, context)?;
                Some(Nodes::start(server, replication.nodes).await?)
            }
        };
        let mut cluster = match &server {
            Some(server) => Cluster {
                address: server.address().to_string(),
                username: Some(server.login().user().to_owned()),
                password: Some(server.login().password().to_owned()),
                ..Cluster::default()
            },
            None => options.cluster.clone().unwrap_or_default(),
        };
        cluster.consistency = replication.consistency;
        let session = Arc::new(cluster.connect().await?);
        let nodes = session.get_cluster_state().get_nodes_info().len();
        let is_shared = options.keyspace.is_some() && !options.owns_tables;
        let given = match &options.keyspace {
            Some(name) if options.owns_tables => keyspace::copies_in(&session, name).await?,
            _ => None,
        };
        // A shared keyspace has the copies that the process chose which created it, and one of the user's its own.
        if !is_shared && given.is_none() {
            replication.check(nodes_of_smallest_datacenter(&session))?;
        }
        let mut info = match &server {
            Some(server) => started_info(release, server),
            None => existing_info(release, &cluster, &session).await?,
        };
        let nodes = (EngineInfo::NODES.to_owned(), nodes.to_string());
        info.settings.push(nodes);
        let nodetool = options.nodetool.iter();
        let nodetool = nodetool.map(|nodetool| ("nodetool".to_owned(), nodetool.to_string()));
        info.settings.extend(nodetool);
        if !options.metrics.is_empty() {
            let urls: Vec<String> = options.metrics.iter().map(ToString::to_string).collect();
            info.settings.push(("metrics".to_owned(), urls.join(", ")));
        }
        let datacenters = nodes_of_datacenters(&session).len();
        // Copies of a keyspace of the user's are those of all datacenters together.
        if datacenters > 1 && given.is_none() {
            let setting = (EngineInfo::DATACENTERS.to_owned(), datacenters.to_string());
            info.settings.push(setting);
        }
        let copies = given.map(|copies| (EngineInfo::COPIES.to_owned(), copies.to_string()));
        let mut replicated = replication.settings(is_shared);
        replicated.retain(|(name, _)| copies.is_none() || name != EngineInfo::COPIES);
        info.settings.extend(copies);
        info.settings.extend(replicated);
        let rate_limit = context.rate_limit(server.is_some());
        info.settings
            .extend(rate_limit.iter().map(|limit| limit.setting()));
        Ok(Deployment {
            session,
            cluster,
            server,
            added: Mutex::default(),
            nodetool: options.nodetool.clone(),
            exporters: exporters(&options.metrics),
            records_profiles: options.records_profiles,
            info,
            rate_limit,
            keyspaces: Mutex::default(),
            pending_restores: Mutex::default(),
            at_rest: tokio::sync::Mutex::default(),
        })
    }

    /// Says why a server that was started runs as root, if it does.
    pub fn remark(&self) -> Option<String> {
        let reason = self.server.as_ref()?.why_root()?;
        Some(format!(
            "note: {} runs as root, since {reason}",
            self.info.engine
        ))
    }

    /// Returns the addresses of all nodes, without ports.
    pub fn hosts(&self) -> Vec<String> {
        hosts(&self.session)
    }

    /// Returns the number of nodes of the cluster, in all of its datacenters.
    pub fn nodes(&self) -> u32 {
        let nodes = self.session.get_cluster_state().get_nodes_info().len();
        u32::try_from(nodes).unwrap_or(u32::MAX)
    }

    /// Creates a keyspace, or checks that an existing one may be used, and remembers it for the end
    /// of the run.
    pub async fn claim(&self, keyspace: &Keyspace) -> Result<(), EngineError> {
        if self.keyspaces().contains_key(&keyspace.name) {
            return Ok(());
        }
        match &self.server {
            // A server that this run started has no other users.
            Some(_) => keyspace.make(&self.session).await?,
            None => keyspace.claim(&self.session).await?,
        }
        self.keyspaces()
            .insert(keyspace.name.clone(), keyspace.clone());
        Ok(())
    }

    /// Returns the number of datacenters, each of which has all copies.
    pub fn datacenters(&self) -> usize {
        nodes_of_datacenters(&self.session).len().max(1)
    }

    /// Returns the most copies of a row that there can be in every datacenter, each on a node of its own.
    pub fn most_copies(&self) -> usize {
        nodes_of_smallest_datacenter(&self.session)
    }

    /// Returns how fast rows may be written.
    pub fn pace(&self) -> Pace<'_> {
        Pace::within(self.rate_limit.as_ref())
    }

    /// Drops the cached state of the tables, which every writer has to call first.
    pub async fn forget_statistics(&self) {
        *self.at_rest.lock().await = AtRest::default();
    }

    /// Drops the run's keyspaces and stops its server; `keep` leaves the data in place.
    pub async fn finish(this: Arc<Self>, keep: bool) -> Result<(), EngineError> {
        let restored = this.restore().await;
        if this.server.is_none() && !keep {
            this.drop_keyspaces().await?;
        }
        restored?;
        // A server that something else still refers to stops when its last reference is dropped.
        let Some(Deployment {
            server: Some(server),
            added,
            ..
        }) = Arc::into_inner(this)
        else {
            return Ok(());
        };
        let dir = server.dir().to_owned();
        let added = added.into_inner().unwrap_or_else(PoisonError::into_inner);
        let added_stopped = match added {
            Some(added) => added.stop().await,
            None => Ok(()),
        };
        server.stop().await?;
        added_stopped?;
        if keep {
            return Ok(());
        }
        std::fs::remove_dir_all(&dir)
            .map_err(|e| EngineError(format!("removing {} failed: {e}", dir.display())))
    }

    /// Drops the keyspaces of this run. Shared ones, which other processes may be driving, stay, but for tables that
    /// are this run's own.
    async fn drop_keyspaces(&self) -> Result<(), EngineError> {
        let mut keyspaces = self.keyspaces().clone();
        keyspaces
            .retain(|_, keyspace| keyspace.owner != Owner::Shared || keyspace.tables_of.is_some());
        if keyspaces.is_empty() {
            return Ok(());
        }
        // The session of the run may not have reconnected to a node that was restarted.
        let session = self.cluster.connect().await?;
        for keyspace in keyspaces.values() {
            match keyspace.owner {
                Owner::Run(_) => keyspace.drop(&session).await?,
                Owner::Shared => keyspace.drop_tables(&session).await?,
            }
        }
        Ok(())
    }

    /// Returns a result unchanged, after waiting in case of an error until [`Deployment::dead`]
    /// can report a server that has died.
    pub async fn noticing_death<T>(
        &self,
        result: Result<T, DesignError>,
    ) -> Result<T, DesignError> {
        if let (Err(_), Some(server)) = (&result, &self.server) {
            death::await_end(&server.addresses(), || server.is_running()).await;
        }
        result
    }

    /// Returns the reason why the server that Bakeoff started has ended, if it has.
    pub fn dead(&self) -> Option<String> {
        let server = self.server.as_ref()?;
        if !server.is_running() {
            return Some(server.why_stopped());
        }
        let added = self.added();
        let ended = added.as_ref().filter(|added| !added.is_running());
        ended.map(|added| format!("the node that was added is gone: {}", added.why_stopped()))
    }

    /// Starts one more node, and returns when it has joined: the bytes that the others sent it, if it says so. It is
    /// stopped with them. If the returned future is dropped, the node ends.
    ///
    /// # Errors
    /// If Bakeoff did not start the cluster, a node was added before, or this one cannot start or join.
    pub async fn add_node(&self) -> Result<Option<u64>, EngineError> {
        let Some(server) = &self.server else {
            let why = "no node can be added to a cluster that Bakeoff did not start";
            return Err(EngineError(why.to_owned()));
        };
        if self.added().is_some() {
            return Err(EngineError("a node was added before".to_owned()));
        }
        let added = server.add().await?;
        let received = added.received_bytes().await;
        *self.added() = Some(added);
        Ok(received)
    }

    fn added(&self) -> std::sync::MutexGuard<'_, Option<Server>> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the statements that reset temporary settings.
    pub fn pending_restores(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.pending_restores
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn keyspaces(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Keyspace>> {
        self.keyspaces
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Returns the exporters of these URLs, if there are any.
fn exporters(metrics: &[Metrics]) -> Option<Exporters> {
    (!metrics.is_empty()).then(|| Exporters::new(metrics.to_vec()))
}

/// Returns the addresses of all nodes, without ports and in their order.
fn hosts(session: &Session) -> Vec<String> {
    let cluster = session.get_cluster_state();
    let nodes = cluster.get_nodes_info().iter();
    let mut addresses: Vec<IpAddr> = nodes.map(|node| node.address.ip()).collect();
    addresses.sort_unstable();
    addresses.iter().map(IpAddr::to_string).collect()
}

/// Returns the number of nodes in the datacenter that has the fewest, since each has all copies.
fn nodes_of_smallest_datacenter(session: &Session) -> usize {
    let nodes = nodes_of_datacenters(session).into_values();
    nodes.min().unwrap_or_default()
}

/// Returns the number of nodes in each datacenter.
fn nodes_of_datacenters(session: &Session) -> BTreeMap<Option<String>, usize> {
    let cluster = session.get_cluster_state();
    let mut nodes = BTreeMap::new();
    for node in cluster.get_nodes_info() {
        *nodes.entry(node.datacenter.clone()).or_default() += 1;
    }
    nodes
}

fn started_info(release: Release, server: &Nodes) -> EngineInfo {
    EngineInfo {
        engine: engine_of(release).to_owned(),
        version: server.version().to_owned(),
        start_seconds: Some(server.start_seconds()),
        settings: server.settings(),
    }
}

async fn existing_info(
    release: Release,
    cluster: &Cluster,
    session: &Session,
) -> Result<EngineInfo, EngineError> {
    Ok(EngineInfo {
        engine: engine_of(release).to_owned(),
        version: release_version(session).await?,
        start_seconds: None,
        settings: vec![(EngineInfo::CLUSTER.to_owned(), cluster.address.clone())],
    })
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
