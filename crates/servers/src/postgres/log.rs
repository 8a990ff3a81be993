//! Lines of a server's log that explain why it ended.

use std::path::Path;
use std::process::ExitStatus;

use crate::log::{FULL_DISK, LINES, how_ended, tail};

/// Beginning of what a server says when it has started; a standby accepts read-only connections.
const STARTED: &str = "database system is ready to accept";
/// Marks of lines about the end of the server, rather than about a statement.
const ENDS: [&str; 3] = ["FATAL:", "PANIC:", "terminated by signal"];

/// Describes the end of the server in one sentence, followed by the last relevant lines of its log.
pub(crate) fn why_stopped(status: Option<ExitStatus>, log: &Path) -> String {
    let text = tail(log);
    let mut reason = how_ended(status);
    if text.contains(FULL_DISK) {
        reason.push_str(&format!("; the disk of {} is full", log.display()));
    }
    for line in last_lines(&text) {
        reason.push_str("\n  ");
        reason.push_str(line);
    }
    reason
}

/// Returns the last lines about the end of a server that had started, or otherwise the last lines
/// of any kind.
pub(super) fn last_lines(text: &str) -> Vec<&str> {
    let started = text.contains(STARTED);
    let matters = |line: &&str| !started || ENDS.iter().any(|mark| line.contains(mark));
    let mut lines: Vec<_> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .filter(matters)
        .collect();
    lines.split_off(lines.len().saturating_sub(LINES))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("postgresql.log");
        std::fs::write(&log, text).unwrap();
        why_stopped(None, &log)
    }

    #[test]
    fn a_server_that_did_not_start_says_it_in_its_last_words() {
        let said = reason("LOG:  unrecognized parameter \"x\"\n\nFATAL:  the file has errors\n");
        assert!(
            said.ends_with("\n  LOG:  unrecognized parameter \"x\"\n  FATAL:  the file has errors"),
            "{said}"
        );
    }

    #[test]
    fn errors_of_statements_are_no_reason_for_an_end() {
        let said = reason(&format!(
            "LOG:  {STARTED}\nERROR:  no such table\nPANIC:  could not write: {FULL_DISK}\n"
        ));
        assert!(!said.contains("no such table"), "{said}");
        assert!(said.contains("PANIC:  could not write"), "{said}");
        assert!(said.contains("is full"), "{said}");
    }
}
