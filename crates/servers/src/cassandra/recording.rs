//! Recordings of the methods that a server runs, by the Flight Recorder of its own Java.
//!
//! The recorder looks every 20 ms which methods of at most five running threads are under way. Code of libraries, of the
//! system and of the collector is not Java, and in no recording.

pub(super) mod stacks;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use futures::future::join_all;
use tokio::process::Command;

use super::folder::utf8;
use super::java::find_java;
use super::nodes::Nodes;
use super::nodetool::complaint;
use super::server::Server;
use crate::environment::keep_needed;
use crate::error::{Error, Result};

/// The program that makes a running Java do something.
const JCMD: &str = "jcmd";
/// The program that prints recordings.
const JFR: &str = "jfr";
/// Keeps these programs small: each of them is a Java of its own.
const SMALL: [&str; 2] = ["-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1"];
/// The name of the recording in the server.
const NAME: &str = "name=bakeoff";
/// Settings that are shipped with Java for recording all the time.
const SETTINGS: &str = "settings=default";
/// What the server says when it has begun to record.
const STARTED: &str = "Started recording";
/// The event with the methods of a running thread.
const SAMPLE: &str = "jdk.ExecutionSample";
/// Most methods of a stack that are read, which is what a recording keeps of it.
const DEPTH: &str = "64";
/// File of a recording in the server's folder of logs, until it has been read.
const FILE: &str = "methods.jfr";
const CALL_LIMIT: Duration = Duration::from_secs(120);
const READ_LIMIT: Duration = Duration::from_secs(600);

/// Number of samples of each stack: its methods from the outermost one to the one that ran, with semicolons between
/// them.
pub type StackSamples = BTreeMap<String, u64>;

/// The programs of a Java that record.
struct Programs {
    jcmd: PathBuf,
    jfr: PathBuf,
}

impl Programs {
    /// Finds them next to the program `java`.
    fn of(java: &Path) -> Result<Programs> {
        let program = java.canonicalize().map_err(Error::io("find", java))?;
        let beside = |name: &'static str| {
            let found = program.with_file_name(name);
            if found.is_file() {
                return Ok(found);
            }
            Err(Error::NoRecorder {
                java: program.clone(),
                missing: name,
            })
        };
        Ok(Programs {
            jcmd: beside(JCMD)?,
            jfr: beside(JFR)?,
        })
    }
}

/// Checks that the Java which runs Cassandra has what recording needs.
///
/// # Errors
/// Fails with `NoJava` without a Java, `NoRecorder` for one without these programs.
pub async fn check_recorder() -> Result<()> {
    Programs::of(&find_java().await?.program).map(drop)
}

impl Server {
    /// Begins to record which methods it runs. The two calls start a JVM each, and so take some seconds.
    ///
    /// # Errors
    /// Fails with `NoRecorder`, or with `Recording` if the server does not begin.
    pub async fn begin_recording(&self) -> Result<()> {
        // By default what is recorded is in the system's folder for temporary files, where a server that is killed
        // leaves it, and which may be in memory. Recording works there as well, if the server does not obey.
        let parts = argument("repositorypath", &utf8(&self.folder.logs())?);
        self.jcmd(&["JFR.configure", &parts]).await.ok();
        let answer = self.jcmd(&["JFR.start", NAME, SETTINGS]).await?;
        if answer.contains(STARTED) {
            return Ok(());
        }
        Err(Error::Recording {
            command: format!("{JCMD} JFR.start"),
            message: answer,
        })
    }

    /// Ends a recording, and returns the samples of each stack.
    ///
    /// # Errors
    /// Fails with `Recording` if there is none, or if it cannot be read.
    pub async fn end_recording(&self) -> Result<StackSamples> {
        let file = self.folder.logs().join(FILE);
        let filename = argument("filename", &utf8(&file)?);
        let samples = match self.jcmd(&["JFR.stop", NAME, &filename]).await {
            Ok(_) => self.read_recording(&file).await,
            Err(error) => Err(error),
        };
        // There is none if the server did not write it.
        fs::remove_file(&file).ok();
        samples
    }

