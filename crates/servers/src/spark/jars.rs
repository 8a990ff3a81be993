//! The jars of the connector by which Spark reads tables of Cassandra, fetched once with Maven.

use std::path::{Path, PathBuf};

use super::pinned::pinned;
use crate::cassandra;
use crate::cassandra::checksums;
use crate::cassandra::jar_files::sorted_jars;
use crate::cassandra::maven::{Artifact, FETCH_LIMIT, fetch, find_maven};
use crate::error::{Error, Result};
use crate::files::{create_folder, lock};
use crate::home::Home;
use crate::install::by_system;

const NAME: &str = "the connector from Spark to Cassandra";
const FOLDER: &str = "spark-cassandra-connector-";
/// The version of the connector, and the checksums of its jars.
const PINNED: (&str, &str) = ("3.5.1", include_str!("connector-3.5.1.sha256"));
/// Room for the jars, which take 22 MiB.
const ROOM_MIB: u64 = 40;
/// The beginnings of the names of jars that Spark has itself, in the same release.
const OF_SPARK: [&str; 2] = ["scala-library-", "scala-reflect-"];
const REMEDY: &str = "Delete that folder, and they are fetched again";

/// Checks that the connector was fetched before, or that there is a Maven to fetch it.
///
/// # Errors
/// Fails with `Refused` without both, or `DamagedJars`.
pub fn check_connector(home: &Home) -> Result<()> {
    let folder = folder(home);
    if was_fetched(&folder) {
        check(&folder)
    } else {
        maven().map(|_| ())
    }
}

/// Returns the jars of the connector, fetched with Maven if there are none (22 MiB; processes that start at the same
/// time wait for each other).
///
/// # Errors
/// The errors of [`check_connector`]; `Maven` with its last error lines, `Refused` for too little room or jars that are
/// not the pinned ones, or `Io`.
pub async fn resolve_connector(home: &Home) -> Result<Vec<PathBuf>> {
    let folder = folder(home);
    create_folder(&home.jars()).map_err(Home::unwritable)?;
    let lock_file = home.jars().join(".lock");
    let _lock = lock(&lock_file, FETCH_LIMIT)
        .await
        .map_err(Home::unwritable)?;
    if was_fetched(&folder) {
        check(&folder)?;
    } else {
        let (spark, copied_by) = (pinned()?, cassandra::pinned()?.copy_plugin);
        let connector = Artifact {
            name: NAME,
            maven: &spark.connector_maven,
            version: &spark.connector,
            copy_plugin: &copied_by,
            room_mib: ROOM_MIB,
        };
        fetch(&maven()?, &connector, Some(PINNED.1), &folder, FETCH_LIMIT).await?;
    }
    let mut jars = sorted_jars(&folder)?;
    jars.retain(|jar| !is_of_spark(jar));
    Ok(jars)
}

fn folder(home: &Home) -> PathBuf {
    home.jars().join(format!("{FOLDER}{}", PINNED.0))
}

fn was_fetched(folder: &Path) -> bool {
    folder.join(checksums::FILE).is_file()
}

fn is_of_spark(jar: &Path) -> bool {
    let name = jar.file_name().unwrap_or_default().to_string_lossy();
    OF_SPARK.iter().any(|beginning| name.starts_with(beginning))
}

fn check(folder: &Path) -> Result<()> {
    checksums::check_against(folder, PINNED.1).map_err(|reason| Error::DamagedJars {
        folder: folder.to_owned(),
        reason,
        remedy: REMEDY.to_owned(),
    })
}

fn maven() -> Result<PathBuf> {
    find_maven().map_err(|error| match error {
        Error::NoMaven => Error::Refused(format!(
            "Maven is needed once to fetch {NAME}: install it with {}",
            by_system("maven")
        )),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_that_is_fetched_is_pinned_with_its_checksums() {
        let spark = pinned().unwrap();
        assert_eq!(spark.connector, PINNED.0);
        let (_, artifact) = spark.connector_maven.split_once(':').unwrap();
        let jar = format!("  {artifact}-{}.jar\n", spark.connector);
        assert!(PINNED.1.contains(&jar));
        assert_eq!(PINNED.1.lines().count(), 17);
    }

    #[test]
    fn jars_that_are_not_the_pinned_ones_are_not_taken() {
        let home = tempfile::tempdir().unwrap();
        let home = Home::new(home.path()).unwrap();
        let folder = folder(&home);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config-1.4.1.jar"), "other").unwrap();
        checksums::write(&folder).unwrap();
        let error = check_connector(&home).unwrap_err().to_string();
        assert!(error.ends_with(REMEDY), "{error}");
        assert!(error.contains("damaged"), "{error}");
    }

    #[test]
    fn what_spark_has_itself_is_left_out() {
        let is_left_out = |name: &str| is_of_spark(&Path::new("/jars").join(name));
        assert!(is_left_out("scala-library-2.12.19.jar"));
        assert!(!is_left_out("scala-collection-compat_2.12-2.11.0.jar"));
    }
}
