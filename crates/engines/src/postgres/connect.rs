//! Connecting to a PostgreSQL server.

mod hosts;

use std::error::Error as _;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_workload::DesignId;
use rustls::ClientConfig;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::{CancelToken, Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::load_connections::LoadConnections;
use super::replication::Standbys;
use crate::{EngineError, tls};

const CONNECT_TIME_LIMIT: Duration = Duration::from_secs(15);
/// The time limit for making a connection ready for statements.
const SESSION_TIME_LIMIT: Duration = Duration::from_secs(30);
/// The time without any traffic after which the server's machine is asked whether it is there, the time
/// between two such questions, and how many of them stay without an answer when it counts as gone. By
/// default that takes more than two hours, in which every statement would wait.
const ASK_AFTER: Duration = Duration::from_secs(30);
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(10);
const QUESTIONS: u32 = 3;
/// The time after which a server counts as gone that does not acknowledge what was sent to it. Nothing is
/// asked while that is so.
const GONE_AFTER: Duration = Duration::from_secs(60);

/// The command line options of PostgreSQL and TimescaleDB.
#[derive(Debug, Clone, Default)]
pub struct PostgresOptions {
    /// A server that is already running, or `None` to start one.
    pub server: Option<PostgresServer>,
    /// The standbys of each server that is started.
    pub standbys: Standbys,
    /// Whether the questions of a comparison are asked of standbys in place of their primary.
    pub asks_standbys: bool,
    /// The designs that a mix is driven on.
    pub driven: Vec<DesignId>,
    /// The connections of a load on one of them.
    pub load: LoadConnections,
}

/// The address and the credentials of a PostgreSQL server. It never prints its password.
#[derive(Clone)]
pub struct PostgresServer {
    config: Config,
    tls: Option<Arc<ClientConfig>>,
    names: OptionNames,
}

/// How messages call the URL of a server and the file of certificates for it.
#[derive(Clone, Copy)]
struct OptionNames {
    url: &'static str,
    ca: &'static str,
}

/// The options that name a server to measure.
const MEASURED: OptionNames = OptionNames {
    url: "--postgres",
    ca: "--postgres-ca",
};
/// The arguments that name a server of which a table is looked at.
const LOOKED_AT: OptionNames = OptionNames {
    url: "the address",
    ca: "--tls-ca",
};

impl PostgresServer {
    /// Parses a server's URL, `postgresql://USER@HOST:PORT/DATABASE`, which must not have the
    /// password.
    ///
    /// # Errors
    /// Fails if it is not such a URL, if it has a password, which would be visible in process lists
    /// and results, or if the file of certificates cannot be used.
    pub fn new(
        url: &str,
        password: Option<&str>,
        ca: Option<&PathBuf>,
    ) -> Result<Self, EngineError> {
        PostgresServer::named(url, password, ca, MEASURED)
    }

    /// Parses the URL of a server of which a table is looked at, as [`PostgresServer::new`] does.
    ///
    /// # Errors
    /// The same, in words for an address without an option.
    pub fn looked_at(
        url: &str,
        password: Option<&str>,
        ca: Option<&PathBuf>,
    ) -> Result<Self, EngineError> {
        PostgresServer::named(url, password, ca, LOOKED_AT)
    }

    fn named(
        url: &str,
        password: Option<&str>,
        ca: Option<&PathBuf>,
        names: OptionNames,
    ) -> Result<Self, EngineError> {
        let wrong = |why: String| {
            EngineError(format!(
                "{} {why}; write postgresql://USER@HOST:PORT/DATABASE",
                names.url
            ))
        };
        let mut config =
            Config::from_str(url).map_err(|e| wrong(format!("is not a URL: {}", reason(&e))))?;
        if config.get_password().is_some() {
            return Err(EngineError(format!(
                "{} has a password, which would be visible in process lists and in results: put it \
                 into BAKEOFF_POSTGRES_PASSWORD",
                names.url
            )));
        }
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(wrong("names no host".to_owned()));
        }
        if config.get_user().is_none() {
            return Err(wrong("names no user".to_owned()));
        }
        if let Some(password) = password {
            config.password(password);
        }
        limit_times(&mut config);
        let tls = match ca {
            Some(path) => Some(tls::trusting(path)?),
            None if config.get_ssl_mode() == SslMode::Require => {
                return Err(EngineError(format!(
                    "{} asks for TLS: name the certificates to trust with {} FILE",
                    names.url, names.ca
                )));
            }
            None => None,
        };
        if tls.is_some() {
            config.ssl_mode(SslMode::Require);
        }
        Ok(PostgresServer { config, tls, names })
    }

    /// Makes the address of a server that Bakeoff has started.
    pub fn local(address: std::net::SocketAddr, user: &str, password: &str) -> Self {
        let mut config = Config::new();
        config
            .host(address.ip().to_string())
            .port(address.port())
            .user(user)
            .password(password)
            .dbname("postgres")
            .ssl_mode(SslMode::Disable);
        limit_times(&mut config);
        PostgresServer {
            config,
            tls: None,
            names: MEASURED,
        }
    }

    /// Connects, sets the time zone to UTC and runs the statements in `settings`.
    ///
    /// # Errors
    /// Returns what is wrong, and which part of the URL to check.
    pub async fn connect(&self, settings: &str) -> Result<Client, EngineError> {
        let connecting = tokio::time::timeout(SESSION_TIME_LIMIT, self.session(settings));
        connecting.await.unwrap_or_else(|_| Err(self.no_answer()))
    }

    /// Connects, and sets nothing in the session, which a pooler may give to others afterwards.
    ///
    /// # Errors
    /// Returns what is wrong, and which part of the URL to check.
    pub async fn connect_setting_nothing(&self) -> Result<Client, EngineError> {
        let connecting = tokio::time::timeout(SESSION_TIME_LIMIT, self.client());
        connecting.await.unwrap_or_else(|_| Err(self.no_answer()))
    }

    fn no_answer(&self) -> EngineError {
        EngineError(format!(
            "cannot connect to PostgreSQL at {self}: no answer within {SESSION_TIME_LIMIT:?}; \
             check that it is PostgreSQL, and that it is not overloaded"
        ))
    }

    async fn client(&self) -> Result<Client, EngineError> {
        let mut config = self.config.clone();
        config.application_name("bakeoff");
        let client = match &self.tls {
            None => connected(config.connect(NoTls).await),
            Some(tls) => connected(
                config
                    .connect(MakeRustlsConnect::new((**tls).clone()))
                    .await,
            ),
        };
        client.map_err(|e| self.cannot_connect(&e))
    }

    async fn session(&self, settings: &str) -> Result<Client, EngineError> {
        let client = self.client().await?;
        let set = session_statements(settings);
        match client.batch_execute(&set).await {
            Ok(()) => Ok(client),
            Err(e) => Err(EngineError(format!("`{set}` failed: {}", reason(&e)))),
        }
    }

    /// Asks the server to cancel the statement of a connection. The connection reports whether it did.
    pub async fn cancel(&self, token: CancelToken) {
        let asking = async {
            match &self.tls {
                None => token.cancel_query(NoTls).await,
                Some(tls) => {
                    token
                        .cancel_query(MakeRustlsConnect::new((**tls).clone()))
                        .await
                }
            }
        };
        let why = match tokio::time::timeout(SESSION_TIME_LIMIT, asking).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => reason(&error),
            Err(_) => format!("no answer within {SESSION_TIME_LIMIT:?}"),
        };
        tracing::warn!("a query could not be ended: {why}");
    }

    fn cannot_connect(&self, error: &tokio_postgres::Error) -> EngineError {
        let of_tls = format!(
            "check the certificates of {}, and that the server has ssl = on",
            self.names.ca
        );
        let advice = match error.code() {
            Some(&SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => {
                "check the user in the URL, and BAKEOFF_POSTGRES_PASSWORD"
            }
            Some(&SqlState::INVALID_CATALOG_NAME) => "check the database at the URL's end",
            Some(&SqlState::TOO_MANY_CONNECTIONS) => {
                "lower --threads (--workers of `sweep`, --postgres-connections of `drive`), or raise the server's \
                 max_connections"
            }
            Some(_) => "the server's log may say more; try again when it takes connections",
            None if reason(error).contains("password missing") => {
                "put the password into BAKEOFF_POSTGRES_PASSWORD"
            }
            None if error.to_string().contains("TLS") => of_tls.as_str(),
            None => "check that it is running, and the host and port in the URL",
        };
        EngineError(format!(
            "cannot connect to PostgreSQL at {self}: {}; {advice}",
            reason(error)
        ))
    }
}

