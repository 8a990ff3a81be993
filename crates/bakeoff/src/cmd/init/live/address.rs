//! Addresses of tables of running servers.

use std::path::Path;

use bakeoff_engines::tables::Location;

/// How an address of a table is written.
const HOW: &str = "write cassandra://[USER@]HOST[:PORT]/KEYSPACE.TABLE";

/// How the address of a PostgreSQL begins.
const POSTGRES: [&str; 2] = ["postgres://", "postgresql://"];

/// The address of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    Cassandra {
        /// With its port, if that is said.
        host: String,
        user: Option<String>,
        location: Location,
    },
    Postgres {
        url: String,
    },
}

impl Address {
    /// Reads an address; `None` for what is the name of a file.
    ///
    /// # Errors
    /// Says what is wrong with it, without repeating a password.
    pub fn parse(from: &Path) -> Result<Option<Address>, String> {
        let Some(text) = from.to_str() else {
            return Ok(None);
        };
        if let Some(rest) = text.strip_prefix("cassandra://") {
            return cassandra(rest).map(Some);
        }
        if POSTGRES.iter().any(|begin| text.starts_with(begin)) {
            return Ok(Some(Address::Postgres {
                url: text.to_owned(),
            }));
        }
        match text.split_once("://") {
            Some((scheme, _)) if is_scheme(scheme) && !from.exists() => Err(format!(
                "{scheme}:// is no address of rows: they are read from files, from \
                 cassandra://HOST/KEYSPACE.TABLE, and from postgres://USER@HOST/DATABASE with --table SCHEMA.TABLE"
            )),
            _ => Ok(None),
        }
    }
}

/// Reads an address behind its scheme.
fn cassandra(rest: &str) -> Result<Address, String> {
    let Some((server, table)) = rest.split_once('/') else {
        return Err(format!("the address names no table: {HOW}"));
    };
    let (user, host) = match server.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, server),
    };
    if user.is_some_and(|user| user.contains(':')) {
        return Err(
            "the address has a password, which would be visible in process lists and in histories: put it into \
             BAKEOFF_CASSANDRA_PASSWORD"
                .to_owned(),
        );
    }
    if host.is_empty() || user.is_some_and(str::is_empty) {
        return Err(format!("the address names no host or no user: {HOW}"));
    }
    if table.contains('@') {
        // It may be the rest of a password.
        return Err(format!("the address has an @ behind its first /: {HOW}"));
    }
    match table.parse::<Location>() {
        Ok(location @ Location::Cassandra { .. }) => Ok(Address::Cassandra {
            host: host.to_owned(),
            user: user.map(str::to_owned),
            location,
        }),
        _ => Err(format!("`{table}` is not the name of a table: {HOW}")),
    }
}

/// Returns whether a text is what comes first in a URL.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<Address>, String> {
        Address::parse(Path::new(text))
    }

    #[test]
    fn a_table_of_a_cassandra_is_behind_its_server() {
        for (text, host, user) in [
            ("cassandra://db1/ks.t", "db1", None),
            ("cassandra://me@db1:9142/ks.t", "db1:9142", Some("me")),
            ("cassandra://[fd00::7]:9042/ks.t", "[fd00::7]:9042", None),
        ] {
            let expected = Address::Cassandra {
                host: host.to_owned(),
                user: user.map(str::to_owned),
                location: "ks.t".parse().unwrap(),
            };
            assert_eq!(parse(text), Ok(Some(expected)), "{text}");
        }
        let postgres = "postgresql://me@db1/metrics";
        assert_eq!(
            parse(postgres),
            Ok(Some(Address::Postgres {
                url: postgres.to_owned()
            }))
        );
        assert_eq!(parse("data/readings.csv"), Ok(None));
    }

    #[test]
    fn what_names_no_table_says_how_to_and_repeats_no_password() {
        for (text, words) in [
            ("cassandra://db1", "names no table"),
            ("cassandra:///ks.t", "names no host"),
            ("cassandra://@db1/ks.t", "no user"),
            ("cassandra://db1/t", "`t` is not the name of a table"),
            ("cassandra://db1/ks/t", "`ks/t` is not the name of a table"),
            ("cassandra://db1/dir:x", "is not the name of a table"),
            (
                "cassandra://me:hunter2@db1/ks.t",
                "BAKEOFF_CASSANDRA_PASSWORD",
            ),
            ("cassandra://me:x/hunter2@db1/ks.t", "an @ behind"),
            ("mysql://me:hunter2@db1/x", "mysql:// is no address of rows"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
