//! A running Spark.

use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

use super::exchange::{Answer, Exchange, Failure};
use super::log::{self, LOG};
use super::reply::Versions;
use super::source::Source;
use crate::error::{Error, Result};
use crate::process::ProcessId;

/// The longest wait for a process whose answers ended to be gone.
const END_WAIT: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(20);

/// A Spark that can be asked. It ends when this is dropped.
pub struct Spark {
    pub(super) folder: PathBuf,
    /// The first process of its group.
    pub(super) process: ProcessId,
    pub(super) child: Mutex<Child>,
    pub(super) exchange: Exchange,
    pub(super) versions: Versions,
    pub(super) settings: Vec<(String, String)>,
    pub(super) start_seconds: f64,
}

impl Spark {
    /// Makes a session in which a table has this name, and replaces that of an earlier call. With `cache`, all of its rows
    /// are read into memory first, as far as they fit, and the rest into files.
    ///
    /// # Errors
    /// Fails with `Spark` and its reason, or with how it ended.
    pub async fn open(
        &self,
        session: &str,
        table: &str,
        source: &Source,
        cache: bool,
    ) -> Result<()> {
        let request = json!({
            "do": "open",
            "session": session,
            "table": table,
            "source": source,
            "cache": cache,
        });
        self.ask(request).await.map(|_| ())
    }

    /// Gives a session and the memory of its table up. Does nothing if there is none of that name.
    ///
    /// # Errors
    /// Those of [`Spark::open`].
    pub async fn close(&self, session: &str) -> Result<()> {
        let request = json!({"do": "close", "session": session});
        self.ask(request).await.map(|_| ())
    }

    /// Answers a query with an Arrow IPC stream, which comes in parts. If the caller stops waiting, the query is
    /// cancelled. The answer is to be read to its end, or dropped, before another one is waited for: that comes behind it.
    ///
    /// # Errors
    /// Those of [`Spark::open`].
    pub async fn query(&self, session: &str, sql: &str) -> Result<SparkAnswer<'_>> {
        let request = json!({"do": "query", "session": session, "sql": sql});
        let answer = self.ask(request).await?;
        Ok(SparkAnswer {
            spark: self,
            answer,
        })
    }

    async fn ask(&self, request: serde_json::Value) -> Result<Answer> {
        match self.exchange.ask(request).await {
            Ok(answer) => Ok(answer),
            Err(failure) => Err(self.error_of(failure).await),
        }
    }

    async fn error_of(&self, failure: Failure) -> Error {
        match failure {
            Failure::Refused(reason) => Error::Spark(reason),
            Failure::Ended(how) => Error::Spark(self.why_ended(&how).await),
        }
    }

    /// Ends it with all that it started.
    ///
    /// # Errors
    /// Fails with `Unstoppable`.
    pub async fn stop(self) -> Result<()> {
        self.exchange.close();
        let stopped = self.process.kill_group().await;
        self.exit_status();
        stopped
    }

    /// Returns the folder of its files.
    pub fn dir(&self) -> &Path {
        &self.folder
    }

    /// Returns the id of its first process.
    pub fn pid(&self) -> u32 {
        self.process.pid
    }

    /// Returns its version, such as `3.5.9`.
    pub fn version(&self) -> &str {
        &self.versions.spark
    }

    /// Returns the seconds that the start took.
    pub fn start_seconds(&self) -> f64 {
        self.start_seconds
    }

    /// Returns the names and values of the settings that a report shows.
    pub fn settings(&self) -> Vec<(String, String)> {
        let java = ("java".to_owned(), self.versions.java.clone());
        std::iter::once(java).chain(self.settings.clone()).collect()
    }

    pub fn is_running(&self) -> bool {
        self.process.is_alive()
    }

    /// Returns why it can be asked nothing more, if that is so.
    pub fn dead(&self) -> Option<String> {
        if self.is_running() {
            return self.exchange.ended();
        }
        Some(log::why_stopped(self.exit_status(), &self.folder.join(LOG)))
    }

    /// Returns the CPU time of all its processes, in seconds.
    ///
    /// # Errors
    /// Fails with `Gone` when it has ended.
    pub fn cpu_seconds(&self) -> Result<f64> {
        self.process.group_cpu_seconds()
    }

    /// Describes how it ended, when it is gone; `how` is what was noticed of that.
    pub(super) async fn why_ended(&self, how: &str) -> String {
        let deadline = Instant::now() + END_WAIT;
        while Instant::now() < deadline && self.is_running() {
            tokio::time::sleep(POLL).await;
        }
        let why = log::why_stopped(self.exit_status(), &self.folder.join(LOG));
        format!("{how}; {why}")
    }

    /// Waits for the child if it has ended; returns `None` while it runs.
    fn exit_status(&self) -> Option<ExitStatus> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.try_wait().ok().flatten()
    }
}

/// An answer that is still coming.
pub struct SparkAnswer<'a> {
    spark: &'a Spark,
    answer: Answer,
}

impl SparkAnswer<'_> {
    /// Returns the next bytes, or `None` behind the last ones.
    ///
    /// # Errors
    /// Fails with `Spark` and how the process ended, if it did before its answer.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        match self.answer.next().await {
            Ok(part) => Ok(part),
            Err(failure) => Err(self.spark.error_of(failure).await),
        }
    }
}

impl Drop for Spark {
    fn drop(&mut self) {
        self.exchange.close();
        if let Err(error) = self.process.end_group_blocking(&[]) {
            tracing::warn!("{error}");
        }
        self.exit_status();
    }
}
