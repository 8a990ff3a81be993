//! The Cassandra that this program starts.

use std::sync::Arc;
use std::time::Duration;

use bakeoff_servers::Home;
use bakeoff_servers::cassandra::{Server, ServerOptions};
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use tempfile::TempDir;

use crate::Result;

pub const KEYSPACE: &str = "series";

/// The memory of Cassandra, in MiB.
const HEAP_MIB: u64 = 2_048;

/// The time limit of a request: Cassandra's avg() of many rows takes long.
const REQUEST_LIMIT: Duration = Duration::from_secs(120);

pub struct Cassandra {
    server: Server,
    pub session: Arc<Session>,
    _folder: TempDir,
}

impl Cassandra {
    pub async fn start() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut options = ServerOptions::new(Home::from_env()?, folder.path().join("server"))?;
        options.heap_mib = HEAP_MIB;
        options.name = "series".to_owned();
        let server = Server::start(options).await?;
        let profile = ExecutionProfile::builder().request_timeout(Some(REQUEST_LIMIT));
        let session = SessionBuilder::new()
            .known_node(server.address().to_string())
            .user(server.login().user(), server.login().password())
            .default_execution_profile_handle(profile.build().into_handle())
            .build()
            .await?;
        let cql = format!(
            "CREATE KEYSPACE {KEYSPACE} WITH replication = \
             {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
        );
        session.query_unpaged(cql, ()).await?;
        Ok(Cassandra {
            server,
            session: Arc::new(session),
            _folder: folder,
        })
    }

    /// Writes everything to disk, into one file for each table.
    pub async fn flush(&self) -> Result<()> {
        self.server.nodetool(&["flush", KEYSPACE]).await?;
        let limit_seconds = 900;
        let compact = ["compact", KEYSPACE];
        self.server.nodetool_within(&compact, limit_seconds).await?;
        Ok(())
    }

    pub async fn stop(self) -> Result<()> {
        Ok(self.server.stop().await?)
    }
}
