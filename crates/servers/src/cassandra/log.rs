//! Lines of a server's logs that explain why it ended.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use crate::log::{FULL_DISK, LINES, how_ended, tail};

/// Words of a node that did not get its data from others. It goes on and never answers.
const NOT_JOINED: &str = "Some data streaming failed";

/// Returns the log of a server with that folder.
pub(crate) fn log(dir: &Path) -> PathBuf {
    dir.join("logs/system.log")
}

/// Describes the end of the server in one sentence, followed by the last relevant lines of its
/// logs.
pub(crate) fn why_stopped(status: Option<ExitStatus>, logs: &Path) -> String {
    let system = tail(&logs.join("system.log"));
    let console = tail(&logs.join("console.log"));
    let mut reason = how_ended(status);
    if [&system, &console]
        .iter()
        .any(|text| text.contains(FULL_DISK))
    {
        reason.push_str(&format!("; the disk of {} is full", logs.display()));
    }
    let mut lines = error_lines(&system);
    if lines.is_empty() {
        lines = last_lines(&console);
    }
    for line in lines {
        reason.push_str("\n  ");
        reason.push_str(line);
    }
    reason
}

/// Says why a node that runs has not joined its cluster, if it has given up.
pub(crate) fn why_not_joined(logs: &Path) -> Option<String> {
    let system = tail(&logs.join("system.log"));
    system.contains(NOT_JOINED).then(|| {
        let errors: String = error_lines(&system)
            .iter()
            .map(|line| format!("\n  {line}"))
            .collect();
        format!("the other nodes could not send it all data{errors}")
    })
}

/// Returns whether a server ended for this reason since another program listens on one of its ports:
/// each of a Cassandra's listeners has words of its own for it.
pub(crate) fn is_port_taken(reason: &str) -> bool {
    [
        "Address already in use",
        "is in use by another process",
        "Port already in use",
        "Failed to bind port",
    ]
    .iter()
    .any(|words| reason.contains(words))
}

/// Returns the last errors, each with the line of its exception.
pub(super) fn error_lines(log: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut after_error = false;
    for line in log.lines() {
        let error = line.starts_with("ERROR");
        let exception =
            after_error && line.contains("Exception:") || line.starts_with("Caused by:");
        if error || exception {
            lines.push(line);
        }
        after_error = error;
    }
    lines.split_off(lines.len().saturating_sub(LINES))
}

/// Returns the last lines of the console, without the JVM's warnings about Cassandra.
pub(super) fn last_lines(console: &str) -> Vec<&str> {
    let mut lines: Vec<_> = console
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with("WARNING: "))
        .collect();
    lines.split_off(lines.len().saturating_sub(LINES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    fn reason(status: i32, system: &str, console: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("system.log"), system).unwrap();
        std::fs::write(folder.path().join("console.log"), console).unwrap();
        why_stopped(Some(ExitStatus::from_raw(status)), folder.path())
    }

    #[test]
    fn errors_of_the_log_come_before_the_console() {
        let log =
            "INFO [main] starting\nERROR [main] fatal\njava.net.BindException: in use\n\tat x";
        let reason = reason(3 << 8, log, "Exception in main");
        assert_eq!(
            reason,
            "exit status: 3\n  ERROR [main] fatal\n  java.net.BindException: in use"
        );
    }

    #[test]
    fn the_console_speaks_when_the_log_is_silent() {
        let console = "WARNING: deprecated\nError: Could not create the Java Virtual Machine.\n";
        let reason = reason(1 << 8, "INFO fine", console);
        assert_eq!(
            reason,
            "exit status: 1\n  Error: Could not create the Java Virtual Machine."
        );
    }

    #[test]
    fn a_kill_and_a_full_disk_are_said_in_words() {
        assert!(reason(9, "", "").contains("short of memory"));
        let full = reason(
            100 << 8,
            "ERROR x\nFSWriteError: No space left on device",
            "",
        );
        assert!(full.contains("is full"), "{full}");
    }

    #[test]
    fn a_taken_port_is_known_by_the_words_of_each_listener() {
        for said in [
            "java.net.BindException: Address already in use",
            "/127.0.0.1:20001 is in use by another process.  Change listen_address:storage_port",
            "java.rmi.server.ExportException: Port already in use: 20003",
            "java.lang.IllegalStateException: Failed to bind port 20000 on 127.0.0.1.",
        ] {
            let reason = reason(
                3 << 8,
                &format!("ERROR [main] fatal\nException: {said}"),
                "",
            );
            assert!(is_port_taken(&reason), "{reason}");
        }
        assert!(!is_port_taken("exit status: 3"));
    }

    #[test]
    fn a_node_that_got_no_data_has_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let why = |system: &str| {
            std::fs::write(folder.path().join("system.log"), system).unwrap();
            why_not_joined(folder.path())
        };
        assert_eq!(why("INFO JOINING: Starting to bootstrap\nERROR x"), None);
        let log =
            "ERROR [main] Stream failed\nWARN [main] Some data streaming failed. Use nodetool";
        assert_eq!(
            why(log).unwrap(),
            "the other nodes could not send it all data\n  ERROR [main] Stream failed"
        );
    }

    #[test]
    fn missing_logs_are_no_obstacle() {
        let reason = why_stopped(None, Path::new("/nowhere"));
        assert_eq!(reason, "its exit status is not known");
    }
}
