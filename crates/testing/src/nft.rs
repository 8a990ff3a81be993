//! Rules that drop packets, which take root and `nft`. They are in a table of their own, which a second process deletes.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// Carries out commands of nft, all of them or none.
///
/// # Errors
/// The words of nft, or the reason why it cannot be started.
pub fn nft(commands: &str) -> Result<(), String> {
    let mut process = Command::new("nft")
        .args(["-f", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("nft: {error}"))?;
    let mut input = process.stdin.take().expect("a pipe to nft");
    let written = input.write_all(commands.as_bytes());
    drop(input);
    let output = process.wait_with_output().expect("the output of nft");
    if output.status.success() && written.is_ok() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

/// Finds out whether a table of this name can be made here.
///
/// # Errors
/// What it takes.
pub fn can_make(table: &str) -> Result<(), String> {
    let tried = nft(&format!("add table ip {table}\ndelete table ip {table}\n"));
    tried.map_err(|reason| {
        format!(
            "dropping packets takes the program `nft`, and root with the right to do so, which containers have \
             with --cap-add NET_ADMIN ({reason})"
        )
    })
}

/// Starts a process that deletes a table when the pipe to its input is closed, which the system does even if
/// this process is killed.
pub fn remover(table: &str) -> Child {
    Command::new("sh")
        .args(["-c", "cat; exec nft delete table ip \"$0\"", table])
        // Ctrl-C reaches whole groups, and this one still has to tidy up.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        // Most often the table is no more.
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell")
}
