//! The releases of Cassandra that Bakeoff starts, and what the older one lacks.

use std::fmt;

use super::tuning::Tuning;
use crate::error::{Error, Result};

/// A release of Cassandra that Bakeoff starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Release {
    /// Cassandra 4.1.
    Four,
    /// Cassandra 5.0.
    #[default]
    Five,
}

/// Beginning of the versions of [`Release::Four`].
const BEGINNING_OF_FOUR: &str = "4.";

/// The keys of `cassandra.yaml` that are new in 5.0: Bakeoff's own one, and those that a workload may set.
const NEW_IN_FIVE: [&str; 16] = [
    "column_value_size_fail_threshold",
    "column_value_size_warn_threshold",
    "compressed_read_ahead_buffer_size",
    "concurrent_index_builders",
    "default_secondary_index",
    "intersect_filtering_query_enabled",
    "non_partition_restricted_index_query_enabled",
    "partition_size_fail_threshold",
    "partition_size_warn_threshold",
    "partition_tombstones_fail_threshold",
    "partition_tombstones_warn_threshold",
    "sai_sstable_indexes_per_query_fail_threshold",
    "sai_sstable_indexes_per_query_warn_threshold",
    "sstable_format",
    "storage_compatibility_mode",
    "stream_transfer_task_timeout",
];

impl Release {
    /// Returns the release that a version belongs to.
    pub fn of(version: &str) -> Release {
        if version.starts_with(BEGINNING_OF_FOUR) {
            Release::Four
        } else {
            Release::Five
        }
    }

    /// Returns whether its `cassandra.yaml` has a key, if that is one which Bakeoff or a workload sets.
    pub fn has_key(self, name: &str) -> bool {
        match self {
            Release::Four => !NEW_IN_FIVE.contains(&name),
            Release::Five => true,
        }
    }

    /// Checks that it has all keys of `cassandra.yaml` that were chosen.
    ///
    /// # Errors
    /// Fails with `Refused` for the first one that it lacks.
    pub(crate) fn check_keys(self, tuning: &Tuning) -> Result<()> {
        let mut keys = tuning.settings.iter().map(|(name, _)| name);
        match keys.find(|name| !self.has_key(name)) {
            None => Ok(()),
            Some(name) => Err(Error::Refused(format!(
                "`{name}` of cassandra.yaml is new in Cassandra 5.0, and {self} lacks it: leave it out"
            ))),
        }
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Release::Four => "4.1",
            Release::Five => "5.0",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::defaults::{NEEDED, PREFERRED, TIME_OUTS};
    use super::super::pinned::pinned_of;
    use super::*;

    #[test]
    fn each_pinned_version_is_of_its_release() {
        for release in [Release::Four, Release::Five] {
            let version = pinned_of(release).unwrap().version;
            assert_eq!(Release::of(&version), release, "{version}");
            assert!(version.starts_with(&format!("{release}.")), "{version}");
        }
        assert_eq!(Release::of("5.1-alpha1"), Release::Five);
    }

    #[test]
    fn of_our_own_keys_the_older_release_lacks_one() {
        let needed = NEEDED.iter().chain(&PREFERRED).map(|(name, _)| *name);
        let all = needed.chain(TIME_OUTS.iter().map(|(name, ..)| *name));
        let lacking = all.filter(|name| !Release::Four.has_key(name));
        assert_eq!(lacking.collect::<Vec<_>>(), ["storage_compatibility_mode"]);
        assert!(NEW_IN_FIVE.iter().all(|name| Release::Five.has_key(name)));
        assert!(NEW_IN_FIVE.is_sorted());
    }

    #[test]
    fn a_chosen_key_that_the_older_release_lacks_is_refused() {
        let tuning = |name: &str| Tuning {
            settings: vec![
                ("row_cache_size".to_owned(), "64MiB".to_owned()),
                (name.to_owned(), "x".to_owned()),
            ],
            ..Tuning::default()
        };
        let error = Release::Four.check_keys(&tuning("sstable_format"));
        assert_eq!(
            error.unwrap_err().to_string(),
            "`sstable_format` of cassandra.yaml is new in Cassandra 5.0, and 4.1 lacks it: leave it out"
        );
        Release::Five.check_keys(&tuning("sstable_format")).unwrap();
        Release::Four.check_keys(&tuning("cql_start_time")).unwrap();
    }
}
