//! Prints lines for people on standard error.

use std::fmt::Display;
use std::io::Write;

/// Prints a line. Errors are ignored, since a missing reader must not end a command halfway.
pub fn print_line(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
