//! Defines the limit on rows that are written to a server which others may depend on.

use std::num::NonZeroU32;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use bakeoff_engines::RateLimit;
use bakeoff_engines::tables::Location;
use clap::Args;

use super::choice::parse_rows;
use super::cluster::ClusterOptions;
use crate::exit::Misuse;

/// Rows a second that a server which Bakeoff did not start gets unless told otherwise: a few percent of what one
/// node of Cassandra or a PostgreSQL takes, and enough to load what a first comparison needs within minutes.
const DEFAULT: Option<NonZeroU32> = NonZeroU32::new(2_000);

/// Rows a second that are read of such a server unless told otherwise.
const DEFAULT_OF_READING: Option<NonZeroU32> = NonZeroU32::new(10_000);

#[derive(Args, Debug, Clone, Default)]
pub struct RateLimitOptions {
    /// Rows a second that are written at most to a server that Bakeoff did not start, or `none`
    /// [default: 2000]
    #[arg(long, value_name = "ROWS", value_parser = parse, allow_negative_numbers = true)]
    rate_limit: Option<Limit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    Unlimited,
    Rows(NonZeroU32),
}

impl RateLimitOptions {
    /// Returns the limit for the servers that were named; `None` if there is none.
    ///
    /// # Errors
    /// Fails with a misuse for a limit without a server that it applies to.
    pub fn limit(
        &self,
        cluster: &ClusterOptions,
        postgres: Option<&String>,
    ) -> Result<Option<Arc<RateLimit>>> {
        let cluster = cluster.cluster();
        let is_named = cluster.is_some() || postgres.is_some();
        // One that was started by `bakeoff engines start` has no other users.
        let others_depend =
            || postgres.is_some() || cluster.as_ref().is_some_and(|cluster| !cluster.is_ours());
        let limit = match self.rate_limit {
            Some(_) if !is_named => {
                return Err(Misuse::new(anyhow!(
                    "--rate-limit is for servers that Bakeoff does not start: name one with \
                     --cassandra or --postgres, or by a driver of --adbc whose options have ${{schema}} \
                     in them, or leave it out"
                ))
                .into());
            }
            Some(Limit::Unlimited) => None,
            Some(Limit::Rows(rows)) => Some(rows),
            None => DEFAULT.filter(|_| is_named && others_depend()),
        };
        Ok(limit.map(RateLimit::new))
    }

    /// Returns the limit for rows that are read; `None` if there is none.
    pub fn of_reading(&self) -> Option<Arc<RateLimit>> {
        let rows = match self.rate_limit {
            None => DEFAULT_OF_READING,
            Some(Limit::Unlimited) => None,
            Some(Limit::Rows(rows)) => Some(rows),
        };
        rows.map(RateLimit::new)
    }

    /// Returns whether a limit is given, or that there is none.
    pub fn is_given(&self) -> bool {
        self.rate_limit.is_some()
    }

    /// Returns the limit for a columnar table; `None` if there is none, as for one in a folder.
    ///
    /// # Errors
    /// Fails with a misuse for a limit without a server that it applies to.
    pub fn limit_of(
        &self,
        cluster: &ClusterOptions,
        table: &Location,
    ) -> Result<Option<Arc<RateLimit>>> {
        let limit = self.limit(cluster, None)?;
        Ok(limit.filter(|_| matches!(table, Location::Cassandra { .. })))
    }
}

/// Says that a limit holds and how to lift it.
pub fn describe(limit: &RateLimit) -> String {
    format!(
        "at most {} rows/s are written, since others may depend on the server; --rate-limit none lifts that",
        limit.rows_per_second()
    )
}

fn parse(text: &str) -> Result<Limit, String> {
    if text == "none" {
        return Ok(Limit::Unlimited);
    }
    let rows = parse_rows(text).ok();
    rows.and_then(|rows| NonZeroU32::new(u32::try_from(rows).ok()?))
        .map(Limit::Rows)
        .ok_or_else(|| "not a number of rows such as 2000 or 20k, or `none`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Line;
    use super::*;

    type Limited = Line<RateLimitOptions>;

    fn limit(arguments: &[&str], postgres: Option<&str>) -> Result<Option<u32>, String> {
        let line = Limited::of(arguments).map_err(|error| error.to_string())?;
        let postgres = postgres.map(str::to_owned);
        let limit = line.options.limit(&line.cluster, postgres.as_ref());
        let limit = limit.map_err(|error| error.to_string())?;
        Ok(limit.map(|limit| limit.rows_per_second()))
    }

    #[test]
    fn a_server_of_others_is_limited_unless_that_is_lifted() {
        let named = ["--cassandra", "192.0.2.1"];
        let with = |more: &[&'static str]| limit(&[&named[..], more].concat(), None);
        assert_eq!(limit(&[], None), Ok(None));
        assert_eq!(with(&[]), Ok(Some(2_000)));
        assert_eq!(
            limit(&[], Some("postgresql://me@db1/metrics")),
            Ok(Some(2_000))
        );
        assert_eq!(with(&["--rate-limit", "20k"]), Ok(Some(20_000)));
        assert_eq!(with(&["--rate-limit", "none"]), Ok(None));
        for wrong in ["0", "-1", "fast", "1e12"] {
            let error = with(&["--rate-limit", wrong]).unwrap_err();
            assert!(error.contains("--rate-limit"), "{error}");
        }
    }

    #[test]
    fn reading_has_a_limit_of_its_own() {
        let of = |arguments: &[&str]| {
            let line = Limited::of(arguments).unwrap();
            let limit = line.options.of_reading();
            (
                line.options.is_given(),
                limit.map(|limit| limit.rows_per_second()),
            )
        };
        assert_eq!(of(&[]), (false, Some(10_000)));
        assert_eq!(of(&["--rate-limit", "500"]), (true, Some(500)));
        assert_eq!(of(&["--rate-limit", "none"]), (true, None));
    }

    #[test]
    fn a_limit_without_a_server_is_refused() {
        for text in ["none", "100"] {
            let error = limit(&["--rate-limit", text], None).unwrap_err();
            for words in ["--cassandra or --postgres", "--adbc", "${schema}"] {
                assert!(error.contains(words), "{error}");
            }
        }
    }
}
