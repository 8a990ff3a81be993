//! Scripts that tests put in the place of programs.

use std::path::Path;
use std::process::Command;

/// Writes a script into a file that everybody may run.
///
/// Another process writes it, so that it can be run at once. A file that this process itself has open for writing is
/// inherited by whatever another of its threads starts at this moment, and until that has begun the system refuses to run
/// the file: it is "busy".
///
/// # Panics
/// Panics if the file cannot be written.
#[track_caller]
pub fn put_program(path: &Path, script: &str) {
    let written = Command::new("sh")
        .args(["-c", "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .arg(script)
        .status();
    let is_written = written.is_ok_and(|status| status.success());
    assert!(is_written, "{} cannot be written", path.display());
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::times;

    #[test]
    fn a_program_runs_at_once_whatever_else_is_started_meanwhile() {
        let folder = std::env::temp_dir().join(format!("bakeoff-program-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..times(100, 2_500) {
                        Command::new("true").status().unwrap();
                    }
                });
            }
            let program = folder.join("program's");
            let run = |number: u32| {
                put_program(&program, &format!("#!/bin/sh\necho '%s\\n' {number}\n"));
                Command::new(&program).output()
            };
            for number in 0..times(20, 500) {
                let printed = String::from_utf8(run(number).unwrap().stdout).unwrap();
                assert!(printed.ends_with(&format!(" {number}\n")), "{printed}");
            }
        });
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
