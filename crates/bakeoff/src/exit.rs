//! Defines the exit codes, and the errors that choose them.

use std::fmt;
use std::process::ExitCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Everything that was asked for was done.
    Complete,
    /// Nothing was measured, answered or changed; or a run is slower than another by more than the
    /// limit; or a comparison of answers misses too many wrong ones.
    Failed,
    /// The command line, or something it names, is invalid: a workload, a design, a URL, a price
    /// list, a table or SQL. The code is clap's.
    Misused,
    /// Some designs, or questions beside a load, failed or answered wrongly while others were measured; or it
    /// is undecided whether a run is slower than another; or a table is damaged; or a node does not answer; or
    /// a diagnosis found something to do now; or something that commands have left could not be dropped.
    Partial,
    /// A run is certain to be worse than another one in what `compare --fail-if` says.
    Worse,
    /// What `compare --fail-if` says cannot be compared.
    NotComparable,
    /// Ctrl-C or SIGTERM ended the command; its results so far are kept.
    Interrupted,
}

/// Exit code of [`Exit::Interrupted`].
pub const INTERRUPTED: i32 = 130;

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Complete => 0,
            Exit::Failed => 1,
            Exit::Misused => 2,
            Exit::Partial => 3,
            Exit::Worse => 4,
            Exit::NotComparable => 5,
            Exit::Interrupted => INTERRUPTED as u8,
        })
    }
}

/// A mistake on the command line, or in something that it names.
#[derive(Debug)]
pub struct Misuse(String);

impl Misuse {
    pub fn new(error: anyhow::Error) -> Self {
        Misuse(explain(&error))
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misuse {}

/// Returns whether an error only says that the reader of the output has ended, as `head` does.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

/// Describes an error with its causes.
pub fn explain(error: &anyhow::Error) -> String {
    bakeoff_driver::explain(error.as_ref())
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn a_cause_is_shown_once() {
        let error = anyhow!("no room").context("cannot write x: no room; make room");
        assert_eq!(explain(&error), "cannot write x: no room; make room");
        let error = Err::<(), _>(anyhow!("no room"))
            .context("cannot write x")
            .unwrap_err();
        assert_eq!(explain(&error), "cannot write x: no room");
    }
}
