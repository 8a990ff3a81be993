//! Fetching Cassandra's jars with Maven, once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::checksums;
use super::pinned::PinnedCassandra;
use crate::error::{Error, Result};
use crate::files::create_folder;
use crate::machine::{check_room, on_path};

pub(crate) const FETCH_LIMIT: Duration = Duration::from_secs(15 * 60);
const ERROR_LINES: usize = 5;
const UNFINISHED: &str = ".fetching";
/// What to fetch; the wheel of the jars is made from the same file.
const POM: &str = include_str!("pom.xml");
/// Cassandra 5.0 with all that it depends on has 67.
const LEAST_ROOM_MIB: u64 = 100;

/// The `mvn` on `PATH`.
///
/// # Errors
/// `NoMaven` when there is none.
pub(crate) fn find_maven() -> Result<PathBuf> {
    on_path(&std::env::var_os("PATH").unwrap_or_default(), "mvn").ok_or(Error::NoMaven)
}

/// Fetches the jars into a folder that is there only when they all are, with their checksums.
///
/// # Errors
/// `Maven` with its last error lines, `Refused` for too little room, or `Io`.
pub(crate) async fn fetch(
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
    let above = jars.parent().unwrap_or(jars);
    check_room(above, LEAST_ROOM_MIB, "fetching Cassandra")?;
    let fetched = unfinished.join("jars");
    create_folder(&fetched)?;
    let pom = unfinished.join("pom.xml");
    fs::write(&pom, pom_text(pinned, version)).map_err(Error::io("write", &pom))?;
    run_maven(maven, &pom, &fetched, version, limit).await?;
    checksums::write(&fetched)?;
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
    POM.replace("@GROUP@", group)
        .replace("@ARTIFACT@", artifact)
        .replace("@VERSION@", version)
        .replace("@COPY_PLUGIN@", &pinned.copy_plugin)
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
    use crate::cassandra::pinned;
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
        checksums::check(&jars).unwrap();
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
    fn the_pinned_version_is_asked_for_and_nothing_is_left_to_fill_in() {
        let text = pom_text(&pinned().unwrap(), "5.0.9");
        assert!(text.contains("<artifactId>cassandra-all</artifactId>"));
        assert!(text.contains("<version>5.0.9</version>"));
        assert!(!text.contains('@'), "{text}");
    }
}
