//! The errors of finding, starting, using and stopping servers.

use std::path::{Path, PathBuf};

use crate::engine::Engine;
use crate::install::by_system;
use crate::python::{WITH_ENGINES, install_from_wheels};

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why a server is not available or could not be used or stopped, with what can be done
/// about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "Java 11 or 17 is needed to start Cassandra{}: install it with {install}, or name a \
         running cluster with --cassandra HOST",
        unfit(found)
    )]
    NoJava {
        found: Vec<String>,
        /// Commands that install Java, each in backquotes.
        install: String,
    },

    #[error(
        "Maven is needed once to fetch Cassandra: install it with {}, or name a running cluster \
         with --cassandra HOST",
        by_system("maven")
    )]
    NoMaven,

    #[error(
        "Maven is needed once to fetch Cassandra {version}, which no wheel brings: install it with {}, or \
         leave out the designs of cassandra-4",
        by_system("maven")
    )]
    NoMavenForFour { version: String },

    #[error(
        "Cassandra {version} is not installed{}: install it with {} or Maven, which \
         fetches it, with {}, or name a running cluster with --cassandra HOST",
        unfit(found),
        install_from_wheels(&format!("--upgrade {WITH_ENGINES}")),
        by_system("maven")
    )]
    NoJars { version: String, found: Vec<String> },

    #[error("the jars in {} are damaged: {reason}. {remedy}", folder.display())]
    DamagedJars {
        folder: PathBuf,
        reason: String,
        remedy: String,
    },

    #[error("Maven could not fetch {what}:\n{lines}")]
    Maven {
        /// The name and the version of what was to be fetched.
        what: String,
        lines: String,
    },

    #[error(
        "PostgreSQL's server is not in {looked}{}: install it with {install}, name the folder of \
         its programs in BAKEOFF_POSTGRES_BIN, or a running server with --postgres URL",
        unfit(found)
    )]
    NoPostgres {
        looked: String,
        found: Vec<String>,
        /// Commands that install PostgreSQL, each in backquotes.
        install: String,
    },

    #[error(
        "TimescaleDB is not installed for PostgreSQL {version} ({}): install it with `bakeoff show \
         install-timescaledb | bash` on Debian or Ubuntu (it uses the package \
         postgresql-17-timescaledb where one exists), or name a running server that has \
         it with --postgres URL",
        bin_dir.display()
    )]
    NoTimescale { version: String, bin_dir: PathBuf },

    #[error(
        "pg_basebackup, which copies a server for its standbys, is not installed for PostgreSQL {version} ({}): \
         install it with {}, name the folder of programs that have it in BAKEOFF_POSTGRES_BIN, or leave \
         --postgres-standbys out",
        bin_dir.display(),
        by_system("postgresql")
    )]
    NoBasebackup { version: String, bin_dir: PathBuf },

    #[error(
        "DuckDB's library, libduckdb.so, is not installed{}: install it with `bakeoff show install-duckdb | \
         bash`, or name the file in BAKEOFF_DUCKDB_LIBRARY",
        unfit(found)
    )]
    NoDuckdb { found: Vec<String> },

    #[error(
        "Spark {version} is not installed{}: install it with `python3 -m venv spark && spark/bin/pip install \
         pyspark=={version} pyarrow`, and name its Python with `export \
         BAKEOFF_SPARK_PYTHON=$PWD/spark/bin/python`",
        unfit(found)
    )]
    NoSpark { version: String, found: Vec<String> },

    #[error(
        "Java 11 or 17 is needed to start Spark{}: install it with {install}",
        unfit(found)
    )]
    NoSparkJava {
        found: Vec<String>,
        /// Commands that install Java, each in backquotes.
        install: String,
    },

    /// What Spark says of a request, or how it ended instead.
    #[error("Spark: {0}")]
    Spark(String),

    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },

    /// The user has to change something before a server can be started.
    #[error("{0}")]
    Refused(String),

    #[error(
        "cannot bound the memory of Cassandra to {limit_mib} MiB: {reason}. Run as root, or as \
         `systemd-run --user --scope -p Delegate=yes bakeoff ...` where cgroup v2 is in use, or \
         leave the memory limit out"
    )]
    NoMemoryLimit { limit_mib: u64, reason: String },

    #[error(
        "cannot bound what Cassandra reads from the disk to {read_bytes_per_second} bytes a second: \
         {reason}. Run as root, or as `systemd-run --user --scope -p Delegate=yes bakeoff ...` where \
         cgroup v2 is in use, with the run folder on a disk, or leave the limit out"
    )]
    NoDiskLimit {
        read_bytes_per_second: u64,
        reason: String,
    },

    #[error("{engine} ended while it was starting: {reason}")]
    Died { engine: Engine, reason: String },

    #[error(
        "Cassandra ended while it was starting, with {settings}. If its log names one of these, change it \
         or leave it out: {reason}"
    )]
    DiedWithSettings {
        /// Settings that were chosen, by their names in a workload.
        settings: String,
        /// How it ended, with the log's last errors.
        reason: String,
    },

    #[error(
        "{engine} did not answer on its port within {limit_seconds} s: look for errors in its log, {}, or try \
         again when the machine has less to do",
        log.display()
    )]
    NotAnswering {
        engine: Engine,
        limit_seconds: u64,
        log: PathBuf,
    },

    #[error("`nodetool {command}` failed: {message}")]
    Nodetool { command: String, message: String },

    #[error("`nodetool {command}` did not end within {limit_seconds} s and was given up")]
    NodetoolLimit { command: String, limit_seconds: u64 },

    #[error(
        "--profile needs the programs `jcmd` and `jfr` of the Java that runs Cassandra, and there is no `{missing}` \
         next to {}: install a whole JDK with {}, or name the folder of one in JAVA_HOME, or leave --profile out",
        java.display(),
        by_system("openjdk-17-jdk-headless")
    )]
    NoRecorder {
        java: PathBuf,
        missing: &'static str,
    },

    #[error("recording the methods of Cassandra by `{command}` failed: {message}")]
    Recording { command: String, message: String },

    #[error("reading the rows of {} by Cassandra's sstabledump failed: {message}", file.display())]
    Sstabledump { file: PathBuf, message: String },

    #[error("there is no server '{id}' on record; `bakeoff engines status` lists the servers")]
    Unknown { id: String },

    #[error("the server (process {pid}) no longer runs")]
    Gone { pid: u32 },

    #[error(
        "the server (process {pid}) still runs {limit_seconds} s after it was killed: it waits for the system, \
         as for a disk that does not answer; when that is mended, `bakeoff engines stop` ends it"
    )]
    Unstoppable { pid: u32, limit_seconds: u64 },
}

impl Error {
    /// Makes an error of the operating system, from what was being done (`"write"`) and to what.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Error::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }
}

fn unfit(found: &[String]) -> String {
    if found.is_empty() {
        return String::new();
    }
    format!("; only {} was found", found.join(", "))
}