    /// Makes the server do something, and returns what it answers.
    async fn jcmd(&self, arguments: &[&str]) -> Result<String> {
        let program = Programs::of(&self.details.java)?.jcmd;
        let failed = |message: String| Error::Recording {
            command: format!("{JCMD} {}", arguments.join(" ")),
            message,
        };
        let mut command = self.program_of_java(&program);
        command.arg(self.pid().to_string()).args(arguments);
        let Ok(output) = tokio::time::timeout(CALL_LIMIT, command.output()).await else {
            return Err(failed(not_ended(CALL_LIMIT)));
        };
        let output = output.map_err(Error::io("run", &program))?;
        if !output.status.success() {
            return Err(failed(complaint(&output)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    async fn read_recording(&self, file: &Path) -> Result<StackSamples> {
        let program = Programs::of(&self.details.java)?.jfr;
        let failed = |message: String| Error::Recording {
            command: format!("{JFR} print --events {SAMPLE}"),
            message,
        };
        let mut command = self.program_of_java(&program);
        command
            .args(["print", "--events", SAMPLE, "--stack-depth", DEPTH])
            .arg(file)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().map_err(Error::io("run", &program))?;
        let Some(output) = child.stdout.take() else {
            return Err(failed("it has no output".to_owned()));
        };
        let reading = async {
            let samples = stacks::read(output).await?;
            Ok::<_, std::io::Error>((samples, child.wait().await?))
        };
        let Ok(read) = tokio::time::timeout(READ_LIMIT, reading).await else {
            return Err(failed(not_ended(READ_LIMIT)));
        };
        let (samples, status) = read.map_err(Error::io("read the output of", &program))?;
        if !status.success() {
            return Err(failed(status.to_string()));
        }
        Ok(samples)
    }

    /// Returns the command that runs a program of the server's Java as the server's own user, since a Java obeys no
    /// other one.
    fn program_of_java(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        keep_needed(command.as_std_mut());
        if let Some(account) = self.details.runs_as.account() {
            command.uid(account.uid).gid(account.gid);
        }
        command
            .args(SMALL)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }
}

impl Nodes {
    /// Begins to record which methods each node runs; see [`Server::begin_recording`].
    ///
    /// # Errors
    /// Fails with the error of the first node that does not begin; then none of them records.
    pub async fn begin_recording(&self) -> Result<()> {
        let begun = join_all(self.servers().iter().map(|node| node.begin_recording())).await;
        let failed = begun.into_iter().find_map(Result::err);
        let Some(error) = failed else {
            return Ok(());
        };
        // Nodes that did begin would refuse to begin another time.
        join_all(self.servers().iter().map(|node| node.end_recording())).await;
        Err(error)
    }

    /// Ends the recordings of all nodes, and returns the samples of each stack, all nodes together.
    ///
    /// # Errors
    /// Fails with the error of the first node whose recording cannot be read.
    pub async fn end_recording(&self) -> Result<StackSamples> {
        // All of them end, whatever one says: a node that still records would refuse to begin another time.
        let ended = join_all(self.servers().iter().map(|node| node.end_recording())).await;
        let mut all = StackSamples::new();
        for node in ended {
            for (stack, samples) in node? {
                *all.entry(stack).or_default() += samples;
            }
        }
        Ok(all)
    }
}

/// Writes a path as an argument of a command of `jcmd`.
fn argument(name: &str, path: &str) -> String {
    if path.contains(char::is_whitespace) {
        format!("{name}=\"{path}\"")
    } else {
        format!("{name}={path}")
    }
}

fn not_ended(limit: Duration) -> String {
    format!("it did not end within {} s", limit.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_blanks_are_quoted() {
        assert_eq!(argument("filename", "/a/b.jfr"), "filename=/a/b.jfr");
        assert_eq!(argument("filename", "/a b/c"), "filename=\"/a b/c\"");
    }

    #[test]
    fn a_java_without_the_programs_is_refused_with_what_to_install() {
        let folder = tempfile::tempdir().unwrap();
        let java = folder.path().join("java");
        fs::write(&java, "").unwrap();
        let missing = |name: &str| {
            let error = Programs::of(&java).map(drop).unwrap_err().to_string();
            assert!(error.contains(&format!("`{name}`")), "{error}");
            assert!(error.contains("--profile"), "{error}");
        };
        missing(JCMD);
        fs::write(folder.path().join(JCMD), "").unwrap();
        missing(JFR);
        fs::write(folder.path().join(JFR), "").unwrap();
        assert!(Programs::of(&java).is_ok());
        // A link leads to the folder that has them.
        let elsewhere = tempfile::tempdir().unwrap();
        let link = elsewhere.path().join("java");
        std::os::unix::fs::symlink(&java, &link).unwrap();
        assert!(Programs::of(&link).is_ok());
    }
}
