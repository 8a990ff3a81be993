//! Starting Spark's process.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::exchange::{ENDED, Exchange, Failure};
use super::log::{self, LOG};
use super::options::SparkOptions;
use super::process::Spark;
use super::python::{SparkPython, find_python};
use super::reply::Versions;
use crate::cassandra::{Java, find_java};
use crate::engine::Engine;
use crate::environment::keep_needed;
use crate::error::{Error, Result};
use crate::files::{create_folder, recreate};
use crate::machine::{check_free_disk, existing, memory_mib};
use crate::process::ProcessId;

/// The program that starts Spark and asks it.
const DRIVER: &str = include_str!("driver.py");
const DRIVER_FILE: &str = "driver.py";
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
/// The share of the heap that the rows of one answer may take, as a divisor, before it fails by itself.
const ANSWER_SHARE: u64 = 4;

impl Spark {
    /// Starts Spark and waits until it can be asked.
    ///
    /// # Errors
    /// Fails with `NoSpark`, `NoSparkJava`; `Refused` for a full disk or too little memory; `Io` for a folder that cannot be
    /// written; `Died` with the last lines of the log; `NotAnswering` after 180 s.
    pub async fn start(options: SparkOptions) -> Result<Spark> {
        let needs = Needs::find(&options).await?;
        let folder = std::path::absolute(&options.dir).map_err(Error::io("find", &options.dir))?;
        write_files(&folder)?;
        let configuration = configuration(&options, &needs, &folder);
        let began = Instant::now();
        let (mut child, process) = spawn(&folder, &needs)?;
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
                java: needs.java.version,
            },
            settings: configuration.clone(),
            start_seconds: 0.0,
        };
        let as_object: Map<String, Value> = configuration
            .into_iter()
            .map(|(name, value)| (name, Value::String(value)))
            .collect();
        // Where this fails, so does the answer to it.
        spark.exchange.configure(&Value::Object(as_object)).ok();
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

    /// Finds what [`Spark::start`] would refuse, as far as it can be known without creating or starting anything.
    ///
    /// # Errors
    /// Fails with `NoSpark`, `NoSparkJava`; `Refused` for a full disk or too little memory.
    pub async fn check(options: &SparkOptions) -> Result<()> {
        Needs::find(options).await?;
        check_free_disk(existing(&options.dir), Engine::Spark)
    }
}

/// What a start needs of this machine.
struct Needs {
    python: SparkPython,
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
            },
        };
        Ok(Needs {
            python,
            java: find_java_for_spark().await?,
            heap_mib: default_heap_mib()?,
        })
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
    let file = folder.join(DRIVER_FILE);
    fs::write(&file, DRIVER).map_err(Error::io("write", &file))
}

/// Returns the configuration of Spark, which reports show.
fn configuration(options: &SparkOptions, needs: &Needs, folder: &Path) -> Vec<(String, String)> {
    let temporary = folder.join(TEMPORARY).display().to_string();
    let heap_mib = needs.heap_mib;
    let threads = options.threads;
    let configuration = [
        ("spark.app.name", "bakeoff".to_owned()),
        ("spark.master", format!("local[{threads}]")),
        ("spark.driver.memory", format!("{heap_mib}m")),
        (
            "spark.driver.maxResultSize",
            format!("{}m", heap_mib / ANSWER_SHARE),
        ),
        // By default it makes 200 parts of whatever is grouped or joined.
        ("spark.sql.shuffle.partitions", threads.to_string()),
        // SQL as in other engines: an overflow is an error, and times have no zone.
        ("spark.sql.ansi.enabled", "true".to_owned()),
        ("spark.sql.session.timeZone", "UTC".to_owned()),
        ("spark.sql.timestampType", "TIMESTAMP_NTZ".to_owned()),
        // A question reads the table of its workload, and no file or variable that it names.
        ("spark.sql.runSQLOnFiles", "false".to_owned()),
        ("spark.sql.variable.substitute", "false".to_owned()),
        // It skips batches of a cached table by their highest values, in which NaN does not count.
        (
            "spark.sql.inMemoryColumnarStorage.partitionPruning",
            "false".to_owned(),
        ),
        // Nothing of it is reached from elsewhere, or by other users of this machine.
        ("spark.driver.host", "127.0.0.1".to_owned()),
        ("spark.driver.bindAddress", "127.0.0.1".to_owned()),
        ("spark.authenticate", "true".to_owned()),
        ("spark.ui.enabled", "false".to_owned()),
        ("spark.ui.showConsoleProgress", "false".to_owned()),
        // Within its working folder, whose name Spark would divide at commas.
        ("spark.local.dir", TEMPORARY.to_owned()),
        ("spark.sql.warehouse.dir", "warehouse".to_owned()),
        (
            "spark.driver.extraJavaOptions",
            format!(
                "-XX:-UsePerfData \"-Djava.io.tmpdir={}\"",
                temporary.replace('\\', "\\\\").replace('"', "\\\"")
            ),
        ),
    ];
    configuration
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
}

