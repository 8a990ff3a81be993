//! Fetching jars with Maven, once.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::checksums;
use super::pinned::PinnedCassandra;
use crate::environment::remove_own;
use crate::error::{Error, Result};
use crate::files::create_folder;
use crate::machine::{check_room, existing, free_mib, on_path};

pub(crate) const FETCH_LIMIT: Duration = Duration::from_secs(15 * 60);
pub(super) const ERROR_LINES: usize = 5;
const UNFINISHED: &str = ".fetching";
/// Maven project that names what to fetch; the wheel of the jars is made from the same file.
const POM: &str = include_str!("pom.xml");
/// Beginnings of lines that point to Maven's own options and pages.
const HINTS: [&str; 4] = [
    "[Help ",
    "Re-run Maven",
    "To see the full stack trace",
    "For more information",
];
/// Text that follows a cause on its line.
const POINTER: &str = "-> [Help";
/// Room for Cassandra 5.0 with all its dependencies, which take 67 MiB.
const LEAST_ROOM_MIB: u64 = 100;
const MORE_ROOM: &str = "free some, or set BAKEOFF_HOME to a folder with more room";
/// The system's message for a full disk, which Java repeats.
const NO_ROOM: &str = "No space left on device";

/// What Maven fetches, with everything that it depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Artifact<'a> {
    /// The name in messages, such as `Cassandra`.
    pub(crate) name: &'static str,
    /// Maven coordinates: `group:artifact`.
    pub(crate) maven: &'a str,
    pub(crate) version: &'a str,
    /// The version of Maven's dependency plugin.
    pub(crate) copy_plugin: &'a str,
    /// The room that has to be free for the jars, in MiB.
    pub(crate) room_mib: u64,
}

impl fmt::Display for Artifact<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// Returns the artifact of a version of Cassandra.
pub(crate) fn of_cassandra<'a>(pinned: &'a PinnedCassandra, version: &'a str) -> Artifact<'a> {
    Artifact {
        name: "Cassandra",
        maven: &pinned.maven,
        version,
        copy_plugin: &pinned.copy_plugin,
        room_mib: LEAST_ROOM_MIB,
    }
}

/// Returns the `mvn` on `PATH`.
///
/// # Errors
/// Fails with `NoMaven` when there is none.
pub(crate) fn find_maven() -> Result<PathBuf> {
    on_path(&std::env::var_os("PATH").unwrap_or_default(), "mvn").ok_or(Error::NoMaven)
}

/// Checks that the disk of that folder, which need not exist yet, has room for the jars.
///
/// # Errors
/// Fails with `Refused` when it has not.
pub(crate) fn check_room_for_jars(folder: &Path) -> Result<()> {
    check_room(
        existing(folder),
        LEAST_ROOM_MIB,
        "fetching Cassandra",
        MORE_ROOM,
    )
}

/// Fetches the jars into a folder that only exists once it has all of them, with their checksums,
/// which have to be the `expected` ones if these are known.
///
/// # Errors
/// Fails with `Maven` with its last error lines, `Refused` for too little room or other jars than
/// expected, or `Io`.
pub(crate) async fn fetch(
    maven: &Path,
    artifact: &Artifact<'_>,
    expected: Option<&str>,
    jars: &Path,
    limit: Duration,
) -> Result<()> {
    tracing::info!("fetching {artifact} with Maven (once)");
    let unfinished = jars.with_file_name(UNFINISHED);
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(Error::io("empty", &unfinished))?;
    }
    let above = jars.parent().unwrap_or(jars);
    let purpose = format!("fetching {}", artifact.name);
    check_room(existing(above), artifact.room_mib, &purpose, MORE_ROOM)?;
    let fetched = fetch_into(&unfinished, maven, artifact, limit).await;
    let named = fetched
        .and_then(|fetched| {
            check_fetched(&fetched, expected, artifact)?;
            put_in_place(&fetched, jars)
        })
        .map_err(|error| advise_if_full(error, above, artifact));
    // Incomplete jars would take room that the next attempt may need.
    let removed = fs::remove_dir_all(&unfinished).map_err(Error::io("delete", &unfinished));
    named.and(removed)
}

