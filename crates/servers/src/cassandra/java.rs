//! Finding a Java that Cassandra runs on.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::pinned::pinned;
use crate::error::{Error, Result};
use crate::machine::on_path;

const VERSION_LIMIT: Duration = Duration::from_secs(20);
const INSTALLED: &str = "/usr/lib/jvm";

/// Variables with which a user's shell would change the JVM's flags behind the report's back.
pub(crate) const MEDDLING_VARIABLES: [&str; 4] = [
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "CLASSPATH",
];

/// A `java` program that Cassandra supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Java {
    pub program: PathBuf,
    /// As Java prints it: `17.0.15`.
    pub version: String,
    pub release: u32,
}

/// The Java of `JAVA_HOME`, the one on `PATH`, or one in `/usr/lib/jvm`: the first that fits.
///
/// # Errors
/// `NoJava`, with what was found instead, when none fits.
pub async fn find_java() -> Result<Java> {
    let wanted = pinned()?.java;
    let mut unfit = Vec::new();
    let mut fallback = None;
    for program in explicit_candidates() {
        match version_of(&program).await {
            Some(java) if wanted.contains(&java.release) => return Ok(java),
            Some(java) => unfit.push(java),
            None => {}
        }
    }
    for program in installed_candidates(Path::new(INSTALLED)) {
        match version_of(&program).await {
            Some(java) if wanted.first() == Some(&java.release) => return Ok(java),
            Some(java) if wanted.contains(&java.release) => fallback = fallback.or(Some(java)),
            Some(java) => unfit.push(java),
            None => {}
        }
    }
    fallback.ok_or_else(|| Error::NoJava {
        found: describe(&unfit),
    })
}

fn describe(found: &[Java]) -> Vec<String> {
    let mut seen = HashSet::new();
    found
        .iter()
        .filter(|java| seen.insert(&java.version))
        .map(|java| format!("Java {} ({})", java.release, java.program.display()))
        .collect()
}

fn explicit_candidates() -> Vec<PathBuf> {
    let java_home = std::env::var_os("JAVA_HOME").filter(|v| !v.is_empty());
    let path = std::env::var_os("PATH").unwrap_or_default();
    java_home
        .map(|home| Path::new(&home).join("bin/java"))
        .into_iter()
        .chain(on_path(&path, "java"))
        .collect()
}

fn installed_candidates(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut programs: Vec<_> = entries
        .flatten()
        .map(|e| e.path().join("bin/java"))
        .filter(|p| p.is_file())
        .collect();
    programs.sort();
    programs
}

async fn version_of(program: &Path) -> Option<Java> {
    let mut command = Command::new(program);
    for name in MEDDLING_VARIABLES {
        command.env_remove(name);
    }
    let run = command
        .arg("-version")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(VERSION_LIMIT, run).await.ok()?.ok()?;
    let (version, release) = parse_version(&String::from_utf8_lossy(&output.stderr))?;
    Some(Java {
        program: program.to_owned(),
        version,
        release,
    })
}

/// Reads `java -version`: the quoted version and its release, which was the second number up to
/// Java 8 (`1.8.0_402`).
fn parse_version(printed: &str) -> Option<(String, u32)> {
    let version = printed
        .lines()
        .find(|l| l.contains(" version \""))?
        .split('"')
        .nth(1)?;
    let mut numbers = version
        .split(|c: char| !c.is_ascii_digit())
        .map(str::parse::<u32>);
    let release = match numbers.next()?.ok()? {
        1 => numbers.next()?.ok()?,
        release => release,
    };
    Some((version.to_owned(), release))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_style_of_version() {
        let release = |printed| parse_version(printed).map(|(_, release)| release);
        assert_eq!(
            release("openjdk version \"17.0.15\" 2025-04-15\nOpenJDK Runtime"),
            Some(17)
        );
        assert_eq!(release("java version \"1.8.0_402\""), Some(8));
        assert_eq!(
            release("Picked up OPTIONS: -Xmx1g\nopenjdk version \"11.0.2\" 2019"),
            Some(11)
        );
        assert_eq!(release("openjdk version \"26-ea\" 2026-03-17"), Some(26));
        assert_eq!(release("openjdk version \"beta\""), None);
        assert_eq!(release("sh: not found"), None);
    }

    #[test]
    fn an_unfit_java_is_named_once() {
        let java = Java {
            program: "/j/bin/java".into(),
            version: "25.0.1".into(),
            release: 25,
        };
        let error = Error::NoJava {
            found: describe(&[java.clone(), java]),
        }
        .to_string();
        assert!(
            error.contains("only Java 25 (/j/bin/java) is here: install"),
            "{error}"
        );
        let error = Error::NoJava { found: Vec::new() }.to_string();
        assert!(
            error.starts_with("Java 11 or 17 is needed to start Cassandra: install it"),
            "{error}"
        );
    }

    #[test]
    fn looks_on_the_path_in_its_order() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("java"), "").unwrap();
        let path = std::env::join_paths([Path::new("/nowhere"), folder.path()]).unwrap();
        assert_eq!(on_path(&path, "java"), Some(folder.path().join("java")));
        assert_eq!(on_path(&path, "mvn"), None);
    }

    #[tokio::test]
    async fn a_program_that_is_no_java_is_passed_over() {
        assert_eq!(version_of(Path::new("/bin/true")).await, None);
        assert_eq!(version_of(Path::new("/nowhere/java")).await, None);
    }
}
