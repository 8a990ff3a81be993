//! The address and credentials of a cluster, and sessions that are connected to it.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bakeoff_servers::cassandra::login_at;
use bakeoff_servers::{Home, Listed, list};
use bakeoff_workload::Consistency;
use scylla::client::PoolSize;
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::policies::retry::FallthroughRetryPolicy;
use scylla::policies::timestamp_generator::{MonotonicTimestampGenerator, TimestampGenerator};

use super::consistency::in_driver;
use super::datacenter::{local_datacenter, prefer_for_scans_only};
use super::one_node::only;
use crate::{EngineError, tls};

/// The end of the error of a cluster that cannot be connected to.
pub const OPTIONS_TO_CHECK: &str = "check --cassandra HOST[:PORT], --username with BAKEOFF_CASSANDRA_PASSWORD, and \
    --tls";

const DEFAULT_PORT: u16 = 9042;
/// Time limit of one connection attempt.
const CONNECT_TIME_LIMIT: Duration = Duration::from_secs(15);
/// Time limit of connecting to all nodes and reading the schema.
const SESSION_TIME_LIMIT: Duration = Duration::from_secs(60);
/// Time limit of one request.
const REQUEST_TIME_LIMIT: Duration = Duration::from_secs(60);

/// Interval at which a worker rereads nodes and tables, in addition to the server's notifications.
const METADATA_REFRESH: Duration = Duration::from_secs(300);

/// Address and credentials of a Cassandra cluster, whose `Debug` output omits the password.
#[derive(Clone, Default)]
pub struct Cluster {
    /// Address as `HOST` or `HOST:PORT`, with 9042 as the default port.
    pub address: String,
    pub username: Option<String>,
    pub password: Option<String>,
    pub tls: bool,
    /// PEM file with the trusted certificates, for TLS.
    pub tls_ca: Option<PathBuf>,
    /// Consistency level of requests that do not set their own.
    pub consistency: Option<Consistency>,
}

/// Settings of the session that a worker of a load opens.
pub struct LoadConnection<'a> {
    /// Only keyspace whose schema is read.
    pub keyspace: &'a str,
    /// Number of connections to each node.
    pub connections: NonZeroUsize,
    /// Source of the timestamps of writes.
    pub write_times: Arc<dyn TimestampGenerator>,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cluster({})", self.address)
    }
}

impl Cluster {
    /// Connects a session for everything except mixed loads.
    pub async fn connect(&self) -> Result<Session, EngineError> {
        let profile = ExecutionProfile::builder()
            .consistency(self.level())
            .request_timeout(Some(REQUEST_TIME_LIMIT))
            .build();
        // Last write wins by the order in which we send, whatever the nodes' clocks say.
        let builder =
            SessionBuilder::new().timestamp_generator(Arc::new(MonotonicTimestampGenerator::new()));
        let began = Instant::now();
        let session = self.build(builder, profile).await?;
        let (address, took) = (self.full_address(), began.elapsed());
        tracing::debug!("connecting to {address} took {took:.1?}");
        Ok(session)
    }

    /// Connects a session for one worker of a load, which neither retries requests nor sends them
    /// speculatively.
    pub async fn connect_for_load(
        &self,
        load: &LoadConnection<'_>,
    ) -> Result<Session, EngineError> {
        let profile = ExecutionProfile::builder()
            .consistency(self.level())
            // The worker has cheaper deadlines.
            .request_timeout(None)
            .retry_policy(Arc::new(FallthroughRetryPolicy::new()))
            .speculative_execution_policy(None)
            .build();
        let builder = SessionBuilder::new()
            .pool_size(PoolSize::PerHost(load.connections))
            .timestamp_generator(load.write_times.clone())
            .keyspaces_to_fetch([load.keyspace])
            .cluster_metadata_refresh_interval(METADATA_REFRESH);
        let session = self.build(builder, profile).await?;
        if let [node] = session.get_cluster_state().get_nodes_info() {
            // With one node, computing replicas for each request would be wasted time.
            let mut handle = session.get_default_execution_profile_handle().clone();
            let profile = handle.pointee_to_builder();
            let profile = profile.load_balancing_policy(only(node.host_id));
            handle.map_to_another_profile(profile.build());
        }
        Ok(session)
    }

    /// Returns whether Bakeoff started the server, by this account and on this machine.
    pub fn is_ours(&self) -> bool {
        // No other name is looked up, since nothing but loopback can be ours.
        let address = self.full_address().replace("localhost:", "127.0.0.1:");
        let Ok(address) = address.parse::<SocketAddr>() else {
            return false;
        };
        let servers = Home::from_env().and_then(|home| list(&home));
        let is_it =
            |server: &Listed| server.alive && !server.elsewhere && server.address == address;
        servers.is_ok_and(|servers| servers.iter().any(is_it))
    }

    fn level(&self) -> scylla::statement::Consistency {
        in_driver(self.consistency.unwrap_or(Consistency::LocalOne))
    }

    /// Returns whether connections are encrypted.
    pub fn has_tls(&self) -> bool {
        self.tls || self.tls_ca.is_some()
    }

    /// Returns the name and the password to log in with: those that were given, or those of a server
    /// that Bakeoff started on this machine.
    pub fn login(&self) -> Option<(String, String)> {
        if let Some(username) = &self.username {
            return Some((username.clone(), self.password.clone().unwrap_or_default()));
        }
        let login = login_at(&Home::from_env().ok()?, here(&self.full_address())?)?;
        Some((login.user().to_owned(), login.password().to_owned()))
    }

