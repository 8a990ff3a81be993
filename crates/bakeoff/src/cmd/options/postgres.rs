//! Defines options that name a PostgreSQL server; a build without PostgreSQL has none of them.

#[cfg(feature = "postgres")]
use std::path::PathBuf;

use anyhow::Result;
use bakeoff_engines::EngineOptions;
use clap::Args;

#[cfg(feature = "postgres")]
use crate::exit::Misuse;

/// Variable with the password. No flag or URL has it, to keep it out of process lists and histories.
#[cfg(feature = "postgres")]
const PASSWORD_VARIABLE: &str = "BAKEOFF_POSTGRES_PASSWORD";

#[derive(Args, Debug, Clone)]
pub struct PostgresOptions {
    /// A running PostgreSQL, for example postgresql://me@db1:5432/metrics; its password comes from
    /// BAKEOFF_POSTGRES_PASSWORD. Otherwise one is started on loopback and stopped at the end
    #[cfg(feature = "postgres")]
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,

    /// Encrypt the connection to --postgres; PEM file with the certificates to trust
    #[cfg(feature = "postgres")]
    #[arg(long, value_name = "FILE", requires = "postgres")]
    postgres_ca: Option<PathBuf>,
}

#[cfg(feature = "postgres")]
impl PostgresOptions {
    /// Sets the named server in `options`; if none is named, one will be started.
    ///
    /// # Errors
    /// Fails with a misuse for a URL that is invalid or has a password.
    pub fn put_into(&self, options: &mut EngineOptions) -> Result<()> {
        let Some(url) = &self.postgres else {
            return Ok(());
        };
        let password = std::env::var(PASSWORD_VARIABLE).ok();
        let ca = self.postgres_ca.as_ref();
        let server = bakeoff_engines::PostgresServer::new(url, password.as_deref(), ca);
        options.postgres.server = Some(server.map_err(|error| Misuse::new(error.into()))?);
        Ok(())
    }

    /// Returns the URL of the named server.
    pub fn url(&self) -> Option<&String> {
        self.postgres.as_ref()
    }
}

#[cfg(not(feature = "postgres"))]
impl PostgresOptions {
    pub fn put_into(&self, _: &mut EngineOptions) -> Result<()> {
        Ok(())
    }

    pub fn url(&self) -> Option<&String> {
        None
    }
}
