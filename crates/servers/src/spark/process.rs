//! A running Spark.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

use super::cluster::{Access, SparkCluster};
use super::exchange::{Answer, Exchange, Failure};
use super::log::{self, LOG};
use super::reply::Versions;
use super::source::Source;
use crate::error::{Error, Result};
use crate::process::ProcessId;

/// The file with the secret of a cluster, which the process has while Spark's Java starts.
const SECRETS: &str = "secrets.properties";
/// The longest wait for a process that removes its tables from a Spark elsewhere.
const LEAVE_WAIT: Duration = Duration::from_secs(15);
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
    /// The Spark elsewhere that is asked; `None` if it computes on this machine.
    pub(super) cluster: Option<SparkCluster>,
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

    /// Ends it with all that it started. From a Spark elsewhere its tables are removed first.
    ///
    /// # Errors
    /// Fails with `Unstoppable`.
    pub async fn stop(self) -> Result<()> {
        self.exchange.close();
        if self.leaves_tables() {
            self.await_end(LEAVE_WAIT).await;
        }
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

    /// Returns the names and values of the settings that a report shows, without secrets.
    pub fn settings(&self) -> Vec<(String, String)> {
        let Versions {
            java,
            executors,
            cores,
            parts,
            ..
        } = &self.versions;
        let mut settings = Vec::new();
        let mut add = |name: &str, value: String| settings.push((name.to_owned(), value));
        if let Some(cluster) = &self.cluster {
            add("cluster", cluster.to_string());
            let unknown = || "not told by Spark Connect".to_owned();
            let executors = executors.map_or_else(unknown, |count| count.to_string());
            add("executors", executors);
        }
        if let Some(cores) = cores {
            add("cores", cores.to_string());
        }
        if let Some(parts) = parts {
            add("parts by default", parts.to_string());
        }
        if let Some(parts) = parts.or(*cores) {
            add("spark.sql.shuffle.partitions", parts.to_string());
        }
        if let Some(java) = java {
            add("java", java.clone());
        }
        settings.extend(self.settings.clone());
        settings
    }

    /// Returns the Spark elsewhere that is asked; `None` if it computes on this machine.
    pub fn cluster(&self) -> Option<&SparkCluster> {
        self.cluster.as_ref()
    }

    /// Returns whether the tables of its sessions would stay when its process is gone.
    fn leaves_tables(&self) -> bool {
        let access = self.cluster.as_ref().map(SparkCluster::access);
        access == Some(Access::Connect)
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

    /// Returns the CPU time of all its processes on this machine, in seconds. Those of a cluster are not known.
    ///
    /// # Errors
    /// Fails with `Gone` when it has ended.
    pub fn cpu_seconds(&self) -> Result<f64> {
        self.process.group_cpu_seconds()
    }

    /// Describes how it ended, when it is gone; `how` is what was noticed of that.
    pub(super) async fn why_ended(&self, how: &str) -> String {
        self.await_end(END_WAIT).await;
        let why = log::why_stopped(self.exit_status(), &self.folder.join(LOG));
        format!("{how}; {why}")
    }

    /// Waits until its first process is gone, or for this time.
    async fn await_end(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline && self.is_running() {
            tokio::time::sleep(POLL).await;
        }
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
        let deadline = Instant::now() + LEAVE_WAIT;
        while self.leaves_tables() && Instant::now() < deadline && self.is_running() {
            std::thread::sleep(POLL);
        }
        if let Err(error) = self.process.end_group_blocking(&[]) {
            tracing::warn!("{error}");
        }
        self.exit_status();
        // It is there if the process was killed while Spark's Java was starting.
        if let Err(error) = remove_secrets(&self.folder) {
            tracing::warn!("{error}");
        }
    }
}

/// Removes the file with a secret from the folder of a Spark, if it is there.
///
/// # Errors
/// Fails with `Io`.
pub(super) fn remove_secrets(folder: &Path) -> Result<()> {
    let file = folder.join(SECRETS);
    match fs::remove_file(&file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", &file)(error)),
        _ => Ok(()),
    }
}