fn check_fetched(fetched: &Path, expected: Option<&str>, artifact: &Artifact<'_>) -> Result<()> {
    let Some(expected) = expected else {
        return Ok(());
    };
    checksums::check_against(fetched, expected).map_err(|difference| {
        Error::Refused(format!(
            "the jars of {artifact} that Maven fetched are not those that Bakeoff was \
             tested with, and were not kept: {difference}. Look at the repository that Maven \
             fetches from (settings.xml) and at its copies in ~/.m2/repository"
        ))
    })
}

/// Renames the fetched folder, and replaces one without checksums if there is one.
fn put_in_place(fetched: &Path, jars: &Path) -> Result<()> {
    if jars.is_dir() {
        fs::remove_dir_all(jars).map_err(Error::io("delete", jars))?;
    }
    fs::rename(fetched, jars).map_err(Error::io("write", jars))
}

/// Fetches the jars into a folder within `unfinished`, which it returns.
async fn fetch_into(
    unfinished: &Path,
    maven: &Path,
    artifact: &Artifact<'_>,
    limit: Duration,
) -> Result<PathBuf> {
    let fetched = unfinished.join("jars");
    create_folder(&fetched)?;
    let pom = unfinished.join("pom.xml");
    fs::write(&pom, pom_text(artifact)).map_err(Error::io("write", &pom))?;
    run_maven(maven, &pom, &fetched, artifact, limit).await?;
    checksums::write(&fetched)?;
    Ok(fetched)
}

/// Adds to an error what to do if its cause is lack of room, in the folder of the jars or in
/// Maven's own.
fn advise_if_full(error: Error, folder: &Path, artifact: &Artifact<'_>) -> Error {
    let room_mib = artifact.room_mib;
    let text = error.to_string();
    let has_no_room = text.contains(NO_ROOM);
    let names_folder = text.contains(&*folder.to_string_lossy());
    if free_mib(folder).is_ok_and(|free| free == 0) || has_no_room && names_folder {
        return Error::Refused(format!(
            "fetching {artifact} into {} failed, and that disk is full: it needs {room_mib} MiB; \
             {MORE_ROOM}\n{text}",
            folder.display()
        ));
    }
    if has_no_room {
        return Error::Refused(format!(
            "{text}\nMaven's own folder has no room: it needs {room_mib} MiB in ~/.m2 and in \
             the temporary folder; free some there"
        ));
    }
    error
}

async fn run_maven(
    maven: &Path,
    pom: &Path,
    output: &Path,
    artifact: &Artifact<'_>,
    limit: Duration,
) -> Result<()> {
    let mut destination = std::ffi::OsString::from("-DoutputDirectory=");
    destination.push(output);
    let mut command = Command::new(maven);
    remove_own(command.as_std_mut());
    let run = command
        .args(["-q", "-B", "-Dstyle.color=never", "-f"])
        .arg(pom)
        .args(["dependency:copy-dependencies", "-DincludeScope=runtime"])
        .arg(destination)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let failed = |lines: String| Error::Maven {
        what: artifact.to_string(),
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

fn pom_text(artifact: &Artifact<'_>) -> String {
    let (group, name) = artifact
        .maven
        .split_once(':')
        .unwrap_or((artifact.maven, ""));
    POM.replace("@GROUP@", group)
        .replace("@ARTIFACT@", name)
        .replace("@VERSION@", artifact.version)
        .replace("@COPY_PLUGIN@", artifact.copy_plugin)
}

/// Returns what went wrong according to Maven, without its hints to its own options.
pub(super) fn last_errors(printed: &str) -> String {
    let mut lines: Vec<_> = printed.lines().filter_map(cause).collect();
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

/// Returns the error on a line of Maven; `None` if it is only a hint.
fn cause(line: &str) -> Option<&str> {
    let error = line.split(POINTER).next().unwrap_or(line).trim_end();
    let text = error.strip_prefix("[ERROR]")?.trim();
    let is_hint = text.is_empty() || HINTS.iter().any(|hint| text.starts_with(hint));
    (!is_hint).then_some(error)
}

#[cfg(test)]
mod tests;
