//! Prints lines for people on standard error.

use std::fmt::Display;
use std::io::Write;

use crate::terminal::clean;

/// Prints a line. Errors are ignored, since a missing reader must not end a command halfway.
pub fn print_line(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{}", clean(&line.to_string()));
}
