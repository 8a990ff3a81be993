//! Programs that wait until they are on record. If Bakeoff is killed before, they end without having
//! begun, and nobody has to find them.

use std::io::{self, Write};
use std::process::{Child, Command, Stdio};

/// Waits for a line, and then becomes the program in the arguments, with the same process id.
const WAIT: &str = r#"read -r line && exec "$@" </dev/null"#;

/// Returns a command for the program and the arguments of another one, which waits for [`open`] before
/// it begins. Further arguments may be added.
pub(crate) fn gated(command: &Command) -> Command {
    let mut gated = Command::new("/bin/sh");
    gated
        .args(["-c", WAIT, "sh"])
        .arg(command.get_program())
        .args(command.get_args())
        .stdin(Stdio::piped());
    gated
}

/// Lets a program begin that waits.
///
/// # Errors
/// Fails if it has ended.
pub(crate) fn open(child: &mut Child) -> io::Result<()> {
    match child.stdin.take() {
        Some(mut gate) => gate.write_all(b"\n"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo() -> Child {
        let mut command = Command::new("echo");
        command.arg("a  b");
        let mut command = gated(&command);
        command.arg("$c").stdout(Stdio::piped()).spawn().unwrap()
    }

    #[test]
    fn a_program_begins_when_it_may_and_keeps_its_arguments() {
        let mut waiting = echo();
        open(&mut waiting).unwrap();
        let output = waiting.wait_with_output().unwrap();
        assert_eq!(output.stdout, b"a  b $c\n");
    }

    #[test]
    fn a_program_whose_starter_ends_before_does_not_begin() {
        let mut waiting = echo();
        // As the system does when a process ends.
        drop(waiting.stdin.take());
        let output = waiting.wait_with_output().unwrap();
        assert!(!output.status.success());
        assert_eq!(output.stdout, b"");
    }
}
