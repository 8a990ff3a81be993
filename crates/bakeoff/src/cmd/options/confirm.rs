//! Asks on a terminal before something is removed.

use std::io::{self, IsTerminal, Write};

use anyhow::Result;

use crate::terminal::clean;

/// Returns whether there is a terminal to ask on.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks whether something is to be removed.
///
/// # Errors
/// Fails if the terminal cannot be read.
pub fn is_confirmed(what: &str) -> Result<bool> {
    write!(io::stderr(), "remove {}? Type yes: ", clean(what))?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(answer.trim().eq_ignore_ascii_case("yes"))
}