fn spawn(folder: &Path, needs: &Needs) -> Result<(Child, ProcessId)> {
    let log = folder.join(LOG);
    let mut command = Command::new(&needs.python.program);
    keep_needed(&mut command);
    command
        .arg(folder.join(DRIVER_FILE))
        .env("JAVA_HOME", java_home(&needs.java))
        .env("SPARK_LOCAL_IP", "127.0.0.1")
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
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_heap_is_a_quarter_of_the_memory_within_limits() {
        assert_eq!(heap_of(64 << 10).unwrap(), 4096);
        assert_eq!(heap_of(8 << 10).unwrap(), 2048);
        let error = heap_of(2 << 10).unwrap_err().to_string();
        assert!(error.contains("has 2048 MiB"), "{error}");
    }

    #[test]
    fn a_java_is_named_by_its_folder() {
        let java = |program: &str| Java {
            program: program.into(),
            version: "17".to_owned(),
            release: 17,
        };
        assert_eq!(java_home(&java("/opt/jdk/bin/java")), Path::new("/opt/jdk"));
        assert_eq!(java_home(&java("/usr/bin/java")), Path::new("/usr"));
    }

    /// Starts a process in the place of Python, if there is a Java.
    async fn started(does: &str) -> Option<(tempfile::TempDir, Result<Spark>)> {
        if let Err(reason) = find_java_for_spark().await {
            bakeoff_testing::skipped(reason);
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("python3");
        fs::write(&program, format!("#!/bin/sh\n{does}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let options = SparkOptions {
            python: Some(program),
            ..SparkOptions::new(folder.path().join("spark"), 1)
        };
        let spark = Spark::start(options).await;
        Some((folder, spark))
    }

    #[tokio::test]
    async fn a_start_that_fails_says_why() {
        for (does, why) in [
            (
                "echo 'ImportError: no such thing' >&2; exit 3",
                "ImportError: no such thing",
            ),
            (
                "read line; echo '{\"id\": 0, \"error\": \"no room\"}'; cat",
                "no room",
            ),
            ("read line; kill -9 $$", "SIGKILL"),
        ] {
            let Some((_folder, spark)) = started(does).await else {
                return;
            };
            let error = spark.err().unwrap().to_string();
            assert!(
                error.starts_with("Spark ended while it was starting"),
                "{error}"
            );
            assert!(error.contains(why), "{error}");
        }
    }

    #[tokio::test]
    async fn a_process_that_was_dropped_is_gone_with_what_it_started() {
        let does = "read line; sleep 600 & echo '{\"id\": 0, \"bytes\": 0}'; trap '' TERM; while :; do sleep 1; done";
        let Some((_folder, spark)) = started(does).await else {
            return;
        };
        let spark = spark.unwrap();
        let process = spark.process;
        assert!(spark.is_running());
        assert!(spark.cpu_seconds().unwrap() >= 0.0);
        assert_eq!(spark.dead(), None);
        drop(spark);
        assert!(!process.is_alive());
    }

    #[tokio::test]
    async fn a_process_that_is_killed_is_dead_and_says_so() {
        let does = "read line; echo '{\"id\": 0, \"bytes\": 0}'; read line; kill -9 $$";
        let Some((_folder, spark)) = started(does).await else {
            return;
        };
        let spark = spark.unwrap();
        let answer = spark.query("a", "SELECT 1").await;
        let error = answer.err().unwrap().to_string();
        assert!(error.contains("SIGKILL"), "{error}");
        assert!(spark.dead().unwrap().contains("SIGKILL"));
    }
}