impl fmt::Display for PostgresServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = self.places().into_iter();
        let places: Vec<String> = places
            .map(|(host, port)| format!("{host}:{port}"))
            .collect();
        let user = self.config.get_user().unwrap_or_default();
        let database = self.config.get_dbname().unwrap_or(user);
        write!(f, "{user}@{}/{database}", places.join(","))
    }
}

impl fmt::Debug for PostgresServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresServer({self})")
    }
}

/// Sets the time limits of connections, by which a server that is gone is noticed.
fn limit_times(config: &mut Config) {
    config
        .connect_timeout(CONNECT_TIME_LIMIT)
        .keepalives_idle(ASK_AFTER)
        .keepalives_interval(ASK_AGAIN_AFTER)
        .keepalives_retries(QUESTIONS)
        .tcp_user_timeout(GONE_AFTER);
}

/// Returns the statements that make a new or a reset session ready, with the settings of its user.
pub fn session_statements(settings: &str) -> String {
    format!("SET TimeZone TO 'UTC'; {settings}")
}

/// Spawns a task for the connection's traffic, which ends with the client.
fn connected<S, T>(
    connected: Result<(Client, tokio_postgres::Connection<S, T>), tokio_postgres::Error>,
) -> Result<Client, tokio_postgres::Error>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    T: tokio_postgres::tls::TlsStream + Unpin + Send + 'static,
{
    let (client, connection) = connected?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!("a connection to PostgreSQL ended: {}", reason(&error));
        }
    });
    Ok(client)
}

/// Returns the server's message with its detail and hint, or else the error with its causes.
pub fn reason(error: &tokio_postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        let more: String = [said.detail(), said.hint()]
            .into_iter()
            .flatten()
            .map(|text| format!("; {text}"))
            .collect();
        return format!("{}: {}{more}", said.severity(), said.message());
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests;
