//! Running programs that only print something, within a time limit: one that hangs must not hang
//! what asks it.

use std::io;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// For programs that print their version or a setting of theirs.
pub(crate) const VERSION_LIMIT: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(5);

/// Runs a program that prints less than a pipe holds, 64 KiB, and returns what it printed. A program
/// that goes on after the limit is killed.
///
/// # Errors
/// `TimedOut`, or why it cannot be run.
pub(crate) fn output_within(command: &mut Command, limit: Duration) -> io::Result<Output> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if ends_within(&mut child, limit)? {
        return child.wait_with_output();
    }
    child.kill()?;
    child.wait()?;
    let text = format!("it did not end within {} s", limit.as_secs_f64());
    Err(io::Error::new(io::ErrorKind::TimedOut, text))
}

fn ends_within(child: &mut Child, limit: Duration) -> io::Result<bool> {
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() >= limit {
            return Ok(false);
        }
        std::thread::sleep(PAUSE);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_and_the_exit_code_are_returned() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo out; echo err >&2; exit 3"]);
        let output = output_within(&mut shell, VERSION_LIMIT).unwrap();
        assert_eq!(output.stdout, b"out\n");
        assert_eq!(output.stderr, b"err\n");
        assert_eq!(output.status.code(), Some(3));
    }

    #[test]
    fn a_program_that_hangs_is_killed() {
        let mut hanging = Command::new("sleep");
        hanging.arg("600");
        let error = output_within(&mut hanging, Duration::from_millis(20)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(error.to_string(), "it did not end within 0.02 s");
    }
}
