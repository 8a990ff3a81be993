//! Fetching Cassandra's jars with Maven, once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::pinned::{PinnedCassandra, pinned};
use crate::error::{Error, Result};
use crate::files::{create_folder, lock};
use crate::home::Home;
use crate::machine::on_path;

const FETCH_LIMIT: Duration = Duration::from_secs(15 * 60);
const ERROR_LINES: usize = 5;
const UNFINISHED: &str = ".fetching";

/// The `mvn` on `PATH`.
///
/// # Errors
/// `NoMaven` when there is none.
pub fn find_maven() -> Result<PathBuf> {
    on_path(&std::env::var_os("PATH").unwrap_or_default(), "mvn").ok_or(Error::NoMaven)
}

/// Checks that the jars are there, or can be fetched.
///
/// # Errors
/// `NoMaven`.
pub(crate) fn check_jars(home: &Home, version: &str) -> Result<()> {
    check_version(version)?;
    match folder_of(home, version).is_dir() {
        true => Ok(()),
        false => find_maven().map(drop),
    }
}

fn folder_of(home: &Home, version: &str) -> PathBuf {
    home.jars().join(format!("cassandra-{version}"))
}

/// The folder with the jars of that Cassandra version, fetched with Maven when it is not there
/// yet (67 MB, for which Bakeoffs that start at the same time wait for each other).
///
/// # Errors
/// `NoMaven`, `Maven` with its last error lines, or `Io`.
pub async fn resolve_jars(home: &Home, version: &str) -> Result<PathBuf> {
    check_version(version)?;
    let jars = folder_of(home, version);
    if jars.is_dir() {
        return Ok(jars);
    }
    let maven = find_maven()?;
    create_folder(&home.jars())?;
    let _lock = lock(&home.jars().join(".lock"), FETCH_LIMIT).await?;
    if !jars.is_dir() {
        fetch(&maven, &pinned()?, version, &jars, FETCH_LIMIT).await?;
    }
    Ok(jars)
}

/// Keeps a version from becoming a path or XML of its own.
fn check_version(version: &str) -> Result<()> {
    let harmless = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
    if version.starts_with(|c: char| c.is_ascii_digit()) && version.chars().all(harmless) {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "'{version}' is not a Cassandra version such as 5.0.9"
    )))
}

async fn fetch(
    maven: &Path,
    pinned: &PinnedCassandra,
    version: &str,
    jars: &Path,
    limit: Duration,
) -> Result<()> {
    tracing::info!("fetching Cassandra {version} with Maven (once)");
    let unfinished = jars.with_file_name(UNFINISHED);
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(Error::io("empty", &unfinished))?;
    }
    let fetched = unfinished.join("jars");
    create_folder(&fetched)?;
    let pom = unfinished.join("pom.xml");
    fs::write(&pom, pom_text(pinned, version)).map_err(Error::io("write", &pom))?;
    run_maven(maven, &pom, &fetched, version, limit).await?;
    fs::rename(&fetched, jars).map_err(Error::io("write", jars))?;
    fs::remove_dir_all(&unfinished).map_err(Error::io("delete", &unfinished))
}

async fn run_maven(
    maven: &Path,
    pom: &Path,
    output: &Path,
    version: &str,
    limit: Duration,
) -> Result<()> {
    let mut destination = std::ffi::OsString::from("-DoutputDirectory=");
    destination.push(output);
    let run = Command::new(maven)
        .args(["-q", "-B", "-Dstyle.color=never", "-f"])
        .arg(pom)
        .args(["dependency:copy-dependencies", "-DincludeScope=runtime"])
        .arg(destination)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let failed = |lines: String| Error::Maven {
        version: version.to_owned(),
        lines,
    };
    let Ok(output) = tokio::time::timeout(limit, run).await else {
        return Err(failed(format!(
            "it did not end within {} s",
            limit.as_secs()
        )));
    };
    let output = output.map_err(Error::io("run", maven))?;
    if output.status.success() {
        return Ok(());
    }
    let printed = [output.stdout, output.stderr].concat();
    Err(failed(last_errors(&String::from_utf8_lossy(&printed))))
}

fn pom_text(pinned: &PinnedCassandra, version: &str) -> String {
    let (group, artifact) = pinned.maven.split_once(':').unwrap_or((&pinned.maven, ""));
    let plugin = &pinned.copy_plugin;
    format!(
        "<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>bakeoff</groupId>
  <artifactId>cassandra-jars</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>{group}</groupId>
      <artifactId>{artifact}</artifactId>
      <version>{version}</version>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-dependency-plugin</artifactId>
        <version>{plugin}</version>
      </plugin>
    </plugins>
  </build>
</project>
"
    )
}

/// What Maven says went wrong, without its hints to its own switches.
fn last_errors(printed: &str) -> String {
    let mut lines: Vec<_> = printed
        .lines()
        .filter(|line| {
            line.starts_with("[ERROR] ") && !line.contains("[Help") && !line.contains("switch")
        })
        .collect();
    if lines.is_empty() {
        lines = printed
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        lines.drain(..lines.len().saturating_sub(ERROR_LINES));
    }
    lines.truncate(ERROR_LINES);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn maven_that(does: &str, folder: &Path) -> PathBuf {
        let program = folder.join("mvn");
        fs::write(&program, format!("#!/bin/sh\n{does}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    #[tokio::test]
    async fn a_failed_fetch_says_why_and_leaves_no_jars() {
        let folder = tempfile::tempdir().unwrap();
        let does = "echo '[ERROR] Could not resolve 5.0.99'; echo '[ERROR] -> [Help 1]'; exit 1";
        let maven = maven_that(does, folder.path());
        let jars = folder.path().join("cassandra-5.0.99");
        let error = fetch(&maven, &pinned().unwrap(), "5.0.99", &jars, FETCH_LIMIT)
            .await
            .unwrap_err();
        let expected = "Maven could not fetch Cassandra 5.0.99:\n[ERROR] Could not resolve 5.0.99";
        assert_eq!(error.to_string(), expected);
        assert!(!jars.exists());
    }

    #[tokio::test]
    async fn what_a_killed_fetch_left_is_cleared_away() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join(UNFINISHED).join("jars");
        fs::create_dir_all(&left).unwrap();
        fs::write(left.join("half.jar"), "").unwrap();
        let maven = maven_that(
            "for last; do :; done; touch \"${last#*=}/a.jar\"",
            folder.path(),
        );
        let jars = folder.path().join("cassandra-5.0.9");
        fetch(&maven, &pinned().unwrap(), "5.0.9", &jars, FETCH_LIMIT)
            .await
            .unwrap();
        assert!(jars.join("a.jar").exists() && !jars.join("half.jar").exists());
        assert!(!folder.path().join(UNFINISHED).exists());
    }

    #[tokio::test]
    async fn a_stuck_maven_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let maven = maven_that("exec sleep 60", folder.path());
        let jars = folder.path().join("cassandra-5.0.9");
        let limit = Duration::from_millis(50);
        let error = fetch(&maven, &pinned().unwrap(), "5.0.9", &jars, limit)
            .await
            .unwrap_err();
        assert!(error.to_string().contains("did not end within"), "{error}");
    }

    #[test]
    fn a_version_is_no_path_and_no_xml() {
        check_version("5.0.9").unwrap();
        check_version("5.1-alpha1").unwrap();
        for bad in ["", "../5.0", "5.0</version>", "latest"] {
            assert!(check_version(bad).is_err(), "{bad}");
        }
    }
}
