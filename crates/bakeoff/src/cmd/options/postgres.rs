//! Options that name a PostgreSQL server.

use std::path::PathBuf;

use anyhow::Result;
use bakeoff_engines::PostgresServer;
use clap::Args;

use crate::exit::Misuse;

/// Never a flag and never in the URL, so that it is in no process list and no history.
const PASSWORD_VARIABLE: &str = "BAKEOFF_POSTGRES_PASSWORD";

#[derive(Args, Debug, Clone)]
pub struct PostgresOptions {
    /// A PostgreSQL that already runs, for example postgresql://me@db1:5432/metrics; its password
    /// comes from BAKEOFF_POSTGRES_PASSWORD. Else one is started on loopback and stopped at the end
    #[arg(long, value_name = "URL")]
    pub postgres: Option<String>,

    /// Encrypt the connection to --postgres; PEM file with the certificates to trust
    #[arg(long, value_name = "FILE", requires = "postgres")]
    postgres_ca: Option<PathBuf>,
}

impl PostgresOptions {
    /// The server that was named; `None` when one is to be started.
    ///
    /// # Errors
    /// A misuse for a URL that names none, or that has a password.
    pub fn server(&self) -> Result<Option<PostgresServer>> {
        let password = std::env::var(PASSWORD_VARIABLE).ok();
        let server =
            |url: &String| PostgresServer::new(url, password.as_deref(), self.postgres_ca.as_ref());
        let server = self.postgres.as_ref().map(server).transpose();
        server.map_err(|error| Misuse::of(error.into()).into())
    }
}
