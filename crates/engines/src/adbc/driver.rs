//! The driver of one design: its process is started when it is first needed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::datatypes::Schema;
use arrow::record_batch::RecordBatch;
use bakeoff_driver::{Answer, DesignError};

use super::about::About;
use super::answer::Conversion;
use super::client::Host;
use super::protocol::{Database, Step};
use super::{AdbcOptions, HostProgram};
use crate::EngineError;

/// A database and the process that has opened it, if it was needed yet.
pub struct Driver {
    program: HostProgram,
    database: Database,
    /// Held while the process is started, so that only one is.
    starting: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    host: Option<Arc<Host>>,
    /// CPU time of processes that were closed, in seconds.
    closed_cpu_seconds: f64,
}

impl Driver {
    /// Makes the driver of a database without starting anything.
    ///
    /// # Errors
    /// Fails if the program that loads drivers is not known.
    pub fn new(options: &AdbcOptions, database: Database) -> Result<Driver, EngineError> {
        Ok(Driver {
            program: options.host_program()?,
            database,
            starting: tokio::sync::Mutex::default(),
            state: Mutex::default(),
        })
    }

    /// Runs statements in this order, on the connection that ingests use.
    ///
    /// # Errors
    /// Returns the driver's message, or why it cannot be loaded.
    pub async fn execute(&self, statements: &[String]) -> Result<(), DesignError> {
        self.opened().await?.execute(statements).await
    }

    /// Adds rows to a table.
    ///
    /// # Errors
    /// As [`Driver::execute`].
    pub async fn ingest(&self, table: &str, rows: &RecordBatch) -> Result<(), DesignError> {
        self.opened().await?.ingest(table, rows).await
    }

    /// Makes an empty table, whose types are the driver's for those of Arrow.
    ///
    /// # Errors
    /// As [`Driver::execute`].
    pub async fn create(&self, table: &str, schema: &Schema) -> Result<(), DesignError> {
        self.opened().await?.create(table, schema).await
    }

    /// Begins or ends a transaction of statements and ingests.
    ///
    /// # Errors
    /// As [`Driver::execute`].
    pub async fn transaction(&self, step: Step) -> Result<(), DesignError> {
        self.opened().await?.transaction(step).await
    }

    /// Asks the driver for its name and version and for those of its database.
    ///
    /// # Errors
    /// As [`Driver::execute`].
    pub async fn about(&self) -> Result<About, DesignError> {
        self.opened().await?.about().await
    }

    /// Asks a query on a connection that nothing was asked on before.
    ///
    /// # Errors
    /// As [`Driver::execute`].
    pub async fn ask(&self, sql: &str) -> Result<Answer, DesignError> {
        self.opened().await?.ask(sql, None).await
    }

    /// Asks as [`Driver::ask`] does, and converts the rows as they come.
    ///
    /// # Errors
    /// As [`Driver::execute`].
    pub async fn ask_converted(
        &self,
        sql: &str,
        conversion: Conversion,
    ) -> Result<Answer, DesignError> {
        self.opened().await?.ask(sql, Some(conversion)).await
    }

    /// Ends the process, if there is one. The next call starts another one.
    pub fn close(&self) {
        let mut state = self.state();
        if let Some(host) = state.host.take() {
            state.closed_cpu_seconds += host.cpu_seconds().unwrap_or(0.0);
        }
    }

    /// Returns why the process has ended by itself, after which this can be used no more until it is closed.
    pub fn dead(&self) -> Option<String> {
        self.state().host.as_ref()?.crashed()
    }

    /// Returns the CPU time of all processes that it has had, in seconds.
    pub fn cpu_seconds(&self) -> f64 {
        let state = self.state();
        let running = state.host.as_ref().and_then(|host| host.cpu_seconds());
        state.closed_cpu_seconds + running.unwrap_or(0.0)
    }

    /// Returns the process, which is started if there is none, or the last one was given up.
    async fn opened(&self) -> Result<Arc<Host>, DesignError> {
        let _starting = self.starting.lock().await;
        let host = self.state().host.clone();
        match host {
            Some(host) if host.is_given_up() => self.close(),
            Some(host) => match host.crashed() {
                Some(why) => return Err(DesignError(why)),
                None => return Ok(host),
            },
            None => {}
        }
        let host = Arc::new(Host::open(&self.program, &self.database).await?);
        self.state().host = Some(Arc::clone(&host));
        Ok(host)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