    /// Returns the address with its port; an IPv6 address is then in brackets.
    pub fn full_address(&self) -> String {
        if let Ok(ip) = self.address.trim_matches(['[', ']']).parse::<Ipv6Addr>() {
            return format!("[{ip}]:{DEFAULT_PORT}");
        }
        match self.address.rsplit_once(':') {
            Some((_, port)) if port.parse::<u16>().is_ok() => self.address.clone(),
            _ => format!("{}:{DEFAULT_PORT}", self.address),
        }
    }

    async fn build(
        &self,
        builder: SessionBuilder,
        profile: ExecutionProfile,
    ) -> Result<Session, EngineError> {
        let address = self.full_address();
        let mut builder = builder
            .known_node(&address)
            .connection_timeout(CONNECT_TIME_LIMIT)
            .default_execution_profile_handle(profile.into_handle());
        if let Some((username, password)) = self.login() {
            builder = builder.user(username, password);
        }
        if self.has_tls() {
            builder = builder.tls_context(Some(self.tls_config()?));
        }
        let failed = |why: String| {
            EngineError(format!(
                "cannot connect to Cassandra at {address}: {why}; {OPTIONS_TO_CHECK}"
            ))
        };
        let built = in_time(SESSION_TIME_LIMIT, builder.build()).await;
        let session = built.map_err(failed)?.map_err(|e| failed(e.to_string()))?;
        let Some(local) = local_datacenter(&session, &address).await else {
            return Ok(session);
        };
        // The driver takes a preference only before it connects, when the datacenters are not known.
        let builder = builder.prefer_datacenter(local);
        let built = in_time(SESSION_TIME_LIMIT, builder.build()).await;
        let session = built.map_err(failed)?.map_err(|e| failed(e.to_string()))?;
        prefer_for_scans_only(&session);
        Ok(session)
    }

    fn tls_config(&self) -> Result<Arc<rustls::ClientConfig>, EngineError> {
        let Some(path) = &self.tls_ca else {
            return Err(EngineError(
                "--tls needs --tls-ca FILE: a PEM file with the certificates to trust".to_owned(),
            ));
        };
        tls::trusting(path)
    }
}

/// Returns an address `HOST:PORT` of this machine's loopback, where servers that Bakeoff starts listen.
fn here(address: &str) -> Option<SocketAddr> {
    let (host, port) = address.rsplit_once(':')?;
    let host: IpAddr = match host {
        "localhost" => Ipv4Addr::LOCALHOST.into(),
        host => host.trim_matches(['[', ']']).parse().ok()?,
    };
    host.is_loopback()
        .then_some((host, port.parse().ok()?).into())
}

/// Waits for a step to finish within a time limit.
///
/// # Errors
/// Names the limit when it has passed.
pub async fn in_time<T>(limit: Duration, step: impl Future<Output = T>) -> Result<T, String> {
    let done = tokio::time::timeout(limit, step).await;
    done.map_err(|_| format!("no answer within {limit:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_step_without_an_answer_ends() {
        let limit = Duration::from_millis(10);
        let over = in_time(limit, std::future::pending::<()>()).await;
        assert_eq!(over.unwrap_err(), "no answer within 10ms");
        assert_eq!(in_time(limit, async { 7 }).await, Ok(7));
    }

    fn cluster(address: &str) -> Cluster {
        Cluster {
            address: address.to_owned(),
            ..Cluster::default()
        }
    }

    #[test]
    fn a_server_of_ours_is_looked_for_on_this_machine_only() {
        let found = |address: &str| here(&cluster(address).full_address());
        let ours: SocketAddr = "127.0.0.1:9042".parse().unwrap();
        assert_eq!(found("127.0.0.1"), Some(ours));
        assert_eq!(found("localhost:9042"), Some(ours));
        assert_eq!(found("::1"), "[::1]:9042".parse().ok());
        assert_eq!(found("127.0.0.2:20000").unwrap().port(), 20_000);
        for elsewhere in ["db1", "db1:9042", "10.0.0.7:9042", "localhost.example"] {
            assert_eq!(found(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn an_address_gets_the_port_that_it_lacks() {
        for (address, full) in [
            ("db1", "db1:9042"),
            ("db1:19042", "db1:19042"),
            ("::1", "[::1]:9042"),
            ("[fd00::7]", "[fd00::7]:9042"),
            ("[fd00::7]:19042", "[fd00::7]:19042"),
        ] {
            assert_eq!(cluster(address).full_address(), full);
        }
    }

    #[test]
    fn debug_output_has_no_password() {
        let secret = Cluster {
            password: Some("hunter2".to_owned()),
            ..cluster("db1")
        };
        assert_eq!(format!("{secret:?}"), "Cluster(db1)");
    }

    #[tokio::test]
    async fn an_address_without_a_server_is_a_clear_error() {
        let error = cluster("127.0.0.1:1")
            .connect()
            .await
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("cannot connect to Cassandra at 127.0.0.1:1"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn tls_without_usable_certificates_is_a_clear_error() {
        let tls = Cluster {
            tls: true,
            ..cluster("127.0.0.1:1")
        };
        assert!(
            tls.connect()
                .await
                .unwrap_err()
                .to_string()
                .contains("--tls-ca")
        );
        let file = tempfile::NamedTempFile::new().unwrap();
        let empty = Cluster {
            tls_ca: Some(file.path().to_owned()),
            ..cluster("127.0.0.1:1")
        };
        let error = empty.connect().await.unwrap_err().to_string();
        assert!(error.contains("there are none"), "{error}");
        let missing = Cluster {
            tls_ca: Some("/no/such/ca.pem".into()),
            ..cluster("127.0.0.1:1")
        };
        assert!(
            missing
                .connect()
                .await
                .unwrap_err()
                .to_string()
                .contains("/no/such/ca.pem")
        );
    }
}
