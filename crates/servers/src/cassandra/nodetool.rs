//! Calls of `nodetool` on a running server.

use std::ffi::OsStr;
use std::process::{Output, Stdio};
use std::time::Duration;

use tokio::process::Command;

use super::credentials::USER;
use super::flags;
use super::server::Server;
use crate::environment::keep_needed;
use crate::error::{Error, Result};
use crate::host_command::HOST_PLACEHOLDER;

const CLASS: &str = "org.apache.cassandra.tools.NodeTool";
/// Where JMX listens.
const HOST: &str = "127.0.0.1";
const LIMIT_SECONDS: u64 = 600;
/// What nodetool says of a server that answers CQL and has not finished starting.
const NOT_YET: &str = "Server is not initialized yet";
/// The time before a call that was refused for that reason is made again.
const RETRY: Duration = Duration::from_millis(500);
pub(super) const ERROR_LINES: usize = 5;

impl Server {
    /// Returns the output of `nodetool` for these arguments; a call starts a JVM and so takes about
    /// a second.
    ///
    /// # Errors
    /// Fails with `Nodetool` with its complaint, or with the reason when the server has ended;
    /// `NodetoolLimit` after 600 s.
    pub async fn nodetool(&self, arguments: &[&str]) -> Result<String> {
        self.nodetool_within(arguments, LIMIT_SECONDS).await
    }

    /// Calls [`Server::nodetool`] with another limit in seconds, for long operations such as the
    /// compaction of a large table.
    ///
    /// # Errors
    /// The errors of [`Server::nodetool`].
    pub async fn nodetool_within(&self, arguments: &[&str], limit_seconds: u64) -> Result<String> {
        let command = arguments.join(" ");
        let run = self.nodetool_output(arguments);
        let Ok(output) = tokio::time::timeout(Duration::from_secs(limit_seconds), run).await else {
            return Err(Error::NodetoolLimit {
                command,
                limit_seconds,
            });
        };
        let output = output?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let message = if self.is_running() {
            complaint(&output)
        } else {
            format!("Cassandra has ended: {}", self.why_stopped())
        };
        Err(Error::Nodetool { command, message })
    }

    /// Runs nodetool, and again while the server refuses it because it has only just started to answer CQL.
    async fn nodetool_output(&self, arguments: &[&str]) -> Result<Output> {
        loop {
            let run = self.nodetool_command(arguments)?.output();
            let output = run.await.map_err(Error::io("run", &self.details.java))?;
            let is_early = String::from_utf8_lossy(&output.stderr).contains(NOT_YET);
            if output.status.success() || !is_early || !self.is_running() {
                return Ok(output);
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    /// Returns the command line by which nodetool reaches this server, as users of a cluster name theirs: with
    /// [`HOST_PLACEHOLDER`] in place of the address, and without a password.
    ///
    /// # Errors
    /// Fails with `Refused` if a path of the server cannot be part of a command line.
    pub fn nodetool_line(&self) -> Result<String> {
        let command = self.nodetool_command(&[])?;
        let command = command.as_std();
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Option<Vec<&str>> = words.map(OsStr::to_str).collect();
        let refused =
            || Error::Refused("the server's paths are no part of a command line".to_owned());
        let words = words.ok_or_else(refused)?.into_iter();
        let words = words.map(|word| if word == HOST { HOST_PLACEHOLDER } else { word });
        shlex::try_join(words).map_err(|_| refused())
    }

    fn nodetool_command(&self, arguments: &[&str]) -> Result<Command> {
        let mut command = self.tool(CLASS)?;
        command
            .args(["-h", HOST, "-p", &self.jmx_port().to_string()])
            .args(["-u", USER, "-pwf"])
            .arg(self.folder.jmx_password_file())
            .args(arguments);
        Ok(command)
    }

    /// Returns the command that runs a tool of Cassandra, without the tool's arguments.
    pub(super) fn tool(&self, class: &str) -> Result<Command> {
        let mut command = Command::new(&self.details.java);
        keep_needed(command.as_std_mut());
        // Never with more rights than the server, whose answers and files it reads.
        if let Some(account) = self.details.runs_as.account() {
            command.uid(account.uid).gid(account.gid);
        }
        command
            .arg(flags::argument_file(&self.folder)?)
            .args(flags::tool(&self.folder, &self.details.tuning)?)
            .arg(class)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .kill_on_drop(true);
        Ok(command)
    }
}

/// Returns what went wrong according to nodetool, without its stack trace.
pub(super) fn complaint(output: &Output) -> String {
    let bytes = [output.stderr.as_slice(), output.stdout.as_slice()].concat();
    let printed = String::from_utf8_lossy(&bytes);
    let lines: Vec<_> = printed
        .lines()
        .map(str::trim)
        .take_while(|line| *line != "-- StackTrace --")
        .filter(|line| !line.is_empty() && !line.starts_with("WARNING: "))
        .take(ERROR_LINES)
        .collect();
    if lines.is_empty() {
        output.status.to_string()
    } else {
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn said(stderr: &str) -> String {
        let status = ExitStatus::from_raw(2 << 8);
        complaint(&Output {
            status,
            stdout: Vec::new(),
            stderr: stderr.into(),
        })
    }

    #[test]
    fn a_complaint_has_no_stack_trace_and_is_never_empty() {
        let printed = "WARNING: old\nerror: Keyspace [x] does not exist.\n-- StackTrace --\n\tat y";
        assert_eq!(said(printed), "error: Keyspace [x] does not exist.");
        assert_eq!(said("\n"), "exit status: 2");
    }
}
