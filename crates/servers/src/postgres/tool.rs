//! Programs of PostgreSQL that make the data of a server, and then end.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::log::LINES;

/// Runs a program to its end.
///
/// # Errors
/// Fails with `Died` with the program's complaint if it fails or takes longer than the limit, `Io` if it cannot be
/// run.
pub(crate) async fn run_to_end(command: Command, limit: Duration) -> Result<()> {
    let program = PathBuf::from(command.get_program());
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let mut command = tokio::process::Command::from(command);
    let run = command.kill_on_drop(true).output();
    let reason = match tokio::time::timeout(limit, run).await {
        Ok(Ok(output)) if output.status.success() => return Ok(()),
        Ok(Ok(output)) => complaint(&name, &output),
        Ok(Err(error)) => return Err(Error::io("run", &program)(error)),
        Err(_) => format!("{name} did not end within {} s", limit.as_secs()),
    };
    Err(Error::Died {
        engine: Engine::Postgres,
        reason,
    })
}

/// Returns the last lines that a program printed to its standard error.
fn complaint(name: &str, output: &Output) -> String {
    let printed = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = printed.lines().filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(LINES)..].join("\n  ");
    format!("{name}, {}\n  {last}", output.status)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", script]);
        shell
    }

    #[tokio::test]
    async fn what_a_program_complains_of_is_told_with_its_name() {
        let limit = Duration::from_secs(60);
        run_to_end(shell("echo 'all is well' >&2"), limit)
            .await
            .unwrap();
        let failing = shell("echo 'no room' >&2; exit 3");
        let error = run_to_end(failing, limit).await.unwrap_err().to_string();
        assert!(error.contains("sh, exit status: 3\n  no room"), "{error}");
        let endless = run_to_end(shell("exec sleep 600"), Duration::from_millis(50));
        let error = endless.await.unwrap_err().to_string();
        assert!(error.contains("sh did not end within 0 s"), "{error}");
        let nowhere = run_to_end(Command::new("/nowhere/initdb"), limit);
        let error = nowhere.await.unwrap_err().to_string();
        assert!(error.contains("cannot run /nowhere/initdb"), "{error}");
    }
}
