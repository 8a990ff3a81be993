//! The version of Spark in `engines.toml`.

use serde::Deserialize;

use crate::error::{Error, Result};

/// The Spark that is asked.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct PinnedSpark {
    /// The version of the Python package `pyspark`.
    pub(crate) pyspark: String,
    /// Maven coordinates of the connector to Cassandra: `group:artifact`.
    pub(crate) connector_maven: String,
    /// The version of the connector.
    pub(crate) connector: String,
}

impl PinnedSpark {
    /// Returns the release that a version of Spark has to be of, such as `3.5.`.
    pub(crate) fn release(&self) -> &str {
        let numbers = self.pyspark.match_indices('.').nth(1);
        numbers.map_or(&self.pyspark, |(dot, _)| &self.pyspark[..=dot])
    }
}

#[derive(Deserialize)]
struct Engines {
    spark: PinnedSpark,
}

/// Returns the entry of Spark in `engines.toml`.
///
/// # Errors
/// Fails with `Refused` when that file, which is part of the program, is malformed.
pub(crate) fn pinned() -> Result<PinnedSpark> {
    toml::from_str::<Engines>(include_str!("../../../../engines.toml"))
        .map(|engines| engines.spark)
        .map_err(|error| Error::Refused(format!("engines.toml, {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_what_comes_before_the_last_number() {
        let spark = pinned().unwrap();
        assert!(spark.pyspark.starts_with(spark.release()));
        assert_eq!(spark.release(), "3.5.");
        let other = PinnedSpark {
            pyspark: "4.1".to_owned(),
            ..spark
        };
        assert_eq!(other.release(), "4.1");
    }
}
