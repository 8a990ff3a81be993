//! Starting Spark's process.

use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::cluster::{Access, SparkCluster};
use super::configuration::{DriverPlace, configuration};
use super::exchange::{ENDED, Exchange, Failure};
use super::log::{self, LOG};
use super::options::SparkOptions;
use super::pinned::pinned;
use super::process::{Spark, remove_secrets};
use super::python::{SparkPython, find_python};
use super::reach::reach;
use super::reply::Versions;
use crate::cassandra::{Java, find_java};
use crate::engine::Engine;
use crate::environment::keep_needed;
use crate::error::{Error, Result};
use crate::files::{create_folder, recreate};
use crate::machine::{check_free_disk, existing, memory_mib};
use crate::process::ProcessId;

/// The program that starts Spark, or reaches one elsewhere, and asks it.
const DRIVER_FILE: &str = "driver.py";
/// Its files.
const FILES: [(&str, &str); 4] = [
    (DRIVER_FILE, include_str!("driver.py")),
    ("asking.py", include_str!("asking.py")),
    ("classic.py", include_str!("classic.py")),
    ("connect.py", include_str!("connect.py")),
];
/// The folder of everything that Spark writes for itself: what it spills, and libraries that it unpacks.
const TEMPORARY: &str = "tmp";
/// The longest time of a start, which takes seconds on an idle machine.
const START_LIMIT: Duration = Duration::from_secs(180);
/// The largest heap, in MiB.
const MOST_HEAP_MIB: u64 = 4096;
/// The smallest heap with which Spark starts and answers, in MiB.
const LEAST_HEAP_MIB: u64 = 1024;
/// The share of the memory that the heap may take, as a divisor: other engines and the page cache need theirs.
const HEAP_SHARE: u64 = 4;

impl Spark {
    /// Starts Spark, or reaches the one elsewhere that the options name, and waits until it can be asked.
    ///
    /// # Errors
    /// Fails with `NoSpark`, `NoSparkJava`; `Refused` for a full disk or too little memory, for a Spark elsewhere that
    /// cannot be reached or is of another release; `Io` for a folder that cannot be written; `Died` with the last lines
    /// of the log; `NotAnswering` after 180 s.
    pub async fn start(options: SparkOptions) -> Result<Spark> {
        let needs = Needs::find(&options).await?;
        let address = own_address(&options).await?;
        let folder = std::path::absolute(&options.dir).map_err(Error::io("find", &options.dir))?;
        write_files(&folder)?;
        let temporary = folder.join(TEMPORARY);
        let driver = needs.of_driver.as_ref().map(|needs| DriverPlace {
            heap_mib: needs.heap_mib,
            temporary: &temporary,
            address,
        });
        let settings = configuration(&options, driver.as_ref());
        let began = Instant::now();
        let (mut child, process) = spawn(&folder, &needs, address)?;
        let (Some(input), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(died(log::why_stopped(child.wait().ok(), &folder.join(LOG))));
        };
        let (exchange, started) = Exchange::new(input, answers);
        // From here on the process ends when this is dropped.
        let mut spark = Spark {
            folder,
            process,
            child: Mutex::new(child),
            exchange,
            versions: Versions {
                spark: needs.python.version,
                java: needs.of_driver.map(|needs| needs.java.version),
                ..Versions::default()
            },
            settings,
            start_seconds: 0.0,
            cluster: options.cluster,
        };
        // Where this fails, so does the answer to it.
        spark.exchange.configure(&spark.first_line()).ok();
        let Ok(started) = tokio::time::timeout(START_LIMIT, started).await else {
            return Err(Error::NotAnswering {
                engine: Engine::Spark,
                limit_seconds: START_LIMIT.as_secs(),
                log: spark.folder.join(LOG),
            });
        };
        match started {
            Ok(Ok(answer)) => {
                if let Some(versions) = answer.versions {
                    spark.versions = versions;
                }
                spark.check_release()?;
                spark.start_seconds = began.elapsed().as_secs_f64();
                Ok(spark)
            }
            Ok(Err(Failure::Refused(reason))) => {
                let log = spark.folder.join(LOG);
                Err(died(format!("{reason}; more is in {}", log.display())))
            }
            Ok(Err(Failure::Ended(how))) => Err(died(spark.why_ended(&how).await)),
            Err(_) => Err(died(spark.why_ended(ENDED).await)),
        }
    }

    /// Finds what [`Spark::start`] would refuse, as far as it can be known without creating or starting anything. A
    /// Spark elsewhere is connected to.
    ///
    /// # Errors
    /// Fails with `NoSpark`, `NoSparkJava`; `Refused` for a full disk or too little memory, or for a Spark elsewhere
    /// that cannot be reached.
    pub async fn check(options: &SparkOptions) -> Result<()> {
        Needs::find(options).await?;
        own_address(options).await?;
        check_free_disk(existing(&options.dir), Engine::Spark)
    }

    /// Returns the first request, which says which Spark is asked. It has the secrets, which go nowhere else.
    fn first_line(&self) -> Value {
        let settings = self.settings.iter();
        let settings: Map<String, Value> = settings
            .map(|(name, value)| (name.clone(), Value::String(value.clone())))
            .collect();
        let cluster = self.cluster.as_ref();
        json!({
            "spark": settings,
            "address": cluster.map(SparkCluster::to_string),
            "remote": cluster.and_then(SparkCluster::remote),
            "secret": cluster.and_then(SparkCluster::secret),
        })
    }

