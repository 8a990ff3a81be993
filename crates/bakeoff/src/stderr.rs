//! Prints lines for people on standard error.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::Display;
use std::io::Write;
use std::panic;

use crate::terminal::clean;

/// Prints a line. Errors are ignored, since a missing reader must not end a command halfway.
pub fn print_line(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{}", clean(&line.to_string()));
}

/// Prints panics as other lines are printed: libraries quote what they cannot read.
pub fn clean_panics() {
    panic::set_hook(Box::new(|panic| {
        print_line(panic);
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            print_line(backtrace);
        }
    }));
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    /// Variable by which the test starts itself as a process that panics.
    const PANICS: &str = "BAKEOFF_TEST_PANICS";

    #[test]
    fn a_panic_does_not_act_on_the_terminal() {
        if std::env::var_os(PANICS).is_some() {
            super::clean_panics();
            panic!("\u{1b}[31mred");
        }
        let this = "stderr::tests::a_panic_does_not_act_on_the_terminal";
        let output = Command::new(std::env::current_exe().unwrap())
            .args([this, "--exact", "--nocapture"])
            .env(PANICS, "1")
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("panicked at "), "{said}");
        assert!(said.contains("\\u{1b}[31mred"), "{said}");
        assert!(!said.contains('\u{1b}'), "{said}");
    }
}
