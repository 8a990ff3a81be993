//! Running programs that only print something, within a time limit: one that hangs must not block its
//! caller forever.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::environment::remove_own;

/// Time limit for programs that print their version or one of their settings.
pub(crate) const VERSION_LIMIT: Duration = Duration::from_secs(20);

/// Runs a program and returns what it printed. After the limit it is killed with all processes that
/// it started.
///
/// # Errors
/// Fails with `TimedOut`, or the reason why it cannot be run.
pub(crate) fn output_within(command: &mut Command, limit: Duration) -> io::Result<Output> {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let group = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    // Processes that it started may hold its pipes open after its end: then this reads until they
    // are killed.
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    if let Ok(output) = receiver.recv_timeout(limit) {
        return output;
    }
    // The program may have ended just now.
    let _ = kill_process_group(group, Signal::KILL);
    let text = format!("it did not end within {} s", limit.as_secs_f64());
    Err(io::Error::new(io::ErrorKind::TimedOut, text))
}

/// Returns the output of a program for that argument; `None` if it fails or hangs. The program gets none of
/// Bakeoff's own variables.
pub(crate) fn output_of(program: &Path, argument: &str) -> Option<String> {
    let mut command = Command::new(program);
    remove_own(&mut command);
    let output = output_within(command.arg(argument), VERSION_LIMIT)
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        shell
    }

    #[test]
    fn the_exit_code_and_all_that_is_printed_are_returned() {
        let mut program = shell("head -c 200000 /dev/zero; echo err >&2; exit 3");
        let output = output_within(&mut program, VERSION_LIMIT).unwrap();
        assert_eq!(output.stdout.len(), 200_000);
        assert_eq!(output.stderr, b"err\n");
        assert_eq!(output.status.code(), Some(3));
    }

    #[test]
    fn a_program_that_hangs_is_killed_with_what_it_started() {
        for script in ["echo $$; exec sleep 600", "sleep 600 & echo $!"] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("pid");
            let script = format!("exec 3>&1; {{ {script}; }} > {}", file.display());
            let error = output_within(&mut shell(&script), Duration::from_millis(200)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            assert_eq!(error.to_string(), "it did not end within 0.2 s");
            let Ok(pid) = std::fs::read_to_string(&file) else {
                continue; // It had not come so far.
            };
            let status = format!("/proc/{}/stat", pid.trim());
            let is_running = || {
                let stat = std::fs::read_to_string(&status).unwrap_or_default();
                stat.rsplit_once(") ")
                    .is_some_and(|(_, state)| !state.starts_with('Z'))
            };
            while is_running() {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}