    /// Checks that a Spark elsewhere is of the release whose SQL questions are checked and written for.
    fn check_release(&self) -> Result<()> {
        let Some(cluster) = &self.cluster else {
            return Ok(());
        };
        let pinned = pinned()?;
        let mut versions = self.versions.spark.split(", ");
        if versions.all(|version| version.starts_with(pinned.release())) {
            return Ok(());
        }
        Err(Error::Refused(format!(
            "the Spark at {cluster} is {}, and Bakeoff checks and writes SQL for {} only: name a cluster of that \
             release, or leave the designs of spark out with --designs",
            self.versions.spark,
            pinned.release().trim_end_matches('.')
        )))
    }
}

/// What a start needs of this machine.
struct Needs {
    python: SparkPython,
    /// What Spark's driver needs, if it is on this machine.
    of_driver: Option<DriverNeeds>,
}

struct DriverNeeds {
    java: Java,
    heap_mib: u64,
}

impl Needs {
    async fn find(options: &SparkOptions) -> Result<Needs> {
        let python = match &options.python {
            None => find_python()?,
            Some(program) => SparkPython {
                program: program.clone(),
                version: "of an unknown version".to_owned(),
                lacks: Vec::new(),
            },
        };
        let access = options.cluster.as_ref().map(SparkCluster::access);
        if access == Some(Access::Connect) {
            python.check_connect()?;
            return Ok(Needs {
                python,
                of_driver: None,
            });
        }
        let of_driver = DriverNeeds {
            java: find_java_for_spark().await?,
            heap_mib: default_heap_mib()?,
        };
        Ok(Needs {
            python,
            of_driver: Some(of_driver),
        })
    }
}

/// Returns the address of this machine at which executors reach a driver.
///
/// # Errors
/// Fails with `Refused` for a Spark elsewhere that cannot be reached.
async fn own_address(options: &SparkOptions) -> Result<IpAddr> {
    match &options.cluster {
        Some(cluster) => reach(cluster).await,
        None => Ok(Ipv4Addr::LOCALHOST.into()),
    }
}

/// Finds a Java that Spark runs on, which are those that Cassandra runs on: 11 and 17.
///
/// # Errors
/// Fails with `NoSparkJava`, with what was found instead.
pub(crate) async fn find_java_for_spark() -> Result<Java> {
    find_java().await.map_err(|error| match error {
        Error::NoJava { found, install } => Error::NoSparkJava { found, install },
        other => other,
    })
}

/// Returns the heap in MiB: a quarter of the memory, but no more than 4 GiB.
///
/// # Errors
/// Fails with `Refused` when that is too little.
pub(crate) fn default_heap_mib() -> Result<u64> {
    heap_of(memory_mib()?)
}

fn heap_of(memory_mib: u64) -> Result<u64> {
    let heap_mib = (memory_mib / HEAP_SHARE).min(MOST_HEAP_MIB);
    if heap_mib < LEAST_HEAP_MIB {
        return Err(Error::Refused(format!(
            "Spark needs a heap of {LEAST_HEAP_MIB} MiB and may take a quarter of the memory, and this machine \
             has {memory_mib} MiB: leave the designs of spark out with --designs"
        )));
    }
    Ok(heap_mib)
}

fn write_files(folder: &Path) -> Result<()> {
    create_folder(&folder.join(TEMPORARY))?;
    check_free_disk(folder, Engine::Spark)?;
    // That of a run whose processes were all killed.
    remove_secrets(folder)?;
    for (name, text) in FILES {
        let file = folder.join(name);
        fs::write(&file, text).map_err(Error::io("write", &file))?;
    }
    Ok(())
}

fn spawn(folder: &Path, needs: &Needs, address: IpAddr) -> Result<(Child, ProcessId)> {
    let log = folder.join(LOG);
    let mut command = Command::new(&needs.python.program);
    keep_needed(&mut command);
    if let Some(needs) = &needs.of_driver {
        command.env("JAVA_HOME", java_home(&needs.java));
    }
    command
        .arg(folder.join(DRIVER_FILE))
        .env("SPARK_LOCAL_IP", address.to_string())
        // Otherwise Java cannot open files whose names are not ASCII.
        .env("LC_ALL", "C.UTF-8")
        .env("TMPDIR", folder.join(TEMPORARY))
        .current_dir(folder)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(recreate(&log, 0o600)?);
    let mut child = command
        .spawn()
        .map_err(Error::io("run", &needs.python.program))?;
    match ProcessId::from_pid(child.id()) {
        Ok(process) => Ok((child, process)),
        Err(_) => Err(died(log::why_stopped(child.wait().ok(), &log))),
    }
}

/// Returns the folder of a Java by that of its program, `bin/java`.
fn java_home(java: &Java) -> PathBuf {
    let bin = java.program.parent();
    let home = bin.and_then(Path::parent);
    home.unwrap_or(Path::new("/usr")).to_owned()
}

fn died(reason: String) -> Error {
    Error::Died {
        engine: Engine::Spark,
        reason,
    }
}

#[cfg(test)]
mod tests;
