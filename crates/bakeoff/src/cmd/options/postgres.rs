//! Defines options that name a PostgreSQL server, or the standbys of one that is started; a build without PostgreSQL
//! has none of them.

#[cfg(feature = "postgres")]
use std::path::PathBuf;

use anyhow::Result;
use bakeoff_engines::EngineOptions;
#[cfg(feature = "postgres")]
use bakeoff_engines::{LoadConnections, OptionGroup, PostgresServer, Standbys};
use bakeoff_workload::DesignId;
use clap::Args;

use super::unused::Given;
#[cfg(feature = "postgres")]
use crate::exit::Misuse;

/// Variable with the password. No flag or URL has it, to keep it out of process lists and histories.
#[cfg(feature = "postgres")]
const PASSWORD_VARIABLE: &str = "BAKEOFF_POSTGRES_PASSWORD";

/// Returns the password for a PostgreSQL, if there is one.
#[cfg(feature = "postgres")]
pub fn password() -> Option<String> {
    std::env::var(PASSWORD_VARIABLE).ok()
}

#[cfg(feature = "postgres")]
#[derive(Args, Debug, Clone)]
pub struct PostgresServerOptions {
    /// A running PostgreSQL, for example postgresql://me@db1:5432/metrics; its password comes from
    /// BAKEOFF_POSTGRES_PASSWORD. Otherwise one is started on loopback and stopped at the end
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,

    /// Encrypt the connection to --postgres; PEM file with the certificates to trust
    #[arg(long, value_name = "FILE", requires = "postgres")]
    postgres_ca: Option<PathBuf>,
}

#[derive(Args, Debug, Clone)]
pub struct PostgresOptions {
    #[cfg(feature = "postgres")]
    #[command(flatten)]
    server: PostgresServerOptions,

    /// Standbys of each PostgreSQL that is started, up to 8, which stream its rows, all on this machine
    /// [default: 0]
    #[cfg(feature = "postgres")]
    #[arg(long, value_name = "N", conflicts_with = "postgres", value_parser = clap::value_parser!(u8).range(0..=8), allow_negative_numbers = true)]
    postgres_standbys: Option<u8>,

    /// Which standbys have a row on disk before it counts as committed [default: any]
    #[cfg(feature = "postgres")]
    #[arg(long, value_enum, value_name = "WHICH", requires = "postgres_standbys")]
    postgres_wait_for: Option<WaitFor>,
}

/// The option of a comparison that asks standbys.
#[derive(Args, Debug, Clone)]
pub struct AskStandbysOptions {
    /// Ask the questions of the standbys, each of the one with the fewest under way, in place of their primary
    #[cfg(feature = "postgres")]
    #[arg(long, requires = "postgres_standbys")]
    postgres_ask_standbys: bool,
}

/// Options of a load on PostgreSQL.
#[derive(Args, Debug, Clone)]
pub struct PostgresLoadOptions {
    #[command(flatten)]
    pub servers: PostgresOptions,

    /// Connections to PostgreSQL of all --threads together, on which the operations in flight of designs of postgres
    /// and timescale are pipelined; queries take as many others [default: 16, or as many as operations in flight or
    /// threads]
    #[cfg(feature = "postgres")]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    postgres_connections: Option<u32>,
}

/// Standbys that a commit waits for.
#[cfg(feature = "postgres")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum WaitFor {
    All,
    Any,
    None,
}

impl PostgresOptions {
    /// Returns the option that names a server, if there is one.
    pub fn option(&self) -> Option<&'static str> {
        self.url().is_some().then_some("--postgres")
    }
}

#[cfg(feature = "postgres")]
impl PostgresServerOptions {
    /// Returns the named server; `None` if none is named.
    ///
    /// # Errors
    /// Fails with a misuse for a URL that is invalid or has a password.
    pub fn server(&self) -> Result<Option<PostgresServer>> {
        let Some(url) = &self.postgres else {
            return Ok(None);
        };
        let password = password();
        let server = PostgresServer::new(url, password.as_deref(), self.postgres_ca.as_ref());
        Ok(Some(server.map_err(|error| Misuse::new(error.into()))?))
    }
}

#[cfg(feature = "postgres")]
impl PostgresOptions {
    /// Sets the named server in `options`; if none is named, one will be started, with the standbys asked for.
    ///
    /// # Errors
    /// Fails with a misuse for a URL that is invalid or has a password, or for waiting for standbys that there are
    /// not.
    pub fn put_into(&self, options: &mut EngineOptions) -> Result<()> {
        options.postgres.standbys = self.standbys();
        self.check_standbys()?;
        if let Some(server) = self.server.server()? {
            options.postgres.server = Some(server);
        }
        Ok(())
    }

