//! Java programs with Cassandra's own classes, for tests that compare what is checked here with them.

use std::path::{Path, PathBuf};
use std::process::Command;

use bakeoff_servers::Home;
use bakeoff_servers::cassandra::{Release, find_java, pinned_of, resolve_jars};
use bakeoff_testing::skipped;

const COMPILER: &str = "org.eclipse.jdt.internal.compiler.batch.Main";

/// Returns the program of a Java and the class path of the jars of a release of Cassandra, or prints why the
/// rest of the test is skipped.
pub async fn java_with_cassandra(release: Release) -> Option<(PathBuf, String)> {
    let found = async {
        let java = find_java().await?;
        let jars = resolve_jars(&Home::from_env()?, &pinned_of(release)?.version).await?;
        Ok::<_, bakeoff_servers::Error>((java.program, jars))
    };
    match found.await {
        Ok((java, folder)) => {
            let jars = std::fs::read_dir(folder).unwrap().flatten();
            let jars = jars.map(|jar| jar.path().display().to_string());
            Some((java, jars.collect::<Vec<_>>().join(":")))
        }
        Err(reason) => {
            skipped(reason);
            None
        }
    }
}

/// Compiles a program into a folder, by the compiler among the jars of `compilers`, since a Java need not have one:
/// those of Cassandra 5.0, since that of 4.1 is too old for today's Java. `class_path` has the classes that
/// the program uses.
pub fn compile(
    java: &Path,
    compilers: &str,
    class_path: &str,
    folder: &Path,
    class: &str,
    program: &str,
) {
    let source = folder.join(format!("{class}.java"));
    std::fs::write(&source, program).unwrap();
    let mut compiling = Command::new(java);
    compiling.args([
        "-cp", compilers, COMPILER, "-source", "1.8", "-target", "1.8",
    ]);
    compiling.args(["-nowarn", "-cp", class_path, "-d"]);
    let compiled = compiling.arg(folder).arg(&source).output().unwrap();
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
}
