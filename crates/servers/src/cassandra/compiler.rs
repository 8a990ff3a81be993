//! Compiling a class by the compiler among Cassandra's jars, since a Java need not have one.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use crate::environment::keep_needed;
use crate::error::{Error, Result};

const COMPILER: &str = "org.eclipse.jdt.internal.compiler.batch.Main";
const LIMIT: Duration = Duration::from_secs(60);

/// Compiles a class into a folder. The class path has the compiler and what the class uses. Returns the complaint of
/// the compiler if it does not compile.
///
/// # Errors
/// Fails with `Io` if Java cannot be run.
pub(super) async fn compile(
    java: &Path,
    class_path: &Path,
    source: &Path,
    output: &Path,
) -> Result<Option<String>> {
    let mut command = Command::new(java);
    keep_needed(command.as_std_mut());
    let run = command
        .arg("-cp")
        .arg(class_path)
        .args([COMPILER, "-nowarn", "-source", "11", "-target", "11", "-d"])
        .args([output, source])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let Ok(output) = tokio::time::timeout(LIMIT, run).await else {
        let seconds = LIMIT.as_secs();
        return Ok(Some(format!("compiling did not end within {seconds} s")));
    };
    let output = output.map_err(Error::io("run", java))?;
    if output.status.success() {
        return Ok(None);
    }
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed);
    Ok(Some(printed.trim().to_owned()))
}
