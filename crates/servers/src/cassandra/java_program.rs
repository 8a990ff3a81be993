//! Running a program in Java that soon ends by itself, such as a compiler.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use crate::environment::keep_needed;
use crate::error::{Error, Result};

const LIMIT: Duration = Duration::from_secs(60);

/// What became of a program in Java.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ended {
    /// Whether it ended in time and with success.
    pub(super) is_success: bool,
    /// What it printed, or that it did not end in time.
    pub(super) printed: String,
}

/// Runs a Java with its arguments until it ends, for a minute at most. It inherits only what it needs of the
/// environment.
///
/// # Errors
/// Fails with `Io` if Java cannot be run.
pub(super) async fn run(mut java: Command) -> Result<Ended> {
    keep_needed(java.as_std_mut());
    let run = java.stdin(Stdio::null()).kill_on_drop(true).output();
    let Ok(output) = tokio::time::timeout(LIMIT, run).await else {
        return Ok(Ended {
            is_success: false,
            printed: format!("it did not end within {} s", LIMIT.as_secs()),
        });
    };
    let program = java.as_std().get_program();
    let output = output.map_err(Error::io("run", Path::new(program)))?;
    let printed = [output.stdout, output.stderr].concat();
    Ok(Ended {
        is_success: output.status.success(),
        printed: String::from_utf8_lossy(&printed).trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_a_program_prints_is_kept_whether_it_fails_or_not() {
        for (code, is_success) in [(0, true), (1, false)] {
            let mut java = Command::new("sh");
            java.args(["-c", &format!("echo read; echo failed >&2; exit {code}")]);
            let ended = run(java).await.unwrap();
            let expected = Ended {
                is_success,
                printed: "read\nfailed".to_owned(),
            };
            assert_eq!(ended, expected);
        }
    }

    #[tokio::test]
    async fn a_java_that_is_not_there_is_named() {
        let error = run(Command::new("/no/such/java")).await.unwrap_err();
        assert!(error.to_string().contains("/no/such/java"), "{error}");
    }
}
