//! Lines for a person, on standard error.

use std::fmt::Display;
use std::io::Write;

/// Writes a line. That its reader is gone is no reason to end a command halfway.
pub fn tell(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