    /// Adds the options that are given. The others need one of these.
    pub fn add_given(&self, given: &mut Given) {
        given.add("--postgres", OptionGroup::Postgres, self.url().is_some());
        let has_standbys = self.postgres_standbys.is_some();
        given.add("--postgres-standbys", OptionGroup::Postgres, has_standbys);
    }

    /// Returns the URL of the named server.
    pub fn url(&self) -> Option<&String> {
        self.server.postgres.as_ref()
    }

    /// Returns the standbys of each server that is started.
    pub fn standbys(&self) -> Standbys {
        use bakeoff_engines::WaitFor as Which;
        let wait_for = match self.postgres_wait_for {
            Some(WaitFor::All) => Which::All,
            Some(WaitFor::None) => Which::None,
            Some(WaitFor::Any) | None => Which::Any,
        };
        match self.postgres_standbys {
            None | Some(0) => Standbys::default(),
            Some(count) => Standbys { count, wait_for },
        }
    }

    fn check_standbys(&self) -> Result<()> {
        let waits = matches!(self.postgres_wait_for, Some(WaitFor::All | WaitFor::Any));
        if waits && self.standbys().count == 0 {
            return Err(Misuse::new(anyhow::anyhow!(
                "--postgres-wait-for: there are no standbys that a commit could wait for: ask for some with \
                 --postgres-standbys, or leave it out"
            ))
            .into());
        }
        Ok(())
    }
}

#[cfg(feature = "postgres")]
impl AskStandbysOptions {
    /// Sets in `options`, which have the standbys, whether these are asked.
    ///
    /// # Errors
    /// Fails with a misuse if there are none.
    pub fn put_into(&self, options: &mut EngineOptions) -> Result<()> {
        if self.is_given() && options.postgres.standbys.count == 0 {
            return Err(Misuse::new(anyhow::anyhow!(
                "--postgres-ask-standbys: there are no standbys to ask: ask for some with --postgres-standbys, or \
                 leave it out"
            ))
            .into());
        }
        options.postgres.asks_standbys = self.is_given();
        Ok(())
    }

    pub fn is_given(&self) -> bool {
        self.postgres_ask_standbys
    }
}

#[cfg(feature = "postgres")]
impl PostgresLoadOptions {
    /// Sets the server and the connections of the loads on these designs, each with so many worker threads and
    /// operations in flight.
    ///
    /// # Errors
    /// Those of [`PostgresOptions::put_into`], and with a misuse for fewer connections than threads.
    pub fn put_into(
        &self,
        options: &mut EngineOptions,
        designs: &[DesignId],
        (threads, in_flight): (u32, u32),
    ) -> Result<()> {
        self.servers.put_into(options)?;
        if let Some(connections) = self.postgres_connections.filter(|given| *given < threads) {
            return Err(Misuse::new(anyhow::anyhow!(
                "--postgres-connections {connections} is less than --threads {threads}: each thread needs one"
            ))
            .into());
        }
        options.postgres.driven = designs.to_vec();
        options.postgres.load = LoadConnections::new(self.postgres_connections, threads, in_flight);
        Ok(())
    }

    /// Adds the options that are given.
    pub fn add_given(&self, given: &mut Given) {
        self.servers.add_given(given);
        let has_connections = self.postgres_connections.is_some();
        given.add(
            "--postgres-connections",
            OptionGroup::Postgres,
            has_connections,
        );
    }
}

#[cfg(not(feature = "postgres"))]
impl AskStandbysOptions {
    pub fn put_into(&self, _: &mut EngineOptions) -> Result<()> {
        Ok(())
    }

    pub fn is_given(&self) -> bool {
        false
    }
}

#[cfg(not(feature = "postgres"))]
impl PostgresLoadOptions {
    pub fn put_into(
        &self,
        options: &mut EngineOptions,
        _: &[DesignId],
        _: (u32, u32),
    ) -> Result<()> {
        self.servers.put_into(options)
    }

    pub fn add_given(&self, given: &mut Given) {
        self.servers.add_given(given);
    }
}

#[cfg(not(feature = "postgres"))]
impl PostgresOptions {
    pub fn put_into(&self, _: &mut EngineOptions) -> Result<()> {
        Ok(())
    }

    pub fn add_given(&self, _: &mut Given) {}

    pub fn url(&self) -> Option<&String> {
        None
    }

    pub fn standbys(&self) -> Option<&String> {
        None
    }
}
