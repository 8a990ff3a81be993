//! Compiling a class by the compiler among Cassandra's jars, since a Java need not have one.

use std::path::Path;

use tokio::process::Command;

use super::java_program;
use crate::error::Result;

const COMPILER: &str = "org.eclipse.jdt.internal.compiler.batch.Main";

/// Compiles a class into a folder. The class path has the compiler and what the class uses. Returns the complaint of
/// the compiler if it does not compile, or that it did not end in time.
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
    command
        .arg("-cp")
        .arg(class_path)
        .args([COMPILER, "-nowarn", "-source", "11", "-target", "11", "-d"])
        .args([output, source]);
    let compiled = java_program::run(command).await?;
    Ok((!compiled.is_success).then_some(compiled.printed))
}
